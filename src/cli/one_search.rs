//! The search of one position, for the commands that answer with one move.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::Args;

use super::in_range;
use crate::analysis::{Analysis, analyze};
use crate::game::{Game, Move, Position, Rules};
use crate::protocol::{HASH_RANGE, THREADS_RANGE};
use crate::search::{Control, Limits, Request, SearchResult, Settings, Table};

/// With what to search.
#[derive(Debug, Args)]
pub(super) struct OneSearch {
    /// The size of the transposition table in MiB, 1 to 65536
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = in_range(HASH_RANGE))]
    hash: usize,

    /// How many threads search side by side, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = in_range(THREADS_RANGE))]
    threads: usize,

    /// The file of the network that evaluates, instead of the default evaluation
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
}

/// What a search has found.
pub(super) struct Found {
    pub(super) best: Move,
    pub(super) result: SearchResult,
    /// The line that begins with the best move.
    pub(super) line: Vec<Move>,
}

impl OneSearch {
    /// Searches a position, with the clock running since `start`.
    pub(super) fn find(
        &self,
        position: &Position,
        rules: Rules,
        limits: &Limits,
        move_overhead: Duration,
        start: Instant,
    ) -> anyhow::Result<Found> {
        if let Some(outcome) = position.outcome(rules) {
            return Err(anyhow!("there is no move, the game is over: {outcome}"));
        }
        let evaluation = super::evaluation(self.eval_file.as_deref())?;
        let table = Table::new(self.hash)?;
        let settings =
            Settings { rules, threads: self.threads, move_overhead, ..Settings::default() };
        let game = Game::new(*position);
        let request = Request { game: &game, limits, settings: &settings, evaluation: &evaluation };
        let Analysis { result, lines, .. } = analyze(&request, &table, &Control::new(start, false));
        // The game goes on, and so has a move.
        let best = result.best.context("no move was found")?;
        let line = lines.into_iter().next().map(|line| line.moves).unwrap_or_default();
        Ok(Found { best, result, line })
    }
}
