//! `physarum oneshot`.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;

use super::one_search::{Found, OneSearch};
use super::{UNWRITABLE, in_range};
use crate::game::Rules;
use crate::protocol::{Info, OneShot};
use crate::search::{Clock, Limits, MAX_DEPTH};

/// Answer a referee that starts the program anew for every move
///
/// Reads from standard input who moves (0 for x, 1 for o), seven lines of seven squares (x, o or .)
/// from the seventh rank down, and what is left on the clocks of x and of o in milliseconds. Writes the
/// best move: e4 for a clone, d2-e4 for a jump. What was found out about it goes to standard error, in
/// a line that begins with "kibitz".
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  physarum oneshot < position.txt
  physarum oneshot --hash 16 --move-overhead 50 < position.txt

where position.txt has, for example,
  0
  x.....o
  .......
  .......
  .......
  .......
  .......
  o.....x
  10000 10000")]
pub(super) struct OneshotArgs {
    /// The rules to play by: assimilation, ataxx or fill
    #[arg(long, default_value_t = Rules::Fill)]
    rules: Rules,

    /// Search this many plies deep at most
    #[arg(long, value_name = "PLIES", value_parser = in_range(1..=MAX_DEPTH))]
    depth: Option<u32>,

    /// What starting the program and passing the move on takes of the clock, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 30, value_parser = in_range(0..=10_000_u64))]
    move_overhead: u64,

    #[command(flatten)]
    search: OneSearch,
}

/// A question is much shorter.
const MOST_BYTES: u64 = 1 << 16;

pub(super) fn run(args: &OneshotArgs) -> anyhow::Result<()> {
    let start = Instant::now();
    let asked = OneShot::read(&mut io::stdin().lock().take(MOST_BYTES))?;
    let clock = Clock { left: asked.left(), ..Clock::default() };
    let limits = Limits { depth: args.depth, clock: Some(clock), ..Limits::default() };
    let overhead = Duration::from_millis(args.move_overhead);
    let Found { best, result, line } =
        args.search.find(&asked.position, args.rules, &limits, overhead, start)?;
    writeln!(io::stdout(), "{}", OneShot::answer(best)).context(UNWRITABLE)?;
    let info = Info {
        depth: Some(result.depth),
        score: Some(result.score),
        nodes: Some(result.nodes),
        time: Some(start.elapsed()),
        line: line.into_iter().map(OneShot::answer).collect(),
        ..Info::default()
    };
    // Nobody has to read it.
    let _ = writeln!(io::stderr(), "kibitz {info}");
    Ok(())
}
