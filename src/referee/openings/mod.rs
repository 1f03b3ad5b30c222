//! x
mod book;
mod opening;
pub use book::{Book, BookError, BookErrorKind, MAX_BOOK};
pub use opening::{Opening, OpeningError};
