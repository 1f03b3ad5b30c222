//! The sequential probability ratio test: when a match has shown enough.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Tally;
use super::elo::{NORMALIZED_ELO_PER_DEVIATION, expected_score};
use super::likelihood::{Hypothesis, Sample};
use crate::protocol::quote;

/// The hypotheses of a [`Sprt`] lie within this distance from 0, in either kind of Elo. A greater
/// difference shows in a few games.
// For pairs this is a t-value of 2.44, which the likelihoods can deal with.
pub const MAX_SPRT_ELO: f64 = 600.0;

const DEFAULT_RISK: f64 = 0.05;

/// What the Elo of a test's hypotheses means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SprtModel {
    /// [`NormalizedElo`](super::NormalizedElo): how long a test takes doesn't depend on draws or
    /// openings.
    #[default]
    Normalized,
    /// Plain [`Elo`](super::Elo).
    Logistic,
}

impl SprtModel {
    /// All models.
    pub const ALL: [Self; 2] = [Self::Normalized, Self::Logistic];

    /// The model's name as options write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normalized => "normalized",
            Self::Logistic => "logistic",
        }
    }

    /// What a difference in strength says about units of so many games.
    fn hypothesis(self, elo: f64, games: f64) -> Hypothesis {
        match self {
            Self::Normalized => {
                Hypothesis::TValue(elo / NORMALIZED_ELO_PER_DEVIATION * games.sqrt())
            }
            Self::Logistic => Hypothesis::Mean(expected_score(elo)),
        }
    }
}

impl fmt::Display for SprtModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SprtModel {
    type Err = SprtError;

    /// Reads a name in any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|model| model.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| SprtError::UnknownModel(text.to_string()))
    }
}

/// Why there is no such test.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SprtError {
    /// Something that must be given is not.
    #[error("{0} is missing: elo0=NUMBER,elo1=NUMBER is expected")]
    Missing(&'static str),
    /// A part of the text has no `=`.
    #[error("{} has no value: KEY=VALUE is expected", quote(.0))]
    NoValue(String),
    /// No such key.
    #[error("unknown key {}: elo0, elo1, alpha, beta or model is expected", quote(.0))]
    UnknownKey(String),
    /// A key was given twice.
    #[error("{0} is given twice")]
    Duplicate(&'static str),
    /// A value is not a number.
    #[error("{key}: a number is expected, not {}", quote(.found))]
    NotANumber {
        /// Which value.
        key: &'static str,
        /// The text in its place.
        found: String,
    },
    /// No such model.
    #[error("model: normalized or logistic is expected, not {}", quote(.0))]
    UnknownModel(String),
    /// A hypothesis is not a finite number, or too far from 0.
    #[error("{key}: a number from -{MAX_SPRT_ELO} to {MAX_SPRT_ELO} is expected, not {found}")]
    EloOutOfRange {
        /// Which value.
        key: &'static str,
        /// The value.
        found: f64,
    },
    /// A risk is not a probability.
    #[error("{key}: a number above 0 and below 1 is expected, not {found}")]
    RiskOutOfRange {
        /// Which value.
        key: &'static str,
        /// The value.
        found: f64,
    },
    /// The hypotheses are the same, or the wrong way round.
    #[error("elo1 must be greater than elo0, but {elo1} is not greater than {elo0}")]
    EloOrder {
        /// The first hypothesis.
        elo0: f64,
        /// The second hypothesis.
        elo1: f64,
    },
    /// A test with such risks would be decided before it begins.
    #[error("alpha and beta must be less than 1 together, but {alpha} and {beta} are not")]
    RiskSum {
        /// The risk of accepting H1 wrongly.
        alpha: f64,
        /// The risk of accepting H0 wrongly.
        beta: f64,
    },
}

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The first engine is not better than `elo0`.
    AcceptH0,
    /// The first engine is at least `elo1` better.
    AcceptH1,
    /// More games are needed.
    Continue,
}

