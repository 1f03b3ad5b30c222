//! Sets of squares.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::Square;

/// A set of squares, one bit each: bit 0 is `a1`, bit 48 is `g7`.
///
/// The bits above are always zero.
///
/// ```
/// use physarum::game::{Bitboard, Square};
///
/// let corner: Square = "a1".parse().unwrap();
/// assert_eq!(Bitboard::adjacent(corner).len(), 3);
/// assert_eq!(Bitboard::ring(corner).len(), 5);
/// assert!(!Bitboard::ring(corner).contains(corner));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(u64);

const FILE_A: u64 = {
    let mut bits = 0;
    let mut rank = 0;
    while rank < Square::WIDTH {
        bits |= 1 << (rank * Square::WIDTH);
        rank += 1;
    }
    bits
};
const FILE_G: u64 = FILE_A << (Square::WIDTH - 1);

/// For each square, the squares at king distance 1 (`[0]`) and 2 (`[1]`).
static NEAR: [[Bitboard; Square::COUNT]; 2] = [squares_at(1), squares_at(2)];

const fn squares_at(distance: usize) -> [Bitboard; Square::COUNT] {
    let mut sets = [Bitboard::EMPTY; Square::COUNT];
    let mut i = 0;
    while i < Square::COUNT {
        let mut j = 0;
        while j < Square::COUNT {
            if let (Some(a), Some(b)) = (Square::from_index(i), Square::from_index(j))
                && a.distance(b) == distance
            {
                sets[i].0 |= 1 << j;
            }
            j += 1;
        }
        i += 1;
    }
    sets
}

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// All 49 squares.
    pub const FULL: Self = Self((1 << Square::COUNT) - 1);

    /// The set whose members are the set bits of `bits`; bits beyond the board are dropped.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits & Self::FULL.0)
    }

    /// The set as bits.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The squares next to a square (king distance 1): where a clone from it may go, and whose
    /// enemy stones turn when a stone lands on it.
    #[inline(always)]
    pub fn adjacent(square: Square) -> Self {
        NEAR[0][square.index()]
    }

    /// The squares at king distance 2 from a square: where a jump from it may go.
    #[inline(always)]
    pub fn ring(square: Square) -> Self {
        NEAR[1][square.index()]
    }

    /// The set together with all squares next to a member.
    #[inline(always)]
    #[must_use]
    pub const fn dilate(self) -> Self {
        let b = self.0;
        let row = b | ((b & !FILE_G) << 1) | ((b & !FILE_A) >> 1);
        let width = Square::WIDTH as u32;
        Self((row | (row << width) | (row >> width)) & Self::FULL.0)
    }

    /// The set moved by one square in each of the eight directions; what leaves the board is gone.
    ///
    /// A square is in as many of the results as it has neighbours in the set.
    #[inline(always)]
    pub fn shifts(self) -> [Self; 8] {
        let width = Square::WIDTH as u32;
        let b = self.0;
        let (east, west) = ((b & !FILE_G) << 1, (b & !FILE_A) >> 1);
        let up = |bits: u64| Self::from_bits(bits << width);
        let down = |bits: u64| Self(bits >> width);
        [Self(east), Self(west), up(b), up(east), up(west), down(b), down(east), down(west)]
    }

    /// How many squares are in the set.
    #[inline(always)]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether no square is in the set.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a square is in the set.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The members of `self` that are not in `other`.
    #[inline(always)]
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl From<Square> for Bitboard {
    #[inline(always)]
    fn from(square: Square) -> Self {
        Self(1 << square.index())
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | square.into())
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $assign_trait:ident $assign_method:ident $op:tt),*) => {$(
        impl $trait for Bitboard {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
        impl $assign_trait for Bitboard {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    )*};
}
operators!(BitAnd bitand BitAndAssign bitand_assign &, BitOr bitor BitOrAssign bitor_assign |,
    BitXor bitxor BitXorAssign bitxor_assign ^);

impl Not for Bitboard {
    type Output = Self;

    /// The squares that are not in the set.
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0 & Self::FULL.0)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = SquareIter;

    fn into_iter(self) -> SquareIter {
        SquareIter(self.0)
    }
}

/// The members of a [`Bitboard`] in order.
#[derive(Clone, Debug)]
pub struct SquareIter(u64);

impl Iterator for SquareIter {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        // 64 trailing zeros, the empty set, is no square's index.
        let square = Square::from_index(self.0.trailing_zeros() as usize);
        self.0 &= self.0.wrapping_sub(1);
        square
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.count_ones() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for SquareIter {}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_follow_the_king_distance() {
        for a in Square::all() {
            for b in Square::all() {
                assert_eq!(Bitboard::adjacent(a).contains(b), a.distance(b) == 1);
                assert_eq!(Bitboard::ring(a).contains(b), a.distance(b) == 2);
            }
        }
    }

    #[test]
    fn dilation_adds_the_neighbours() {
        for a in Square::all() {
            for b in Square::all() {
                let set = Bitboard::from(a) | b.into();
                let expected = set | Bitboard::adjacent(a) | Bitboard::adjacent(b);
                assert_eq!(set.dilate(), expected);
            }
        }
        assert_eq!(Bitboard::FULL.dilate(), Bitboard::FULL);
    }

    #[test]
    fn shifts_count_neighbours() {
        for a in Square::all() {
            let shifts = Bitboard::from(a).shifts();
            for b in Square::all() {
                let count = shifts.iter().filter(|set| set.contains(b)).count();
                assert_eq!(count, usize::from(a.distance(b) == 1), "{a} {b}");
            }
        }
    }

    #[test]
    fn iteration_is_in_order_and_complete() {
        let all: Vec<_> = Bitboard::FULL.into_iter().collect();
        assert!(all.iter().copied().eq(Square::all()));
        assert_eq!(Bitboard::EMPTY.into_iter().next(), None);
        assert_eq!(Bitboard::from_bits(u64::MAX), Bitboard::FULL);
        assert_eq!(!Bitboard::EMPTY, Bitboard::FULL);
    }
}
