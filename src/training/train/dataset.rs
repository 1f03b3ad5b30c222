//! The samples to learn from, in memory.

use std::path::{Path, PathBuf};

use super::super::{DataReader, Sample, SampleResult};
use super::model::sigmoid;
use super::{TrainError, TrainSettings};
use crate::eval::network::DataSource;
use crate::eval::network::features::{ActiveRows, View, rows_turned};
use crate::game::{Square, Symmetry};

/// What is learnt from a position, in 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Packed {
    view: View,
    /// The chance to win by the scores from here on; see [`Dataset::look_ahead`].
    outlook: f32,
    score: i16,
    result: SampleResult,
    next: Next,
}

/// Whose turn it is in a game's next sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Next {
    /// There is none.
    End,
    /// The other side's.
    Other,
    /// The same side's, as the other one had to pass.
    Same,
}

const _: () = assert!(size_of::<Packed>() == 32);

impl Packed {
    fn new(sample: &Sample, next: Option<&Sample>) -> Self {
        let view = View::of(&sample.position);
        let side = sample.position.side_to_move();
        let next = match next {
            None => Next::End,
            Some(next) if next.position.side_to_move() == side => Next::Same,
            Some(_) => Next::Other,
        };
        Self { view, outlook: 0.5, score: sample.score, result: sample.result, next }
    }

    pub(super) fn rows(&self) -> ActiveRows {
        self.view.rows()
    }

    /// The chance to win that is to be learnt: a mix of what the scores say and of the result.
    pub(super) fn target(&self, result_weight: f32) -> f32 {
        result_weight * self.result.points() + (1.0 - result_weight) * self.outlook
    }
}

/// The samples, apart from those that are not to be learnt from.
#[derive(Clone, Debug, Default)]
pub(super) struct Dataset {
    pub(super) training: Vec<Packed>,
    /// For validation: whole games, so that none of their positions is close to one that is learnt.
    pub(super) held_out: Vec<Packed>,
    pub(super) sources: Vec<DataSource>,
    games: u64,
}

impl Dataset {
    /// Reads files, one after the other.
    pub(super) fn load(paths: &[PathBuf], settings: &TrainSettings) -> Result<Self, TrainError> {
        let mut data = Self::default();
        for path in paths {
            data.add_file(path, settings)?;
        }
        data.check(settings.max_score)?;
        Ok(data)
    }

    fn add_file(&mut self, path: &Path, settings: &TrainSettings) -> Result<(), TrainError> {
        let failed = |error| TrainError::Data(path.to_owned(), error);
        let mut reader = DataReader::open(path).map_err(failed)?;
        let first_source = self.sources.len();
        self.sources.extend(reader.header().sources.iter().map(|source| DataSource {
            seed: source.recipe.seed,
            nodes: source.rescores.last().map_or(source.recipe.nodes, |rescore| rescore.nodes),
            generation: source.generation,
            evaluation: source.evaluation.clone(),
            ..DataSource::default()
        }));
        while let Some(game) = reader.next_stored().map_err(failed)? {
            let positions = self.add_game(&game.samples, settings);
            // The reader has seen to it that there is such a source.
            if let Some(source) = self.sources.get_mut(first_source + game.source as usize) {
                source.games += 1;
                source.positions += positions;
            }
        }
        if reader.torn() > 0 {
            log::warn!("{}: an incomplete game at the end is left out", path.display());
        }
        Ok(())
    }

    /// Adds a game; how many of its positions are used.
    pub(super) fn add_game(&mut self, samples: &[Sample], settings: &TrainSettings) -> u64 {
        let every = u64::from(settings.hold_out_every.max(1));
        let is_held_out = self.games % every == every / 2;
        self.games += 1;
        let is_used = |sample: &&Sample| sample.score.abs() <= settings.max_score;
        let used = samples.iter().filter(is_used).count() as u64;
        let list = if is_held_out { &mut self.held_out } else { &mut self.training };
        let next = samples.iter().skip(1).map(Some).chain([None]);
        list.extend(samples.iter().zip(next).map(|(sample, next)| Packed::new(sample, next)));
        used
    }

