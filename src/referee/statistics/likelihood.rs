//! How likely results are at best, if the engines' true difference is a given one.
//!
//! Results are a sample of a distribution over `N` outcomes that are worth 0, 1/(N-1), …, 1. Among
//! all distributions with a given mean, or a given t-value (how far the mean is above ½, in
//! standard deviations), one makes the sample likeliest; the generalised likelihood ratio compares
//! two such hypotheses at their best. All of it follows M. Van den Bergh, *Comments on Normalized
//! Elo*, <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>, sections 1 and 4, except
//! how the equation for the t-value is solved: the iteration given there has no first step for
//! great differences, and where there are several solutions it may end at a worse one.

/// Takes the place of a count of zero, so that no outcome is impossible; as in fishtest.
const REGULARIZED_ZERO: f64 = 1e-3;
/// Below this distance from 0, a t-value is 0.
const TINY_T_VALUE: f64 = 1e-9;
/// Intervals in which a solution is looked for.
const SCAN_STEPS: u32 = 32;
/// Enough halvings of an interval for any solution; Newton's method rarely needs ten steps.
const MAX_STEPS: u32 = 100;
/// The relative width at which a standard deviation is known well enough. The likelihood is flat
/// there, so its own error is this one's square.
const DEVIATION_PRECISION: f64 = 1e-10;

/// What is assumed of the distribution.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hypothesis {
    /// Its mean, above 0 and below 1.
    Mean(f64),
    /// Its t-value, from -√8 to √8: farther out the outcomes above ½ can't all be reached from one
    /// interval of deviations (see [`Sample::shortfall_at_t_value`]).
    TValue(f64),
}

/// Results of independent trials.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<const N: usize> {
    trials: f64,
    shares: [f64; N],
}

impl<const N: usize> Sample<N> {
    /// A sample from the counts of each outcome, the worst first; `None` without a trial.
    pub(super) fn new(counts: [u64; N]) -> Option<Self> {
        let counts = counts.map(|count| count as f64);
        let any = counts.iter().any(|&count| count > 0.0);
        let counts = counts.map(|count| if count > 0.0 { count } else { REGULARIZED_ZERO });
        let trials: f64 = counts.iter().sum();
        any.then(|| Self { trials, shares: counts.map(|count| count / trials) })
    }

    /// The logarithm of the generalised likelihood ratio: above 0 where `h1` explains the sample
    /// better than `h0`.
    pub(super) fn log_likelihood_ratio(&self, h0: Hypothesis, h1: Hypothesis) -> f64 {
        self.trials * (self.shortfall(h0) - self.shortfall(h1))
    }

    /// How much log likelihood per trial a hypothesis costs, compared with none.
    fn shortfall(&self, hypothesis: Hypothesis) -> f64 {
        match hypothesis {
            Hypothesis::Mean(mean) => {
                let values = Self::outcomes().map(|outcome| outcome - mean);
                Tilt::new(&self.shares, &values).map_or(f64::INFINITY, |tilt| tilt.shortfall)
            }
            Hypothesis::TValue(t) if t.abs() < TINY_T_VALUE => {
                self.shortfall(Hypothesis::Mean(0.5))
            }
            Hypothesis::TValue(t) if t < 0.0 => self.reversed().shortfall_at_t_value(-t),
            Hypothesis::TValue(t) => self.shortfall_at_t_value(t),
        }
    }

    /// The shortfall for a t-value above 0.
    ///
    /// Distributions with a t-value are those with `mean - t deviation = ½`. That is not linear in
    /// the probabilities, but its tangent at a distribution with deviation `d` is, and all that it
    /// depends on is `d`. So each `d` gives a [`Tilt`], and the sought distribution is one that has
    /// the deviation `d` itself, with which the tangent was drawn: a root in one unknown, or the
    /// likeliest of several.
    ///
    /// A tilt needs an outcome on each side of the tangent. Worst outcomes are always below, and
    /// `½ + a` is above for `d` between `a` divided by `most` and by `least`. At the first end all
    /// weight is on that outcome and the deviation from `d` positive, at the other end negative, so
    /// there is a root between them.
    fn shortfall_at_t_value(&self, t: f64) -> f64 {
        let root = (1.0 + t * t).sqrt();
        let (least, most) = (t * root / (1.0 + root), t + (1.0 + root) / t);
        let nearest = 1.0 / (N - 1) as f64;
        let (start, end) = (nearest / most, 0.5 / least);
        let ratio = libm::pow(end / start, 1.0 / f64::from(SCAN_STEPS));

        let (mut low, mut was_wider) = (start, true);
        let mut best = f64::INFINITY;
        for step in 1..=SCAN_STEPS {
            let high = low * ratio;
            let is_wider = step < SCAN_STEPS
                && self.tilt_at_deviation(t, high).is_some_and(|(excess, _)| excess > 0.0);
            if was_wider && !is_wider {
                best = best.min(self.shortfall_between(t, low, high));
            }
            (low, was_wider) = (high, is_wider);
        }
        best
    }

