//! Physarum, an engine for Ataxx (also known as Assimilation), as a library.
//!
//! The rules are in [`game`]: [`Position`](game::Position) is where to begin. [`search::search`] finds the best
//! move of a position, [`analysis::analyze`] keeps all that it tells, and [`analysis::analyze_all`] does that
//! for many positions or whole games.
//!
//! ```
//! use std::time::Instant;
//!
//! use physarum::analysis::analyze;
//! use physarum::eval::Evaluation;
//! use physarum::game::{Game, Position, Rules};
//! use physarum::search::{Control, Limits, Request, Settings, Table};
//!
//! let position: Position = "x5o/7/7/7/7/7/o5x x 0 1".parse()?;
//! let request = Request {
//!     game: &Game::new(position),
//!     limits: &Limits { depth: Some(5), ..Limits::default() },
//!     settings: &Settings { rules: Rules::Ataxx, multi_pv: 2, ..Settings::default() },
//!     evaluation: &Evaluation::default(),
//! };
//! let analysis = analyze(&request, &Table::new(16)?, &Control::new(Instant::now(), false));
//! for line in &analysis.lines {
//!     println!("{:?}: {:?}", line.score, line.moves);
//! }
//! assert_eq!(analysis.lines.len(), 2);
//! assert!(position.check(analysis.result.best.unwrap(), Rules::Ataxx).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules stand on each other in this order, and none uses what stands above it:
//! [`game`], [`record`], [`eval`], [`search`], [`protocol`], [`referee`], [`analysis`],
//! [`training`], [`tuning`], [`cli`].
//!
//! What programs can build on, as semantic versioning has it, is [`game`], [`record`], [`eval`], [`search`],
//! [`protocol`] and [`analysis`]; the other modules are public for the program's own sake. Structs that are
//! described by a default, such as [`search::Limits`], may get more fields: write `..Limits::default()`.

pub mod analysis;
mod chart;
pub mod cli;
pub mod eval;
pub mod game;
mod parallel;
pub mod protocol;
mod random;
pub mod record;
pub mod referee;
pub mod search;
pub mod training;
pub mod tuning;
