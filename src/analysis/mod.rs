//! Many positions in, records out.
//!
//! [`analyze`] searches one position; [`Entries`] reads positions and games from text, [`analyze_all`]
//! searches them on several threads, and [`Record`] is what is told of each. [`Judge`] says what the moves
//! of games were worth, and [`HtmlReport`] makes a page of that.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::atomic::AtomicBool;
//!
//! use physarum::analysis::{Entries, Settings, analyze_all};
//! use physarum::search::Limits;
//!
//! let text = "x5o/7/7/7/7/7/o5x x 0 1 ; the start\nnonsense\n";
//! let settings = Settings {
//!     limits: Limits { depth: Some(3), ..Limits::default() },
//!     ..Settings::default()
//! };
//! let mut records = Vec::new();
//! analyze_all(Entries::new(text.as_bytes()), &settings, &AtomicBool::new(false), |record| {
//!     records.extend(record);
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(records[0].id.as_ref().unwrap().get(), "\"the start\"");
//! assert!(records[0].error().is_none() && records[1].error().is_some());
//! # Ok::<(), physarum::analysis::AnalysisError>(())
//! ```

mod entry;
mod games;
mod judge;
mod lines;
mod record;
mod report;
mod run;
mod single;
mod solve;

pub use entry::{BadEntry, Entries, Entry, EntryError, Fields, Ply};
pub use judge::{GameReport, Judge, Judgement, SideSummary, Told, Verdict};
pub use record::{Finding, LineRecord, RECORD_VERSION, Record, ScoreRecord};
pub use report::HtmlReport;
pub use run::{AnalysisError, Settings, analyze_all};
pub use single::{AnalysedLine, Analysis, analyze};
pub use solve::{SOLVE_NODES, Solution, solve};
