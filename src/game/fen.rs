//! Positions as text.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Bitboard, Color, MAX_CLOCK, Position, Square};

/// The start of a game as text.
pub const START_FEN: &str = "x5o/7/7/7/7/7/o5x x 0 1";

/// How stones are written, but for Fairy-Stockfish's way.
const PLAIN_STONES: [char; 8] = ['x', 'X', 'b', 'B', 'o', 'O', 'w', 'W'];

/// What is wrong with the text of a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FenError {
    /// Nothing there.
    #[error("empty FEN: a board, a side, and two clocks are expected")]
    Empty,
    /// Not seven ranks.
    #[error("{0} ranks on the board: 7 are expected")]
    RankCount(usize),
    /// A rank is not seven squares wide.
    #[error("rank {rank} has {width} squares: 7 are expected")]
    RankWidth {
        /// The rank's number on the board, 7 for the first in the text.
        rank: usize,
        /// How many squares were given for it.
        width: usize,
    },
    /// An unknown character on the board.
    #[error("{found:?} in rank {rank}: x, o, - or a digit 1 to 7 is expected")]
    Character {
        /// The rank's number on the board, 7 for the first in the text.
        rank: usize,
        /// The character.
        found: char,
    },
    /// The board is not followed by a side to move.
    #[error("no side to move: x or o is expected after the board")]
    NoSide,
    /// The side to move is neither.
    #[error("unknown side to move: x or o is expected")]
    Side,
    /// A clock is not a number from 0 to [`MAX_CLOCK`].
    #[error("{0} is not a whole number from 0 to {MAX_CLOCK}")]
    Clock(&'static str),
    /// More than four fields.
    #[error("{0} fields: at most 4 are expected")]
    FieldCount(usize),
    /// Stones written in two ways.
    #[error("stones are written both x, o and P, p")]
    MixedStones,
}

impl FromStr for Position {
    type Err = FenError;

    /// Reads `<board> <x|o> [halfmove clock [fullmove number]]`.
    ///
    /// Black stones may be `x X b B`, white ones `o O w W`, gaps `-` or `*`; a missing halfmove
    /// clock is 0, a missing fullmove number 1; fields may be separated by any white space.
    ///
    /// Also reads what [`FairyFen`](super::FairyFen) writes: with black stones `P` and white ones
    /// `p`, the side to move is `w` for black, who moves first, and `b` for white, and `- -` may
    /// stand after it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut fields = text.split_whitespace().peekable();
        let board = fields.next().ok_or(FenError::Empty)?;
        let (stones, gaps, style) = parse_board(board)?;
        let side = fields.next().ok_or(FenError::NoSide)?;
        // Where there is no stone the dashes tell.
        let dashes = style != Style::Plain && fields.next_if_eq(&"-").is_some();
        if dashes {
            fields.next_if_eq(&"-");
        }
        let side = match side {
            "w" if dashes || style == Style::Fairy => Color::Black,
            "b" if dashes || style == Style::Fairy => Color::White,
            _ => side.parse().map_err(|_| FenError::Side)?,
        };
        let halfmove = parse_clock(fields.next(), 0).ok_or(FenError::Clock("halfmove clock"))?;
        let fullmove = parse_clock(fields.next(), 1).ok_or(FenError::Clock("fullmove number"))?;
        match fields.count() {
            0 => Ok(Self::new(stones, gaps, side, halfmove, fullmove)),
            more => Err(FenError::FieldCount(4 + more)),
        }
    }
}

/// How stones are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `x` and `o`.
    Plain,
    /// `P` and `p`.
    Fairy,
    /// There are none.
    Bare,
}

fn parse_board(text: &str) -> Result<([Bitboard; 2], Bitboard, Style), FenError> {
    let rank_count = text.split('/').count();
    if rank_count != Square::WIDTH {
        return Err(FenError::RankCount(rank_count));
    }
    let mut stones = [Bitboard::EMPTY; 2];
    let mut gaps = Bitboard::EMPTY;
    for (i, text) in text.split('/').enumerate() {
        let rank = Square::WIDTH - 1 - i;
        let mut width = 0;
        for c in text.chars() {
            let square = Square::new(width, rank).into_iter();
            width += 1;
            match c {
                'x' | 'X' | 'b' | 'B' | 'P' => stones[Color::Black.index()] |= square.collect(),
                'o' | 'O' | 'w' | 'W' | 'p' => stones[Color::White.index()] |= square.collect(),
                '-' | '*' => gaps |= square.collect(),
                '1'..='7' => width += c as usize - '1' as usize,
                found => return Err(FenError::Character { rank: rank + 1, found }),
            }
        }
        if width != Square::WIDTH {
            return Err(FenError::RankWidth { rank: rank + 1, width });
        }
    }
    match (text.contains(['P', 'p']), text.contains(PLAIN_STONES)) {
        (true, true) => Err(FenError::MixedStones),
        (true, false) => Ok((stones, gaps, Style::Fairy)),
        (false, true) => Ok((stones, gaps, Style::Plain)),
        (false, false) => Ok((stones, gaps, Style::Bare)),
    }
}

fn parse_clock(field: Option<&str>, missing: u16) -> Option<u16> {
    match field {
        None => Some(missing),
        // `parse` alone would take a plus sign.
        Some(text) if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        Some(_) => None,
    }
}

impl fmt::Display for Position {
    /// The canonical text, with `x`, `o`, `-` and all four fields.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_board(self, f, |symbol| symbol)?;
        let (side, halfmove) = (self.side_to_move(), self.halfmove_clock());
        write!(f, " {side} {halfmove} {}", self.fullmove_number())
    }
}

