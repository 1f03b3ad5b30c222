//! The numbers that a network consists of.

use thiserror::Error;

use super::features::{ActiveRows, ROWS, WINDOWS};

/// The whole number that stands for 1 in the first layer: in its weights and in its neurons.
pub const ACTIVATION_ONE: i32 = 63;
/// How far from zero the first layer's weights may be: so little that four of them can be added up
/// as bytes, 32 at a time.
pub const WEIGHT_LIMIT: i8 = i8::MAX / 4;
/// How far from zero the first layer's biases may be.
pub const BIAS_LIMIT: i16 = 14_000;
/// How far from zero the second layer's weights may be.
pub const OUTPUT_LIMIT: i16 = 511;
/// The numbers of neurons that there may be.
pub const WIDTHS: [usize; 3] = [64, 128, 256];

// A neuron's sum is in the range of an i16, whatever the board.
const _: () = assert!(WINDOWS as i32 * WEIGHT_LIMIT as i32 + BIAS_LIMIT as i32 <= i16::MAX as i32);
// So is a neuron times its output weight.
const _: () = assert!(ACTIVATION_ONE * OUTPUT_LIMIT as i32 <= i16::MAX as i32);
// All neurons together are in the range of an i32.
const _: () = assert!(
    WIDTHS[2] as i64 * (ACTIVATION_ONE * ACTIVATION_ONE) as i64 * (OUTPUT_LIMIT as i64)
        < i32::MAX as i64
);

/// No score, in cp, is farther from zero.
const SCORE_LIMIT: i64 = 20_000;

/// The parameters of a network in whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How many neurons there are, one of [`WIDTHS`].
    pub width: usize,
    /// For each of the [`ROWS`], a weight for each neuron; [`ACTIVATION_ONE`] stands for 1.
    pub rows: Vec<i8>,
    /// What each neuron begins with; [`ACTIVATION_ONE`] stands for 1.
    pub biases: Vec<i16>,
    /// What each neuron's square counts for.
    pub outputs: Vec<i16>,
    /// What the sum of the squares, each times its weight, begins with.
    pub output_bias: i32,
    /// How many cp that sum stands for: the score is the sum times this by 2³², rounded.
    pub multiplier: u32,
}

/// Why numbers make no network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// There may not be that many neurons.
    #[error("{0} neurons; networks have 64, 128 or 256")]
    Width(usize),
    /// There are too few or too many numbers of a kind.
    #[error("{got} {kind}, where {expected} are expected")]
    Count {
        /// Which numbers.
        kind: &'static str,
        /// How many there are.
        got: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A number is too far from zero.
    #[error("one of the {kind} is {got}, farther from zero than {limit}")]
    Limit {
        /// Which numbers.
        kind: &'static str,
        /// The number.
        got: i32,
        /// The limit.
        limit: i32,
    },
}

/// How far from zero the output's bias may be.
const OUTPUT_BIAS_LIMIT: i32 = 10_000_000;

const _: () = assert!(
    WIDTHS[2] as i64 * (ACTIVATION_ONE * ACTIVATION_ONE) as i64 * (OUTPUT_LIMIT as i64)
        + OUTPUT_BIAS_LIMIT as i64
        <= i32::MAX as i64
);

/// Whether there are as many numbers as expected, none of them too far from zero.
fn check_numbers<T: Copy + Into<i32>>(
    kind: &'static str,
    numbers: &[T],
    expected: usize,
    limit: T,
) -> Result<(), ParameterError> {
    if numbers.len() != expected {
        return Err(ParameterError::Count { kind, got: numbers.len(), expected });
    }
    let limit = limit.into();
    match numbers.iter().map(|&number| number.into()).find(|number| number.abs() > limit) {
        Some(got) => Err(ParameterError::Limit { kind, got, limit }),
        None => Ok(()),
    }
}

impl Parameters {
    /// Whether all numbers are there, and small enough that no sum can overflow.
    pub(super) fn check(&self) -> Result<(), ParameterError> {
        let Self { width, rows, biases, outputs, output_bias, multiplier: _ } = self;
        if !WIDTHS.contains(width) {
            return Err(ParameterError::Width(*width));
        }
        check_numbers("weights", rows, ROWS * width, WEIGHT_LIMIT)?;
        check_numbers("biases", biases, *width, BIAS_LIMIT)?;
        check_numbers("output weights", outputs, *width, OUTPUT_LIMIT)?;
        if output_bias.unsigned_abs() > OUTPUT_BIAS_LIMIT.unsigned_abs() {
            let (kind, got, limit) = ("output biases", *output_bias, OUTPUT_BIAS_LIMIT);
            return Err(ParameterError::Limit { kind, got, limit });
        }
        Ok(())
    }

