//! Whole games.

use std::fmt;

use super::{Comment, GameResult, Tags, writer};
use crate::game::{IllegalMove, Move, MoveError, Outcome, Position, Rules};

/// A move that was played, with what was said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// The move.
    pub mv: Move,
    /// The comment behind it, which may be empty.
    pub comment: Comment,
}

/// A game as far as it was played: tags, start, rules, moves with comments, and result.
///
/// Its moves are always legal. The result need not be the one on the board: see
/// [`outcome`](Self::outcome).
///
/// ```
/// use physarum::game::{Position, Rules};
/// use physarum::record::{Comment, GameRecord, GameResult};
///
/// let mut game = GameRecord::new(Position::default(), Rules::Assimilation);
/// game.tags.set("White", "Physarum")?;
/// game.push("f1".parse()?, Comment::default().with_text("the usual"))?;
/// game.push("a1c3".parse()?, Comment::default())?;
/// game.result = GameResult::WhiteWins;
/// assert_eq!(
///     game.to_string(),
///     r#"[Event "?"]
/// [Site "?"]
/// [Date "????.??.??"]
/// [Round "?"]
/// [Black "?"]
/// [White "Physarum"]
/// [Result "0-1"]
/// [FEN "x5o/7/7/7/7/7/o5x x 0 1"]
/// [Rules "Assimilation"]
///
/// 1. f1 {the usual} a1c3 0-1
/// "#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// What is known of the game beside what follows.
    pub tags: Tags,
    /// What is said before the first move.
    pub preface: Comment,
    /// What came of the game.
    pub result: GameResult,
    rules: Rules,
    start: Position,
    last: Position,
    moves: Vec<RecordedMove>,
}

impl GameRecord {
    /// A game of which nothing is known yet but how it begins, and under which rules.
    ///
    /// ```
    /// use physarum::game::{Position, Rules};
    /// use physarum::record::{GameRecord, GameResult};
    ///
    /// let game = GameRecord::new(Position::default(), Rules::Ataxx);
    /// assert!(game.moves().is_empty());
    /// assert_eq!(game.result, GameResult::Unknown);
    /// ```
    pub fn new(start: Position, rules: Rules) -> Self {
        Self {
            tags: Tags::default(),
            preface: Comment::default(),
            result: GameResult::Unknown,
            rules,
            start,
            last: start,
            moves: Vec::new(),
        }
    }

    /// The rules of the game.
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// The position before the first move.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The position after the last move.
    pub const fn last(&self) -> &Position {
        &self.last
    }

    /// The moves in order.
    pub fn moves(&self) -> &[RecordedMove] {
        &self.moves
    }

    /// How the game has ended on the board, `None` if it could go on.
    ///
    /// ```
    /// use physarum::game::{Color, Outcome, Rules};
    /// use physarum::record::{Comment, GameRecord};
    ///
    /// let mut game = GameRecord::new("x1o4/7/7/7/7/7/7 x 0 1".parse()?, Rules::Ataxx);
    /// assert_eq!(game.outcome(), None);
    /// game.push("b7".parse()?, Comment::default())?;
    /// assert_eq!(game.outcome(), Some(Outcome::Win(Color::Black)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn outcome(&self) -> Option<Outcome> {
        self.last.outcome(self.rules)
    }

    /// Each move with the position in which it was played.
    ///
    /// ```
    /// use physarum::game::{Position, Rules};
    /// use physarum::record::{Comment, GameRecord};
    ///
    /// let mut game = GameRecord::new(Position::default(), Rules::Ataxx);
    /// game.push_text("g1f2", Comment::default())?;
    /// game.push_text("a1b1", Comment::default())?;
    /// let line: Vec<_> = game.plies().map(|(at, ply)| format!("{at}: {}", ply.mv)).collect();
    /// assert_eq!(line, ["x5o/7/7/7/7/7/o5x x 0 1: f2", "x5o/7/7/7/7/5x1/o5x o 0 1: b1"]);
    /// # Ok::<(), physarum::game::MoveError>(())
    /// ```
    pub fn plies(&self) -> impl Iterator<Item = (Position, &RecordedMove)> {
        self.moves.iter().scan(self.start, |position, ply| {
            let before = *position;
            *position = before.play(ply.mv);
            Some((before, ply))
        })
    }

    /// Adds a move at the end.
    ///
    /// ```
    /// use physarum::game::{Move, Position, Rules};
    /// use physarum::record::{Comment, GameRecord};
    ///
    /// let mut game = GameRecord::new(Position::default(), Rules::Ataxx);
    /// let error = game.push(Move::PASS, Comment::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "x must not pass: it has a move");
    /// ```
    ///
    /// # Errors
    ///
    /// When the move is not legal; the game is unchanged.
    pub fn push(&mut self, mv: Move, comment: Comment) -> Result<(), IllegalMove> {
        self.last.check(mv, self.rules)?;
        self.last = self.last.play(mv);
        self.moves.push(RecordedMove { mv, comment });
        Ok(())
    }

    /// Adds a move in any of the forms that [`Position::parse_move`] reads.
    ///
    /// ```
    /// use physarum::game::{Position, Rules};
    /// use physarum::record::{Comment, GameRecord};
    ///
    /// let mut game = GameRecord::new(Position::default(), Rules::Ataxx);
    /// assert_eq!(game.push_text("g1f1", Comment::default()), Ok("f1".parse()?));
    /// # Ok::<(), physarum::game::MoveTextError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the text is no move or the move is not legal; the game is unchanged.
    pub fn push_text(&mut self, text: &str, comment: Comment) -> Result<Move, MoveError> {
        let mv = self.last.parse_move(text, self.rules)?;
        self.push(mv, comment)?;
        Ok(mv)
    }

    /// The comment behind a move, counted from 0; `None` if there are not so many.
    ///
    /// ```
    /// use physarum::game::{Position, Rules};
    /// use physarum::record::{Comment, GameRecord};
    ///
    /// let mut game = GameRecord::new(Position::default(), Rules::Ataxx);
    /// game.push_text("f1", Comment::default())?;
    /// if let Some(comment) = game.comment_mut(0) {
    ///     *comment = Comment::default().with_text("best");
    /// }
    /// assert_eq!(game.moves()[0].comment.text(), "best");
    /// # Ok::<(), physarum::game::MoveError>(())
    /// ```
    pub fn comment_mut(&mut self, ply: usize) -> Option<&mut Comment> {
        self.moves.get_mut(ply).map(|ply| &mut ply.comment)
    }
}

impl fmt::Display for GameRecord {
    /// The game as PGN, all moves on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&writer::render(self, usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_illegal_move_changes_nothing() {
        let mut game = GameRecord::new(Position::default(), Rules::Ataxx);
        game.push_text("f1", Comment::default()).unwrap();
        let before = game.clone();
        assert!(game.push("d4".parse().unwrap(), Comment::default()).is_err());
        assert!(game.push_text("h9", Comment::default()).is_err());
        assert_eq!(game, before);
        assert_eq!(game.comment_mut(1), None);
    }

    #[test]
    fn the_rules_decide() {
        let shut_in: Position = "7/7/7/7/4ooo/4ooo/4oox x 0 30".parse().unwrap();
        let pass = |rules| GameRecord::new(shut_in, rules).push(Move::PASS, Comment::default());
        assert_eq!(pass(Rules::Ataxx), Ok(()));
        assert_eq!(pass(Rules::Assimilation), Err(IllegalMove::GameOver));
    }
}
