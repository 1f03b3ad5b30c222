//! The results of a match on disk, game by game, so that it can go on after whatever stopped it.
//!
//! A results file is JSON, a line for each value: first what the match is, then a line for each game
//! in the order in which they ended. A game counts when its line is complete.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

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
    /// The game's text in the file of games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pgn: Option<PgnEntry>,
}

/// What is to stand in a file of games.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PgnEntry {
    /// Where it begins, in bytes.
    start: u64,
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
        "{}: this file of games does not belong to the results: it should have the game of {expected} bytes \
         that begins after {start} bytes; nothing was changed", .path.display()
    )]
    OtherGames {
        /// The file.
        path: PathBuf,
        /// Where the last game should begin, in bytes.
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
    games: Option<(PathBuf, File)>,
    /// What is to be completed in the file of games before anything is added.
    rest: Option<String>,
}

impl Journal {
    /// Opens the files of a match, and reads the games that were played before.
    ///
    /// `identity` is all that a game's course depends on: the values of a JSON object. With `resume`
    /// the results file may be there already, but its match must be the same.
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
    ) -> Result<(Self, Vec<GameReport>), JournalError> {
        let mut journal = Self { results: None, games: None, rest: None };
        let mut reports = Vec::new();
        let mut last = None;
        if let Some(path) = results {
            let (file, entries) = open_results(path, identity, schedule, resume)?;
            journal.results = Some((path.to_owned(), file));
            for entry in entries {
                reports.push(entry.report);
                last = entry.pgn;
            }
        }
        if let Some(path) = games {
            let failed = |error| JournalError::Io { path: path.to_owned(), error };
            let mut options = OpenOptions::new();
            let mut file =
                options.read(true).append(true).create(true).open(path).map_err(failed)?;
            lock(&file, path)?;
            if let Some(last) = last {
                let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
                let mut there = Vec::new();
                if last.start <= length {
                    file.seek(SeekFrom::Start(last.start)).map_err(failed)?;
                    let limit = last.text.len() as u64;
                    (&file).take(limit).read_to_end(&mut there).map_err(failed)?;
                }
                // The last game may be there in part, if we were killed just then.
                match last.text.as_bytes().strip_prefix(there.as_slice()) {
                    Some(rest) if last.start <= length => {
                        journal.rest = Some(String::from_utf8_lossy(rest).into_owned());
                    }
                    _ => {
                        let (path, expected) = (path.to_owned(), last.text.len());
                        return Err(JournalError::OtherGames { path, start: last.start, expected });
                    }
                }
            }
            journal.games = Some((path.to_owned(), file));
        }
        journal.complete()?;
        Ok((journal, reports))
    }

    /// Adds a game, with its text for the file of games.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn add(&mut self, report: &GameReport, pgn: &str) -> Result<(), JournalError> {
        self.complete()?;
        let start = match &mut self.games {
            Some((path, file)) => {
                let end = file.seek(SeekFrom::End(0));
                Some(end.map_err(|error| JournalError::Io { path: path.clone(), error })?)
            }
            None => None,
        };
        if let Some((path, file)) = &mut self.results {
            let pgn = start.map(|start| PgnEntry { start, text: pgn.to_owned() });
            let entry = Entry { report: report.clone(), pgn };
            write_line(file, &entry)
                .map_err(|error| JournalError::Io { path: path.clone(), error })?;
        }
        self.rest = Some(pgn.to_owned());
        self.complete()
    }

    /// Writes what is still missing in the file of games.
    fn complete(&mut self) -> Result<(), JournalError> {
        if let (Some(rest), Some((path, file))) = (self.rest.take(), &mut self.games) {
            let written = file.write_all(rest.as_bytes()).and_then(|()| file.flush());
            written.map_err(|error| JournalError::Io { path: path.clone(), error })?;
        }
        Ok(())
    }
}

/// Opens a results file; makes it if it is not there.
fn open_results(
    path: &Path,
    identity: &serde_json::Map<String, Value>,
    schedule: &Schedule,
    resume: bool,
) -> Result<(File, Vec<Entry>), JournalError> {
    let failed = |error| JournalError::Io { path: path.to_owned(), error };
    let exists = fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0);
    if exists && !resume {
        return Err(JournalError::Exists(path.to_owned()));
    }
    let mut file =
        OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
    lock(&file, path)?;
    let mut header = serde_json::Map::new();
    header.insert(FORMAT_KEY.to_owned(), FORMAT.into());
    header.insert(VERSION_KEY.to_owned(), VERSION.into());
    header.extend(identity.clone());
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(failed)?;
    // A line that was being written when we were killed does not count.
    let complete = text.rfind('\n').map_or(0, |end| end + 1);
    let torn_header = complete == 0 && resume && {
        let whole = Value::Object(header.clone()).to_string();
        whole.starts_with(&text)
    };
    if text.is_empty() || torn_header {
        file.set_len(0).map_err(failed)?;
        write_line(&mut file, &header).map_err(failed)?;
        return Ok((file, Vec::new()));
    }
    let entries = read_results(&text[..complete], path, &header, schedule)?;
    file.set_len(complete as u64).map_err(failed)?;
    Ok((file, entries))
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
    text: &str,
    path: &Path,
    header: &serde_json::Map<String, Value>,
    schedule: &Schedule,
) -> Result<Vec<Entry>, JournalError> {
    let damaged = |line: usize, problem: &str| JournalError::Damaged {
        path: path.to_owned(),
        line,
        problem: problem.to_owned(),
    };
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let was: serde_json::Map<String, Value> =
        serde_json::from_str(first).map_err(|_| damaged(1, "not the results of a match"))?;
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
        let entry: Entry = serde_json::from_str(line)
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
