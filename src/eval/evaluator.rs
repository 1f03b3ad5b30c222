//! The evaluation that is used: the hand-written one or a network.

use std::sync::Arc;

use super::Terms;
use super::network::Network;
use crate::game::Position;

/// How positions are evaluated; clones share one network.
#[derive(Clone, Debug, Default)]
pub enum Evaluation {
    /// By the hand-written evaluation.
    #[default]
    Handcrafted,
    /// By a network.
    Network(Arc<Network>),
}

impl Evaluation {
    /// What it is called in data files.
    pub fn name(&self) -> String {
        match self {
            Self::Handcrafted => "hand-written".to_owned(),
            Self::Network(network) => {
                let (width, checksum) = (network.parameters().width, network.checksum());
                format!("network {checksum:08x} {width}")
            }
        }
    }

    /// A number by which the scores of different evaluations can be kept apart.
    pub fn fingerprint(&self) -> u64 {
        match self {
            Self::Handcrafted => 0,
            // Spread over all bits (by the golden ratio), and never 0.
            Self::Network(network) => {
                (u64::from(network.checksum()) | 1 << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            }
        }
    }
}

impl From<Network> for Evaluation {
    fn from(network: Network) -> Self {
        Self::Network(Arc::new(network))
    }
}

/// Evaluates positions.
///
/// Each search thread has its own, so that an evaluation may keep what it has computed.
///
/// ```
/// use physarum::{eval::Evaluator, game::Position};
///
/// let ahead: Position = "xxx4/xxx4/7/7/7/7/6o x 0 9".parse().unwrap();
/// assert!(Evaluator::default().evaluate(&ahead) > 100);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Evaluator(Evaluation);

impl Evaluator {
    /// Evaluates as asked for.
    pub fn new(evaluation: &Evaluation) -> Self {
        Self(evaluation.clone())
    }

    /// The score of a position in centi-stones, from the point of view of the side to move.
    ///
    /// The position is taken to be undecided; see [`Position::outcome`].
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        match &self.0 {
            Evaluation::Handcrafted => Terms::of(position).total(),
            Evaluation::Network(network) => network.evaluate(position),
        }
    }
}