    /// The sum of all neurons' squares, each times its weight: the network as it is meant to be
    /// read.
    pub(super) fn output(&self, active: &ActiveRows) -> i32 {
        let mut output = self.output_bias;
        for neuron in 0..self.width {
            let mut sum = i32::from(self.biases[neuron]);
            for &row in active {
                sum += i32::from(self.rows[usize::from(row) * self.width + neuron]);
            }
            let activation = sum.clamp(0, ACTIVATION_ONE);
            output += activation * activation * i32::from(self.outputs[neuron]);
        }
        output
    }

    /// The score, in cp, that an output stands for.
    #[inline(always)]
    pub(super) fn score(&self, output: i32) -> i32 {
        let scaled = i64::from(output) * i64::from(self.multiplier);
        ((scaled + (1 << 31)) >> 32).clamp(-SCORE_LIMIT, SCORE_LIMIT) as i32
    }

    /// All numbers as bytes, the lowest of each first: biases, output weights and rows.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let ends = self.biases.iter().chain(&self.outputs);
        let ends = ends.flat_map(|number| number.to_le_bytes());
        ends.chain(self.rows.iter().map(|&weight| weight as u8)).collect()
    }

    /// A checksum of all numbers.
    pub(super) fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&self.output_bias.to_le_bytes());
        hasher.update(&self.multiplier.to_le_bytes());
        for number in self.biases.iter().chain(&self.outputs) {
            hasher.update(&number.to_le_bytes());
        }
        hasher.update(bytemuck::cast_slice(&self.rows));
        hasher.finalize()
    }
}

#[cfg(test)]
impl Parameters {
    /// Random numbers, such that most neurons are neither always 0 nor always 1.
    pub(crate) fn random(width: usize, seed: u64) -> Self {
        let mut state = seed.wrapping_mul(2).wrapping_add(1);
        let mut numbers = |count: usize, limit: i16| -> Vec<i16> {
            let number = |_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(97);
                ((state >> 33) % (2 * limit as u64 + 1)) as i16 - limit
            };
            (0..count).map(number).collect()
        };
        Self {
            width,
            rows: numbers(ROWS * width, 30).into_iter().map(|weight| weight as i8).collect(),
            biases: numbers(width, 100),
            outputs: numbers(width, OUTPUT_LIMIT),
            output_bias: i32::from(numbers(1, 5000)[0]),
            multiplier: 825_600,
        }
    }

    /// Numbers as large as they may be, all with one sign.
    pub(crate) fn largest(width: usize, sign: i16) -> Self {
        Self {
            width,
            rows: vec![WEIGHT_LIMIT; ROWS * width],
            biases: vec![BIAS_LIMIT; width],
            outputs: vec![sign * OUTPUT_LIMIT; width],
            output_bias: i32::from(sign) * OUTPUT_BIAS_LIMIT,
            multiplier: u32::MAX >> 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_too_many_or_too_large_are_refused() {
        let good = Parameters::largest(64, -1);
        assert_eq!(good.check(), Ok(()));
        let refused = |change: fn(&mut Parameters)| {
            let mut bad = good.clone();
            change(&mut bad);
            bad.check().unwrap_err().to_string()
        };
        assert_eq!(refused(|p| p.width = 96), "96 neurons; networks have 64, 128 or 256");
        assert_eq!(refused(|p| p.biases.push(0)), "65 biases, where 64 are expected");
        let wrong = refused(|p| p.rows[12_345] = i8::MIN);
        assert_eq!(wrong, "one of the weights is -128, farther from zero than 31");
        let wrong = refused(|p| p.biases[63] = i16::MIN);
        assert_eq!(wrong, "one of the biases is -32768, farther from zero than 14000");
        let wrong = refused(|p| p.outputs[0] = OUTPUT_LIMIT + 1);
        assert_eq!(wrong, "one of the output weights is 512, farther from zero than 511");
        let wrong = refused(|p| p.output_bias = i32::MIN);
        assert!(wrong.starts_with("one of the output biases is -2147483648"), "{wrong}");
    }

    #[test]
    fn scores_are_rounded_to_the_nearest() {
        let half = Parameters { multiplier: 1 << 31, ..Parameters::largest(64, 1) };
        assert_eq!([-3, -2, 0, 2, 3].map(|output| half.score(output)), [-1, -1, 0, 1, 2]);
        let tenth = Parameters { multiplier: 429_496_730, ..half };
        assert_eq!([-1004, -6, 6, 1006].map(|output| tenth.score(output)), [-100, -1, 1, 101]);
    }
}
