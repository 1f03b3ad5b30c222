//! Step by step through the data.

use std::path::Path;

use rayon::prelude::*;

use super::super::program::now;
use super::TrainSettings;
use super::checkpoint::{Checkpoint, CheckpointError};
use super::curve::CurvePoint;
use super::dataset::{Dataset, Packed, turned_rows};
use super::model::{Adam, Batch, Model};
use crate::eval::network::features::WINDOWS;
use crate::eval::network::{Description, Network, ParameterError, TrainingFigures};
use crate::random::Random;

/// Of the held-out positions, no more than about this many are looked at for a report.
const VALIDATED: usize = 200_000;
/// Positions are fetched so many at a time.
const PORTION: usize = 256;
/// The rounding is looked at for so many positions.
const ROUNDED: usize = 100_000;

/// A training under way.
pub(super) struct Trainer {
    settings: TrainSettings,
    data: Dataset,
    fingerprint: u32,
    /// The score that means odds of e to 1 in the data.
    scale: f64,
    turned: [Vec<u16>; 8],
    model: Model,
    step: u64,
    /// The order of the samples, and the round through all of them that it is for.
    order: Vec<u32>,
    round: Option<u64>,
    batch: Batch,
    curve: Vec<CurvePoint>,
    /// The sum of the losses since the last report, and of how many positions.
    recent: (f64, u64),
}

impl Trainer {
    pub(super) fn new(settings: TrainSettings, mut data: Dataset) -> Self {
        let fingerprint = data.fingerprint();
        let max_score = settings.max_score;
        let scale = settings.scale.unwrap_or_else(|| data.fit_scale(max_score));
        data.look_ahead(scale as f32, &settings);
        let turned = turned_rows();
        log::info!(
            "training: {} positions, {} held out, scale {scale:.1}",
            data.training.len(),
            data.held_out.len(),
        );
        let model = Model::new(settings.hidden, settings.is_symmetric(), settings.seed);
        Self {
            fingerprint,
            settings,
            data,
            scale,
            turned,
            model,
            step: 0,
            order: Vec::new(),
            round: None,
            batch: Batch::default(),
            curve: Vec::new(),
            recent: (0.0, 0),
        }
    }

    pub(super) const fn steps_made(&self) -> u64 {
        self.step
    }

    pub(super) fn curve(&self) -> &[CurvePoint] {
        &self.curve
    }

    /// How many positions a step learns from.
    pub(super) fn batch(&self) -> usize {
        self.settings.batch.min(self.data.training.len())
    }

    /// Whether all steps are made, or no more are worth it.
    pub(super) fn is_done(&self) -> bool {
        self.step >= self.settings.steps || self.is_stuck()
    }

