//! Many games against ourselves, into a file.

use std::iter;
use std::ops::ControlFlow;
use std::path::Path;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::resumable::Resumable;
use super::self_play::play_game;
use super::{JobError, Progress, Source, StoredGame};
use crate::eval::Evaluation;
use crate::parallel::in_order;
use crate::search::{Control, Table};

/// What games to play.
#[derive(Clone, Debug)]
pub struct Generation {
    /// How they are played, and who plays.
    pub source: Source,
    /// The evaluation that plays, the one named in `source`.
    pub evaluation: Evaluation,
    /// How many positions the file is to have; the game that reaches them is the last one.
    pub positions: u64,
    /// How many games are played at the same time.
    pub threads: usize,
}

/// Plays games until a file has as many positions as are wanted, or `interrupted` is set; the
/// file has all complete games then. Goes on with a file that is there.
///
/// The games depend on the source alone: not on the number of threads, nor on how often the work
/// was broken off, even by the end of the process.
///
/// `report` is told several times a second how far the work is.
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
) -> Result<Progress, JobError> {
    let recipe = &job.source.recipe;
    let tables = iter::repeat_with(|| Table::new(recipe.hash)).take(job.threads.max(1));
    let tables: Vec<Table> = tables.collect::<Result<_, _>>()?;

    let mut next_index = 0;
    let mut file = Resumable::open(path, slice::from_ref(&job.source), &[], &mut |game| {
        next_index = next_index.max(game.index + 1);
    })?;
    report(&file.progress);
    if file.progress.positions >= job.positions || interrupted.load(Ordering::Relaxed) {
        return Ok(file.progress);
    }

    let control = Control::new(Instant::now(), false);
    let mut written = Ok(());
    let work =
        |table: &mut Table, index| play_game(recipe, index, &job.evaluation, table, &control);
    let sink = |game: Option<StoredGame>| {
        if let Some(game) = game.filter(|game| !game.samples.is_empty()) {
            written = file.append(&game);
        }
        report(&file.progress);
        let complete = file.progress.positions >= job.positions;
        if complete || written.is_err() || interrupted.load(Ordering::Relaxed) {
            control.stop();
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    in_order(tables, next_index.., work, sink).map_err(JobError::Thread)?;
    written?;
    file.sync()?;
    Ok(file.progress)
}