    /// Finds out, for every sample, the chance to win by its score and by those that come after it
    /// in its game, and leaves out samples with scores too far from zero.
    ///
    /// A sample's outlook is what its own score says, and with a weight of `lookahead` the outlook
    /// of the next one instead (R. S. Sutton, "Learning to predict by the methods of temporal
    /// differences", 1988); after the last one comes the result. The more of the board is empty, the
    /// less a search sees of what will come, and the less weight its score may have.
    pub(super) fn look_ahead(&mut self, scale: f32, settings: &TrainSettings) {
        let lookaheads = lookaheads(settings);
        for list in [&mut self.training, &mut self.held_out] {
            let mut later = 0.5;
            for sample in list.iter_mut().rev() {
                let next = match sample.next {
                    Next::End => sample.result.points(),
                    Next::Other => 1.0 - later,
                    Next::Same => later,
                };
                let by_score = sigmoid(f32::from(sample.score) / scale);
                let lookahead = lookaheads[sample.view.empty().len() as usize];
                sample.outlook = by_score + lookahead * (next - by_score);
                later = sample.outlook;
            }
            list.retain(|sample| sample.score.abs() <= settings.max_score);
        }
    }

    /// Whether there is something to learn from, and to validate with.
    pub(super) fn check(&self, max_score: i16) -> Result<(), TrainError> {
        let count =
            |list: &[Packed]| list.iter().filter(|sample| sample.score.abs() <= max_score).count();
        let (training, held_out) = (count(&self.training), count(&self.held_out));
        if training == 0 || held_out == 0 {
            return Err(TrainError::TooLittle { training, held_out, games: self.games });
        }
        if self.training.len() > u32::MAX as usize {
            return Err(TrainError::TooMuch(self.training.len()));
        }
        Ok(())
    }

    /// A number made of all samples, by which data can be told apart.
    pub(super) fn fingerprint(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for Packed { view, score, result, .. } in self.training.iter().chain(&self.held_out) {
            for set in [view.own, view.theirs, view.gaps] {
                hasher.update(&set.bits().to_le_bytes());
            }
            hasher.update(&score.to_le_bytes());
            hasher.update(&[*result as u8]);
        }
        hasher.finalize()
    }

    /// The scale, in cp, with which scores foretell results best: the logistic
    /// regression of result on score.
    ///
    /// Found by Newton's method for the inverse of the scale, in which the loss is convex.
    pub(super) fn fit_scale(&self, max_score: i16) -> f64 {
        /// More would be a waste of time.
        const ENOUGH: usize = 1_000_000;
        let step = self.training.len().div_ceil(ENOUGH).max(1);
        let mut inverse = 1.0 / DEFAULT_SCALE;
        for _ in 0..60 {
            let (mut slope, mut curvature) = (0.0, 0.0);
            let samples = self.training.iter().step_by(step);
            for sample in samples.filter(|sample| sample.score.abs() <= max_score) {
                let score = f64::from(sample.score);
                let chance = 1.0 / (1.0 + (-score * inverse).exp());
                slope += (chance - f64::from(sample.result.points())) * score;
                curvature += chance * (1.0 - chance) * score * score;
            }
            if curvature <= 0.0 {
                break;
            }
            let better: f64 = inverse - slope / curvature;
            // Far from the optimum the method may overshoot.
            let better = better.clamp(inverse / 2.0, inverse * 2.0);
            let better = better.clamp(1.0 / MAX_SCALE, 1.0 / MIN_SCALE);
            let change = (better / inverse - 1.0).abs();
            inverse = better;
            if change < 1e-9 {
                break;
            }
        }
        1.0 / inverse
    }
}

/// What comes after a position counts against its own score, by the number of empty squares.
fn lookaheads(settings: &TrainSettings) -> [f32; Square::COUNT + 1] {
    let TrainSettings { lookahead, lookahead_halving: halving, .. } = *settings;
    std::array::from_fn(|empty| {
        let halvings = if halving > 0.0 { empty as f64 / halving } else { 0.0 };
        (1.0 - (1.0 - lookahead) * 0.5_f64.powf(halvings)) as f32
    })
}

/// The scale of data that say nothing about it.
const DEFAULT_SCALE: f64 = 400.0;
/// The smallest and the largest scale.
pub(super) const MIN_SCALE: f64 = 20.0;
pub(super) const MAX_SCALE: f64 = 5000.0;

/// Where each row goes, for each symmetry.
pub(super) fn turned_rows() -> [Vec<u16>; 8] {
    Symmetry::ALL.map(rows_turned)
}

#[cfg(test)]
mod tests {
    use super::super::test_data::{games, settings};
    use super::*;

    fn dataset() -> Dataset {
        let mut data = Dataset::default();
        for game in games(200, 1) {
            data.add_game(&game, &settings());
        }
        data
    }

