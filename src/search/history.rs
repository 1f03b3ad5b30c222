//! Which moves have been good, wherever they were played.

use super::params::{HISTORY_BONUS, HISTORY_BONUS_MAX, HISTORY_MAX};
use crate::game::{Color, Move, MoveKind, Square};

/// For each side, origin and target, how often a move has refuted the opponent's last one; a
/// clone's origin is its target.
pub(super) struct History(Box<[[[i16; Square::COUNT]; Square::COUNT]; 2]>);

impl History {
    pub(super) fn new() -> Self {
        Self(Box::new([[[0; Square::COUNT]; Square::COUNT]; 2]))
    }

    /// A move's points, at most [`HISTORY_MAX`] from zero.
    #[inline(always)]
    pub(super) fn get(&self, side: Color, mv: Move) -> i32 {
        match squares(mv) {
            Some((from, to)) => self.0[side.index()][from.index()][to.index()].into(),
            None => 0,
        }
    }

    /// Learns that `best` refuted the opponent's move after the moves `tried` had failed to.
    pub(super) fn learn(&mut self, side: Color, depth: i32, best: Move, tried: &[Move]) {
        let bonus = (HISTORY_BONUS * depth).min(HISTORY_BONUS_MAX);
        self.add(side, best, bonus);
        for &mv in tried {
            self.add(side, mv, -bonus);
        }
    }

    /// Adds to a move's points, the less the nearer they are to their limit.
    fn add(&mut self, side: Color, mv: Move, bonus: i32) {
        if let Some((from, to)) = squares(mv) {
            let points = &mut self.0[side.index()][from.index()][to.index()];
            let old = i32::from(*points);
            *points = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
        }
    }
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
        let mut history = History::new();
        let [good, bad]: [Move; 2] = ["b2", "a1c3"].map(|text| text.parse().unwrap());
        let mut last = 0;
        for _ in 0..1000 {
            history.learn(Color::White, 20, good, &[bad]);
            let now = history.get(Color::White, good);
            assert!((last..=HISTORY_MAX).contains(&now));
            assert_eq!(history.get(Color::White, bad), -now);
            last = now;
        }
        assert!(last > HISTORY_MAX * 9 / 10);
        assert_eq!(history.get(Color::Black, good), 0);
        history.learn(Color::White, 20, Move::PASS, &[]);
        assert_eq!(history.get(Color::White, Move::PASS), 0);
    }
}
