//! What a data file says about the program that wrote its games.

use std::time::Instant;

use super::{Recipe, Rescore, Source};
use crate::eval::Evaluation;
use crate::search::{Control, Parameters, TableError, bench};

/// How deep to search for a number that tells programs apart.
const SIGNATURE_DEPTH: u32 = 5;

impl Source {
    /// Games that this program plays with an evaluation.
    ///
    /// # Errors
    ///
    /// When there is no memory for a search.
    pub fn of_this_program(
        recipe: Recipe,
        generation: u32,
        evaluation: &Evaluation,
    ) -> Result<Self, TableError> {
        Ok(Self {
            recipe,
            generation,
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            evaluation: evaluation.name(),
            signature: signature(evaluation)?,
            rescores: Vec::new(),
        })
    }
}

impl Rescore {
    /// Searches that this program makes with an evaluation.
    ///
    /// # Errors
    ///
    /// When there is no memory for a search.
    pub fn by_this_program(nodes: u64, evaluation: &Evaluation) -> Result<Self, TableError> {
        Ok(Self {
            nodes,
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            evaluation: evaluation.name(),
            signature: signature(evaluation)?,
        })
    }
}

/// A number that changes with the search and the evaluation: the nodes of a small bench.
pub(crate) fn signature(evaluation: &Evaluation) -> Result<u64, TableError> {
    let control = Control::new(Instant::now(), false);
    Ok(bench(SIGNATURE_DEPTH, evaluation, Parameters::default(), &control, &mut |_| {})?.nodes)
}

/// Now, in UTC and whole seconds.
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
