//! What a network file says about where the network comes from.

use serde::{Deserialize, Serialize};

/// Where a network comes from: the data, the training and how well it went.
///
/// What a file doesn't say has its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Description {
    /// When it was made, in UTC, as in `2026-01-31T12:00:00Z`.
    pub created: String,
    /// The version of the program that made it.
    pub engine: String,
    /// What it was trained on.
    pub data: Vec<DataSource>,
    /// How it was trained, and how well that went.
    pub training: TrainingFigures,
}

/// Some of the data that a network was trained on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DataSource {
    /// The seed of the games.
    pub seed: u64,
    /// The nodes of each search that gave a position its score.
    pub nodes: u64,
    /// The generation, as counted by who made the data.
    pub generation: u32,
    /// The evaluation that played.
    pub evaluation: String,
    /// How many games there are.
    pub games: u64,
    /// How many positions were used, for training or validation.
    pub positions: u64,
}

/// How a network was trained, and how well that went.
///
/// Losses are mean squared errors of the chance to win.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainingFigures {
    /// How many steps were made.
    pub steps: u64,
    /// The positions in a step.
    pub batch: u64,
    /// The seed of order and first weights.
    pub seed: u64,
    /// The learning rate after the warm-up.
    pub learning_rate: f64,
    /// The share of the game's result in what is learnt; the rest is the search's score.
    pub result_weight: f64,
    /// From score to score of a game, the weight of what comes after against the score itself.
    pub lookahead: f64,
    /// With every so many more empty squares the score itself counted half as much; 0: always the
    /// same.
    pub lookahead_halving: f64,
    /// Whether it was made to give all turns of a board the same score.
    pub symmetric: bool,
    /// The score, in cp, of odds e to 1 in the data.
    pub scale: f64,
    /// The score, in cp, of odds e to 1 as the network tells them.
    pub output_scale: f64,
    /// Positions trained on.
    pub positions: u64,
    /// Positions held out for validation, in whole games.
    pub held_out: u64,
    /// The mean loss in the last steps.
    pub loss: f64,
    /// The mean loss of the held-out positions.
    pub validation_loss: f64,
    /// The mean difference that rounding to whole numbers makes, in cp.
    pub mean_rounding: f64,
    /// The largest such difference, in cp.
    pub largest_rounding: f64,
}
