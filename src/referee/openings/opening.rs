//! One opening.

use std::fmt;

use thiserror::Error;

use crate::game::{FenError, Move, MoveError, Outcome, Position, Rules};
use crate::protocol::quote;

/// Where a game begins: a position, and moves that are made from there before the players think.
///
/// Two openings are equal if their moves are and their positions but for the clocks.
///
/// ```
/// use physarum::game::Rules;
/// use physarum::referee::Opening;
///
/// let opening = Opening::parse("startpos moves f1 a2", Rules::Ataxx)?;
/// assert_eq!(opening.position().to_string(), "x5o/7/7/7/7/o6/o4xx x 0 2");
/// assert_eq!(opening.to_string(), "fen x5o/7/7/7/7/7/o5x x 0 1 moves f1 a2");
///
/// let opening = Opening::parse("x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1", Rules::Ataxx)?;
/// assert_eq!(opening.to_string(), "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1");
/// assert!(opening.moves().is_empty());
/// # Ok::<(), physarum::referee::OpeningError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    start: Position,
    moves: Box<[Move]>,
}

impl Opening {
    /// Reads an opening: `<FEN>`, `fen <FEN>` or `startpos`, then the moves, if there are any, after
    /// `moves`. All that may stand behind a word `position`, as in the command of UAI.
    ///
    /// # Errors
    ///
    /// When it is something else, when a move isn't legal under the rules, and when the game is
    /// over at once.
    pub fn parse(text: &str, rules: Rules) -> Result<Self, OpeningError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = words.strip_prefix(&["position"]).unwrap_or(&words);
        let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let (description, moves) = words.split_at(end);
        let start = match description {
            ["startpos"] => Position::default(),
            ["startpos", found, ..] => return Err(OpeningError::NoMoves((*found).to_owned())),
            ["fen", fields @ ..] | fields => fields.join(" ").parse()?,
        };
        let mut position = start;
        let read = |(index, &text): (usize, &&str)| -> Result<Move, OpeningError> {
            let mv = position.parse_move(text, rules).map_err(|error| OpeningError::Move {
                number: index + 1,
                text: text.to_owned(),
                error,
            })?;
            position = position.play(mv);
            Ok(mv)
        };
        let moves = moves.iter().skip(1).enumerate().map(read).collect::<Result<_, _>>()?;
        match position.outcome(rules) {
            Some(outcome) => Err(OpeningError::Over(outcome)),
            None => Ok(Self { start, moves }),
        }
    }

    /// The position before the moves.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The moves, all legal.
    pub const fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position after the moves, where the players take over.
    pub fn position(&self) -> Position {
        self.moves.iter().fold(self.start, |position, &mv| position.play(mv))
    }
}

impl fmt::Display for Opening {
    /// The opening as a line of a book: `<FEN>` or `fen <FEN> moves <move> …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.moves.is_empty() {
            return self.start.fmt(f);
        }
        write!(f, "fen {} moves", self.start)?;
        self.moves.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

