//! The results of a match on disk, game by game, so that it can go on after whatever stopped it.
//!
//! A results file is JSON, a line for each value: first what the match is, then a line for each game
//! in the order in which they ended. A game counts when its line is complete.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::play::{Effort, Ending};
use super::schedule::{Fixture, Schedule};
use super::statistics::Played;
use super::text;
use crate::game::{Color, Outcome};
use crate::record::GameResult;

/// What the first line says of the file.
const FORMAT: &str = "physarum-match";
/// The version of the format.
const VERSION: u32 = 1;
/// Where the first line names the format and the version.
const FORMAT_KEY: &str = "format";
const VERSION_KEY: &str = "version";
/// How often results are made to survive a loss of power, at most.
const SYNC_INTERVAL: Duration = Duration::from_secs(5);

/// A game that was played, as a results file has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameReport {
    /// Its number in the schedule, from 0.
    pub game: u64,
    /// The round, from 0.
    pub round: u64,
    /// Which opening of the book it began from, from 0.
    pub opening: usize,
    /// Who played black, by the number of the engine.
    pub black: usize,
    /// Who played white.
    pub white: usize,
    /// Who made the first move after the opening.
    #[serde(with = "text")]
    pub first: Color,
    /// What came of it.
    #[serde(with = "text")]
    pub result: GameResult,
    /// Why.
    #[serde(flatten)]
    pub ending: Ending,
    /// Plies after the opening.
    pub plies: u32,
    /// What black and white did.
    pub efforts: [Effort; 2],
    /// What the engine at fault wrote last to its standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}

impl GameReport {
    /// The game from the point of view of one of its two engines.
    pub fn played_by(&self, engine: usize) -> Option<Played> {
        let color = if engine == self.black { Color::Black } else { Color::White };
        Some(Played::new(self.outcome()?, color, self.first))
    }

    /// Who won; games without an outcome are not reported.
    pub fn outcome(&self) -> Option<Outcome> {
        self.result.outcome()
    }

    fn fits(&self, fixture: &Fixture) -> bool {
        (self.round, self.black, self.white) == (fixture.round, fixture.black, fixture.white)
    }
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    report: GameReport,
    /// The game's text for the file of games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pgn: Option<PgnEntry>,
}

/// A game's text.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PgnEntry {
    /// Where it is to stand in the file of games, in bytes; `None` if there was no such file, or none
    /// with places.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<u64>,
    text: String,
}

/// Why results cannot be kept.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file is there already.
    #[error("{}: there are results in this file already: --resume goes on with them", .0.display())]
    Exists(PathBuf),
    /// Another program has it open.
    #[error("{}: another match writes to this file", .0.display())]
    Busy(PathBuf),
    /// Results are only kept in a file.
    #[error("{}: this is no regular file: results cannot be kept in it", .0.display())]
    Irregular(PathBuf),
    /// The file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file is no results file, or is damaged.
    #[error("{}: line {line}: {problem}; nothing was changed", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// The results are those of another match.
    #[error(
        "{}: the results are from a match with other settings: {key} was {was}, and is now {is}; \
         nothing was changed", .path.display()
    )]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// The setting that differs.
        key: String,
        /// Its value in the file.
        was: String,
        /// Its value now.
        is: String,
    },
    /// The file of games is not the one that the results belong to.
    #[error(
        "{}: this file of games does not belong to the results: the game of {expected} bytes that \
         should begin after {start} bytes is not there; nothing was changed", .path.display()
    )]
    OtherGames {
        /// The file.
        path: PathBuf,
        /// Where a game should begin, in bytes.
        start: u64,
        /// Its length in bytes.
        expected: usize,
    },
}

/// Keeps the results of a match: of each game a line in a results file, and its moves in a file of
/// games; either may be missing.
#[derive(Debug)]
pub struct Journal {
    results: Option<(PathBuf, File)>,
    games: Option<Games>,
    /// What is to be completed in the file of games before anything is added.
    rest: Vec<u8>,
    /// When the results were last made to survive a loss of power.
    last_sync: Instant,
}

/// A file of games, or something else that takes them.
#[derive(Debug)]
struct Games {
    path: PathBuf,
    file: File,
    /// Whether it is a file, with places in it, and not a pipe or a device.
    regular: bool,
}

/// What a journal was opened with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// The games that were played before.
    pub reports: Vec<GameReport>,
    /// How many of them are not in the file of games, and will not be: when they were played there was
    /// no such file. 0 if there is none now.
    pub not_in_games: usize,
}

