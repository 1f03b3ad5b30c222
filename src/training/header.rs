//! What a data file says about itself.

use serde::{Deserialize, Serialize};

use super::Recipe;

/// What the games of a file are made of: the text at its beginning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataHeader {
    /// When the file was begun, in UTC, as in `2026-01-31T12:00:00Z`.
    pub created: String,
    /// Where the games come from; each game has the index of one of these.
    pub sources: Vec<Source>,
    /// The seeds by which the games have been put into random order, the first one first.
    #[serde(default)]
    pub shuffles: Vec<u64>,
}

/// How some of a file's games came about.
///
/// The same source and game index mean the same game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// How the games were played.
    pub recipe: Recipe,
    /// A number that the maker chose, such as how often a network had been trained before.
    pub generation: u32,
    /// The version of the program that played.
    pub engine: String,
    /// The name of the evaluation that it used.
    pub evaluation: String,
    /// A number that changes with the program's search and evaluation: nodes of a small bench.
    pub signature: u64,
    /// Later searches of the stored positions, whose scores replaced those before.
    #[serde(default)]
    pub rescores: Vec<Rescore>,
}

/// A search of all stored positions anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rescore {
    /// The nodes of each search.
    pub nodes: u64,
    /// The version of the program that searched.
    pub engine: String,
    /// The name of the evaluation that it used.
    pub evaluation: String,
    /// A number that changes with the program's search and evaluation.
    pub signature: u64,
}
