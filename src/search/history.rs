//! What searches learn about moves and about the evaluation, wherever it was met.

use super::params::Parameters;
use crate::game::{Color, Move, MoveKind, Position, Square};

/// Points of a move: by origin and target, a clone's origin being its target.
type Points = [[i16; Square::COUNT]; Square::COUNT];

/// Points of a move after another: by the other's target, for each side.
type PointsAfter = [[Points; Square::COUNT]; 2];

/// How many entries the corrections have for each side.
const CORRECTIONS: usize = 1 << 14;
/// Corrections are kept in this part of a cp.
const CORRECTION_GRAIN: i32 = 32;
/// The largest correction, in cp.
const CORRECTION_MAX: i32 = 400;

/// How often a move has refuted the opponent's last one, whatever went before or after a certain
/// move; and how far the search has found the evaluation to be off.
pub(super) struct History {
    moves: Box<[Points; 2]>,
    /// After the opponent's last move.
    replies: Box<PointsAfter>,
    /// After the own move before.
    sequels: Box<PointsAfter>,
    corrections: Box<[[i16; CORRECTIONS]; 2]>,
}

/// Which moves went before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Past {
    /// The target of the opponent's last move.
    pub(super) theirs: Option<Square>,
    /// The target of the own move before.
    pub(super) own: Option<Square>,
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            moves: bytemuck::zeroed_box(),
            replies: bytemuck::zeroed_box(),
            sequels: bytemuck::zeroed_box(),
            corrections: bytemuck::zeroed_box(),
        }
    }

    /// A move's points whatever went before.
    #[inline(always)]
    pub(super) fn get(&self, side: Color, mv: Move) -> i32 {
        squares(mv)
            .map_or(0, |(from, to)| self.moves[side.index()][from.index()][to.index()].into())
    }

    /// What tells the points of all moves after some others.
    #[inline(always)]
    pub(super) fn view<'a>(
        &'a self,
        side: Color,
        past: Past,
        parameters: &Parameters,
    ) -> HistoryView<'a> {
        let side = side.index();
        HistoryView {
            moves: &self.moves[side],
            reply: past.theirs.map(|to| &self.replies[side][to.index()]),
            sequel: past.own.map(|to| &self.sequels[side][to.index()]),
            reply_weight: parameters.follow_weight,
            sequel_weight: parameters.follow_own_weight,
        }
    }

    /// Learns that `best` refuted the opponent's move after the moves `tried` had failed to.
    pub(super) fn learn(
        &mut self,
        side: Color,
        past: Past,
        depth: i32,
        best: Move,
        tried: &[Move],
        parameters: &Parameters,
    ) {
        let bonus = (parameters.history_bonus * depth).min(parameters.history_bonus_max);
        let malus = bonus * parameters.history_malus / 100;
        let max = parameters.history_max;
        self.add(side, past, best, bonus, max);
        for &mv in tried {
            self.add(side, past, mv, -malus, max);
        }
    }

    /// Adds to a move's points, the less the nearer they are to their limit.
    fn add(&mut self, side: Color, past: Past, mv: Move, bonus: i32, max: i32) {
        let Some((from, to)) = squares(mv) else { return };
        let side = side.index();
        let grow = |table: &mut Points| {
            let points = &mut table[from.index()][to.index()];
            let old = i32::from(*points);
            *points = (old + bonus - old * bonus.abs() / max) as i16;
        };
        grow(&mut self.moves[side]);
        if let Some(theirs) = past.theirs {
            grow(&mut self.replies[side][theirs.index()]);
        }
        if let Some(own) = past.own {
            grow(&mut self.sequels[side][own.index()]);
        }
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

/// The points of all moves in one position.
#[derive(Clone, Copy)]
pub(super) struct HistoryView<'a> {
    moves: &'a Points,
    reply: Option<&'a Points>,
    sequel: Option<&'a Points>,
    reply_weight: i32,
    sequel_weight: i32,
}

impl HistoryView<'_> {
    /// The points of a clone (from its target) or a jump.
    #[inline(always)]
    pub(super) fn points(&self, from: Square, to: Square) -> i32 {
        let of = |table: &Points| i32::from(table[from.index()][to.index()]);
        let mut points = of(self.moves);
        if let Some(reply) = self.reply {
            points += of(reply) * self.reply_weight / 100;
        }
        if let Some(sequel) = self.sequel {
            points += of(sequel) * self.sequel_weight / 100;
        }
        points
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
        let parameters =
            Parameters { follow_weight: 100, follow_own_weight: 100, ..Parameters::default() };
        let max = parameters.history_max;
        let mut history = History::new();
        let [good, bad]: [Move; 2] = ["b2", "a1c3"].map(|text| text.parse().unwrap());
        let past = Past { theirs: "d4".parse().ok(), own: None };
        let mut last = 0;
        for _ in 0..1000 {
            history.learn(Color::White, past, 20, good, &[bad], &parameters);
            let now = history.get(Color::White, good);
            assert!((last..=max).contains(&now));
            assert_eq!(history.get(Color::White, bad), -now);
            last = now;
        }
        assert!(last > max * 9 / 10);
        assert_eq!(history.get(Color::Black, good), 0);
        history.learn(Color::White, past, 20, Move::PASS, &[], &parameters);
        assert_eq!(history.get(Color::White, Move::PASS), 0);

        let [from, to]: [Square; 2] = ["b2", "b2"].map(|text| text.parse().unwrap());
        let points = |past| history.view(Color::White, past, &parameters).points(from, to);
        assert_eq!(points(past), 2 * last);
        assert_eq!(points(Past::default()), last);
        assert_eq!(points(Past { theirs: None, own: past.theirs }), last);
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
