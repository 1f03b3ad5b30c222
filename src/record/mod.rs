//! Game records: whole games with their comments, written and read as PGN.
//!
//! [`PgnWriter`] writes [`GameRecord`]s, [`PgnReader`] reads them: our own, those of cuteataxx and
//! of python-ataxx, and what people write by hand. Both take one game at a time, so that a file
//! may be of any size.
//!
//! ```
//! use physarum::game::{Position, Rules};
//! use physarum::record::{Comment, GameRecord, GameResult, PgnReader, PgnWriter, RecordedScore};
//!
//! let mut game = GameRecord::new(Position::default(), Rules::Ataxx);
//! game.tags.set("Black", "Physarum")?;
//! let comment = Comment::default().with_score(RecordedScore::Cp(35)).with_depth(9);
//! game.push("f1".parse()?, comment)?;
//! game.result = GameResult::BlackWins;
//!
//! let mut writer = PgnWriter::new(Vec::new());
//! writer.write(&game)?;
//! let pgn = writer.into_inner();
//! assert!(pgn.ends_with(b"\n\n1. f1 {+0.35/9} 1-0\n\n"));
//!
//! let games = PgnReader::new(pgn.as_slice()).collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(games, [game]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The dialect
//!
//! As in cuteataxx's files, `1-0` says that black, who usually begins, has won; moves are numbered
//! from 1 whatever the FEN says, and `1...` comes first where white begins. Moves are written `b1`
//! (clone), `a1c3` (jump) and `0000` (pass). The tag `Rules` names the rule set. How scores, depths
//! and times stand in comments is told at [`Comment`].

mod comment;
mod draft;
mod error;
mod game_record;
mod lexer;
mod reader;
mod result;
mod source;
mod tags;
mod writer;

pub use comment::{Comment, MAX_COMMENT, RecordedScore};
pub use error::{PgnError, PgnErrorKind};
pub use game_record::{GameRecord, RecordedMove};
pub use reader::{MAX_GAME, MAX_WORD, PgnReader};
pub use result::{GameResult, ParseResultError};
pub use tags::{MAX_TAG, MAX_TAGS, TagError, Tags};
pub use writer::PgnWriter;
