//! The evaluation that is used: a network, or the hand-written one.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::Terms;
use super::network::{Network, NetworkError};
use crate::game::Position;

/// The network that the program has of its own, trained on its own games.
static DEFAULT: LazyLock<Option<Arc<Network>>> =
    LazyLock::new(|| Network::from_bytes(include_bytes!("default.net")).ok().map(Arc::new));

/// How positions are evaluated; clones share one network. By default it is the program's own network.
#[derive(Clone, Debug)]
pub enum Evaluation {
    /// By the hand-written evaluation.
    Handcrafted,
    /// By a network.
    Network(Arc<Network>),
}

impl Default for Evaluation {
    fn default() -> Self {
        // A test makes sure that the network is there.
        DEFAULT.clone().map_or(Self::Handcrafted, Self::Network)
    }
}

impl Evaluation {
    /// The name of the hand-written evaluation, where a file could stand too.
    pub const HANDCRAFTED: &str = "hand-written";

    /// The network in a file, or the hand-written evaluation if that is what stands in the file's
    /// place.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or holds no network that this program can use.
    pub fn open(path: &Path) -> Result<Self, NetworkError> {
        if path == Path::new(Self::HANDCRAFTED) {
            return Ok(Self::Handcrafted);
        }
        Network::open(path).map(Self::from)
    }

    /// What it is called in data files.
    pub fn name(&self) -> String {
        match self {
            Self::Handcrafted => Self::HANDCRAFTED.to_owned(),
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

    /// The score of a position, from the point of view of the side to move: 600 times the logarithm of
    /// the odds to win, as far as the network has learnt them.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_a_network_that_knows_what_stones_are() {
        assert!(matches!(Evaluation::default(), Evaluation::Network(_)));
        let evaluate = |fen: &str| Evaluator::default().evaluate(&fen.parse().unwrap());
        assert!(evaluate("xxxxxxx/xxxxxxx/xxxxxxx/xxxxx2/7/7/oo4o x 0 30") > 600);
        assert!(evaluate("xxxxxxx/xxxxxxx/xxxxxxx/xxxxx2/7/7/oo4o o 0 30") < -600);
        // On a board with gaps too.
        assert!(evaluate("xxxxxxx/xx-x-xx/xxxxxxx/xxxxx2/2-1-2/7/oo4o x 0 30") > 600);
    }
}
