//! Positions and moves as Fairy-Stockfish writes them, and what is made for it.

use std::fmt;

use super::fen::write_board;
use super::{Color, Move, MoveKind, Position};

/// The text of a position with stones `P` of who moves first (black) and `p` (white), gaps `*`, the
/// side to move `w` (black) or `b` (white), and `- -` where chess has castling and en passant.
///
/// [`Position`]'s `from_str` reads it.
///
/// ```
/// use physarum::game::{FairyFen, Position};
///
/// let start = Position::default();
/// let text = FairyFen(&start).to_string();
/// assert_eq!(text, "P5p/7/7/7/7/7/p5P w - - 0 1");
/// assert_eq!(text.parse(), Ok(start));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FairyFen<'a>(pub &'a Position);

impl fmt::Display for FairyFen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_board(self.0, f, fairy_symbol)?;
        let side = match self.0.side_to_move() {
            Color::Black => 'w',
            Color::White => 'b',
        };
        write!(f, " {side} - - {} {}", self.0.halfmove_clock(), self.0.fullmove_number())
    }
}

/// Fairy-Stockfish's letter for what [`Position::symbol`] gives.
pub(crate) const fn fairy_symbol(symbol: char) -> char {
    match symbol {
        'x' => 'P',
        'o' => 'p',
        '-' => '*',
        other => other,
    }
}

impl Move {
    /// The move's text for Fairy-Stockfish: `P@b2` (clone), `a1c3` (jump), and for a pass the first
    /// of the mover's stones in the position before it, as in `g1g1`; `0000` where there is none.
    ///
    /// `from_str` and [`Position::parse_move`] read it.
    ///
    /// ```
    /// use physarum::game::{Move, Position};
    ///
    /// let start = Position::default();
    /// assert_eq!("b2".parse::<Move>().unwrap().to_fairy(&start), "P@b2");
    /// assert_eq!(Move::PASS.to_fairy(&start), "g1g1");
    /// ```
    pub fn to_fairy(self, before: &Position) -> String {
        match self.kind() {
            MoveKind::Clone { to } => format!("P@{to}"),
            MoveKind::Jump { .. } => self.to_string(),
            MoveKind::Pass => match before.stones(before.side_to_move()).into_iter().next() {
                Some(stone) => format!("{stone}{stone}"),
                None => self.to_string(),
            },
        }
    }
}
