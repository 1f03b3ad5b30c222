//! The trainer: from games to a network.
//!
//! The network of [`crate::eval::network`] learns to foretell the chance to win of positions: a mix
//! of what the search's score said and of how the game ended. Each step takes a batch of positions,
//! in an order that is random anew whenever all have been seen, each turned or reflected at random,
//! and changes all weights a little against the gradient of the mean squared error, as the
//! optimiser Adam has it; the learning rate rises for a few steps and then falls along a cosine
//! (I. Loshchilov and F. Hutter, "SGDR: stochastic gradient descent with warm restarts", 2017).
//!
//! The same data and settings give the same network, whatever the number of threads, and also when
//! the training was broken off and taken up again.

mod checkpoint;
mod curve;
mod dataset;
mod files;
mod model;
#[cfg(test)]
mod test_data;
mod trainer;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use checkpoint::CheckpointError;
pub use curve::CurvePoint;
pub(crate) use files::replace;

use super::DataError;
use crate::eval::network::{NetworkError, ParameterError, TrainingFigures, WIDTHS};
use dataset::{Dataset, MAX_SCALE, MIN_SCALE};
use trainer::Trainer;

/// How to train: what decides which network comes out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainSettings {
    /// How many neurons the network has: 64, 128 or 256.
    pub hidden: usize,
    /// How many steps to make.
    pub steps: u64,
    /// How many positions a step learns from; all of them if there are fewer.
    pub batch: usize,
    /// The learning rate after the warm-up.
    pub learning_rate: f64,
    /// In how many steps the learning rate rises to that.
    pub warm_up: u64,
    /// The learning rate at the end, as a part of the first.
    pub final_rate: f64,
    /// The share of the game's result in what is learnt; the rest is from the search's scores.
    pub result_weight: f64,
    /// From score to score of a game, the weight of what comes after against the score itself; 0:
    /// only the position's own score counts.
    pub lookahead: f64,
    /// With every so many more empty squares a position's own score counts half as much against
    /// what comes after; 0: the same on all boards.
    pub lookahead_halving: f64,
    /// The score, in cp, that means odds of e to 1; `None` to find it from the results.
    pub scale: Option<f64>,
    /// How many cp the network is to give for odds of e to 1; `None` for those of the
    /// data.
    pub output_scale: Option<f64>,
    /// Positions with scores farther from zero, in cp, are left out; proven ones have
    /// [`PROVEN_SCORE`](super::PROVEN_SCORE).
    pub max_score: i16,
    /// Every game with a number that leaves the same rest by this is held out for validation.
    pub hold_out_every: u32,
    /// Learn with every neuron free, and from each position in one turn of the board at random,
    /// instead of a network that is the same for all turns; see [`Self::is_symmetric`].
    pub asymmetric: bool,
    /// What order, turns and first weights come from.
    pub seed: u64,
    /// The loss is told, and validated, every so many steps.
    pub report_every: u64,
    /// Stop when the validation loss has not got better in so many reports.
    pub patience: Option<u64>,
}

impl Default for TrainSettings {
    fn default() -> Self {
        Self {
            hidden: 256,
            steps: 20_000,
            batch: 8192,
            learning_rate: 0.003,
            warm_up: 100,
            final_rate: 0.01,
            result_weight: 0.0,
            lookahead: 0.0,
            lookahead_halving: 0.0,
            scale: None,
            output_scale: None,
            max_score: 3000,
            hold_out_every: 50,
            asymmetric: false,
            seed: 1,
            report_every: 200,
            patience: None,
        }
    }
}

impl TrainSettings {
    /// Whether the network is to give all turns of a board the same score: unless told otherwise, if
    /// there are enough neurons for it.
    pub const fn is_symmetric(&self) -> bool {
        !self.asymmetric && self.hidden.is_multiple_of(model::LANES * model::VIEWS)
    }