    /// The shortfall at the root between two deviations, the second of which is too high.
    fn shortfall_between(&self, t: f64, mut low: f64, mut high: f64) -> f64 {
        let mut shortfall = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            let middle = f64::midpoint(low, high);
            let tilt = self.tilt_at_deviation(t, middle);
            shortfall = tilt.map_or(shortfall, |(_, shortfall)| shortfall);
            if tilt.is_some_and(|(excess, _)| excess > 0.0) {
                low = middle;
            } else {
                high = middle;
            }
            if high - low <= DEVIATION_PRECISION * high {
                break;
            }
        }
        shortfall
    }

    /// For the tangent at a deviation: by how much the variance of the likeliest distribution is
    /// above that deviation's square, and its shortfall.
    fn tilt_at_deviation(&self, t: f64, deviation: f64) -> Option<(f64, f64)> {
        let mean = 0.5 + t * deviation;
        let values = Self::outcomes().map(|outcome| {
            let distance = (outcome - mean) / deviation;
            outcome - 0.5 - 0.5 * t * deviation * (1.0 + distance * distance)
        });
        let tilt = Tilt::new(&self.shares, &values)?;
        let variance: f64 = Self::outcomes()
            .iter()
            .zip(tilt.shares)
            .map(|(outcome, share)| share * (outcome - mean) * (outcome - mean))
            .sum();
        Some((variance - deviation * deviation, tilt.shortfall))
    }

    fn reversed(mut self) -> Self {
        self.shares.reverse();
        self
    }

    fn outcomes() -> [f64; N] {
        std::array::from_fn(|index| index as f64 / (N - 1) as f64)
    }
}

/// The distribution that makes a sample likeliest among those for which some values are 0 on
/// average: each share is divided by `1 + m value`, with the one multiplier `m` that does it
/// (Van den Bergh, proposition 1.1).
struct Tilt<const N: usize> {
    shares: [f64; N],
    shortfall: f64,
}

impl<const N: usize> Tilt<N> {
    /// `None` if the values are all on one side of 0.
    fn new(shares: &[f64; N], values: &[f64; N]) -> Option<Self> {
        let multiplier = multiplier(shares, values)?;
        let products = values.map(|value| multiplier * value);
        Some(Self {
            shares: std::array::from_fn(|index| shares[index] / (1.0 + products[index])),
            shortfall: shares
                .iter()
                .zip(products)
                .map(|(share, product)| share * libm::log1p(product))
                .sum(),
        })
    }
}

/// Solves `Σ share value / (1 + m value) = 0` for `m`, with Newton's method while that stays in
/// the interval that the solution is known to be in, and by halving it otherwise. The left side
/// falls from +∞ to -∞ between its poles.
fn multiplier<const N: usize>(shares: &[f64; N], values: &[f64; N]) -> Option<f64> {
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    if !(least < 0.0 && greatest > 0.0) {
        return None;
    }
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    let mut multiplier = 0.0;
    for _ in 0..MAX_STEPS {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (share, value) in shares.iter().zip(values) {
            let tilted = value / (1.0 + multiplier * value);
            sum += share * tilted;
            slope -= share * tilted * tilted;
        }
        if sum > 0.0 {
            low = multiplier;
        } else {
            high = multiplier;
        }
        let newton = multiplier - sum / slope;
        let next = if low < newton && newton < high { newton } else { f64::midpoint(low, high) };
        if next == multiplier || next <= low || next >= high {
            break;
        }
        multiplier = next;
    }
    Some(multiplier)
}

#[cfg(test)]
mod tests {
    use super::super::examples::close;
    use super::*;

    #[test]
    fn a_sample_fits_itself() {
        let sample = Sample::new([10, 20, 40, 20, 30]).unwrap();
        let mean = (5.0 + 20.0 + 15.0 + 30.0) / 120.0;
        assert!(sample.shortfall(Hypothesis::Mean(mean)).abs() < 1e-15);
        assert!(sample.shortfall(Hypothesis::Mean(mean + 0.1)) > 0.0);

        let variance: f64 = [10.0, 20.0, 40.0, 20.0, 30.0]
            .into_iter()
            .zip(Sample::<5>::outcomes())
            .map(|(count, outcome)| count / 120.0 * (outcome - mean) * (outcome - mean))
            .sum();
        let t = (mean - 0.5) / variance.sqrt();
        assert!(sample.shortfall(Hypothesis::TValue(t)).abs() < 1e-15);
        assert!(sample.shortfall(Hypothesis::TValue(t + 0.1)) > 0.0);
    }

    /// Without draws there is one unknown: p = mean, and p = ½ + t / (2 √(1 + t²)).
    #[test]
    fn two_outcomes_are_a_coin() {
        let sample = Sample::new([30, 70]).unwrap();
        let cost = |p: f64| 0.3 * (0.3 / (1.0 - p)).ln() + 0.7 * (0.7 / p).ln();
        for p in [0.05, 0.3, 0.5, 0.7, 0.71, 0.98] {
            assert!(close(sample.shortfall(Hypothesis::Mean(p)), cost(p), 12));
        }
    }

    /// With next to no draws in the middle, three outcomes are nearly a coin.
    #[test]
    fn the_t_value_of_a_coin() {
        let sample = Sample::new([300_000, 0, 700_000]).unwrap();
        let cost = |p: f64| 0.3 * (0.3 / (1.0 - p)).ln() + 0.7 * (0.7 / p).ln();
        for t in [-0.5, -0.1f64, 0.0, 0.3, 0.4, 0.8] {
            let p = 0.5 + t / (2.0 * (1.0 + t * t).sqrt());
            let found = sample.shortfall(Hypothesis::TValue(t));
            assert!(close(found, cost(p), 6), "{t}: {found} is not {}", cost(p));
        }
    }

    #[test]
    fn t_values_near_zero_are_continuous() {
        let sample = Sample::new([5, 20, 40, 25, 11]).unwrap();
        let at_zero = sample.shortfall(Hypothesis::TValue(0.0));
        for t in [1e-10, 1.1e-9, 1e-7] {
            for t in [t, -t] {
                assert!(close(sample.shortfall(Hypothesis::TValue(t)), at_zero, 7), "{t}");
            }
        }
    }
}
