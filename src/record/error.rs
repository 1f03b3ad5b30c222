//! What can be wrong with PGN.

use std::io;

use thiserror::Error;

use super::tags::MAX_TAGS;
use super::{GameResult, MAX_GAME};
use crate::game::{FenError, MoveError};

/// A game could not be read.
///
/// ```
/// use physarum::record::{PgnErrorKind, PgnReader};
///
/// let pgn = "[Event \"x\"]\n\n1. f1 d4 1-0\n";
/// let error = PgnReader::new(pgn.as_bytes()).next().unwrap().unwrap_err();
/// assert_eq!((error.line, error.game), (3, 1));
/// assert!(matches!(error.kind, PgnErrorKind::Move { ply: 2, .. }));
/// assert_eq!(
///     error.to_string(),
///     "line 3, game 1: move \"d4\" at ply 2: no stone of o can reach d4"
/// );
/// ```
#[derive(Debug, Error)]
#[error("line {line}, game {game}: {kind}")]
pub struct PgnError {
    /// The line where it went wrong, counted from 1; for what has no end, where that begins.
    pub line: u64,
    /// The game in the input, counted from 1, broken ones included.
    pub game: u64,
    /// What is wrong.
    pub kind: PgnErrorKind,
}

/// What is wrong with a game.
///
/// ```
/// use physarum::record::PgnErrorKind;
///
/// assert_eq!(PgnErrorKind::Unexpected('}').to_string(), "unexpected '}'");
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PgnErrorKind {
    /// The input failed; nothing more can be read.
    #[error("cannot read the input: {0}")]
    Io(#[from] io::Error),
    /// A bracket without a name and a value in quotes on the same line, and the closing bracket.
    #[error("malformed tag: [Name \"value\"] is expected")]
    MalformedTag,
    /// A tag comes twice in a game.
    #[error("tag {0} given twice")]
    DuplicateTag(String),
    /// More than [`MAX_TAGS`] tags.
    #[error("more than {MAX_TAGS} tags")]
    TooManyTags,
    /// The tag `FEN` holds no position.
    #[error("tag FEN: {0}")]
    Fen(FenError),
    /// The tag `Rules`, or in its absence `Variant`, names none of our rule sets.
    #[error("tag {tag}: {value:?} is not a rule set: Assimilation, Ataxx or Fill is expected")]
    Rules {
        /// The tag's name.
        tag: &'static str,
        /// Its value.
        value: String,
    },
    /// The tag `Result` holds no result.
    #[error("tag Result: {0:?} is not a result: 1-0, 0-1, 1/2-1/2 or * is expected")]
    Result(String),
    /// The result behind the moves is another than in the tag.
    #[error("result {moves} behind the moves, but {tag} in the tag Result")]
    ContradictoryResults {
        /// The one in the tag.
        tag: GameResult,
        /// The one behind the moves.
        moves: GameResult,
    },
    /// A word that is no move, or a move that is not legal.
    #[error("move {text:?} at ply {ply}: {error}")]
    Move {
        /// Which move of the game it would be, counted from 1.
        ply: usize,
        /// The word.
        text: String,
        /// What is wrong with it.
        error: MoveError,
    },
    /// A character that has no meaning where it stands.
    #[error("unexpected {0:?}")]
    Unexpected(char),
    /// A comment without an end.
    #[error("comment without }}")]
    UnclosedComment,
    /// A variation without an end.
    #[error("variation without )")]
    UnclosedVariation,
    /// The end of a variation that has not begun.
    #[error("unexpected ): no variation has begun")]
    UnopenedVariation,
    /// A tag, comment or word that is longer than allowed.
    #[error("{what} of more than {limit} bytes")]
    TooLong {
        /// What it is.
        what: &'static str,
        /// The most that is allowed, in bytes.
        limit: usize,
    },
    /// A game that would take more than [`MAX_GAME`] bytes.
    #[error("game of more than {MAX_GAME} bytes")]
    TooLarge,
    /// There is no result behind the moves, as in a file that was cut off.
    #[error("the game has no result at its end: 1-0, 0-1, 1/2-1/2 or * is expected")]
    Unfinished,
}