    /// Whether the validation loss has not got better for too long.
    fn is_stuck(&self) -> bool {
        let Some(patience) = self.settings.patience else { return false };
        let losses = self.curve.iter().map(|point| point.validation_loss).enumerate();
        let best = losses.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(index, _)| index);
        (self.curve.len() - best) as u64 > patience
    }

    /// The learning rate of the next step.
    fn learning_rate(&self) -> f64 {
        let TrainSettings { steps, learning_rate, warm_up, final_rate, .. } = self.settings;
        if self.step < warm_up {
            return learning_rate * (self.step + 1) as f64 / warm_up as f64;
        }
        let way = (self.step - warm_up) as f64 / (steps.saturating_sub(warm_up)).max(1) as f64;
        let cosine = (1.0 + (std::f64::consts::PI * way.min(1.0)).cos()) / 2.0;
        learning_rate * (final_rate + (1.0 - final_rate) * cosine)
    }

    /// Learns from the next batch.
    pub(super) fn step(&mut self) {
        self.take_batch();
        let learning_rate = self.learning_rate();
        let loss = self.model.learn(&self.batch, &Adam::new(learning_rate, self.step));
        self.recent.0 += loss;
        self.recent.1 += self.batch.targets.len() as u64;
        self.step += 1;
        if self.step.is_multiple_of(self.settings.report_every) || self.step == self.settings.steps
        {
            let loss = self.recent.0 / self.recent.1 as f64;
            self.recent = (0.0, 0);
            let (step, validation_loss) = (self.step, self.validate());
            self.curve.push(CurvePoint { step, learning_rate, loss, validation_loss });
        }
    }

    /// Puts the samples of the next step into `batch`, turned at random where it matters.
    fn take_batch(&mut self) {
        let (size, count) = (self.batch(), self.data.training.len());
        // What is left of a round when it is less than a batch is for another time.
        let steps_per_round = (count / size) as u64;
        let (round, part) = (self.step / steps_per_round, (self.step % steps_per_round) as usize);
        if self.round != Some(round) {
            self.order = (0..count as u32).collect();
            Random::of_game(self.settings.seed, round).shuffle(&mut self.order);
            self.round = Some(round);
        }
        let order = &self.order[part * size..(part + 1) * size];
        let result_weight = self.settings.result_weight as f32;
        // A symmetric network sees all turns anyway.
        let turns = Random::of_game(!self.settings.seed, self.step).next();
        let choices = if self.settings.is_symmetric() { 1 } else { self.turned.len() };
        let (samples, turned) = (&self.data.training, &self.turned);
        self.batch.rows.resize(size, [0; WINDOWS]);
        self.batch.targets.resize(size, 0.0);
        let rows = self.batch.rows.par_chunks_mut(PORTION);
        let targets = self.batch.targets.par_chunks_mut(PORTION);
        let portions = rows.zip(targets).zip(order.par_chunks(PORTION)).enumerate();
        portions.for_each(|(portion, ((rows, targets), order))| {
            // First all are fetched: so the processor need not wait for one after the other.
            let fetched: Vec<Packed> = order.iter().map(|&at| samples[at as usize]).collect();
            for (index, sample) in fetched.iter().enumerate() {
                let number = (portion * PORTION + index) as u64;
                let turn = Random::new(turns.wrapping_add(number)).below(choices);
                rows[index] = sample.rows().map(|row| turned[turn][usize::from(row)]);
                targets[index] = sample.target(result_weight);
            }
        });
    }

    /// Held-out positions as they are, in batches.
    fn held_out(&self, limit: usize) -> Vec<Batch> {
        let result_weight = self.settings.result_weight as f32;
        let every = self.data.held_out.len().div_ceil(limit).max(1);
        let samples: Vec<_> = self.data.held_out.iter().step_by(every).collect();
        let batches = samples.chunks(8192).map(|samples| Batch {
            rows: samples.iter().map(|sample| sample.rows()).collect(),
            targets: samples.iter().map(|sample| sample.target(result_weight)).collect(),
        });
        batches.collect()
    }

    /// The mean loss of held-out positions.
    fn validate(&mut self) -> f64 {
        let batches = self.held_out(VALIDATED);
        let count: usize = batches.iter().map(|batch| batch.targets.len()).sum();
        batches.iter().map(|batch| self.model.loss(batch)).sum::<f64>() / count.max(1) as f64
    }

    /// The network as it is now, in whole numbers.
    pub(super) fn network(&mut self) -> Result<Network, ParameterError> {
        let settings = &self.settings;
        let output_scale = settings.output_scale.unwrap_or(self.scale);
        let parameters = self.model.quantise(output_scale);
        let network = Network::new(parameters.clone(), Description::default())?;
        let rounding = self.rounding(&network, output_scale);
        let settings = &self.settings;
        let last = self.curve.last();
        let training = TrainingFigures {
            steps: self.step,
            batch: self.batch() as u64,
            seed: settings.seed,
            learning_rate: settings.learning_rate,
            result_weight: settings.result_weight,
            lookahead: settings.lookahead,
            lookahead_halving: settings.lookahead_halving,
            symmetric: settings.is_symmetric(),
            scale: self.scale,
            output_scale,
            positions: self.data.training.len() as u64,
            held_out: self.data.held_out.len() as u64,
            loss: last.map_or(0.0, |point| point.loss),
            validation_loss: last.map_or(0.0, |point| point.validation_loss),
            mean_rounding: rounding.0,
            largest_rounding: rounding.1,
        };
        let description = Description {
            created: now(),
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            data: self.data.sources.clone(),
            training,
        };
        Network::new(parameters, description)
    }

    /// The mean and the largest difference, in cp, between a network and the model that
    /// it was made of.
    fn rounding(&mut self, network: &Network, output_scale: f64) -> (f64, f64) {
        let (mut sum, mut largest, mut count) = (0.0, 0.0_f64, 0);
        for Batch { rows, .. } in self.held_out(ROUNDED) {
            for (rows, output) in rows.iter().zip(self.model.outputs(&rows)) {
                let exact = f64::from(output) * output_scale;
                let difference = (f64::from(network.evaluate_rows(rows)) - exact).abs();
                sum += difference;
                largest = largest.max(difference);
                count += 1;
            }
        }
        (sum / f64::from(count.max(1)), largest)
    }

    /// All that is needed to go on from here.
    pub(super) fn to_checkpoint(&self) -> Vec<u8> {
        let checkpoint = Checkpoint {
            settings: self.settings.clone(),
            data: self.fingerprint,
            step: self.step,
            recent: self.recent,
            curve: self.curve.clone(),
        };
        checkpoint.to_bytes(&self.model.state())
    }

    /// Goes on from a checkpoint.
    pub(super) fn resume(&mut self, path: &Path) -> Result<(), CheckpointError> {
        let (checkpoint, state) = Checkpoint::open(path)?;
        checkpoint.check(&self.settings, self.fingerprint)?;
        if !self.model.set_state(&state) {
            return Err(CheckpointError::Damaged);
        }
        self.step = checkpoint.step;
        self.recent = checkpoint.recent;
        self.curve = checkpoint.curve;
        Ok(())
    }
}
