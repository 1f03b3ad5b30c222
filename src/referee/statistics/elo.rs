//! Scores, differences in strength and how sure they are.
//!
//! The score's variance is estimated from the units of chance: a pair of games is one, and so is a
//! game without a partner. With `N` games, the mean score `s` per game, and units of `n` games and
//! `x` points each, it is `Σ (x - n s)² / N²`. For pairs alone that is the pentanomial variance of
//! fastchess and fishtest, for games alone the trinomial one. Intervals are those of the normal
//! distribution, as there.
//!
//! When all units had the same result, that variance is zero, although nothing is certain. Then
//! the interval is the exact one for the share of units that might have had another result: it is
//! below `1 - 0.025^(1/n)` for `n` units (C. J. Clopper, E. S. Pearson, *The use of confidence or
//! fiducial limits illustrated in the case of the binomial*, 1934), and at worst they all end with
//! no points, or with all of them.

use std::f64::consts::{LN_10, SQRT_2};
use std::fmt;

use super::Tally;

/// A normal deviate lies within this distance from its mean with 95 % probability.
const Z95: f64 = 1.959_963_984_540_054;
/// What is left on each side of an interval of 95 %.
const TAIL: f64 = 0.025;
/// Normalised Elo for a mean that is one standard deviation above ½: 347.4…
pub(super) const NORMALIZED_ELO_PER_DEVIATION: f64 = 800.0 / LN_10;

/// The score per game, 0 to 1, that is expected from a difference in Elo.
///
/// A. E. Elo, *The Rating of Chessplayers, Past and Present*, 1978, in the logistic form.
pub(super) fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + libm::exp10(-elo / 400.0))
}

/// A difference in strength in Elo: 400 mean ten times the points of the opponent.
///
/// Infinite for scores of 0 and 100 %, never NaN.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Elo(f64);

impl Elo {
    /// The number; it may be infinite.
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The difference that explains a score; scores beyond 0 and 1 count as 0 and 1.
    fn from_score(score: f64) -> Self {
        Self(match score {
            s if s <= 0.0 => f64::NEG_INFINITY,
            s if s >= 1.0 => f64::INFINITY,
            s => 400.0 * libm::log10(s / (1.0 - s)),
        })
    }
}

impl From<Elo> for f64 {
    fn from(elo: Elo) -> Self {
        elo.0
    }
}

impl fmt::Display for Elo {
    /// `+12.3`, or `+inf` and `-inf`; a precision can be asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_signed(f, self.0)
    }
}

/// A difference in strength measured against the games' own scatter, so that draws and lopsided
/// openings don't make it smaller: 347.4 (800 / ln 10) times the score above ½ in standard
/// deviations of a game.
///
/// M. Van den Bergh, *Normalized Elo*, <https://www.cantate.be/Fishtest/normalized_elo.pdf>. Always
/// finite.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct NormalizedElo(f64);

impl NormalizedElo {
    /// The number.
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl From<NormalizedElo> for f64 {
    fn from(elo: NormalizedElo) -> Self {
        elo.0
    }
}

impl fmt::Display for NormalizedElo {
    /// `+12.3`; a precision can be asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_signed(f, self.0)
    }
}

fn write_signed(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    let precision = f.precision().unwrap_or(1);
    let text = format!("{value:+.precision$}");
    // No difference has no sign to speak of.
    let is_zero = text.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'0' | b'.'));
    f.write_str(&if is_zero { text.replace('-', "+") } else { text })
}

/// An estimate with its interval of 95 % confidence: `low <= value <= high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate<T> {
    /// The most likely value.
    pub value: T,
    /// The lower end of the interval.
    pub low: T,
    /// The upper end of the interval.
    pub high: T,
}

/// An interval is shown as a margin if its ends are as far from the value as half its width, give
/// or take this share of it.
const LOPSIDED: f64 = 0.15;

impl<T: Copy + Into<f64>> Estimate<T> {
    /// Half the width of the interval, or `None` if that is infinite.
    pub fn margin(&self) -> Option<f64> {
        let margin = (self.high.into() - self.low.into()) / 2.0;
        margin.is_finite().then_some(margin)
    }

    /// Whether the value is about in the middle of the interval.
    fn is_even(&self) -> bool {
        self.margin().is_some_and(|margin| {
            let above = self.high.into() - self.value.into();
            (above - margin).abs() <= LOPSIDED * margin
        })
    }
}

