//! Many positions in, records out.
//!
//! [`analyze`] searches one position; [`Entries`] reads positions from text, [`analyze_all`] searches
//! them on several threads, and [`Record`] is what is told of each.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::atomic::AtomicBool;
//!
//! use physarum::analysis::{Entries, Settings, analyze_all};
//! use physarum::game::Rules;
//! use physarum::search::Limits;
//!
//! let text = "x5o/7/7/7/7/7/o5x x 0 1 ; the start\nnonsense\n";
//! let settings = Settings {
//!     limits: Limits { depth: Some(3), ..Limits::default() },
//!     ..Settings::default()
//! };
//! let mut records = Vec::new();
//! analyze_all(Entries::new(text.as_bytes(), Rules::Ataxx), &settings, &AtomicBool::new(false), |record| {
//!     records.extend(record);
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!(records[0].id.as_ref().unwrap(), "the start");
//! assert!(records[0].error().is_none() && records[1].error().is_some());
//! # Ok::<(), physarum::analysis::AnalysisError>(())
//! ```

mod entry;
mod record;
mod run;
mod single;

pub use entry::{BadEntry, Entries, Entry, EntryError};
pub use record::{Finding, LineRecord, RECORD_VERSION, Record, ScoreRecord};
pub use run::{AnalysisError, Settings, analyze_all};
pub use single::{AnalysedLine, Analysis, analyze};
