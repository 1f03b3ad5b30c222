//! The two sides.

use std::fmt;
use std::ops::Not;
use std::str::FromStr;

use thiserror::Error;

/// A side: black (`x`), which moves first, or white (`o`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Color {
    /// The first mover, written `x`.
    Black = 0,
    /// The second mover, written `o`.
    White = 1,
}

impl Color {
    /// Both sides, the first mover first.
    pub const ALL: [Self; 2] = [Self::Black, Self::White];

    /// 0 for black, 1 for white.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Color {
    type Output = Self;

    /// The other side.
    #[inline(always)]
    fn not(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "x",
            Self::White => "o",
        })
    }
}

/// The text does not name a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a side: x or o is expected")]
pub struct ParseColorError;

impl FromStr for Color {
    type Err = ParseColorError;

    /// Reads `x`, `b` (black) or `o`, `w` (white), in either case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "x" | "X" | "b" | "B" => Ok(Self::Black),
            "o" | "O" | "w" | "W" => Ok(Self::White),
            _ => Err(ParseColorError),
        }
    }
}
