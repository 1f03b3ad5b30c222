//! The order in which moves are tried.

use arrayvec::ArrayVec;

use super::history::History;
use super::params::ORDER_GAIN;
use crate::game::{Bitboard, MAX_MOVES, Move, Position};

/// A move and what is expected of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) mv: Move,
    /// By how many stones the difference grows: one for a clone, two for each stone that turns.
    pub(super) gain: i8,
    order: i32,
}

/// The legal moves of a position, best expectations first.
pub(super) struct Picker {
    candidates: ArrayVec<Candidate, MAX_MOVES>,
    next: usize,
}

impl Picker {
    /// Lists the moves of an undecided position: `first` (if legal), then by stones gained and
    /// history.
    #[inline(always)]
    pub(super) fn new(position: &Position, first: Option<Move>, history: &History) -> Self {
        let side = position.side_to_move();
        let own = position.stones(side);
        let near = own.dilate();
        let mut candidates = ArrayVec::new();
        let mut add = |mv, gain: i8| {
            let order = if Some(mv) == first {
                i32::MAX
            } else {
                i32::from(gain) * ORDER_GAIN + history.get(side, mv)
            };
            candidates.push(Candidate { mv, gain, order });
        };
        // All moves to one target turn the same stones.
        for to in near.dilate() & position.empty() {
            let gain = 2 * position.captures(to).len() as i8;
            if near.contains(to) {
                add(Move::clone_to(to), gain + 1);
            }
            for from in own & Bitboard::ring(to) {
                add(Move::jump(from, to), gain);
            }
        }
        if candidates.is_empty() {
            candidates.push(Candidate { mv: Move::PASS, gain: 0, order: 0 });
        }
        Self { candidates, next: 0 }
    }

    /// Whether there is nothing to choose.
    pub(super) fn is_forced(&self) -> bool {
        self.candidates.len() == 1
    }

    /// The best of the moves left: most nodes need only the first few, so nothing is sorted.
    #[inline(always)]
    pub(super) fn pick(&mut self) -> Option<Candidate> {
        let left = &mut self.candidates[self.next..];
        let mut best = 0;
        for (i, candidate) in left.iter().enumerate() {
            if candidate.order > left[best].order {
                best = i;
            }
        }
        let candidate = *left.get(best)?;
        left.swap(0, best);
        self.next += 1;
        Some(candidate)
    }

    /// All moves left, in order.
    pub(super) fn into_order(mut self) -> impl Iterator<Item = Candidate> {
        std::iter::from_fn(move || self.pick())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Color, Rules};

    #[test]
    fn every_legal_move_comes_once_the_first_first() {
        let position: Position = "x1o3o/2o4/1x1oo2/7/2xx3/7/o5x x 0 9".parse().unwrap();
        let mut history = History::new();
        let favourite = "d3d5".parse().unwrap();
        history.learn(Color::Black, 9, favourite, &[]);
        let first = "g1g3".parse().unwrap();
        let order: Vec<_> = Picker::new(&position, Some(first), &history).into_order().collect();
        assert_eq!(order[0].mv, first);
        assert!(order[1..].windows(2).all(|pair| pair[0].order >= pair[1].order));
        assert!(order[1..].windows(2).all(|pair| pair[0].gain >= pair[1].gain - 1));
        let mut moves: Vec<_> = order.iter().map(|candidate| candidate.mv).collect();
        let mut legal = position.legal_moves(Rules::Ataxx).to_vec();
        moves.sort();
        legal.sort();
        assert_eq!(moves, legal);
    }

    #[test]
    fn the_gain_is_the_change_of_the_stone_difference() {
        let position: Position = "x1o3o/2o4/1x1oo2/7/2xx3/7/o5x x 0 9".parse().unwrap();
        let difference = |position: &Position| {
            let [black, white] = Color::ALL.map(|color| position.stones(color).len() as i32);
            black - white
        };
        for candidate in Picker::new(&position, None, &History::new()).into_order() {
            let after = difference(&position.play(candidate.mv));
            assert_eq!(
                after - difference(&position),
                i32::from(candidate.gain),
                "{}",
                candidate.mv
            );
        }
    }
}
