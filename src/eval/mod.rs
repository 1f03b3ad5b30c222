//! From a position to a score.
//!
//! [`Evaluator`] is all that the search knows of it. By default it is a weighted sum of a few
//! counts; an [`Evaluation`] can also be a [`network`].

mod evaluator;
mod handcrafted;
pub mod network;
mod weights;

pub use evaluator::{Evaluation, Evaluator};
pub use handcrafted::Terms;