impl Journal {
    /// Opens the files of a match, and reads the games that were played before.
    ///
    /// `identity` is all that a game's course depends on: the values of a JSON object. With `resume`
    /// the results file may be there already, but its match must be the same. Games that are missing
    /// at the end of the file of games, as the program was killed or the file was lost, are added to it.
    ///
    /// # Errors
    ///
    /// When a file cannot be opened, is there although it should not be, or is not what it should be;
    /// all files are unchanged then.
    pub fn open(
        results: Option<&Path>,
        games: Option<&Path>,
        identity: &serde_json::Map<String, Value>,
        schedule: &Schedule,
        resume: bool,
    ) -> Result<(Self, Before), JournalError> {
        // First all is looked at, then something is changed.
        let header = header(identity);
        let results = results.map(|path| FoundResults::read(path, &header, schedule, resume));
        let mut results = results.transpose()?;
        let entries =
            results.as_mut().map(|found| mem::take(&mut found.entries)).unwrap_or_default();
        let games = games.map(|path| FoundGames::read(path, &entries)).transpose()?;

        let not_in_games = games.as_ref().map_or(0, |games| games.missing);
        let made = results.as_ref().filter(|found| found.file.is_none()).map(|found| found.path);
        let results = results.map(|found| found.open()).transpose()?;
        let (games, rest) = match games.map(FoundGames::open).transpose() {
            Ok(opened) => opened.unzip(),
            Err(error) => {
                // It is empty, and as good as none.
                let made = made.and_then(|path| fs::canonicalize(path).ok());
                let _ = made.map(fs::remove_file);
                return Err(error);
            }
        };
        let results = results.map(|opened| opened.prepare(&header)).transpose()?;
        let rest = rest.unwrap_or_default();
        let mut journal = Self { results, games, rest, last_sync: Instant::now() };
        journal.complete()?;
        let reports = entries.into_iter().map(|entry| entry.report).collect();
        Ok((journal, Before { reports, not_in_games }))
    }

    /// Adds a game, with its text for the file of games.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn add(&mut self, report: &GameReport, pgn: &str) -> Result<(), JournalError> {
        self.complete()?;
        let start = match &mut self.games {
            Some(games) if games.regular => {
                Some(games.file.seek(SeekFrom::End(0)).map_err(failed(&games.path))?)
            }
            _ => None,
        };
        if let Some((path, file)) = &mut self.results {
            let pgn = Some(PgnEntry { start, text: pgn.to_owned() });
            let entry = Entry { report: report.clone(), pgn };
            write_line(file, &entry).map_err(failed(path))?;
        }
        if self.last_sync.elapsed() >= SYNC_INTERVAL {
            self.sync()?;
        }
        self.rest = pgn.as_bytes().to_vec();
        self.complete()
    }

    /// Makes the results survive a loss of power; now and then [`add`](Self::add) does it by itself.
    ///
    /// # Errors
    ///
    /// When the results file cannot be written.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.last_sync = Instant::now();
        match &self.results {
            Some((path, file)) => file.sync_data().map_err(failed(path)),
            None => Ok(()),
        }
    }

    /// Writes what is still missing in the file of games.
    fn complete(&mut self) -> Result<(), JournalError> {
        let rest = mem::take(&mut self.rest);
        match &mut self.games {
            Some(Games { path, file, .. }) if !rest.is_empty() => {
                let written = file.write_all(&rest).and_then(|()| file.flush());
                written.map_err(failed(path))
            }
            _ => Ok(()),
        }
    }
}

/// Tells which file an error is about.
fn failed(path: &Path) -> impl Fn(io::Error) -> JournalError {
    let path = path.to_owned();
    move |error| JournalError::Io { path: path.clone(), error }
}

/// What to open a file with that things are appended to.
fn appending() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    options
}

/// The first line of a results file.
fn header(identity: &serde_json::Map<String, Value>) -> serde_json::Map<String, Value> {
    let mut header = serde_json::Map::new();
    header.insert(FORMAT_KEY.to_owned(), FORMAT.into());
    header.insert(VERSION_KEY.to_owned(), VERSION.into());
    header.extend(identity.clone());
    header
}

/// A results file that is good, or may be made.
struct FoundResults<'a> {
    path: &'a Path,
    /// `None` if it must be made.
    file: Option<File>,
    /// How many bytes of it are whole lines; 0 if it has no header yet.
    whole: u64,
    entries: Vec<Entry>,
}

