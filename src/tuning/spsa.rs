//! Simultaneous perturbation stochastic approximation.
//!
//! J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic
//! optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (1998): in iteration k
//! all numbers are moved at once, each by c_k in a random direction, and once more the other way
//! round; the difference of what comes out, times a_k / c_k, moves them towards the better side. The
//! gains fall as a_k = a / (A + k)^0.602 and c_k = c / k^0.101, with A a tenth of the iterations.
//!
//! As usual among those who tune chess engines (fishtest has the same), a and c are not chosen but
//! what they come to in the last iteration: for each number its perturbation c_end, and the rate
//! r_end = a_end / c_end², which is the same for all.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::protocol::quote;
use crate::random::Random;
use crate::search::{ParameterInfo, Parameters};

const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// The iterations that count as made before the first, as a part of all.
const STABILITY: f64 = 0.1;
/// The perturbation at the end, as a part of the range, and never less than the second.
const USUAL_C_END: (f64, f64) = (0.05, 0.5);

/// A constant to be tuned.
///
/// In text `NAME[=START][:CEND]`:
///
/// ```
/// use physarum::tuning::Tunable;
///
/// let tunable: Tunable = "lmr_divisor=150:12.5".parse()?;
/// assert_eq!((tunable.start, tunable.c_end), (150.0, 12.5));
/// let tunable: Tunable = "lmr_divisor".parse()?;
/// assert_eq!((tunable.min, tunable.max, tunable.c_end), (80, 300, 11.0));
/// assert!("lmr_divisor=5".parse::<Tunable>().is_err());
/// # Ok::<(), physarum::tuning::TunableError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tunable {
    /// Its name, one of the search's constants.
    pub name: String,
    /// Where it starts.
    pub start: f64,
    /// How far it is moved to try what is better, in the last iteration.
    pub c_end: f64,
    /// The least that it may be.
    pub min: i32,
    /// The most.
    pub max: i32,
}

/// Why a text says nothing of a constant to be tuned.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TunableError {
    /// There is no such constant.
    #[error("there is no parameter {}", quote(.0))]
    Unknown(String),
    /// A number is wanted.
    #[error("{} is no number: NAME[=START][:CEND] is expected", quote(.0))]
    Malformed(String),
    /// The start is out of the range.
    #[error("{name} can start from {min} to {max}, not from {start}")]
    Start {
        /// The constant's name.
        name: String,
        /// Where it was to start.
        start: f64,
        /// The least that it may be.
        min: i32,
        /// The most.
        max: i32,
    },
    /// The perturbation is no part of the range.
    #[error("{name} can be moved by more than 0 and at most {most}, not by {c_end}")]
    CEnd {
        /// The constant's name.
        name: String,
        /// By how much it was to be moved.
        c_end: f64,
        /// The width of its range.
        most: f64,
    },
}

impl Tunable {
    /// A constant with what is usual: it starts from its default and is moved, in the end, by a
    /// twentieth of its range, or by a half if that is more.
    pub fn usual(info: &ParameterInfo) -> Self {
        let (min, max) = (*info.range.start(), *info.range.end());
        let (part, least) = USUAL_C_END;
        Self {
            name: info.name.to_owned(),
            start: info.default.into(),
            c_end: ((f64::from(max) - f64::from(min)) * part).max(least),
            min,
            max,
        }
    }

    /// Keeps a number in the range.
    pub(super) fn clamp(&self, value: f64) -> f64 {
        value.max(self.min.into()).min(self.max.into())
    }

    /// Whether start, step and range make sense.
    pub(super) fn check(&self) -> Result<(), TunableError> {
        let Self { start, c_end, min, max, .. } = *self;
        let name = self.name.clone();
        if !(start >= min.into() && start <= max.into()) {
            return Err(TunableError::Start { name, start, min, max });
        }
        let most = f64::from(max) - f64::from(min);
        if !(c_end > 0.0 && c_end <= most) {
            return Err(TunableError::CEnd { name, c_end, most });
        }
        Ok(())
    }
}

impl FromStr for Tunable {
    type Err = TunableError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (rest, c_end) = match text.split_once(':') {
            Some((rest, c_end)) => (rest, Some(c_end)),
            None => (text, None),
        };
        let (name, start) = match rest.split_once('=') {
            Some((name, start)) => (name, Some(start)),
            None => (rest, None),
        };
        let info = Parameters::all().into_iter().find(|info| info.name == name);
        let mut tunable = Self::usual(&info.ok_or_else(|| TunableError::Unknown(name.to_owned()))?);
        for (text, number) in [(start, &mut tunable.start), (c_end, &mut tunable.c_end)] {
            let Some(text) = text else { continue };
            *number = text.parse().map_err(|_| TunableError::Malformed(text.to_owned()))?;
        }
        tunable.check()?;
        Ok(tunable)
    }
}

