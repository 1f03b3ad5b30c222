//! What searches learn about moves and about the evaluation, wherever it was met.

use super::params::Parameters;
use crate::game::{Color, Move, MoveKind, Position, Square};

/// Points of each move: by origin and target, a clone's origin being its target.
pub(super) type Points = [[i16; Square::COUNT]; Square::COUNT];

/// How many entries the corrections have for each side.
const CORRECTIONS: usize = 1 << 14;
/// Corrections are kept in this part of a cp.
const CORRECTION_GRAIN: i32 = 32;
/// The largest correction, in cp.
const CORRECTION_MAX: i32 = 400;

/// How often each side's moves have refuted the opponent's last one, and how far the search has
/// found the evaluation to be off.
pub(super) struct History {
    moves: Box<[Points; 2]>,
    corrections: Box<[[i16; CORRECTIONS]; 2]>,
}

impl History {
    pub(super) fn new() -> Self {
        Self { moves: bytemuck::zeroed_box(), corrections: bytemuck::zeroed_box() }
    }

    /// A move's points.
    #[inline(always)]
    pub(super) fn get(&self, side: Color, mv: Move) -> i32 {
        squares(mv)
            .map_or(0, |(from, to)| self.moves[side.index()][from.index()][to.index()].into())
    }

    /// The points of all moves of a side.
    #[inline(always)]
    pub(super) fn of_side(&self, side: Color) -> &Points {
        &self.moves[side.index()]
    }

    /// Learns that `best` refuted the opponent's move after the moves `tried` had failed to.
    pub(super) fn learn(
        &mut self,
        side: Color,
        depth: i32,
        best: Move,
        tried: &[Move],
        parameters: &Parameters,
    ) {
        let bonus = (parameters.history_bonus * depth).min(parameters.history_bonus_max);
        let malus = bonus * parameters.history_malus / 100;
        let max = parameters.history_max;
        self.add(side, best, bonus, max);
        for &mv in tried {
            self.add(side, mv, -malus, max);
        }
    }

    /// Adds to a move's points, the less the nearer they are to their limit.
    fn add(&mut self, side: Color, mv: Move, bonus: i32, max: i32) {
        let Some((from, to)) = squares(mv) else { return };
        let points = &mut self.moves[side.index()][from.index()][to.index()];
        let old = i32::from(*points);
        *points = (old + bonus - old * bonus.abs() / max) as i16;
    }

    /// By how many cp the evaluation of positions like this one has been too low.
    #[inline(always)]
    pub(super) fn correction(&self, position: &Position, weight: i32) -> i32 {
        let correction = self.corrections[position.side_to_move().index()][structure(position)];
        i32::from(correction) * weight / (100 * CORRECTION_GRAIN)
    }

    /// Learns that a search to some depth found a score this far above the evaluation.
    #[inline]
    pub(super) fn correct(&mut self, position: &Position, depth: i32, difference: i32) {
        const LIMIT: i32 = CORRECTION_MAX * CORRECTION_GRAIN;
        let entry = &mut self.corrections[position.side_to_move().index()][structure(position)];
        let weight = (depth + 1).min(16);
        let target = (difference * CORRECTION_GRAIN).clamp(-LIMIT, LIMIT);
        *entry = ((i32::from(*entry) * (256 - weight) + target * weight) / 256) as i16;
    }
}

/// Positions with the same empty squares have their corrections in common.
#[inline(always)]
fn structure(position: &Position) -> usize {
    // Spread over all bits by the golden ratio.
    let spread = position.empty().bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (spread >> (u64::BITS - CORRECTIONS.ilog2())) as usize
}

#[inline(always)]
fn squares(mv: Move) -> Option<(Square, Square)> {
    match mv.kind() {
        MoveKind::Clone { to } => Some((to, to)),
        MoveKind::Jump { from, to } => Some((from, to)),
        MoveKind::Pass => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_grow_towards_their_limit_and_no_farther() {
        let parameters = Parameters { history_malus: 100, ..Parameters::default() };
        let max = parameters.history_max;
        let mut history = History::new();
        let [good, bad]: [Move; 2] = ["b2", "a1c3"].map(|text| text.parse().unwrap());
        let mut last = 0;
        for _ in 0..1000 {
            history.learn(Color::White, 20, good, &[bad], &parameters);
            let now = history.get(Color::White, good);
            assert!((last..=max).contains(&now));
            assert_eq!(history.get(Color::White, bad), -now);
            last = now;
        }
        assert!(last > max * 9 / 10);
        assert_eq!(history.get(Color::Black, good), 0);
        history.learn(Color::White, 20, Move::PASS, &[], &parameters);
        assert_eq!(history.get(Color::White, Move::PASS), 0);
    }

    #[test]
    fn corrections_follow_what_the_search_finds() {
        let mut history = History::new();
        let position = Position::default();
        for _ in 0..1000 {
            history.correct(&position, 10, 50);
        }
        assert!((45..=50).contains(&history.correction(&position, 100)));
        assert!((22..=25).contains(&history.correction(&position, 50)));
        for _ in 0..1000 {
            history.correct(&position, 10, -30_000);
        }
        let lowest = history.correction(&position, 100);
        assert!((-CORRECTION_MAX..-CORRECTION_MAX * 9 / 10).contains(&lowest), "{lowest}");
    }
}