/// Writes the board, rank by rank, with what `written` makes of the symbols of stones and gaps.
pub(super) fn write_board(
    position: &Position,
    f: &mut fmt::Formatter<'_>,
    written: impl Fn(char) -> char,
) -> fmt::Result {
    for rank in (0..Square::WIDTH).rev() {
        let mut empty = 0;
        for square in (0..Square::WIDTH).filter_map(|file| Square::new(file, rank)) {
            let symbol = position.symbol(square);
            if symbol == '.' {
                empty += 1;
                continue;
            }
            if empty > 0 {
                write!(f, "{empty}")?;
                empty = 0;
            }
            write!(f, "{}", written(symbol))?;
        }
        if empty > 0 {
            write!(f, "{empty}")?;
        }
        if rank > 0 {
            f.write_str("/")?;
        }
    }
    Ok(())
}

impl Position {
    /// What a diagram shows on a square: `x`, `o`, `-` for a gap, `.` for nothing.
    pub fn symbol(&self, square: Square) -> char {
        if self.stones(Color::Black).contains(square) {
            'x'
        } else if self.stones(Color::White).contains(square) {
            'o'
        } else if self.gaps().contains(square) {
            '-'
        } else {
            '.'
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FenError::*;

    #[test]
    fn the_start_has_its_text() {
        assert_eq!(Position::default().to_string(), START_FEN);
        assert_eq!(START_FEN.parse(), Ok(Position::default()));
    }

    #[test]
    fn other_spellings_give_the_canonical_form() {
        for (text, canonical) in [
            ("x5o/7/7/7/7/7/o5x x", START_FEN),
            ("x5o/7/7/7/7/7/o5x x 3", "x5o/7/7/7/7/7/o5x x 3 1"),
            ("  B5W/7/7/7/7/7/w5b   b  0\t1 ", START_FEN),
            ("X5O/7/7/7/7/7/o5x W 0 0", "x5o/7/7/7/7/7/o5x o 0 0"),
            ("x5o/7/2*1-2/7/2-1*2/7/o5x o 0 1", "x5o/7/2-1-2/7/2-1-2/7/o5x o 0 1"),
            ("x23o/1111111/7/7/34/7/o5x x 0 1", START_FEN),
            ("P5p/7/7/7/7/7/p5P w 0 1", START_FEN),
            ("P5p/7/7/7/7/7/p5P w - - 0 1", START_FEN),
            ("P5p/7/2*4/7/7/7/p5P b - - 3 9", "x5o/7/2-4/7/7/7/o5x o 3 9"),
            ("P5p/7/7/7/7/7/p5P x", START_FEN),
            ("7/7/7/7/7/7/7 w - - 0 1", "7/7/7/7/7/7/7 x 0 1"),
            ("7/7/7/7/7/7/7 w 0 1", "7/7/7/7/7/7/7 o 0 1"),
        ] {
            assert_eq!(
                text.parse::<Position>().map(|p| p.to_string()),
                Ok(canonical.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for (text, error) in [
            ("", Empty),
            ("   ", Empty),
            ("x5o/7/7/7/7/o5x x 0 1", RankCount(6)),
            ("x5o/7/7/7/7/7/7/o5x x 0 1", RankCount(8)),
            ("x5o/7/7/7/7/7/o5x/ x 0 1", RankCount(8)),
            ("x5o/7/7/7/7/6/o5x x 0 1", RankWidth { rank: 2, width: 6 }),
            ("x5oo/7/7/7/7/7/o5x x 0 1", RankWidth { rank: 7, width: 8 }),
            ("x5o/7/7/7/7/7/ x 0 1", RankWidth { rank: 1, width: 0 }),
            ("x5o/7/7/7/7/7/o55 x 0 1", RankWidth { rank: 1, width: 11 }),
            ("x5o/7/7/7/7/7/o5z x 0 1", Character { rank: 1, found: 'z' }),
            ("x5o/7/8/7/7/7/o5x x 0 1", Character { rank: 5, found: '8' }),
            ("x5o/7/7/0/7/7/o5x x 0 1", Character { rank: 4, found: '0' }),
            ("x5o/7/7/7/7/7/o5x", NoSide),
            ("x5o/7/7/7/7/7/o5x z 0 1", Side),
            ("x5o/7/7/7/7/7/o5x xx 0 1", Side),
            ("x5o/7/7/7/7/7/o5x x -1 1", Clock("halfmove clock")),
            ("x5o/7/7/7/7/7/o5x x +1 1", Clock("halfmove clock")),
            ("x5o/7/7/7/7/7/o5x x 65536 1", Clock("halfmove clock")),
            ("x5o/7/7/7/7/7/o5x x 0 1.5", Clock("fullmove number")),
            ("x5o/7/7/7/7/7/o5x x 0 99999999999999999999", Clock("fullmove number")),
            ("x5o/7/7/7/7/7/o5x x 0 1 moves e2", FieldCount(6)),
            ("x5o/7/7/7/7/7/p5P w 0 1", MixedStones),
            ("P5p/7/7/7/7/7/p5P z - - 0 1", Side),
            ("P5p/7/7/7/7/7/p5P w - - - 1", Clock("halfmove clock")),
            ("P5p/7/7/7/7/7/p5P w - - 0 1 2", FieldCount(5)),
        ] {
            assert_eq!(text.parse::<Position>(), Err(error), "{text:?}");
        }
    }
}