impl fmt::Display for Decision {
    /// `H0 accepted`, `H1 accepted` or `undecided`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AcceptH0 => "H0 accepted",
            Self::AcceptH1 => "H1 accepted",
            Self::Continue => "undecided",
        })
    }
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtStatus {
    /// The log likelihood ratio, finite; above 0 where H1 explains the games better.
    pub llr: f64,
    /// H0 is accepted at this ratio or below; below 0.
    pub lower: f64,
    /// H1 is accepted at this ratio or above; above 0.
    pub upper: f64,
    /// What that means.
    pub decision: Decision,
}

impl fmt::Display for SprtStatus {
    /// `LLR 1.42 (-2.94, 2.94), undecided`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { llr, lower, upper, decision } = self;
        write!(f, "LLR {llr:.2} ({lower:.2}, {upper:.2}), {decision}")
    }
}

/// A sequential probability ratio test of H1, "the first engine is `elo1` stronger", against H0,
/// "it is `elo0` stronger", which wrongly accepts H1 with the probability `alpha` and H0 with the
/// probability `beta`.
///
/// A. Wald, *Sequential Tests of Statistical Hypotheses*, 1945, for the bounds; X. Li, J. Liu,
/// Z. Ying, *Generalized Sequential Probability Ratio Test for Separate Families of Hypotheses*,
/// 2014, and M. Van den Bergh, *Comments on Normalized Elo*, for the ratio, which is the
/// generalised one: draws and openings are left as they are found, and only the difference in
/// strength is tested. A result that has not occurred is counted as a thousandth of one.
///
/// The text form is `elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalized`, in any order; all but
/// the first two may be left out, and then have these values.
///
/// ```
/// use physarum::referee::Sprt;
///
/// let sprt: Sprt = "elo0=0,elo1=5".parse().unwrap();
/// assert_eq!(sprt.to_string(), "elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalized");
///
/// let error = "elo0=5,elo1=0".parse::<Sprt>().unwrap_err();
/// assert_eq!(error.to_string(), "elo1 must be greater than elo0, but 0 is not greater than 5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo: [f64; 2],
    alpha: f64,
    beta: f64,
    model: SprtModel,
}

impl Sprt {
    /// A test.
    ///
    /// # Errors
    ///
    /// Both Elo must lie within [`MAX_SPRT_ELO`] from 0, the first below the second; `alpha` and
    /// `beta` must be above 0, and less than 1 together.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: SprtModel,
    ) -> Result<Self, SprtError> {
        for (key, found) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-MAX_SPRT_ELO..=MAX_SPRT_ELO).contains(&found) {
                return Err(SprtError::EloOutOfRange { key, found });
            }
        }
        for (key, found) in [("alpha", alpha), ("beta", beta)] {
            if !(found > 0.0 && found < 1.0) {
                return Err(SprtError::RiskOutOfRange { key, found });
            }
        }
        if elo1 <= elo0 {
            return Err(SprtError::EloOrder { elo0, elo1 });
        }
        if alpha + beta >= 1.0 {
            return Err(SprtError::RiskSum { alpha, beta });
        }
        Ok(Self { elo: [elo0, elo1], alpha, beta, model })
    }

    /// The differences in strength that are tested, H0's first.
    pub const fn elo(&self) -> [f64; 2] {
        self.elo
    }

    /// The probability of accepting H1 although H0 is true.
    pub const fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The probability of accepting H0 although H1 is true.
    pub const fn beta(&self) -> f64 {
        self.beta
    }

    /// What the Elo means.
    pub const fn model(&self) -> SprtModel {
        self.model
    }

    /// The log likelihood ratio of the games, 0 without any; always finite.
    ///
    /// Pairs count as pairs. Games without a partner add a ratio of their own, because they are
    /// a sample of their own; those that still wait for their partner count when it has ended.
    pub fn llr(&self, tally: &Tally) -> f64 {
        self.sample_llr(tally.pairs().counts(), 2.0)
            + self.sample_llr(tally.singles().counts(), 1.0)
    }

    /// The ratios at which H0 and H1 are accepted.
    pub fn bounds(&self) -> [f64; 2] {
        [libm::log(self.beta / (1.0 - self.alpha)), libm::log((1.0 - self.beta) / self.alpha)]
    }

    /// The ratio, its bounds and the decision.
    pub fn status(&self, tally: &Tally) -> SprtStatus {
        let llr = self.llr(tally);
        let [lower, upper] = self.bounds();
        let decision = match llr {
            _ if llr >= upper => Decision::AcceptH1,
            _ if llr <= lower => Decision::AcceptH0,
            _ => Decision::Continue,
        };
        SprtStatus { llr, lower, upper, decision }
    }

    fn sample_llr<const N: usize>(&self, counts: [u64; N], games: f64) -> f64 {
        let [h0, h1] = self.elo.map(|elo| self.model.hypothesis(elo, games));
        Sample::new(counts).map_or(0.0, |sample| sample.log_likelihood_ratio(h0, h1))
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elo: [elo0, elo1], alpha, beta, model } = self;
        write!(f, "elo0={elo0},elo1={elo1},alpha={alpha},beta={beta},model={model}")
    }
}