impl<'a> FoundResults<'a> {
    /// Looks what is there, and changes nothing.
    fn read(
        path: &'a Path,
        header: &serde_json::Map<String, Value>,
        schedule: &Schedule,
        resume: bool,
    ) -> Result<Self, JournalError> {
        let none = Self { path, file: None, whole: 0, entries: Vec::new() };
        match fs::metadata(path) {
            Ok(there) if !there.is_file() => return Err(JournalError::Irregular(path.to_owned())),
            Ok(there) if there.len() > 0 && !resume => {
                return Err(JournalError::Exists(path.to_owned()));
            }
            Ok(_) => {}
            // Other errors will show when it is made.
            Err(_) => return Ok(none),
        }
        let mut file = appending().open(path).map_err(failed(path))?;
        lock(&file, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed(path))?;
        let file = Some(file);
        // A line that was being written when we were killed does not count.
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if whole == 0 && Value::Object(header.clone()).to_string().as_bytes().starts_with(&bytes) {
            return Ok(Self { file, ..none });
        }
        let entries = read_results(&bytes[..whole], path, header, schedule)?;
        Ok(Self { file, whole: whole as u64, entries, ..none })
    }

    /// Makes it if it is not there.
    fn open(self) -> Result<OpenResults<'a>, JournalError> {
        let Self { path, whole, .. } = self;
        let file = match self.file {
            Some(file) => file,
            None => {
                let file = appending().create(true).open(path).map_err(failed(path))?;
                lock(&file, path)?;
                // Somebody was quicker.
                if file.metadata().map_err(failed(path))?.len() > 0 {
                    return Err(JournalError::Busy(path.to_owned()));
                }
                file
            }
        };
        Ok(OpenResults { path, file, whole })
    }
}

/// A results file that nothing was changed in yet.
struct OpenResults<'a> {
    path: &'a Path,
    file: File,
    whole: u64,
}

impl OpenResults<'_> {
    /// Cuts off what is not whole, and writes the header where it is missing.
    fn prepare(
        mut self,
        header: &serde_json::Map<String, Value>,
    ) -> Result<(PathBuf, File), JournalError> {
        let mut prepare = || {
            if self.file.metadata()?.len() != self.whole {
                self.file.set_len(self.whole)?;
            }
            if self.whole == 0 { write_line(&mut self.file, header) } else { Ok(()) }
        };
        prepare().map_err(failed(self.path))?;
        Ok((self.path.to_owned(), self.file))
    }
}

/// A file of games that belongs to the results, or may be made.
struct FoundGames<'a> {
    path: &'a Path,
    /// `None` if it must be made.
    file: Option<File>,
    regular: bool,
    /// What is to be completed.
    rest: Vec<u8>,
    /// How many of the games that were played are not meant to be in it.
    missing: usize,
}

impl<'a> FoundGames<'a> {
    /// Looks what is there, and changes nothing.
    fn read(path: &'a Path, entries: &[Entry]) -> Result<Self, JournalError> {
        let there = fs::metadata(path).ok();
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            // What goes into a pipe is gone: nothing can be compared.
            let file = OpenOptions::new().append(true).open(path).map_err(failed(path))?;
            let (rest, missing) = (Vec::new(), entries.len());
            return Ok(Self { path, file: Some(file), regular: false, rest, missing });
        }
        let file = there.map(|_| appending().open(path)).transpose().map_err(failed(path))?;
        if let Some(file) = &file {
            lock(file, path)?;
        }
        let rest = missing_games(path, file.as_ref(), entries)?;
        let missing = entries.iter().filter(|entry| entry.place().is_none()).count();
        Ok(Self { path, file, regular: true, rest, missing })
    }

    /// Makes it if it is not there; gives also what is to be completed.
    fn open(self) -> Result<(Games, Vec<u8>), JournalError> {
        let Self { path, regular, rest, .. } = self;
        let file = match self.file {
            Some(file) => file,
            None => {
                let file = appending().create(true).open(path).map_err(failed(path))?;
                lock(&file, path)?;
                file
            }
        };
        Ok((Games { path: path.to_owned(), file, regular }, rest))
    }
}

impl Entry {
    /// Where the game is to stand in the file of games, and what is to stand there.
    fn place(&self) -> Option<(u64, &str)> {
        let pgn = self.pgn.as_ref()?;
        Some((pgn.start?, &pgn.text))
    }
}