    #[test]
    fn whole_games_are_held_out() {
        let settings = TrainSettings { hold_out_every: 4, ..settings() };
        let mut data = Dataset::default();
        let games = games(10, 2);
        for (index, game) in games.iter().enumerate() {
            let before = data.held_out.len();
            assert_eq!(data.add_game(game, &settings), game.len() as u64);
            let used = game.len();
            let held_out = data.held_out.len() - before;
            assert_eq!(held_out, if index % 4 == 2 { used } else { 0 });
        }
        let all: usize = games.iter().map(Vec::len).sum();
        assert_eq!(data.training.len() + data.held_out.len(), all);
    }

    #[test]
    fn samples_with_large_scores_are_left_out() {
        let settings = TrainSettings { max_score: 300, hold_out_every: 1000, ..settings() };
        let mut data = Dataset::default();
        let games = games(20, 3);
        for game in &games {
            data.add_game(game, &settings);
        }
        data.look_ahead(400.0, &settings);
        let small = games.iter().flatten().filter(|sample| sample.score.abs() <= 300).count();
        assert_eq!(data.training.len(), small);
        assert!(small < games.iter().flatten().count());
    }

    #[test]
    fn the_scale_of_results_is_found() {
        // Results as chance would have them with a scale of 250.
        let mut data = dataset();
        for scale in [250.0, 800.0] {
            for (index, sample) in data.training.iter_mut().enumerate() {
                let random = ((index * 7919) % 1000) as f32 / 1000.0;
                let wins = random < sigmoid(f32::from(sample.score) / scale);
                sample.result = if wins { SampleResult::Win } else { SampleResult::Loss };
            }
            let found = data.fit_scale(i16::MAX) as f32;
            assert!((found / scale - 1.0).abs() < 0.15, "{found} {scale}");
        }
        for sample in &mut data.training {
            sample.score = 0;
        }
        assert_eq!(data.fit_scale(i16::MAX), DEFAULT_SCALE);
    }

    #[test]
    fn targets_mix_score_and_result() {
        let sample = Sample { score: 0, result: SampleResult::Win, ..games(1, 4)[0][0] };
        let packed = Packed::new(&sample, None);
        assert_eq!(packed.target(0.0), 0.5);
        assert_eq!(packed.target(1.0), 1.0);
        assert_eq!(packed.target(0.5), 0.75);
    }

    #[test]
    fn the_outlook_is_that_of_the_scores_that_follow() {
        let score_at = |score, next| {
            let sample = Sample { score, result: SampleResult::Win, ..games(1, 4)[0][0] };
            Packed { next, ..Packed::new(&sample, None) }
        };
        let lost = Packed { result: SampleResult::Loss, ..score_at(0, Next::Same) };
        let game =
            vec![lost, Packed { score: -100, next: Next::Other, ..lost }, score_at(200, Next::End)];
        let empty = f64::from(game[0].view.empty().len());
        let outlooks_with = |lookahead, lookahead_halving| {
            let max_score = i16::MAX;
            let settings = TrainSettings { lookahead, lookahead_halving, max_score, ..settings() };
            let mut data = Dataset { training: game.clone(), ..Dataset::default() };
            data.look_ahead(400.0, &settings);
            data.training.iter().map(|sample| sample.outlook).collect::<Vec<_>>()
        };
        let outlooks = |lookahead| outlooks_with(lookahead, 0.0);
        let by_score = [0.5, sigmoid(-0.25), sigmoid(0.5)];
        assert_eq!(outlooks(0.0), by_score);
        assert_eq!(outlooks(1.0), [0.0, 0.0, 1.0]);
        let last = 0.5 * by_score[2] + 0.5;
        let middle = 0.5 * by_score[1] + 0.5 * (1.0 - last);
        let first = 0.5 * by_score[0] + 0.5 * middle;
        for (found, expected) in outlooks(0.5).into_iter().zip([first, middle, last]) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        // With as many empty squares as there are, half of a half is left of the score itself.
        assert_eq!(outlooks_with(0.5, empty), outlooks(0.75));
    }

    #[test]
    fn the_fingerprint_tells_data_apart() {
        let data = dataset();
        let mut other = data.clone();
        assert_eq!(data.fingerprint(), other.fingerprint());
        other.training[5].score += 1;
        assert_ne!(data.fingerprint(), other.fingerprint());
    }
}
