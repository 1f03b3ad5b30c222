//! Engines against each other, and what their games prove.
//!
//! A [`Match`] is everything that decides how games go; it is played with [`Match::play`]. Each game is
//! judged by our own rules, and whatever an engine does loses it at most the game. A [`Journal`] keeps
//! what was played, [`Standings`] add it up.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use physarum::game::Rules;
//! use physarum::referee::{
//!     Book, EngineDescription, EngineSpec, Match, MatchError, Standings, Verdict,
//! };
//!
//! let engines = ["builtin=greedy".parse()?, "builtin=random".parse()?];
//! let engines = EngineSpec::all(&engines, &EngineDescription::default())?;
//! let names = engines.iter().map(|engine| engine.name.clone()).collect();
//! let book = Book::parse("startpos\n", Rules::Ataxx)?;
//! let duel = Match { rounds: 10, ..Match::new(engines, book) };
//! let mut standings = Standings::new(names, &duel.schedule(), None);
//! let never = AtomicBool::new(false);
//! let ready = duel.start(&never)?.expect("nobody has told it to stop");
//! duel.play::<MatchError>(ready, &[], 1, &never, &mut |game, _pgn| {
//!     standings.add(game);
//!     Ok(Verdict::GoOn)
//! })?;
//! assert_eq!(standings.games(), 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adjudication;
mod fault;
mod journal;
mod limit;
mod openings;
mod play;
mod player;
mod process;
mod schedule;
mod spec;
mod standings;
mod statistics;
mod text;
mod tournament;
mod uai;

pub use adjudication::{Adjudication, Held, HeldError, Ruling};
pub(crate) use adjudication::{Adjudicator, Statement};
pub use fault::{Fault, FaultKind};
pub use journal::{Before, GameReport, Journal, JournalError};
pub(crate) use limit::Clock;
pub use limit::{Limit, MAX_MOVE_TIME, TimeControl, TimeControlError};
pub use openings::{
    Balance, Book, BookError, BookErrorKind, GenerateError, MAX_BOOK, MAX_LISTED,
    MAX_LISTED_FOR_SAMPLE, Opening, OpeningError, Progress, Recipe, Sample, Selection, generate,
    with_symmetric_gaps,
};
pub use play::{Effort, Ending};
pub use schedule::{Fixture, Schedule, Tournament};
pub use spec::{
    Builtin, DescriptionError, EngineDescription, EngineError, EngineSpec, Launch, Program,
};
pub use standings::Standings;
pub(crate) use standings::table;
pub use statistics::{
    Decision, Elo, EngineResult, Estimate, Games, MAX_SPRT_ELO, Movers, NormalizedElo, Pairs,
    Played, Record, Seat, Sprt, SprtError, SprtModel, SprtStatus, Tally,
};
pub use tournament::{Finish, Introduction, Match, MatchError, Ready, StartError, Verdict};
