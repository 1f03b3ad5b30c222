//! The 49 squares.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A square of the 7x7 board, `a1` to `g7`.
///
/// Squares are numbered along the ranks: `a1` is 0, `b1` is 1, `a2` is 7, `g7` is 48. That is
/// also their order (`Ord`) everywhere in this crate.
///
/// ```
/// use physarum::game::Square;
///
/// let square: Square = "c2".parse().unwrap();
/// assert_eq!((square.file(), square.rank(), square.index()), (2, 1, 9));
/// assert_eq!(square.to_string(), "c2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// How many files and how many ranks the board has.
    pub const WIDTH: usize = 7;
    /// How many squares the board has.
    pub const COUNT: usize = Self::WIDTH * Self::WIDTH;

    /// The square on a file (0 is `a`) and a rank (0 is rank 1), or `None` off the board.
    pub const fn new(file: usize, rank: usize) -> Option<Self> {
        if file < Self::WIDTH && rank < Self::WIDTH {
            Some(Self((rank * Self::WIDTH + file) as u8))
        } else {
            None
        }
    }

    /// The square with a number from 0 (`a1`) to 48 (`g7`), or `None` beyond.
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self(index as u8)) } else { None }
    }

    /// All squares in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The square's number, 0 to 48.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The square's file, 0 (`a`) to 6 (`g`).
    #[inline(always)]
    pub const fn file(self) -> usize {
        self.index() % Self::WIDTH
    }

    /// The square's rank, 0 (rank 1) to 6 (rank 7).
    #[inline(always)]
    pub const fn rank(self) -> usize {
        self.index() / Self::WIDTH
    }

    /// The king distance to another square, 0 to 6.
    pub const fn distance(self, other: Self) -> usize {
        let files = self.file().abs_diff(other.file());
        let ranks = self.rank().abs_diff(other.rank());
        if files > ranks { files } else { ranks }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = char::from(b'a' + self.file() as u8);
        write!(f, "{file}{}", self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not the name of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a square: a letter a to g and a digit 1 to 7 are expected")]
pub struct ParseSquareError;

impl FromStr for Square {
    type Err = ParseSquareError;

    /// Reads a square's name, the file in either case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let &[file, rank] = text.as_bytes() else {
            return Err(ParseSquareError);
        };
        let file = file.to_ascii_lowercase().wrapping_sub(b'a');
        let rank = rank.wrapping_sub(b'1');
        Self::new(file.into(), rank.into()).ok_or(ParseSquareError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(square.to_string().to_uppercase().parse(), Ok(square));
            assert_eq!(Square::from_index(square.index()), Some(square));
            assert_eq!(Square::new(square.file(), square.rank()), Some(square));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "a", "a0", "a8", "h1", "1a", "a11", "aa", "\u{e9}1", "`1", "{1"] {
            assert_eq!(text.parse::<Square>(), Err(ParseSquareError), "{text:?}");
        }
        assert_eq!(Square::from_index(49), None);
        assert_eq!(Square::new(7, 0), None);
        assert_eq!(Square::new(0, 7), None);
    }

    #[test]
    fn distance_is_the_king_distance() {
        let square = |text: &str| text.parse::<Square>().unwrap();
        assert_eq!(square("a1").distance(square("a1")), 0);
        assert_eq!(square("a1").distance(square("b2")), 1);
        assert_eq!(square("c3").distance(square("d1")), 2);
        assert_eq!(square("g7").distance(square("a2")), 6);
    }
}
