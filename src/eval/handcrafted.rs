//! A hand-written evaluation: a weighted sum of a few counts.
//!
//! What is counted was chosen by hand; the weights were fitted to the results and scores of games
//! that the engine played against itself. Each has a value for an empty board and one for a full
//! board, and counts in proportion to the squares left.

use super::weights::{WEIGHTS, Weight};
use crate::game::{Bitboard, Color, Position, Square};

/// The parts of an evaluation in centi-stones, from the point of view of the side to move.
///
/// Each but `tempo` and `threats` is the side to move's share less the opponent's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Stones on the board, by where they stand: corners and edges are hard to attack.
    pub stones: i32,
    /// Empty squares that a clone or a jump could reach.
    pub mobility: i32,
    /// Stones with no empty square next to them: nothing can land there to turn them.
    pub safe: i32,
    /// Stones next to squares where the other side could land.
    pub exposed: i32,
    /// The most stones that each side could turn with one move.
    pub threats: i32,
    /// For being the side to move.
    pub tempo: i32,
}

impl Terms {
    /// The evaluation: the sum of the parts.
    pub const fn total(&self) -> i32 {
        self.stones + self.mobility + self.safe + self.exposed + self.threats + self.tempo
    }
}

/// How many classes of squares there are.
pub(super) const CLASSES: usize = 5;

/// Corners, their neighbours on the edge, other edge squares, the ring next to the edge, and the
/// centre.
static CLASS_SQUARES: [Bitboard; CLASSES] = {
    let mut bits = [0; CLASSES];
    let mut index = 0;
    while index < Square::COUNT {
        let (file, rank) = (index % Square::WIDTH, index / Square::WIDTH);
        let x = if file > 3 { 6 - file } else { file };
        let y = if rank > 3 { 6 - rank } else { rank };
        let class = match (x, y) {
            (0, 0) => 0,
            (0, 1) | (1, 0) => 1,
            (0, _) | (_, 0) => 2,
            (1, _) | (_, 1) => 3,
            _ => 4,
        };
        bits[class] |= 1 << index;
        index += 1;
    }
    let mut sets = [Bitboard::EMPTY; CLASSES];
    let mut class = 0;
    while class < CLASSES {
        sets[class] = Bitboard::from_bits(bits[class]);
        class += 1;
    }
    sets
};

/// For each square of the board, in binary and bit by bit, how many neighbours are in a set.
struct NeighborCounts([Bitboard; 4]);

impl NeighborCounts {
    #[inline(always)]
    fn new(set: Bitboard) -> Self {
        let mut planes = [Bitboard::EMPTY; 4];
        for neighbors in set.shifts() {
            // Add one bit to a column of binary digits.
            let mut carry = neighbors;
            for plane in &mut planes {
                let sum = *plane ^ carry;
                carry &= *plane;
                *plane = sum;
            }
        }
        Self(planes)
    }

    /// The sum of the counts over some squares.
    #[inline(always)]
    fn sum(&self, squares: Bitboard) -> i32 {
        let digits = self.0.iter().enumerate();
        digits.map(|(i, &plane)| ((plane & squares).len() as i32) << i).sum()
    }

    /// How many of some squares have a count of 4 or more.
    #[inline(always)]
    fn at_least_four(&self, squares: Bitboard) -> i32 {
        ((self.0[2] | self.0[3]) & squares).len() as i32
    }

    /// The largest count among some squares.
    #[inline(always)]
    fn max(&self, squares: Bitboard) -> usize {
        let mut left = squares;
        let mut max = 0;
        for (i, &plane) in self.0.iter().enumerate().rev() {
            if !(left & plane).is_empty() {
                left &= plane;
                max |= 1 << i;
            }
        }
        max
    }
}

/// What is counted for one side.
struct Counts {
    stones: [i32; CLASSES],
    reachable: i32,
    safe: i32,
    exposed: i32,
    exposed_many: i32,
    /// The most of this side's stones that one move of the other can turn.
    worst: usize,
}

impl Counts {
    #[inline(always)]
    fn new(
        own: Bitboard,
        enemy_reach: Bitboard,
        own_reach: Bitboard,
        attackable: Bitboard,
    ) -> Self {
        let neighbors = NeighborCounts::new(own);
        Self {
            stones: CLASS_SQUARES.map(|class| (own & class).len() as i32),
            reachable: own_reach.len() as i32,
            safe: own.without(attackable).len() as i32,
            exposed: neighbors.sum(enemy_reach),
            exposed_many: neighbors.at_least_four(enemy_reach),
            worst: neighbors.max(enemy_reach),
        }
    }
}