impl FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut elo0, mut elo1, mut alpha, mut beta, mut model) = (None, None, None, None, None);
        for part in text.split(',') {
            let (key, value) =
                part.split_once('=').ok_or_else(|| SprtError::NoValue(part.trim().to_string()))?;
            let value = value.trim();
            match key.trim() {
                "elo0" => set(&mut elo0, "elo0", number("elo0", value)?)?,
                "elo1" => set(&mut elo1, "elo1", number("elo1", value)?)?,
                "alpha" => set(&mut alpha, "alpha", number("alpha", value)?)?,
                "beta" => set(&mut beta, "beta", number("beta", value)?)?,
                "model" => set(&mut model, "model", value.parse()?)?,
                key => return Err(SprtError::UnknownKey(key.to_string())),
            }
        }
        Self::new(
            elo0.ok_or(SprtError::Missing("elo0"))?,
            elo1.ok_or(SprtError::Missing("elo1"))?,
            alpha.unwrap_or(DEFAULT_RISK),
            beta.unwrap_or(DEFAULT_RISK),
            model.unwrap_or_default(),
        )
    }
}

fn set<T>(slot: &mut Option<T>, key: &'static str, value: T) -> Result<(), SprtError> {
    match slot.replace(value) {
        Some(_) => Err(SprtError::Duplicate(key)),
        None => Ok(()),
    }
}