impl<T: Copy + Into<f64> + fmt::Display> fmt::Display for Estimate<T> {
    /// `+40.7 ± 30.4`, or `+320.0 [+214.1, +520.9]` where the value is not in the middle of the
    /// interval; a precision can be asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let precision = f.precision().unwrap_or(1);
        let Self { value, low, high } = self;
        match self.margin().filter(|_| self.is_even()) {
            Some(margin) => write!(f, "{value:.precision$} ± {margin:.precision$}"),
            None => write!(f, "{value:.precision$} [{low:.precision$}, {high:.precision$}]"),
        }
    }
}

impl Tally {
    /// The points per game, 0 to 1, or `None` without a game.
    pub fn score(&self) -> Option<f64> {
        let games = self.games();
        (games.total() > 0).then(|| games.half_points() as f64 / (2 * games.total()) as f64)
    }

    /// The share of drawn games, 0 to 1, or `None` without a game.
    pub fn draw_rate(&self) -> Option<f64> {
        let games = self.games();
        (games.total() > 0).then(|| games.draws as f64 / games.total() as f64)
    }

    /// The difference in Elo, or `None` without a game.
    ///
    /// The value is infinite when all points went to one engine, and so is an end of the interval
    /// that reaches such a score. When all results were alike the interval is a cautious one; 40
    /// games won and none lost say more than +406 Elo.
    pub fn elo(&self) -> Option<Estimate<Elo>> {
        let spread = Spread::of(self)?;
        let [low, high] = spread.interval();
        Some(Estimate {
            value: Elo::from_score(spread.score),
            low: Elo::from_score(low),
            high: Elo::from_score(high),
        })
    }

    /// The difference in normalised Elo, or `None` while all results are alike, because nothing is
    /// known of their scatter then.
    pub fn normalized_elo(&self) -> Option<Estimate<NormalizedElo>> {
        let spread = Spread::of(self).filter(|spread| spread.variance > 0.0)?;
        let games = spread.games.sqrt();
        let value = spread.deviations_above_half() / games * NORMALIZED_ELO_PER_DEVIATION;
        let margin = Z95 / games * NORMALIZED_ELO_PER_DEVIATION;
        Some(Estimate {
            value: NormalizedElo(value),
            low: NormalizedElo(value - margin),
            high: NormalizedElo(value + margin),
        })
    }

    /// The likelihood of superiority, 0 to 1: how likely it is that the first engine is the
    /// stronger one; `None` without a game.
    ///
    /// It is the normal distribution's, as in fastchess and fishtest. While all `n` results are
    /// alike it is ½ if the points are shared, and otherwise `1 - ½^(n + 1)` for the engine ahead:
    /// what remains of a uniform prior for the share of such results.
    pub fn los(&self) -> Option<f64> {
        let spread = Spread::of(self)?;
        if spread.variance > 0.0 {
            return Some(libm::erfc(-spread.deviations_above_half() / SQRT_2) / 2.0);
        }
        let doubt = libm::exp2(-(spread.units + 1.0));
        Some(match spread.score {
            score if score > 0.5 => 1.0 - doubt,
            score if score < 0.5 => doubt,
            _ => 0.5,
        })
    }
}

/// How much the results scatter.
struct Spread {
    /// Games, at least one.
    games: f64,
    /// Pairs, and games without a partner.
    units: f64,
    /// Points per game, 0 to 1.
    score: f64,
    /// The variance of `score`; zero exactly when all units had the same score.
    variance: f64,
}

impl Spread {
    fn of(tally: &Tally) -> Option<Self> {
        let games = tally.games().total();
        let half_points = tally.games().half_points();
        let unpaired = tally.unpaired();
        let squares = squares(tally.pairs().counts(), 2, games, half_points)
            + squares(unpaired.counts(), 1, games, half_points);
        (games > 0).then(|| Self {
            games: games as f64,
            units: (tally.pairs().total() + unpaired.total()) as f64,
            score: half_points as f64 / (2 * games) as f64,
            variance: squares / games as f64 / games as f64,
        })
    }

    /// The interval of 95 % for the score; its ends may lie beyond 0 and 1.
    fn interval(&self) -> [f64; 2] {
        if self.variance > 0.0 {
            let margin = Z95 * self.variance.sqrt();
            return [self.score - margin, self.score + margin];
        }
        let alike = libm::pow(TAIL, 1.0 / self.units);
        [self.score * alike, self.score * alike + (1.0 - alike)]
    }

    /// How far the score is above ½, in standard deviations; the variance must not be zero.
    fn deviations_above_half(&self) -> f64 {
        (self.score - 0.5) / self.variance.sqrt()
    }
}

