//! The text that a one-shot referee writes: one position, to be answered with one move.

use std::io::{self, BufRead};
use std::time::Duration;

use thiserror::Error;

use super::quote;
use crate::game::{Bitboard, Color, Move, MoveKind, Position, Square};

/// What a one-shot referee asks.
///
/// ```
/// use physarum::protocol::OneShot;
///
/// let text = "1\nx.....o\n.......\n.......\n.......\n.......\n.......\no.....x\n9000 10000\n";
/// let asked = OneShot::read(&mut text.as_bytes())?;
/// assert_eq!(asked.position.to_string(), "x5o/7/7/7/7/7/o5x o 0 1");
/// assert_eq!(asked.left(), std::time::Duration::from_secs(10));
/// # Ok::<(), physarum::protocol::OneShotError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneShot {
    /// The position, with clocks as at the start of a game.
    pub position: Position,
    /// What is left on both clocks, black's first.
    pub clocks: [Duration; 2],
}

/// Why a text is no question of a one-shot referee.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OneShotError {
    /// The text ends too early.
    #[error("the input ends before {0}")]
    End(&'static str),
    /// The side to move is unknown.
    #[error("line {line}: the side to move is {}: 0 or 1 is expected", quote(.found))]
    Side {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// A row is not seven squares wide.
    #[error("line {line}: {found} squares: 7 are expected")]
    Width {
        /// The line, from 1.
        line: usize,
        /// How many squares it has.
        found: usize,
    },
    /// A square holds nothing that is known.
    #[error("line {line}: {found:?} on a square: x, o or . is expected")]
    Square {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        found: char,
    },
    /// A clock is no number.
    #[error("line {line}: {}: a whole number of milliseconds is expected", quote(.found))]
    Clock {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// The text cannot be read.
    #[error("cannot read the input")]
    Read(#[from] io::Error),
}

impl OneShot {
    /// Reads what a referee writes, and nothing after it: who moves, `0` for black (`x`) or `1`; seven
    /// rows of seven squares from the seventh down, each `x`, `o` or `.`, or `-` for a gap; and in
    /// milliseconds what is left on black's clock and on white's.
    ///
    /// # Errors
    ///
    /// When something of it is missing or is not as it should be.
    pub fn read(input: &mut impl BufRead) -> Result<Self, OneShotError> {
        let mut words = Words { input, words: Vec::new(), line: 0 };
        let (line, found) = words.next("the side to move, 0 or 1")?;
        let side = match found.as_str() {
            "0" => Color::Black,
            "1" => Color::White,
            _ => return Err(OneShotError::Side { line, found }),
        };
        let mut stones = [Bitboard::EMPTY; 2];
        let mut gaps = Bitboard::EMPTY;
        for rank in (0..Square::WIDTH).rev() {
            let (line, row) = words.next("the seven rows of the board")?;
            let found = row.chars().count();
            if found != Square::WIDTH {
                return Err(OneShotError::Width { line, found });
            }
            for (file, found) in (0..).zip(row.chars()) {
                let set = match found {
                    'x' | 'X' => &mut stones[0],
                    'o' | 'O' => &mut stones[1],
                    '-' => &mut gaps,
                    '.' => continue,
                    _ => return Err(OneShotError::Square { line, found }),
                };
                *set |= Square::new(file, rank).into_iter().collect();
            }
        }
        let mut clocks = [Duration::ZERO; 2];
        for clock in &mut clocks {
            let (line, found) = words.next("the two remaining times")?;
            match found.parse::<i64>() {
                // A clock that has run out leaves just as little.
                Ok(ms) => *clock = Duration::from_millis(ms.max(0).unsigned_abs()),
                Err(_) => return Err(OneShotError::Clock { line, found }),
            }
        }
        Ok(Self { position: Position::new(stones, gaps, side, 0, 1), clocks })
    }

    /// What is left on the clock of the side to move.
    pub const fn left(&self) -> Duration {
        self.clocks[self.position.side_to_move().index()]
    }

    /// The text of a move: `e4` for a clone, `d2-e4` for a jump, `0000` for a pass.
    ///
    /// ```
    /// use physarum::protocol::OneShot;
    ///
    /// assert_eq!(OneShot::answer("e4".parse().unwrap()), "e4");
    /// assert_eq!(OneShot::answer("d2e4".parse().unwrap()), "d2-e4");
    /// ```
    pub fn answer(mv: Move) -> String {
        match mv.kind() {
            MoveKind::Jump { from, to } => format!("{from}-{to}"),
            MoveKind::Clone { .. } | MoveKind::Pass => mv.to_string(),
        }
    }
}

/// The words of a text, read no further than needed.
struct Words<'a, R> {
    input: &'a mut R,
    /// Those of the current line that have not been taken, the next one last.
    words: Vec<String>,
    line: usize,
}

impl<R: BufRead> Words<'_, R> {
    /// The next word with the number of its line; `what` names it.
    fn next(&mut self, what: &'static str) -> Result<(usize, String), OneShotError> {
        loop {
            if let Some(word) = self.words.pop() {
                return Ok((self.line, word));
            }
            let mut line = Vec::new();
            if self.input.read_until(b'\n', &mut line)? == 0 {
                return Err(OneShotError::End(what));
            }
            self.line += 1;
            let text = String::from_utf8_lossy(&line);
            // A byte order mark, which some programs write, is not a part of the first word.
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            self.words = text.split_whitespace().rev().map(str::to_owned).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<OneShot, String> {
        OneShot::read(&mut text.as_bytes()).map_err(|error| error.to_string())
    }

    const BOARD: &str = "x.....o\n.......\n..-.-..\n.......\n.......\n.......\no....xx\n";

    #[test]
    fn what_is_written_is_read() {
        let expected = OneShot {
            position: "x5o/7/2-1-2/7/7/7/o4xx o 0 1".parse().unwrap(),
            clocks: [Duration::from_millis(1500), Duration::from_millis(20)],
        };
        for clocks in ["1500\n20\n", "1500 20", "1500\t20\r\n", "\n1500\n20\nand more\n"] {
            assert_eq!(read(&format!("1\n{BOARD}{clocks}")), Ok(expected), "{clocks:?}");
        }
        assert_eq!(expected.left(), Duration::from_millis(20));
        assert_eq!(read(&format!("\u{feff}1\n{BOARD}1500 20")), Ok(expected));
        let late = read(&format!("0\n{BOARD}-5 20")).unwrap();
        assert_eq!(late.left(), Duration::ZERO);
    }

    #[test]
    fn nothing_is_read_beyond_the_end() {
        let mut text =
            &b"0\nx......\n.......\n.......\n.......\n.......\n.......\n......o\n1\n2\nmore"[..];
        assert!(OneShot::read(&mut text).is_ok());
        assert_eq!(text, b"more");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, message) in [
            ("".to_owned(), "the input ends before the side to move, 0 or 1"),
            ("x\n".to_owned(), "line 1: the side to move is \"x\": 0 or 1 is expected"),
            ("0\n\nx....o\n".to_owned(), "line 3: 6 squares: 7 are expected"),
            ("0\nx..#..o\n".to_owned(), "line 2: '#' on a square: x, o or . is expected"),
            ("0\nx.....o\n".to_owned(), "the input ends before the seven rows of the board"),
            (format!("0\n{BOARD}"), "the input ends before the two remaining times"),
            (format!("0\n{BOARD}10\n"), "the input ends before the two remaining times"),
            (
                format!("0\n{BOARD}1 1s"),
                "line 9: \"1s\": a whole number of milliseconds is expected",
            ),
        ] {
            assert_eq!(read(&text), Err(message.into()), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[01] ?\n([xo.]{7}\n){0,8}[0-9 ]{0,30}\\PC*|\\PC*") {
            let _ = read(&text);
        }

        #[test]
        fn every_board_is_read(rows in "([xo.-]{7}\n){7}", side in 0..2usize, ms in any::<[u32; 2]>()) {
            let text = format!("{side}\n{rows}{} {}\n", ms[0], ms[1]);
            let OneShot { position, clocks } = read(&text).unwrap();
            let mut shown = String::new();
            for rank in (0..Square::WIDTH).rev() {
                let squares = (0..Square::WIDTH).filter_map(|file| Square::new(file, rank));
                shown.extend(squares.map(|square| position.symbol(square)));
                shown.push('\n');
            }
            prop_assert_eq!(shown, rows);
            prop_assert_eq!(position.side_to_move().index(), side);
            prop_assert_eq!(clocks, ms.map(|ms| Duration::from_millis(ms.into())));
        }
    }
}
