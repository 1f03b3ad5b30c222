//! `physarum perft`.

use std::io::{self, Write};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Context;
use clap::Args;

use super::UNWRITABLE;
use crate::game::{Position, Rules};
use crate::protocol::count_leaves;

/// Count the ways to play a number of plies, to test and time the rules
///
/// A clone counts once, from however many stones it could come. The last line is `nodes <count> time <ms> nps
/// <nodes per second>`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  physarum perft 6 --rules ataxx
  physarum perft 4 --fen 'x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1' --split")]
pub(super) struct PerftArgs {
    /// How many plies to play
    #[arg(value_parser = clap::value_parser!(u32).range(0..=255))]
    depth: u32,

    /// The position to begin with
    #[arg(long, default_value = crate::game::START_FEN)]
    fen: Position,

    /// The rules to play by: assimilation, ataxx or fill
    #[arg(long, default_value_t)]
    rules: Rules,

    /// Also print the count after each move
    #[arg(long)]
    split: bool,
}

pub(super) fn run(args: &PerftArgs) -> anyhow::Result<()> {
    let start = Instant::now();
    let never = AtomicBool::new(false);
    if let Some(count) = count_leaves(&args.fen, args.depth, args.rules, args.split, &never) {
        writeln!(io::stdout(), "{}", count.report(start.elapsed())).context(UNWRITABLE)?;
    }
    Ok(())
}
