//! Many games against ourselves, into a file.

use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{io, iter};

use serde::Serialize;
use thiserror::Error;

use super::pipeline::in_order;
use super::program::now;
use super::self_play::play_game;
use super::{DataError, DataHeader, DataWriter, Source, StoredGame};
use crate::search::{Control, Table, TableError};

/// How often the games are made to survive a loss of power.
const SYNC_INTERVAL: Duration = Duration::from_secs(30);

/// What games to play.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// How they are played, and who plays.
    pub source: Source,
    /// How many positions the file is to have; the game that reaches them is the last one.
    pub positions: u64,
    /// How many games are played at the same time.
    pub threads: usize,
}

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
    fn count(&mut self, game: &StoredGame) {
        self.games += 1;
        self.positions += game.samples.len() as u64;
    }
}

/// Why games could not be made.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// There is no memory for the tables.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// The file cannot be read or written.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The file has games of another kind.
    #[error("its games were made in another way: {0}")]
    Different(String),
}

/// Plays games until a file has as many positions as are wanted, or `interrupted` is set; the
/// file has all complete games then. Goes on with a file that is there.
///
/// The games depend on the source alone: not on the number of threads, nor on how often the work
/// was broken off, even by the end of the process.
///
/// `report` is told several times a second, at the most some seconds apart, how far the work is.
///
/// # Errors
///
/// When the file cannot be read or written, or has games of another kind, or when memory or
/// threads are missing. The file keeps all games that it had got.
pub fn generate(
    path: &Path,
    job: &Generation,
    interrupted: &AtomicBool,
    report: &mut dyn FnMut(&Progress),
) -> Result<Progress, GenerateError> {
    let recipe = &job.source.recipe;
    let tables = iter::repeat_with(|| Table::new(recipe.hash)).take(job.threads.max(1));
    let tables: Vec<Table> = tables.collect::<Result<_, _>>()?;

    let mut progress = Progress::default();
    let mut next_index = 0;
    let mut writer = open(path, &job.source, &mut |game| {
        progress.count(game);
        next_index = game.index + 1;
    })?;
    progress.games_before = progress.games;
    progress.positions_before = progress.positions;
    report(&progress);
    if progress.positions >= job.positions || interrupted.load(Ordering::Relaxed) {
        return Ok(progress);
    }

    let control = Control::new(Instant::now(), false);
    let mut written = Ok(());
    let mut last_sync = Instant::now();
    let work = |table: &mut Table, index| play_game(recipe, index, table, &control);
    let sink = |game: Option<StoredGame>| {
        if let Some(game) = game.filter(|game| !game.samples.is_empty()) {
            written = writer.append(&game);
            if written.is_ok() {
                progress.count(&game);
            }
        }
        if written.is_ok() && last_sync.elapsed() >= SYNC_INTERVAL {
            written = writer.sync();
            last_sync = Instant::now();
        }
        report(&progress);
        let complete = progress.positions >= job.positions;
        if complete || written.is_err() || interrupted.load(Ordering::Relaxed) {
            control.stop();
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    in_order(tables, next_index.., work, sink).map_err(GenerateError::Thread)?;
    written?;
    writer.sync()?;
    Ok(progress)
}

/// Begins a file, or goes on with one that has games of the same source.
fn open(
    path: &Path,
    source: &Source,
    seen: &mut dyn FnMut(&StoredGame),
) -> Result<DataWriter, GenerateError> {
    let is_new =
        matches!(path.symlink_metadata(), Err(error) if error.kind() == ErrorKind::NotFound);
    if is_new {
        let header =
            DataHeader { created: now(), sources: vec![source.clone()], shuffles: Vec::new() };
        return Ok(DataWriter::create(path, header)?);
    }
    let same = |header: &DataHeader| match &header.sources[..] {
        [there] if header.shuffles.is_empty() => match differences(there, source) {
            text if text.is_empty() => Ok(()),
            text => Err(text),
        },
        _ => Err("they were merged or shuffled".to_owned()),
    };
    // Where nothing but a file is read from, nothing is waited for in vain.
    if !path.metadata().map_err(DataError::from)?.is_file() {
        return Err(DataError::Irregular.into());
    }
    same(super::DataReader::open(path)?.header()).map_err(GenerateError::Different)?;
    Ok(DataWriter::resume(path, seen)?)
}

/// What differs between two sources, as text; empty if nothing does.
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