fn number(key: &'static str, text: &str) -> Result<f64, SprtError> {
    text.parse().map_err(|_| SprtError::NotANumber { key, found: text.to_string() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::examples::{close, games, pairs};
    use super::super::{EngineResult, Played, Seat};
    use super::*;

    fn sprt(elo0: f64, elo1: f64, model: SprtModel) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
    }

    /// Values from scipy's SLSQP, which maximises Σ count ln p under the constraints Σ p = 1 and
    /// Σ p x = 1 / (1 + 10^(-elo/400)), from many starts and without knowing of multipliers.
    #[test]
    fn the_logistic_ratio_agrees_with_a_general_optimiser() {
        for (tally, elo1, expected) in [
            (games(136, 111, 96), 30.0, 3.226301157),
            (pairs([34, 54, 63, 64, 75]), 10.0, 2.551066995),
            (pairs([0, 3, 20, 5, 0]), 20.0, 0.158528359),
            (pairs([0, 0, 0, 0, 40]), 50.0, 5.343920359),
        ] {
            let llr = sprt(0.0, elo1, SprtModel::Logistic).llr(&tally);
            assert!(close(llr, expected, 7), "{llr} is not {expected}");
        }
    }

    /// As above, with the constraint Σ p x - ½ = t √(Σ p (x - mean)²), where t is Elo · ln 10 / 800,
    /// and √2 times that for pairs. The last ones have several local maxima.
    #[test]
    fn the_normalized_ratio_agrees_with_a_general_optimiser() {
        for (tally, elo0, elo1, expected) in [
            (games(136, 111, 96), 0.0, 30.0, 2.923695469),
            (games(10, 20, 3), -100.0, 100.0, 6.401147848),
            (pairs([34, 54, 63, 64, 75]), 0.0, 10.0, 2.483695481),
            (pairs([0, 3, 20, 5, 0]), 0.0, 20.0, 0.212703014),
            (pairs([0, 0, 0, 0, 40]), 0.0, 50.0, 7.274005440),
            (pairs([40, 10, 5, 1, 0]), -300.0, -200.0, -4.000386140),
            (pairs([5, 20, 40, 25, 10]), 100.0, 600.0, -125.058009516),
            (pairs([0, 2, 0, 0, 0]), 0.0, 300.0, -2.525394767),
            (pairs([0, 537, 364, 444, 0]), 0.0, 500.0, -1394.295656443),
            (pairs([86, 0, 0, 0, 2]), -600.0, 500.0, -245.783135926),
        ] {
            let llr = sprt(elo0, elo1, SprtModel::Normalized).llr(&tally);
            assert!(close(llr, expected, 6), "{llr} is not {expected}");
        }
    }

    /// The values in fastchess's own tests (sprt_test.cpp), which are rounded to two digits. Two
    /// more stand there for all games drawn and all pairs won, at its iteration's tolerance.
    #[test]
    fn the_ratio_agrees_with_fastchess() {
        use SprtModel::{Logistic, Normalized};
        for (tally, elo0, elo1, model, expected) in [
            (games(36433, 68692, 36027), 0.0, 2.0, Normalized, 0.92),
            (games(10871, 20431, 10650), -1.75, 0.25, Normalized, 2.30),
            (games(21404, 40708, 21184), 0.5, 2.5, Logistic, -1.57),
            (games(57433, 106593, 57030), 0.0, 2.0, Logistic, -2.59),
            (pairs([365, 16618, 36229, 16974, 390]), 0.0, 2.0, Normalized, 2.25),
            (pairs([127, 4883, 10712, 5150, 104]), -1.75, 0.25, Normalized, 3.01),
            (pairs([223, 9863, 21279, 10037, 246]), 0.5, 2.5, Logistic, -3.07),
            (pairs([871, 26175, 55983, 26678, 821]), 0.0, 2.0, Logistic, -4.98),
        ] {
            let llr = sprt(elo0, elo1, model).llr(&tally);
            assert!(close(llr, expected, 2), "{llr} is not {expected}");
        }
    }

    #[test]
    fn the_bounds_are_walds() {
        let status = sprt(0.0, 5.0, SprtModel::Normalized).status(&Tally::default());
        assert_eq!(status.to_string(), "LLR 0.00 (-2.94, 2.94), undecided");
        let [lower, upper] = Sprt::new(0.0, 5.0, 0.05, 0.1, SprtModel::Logistic).unwrap().bounds();
        assert!(close(lower, (0.1f64 / 0.95).ln(), 12));
        assert!(close(upper, (0.9f64 / 0.05).ln(), 12));
    }

    #[test]
    fn decisions_are_made() {
        for model in SprtModel::ALL {
            let sprt = sprt(0.0, 50.0, model);
            assert_eq!(sprt.status(&pairs([0, 0, 0, 0, 40])).decision, Decision::AcceptH1);
            assert_eq!(sprt.status(&pairs([40, 0, 0, 0, 0])).decision, Decision::AcceptH0);
            assert_eq!(sprt.status(&games(0, 0, 60)).decision, Decision::AcceptH0);
            assert_eq!(sprt.status(&games(1, 0, 0)).decision, Decision::Continue);
            // All drawn: no better than H0 for sure.
            assert_eq!(sprt.status(&games(0, 900, 0)).decision, Decision::AcceptH0);
        }
    }

    #[test]
    fn pairs_and_games_add_up_and_halves_wait() {
        let sprt = sprt(0.0, 20.0, SprtModel::Normalized);
        let (paired, single) = (pairs([3, 5, 9, 7, 4]), games(9, 5, 4));
        let mut both = paired;
        both += single;
        assert!(close(sprt.llr(&both), sprt.llr(&paired) + sprt.llr(&single), 12));

        let mut waiting = both;
        waiting.add_half(Played { result: EngineResult::Win, seat: Seat::First });
        assert_eq!(sprt.llr(&waiting), sprt.llr(&both));
    }

    #[test]
    fn text_is_read() {
        let full = " elo1 = 2.5, elo0=-1,model=Logistic,beta=0.1,alpha=1e-2".parse::<Sprt>();
        assert_eq!(full, Sprt::new(-1.0, 2.5, 0.01, 0.1, SprtModel::Logistic));
        for (text, message) in [
            ("", "\"\" has no value: KEY=VALUE is expected"),
            ("elo0=0,", "\"\" has no value: KEY=VALUE is expected"),
            ("elo0=0,elo1", "\"elo1\" has no value: KEY=VALUE is expected"),
            ("elo1=5", "elo0 is missing: elo0=NUMBER,elo1=NUMBER is expected"),
            ("elo0=5", "elo1 is missing: elo0=NUMBER,elo1=NUMBER is expected"),
            (
                "elo0=0,elo1=5,gamma=1",
                "unknown key \"gamma\": elo0, elo1, alpha, beta or model is expected",
            ),
            ("elo0=0,elo1=5,elo0=0", "elo0 is given twice"),
            ("elo0=0,elo1=5,model=logistic,model=logistic", "model is given twice"),
            ("elo0=0,elo1=5 Elo", "elo1: a number is expected, not \"5 Elo\""),
            ("elo0=,elo1=5", "elo0: a number is expected, not \"\""),
            ("elo0=0,elo1=NaN", "elo1: a number from -600 to 600 is expected, not NaN"),
            ("elo0=-inf,elo1=0", "elo0: a number from -600 to 600 is expected, not -inf"),
            ("elo0=0,elo1=1000", "elo1: a number from -600 to 600 is expected, not 1000"),
            (
                "elo0=0,elo1=5,model=bayesian",
                "model: normalized or logistic is expected, not \"bayesian\"",
            ),
            ("elo0=5,elo1=5", "elo1 must be greater than elo0, but 5 is not greater than 5"),
            ("elo0=0,elo1=5,alpha=0", "alpha: a number above 0 and below 1 is expected, not 0"),
            ("elo0=0,elo1=5,beta=nan", "beta: a number above 0 and below 1 is expected, not NaN"),
            (
                "elo0=0,elo1=5,alpha=0.5,beta=0.5",
                "alpha and beta must be less than 1 together, but 0.5 and 0.5 are not",
            ),
        ] {
            assert_eq!(text.parse::<Sprt>().unwrap_err().to_string(), message, "{text}");
        }
    }

    /// SplitMix64: the same games in every run.
    struct Random(u64);

    impl Random {
        fn unit(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = self.0;
            bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }

        /// The counts of one pair that has so many half points with the given probabilities.
        fn pair(&mut self, probabilities: [f64; 5]) -> Tally {
            let mut left = self.unit();
            let half_points = probabilities.iter().position(|probability| {
                left -= probability;
                left < 0.0
            });
            let mut counts = [0; 5];
            counts[half_points.unwrap_or(4)] = 1;
            pairs(counts)
        }
    }

    fn decide(sprt: Sprt, probabilities: [f64; 5], random: &mut Random) -> Decision {
        let mut tally = Tally::default();
        loop {
            tally += random.pair(probabilities);
            match sprt.status(&tally).decision {
                Decision::Continue => {}
                decision => return decision,
            }
        }
    }

    /// 400 tests under each hypothesis must go wrong about as often as they may: 20 times, with a
    /// deviation of 4.4.
    #[test]
    fn errors_are_as_rare_as_promised() {
        let even = [0.05, 0.2, 0.5, 0.2, 0.05];
        let better = [0.03, 0.16, 0.46, 0.25, 0.1];
        // What the second distribution is worth.
        let thousand = pairs(better.map(|probability| (1000.0 * probability) as u64));
        for (model, elo1) in [
            (SprtModel::Logistic, thousand.elo().unwrap().value.value()),
            (SprtModel::Normalized, thousand.normalized_elo().unwrap().value.value()),
        ] {
            let sprt = sprt(0.0, elo1, model);
            let mut random = Random(1);
            let mut wrong = |probabilities, decision| {
                (0..400).filter(|_| decide(sprt, probabilities, &mut random) == decision).count()
            };
            let errors = [wrong(even, Decision::AcceptH1), wrong(better, Decision::AcceptH0)];
            assert!(errors.iter().all(|&count| (5..=33).contains(&count)), "{model}: {errors:?}");
        }
    }

    fn any_sprt() -> impl Strategy<Value = Sprt> {
        (-600.0f64..599.0, 0.1f64..300.0, any::<bool>()).prop_map(|(elo0, width, normalized)| {
            let model = if normalized { SprtModel::Normalized } else { SprtModel::Logistic };
            sprt(elo0, (elo0 + width).min(MAX_SPRT_ELO), model)
        })
    }

    /// Counts from none to millions, many of them 0.
    fn any_counts<const N: usize>() -> impl Strategy<Value = [u64; N]> {
        let count = prop_oneof![Just(0u64), 0u64..20, 0u64..100_000_000];
        proptest::collection::vec(count, N).prop_map(|counts| std::array::from_fn(|i| counts[i]))
    }

    proptest! {
        #[test]
        fn text_is_written_as_it_is_read(sprt in any_sprt()) {
            prop_assert_eq!(sprt.to_string().parse(), Ok(sprt));
        }

        #[test]
        fn nothing_in_a_text_makes_it_panic(text in "[elo01alphbtmd=,.+ -]{0,30}|\\PC*") {
            let _ = text.parse::<Sprt>();
        }

        #[test]
        fn the_ratio_is_finite(
            sprt in any_sprt(),
            five in any_counts::<5>(),
            three in any_counts::<3>(),
        ) {
            prop_assert!(sprt.sample_llr(five, 2.0).is_finite());
            prop_assert!(sprt.sample_llr(three, 1.0).is_finite());
        }

        /// The other engine's test has the same ratio with the other sign.
        #[test]
        fn engines_change_places(sprt in any_sprt(), counts in any_counts::<5>()) {
            let [elo0, elo1] = sprt.elo();
            let other = Sprt::new(-elo1, -elo0, 0.05, 0.05, sprt.model()).unwrap();
            let mut reversed = counts;
            reversed.reverse();
            let (left, right) = (sprt.sample_llr(counts, 2.0), -other.sample_llr(reversed, 2.0));
            prop_assert!((left - right).abs() <= 1e-6 * (1.0 + left.abs()), "{} {}", left, right);
        }

        /// Where both hypotheses lie on one side of what was found, the nearer one is likelier.
        #[test]
        fn the_nearer_hypothesis_is_likelier(
            sprt in any_sprt(),
            counts in proptest::array::uniform5(1u64..40),
        ) {
            let tally = pairs(counts);
            let found = match sprt.model() {
                SprtModel::Logistic => tally.elo().unwrap().value.value(),
                SprtModel::Normalized => tally.normalized_elo().unwrap().value.value(),
            };
            let [elo0, elo1] = sprt.elo();
            let llr = sprt.llr(&tally);
            prop_assert!(elo1 > found || llr >= 0.0, "{} with {}", llr, found);
            prop_assert!(elo0 < found || llr <= 0.0, "{} with {}", llr, found);
        }

        #[test]
        fn twice_the_games_say_twice_as_much(
            sprt in any_sprt(),
            counts in proptest::array::uniform5(1u64..1000),
        ) {
            let once = sprt.sample_llr(counts, 2.0);
            let twice = sprt.sample_llr(counts.map(|count| 2 * count), 2.0);
            prop_assert!((twice - 2.0 * once).abs() <= 1e-6 * (1.0 + twice.abs()));
        }
    }
}
