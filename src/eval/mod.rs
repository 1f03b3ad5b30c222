//! From a position to a score.
//!
//! [`Evaluator`] is all that the search knows of it. Today it is a weighted sum of a few counts.

mod handcrafted;
mod weights;

pub use handcrafted::{Evaluator, Terms};
