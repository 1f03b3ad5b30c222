//! `physarum datagen`.

use std::path::PathBuf;

use clap::Args;

use super::progress::{Meter, interruption};
use super::{in_range, tell_progress};
use crate::training::{Generation, Recipe, Source, generate};

/// Play games against itself, as training data for an evaluation
///
/// Appends to a file until it has as many positions as are wanted. The same command goes on where
/// it was broken off, by whatever; the games depend on the seed and the settings, not on the number
/// of threads. Machines can share the work: give each its own seed, then use `data merge`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  physarum datagen --out data/gen1 --positions 10000000 --nodes 1200 --seed 7
  physarum datagen --out data/gaps --positions 1000000 --gaps 1 --assimilation 0.5")]
pub(super) struct DatagenArgs {
    /// The file for the games
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// How many positions the file is to have
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,

    /// The file of the network that evaluates, instead of the default evaluation
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,

    /// Positions that a search visits before it begins no deeper one
    #[arg(long, value_name = "N", default_value_t = Recipe::default().nodes,
        value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// How many games to play side by side, 1 to 256 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = in_range(crate::protocol::THREADS_RANGE))]
    threads: Option<usize>,

    /// What all that is random comes from
    #[arg(long, value_name = "N", default_value_t = Recipe::default().seed)]
    seed: u64,

    /// The size of each thread's transposition table in MiB, 1 to 65536
    #[arg(long, value_name = "MIB", default_value_t = Recipe::default().hash,
        value_parser = in_range(crate::protocol::HASH_RANGE))]
    hash: usize,

    /// The fewest and most random plies that a game begins with
    #[arg(long, value_name = "MIN-MAX", default_value_t = Plies(Recipe::default().opening_plies),
        value_parser = parse_plies)]
    opening_plies: Plies,

    /// Throw away openings whose score is this far from 0, or farther
    #[arg(long, value_name = "SCORE", default_value_t = Recipe::default().max_opening_score,
        value_parser = clap::value_parser!(i32).range(1..))]
    max_opening_score: i32,

    /// The share of games on boards with gaps, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Recipe::default().gaps,
        value_parser = parse_share)]
    gaps: f64,

    /// The share of games under the rules `Assimilation`, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Recipe::default().assimilation,
        value_parser = parse_share)]
    assimilation: f64,

    /// A game ends when one side has been ahead by this score for a number of plies
    #[arg(long, value_name = "SCORE", default_value_t = Recipe::default().decided_score,
        value_parser = clap::value_parser!(i32).range(1..))]
    decided_score: i32,

    /// For how many plies; 0 lets all games go on
    #[arg(long, value_name = "N", default_value_t = Recipe::default().decided_plies)]
    decided_plies: u32,

    /// The share of moves that are played at random, 0 to 1, for positions that the engine would
    /// not bring about by itself
    #[arg(long, value_name = "SHARE", default_value_t = Recipe::default().random_moves,
        value_parser = parse_share)]
    random_moves: f64,

    /// A game of this many plies is a draw
    #[arg(long, value_name = "N", default_value_t = Recipe::default().max_plies,
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_plies: u32,

    /// A number to keep the files of a campaign apart
    #[arg(long, value_name = "N", default_value_t = 0)]
    generation: u32,

    /// Write the summary as JSON
    #[arg(long)]
    json: bool,
}

/// A range of plies.
#[derive(Clone, Copy, Debug)]
struct Plies([u32; 2]);

impl std::fmt::Display for Plies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.0[0], self.0[1])
    }
}

fn parse_plies(text: &str) -> Result<Plies, String> {
    let number = |text: &str| text.parse().ok().filter(|plies| *plies <= 100u32);
    let (min, max) = text.split_once('-').unwrap_or((text, text));
    match (number(min), number(max)) {
        (Some(min), Some(max)) if min <= max => Ok(Plies([min, max])),
        _ => Err("one whole number from 0 to 100 or two, as in 4-12, are expected".to_owned()),
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a number from 0 to 1 is expected".to_owned()),
    }
}

pub(super) fn run(args: &DatagenArgs) -> anyhow::Result<()> {
    let recipe = Recipe {
        seed: args.seed,
        nodes: args.nodes,
        hash: args.hash,
        opening_plies: args.opening_plies.0,
        max_opening_score: args.max_opening_score,
        gaps: args.gaps,
        assimilation: args.assimilation,
        decided_score: args.decided_score,
        decided_plies: args.decided_plies,
        random_moves: args.random_moves,
        max_plies: args.max_plies,
    };
    let evaluation = super::evaluation(args.eval_file.as_deref())?;
    let job = Generation {
        source: Source::of_this_program(recipe, args.generation, &evaluation)?,
        evaluation,
        positions: args.positions,
        threads: args.threads.unwrap_or_else(super::cores),
    };
    super::make_parent(&args.out)?;
    let interrupted = interruption()?;
    let mut meter = Meter::new(args.positions, "positions");
    let progress = generate(&args.out, &job, &interrupted, &mut |progress| {
        meter.show(
            progress.positions,
            progress.positions_before,
            &format!("{} games", progress.games),
        );
    });
    meter.finish();
    let progress = progress?;
    tell_progress(&progress, args.positions, args.json)
}
