//! A hand-written evaluation: a weighted sum of a few counts.

use crate::game::{Bitboard, Color, Position};

/// The parts of an evaluation in centi-stones, from the point of view of the side to move.
///
/// Each but `tempo` is the side to move's share less the opponent's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Stones on the board.
    pub stones: i32,
    /// Empty squares that a clone or a jump could reach.
    pub mobility: i32,
    /// Stones with no empty square next to them: nothing can land there to turn them.
    pub safe: i32,
    /// For being the side to move.
    pub tempo: i32,
}

impl Terms {
    /// The evaluation: the sum of the parts.
    pub const fn total(&self) -> i32 {
        self.stones + self.mobility + self.safe + self.tempo
    }
}

// Centi-stones for one of each.
const STONE: i32 = 100;
const REACHABLE: i32 = 12;
const SAFE: i32 = 35;
const TEMPO: i32 = 120;

/// Evaluates positions.
///
/// Each search thread has its own, so that an evaluation may keep what it has computed.
///
/// ```
/// use physarum::{eval::Evaluator, game::Position};
///
/// let ahead: Position = "xxx4/xxx4/7/7/7/7/6o x 0 9".parse().unwrap();
/// assert!(Evaluator::default().evaluate(&ahead) > 500);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Evaluator(());

impl Evaluator {
    /// The score of a position in centi-stones, from the point of view of the side to move.
    ///
    /// The position is taken to be undecided; see [`Position::outcome`].
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.terms(position).total()
    }

    /// The same, part by part.
    #[inline]
    pub fn terms(&mut self, position: &Position) -> Terms {
        let empty = position.empty();
        let attackable = empty.dilate();
        let count = |color: Color| {
            let stones = position.stones(color);
            let reachable = stones.dilate().dilate() & empty;
            [stones, reachable, stones.without(attackable)].map(|set: Bitboard| set.len() as i32)
        };
        let side = position.side_to_move();
        let (own, enemy) = (count(side), count(!side));
        Terms {
            stones: STONE * (own[0] - enemy[0]),
            mobility: REACHABLE * (own[1] - enemy[1]),
            safe: SAFE * (own[2] - enemy[2]),
            tempo: TEMPO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_worth_the_tempo() {
        let terms = Evaluator::default().terms(&Position::default());
        assert_eq!(terms, Terms { tempo: TEMPO, ..Terms::default() });
    }

    #[test]
    fn each_part_counts_what_it_says() {
        let position: Position = "ooooooo/ooooooo/7/7/7/xx5/xx5 x 0 9".parse().unwrap();
        let terms = Evaluator::default().terms(&position);
        assert_eq!(terms.stones, STONE * (4 - 14));
        // Black reaches 12 squares, white 14; black's corner stone and white's last rank are safe.
        assert_eq!(terms.mobility, REACHABLE * (12 - 14));
        assert_eq!(terms.safe, SAFE * (1 - 7));
    }

    #[test]
    fn the_other_side_sees_the_opposite() {
        let fen = "xx5/xoo4/3-3/7/4o2/7/o5x";
        let [black, white] = ["x", "o"].map(|side| {
            let position: Position = format!("{fen} {side} 0 9").parse().unwrap();
            Evaluator::default().terms(&position)
        });
        assert_eq!(black.total() - TEMPO, TEMPO - white.total());
    }
}