/// What is missing at the end of a file of games. `file` is `None` if it is not there.
///
/// What is there must be the last game that can be there as a whole, and a part of the next.
fn missing_games(
    path: &Path,
    file: Option<&File>,
    entries: &[Entry],
) -> Result<Vec<u8>, JournalError> {
    let length = match file {
        Some(file) => file.metadata().map_err(failed(path))?.len(),
        None => 0,
    };
    let mut whole = None;
    let mut end = length;
    let mut rest = Vec::new();
    for (start, text) in entries.iter().filter_map(Entry::place) {
        let other =
            || JournalError::OtherGames { path: path.to_owned(), start, expected: text.len() };
        let after = start.checked_add(text.len() as u64).ok_or_else(other)?;
        if after <= length && rest.is_empty() {
            whole = Some((start, text));
            continue;
        }
        // Some of it may be there; what follows comes right behind it.
        let there = if rest.is_empty() { end.checked_sub(start) } else { Some(0) };
        let there = usize::try_from(there.ok_or_else(other)?).map_err(|_| other())?;
        if !rest.is_empty() && start != end {
            return Err(other());
        }
        if !has_bytes(file, start, &text.as_bytes()[..there]).map_err(failed(path))? {
            return Err(other());
        }
        rest.extend_from_slice(&text.as_bytes()[there..]);
        end = after;
    }
    match whole {
        Some((start, text))
            if !has_bytes(file, start, text.as_bytes()).map_err(failed(path))? =>
        {
            Err(JournalError::OtherGames { path: path.to_owned(), start, expected: text.len() })
        }
        _ => Ok(rest),
    }
}

/// Whether a file has these bytes there.
fn has_bytes(file: Option<&File>, start: u64, bytes: &[u8]) -> io::Result<bool> {
    let Some(mut file) = file.filter(|_| !bytes.is_empty()) else { return Ok(bytes.is_empty()) };
    let mut there = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(bytes.len() as u64).read_to_end(&mut there)?;
    Ok(there == bytes)
}

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(JournalError::Busy(path.to_owned())),
        // Not every file system can lock.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.flush()
}

fn read_results(
    bytes: &[u8],
    path: &Path,
    header: &serde_json::Map<String, Value>,
    schedule: &Schedule,
) -> Result<Vec<Entry>, JournalError> {
    let damaged = |line: usize, problem: &str| JournalError::Damaged {
        path: path.to_owned(),
        line,
        problem: problem.to_owned(),
    };
    // Whatever is not UTF-8 is not JSON.
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let was: serde_json::Map<String, Value> =
        serde_json::from_slice(first).map_err(|_| damaged(1, "not the results of a match"))?;
    if was.get(FORMAT_KEY) != header.get(FORMAT_KEY) {
        return Err(damaged(1, "not the results of a match"));
    }
    if was.get(VERSION_KEY) != header.get(VERSION_KEY) {
        let problem =
            format!("results of a format that this version does not know (it knows {VERSION})");
        return Err(damaged(1, &problem));
    }
    let keys: Vec<&String> = header.keys().chain(was.keys()).collect();
    if let Some(key) = keys.into_iter().find(|&key| was.get(key) != header.get(key)) {
        let shown = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
        let (was, is) = (shown(was.get(key)), shown(header.get(key)));
        return Err(JournalError::OtherMatch { path: path.to_owned(), key: key.clone(), was, is });
    }
    let mut entries = Vec::new();
    let mut seen = HashSet::new();
    for (number, line) in (2..).zip(lines) {
        let entry: Entry = serde_json::from_slice(line)
            .map_err(|error| damaged(number, &format!("not a game: {error}")))?;
        let report = &entry.report;
        if report.outcome().is_none() {
            return Err(damaged(number, "a game without a result"));
        }
        if !seen.insert(report.game) {
            return Err(damaged(number, &format!("game {} is there twice", report.game)));
        }
        match schedule.fixture(report.game) {
            Some(fixture) if !report.fits(&fixture) => {
                let problem = format!("game {} is not the one of this match", report.game);
                return Err(damaged(number, &problem));
            }
            // Fewer rounds are asked for now.
            None => {
                let problem =
                    format!("game {} is beyond the rounds that are asked for", report.game);
                return Err(damaged(number, &problem));
            }
            Some(_) => entries.push(entry),
        }
    }
    Ok(entries)
}
