//! Openings: books of them, and how new ones are made.

mod balance;
mod book;
mod gaps;
mod generator;
mod listing;
mod opening;
mod walks;

pub use book::{Book, BookError, BookErrorKind, MAX_BOOK};
pub use gaps::with_symmetric_gaps;
pub use generator::{
    Balance, GenerateError, MAX_LISTED, MAX_LISTED_FOR_SAMPLE, Progress, Recipe, Sample, Selection,
    generate,
};
pub use opening::{Opening, OpeningError};
