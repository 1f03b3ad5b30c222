//! Searching stored positions again.

use std::iter;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::resumable::Resumable;
use super::self_play::search_nodes;
use super::{DataError, DataReader, FileError, JobError, Progress, Rescore, Sample, StoredGame};
use crate::eval::Evaluation;
use crate::game::Game;
use crate::parallel::in_order;
use crate::search::{Control, Table};

/// How to search again.
#[derive(Clone, Debug)]
pub struct Rescoring {
    /// Who searches, and how much.
    pub rescore: Rescore,
    /// How positions are evaluated.
    pub evaluation: Evaluation,
    /// The size of each thread's transposition table in MiB.
    pub hash: usize,
    /// How many games are worked on at the same time.
    pub threads: usize,
}

/// Writes the games of a file into another one, with new scores, until all are there or
/// `interrupted` is set. Goes on with a file that is there.
///
/// A game's positions are searched from the last one to the first, so that the earlier ones have
/// the use of what was found in the later ones. Results stay as they are, whatever is proven.
///
/// `report` is told several times a second how far the work is, and how many positions there are
/// to be in all. Returns both.
///
/// # Errors
///
/// When a file cannot be read or written, when the first is damaged, when the second has something
/// else in it, or when memory or threads are missing. The second file keeps all games it had got.
pub fn rescore(
    input: &Path,
    out: &Path,
    job: &Rescoring,
    interrupted: &AtomicBool,
    report: &mut dyn FnMut(&Progress, u64),
) -> Result<(Progress, u64), JobError> {
    let tables = iter::repeat_with(|| Table::new(job.hash)).take(job.threads.max(1));
    let tables: Vec<Table> = tables.collect::<Result<_, _>>()?;

    // Damage is better found now than in the middle of the night.
    let mut reader = DataReader::open(input).map_err(FileError::of(input))?;
    let mut total = 0;
    while let Some(samples) = reader.next_game().map_err(FileError::of(input))? {
        total += samples.len() as u64;
    }
    let mut header = reader.header().clone();
    for source in &mut header.sources {
        source.rescores.push(job.rescore.clone());
    }
    let mut file = Resumable::open(out, &header.sources, &header.shuffles, &mut |_| {})?;
    report(&file.progress, total);
    if file.progress.positions >= total || interrupted.load(Ordering::Relaxed) {
        return Ok((file.progress, total));
    }

    let mut reader = DataReader::open(input).map_err(FileError::of(input))?;
    let games = iter::from_fn(move || reader.next_stored().transpose())
        .skip(usize::try_from(file.progress.games).unwrap_or(usize::MAX));
    let control = Control::new(Instant::now(), false);
    let mut written = Ok(());
    let work = |table: &mut Table, game: Result<StoredGame, DataError>| match game {
        Ok(game) => search_again(game, job, table, &control).map(Ok),
        Err(error) => Some(Err(FileError::of(input)(error))),
    };
    let sink = |game: Option<Result<StoredGame, FileError>>| {
        written = match game {
            Some(Ok(game)) => file.append(&game),
            Some(Err(error)) => Err(error),
            None => Ok(()),
        };
        report(&file.progress, total);
        if written.is_err() || interrupted.load(Ordering::Relaxed) {
            control.stop();
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    in_order(tables, games, work, sink).map_err(JobError::Thread)?;
    written?;
    file.sync()?;
    Ok((file.progress, total))
}

/// A game with new scores; `None` when `control` was stopped.
fn search_again(
    mut game: StoredGame,
    job: &Rescoring,
    table: &mut Table,
    control: &Control,
) -> Option<StoredGame> {
    table.clear();
    for sample in game.samples.iter_mut().rev() {
        let position = Game::new(sample.position);
        let result = search_nodes(
            &position,
            sample.rules,
            job.rescore.nodes,
            &job.evaluation,
            table,
            control,
        );
        if control.is_stopped() {
            return None;
        }
        sample.score = Sample::clamp_score(result.score);
    }
    Some(game)
}
