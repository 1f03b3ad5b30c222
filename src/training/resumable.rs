//! Long work whose results are appended to a data file, and that can be gone on with.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use thiserror::Error;

use super::program::now;
use super::{DataError, DataHeader, DataReader, DataWriter, FileError, Source, StoredGame};
use crate::search::TableError;

/// How often the games are made to survive a loss of power.
const SYNC_INTERVAL: Duration = Duration::from_secs(30);

/// How far the work is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Games in the file.
    pub games: u64,
    /// Positions in the file.
    pub positions: u64,
    /// How many of the games were there before.
    pub games_before: u64,
    /// How many of the positions were there before.
    pub positions_before: u64,
}

impl Progress {
    pub(super) fn count(&mut self, game: &StoredGame) {
        self.games += 1;
        self.positions += game.samples.len() as u64;
    }
}

/// Why long work could not be done.
#[derive(Debug, Error)]
pub enum JobError {
    /// There is no memory for the tables.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file has games of another kind.
    #[error("{}: its games were made in another way: {difference}", path.display())]
    Different {
        /// The file.
        path: PathBuf,
        /// What differs.
        difference: String,
    },
}

/// A file that gets one game after the other.
pub(super) struct Resumable<'a> {
    path: &'a Path,
    writer: DataWriter,
    last_sync: Instant,
    pub(super) progress: Progress,
}

impl<'a> Resumable<'a> {
    /// Begins a file, or goes on with one that has games of the same kind and order. `seen` is
    /// told of the games in it.
    pub(super) fn open(
        path: &'a Path,
        sources: &[Source],
        shuffles: &[u64],
        seen: &mut dyn FnMut(&StoredGame),
    ) -> Result<Self, JobError> {
        let mut progress = Progress::default();
        let status = path.symlink_metadata();
        let writer = if status.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            let header = DataHeader {
                created: now(),
                sources: sources.to_vec(),
                shuffles: shuffles.to_vec(),
            };
            DataWriter::create(path, header)
        } else {
            check_header(path, sources, shuffles)?;
            DataWriter::resume(path, &mut |game| {
                progress.count(game);
                seen(game);
            })
        };
        let writer = writer.map_err(FileError::of(path))?;
        progress.games_before = progress.games;
        progress.positions_before = progress.positions;
        Ok(Self { path, writer, last_sync: Instant::now(), progress })
    }

    /// Appends a game, and now and then sees to it that the games are safe.
    pub(super) fn append(&mut self, game: &StoredGame) -> Result<(), FileError> {
        self.writer.append(game).map_err(FileError::of(self.path))?;
        self.progress.count(game);
        if self.last_sync.elapsed() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Sees to it that the games are safe.
    pub(super) fn sync(&mut self) -> Result<(), FileError> {
        self.last_sync = Instant::now();
        self.writer.sync().map_err(FileError::of(self.path))
    }
}

/// Makes sure that a file has games of the same kind and order.
fn check_header(path: &Path, sources: &[Source], shuffles: &[u64]) -> Result<(), JobError> {
    // Where nothing but a file is read from, nothing is waited for in vain.
    if !path.metadata().map_err(FileError::of(path))?.is_file() {
        return Err(FileError::of(path)(DataError::Irregular).into());
    }
    let reader = DataReader::open(path).map_err(FileError::of(path))?;
    let header = reader.header();
    let difference = match (&header.sources[..], sources) {
        _ if header.sources == sources && header.shuffles == shuffles => return Ok(()),
        ([there], [here]) if there != here => differences(there, here),
        _ => "they are others, or in another order".to_owned(),
    };
    Err(JobError::Different { path: path.to_owned(), difference })
}

/// What differs between two sources, as text.
fn differences(there: &Source, here: &Source) -> String {
    let [there, here] = [there, here].map(fields);
    let differing = there.iter().filter_map(|(name, there)| {
        let here = here.iter().find(|(other, _)| other == name).map(|(_, value)| value)?;
        (here != there).then(|| format!("{name} was {there} and now is {here}"))
    });
    differing.collect::<Vec<_>>().join(", ")
}

/// The names and values of what a source consists of.
fn fields(source: &Source) -> Vec<(String, serde_json::Value)> {
    let mut fields = Vec::new();
    if let Ok(serde_json::Value::Object(source)) = serde_json::to_value(source) {
        for (name, value) in source {
            match value {
                serde_json::Value::Object(inner) => fields.extend(inner),
                value => fields.push((name, value)),
            }
        }
    }
    fields
}
