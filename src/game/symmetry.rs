//! The eight symmetries of the board.

use super::{Bitboard, Color, Move, MoveKind, Position, Square};

/// A turn or reflection of the board.
///
/// ```
/// use physarum::game::{Position, Rules, Symmetry};
///
/// let position: Position = "x5o/7/7/7/7/1x5/o5x o 0 1".parse().unwrap();
/// for symmetry in Symmetry::ALL {
///     let image = symmetry.position(&position);
///     assert_eq!(symmetry.inverse().position(&image), position);
///     assert_eq!(image.count_legal_moves(Rules::Ataxx), position.count_legal_moves(Rules::Ataxx));
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// Nothing changes.
    Identity,
    /// A quarter turn: `a1` goes to `a7`, `a7` to `g7`.
    Quarter,
    /// A half turn: `a1` goes to `g7`.
    Half,
    /// A quarter turn the other way: `a1` goes to `g1`.
    ThreeQuarters,
    /// Files reversed: `a1` goes to `g1`.
    FlipFiles,
    /// Ranks reversed: `a1` goes to `a7`.
    FlipRanks,
    /// Reflection in the diagonal through `a1` and `g7`.
    Diagonal,
    /// Reflection in the diagonal through `a7` and `g1`.
    AntiDiagonal,
}

impl Symmetry {
    /// All eight, the identity first.
    pub const ALL: [Self; 8] = [
        Self::Identity,
        Self::Quarter,
        Self::Half,
        Self::ThreeQuarters,
        Self::FlipFiles,
        Self::FlipRanks,
        Self::Diagonal,
        Self::AntiDiagonal,
    ];

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Self {
        match self {
            Self::Quarter => Self::ThreeQuarters,
            Self::ThreeQuarters => Self::Quarter,
            other => other,
        }
    }

    /// Where a square goes.
    #[inline]
    pub const fn square(self, square: Square) -> Square {
        SQUARES[self as usize][square.index()]
    }

    /// Where a set of squares goes.
    pub fn bitboard(self, set: Bitboard) -> Bitboard {
        set.into_iter().map(|square| self.square(square)).collect()
    }

    /// The move as it looks on the turned board.
    pub fn mv(self, mv: Move) -> Move {
        match mv.kind() {
            MoveKind::Clone { to } => Move::clone_to(self.square(to)),
            MoveKind::Jump { from, to } => Move::jump(self.square(from), self.square(to)),
            MoveKind::Pass => Move::PASS,
        }
    }

    /// The position on the turned board, the clocks unchanged.
    pub fn position(self, position: &Position) -> Position {
        Position::new(
            Color::ALL.map(|color| self.bitboard(position.stones(color))),
            self.bitboard(position.gaps()),
            position.side_to_move(),
            position.halfmove_clock(),
            position.fullmove_number(),
        )
    }
}

static SQUARES: [[Square; Square::COUNT]; 8] = {
    let Some(a1) = Square::from_index(0) else { unreachable!() };
    let mut table = [[a1; Square::COUNT]; 8];
    let mut i = 0;
    while i < 8 {
        let mut j = 0;
        while j < Square::COUNT {
            if let Some(square) = Square::from_index(j) {
                let (x, y) = (square.file(), square.rank());
                let (u, v) = (Square::WIDTH - 1 - x, Square::WIDTH - 1 - y);
                let (file, rank) = match Symmetry::ALL[i] {
                    Symmetry::Identity => (x, y),
                    Symmetry::Quarter => (y, u),
                    Symmetry::Half => (u, v),
                    Symmetry::ThreeQuarters => (v, x),
                    Symmetry::FlipFiles => (u, y),
                    Symmetry::FlipRanks => (x, v),
                    Symmetry::Diagonal => (y, x),
                    Symmetry::AntiDiagonal => (v, u),
                };
                if let Some(image) = Square::new(file, rank) {
                    table[i][j] = image;
                }
            }
            j += 1;
        }
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_is_a_different_permutation_that_keeps_distances() {
        let mut images = HashSet::new();
        for symmetry in Symmetry::ALL {
            images.insert(Square::all().map(|square| symmetry.square(square)).collect::<Vec<_>>());
            assert_eq!(symmetry.bitboard(Bitboard::FULL), Bitboard::FULL);
            for a in Square::all() {
                assert_eq!(symmetry.inverse().square(symmetry.square(a)), a);
                for b in Square::all() {
                    let image = symmetry.square(a).distance(symmetry.square(b));
                    assert_eq!(image, a.distance(b));
                }
            }
        }
        assert_eq!(images.len(), 8);
    }

    #[test]
    fn the_corners_go_where_the_names_say() {
        let a1: Square = "a1".parse().unwrap();
        let names = Symmetry::ALL.map(|symmetry| symmetry.square(a1).to_string());
        assert_eq!(names, ["a1", "a7", "g7", "g1", "g1", "a7", "a1", "g7"]);
    }
}