impl Terms {
    /// What a position is worth, part by part.
    #[inline]
    pub fn of(position: &Position) -> Self {
        let empty = position.empty();
        let attackable = empty.dilate();
        let side = position.side_to_move();
        let reach = |color: Color| position.stones(color).dilate().dilate() & empty;
        let (own_reach, enemy_reach) = (reach(side), reach(!side));
        let own = Counts::new(position.stones(side), enemy_reach, own_reach, attackable);
        let enemy = Counts::new(position.stones(!side), own_reach, enemy_reach, attackable);

        let left = empty.len() as i32;
        let board = Square::COUNT as i32;
        let weigh = |[open, full]: Weight, count: i32| {
            count * (i32::from(open) * left + i32::from(full) * (board - left))
        };
        let scale = |sum: i32| sum / board;
        let w = &WEIGHTS;
        let by_class =
            |class: usize| weigh(w.stones[class], own.stones[class] - enemy.stones[class]);
        Self {
            stones: scale((0..CLASSES).map(by_class).sum()),
            mobility: scale(weigh(w.reachable, own.reachable - enemy.reachable)),
            safe: scale(weigh(w.safe, own.safe - enemy.safe)),
            exposed: scale(
                weigh(w.exposed, own.exposed - enemy.exposed)
                    + weigh(w.exposed_many, own.exposed_many - enemy.exposed_many),
            ),
            threats: scale(weigh(w.can_turn[enemy.worst], 1) + weigh(w.can_lose[own.worst], 1)),
            tempo: scale(weigh(w.tempo, 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Evaluation, Evaluator};
    use crate::game::{Rules, Symmetry};

    /// Positions of a game of pseudo-random moves.
    fn positions() -> Vec<Position> {
        let mut position = Position::default();
        let mut positions = Vec::new();
        let mut choice = 7;
        while position.outcome(Rules::Ataxx).is_none() && positions.len() < 80 {
            positions.push(position);
            let moves = position.legal_moves(Rules::Ataxx);
            choice = (choice * 31 + 17) % 1009;
            position = position.play(moves[choice % moves.len()]);
        }
        positions
    }

    #[test]
    fn neighbours_are_counted() {
        for position in positions() {
            let (set, squares) = (position.stones(Color::Black), position.empty());
            let counts = NeighborCounts::new(set);
            let naive = |square| (Bitboard::adjacent(square) & set).len() as i32;
            let naive: Vec<i32> = squares.into_iter().map(naive).collect();
            assert_eq!(counts.sum(squares), naive.iter().sum::<i32>());
            let many = naive.iter().filter(|&&count| count >= 4).count();
            assert_eq!(counts.at_least_four(squares), many as i32);
            assert_eq!(counts.max(squares) as i32, naive.into_iter().max().unwrap_or(0));
        }
    }

    #[test]
    fn the_classes_share_out_the_board() {
        let sizes = CLASS_SQUARES.map(Bitboard::len);
        assert_eq!(sizes, [4, 8, 12, 16, 9]);
        let all = CLASS_SQUARES.into_iter().fold(Bitboard::EMPTY, |all, class| all | class);
        assert_eq!(all, Bitboard::FULL);
    }

    #[test]
    fn the_score_is_the_same_from_every_side_of_the_board() {
        let mut by_hand = Evaluator::new(&Evaluation::Handcrafted);
        for position in positions() {
            let terms = Terms::of(&position);
            assert_eq!(terms.total(), by_hand.evaluate(&position));
            for symmetry in Symmetry::ALL {
                let image = symmetry.position(&position);
                assert_eq!(Terms::of(&image), terms);
            }
        }
    }

    #[test]
    fn colours_do_not_matter() {
        for position in positions() {
            let [black, white] = Color::ALL.map(|color| position.stones(color));
            let side = !position.side_to_move();
            let swapped = Position::new([white, black], position.gaps(), side, 0, 1);
            assert_eq!(Terms::of(&swapped), Terms::of(&position));
        }
    }

    #[test]
    fn an_even_position_is_worth_tempo_and_threats() {
        let terms = Terms::of(&Position::default());
        let expected = Terms { tempo: terms.tempo, threats: terms.threats, ..Terms::default() };
        assert_eq!(terms, expected);
    }
}
