//! `physarum perft`.

use std::io::{self, Write};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::Args;

use crate::game::{Position, Rules, perft, split};
use crate::protocol::nodes_per_second;

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

    /// The rules to play by: assimilation or ataxx
    #[arg(long, default_value_t)]
    rules: Rules,

    /// Also print the count after each move
    #[arg(long)]
    split: bool,
}

pub(super) fn run(args: &PerftArgs) -> anyhow::Result<()> {
    let start = Instant::now();
    let mut out = io::stdout().lock();
    let nodes = if args.split && args.depth > 0 {
        let parts = split(&args.fen, args.depth, args.rules, &AtomicBool::new(false));
        let mut nodes = 0;
        for (mv, leaves) in parts.unwrap_or_default() {
            writeln!(out, "{mv} {leaves}")?;
            nodes += leaves;
        }
        nodes
    } else {
        perft(&args.fen, args.depth, args.rules)
    };
    let time = start.elapsed();
    let nps = nodes_per_second(nodes, time);
    writeln!(out, "nodes {nodes} time {} nps {nps}", time.as_millis())?;
    Ok(())
}
