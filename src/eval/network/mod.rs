//! The evaluation network: what a position is worth, learnt from games.
//!
//! The board is seen through 36 overlapping windows of 2x2 squares, each in one of 256 states, from
//! the side to move's point of view ([`features`]). Each state of each window has a row of weights;
//! the 36 rows that count are added up, neuron by neuron. A neuron's sum, limited to the range from
//! 0 to 1, is squared ("SCReLU"), and the weighted sum of the squares is the logarithm of the odds to
//! win, of which the score is a multiple.
//!
//! All of it is done in whole numbers, so that the score is the same on every machine and however
//! it is computed: [`Network::evaluate`] uses what the processor has, and
//! [`Network::evaluate_slowly`] is there to be read and to compare with. The sums are taken anew for
//! every position: 36 rows are so few that it costs no more than to keep track of what a move
//! changes.
//!
//! A network file is made by the trainer; [`Network::to_bytes`] says what it consists of.

mod description;
pub mod features;
mod format;
mod inference;
mod parameters;
#[cfg(test)]
pub(crate) mod test_positions;

use std::fmt;

pub use description::{DataSource, Description, TrainingFigures};
pub use format::NetworkError;
pub use parameters::{
    ACTIVATION_ONE, BIAS_LIMIT, OUTPUT_LIMIT, ParameterError, Parameters, WEIGHT_LIMIT, WIDTHS,
};

use crate::game::{Color, Position, Square};
use features::{ActiveRows, View};
use inference::{Engine, Layers};

/// A network, ready for use; it never changes, and threads may share it.
pub struct Network {
    parameters: Parameters,
    description: Description,
    layers: Layers,
    engine: Engine,
    checksum: u32,
}

impl Network {
    /// Makes a network of its parameters.
    ///
    /// # Errors
    ///
    /// When the parameters are not of the right number, or so large that sums could overflow.
    pub fn new(parameters: Parameters, description: Description) -> Result<Self, ParameterError> {
        parameters.check()?;
        let layers = Layers::new(&parameters);
        let checksum = parameters.checksum();
        Ok(Self { parameters, description, layers, engine: Engine::detect(), checksum })
    }

