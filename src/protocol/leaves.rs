//! Counts of leaves as text, for the session and the command line alike.

use std::fmt::Write;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::message::nodes_per_second;
use crate::game::{Move, Position, Rules, perft_until, split};

/// The leaves of a game tree.
pub(crate) struct LeafCount {
    /// The count after each move, if that was asked for.
    parts: Vec<(Move, u64)>,
    total: u64,
}

/// Counts the ways to play `depth` plies, with `by_move` after each move too; `None` soon after
/// `stop` becomes true.
pub(crate) fn count_leaves(
    position: &Position,
    depth: u32,
    rules: Rules,
    by_move: bool,
    stop: &AtomicBool,
) -> Option<LeafCount> {
    if by_move && depth > 0 {
        let parts = split(position, depth, rules, stop)?;
        let total = parts.iter().map(|(_, leaves)| leaves).sum();
        Some(LeafCount { parts, total })
    } else {
        let total = perft_until(position, depth, rules, stop)?;
        Some(LeafCount { parts: Vec::new(), total })
    }
}

impl LeafCount {
    /// The same as Fairy-Stockfish writes it: a line for each move of the `position`, and after an
    /// empty one the total.
    pub(crate) fn fairy_report(&self, position: &Position) -> String {
        let mut text = String::new();
        for (mv, leaves) in &self.parts {
            let _ = writeln!(text, "{}: {leaves}", mv.to_fairy(position));
        }
        let _ = write!(text, "\nNodes searched: {}\n", self.total);
        text
    }

    /// Lines with a move and its count, and a last one with the total and the time it took.
    pub(crate) fn report(&self, time: Duration) -> String {
        let mut text = String::new();
        for (mv, leaves) in &self.parts {
            let _ = writeln!(text, "{mv} {leaves}");
        }
        let nps = nodes_per_second(self.total, time);
        let _ = write!(text, "nodes {} time {} nps {nps}", self.total, time.as_millis());
        text
    }
}
