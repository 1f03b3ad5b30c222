//! How games against ourselves are played.

use serde::{Deserialize, Serialize};

/// How games against ourselves are played. Together with the program and an index it decides what
/// happens in a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// What all that is random comes from.
    pub seed: u64,
    /// Positions that each search visits: the first depth that ends beyond it is the last.
    pub nodes: u64,
    /// The size of the transposition table in MiB.
    pub hash: usize,
    /// The fewest and the most random plies at the beginning of a game.
    pub opening_plies: [u32; 2],
    /// Openings are thrown away when a search finds them this far, or farther, from balanced,
    /// in cp.
    pub max_opening_score: i32,
    /// The share of games on boards with gaps, 0 to 1.
    pub gaps: f64,
    /// The share of games under the rules `Assimilation`, 0 to 1.
    pub assimilation: f64,
    /// A game is decided when one side is at least this far ahead, in cp, in
    /// `decided_plies` searches in a row.
    pub decided_score: i32,
    /// See `decided_score`; 0 means that no game is ended so.
    pub decided_plies: u32,
    /// The chance, for each move, that any legal one is played instead of the one that was found, so
    /// that positions come up that the engine would not bring about by itself, 0 to 1.
    #[serde(default)]
    pub random_moves: f64,
    /// A game of this many plies, random ones included, ends as a draw.
    pub max_plies: u32,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            seed: 1,
            nodes: 1200,
            hash: 8,
            opening_plies: [4, 12],
            max_opening_score: 600,
            gaps: 0.15,
            assimilation: 0.2,
            decided_score: 2500,
            decided_plies: 6,
            random_moves: 0.0,
            max_plies: 400,
        }
    }
}
