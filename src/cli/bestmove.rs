//! `physarum bestmove`.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::one_search::{Found, OneSearch};
use super::{UNWRITABLE, in_range, write_json};
use crate::analysis::ScoreRecord;
use crate::game::{Position, Rules};
use crate::search::{Chances, Limits, MAX_DEPTH};

/// Print the best move of a position
///
/// For scripts: one line, the move. Several limits hold together; without any, the search takes a
/// second. Where the game is over there is no move, but a message and status 1.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  physarum bestmove --fen 'x5o/7/7/7/7/7/o5x x 0 1' --depth 10
  physarum bestmove --fen 'x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1' --rules ataxx --movetime 200 --json")]
pub(super) struct BestMoveArgs {
    /// The position
    #[arg(long, default_value = crate::game::START_FEN)]
    fen: Position,

    /// The rules to play by: assimilation, ataxx or fill
    #[arg(long, default_value_t)]
    rules: Rules,

    /// Search this many plies deep
    #[arg(long, value_name = "PLIES", value_parser = in_range(1..=MAX_DEPTH))]
    depth: Option<u32>,

    /// Visit this many positions
    #[arg(long, value_name = "N", value_parser = in_range(1..=u64::MAX))]
    nodes: Option<u64>,

    /// Take this many milliseconds
    #[arg(long, value_name = "MS", value_parser = in_range(1..=u64::from(u32::MAX)))]
    movetime: Option<u64>,

    #[command(flatten)]
    search: OneSearch,

    /// Write the move and what was found out about it as a line of JSON
    #[arg(long)]
    json: bool,
}

/// What is told as JSON.
#[derive(Serialize)]
struct Finding {
    fen: String,
    rules: String,
    best: String,
    score: ScoreRecord,
    /// The chances to win, to draw and to lose, in per mille.
    wdl: [u16; 3],
    depth: u32,
    nodes: u64,
    time_ms: u128,
    line: Vec<String>,
}

impl BestMoveArgs {
    fn limits(&self) -> Limits {
        let limits = Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.movetime.map(Duration::from_millis),
            ..Limits::default()
        };
        if limits.is_endless() {
            return Limits { move_time: Some(Duration::from_secs(1)), ..limits };
        }
        limits
    }
}

pub(super) fn run(args: &BestMoveArgs) -> anyhow::Result<()> {
    let start = Instant::now();
    let Found { best, result, line } =
        args.search.find(&args.fen, args.rules, &args.limits(), Duration::ZERO, start)?;
    if !args.json {
        return writeln!(io::stdout(), "{best}").context(UNWRITABLE);
    }
    let Chances { win, draw, loss } = Chances::of(result.score);
    write_json(&Finding {
        fen: args.fen.to_string(),
        rules: args.rules.to_string(),
        best: best.to_string(),
        score: result.score.into(),
        wdl: [win, draw, loss],
        depth: result.depth,
        nodes: result.nodes,
        time_ms: start.elapsed().as_millis(),
        line: line.iter().map(ToString::to_string).collect(),
    })
}
