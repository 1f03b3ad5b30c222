//! What games say about the chances to win, to draw and to lose with a score.

use serde::Serialize;

use super::{Sample, SampleResult};
use crate::search::ChanceModel;

/// Scores are counted in steps of so many cp …
const STEP: usize = 20;
/// … up to so many; what is farther from 0 is decided anyway.
const MOST: usize = 3000;

/// How games ended, by the score of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScoreCounts(Vec<[u64; 3]>);

impl Default for ScoreCounts {
    /// No positions.
    fn default() -> Self {
        Self(vec![[0; 3]; MOST / STEP])
    }
}

/// The model that fits the results best.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ChanceFit {
    /// See [`ChanceModel::scale`].
    pub scale: f64,
    /// See [`ChanceModel::margin`].
    pub margin: f64,
    /// From how many positions.
    pub positions: u64,
}

impl ScoreCounts {
    /// Takes a position into account, unless its score is proven or too far from 0.
    pub(super) fn add(&mut self, sample: &Sample) {
        let distance = usize::from(sample.score.unsigned_abs());
        // From the point of view of the side ahead.
        let result = if sample.score < 0 { sample.result.reversed() } else { sample.result };
        if let Some(counts) = self.0.get_mut(distance / STEP)
            && !sample.is_proven()
        {
            counts[result as usize] += 1;
        }
    }

    /// The likeliest model; `None` without any position, and where nobody has won or lost.
    pub(super) fn fit(&self) -> Option<ChanceFit> {
        let sum = |result: SampleResult| -> u64 {
            self.0.iter().map(|counts| counts[result as usize]).sum()
        };
        let [losses, draws, wins] = SampleResult::ALL.map(sum);
        let positions = losses + draws + wins;
        if wins == 0 || losses == 0 {
            return None;
        }
        // One after the other, as the two hardly depend on each other.
        let mut model = ChanceModel { scale: 600.0, margin: 1.0 };
        for _ in 0..20 {
            let scale = |scale| self.surprise(&ChanceModel { scale, ..model });
            model.scale = least(scale, 10.0, 10_000.0);
            let margin = |margin| self.surprise(&ChanceModel { margin, ..model });
            model.margin = least(margin, 0.001, 1_000.0);
        }
        let ChanceModel { scale, margin } = model;
        Some(ChanceFit { scale, margin, positions })
    }

    /// The negative logarithm of the likelihood of the results.
    fn surprise(&self, model: &ChanceModel) -> f64 {
        let of = |(index, counts): (usize, &[u64; 3])| {
            let [win, draw, loss] = model.at((index * STEP + STEP / 2) as f64);
            let chances = [loss, draw, win];
            counts.iter().zip(chances).map(|(&n, p)| -(n as f64) * p.max(1e-12).ln()).sum::<f64>()
        };
        self.0.iter().enumerate().map(of).sum()
    }
}

/// Where a function with one valley between two positive numbers is least, by ternary search in
/// their logarithms.
fn least(function: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = (low.ln(), high.ln());
    for _ in 0..80 {
        let third = (high - low) / 3.0;
        if function((low + third).exp()) < function((high - third).exp()) {
            high -= third;
        } else {
            low += third;
        }
    }
    f64::midpoint(low, high).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Position, Rules};
    use crate::random::Random;

    #[test]
    fn the_model_that_made_the_results_is_found() {
        let made_by = ChanceModel { scale: 450.0, margin: 25.0 };
        let mut counts = ScoreCounts::default();
        let mut random = Random::new(5);
        assert_eq!(counts.fit(), None);
        for _ in 0..400_000 {
            let score = random.below(5000) as i16 - 2500;
            let [win, draw, _] = made_by.at(score.into());
            let result = match random.unit() {
                x if x < win => SampleResult::Win,
                x if x < win + draw => SampleResult::Draw,
                _ => SampleResult::Loss,
            };
            let (position, rules) = (Position::default(), Rules::Ataxx);
            counts.add(&Sample { position, rules, score, result, starts_game: false });
        }
        let fit = counts.fit().unwrap();
        assert_eq!(fit.positions, 400_000);
        assert!((fit.scale / made_by.scale - 1.0).abs() < 0.02, "{fit:?}");
        assert!((fit.margin / made_by.margin - 1.0).abs() < 0.1, "{fit:?}");
    }
}