/// The sum of squared differences between the points of units of `size` games, counted by half
/// points, and what the mean score gives that many games.
fn squares<const N: usize>(counts: [u64; N], size: u64, games: u64, half_points: u64) -> f64 {
    let expected = i128::from(size) * i128::from(half_points);
    let square = |(half, count)| {
        // Integers, because alike results must differ by nothing at all.
        let difference = half * i128::from(games) - expected;
        let points = difference as f64 / (2 * games) as f64;
        points * points * count as f64
    };
    (0..).zip(counts).filter(|&(_, count)| count > 0).map(square).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::examples::{close, games, pairs};
    use super::*;

    fn assert_estimate<T: Copy + Into<f64>>(found: Option<Estimate<T>>, expected: [f64; 3]) {
        let found = found.unwrap();
        let found = [found.value.into(), found.low.into(), found.high.into()];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!(found == expected || close(found, expected, 6), "{found} is not {expected}");
        }
    }

    /// From Python's plain arithmetic with scipy's quantiles: s = Σ x/N, v = Σ (x - s)²/N, then
    /// elo(s), elo(s ± 1.96 √(v/N)), (s - ½)/√v · 800/ln 10, its margin 1.96/√N · 800/ln 10 and
    /// Φ((s - ½)/√(v/N)). Rounded, they stand in the tests of fastchess (elo_test.cpp) too.
    #[test]
    fn games_give_the_published_values() {
        let tally = games(76, 123, 89);
        assert_estimate(tally.elo(), [-15.693520705, -46.272354198, 14.643647234]);
        let value = -20.756449777;
        let margin = 40.126025558;
        assert_estimate(tally.normalized_elo(), [value, value - margin, value + margin]);
        assert!(close(tally.los().unwrap(), 0.1553264349, 9));

        let tally = games(136, 111, 96);
        assert_estimate(tally.elo(), [40.702458187, 10.586756299, 71.441192186]);
        assert_eq!(tally.elo().unwrap().to_string(), "+40.7 ± 30.4");
        assert_eq!(format!("{:.2}", tally.normalized_elo().unwrap()), "+49.77 ± 36.77");
        assert!(close(tally.los().unwrap(), 0.9960102357, 9));
        assert!(close(tally.draw_rate().unwrap(), 111.0 / 343.0, 12));

        let tally = games(34, 0, 356);
        assert_estimate(tally.elo(), [-407.988432372, -480.525704925, -354.196675454]);
        assert_eq!(format!("{:.2}", tally.normalized_elo().unwrap()), "-508.44 ± 34.48");
        assert!(tally.los().unwrap() < 1e-180);
    }

    /// As above with a pair's points halved, and with √(2 v) for the deviation of a game.
    #[test]
    fn pairs_give_the_published_values() {
        let tally = pairs([34, 54, 63, 64, 75]);
        assert_estimate(tally.elo(), [55.579780420, 28.276159757, 83.583018770]);
        assert_eq!(format!("{:.2}", tally.elo().unwrap()), "+55.58 ± 27.65");
        let value = 57.935599938;
        let margin = 28.275376243;
        assert_estimate(tally.normalized_elo(), [value, value - margin, value + margin]);
        assert!(close(tally.los().unwrap(), 0.9999703930, 9));

        let tally = pairs([332, 433, 498, 333, 334]);
        assert_estimate(tally.elo(), [-8.642667268, -18.984508686, 1.683880163]);
        assert_eq!(format!("{:.2}", tally.normalized_elo().unwrap()), "-9.17 ± 10.96");
        assert!(close(tally.los().unwrap(), 0.0504700670, 9));
    }

    /// From the sum over ten pairs and five games as the module's documentation has it.
    #[test]
    fn pairs_and_games_are_taken_together() {
        let mut tally = pairs([1, 2, 3, 3, 1]);
        tally += games(3, 1, 1);
        assert!(close(tally.score().unwrap(), 0.56, 12));
        assert_estimate(tally.elo(), [41.894140208, -70.532615349, 164.184215009]);
        assert!(close(tally.normalized_elo().unwrap().value.value(), 51.029745588, 6));
        assert!(close(tally.los().unwrap(), 0.7686405216, 9));
    }

    #[test]
    fn without_a_game_nothing_is_known() {
        let tally = Tally::default();
        assert_eq!(tally.score(), None);
        assert_eq!(tally.draw_rate(), None);
        assert_eq!(tally.elo(), None);
        assert_eq!(tally.normalized_elo(), None);
        assert_eq!(tally.los(), None);
    }

    /// The bounds on the share are scipy's `beta.ppf(0.025, n, 1)`: 0.025, 0.8315665290 and
    /// 0.9119026971 for 1, 20 and 40 units.
    #[test]
    fn results_all_alike_leave_doubt() {
        let infinite = f64::INFINITY;
        assert_estimate(games(40, 0, 0).elo(), [infinite, 405.994355055, infinite]);
        assert_estimate(games(0, 0, 40).elo(), [-infinite, -infinite, -405.994355055]);
        assert_estimate(pairs([0, 0, 0, 0, 20]).elo(), [infinite, 277.387440798, infinite]);
        assert_estimate(games(1, 0, 0).elo(), [infinite, -636.425842811, infinite]);
        assert_estimate(games(0, 20, 0).elo(), [0.0, -59.082795543, 59.082795543]);
        assert_estimate(pairs([0, 0, 40, 0, 0]).elo(), [0.0, -30.687693430, 30.687693430]);
        assert_eq!(games(40, 0, 0).elo().unwrap().to_string(), "+inf [+406.0, +inf]");
        assert_eq!(pairs([0, 0, 40, 0, 0]).elo().unwrap().to_string(), "+0.0 ± 30.7");

        assert_eq!(games(40, 0, 0).normalized_elo(), None);
        assert_eq!(games(0, 20, 0).normalized_elo(), None);
        assert_eq!(games(1, 0, 0).los(), Some(0.75));
        assert_eq!(games(0, 0, 1).los(), Some(0.25));
        assert_eq!(pairs([0, 0, 0, 1, 0]).los(), Some(0.75));
        assert_eq!(games(0, 20, 0).los(), Some(0.5));
        // A pair and a game may be alike as well.
        let mut tally = pairs([0, 0, 7, 0, 0]);
        tally += games(0, 3, 0);
        assert_eq!(tally.normalized_elo(), None);
    }

    #[test]
    fn an_interval_may_reach_a_certain_score() {
        let elo = games(1, 1, 0).elo().unwrap();
        assert_eq!(elo.high.value(), f64::INFINITY);
        assert!(elo.low.value().is_finite());
        assert_eq!(elo.margin(), None);
    }

    #[test]
    fn small_numbers_have_no_minus_before_zero() {
        assert_eq!(Elo(-0.04).to_string(), "+0.0");
        assert_eq!(format!("{:.2}", Elo(-0.04)), "-0.04");
        assert_eq!(format!("{:.0}", NormalizedElo(-12.5)), "-12");
    }

    fn any_tally() -> impl Strategy<Value = Tally> {
        (proptest::array::uniform5(0u64..30), proptest::array::uniform3(0u64..30)).prop_map(
            |(counts, [wins, draws, losses])| {
                let mut tally = pairs(counts);
                tally += games(wins, draws, losses);
                tally
            },
        )
    }

    proptest! {
        #[test]
        fn all_is_in_order(tally in any_tally()) {
            prop_assume!(tally.games().total() > 0);
            let elo = tally.elo().unwrap();
            prop_assert!(elo.low <= elo.value && elo.value <= elo.high);
            prop_assert!((0.0..=1.0).contains(&tally.los().unwrap()));
            if let Some(normalized) = tally.normalized_elo() {
                prop_assert!(normalized.low < normalized.value);
                prop_assert!(normalized.value < normalized.high);
                prop_assert!(normalized.margin().is_some());
                // Whether zero lies in the interval doesn't depend on the scale.
                prop_assert_eq!(normalized.value.value() > 0.0, elo.value.value() > 0.0);
            }
        }

        #[test]
        fn engines_change_places(tally in any_tally()) {
            prop_assume!(tally.games().total() > 0);
            let (elo, other) = (tally.elo().unwrap(), tally.reversed().elo().unwrap());
            for (left, right) in
                [(elo.value, other.value), (elo.low, other.high), (elo.high, other.low)]
            {
                let (left, right) = (left.value(), -right.value());
                prop_assert!(left == right || close(left, right, 6), "{} {}", left, right);
            }
            let sum = tally.los().unwrap() + tally.reversed().los().unwrap();
            prop_assert!(close(sum, 1.0, 9));
        }

        #[test]
        fn a_win_is_good_for_the_score(tally in any_tally()) {
            let mut better = tally;
            better += games(1, 0, 0);
            let mut worse = tally;
            worse += games(0, 0, 1);
            prop_assert!(better.elo().unwrap().value > worse.elo().unwrap().value);
        }

        #[test]
        fn more_of_the_same_makes_it_surer(counts in proptest::array::uniform5(1u64..20)) {
            let once = pairs(counts).elo().unwrap();
            let often = pairs(counts.map(|count| 9 * count)).elo().unwrap();
            prop_assert!(close(once.value.value(), often.value.value(), 6));
            prop_assert!(often.low > once.low && often.high < once.high);
        }
    }
}
