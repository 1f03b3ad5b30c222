//! `physarum train`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::progress::{Meter, interruption};
use super::{Failure, UNWRITABLE, in_range};
use crate::training::{TrainJob, TrainNews, TrainSettings, train};

/// Train an evaluation network on games
///
/// Writes the network and, beside it, the course of the loss as a table (.csv) and a picture
/// (.svg). Ctrl-C ends the training after the step at hand, with a network of what was learnt so far
/// and a checkpoint; --resume goes on from there. The same data and settings give the same network,
/// whatever the number of threads.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  physarum train --data data/gen1 --out net.bin --hidden 64 --steps 6000
  physarum train --data data/gen1 data/gen2 --out net.bin --resume")]
pub(super) struct TrainArgs {
    /// The files of games, as made by `datagen`
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    data: Vec<PathBuf>,

    /// The file for the network
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// How many neurons: 64, 128 or 256
    #[arg(long, value_name = "N", default_value_t = TrainSettings::default().hidden)]
    hidden: usize,

    /// How many steps to make
    #[arg(long, value_name = "N", default_value_t = TrainSettings::default().steps,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    steps: u64,

    /// How many positions a step learns from, 1 to 1048576
    #[arg(long, value_name = "N", default_value_t = TrainSettings::default().batch,
        value_parser = in_range(1usize..=1 << 20))]
    batch: usize,

    /// The learning rate after the warm-up
    #[arg(long, value_name = "RATE", default_value_t = TrainSettings::default().learning_rate)]
    learning_rate: f64,

    /// In how many steps the learning rate rises to that
    #[arg(long, value_name = "N", default_value_t = TrainSettings::default().warm_up)]
    warm_up: u64,

    /// The learning rate at the end, as a part of the first
    #[arg(long, value_name = "PART", default_value_t = TrainSettings::default().final_rate)]
    final_rate: f64,

    /// The share of the game's result in what is learnt, 0 to 1; the rest is the search's score
    #[arg(long, value_name = "SHARE", default_value_t = TrainSettings::default().result_weight)]
    result_weight: f64,

    /// How much the scores that come later in a game count against a position's own, 0 to 1: from
    /// position to position the weight of what comes after, with the result at the end
    #[arg(long, value_name = "WEIGHT", default_value_t = TrainSettings::default().lookahead)]
    lookahead: f64,

    /// With every so many more empty squares, a position's own score counts half as much against
    /// those that come later; 0: the same on all boards
    #[arg(long, value_name = "SQUARES", default_value_t = TrainSettings::default().lookahead_halving)]
    lookahead_halving: f64,

    /// The score in cp that means odds of 2.718 to 1 [default: as the results say]
    #[arg(long, value_name = "SCORE")]
    scale: Option<f64>,

    /// How many cp the network gives for odds of 2.718 to 1 [default: the scale]
    #[arg(long, value_name = "SCORE")]
    output_scale: Option<f64>,

    /// Leave positions out whose score is farther from 0; proven ones have 30000
    #[arg(long, value_name = "SCORE", default_value_t = TrainSettings::default().max_score,
        value_parser = clap::value_parser!(i16).range(0..))]
    max_score: i16,

    /// Hold one in so many games out for validation
    #[arg(long, value_name = "N", default_value_t = TrainSettings::default().hold_out_every,
        value_parser = clap::value_parser!(u32).range(2..))]
    hold_out_every: u32,

    /// Learn with every neuron free, instead of a network that gives all turns of a board the same
    /// score; with 64 neurons it is always so
    #[arg(long)]
    asymmetric: bool,

    /// What order, turns and first weights come from
    #[arg(long, value_name = "N", default_value_t = TrainSettings::default().seed)]
    seed: u64,

    /// Note the loss, and validate, every so many steps
    #[arg(long, value_name = "N", default_value_t = TrainSettings::default().report_every,
        value_parser = clap::value_parser!(u64).range(1..))]
    report_every: u64,

    /// Stop early when the validation loss has not got better so many times in a row
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    patience: Option<u64>,

    /// On how many threads, 1 to 256 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = in_range(crate::protocol::THREADS_RANGE))]
    threads: Option<usize>,

    /// Write a checkpoint every so many steps; 0 only when interrupted
    #[arg(long, value_name = "N", default_value_t = 1000)]
    checkpoint_every: u64,

    /// Go on from the checkpoint of a training with the same data and settings
    #[arg(long)]
    resume: bool,

    /// Write the summary as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &TrainArgs) -> anyhow::Result<()> {
    let settings = TrainSettings {
        hidden: args.hidden,
        steps: args.steps,
        batch: args.batch,
        learning_rate: args.learning_rate,
        warm_up: args.warm_up,
        final_rate: args.final_rate,
        result_weight: args.result_weight,
        lookahead: args.lookahead,
        lookahead_halving: args.lookahead_halving,
        scale: args.scale,
        output_scale: args.output_scale,
        max_score: args.max_score,
        hold_out_every: args.hold_out_every,
        asymmetric: args.asymmetric,
        seed: args.seed,
        report_every: args.report_every,
        patience: args.patience,
    };
    let job = TrainJob {
        settings,
        data: args.data.clone(),
        out: args.out.clone(),
        threads: args.threads.unwrap_or_else(super::cores),
        checkpoint_every: args.checkpoint_every,
        resume: args.resume,
    };
    super::make_parent(&args.out)?;
    let interrupted = interruption()?;
    let mut meter = Meter::new(args.steps, "steps");
    let summary = train(&job, &interrupted, &mut |TrainNews { step, steps_before, last }| {
        let losses = last.map_or("no loss yet".to_owned(), |point| {
            format!("loss {:.5}, validation {:.5}", point.loss, point.validation_loss)
        });
        meter.show(*step, *steps_before, &losses);
    });
    meter.finish();
    let summary = summary?;
    let figures = &summary.figures;
    if !summary.complete {
        let so_far = format!("{} of {} steps", figures.steps, args.steps);
        return Err(Failure::interrupted(format!("{so_far} are made; --resume goes on")));
    }
    let mut out = io::stdout();
    if args.json {
        serde_json::to_writer(&mut out, &summary).map_err(io::Error::from).context(UNWRITABLE)?;
        return writeln!(out).context(UNWRITABLE);
    }
    writeln!(
        out,
        "steps {} loss {:.6} validation {:.6} scale {:.1} rounding mean {:.2} max {:.2}",
        figures.steps,
        figures.loss,
        figures.validation_loss,
        figures.scale,
        figures.mean_rounding,
        figures.largest_rounding,
    )
    .context(UNWRITABLE)
}