/// Why a text is no opening.
///
/// ```
/// use physarum::game::Rules;
/// use physarum::referee::Opening;
///
/// let error = Opening::parse("startpos moves f1 b7", Rules::Ataxx).unwrap_err();
/// assert_eq!(error.to_string(), "move 2 \"b7\": no stone of o can reach b7");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// The position's text is wrong.
    #[error("{0}")]
    Fen(#[from] FenError),
    /// Something else than `moves` stands behind `startpos`.
    #[error("moves is expected after startpos, not {}", quote(.0))]
    NoMoves(String),
    /// A move's text is wrong, or the move is illegal.
    #[error("move {number} {}: {error}", quote(.text))]
    Move {
        /// Which move, from 1.
        number: usize,
        /// Its text.
        text: String,
        /// What is wrong with it.
        error: MoveError,
    },
    /// There is nothing left to play.
    #[error("the game is over after the opening: {0}")]
    Over(Outcome),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::START_FEN;
    use proptest::prelude::*;

    const GAPS: &str = "x5o/7/2-1-2/7/2-1-2/7/o5x o 3 9";

    #[test]
    fn all_forms_are_read() {
        let after = "fen x5o/7/7/7/7/7/o5x x 0 1 moves g1e1 b1";
        for (text, line) in [
            ("startpos", START_FEN),
            ("position startpos", START_FEN),
            ("startpos moves", START_FEN),
            ("position startpos moves g1e1 b1", after),
            (" position\tfen  x5o/7/7/7/7/7/o5x x  moves g1e1 a1b1 ", after),
            ("x5o/7/7/7/7/7/o5x b 0 1 moves g1-e1 P@b1", after),
            (GAPS, GAPS),
            ("fen x5o/7/2*1*2/7/2*1*2/7/o5x o 3 9", GAPS),
        ] {
            let opening = Opening::parse(text, Rules::Ataxx).unwrap();
            assert_eq!(opening.to_string(), line, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, error) in [
            ("", "empty FEN: a board, a side, and two clocks are expected"),
            ("position", "empty FEN: a board, a side, and two clocks are expected"),
            ("moves f1", "empty FEN: a board, a side, and two clocks are expected"),
            ("x5o/7 x", "2 ranks on the board: 7 are expected"),
            ("startpos f1", "moves is expected after startpos, not \"f1\""),
            ("startpos moves f1 f1", "move 2 \"f1\": f1 is occupied"),
            ("x6/7/7/7/7/7/7 x", "the game is over after the opening: x wins"),
            ("x6/7/7/7/7/7/7 x moves a6", "move 1 \"a6\": the game is over"),
        ] {
            let refused = Opening::parse(text, Rules::Ataxx).unwrap_err();
            assert_eq!(refused.to_string(), error, "{text:?}");
        }
    }

    #[test]
    fn the_rules_decide_what_is_legal() {
        let shut_in = "7/7/7/7/4ooo/4ooo/4oox x 0 30 moves 0000";
        assert!(Opening::parse(shut_in, Rules::Ataxx).is_ok());
        assert!(Opening::parse(shut_in, Rules::Assimilation).is_err());
        let worn_out = "x5o/7/7/7/7/7/o5x x 100 80";
        assert!(Opening::parse(worn_out, Rules::Ataxx).is_err());
        assert!(Opening::parse(worn_out, Rules::Assimilation).is_ok());
    }

    /// Lines that are nearly right.
    fn nearly_right() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            Just("position".to_owned()),
            Just("startpos".to_owned()),
            Just("fen".to_owned()),
            Just("moves".to_owned()),
            Just(START_FEN.to_owned()),
            Just(GAPS.to_owned()),
            "[a-h][0-8]",
            "[a-g][1-7][a-g][1-7]",
            "\\PC{0,9}",
        ];
        prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in prop_oneof![nearly_right(), any::<String>()]) {
            for rules in Rules::ALL {
                if let Ok(opening) = Opening::parse(&text, rules) {
                    prop_assert_eq!(opening.position().outcome(rules), None);
                    let line = opening.to_string();
                    prop_assert_eq!(Opening::parse(&line, rules).unwrap().to_string(), line);
                }
            }
        }

        #[test]
        fn what_is_printed_reads_back(picks in prop::collection::vec(any::<prop::sample::Index>(), 0..30)) {
            let mut position: Position = GAPS.parse().unwrap();
            let mut line = format!("fen {GAPS} moves");
            for pick in picks {
                let mv = *pick.get(&position.legal_moves(Rules::Ataxx));
                let next = position.play(mv);
                if next.outcome(Rules::Ataxx).is_some() {
                    break;
                }
                line += &format!(" {mv}");
                position = next;
            }
            let opening = Opening::parse(&line, Rules::Ataxx).unwrap();
            prop_assert_eq!(opening.position().to_string(), position.to_string());
            if !opening.moves().is_empty() {
                prop_assert_eq!(opening.to_string(), line);
            }
        }
    }
}