    /// The score of a position in cp, from the point of view of the side to move.
    #[inline]
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.evaluate_rows(&View::of(position).rows())
    }

    /// The same from the rows that count.
    ///
    /// # Panics
    ///
    /// When there is no such row: each must be less than [`features::ROWS`].
    #[inline]
    pub fn evaluate_rows(&self, rows: &ActiveRows) -> i32 {
        self.parameters.score(self.engine.output(&self.layers, rows))
    }

    /// The same, one neuron and one row after the other.
    pub fn evaluate_slowly(&self, position: &Position) -> i32 {
        let rows = View::of(position).rows();
        self.parameters.score(self.parameters.output(&rows))
    }

    /// By how much the score changes for the side to move if a stone is taken away; `None` where
    /// there is none.
    ///
    /// ```
    /// use physarum::{eval::Evaluation, game::{Position, Square}};
    ///
    /// let Evaluation::Network(network) = Evaluation::default() else { panic!("no network") };
    /// let position: Position = "xxxxxxx/xxxxxxx/xxxxxxx/ooooooo/ooooooo/ooooooo/7 x 0 40".parse().unwrap();
    /// let change = |file, rank| {
    ///     network.change_without(&position, Square::new(file, rank).unwrap())
    /// };
    /// assert!(change(3, 6).unwrap() < 0); // a stone of x, whose turn it is
    /// assert!(change(3, 2).unwrap() > 0); // a stone of o
    /// assert_eq!(change(3, 0), None);
    /// ```
    pub fn change_without(&self, position: &Position, square: Square) -> Option<i32> {
        let stones = Color::ALL.map(|color| position.stones(color));
        let (halfmove, fullmove) = (position.halfmove_clock(), position.fullmove_number());
        let without = Position::new(
            stones.map(|stones| stones.without(square.into())),
            position.gaps(),
            position.side_to_move(),
            halfmove,
            fullmove,
        );
        let is_stone = (stones[0] | stones[1]).contains(square);
        is_stone.then(|| self.evaluate(&without) - self.evaluate(position))
    }

    /// The numbers that it consists of.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Where it comes from.
    pub const fn description(&self) -> &Description {
        &self.description
    }

    /// A number made of all parameters, by which networks can be told apart.
    pub const fn checksum(&self) -> u32 {
        self.checksum
    }

    /// What the evaluation is computed with on this machine, as in `AVX2`.
    pub const fn engine(&self) -> &'static str {
        self.engine.name()
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("width", &self.parameters.width)
            .field("checksum", &format_args!("{:08x}", self.checksum))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::test_positions::random_positions;
    use super::*;

    #[test]
    fn every_way_to_compute_it_gives_the_same() {
        for (seed, width) in WIDTHS.into_iter().enumerate() {
            let parameters = Parameters::random(width, seed as u64);
            let network = Network::new(parameters, Description::default()).unwrap();
            let mut scores = std::collections::HashSet::new();
            for position in random_positions(100_000 / WIDTHS.len() + 1, seed as u64) {
                let slow = network.evaluate_slowly(&position);
                assert_eq!(network.evaluate(&position), slow, "{position}");
                let rows = View::of(&position).rows();
                for engine in Engine::all() {
                    let score = network.parameters.score(engine.output(&network.layers, &rows));
                    assert_eq!(score, slow, "{} {position}", engine.name());
                }
                scores.insert(slow);
            }
            assert!(scores.len() > 1000, "{}", scores.len());
        }
    }

    #[test]
    fn the_largest_parameters_overflow_nowhere() {
        for width in WIDTHS {
            for sign in [1, -1] {
                let parameters = Parameters::largest(width, sign);
                let network = Network::new(parameters, Description::default()).unwrap();
                for position in random_positions(100, 3) {
                    let slow = network.evaluate_slowly(&position);
                    assert_eq!(network.evaluate(&position), slow, "{position}");
                    assert_eq!(slow.signum(), i32::from(sign));
                }
            }
        }
    }

    #[test]
    fn only_the_side_to_move_matters_not_its_colour() {
        let network = Network::new(Parameters::random(64, 5), Description::default()).unwrap();
        for position in random_positions(100, 4) {
            let [black, white] = Color::ALL.map(|color| position.stones(color));
            let side = !position.side_to_move();
            let swapped = Position::new([white, black], position.gaps(), side, 0, 1);
            assert_eq!(network.evaluate(&swapped), network.evaluate(&position));
        }
    }

    #[test]
    fn changes_lead_to_the_score_without_the_stone() {
        let network = Network::new(Parameters::random(64, 6), Description::default()).unwrap();
        for position in random_positions(50, 5) {
            let stones = position.stones(Color::Black) | position.stones(Color::White);
            for square in Square::all() {
                let change = network.change_without(&position, square);
                assert_eq!(change.is_some(), stones.contains(square));
                let Some(change) = change else { continue };
                let text = position.to_string();
                let (board, rest) = text.split_once(' ').unwrap();
                let mut ranks: Vec<Vec<char>> = board
                    .split('/')
                    .map(|rank| {
                        let spread = |symbol: char| match symbol.to_digit(10) {
                            Some(count) => vec!['1'; count as usize],
                            None => vec![symbol],
                        };
                        rank.chars().flat_map(spread).collect()
                    })
                    .collect();
                ranks[Square::WIDTH - 1 - square.rank()][square.file()] = '1';
                let ranks: Vec<String> = ranks.into_iter().map(String::from_iter).collect();
                let without: Position = format!("{} {rest}", ranks.join("/")).parse().unwrap();
                assert_eq!(network.evaluate(&without), network.evaluate(&position) + change);
            }
        }
    }
}