/// How far and how fast things move in each iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gains {
    /// All iterations.
    pub(super) iterations: u64,
    /// The rate r_end.
    pub(super) rate: f64,
}

impl Gains {
    /// The perturbation c_k, in units of c_end. The first iteration has number 0 here.
    fn reach(self, iteration: u64) -> f64 {
        libm::pow(self.iterations as f64 / (iteration as f64 + 1.0), GAMMA)
    }

    /// a_k / c_k, in units of c_end: the move for each point by which the better side is better.
    fn step(self, iteration: u64) -> f64 {
        let all = self.iterations as f64;
        let stability = STABILITY * all;
        let fallen = (stability + all) / (stability + iteration as f64 + 1.0);
        self.rate * libm::pow(fallen, ALPHA) / self.reach(iteration)
    }
}

/// What is random in an iteration, for one constant.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Throw {
    /// The direction of the first player, 1 or -1.
    sign: f64,
    /// What is added before rounding down.
    lift: f64,
}

/// One iteration's perturbation of all constants.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Perturbation {
    gains: Gains,
    iteration: u64,
    throws: Vec<Throw>,
}

impl Perturbation {
    /// For so many constants.
    pub(super) fn new(gains: Gains, iteration: u64, count: usize, random: &mut Random) -> Self {
        let mut throw =
            || Throw { sign: if random.chance(0.5) { 1.0 } else { -1.0 }, lift: random.unit() };
        let throws = (0..count).map(|_| throw()).collect();
        Self { gains, iteration, throws }
    }

    /// What the two players play with, the one that goes along with the signs first.
    ///
    /// Numbers are rounded at random, up as often as they are near to the upper neighbour: what is
    /// played is right on average, and steps of less than 1 make themselves felt, where rounding to
    /// the nearest would often give both players the same. Both are rounded with the same throw,
    /// so that they differ by what they should, give or take less than 1.
    pub(super) fn values(&self, tunables: &[Tunable], theta: &[f64]) -> [Vec<i32>; 2] {
        let reach = self.gains.reach(self.iteration);
        [1.0, -1.0].map(|side| {
            let constants = tunables.iter().zip(theta).zip(&self.throws);
            let value = |((tunable, &theta), throw): ((&Tunable, &f64), &Throw)| {
                let wanted = theta + side * throw.sign * reach * tunable.c_end;
                let rounded = (tunable.clamp(wanted) + throw.lift).floor();
                // The sum may itself have been rounded up.
                tunable.clamp(rounded) as i32
            };
            constants.map(value).collect()
        })
    }

