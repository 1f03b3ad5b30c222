//! Scores.

use crate::game::{Color, Outcome};

/// The score of a game that is won now.
pub(super) const MATE: i32 = 32_000;
/// No line is longer, in plies.
pub(super) const MAX_PLY: usize = 127;
/// Proven scores are this far from zero, or farther; all others are nearer.
pub(super) const PROVEN: i32 = MATE - MAX_PLY as i32 - 1;
/// Farther than any score.
pub(super) const INFINITE: i32 = MATE + 1;
/// The score of a drawn game.
pub(super) const DRAW: i32 = 0;

/// The raw score of a game that has ended `ply` plies from the root, for the side to move.
#[inline(always)]
pub(super) fn of_outcome(outcome: Outcome, side_to_move: Color, ply: usize) -> i32 {
    match outcome {
        Outcome::Draw => DRAW,
        Outcome::Win(color) if color == side_to_move => MATE - ply as i32,
        Outcome::Win(_) => ply as i32 - MATE,
    }
}

/// An evaluation as a raw score, kept clear of proven ones.
#[inline(always)]
pub(super) fn unproven(evaluation: i32) -> i32 {
    evaluation.clamp(1 - PROVEN, PROVEN - 1)
}

/// Whether a raw score says that the game is won or lost by force.
#[inline(always)]
pub(super) const fn is_proven(raw: i32) -> bool {
    raw.abs() >= PROVEN
}

/// What a search thinks of a position, from the point of view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// What protocol.md calls `cp`; it says there what chances that means.
    Cp(i32),
    /// Won by force in this many moves of the side to move.
    Win(u32),
    /// Lost by force in this many moves of the side to move; 0 if the game is lost already.
    Loss(u32),
}

impl Score {
    /// Whether the game is won or lost by force.
    pub const fn is_proven(self) -> bool {
        !matches!(self, Self::Cp(_))
    }

    pub(super) fn from_raw(raw: i32) -> Self {
        let moves = ((MATE - raw.abs() + 1) / 2).unsigned_abs();
        match raw {
            _ if !is_proven(raw) => Self::Cp(raw),
            1.. => Self::Win(moves),
            _ => Self::Loss(moves),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_become_moves() {
        for (raw, score) in [
            (0, Score::Cp(0)),
            (-250, Score::Cp(-250)),
            (MATE - 1, Score::Win(1)),
            (MATE - 2, Score::Win(1)),
            (MATE - 3, Score::Win(2)),
            (-MATE, Score::Loss(0)),
            (2 - MATE, Score::Loss(1)),
            (4 - MATE, Score::Loss(2)),
            (PROVEN - 1, Score::Cp(PROVEN - 1)),
        ] {
            assert_eq!(Score::from_raw(raw), score);
        }
    }
}
