//! The game itself: squares, bitboards, moves, positions, rules, FEN, symmetries and perft.
//!
//! Nothing here knows about scores, searches or protocols.
//!
//! ```
//! use physarum::game::{Position, Rules};
//!
//! let start = Position::default();
//! let mv = start.parse_move("b1", Rules::Ataxx).unwrap_err();
//! assert_eq!(mv.to_string(), "no stone of x can reach b1");
//!
//! let next = start.play(start.parse_move("f1", Rules::Ataxx).unwrap());
//! assert_eq!(next.to_string(), "x5o/7/7/7/7/7/o4xx o 0 1");
//! assert_eq!(next.outcome(Rules::Ataxx), None);
//! ```

mod bitboard;
mod color;
mod course;
mod fairy;
mod fen;
mod movegen;
mod moves;
mod outcome;
mod perft;
mod position;
mod square;
mod symmetry;
mod zobrist;

pub use bitboard::{Bitboard, SquareIter};
pub use color::{Color, ParseColorError};
pub use course::Game;
pub use fairy::FairyFen;
pub(crate) use fairy::fairy_symbol;
pub use fen::{FenError, START_FEN};
pub use movegen::{MAX_MOVES, MoveList};
pub use moves::{IllegalMove, Move, MoveError, MoveKind, MoveTextError};
pub use outcome::{HALFMOVE_LIMIT, Outcome, ParseRulesError, Rules};
pub use perft::{perft, perft_until, split};
pub use position::{MAX_CLOCK, Position};
pub use square::{ParseSquareError, Square};
pub use symmetry::Symmetry;