    /// Moves the numbers towards the first player, who has won by so many points, and keeps them in
    /// their ranges.
    pub(super) fn learn(&self, tunables: &[Tunable], theta: &mut [f64], points: f64) {
        let step = self.gains.step(self.iteration);
        for ((tunable, theta), throw) in tunables.iter().zip(theta).zip(&self.throws) {
            *theta = tunable.clamp(*theta + step * tunable.c_end * points * throw.sign);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tunable(start: f64, c_end: f64, min: i32, max: i32) -> Tunable {
        Tunable { name: "x".to_owned(), start, c_end, min, max }
    }

    #[test]
    fn the_last_iteration_has_the_gains_that_were_asked_for() {
        let gains = Gains { iterations: 5000, rate: 0.002 };
        assert!((gains.reach(4999) - 1.0).abs() < 1e-12);
        assert!((gains.step(4999) - 0.002).abs() < 1e-12);
        // By hand: 5000^0.101, and 0.002 * (5500 / 501)^0.602 / 5000^0.101.
        assert!((gains.reach(0) - 2.363720).abs() < 1e-6, "{}", gains.reach(0));
        assert!((gains.step(0) - 0.0035796).abs() < 1e-7, "{}", gains.step(0));
        assert!((1..5000).all(|k| gains.reach(k) < gains.reach(k - 1)));
    }

    #[test]
    fn noisy_results_lead_to_the_optimum() {
        // Strength falls by the square of the distance from the optimum, in units of c_end; two
        // games are won, drawn or lost by chance, as Elo has it.
        let tunables =
            [tunable(20.0, 4.0, 0, 100), tunable(900.0, 40.0, 0, 1000), tunable(3.0, 0.5, 1, 9)];
        let optimum = [44.0, 620.0, 5.5];
        let strength = |values: &[i32]| -> f64 {
            let distances = values.iter().zip(optimum).zip(&tunables);
            distances
                .map(|((&value, best), t)| -((f64::from(value) - best) / t.c_end).powi(2))
                .sum()
        };
        for seed in 1..=3 {
            let gains = Gains { iterations: 20_000, rate: 0.01 };
            let mut theta: Vec<f64> = tunables.iter().map(|tunable| tunable.start).collect();
            let mut noise = Random::new(1000 + seed);
            for iteration in 0..gains.iterations {
                let mut random = Random::of_game(seed, iteration);
                let perturbation = Perturbation::new(gains, iteration, theta.len(), &mut random);
                let [plus, minus] = perturbation.values(&tunables, &theta);
                let ahead = 0.1 * (strength(&plus) - strength(&minus));
                let chance = 1.0 / (1.0 + (-ahead).exp());
                let points: f64 = (0..2)
                    .map(|_| match noise.chance(0.2) {
                        true => 0.0,
                        false if noise.chance(chance) => 1.0,
                        false => -1.0,
                    })
                    .sum();
                perturbation.learn(&tunables, &mut theta, points);
            }
            for ((theta, best), tunable) in theta.iter().zip(optimum).zip(&tunables) {
                let off = (theta - best) / tunable.c_end;
                assert!(off.abs() < 0.5, "seed {seed}: {theta} instead of {best}");
            }
        }
    }

    #[test]
    fn values_stay_in_their_range_and_are_right_on_average() {
        let tunables = [tunable(0.3, 0.25, 0, 1), tunable(98.7, 7.0, -5, 100)];
        let theta = [0.3, 98.7];
        let gains = Gains { iterations: 10, rate: 0.1 };
        let mut sum = 0;
        for seed in 0..4000 {
            let mut random = Random::new(seed);
            let perturbation = Perturbation::new(gains, 9, 2, &mut random);
            let [plus, minus] = perturbation.values(&tunables, &theta);
            for values in [&plus, &minus] {
                assert!((0..=1).contains(&values[0]) && (-5..=100).contains(&values[1]));
            }
            assert!(plus[1].abs_diff(minus[1]) >= 7, "{plus:?} {minus:?}");
            sum += plus[0] + minus[0];
        }
        // 0.05 and 0.55 on average.
        assert!((2200..2600).contains(&sum), "{sum}");
    }

    #[test]
    fn steps_of_a_half_always_tell_the_players_apart() {
        let tunables = [tunable(3.0, 0.5, 0, 12)];
        let gains = Gains { iterations: 1, rate: 0.1 };
        for seed in 0..500 {
            let perturbation = Perturbation::new(gains, 0, 1, &mut Random::new(seed));
            let theta = 1.0 + seed as f64 / 50.0;
            let [plus, minus] = perturbation.values(&tunables, &[theta]);
            assert_eq!(plus[0].abs_diff(minus[0]), 1, "{theta}");
        }
    }

    #[test]
    fn nothing_leaves_its_range() {
        let tunables = [tunable(99.0, 10.0, 0, 100)];
        let gains = Gains { iterations: 10, rate: 1.0 };
        let mut theta = [99.0];
        let perturbation = Perturbation::new(gains, 0, 1, &mut Random::new(1));
        perturbation.learn(&tunables, &mut theta, 2.0 * perturbation.throws[0].sign);
        assert_eq!(theta, [100.0]);
    }

    #[test]
    fn what_is_wrong_with_a_text_is_told() {
        for (text, error) in [
            ("", r#"there is no parameter """#),
            ("lmr", r#"there is no parameter "lmr""#),
            ("lmr_base=", r#""" is no number: NAME[=START][:CEND] is expected"#),
            ("lmr_base=x", r#""x" is no number: NAME[=START][:CEND] is expected"#),
            ("lmr_base:x", r#""x" is no number: NAME[=START][:CEND] is expected"#),
            ("lmr_base=-1", "lmr_base can start from 0 to 150, not from -1"),
            ("lmr_base=NaN", "lmr_base can start from 0 to 150, not from NaN"),
            ("lmr_base:0", "lmr_base can be moved by more than 0 and at most 150, not by 0"),
            ("lmr_base:inf", "lmr_base can be moved by more than 0 and at most 150, not by inf"),
        ] {
            assert_eq!(text.parse::<Tunable>().unwrap_err().to_string(), error, "{text}");
        }
        let tunable: Tunable = "aspiration_shrink".parse().unwrap();
        assert_eq!((tunable.min, tunable.max, tunable.c_end), (0, 1, 0.5));
    }
}
