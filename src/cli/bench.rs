//! `physarum bench`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;

use super::UNWRITABLE;
use crate::protocol::nodes_per_second;
use crate::search::{BENCH_DEPTH, Control, ParameterSetting, bench};

/// Search a fixed set of positions, to time the search and to notice when it changes
///
/// Uses one thread and an empty table: the count of nodes is the same on every run and every
/// machine. The last line is `<nodes> nodes <nps> nps`.
#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// How deep to search, in plies
    #[arg(default_value_t = BENCH_DEPTH, value_parser = clap::value_parser!(u32).range(1..=255))]
    depth: u32,

    /// The file of the network that evaluates, instead of the default evaluation
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,

    /// Set a constant of the search; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<ParameterSetting>,
}

pub(super) fn run(args: &BenchArgs) -> anyhow::Result<()> {
    let evaluation = super::evaluation(args.eval_file.as_deref())?;
    let control = Control::new(Instant::now(), false);
    let mut written = Ok(());
    let result =
        bench(args.depth, &evaluation, super::parameters(&args.param), &control, &mut |step| {
            let line = writeln!(io::stdout(), "{}/{} {} nodes", step.number, step.of, step.nodes);
            if let Err(error) = line {
                written = Err(error);
                control.stop();
            }
        })?;
    written.context(UNWRITABLE)?;
    let nps = nodes_per_second(result.nodes, result.time);
    writeln!(io::stdout(), "{} nodes {nps} nps", result.nodes).context(UNWRITABLE)
}