    /// Whether all settings make sense.
    fn check(&self) -> Result<(), TrainError> {
        let scales = [self.scale, self.output_scale];
        let is_scale = |scale: &f64| (MIN_SCALE..=MAX_SCALE).contains(scale);
        let wrong = if !WIDTHS.contains(&self.hidden) {
            "64, 128 or 256 neurons are needed"
        } else if self.batch == 0 {
            "a batch cannot be empty"
        } else if !(self.learning_rate > 0.0 && self.learning_rate <= 1.0) {
            "a learning rate is above 0, and at most 1"
        } else if !(0.0..=1.0).contains(&self.final_rate) {
            "the final learning rate is a part of the first, from 0 to 1"
        } else if !(0.0..=1.0).contains(&self.result_weight) {
            "the result's weight is from 0 to 1"
        } else if !(0.0..=1.0).contains(&self.lookahead) {
            "the weight of what comes after is from 0 to 1"
        } else if !(0.0..=f64::from(u8::MAX)).contains(&self.lookahead_halving) {
            "the empty squares that halve a score's weight are from 0 to 255"
        } else if !scales.iter().flatten().all(is_scale) {
            "a scale is from 20 to 5000"
        } else if self.max_score < 0 {
            "the largest score is not below 0"
        } else if self.hold_out_every < 2 {
            "at most every second game can be held out"
        } else if self.report_every == 0 || self.patience == Some(0) {
            "a report comes every step or more, and patience takes a report or more"
        } else {
            return Ok(());
        };
        Err(TrainError::Settings(wrong))
    }
}

/// Some training to be done.
#[derive(Clone, Debug)]
pub struct TrainJob {
    /// How.
    pub settings: TrainSettings,
    /// The data files.
    pub data: Vec<PathBuf>,
    /// Where the network is to be; curves and checkpoints are in files beside it, of the same name
    /// with `.csv`, `.svg` and `.checkpoint` added.
    pub out: PathBuf,
    /// On how many threads; more than a sixteenth of the neurons are of little use.
    pub threads: usize,
    /// After how many steps each a checkpoint is written.
    pub checkpoint_every: u64,
    /// Go on from the checkpoint.
    pub resume: bool,
}

/// News from a training.
#[derive(Clone, Copy, Debug)]
pub struct TrainNews {
    /// How many steps were made.
    pub step: u64,
    /// How many of them before this run.
    pub steps_before: u64,
    /// The last report.
    pub last: Option<CurvePoint>,
}

/// What came out of a training.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainSummary {
    /// The figures that stand in the network file.
    #[serde(flatten)]
    pub figures: TrainingFigures,
    /// Whether all steps were made; else it was interrupted.
    pub complete: bool,
}

/// Why there is no network.
#[derive(Debug, Error)]
pub enum TrainError {
    /// A setting makes no sense.
    #[error("{0}")]
    Settings(&'static str),
    /// A data file cannot be used.
    #[error("cannot read the data in {0:?}")]
    Data(PathBuf, #[source] DataError),
    /// There are too few samples.
    #[error(
        "too little data: of {games} games, {training} positions are there to learn from, and \
         {held_out} to validate with"
    )]
    TooLittle {
        /// How many positions there are to learn from.
        training: usize,
        /// How many positions are held out.
        held_out: usize,
        /// How many games there are, counting those without a position that can be used.
        games: u64,
    },
    /// There are more samples than can be numbered.
    #[error("too much data: {0} positions, where 4294967295 can be used")]
    TooMuch(usize),
    /// The checkpoint cannot be used.
    #[error("cannot resume from {0:?}")]
    Checkpoint(PathBuf, #[source] CheckpointError),
    /// A file cannot be written.
    #[error("cannot write {0:?}")]
    Write(PathBuf, #[source] io::Error),
    /// The threads cannot be started.
    #[error("cannot start the threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The weights grew beyond all bounds.
    #[error("the training went astray; a lower learning rate may help")]
    Astray(#[from] ParameterError),
    /// The network cannot be written as a file.
    #[error("cannot make a file of the network")]
    Network(#[from] NetworkError),
}

/// Trains a network and writes it, with its curves, checkpoints now and then.
///
/// When `interrupted` becomes true, the step at hand is finished, checkpoint and network are
/// written, and the summary says that the training is not complete.
///
/// # Errors
///
/// When settings, data or checkpoint cannot be used, or a file cannot be written. The files that
/// were there before are then still there.
pub fn train(
    job: &TrainJob,
    interrupted: &AtomicBool,
    news: &mut (dyn FnMut(&TrainNews) + Send),
) -> Result<TrainSummary, TrainError> {
    job.settings.check()?;
    files::check_writable(&job.out).map_err(|error| TrainError::Write(job.out.clone(), error))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(job.threads.max(1)).build()?;
    pool.install(|| {
        let data = Dataset::load(&job.data, &job.settings)?;
        run(job, data, interrupted, news)
    })
}

/// Trains with data that are there.
fn run(
    job: &TrainJob,
    data: Dataset,
    interrupted: &AtomicBool,
    news: &mut (dyn FnMut(&TrainNews) + Send),
) -> Result<TrainSummary, TrainError> {
    let checkpoint = files::with_suffix(&job.out, ".checkpoint");
    let write = |path: &Path, bytes: &[u8]| {
        files::replace(path, bytes).map_err(|error| TrainError::Write(path.to_owned(), error))
    };
    let mut trainer = Trainer::new(job.settings.clone(), data);
    if job.resume {
        let failed = |error| TrainError::Checkpoint(checkpoint.clone(), error);
        trainer.resume(&checkpoint).map_err(failed)?;
    }
    let steps_before = trainer.steps_made();
    while !trainer.is_done() && !interrupted.load(Relaxed) {
        trainer.step();
        let (step, last) = (trainer.steps_made(), trainer.curve().last().copied());
        news(&TrainNews { step, steps_before, last });
        if step.is_multiple_of(job.checkpoint_every) && !trainer.is_done() {
            write(&checkpoint, &trainer.to_checkpoint())?;
        }
    }
    let complete = trainer.is_done();
    if !complete {
        write(&checkpoint, &trainer.to_checkpoint())?;
    }
    let network = trainer.network()?;
    write(&job.out, &network.to_bytes()?)?;
    let (curve, batch) = (trainer.curve(), trainer.batch());
    write(&files::with_suffix(&job.out, ".csv"), curve::csv(curve, batch).as_bytes())?;
    write(&files::with_suffix(&job.out, ".svg"), curve::svg(curve).as_bytes())?;
    if complete && checkpoint.exists() {
        // The network is there: it is no longer needed, nor does it harm.
        let _ = std::fs::remove_file(&checkpoint);
    }
    Ok(TrainSummary { figures: network.description().training.clone(), complete })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::Network;
    use test_data::{games, settings};

    fn data(settings: &TrainSettings) -> Dataset {
        let mut data = Dataset::default();
        for game in games(150, 11) {
            data.add_game(&game, settings);
        }
        data
    }

    fn job(settings: TrainSettings, out: PathBuf) -> TrainJob {
        let (data, resume) = (Vec::new(), false);
        TrainJob { settings, data, out, threads: 1, checkpoint_every: 0, resume }
    }

    #[test]
    fn a_short_training_learns_material() {
        let folder = tempfile::tempdir().unwrap();
        let settings =
            TrainSettings { steps: 150, result_weight: 0.0, scale: Some(400.0), ..settings() };
        let job = job(settings, folder.path().join("net"));
        let summary = run(&job, data(&job.settings), &AtomicBool::new(false), &mut |_| {}).unwrap();
        assert!(summary.complete);
        let TrainingFigures { validation_loss, mean_rounding, .. } = summary.figures;
        assert!(validation_loss < 0.004, "{validation_loss}");
        assert!(mean_rounding < 5.0, "{mean_rounding}");
        let network = Network::open(&job.out).unwrap();
        assert_eq!(network.description().training, summary.figures);
        for (fen, expected) in [
            ("xxx4/xxx4/7/7/7/6o/4ooo x 0 9", 200),
            ("xxx4/xxx4/7/7/7/6o/4ooo o 0 9", -200),
            ("xxoo3/xxoo3/7/3o3/7/3o2x/o3xxx x 0 9", 100),
        ] {
            let score = network.evaluate(&fen.parse().unwrap());
            assert!((score - expected).abs() < 90, "{fen}: {score}");
        }
        let files = [".csv", ".svg"].map(|suffix| files::with_suffix(&job.out, suffix));
        assert!(files.iter().all(|file| file.exists()));
    }

    #[test]
    fn a_training_broken_off_ends_as_if_it_had_not_been() {
        let folder = tempfile::tempdir().unwrap();
        let settings = TrainSettings { steps: 30, report_every: 7, ..settings() };
        let whole = job(settings.clone(), folder.path().join("whole"));
        run(&whole, data(&settings), &AtomicBool::new(false), &mut |_| {}).unwrap();
        let mut parts = job(settings.clone(), folder.path().join("parts"));
        for stop_at in [11, 12, 30] {
            let interrupted = AtomicBool::new(false);
            let summary = run(&parts, data(&settings), &interrupted, &mut |news| {
                interrupted.store(news.step == stop_at, Relaxed);
            });
            let summary = summary.unwrap();
            assert_eq!((summary.complete, summary.figures.steps), (stop_at == 30, stop_at));
            assert!(Network::open(&parts.out).is_ok());
            parts.resume = true;
        }
        let [whole, parts] = [&whole, &parts].map(|job| Network::open(&job.out).unwrap());
        assert_eq!(whole.parameters(), parts.parameters());
        assert_eq!(whole.description().training, parts.description().training);
        let csv = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        assert_eq!(csv("whole.csv"), csv("parts.csv"));
    }

    #[test]
    fn a_checkpoint_of_other_settings_or_data_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut job = job(settings(), folder.path().join("net"));
        let interrupted = AtomicBool::new(false);
        run(&job, data(&settings()), &interrupted, &mut |_| interrupted.store(true, Relaxed))
            .unwrap();
        job.resume = true;
        let refused = |job: &TrainJob, data: Dataset| {
            let error = run(job, data, &AtomicBool::new(false), &mut |_| {}).unwrap_err();
            std::error::Error::source(&error).map(ToString::to_string)
        };
        let mut other = data(&settings());
        other.training.pop();
        assert_eq!(refused(&job, other).as_deref(), Some("it was made with other data"));
        job.settings.learning_rate = 0.02;
        let reason = "it was made with another learning_rate: 0.01";
        assert_eq!(refused(&job, data(&settings())).as_deref(), Some(reason));
    }

    #[test]
    fn settings_without_sense_are_refused() {
        let wrong: [fn(&mut TrainSettings); 9] = [
            |s| s.hidden = 100,
            |s| s.batch = 0,
            |s| s.learning_rate = f64::NAN,
            |s| s.final_rate = 2.0,
            |s| s.result_weight = -0.1,
            |s| s.scale = Some(0.0),
            |s| s.output_scale = Some(f64::INFINITY),
            |s| s.hold_out_every = 1,
            |s| s.report_every = 0,
        ];
        assert!(settings().check().is_ok());
        for change in wrong {
            let mut settings = settings();
            change(&mut settings);
            assert!(matches!(settings.check(), Err(TrainError::Settings(_))), "{settings:?}");
        }
    }

    #[test]
    fn training_stops_when_it_gets_no_better() {
        let folder = tempfile::tempdir().unwrap();
        let settings = TrainSettings {
            steps: 100_000,
            report_every: 1,
            patience: Some(3),
            learning_rate: 0.2,
            ..settings()
        };
        let job = job(settings, folder.path().join("net"));
        let summary = run(&job, data(&job.settings), &AtomicBool::new(false), &mut |_| {}).unwrap();
        assert!(summary.complete && summary.figures.steps < 1000, "{summary:?}");
    }
}
