//! `physarum tune`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde_json::json;

use super::files::{are_same, check_writable, write_whole};
use super::progress::{Meter, interruption};
use super::{Failure, UNWRITABLE, bad_argument, in_range};
use crate::game::Rules;
use crate::referee::{Book, TimeControl, table};
use crate::search::{ParameterInfo, Parameters};
use crate::tuning::{Tunable, TuneJob, TuneLimit, TunedParameter, Tuning, tune};

/// Tune the constants of the search by games against itself
///
/// Simultaneous perturbation (SPSA): each iteration plays two games from one opening, with colours
/// changed, between two sets of constants on either side of where they are, and moves them a little
/// towards the winner. The state is written every few seconds: the same command goes on where it
/// was broken off, by whatever; --iterations may become more, --threads may change. Rules are Ataxx.
///
/// Without --param all constants of the search proper are tuned, and with --tc those of the time,
/// too; those of the table only if they are named.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  physarum tune --list
  physarum tune --state tune.json --nodes 5000 --iterations 2000 --plot tune.svg
  physarum tune --state lmr.json --tc 0.3+0.003 --param lmr_base=60 --param lmr_divisor=150:10")]
pub(super) struct TuneArgs {
    /// The file of the state
    #[arg(long, value_name = "FILE", required_unless_present = "list")]
    state: Option<PathBuf>,

    /// How many iterations to make, of two games each
    #[arg(long, value_name = "N", default_value_t = 2000,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    iterations: u64,

    /// Positions that the search visits for each move
    #[arg(long, value_name = "N", required_unless_present_any = ["list", "tc"],
        conflicts_with = "tc", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// A clock for each side, as in 0.3+0.003: seconds, and what each move adds
    #[arg(long, value_name = "TC", value_parser = parse_time_control)]
    tc: Option<TimeControl>,

    /// A constant to tune; from where, and how far it is moved in the last iteration to try what is
    /// better [default: from its default, by a twentieth of its range or 0.5]; may be given several
    /// times
    #[arg(long, value_name = "NAME[=START][:CEND]")]
    param: Vec<Tunable>,

    /// A book of openings, all used equally often [default: random ones that are balanced]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    /// The size of each player's transposition table in MiB, 1 to 65536; each thread has two
    #[arg(long, value_name = "MIB", default_value_t = 16,
        value_parser = in_range(crate::protocol::HASH_RANGE))]
    hash: usize,

    /// What all that is random comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How fast constants move at the end: for each point of a pair of games, this part of CEND
    #[arg(long, value_name = "RATE", default_value_t = 0.002, value_parser = parse_rate)]
    rate: f64,

    /// How many iterations to make side by side, 1 to 256 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = in_range(crate::protocol::THREADS_RANGE))]
    threads: Option<usize>,

    /// The file of the network that evaluates, instead of the default evaluation
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,

    /// Write where the constants were on the way as a table
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write where the constants were on the way as a picture (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Show all constants with their defaults and ranges, and nothing else
    #[arg(long)]
    list: bool,

    /// Write the result as JSON
    #[arg(long)]
    json: bool,
}

fn parse_time_control(text: &str) -> Result<TimeControl, String> {
    let control: TimeControl = text.parse().map_err(|error| format!("{error}"))?;
    if control.base().is_zero() {
        return Err("a clock needs some time to begin with".to_owned());
    }
    Ok(control)
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 1.0 => Ok(rate),
        _ => Err("a number above 0, and at most 1, is expected".to_owned()),
    }
}

pub(super) fn run(args: &TuneArgs) -> anyhow::Result<()> {
    if args.list {
        return list(args.json);
    }
    let limit = match (args.nodes, args.tc) {
        (Some(nodes), None) => TuneLimit::Nodes(nodes),
        (None, Some(control)) => TuneLimit::Clock(control),
        _ => bad_argument("tune", "one of --nodes and --tc is needed"),
    };
    let Some(state) = &args.state else { bad_argument("tune", "--state is needed") };
    for (index, tunable) in args.param.iter().enumerate() {
        if args.param[..index].iter().any(|earlier| earlier.name == tunable.name) {
            bad_argument("tune", format!("--param {} is there twice", tunable.name));
        }
    }
    let outputs: Vec<&Path> = [&args.csv, &args.plot].into_iter().flatten().map(|p| &**p).collect();
    let mut files = outputs.clone();
    files.push(state);
    for (index, file) in files.iter().enumerate() {
        if files[..index].iter().any(|earlier| are_same(earlier, file)) {
            bad_argument("tune", format!("{} is to be two files at once", file.display()));
        }
    }
    let book = match &args.openings {
        Some(path) => Some(Book::read(path, Rules::Ataxx).map_err(Failure::arguments)?),
        None => None,
    };
    let job = TuneJob {
        parameters: match args.param.is_empty() {
            true => limit.usual_parameters(),
            false => args.param.clone(),
        },
        iterations: args.iterations,
        limit,
        rate: args.rate,
        hash: args.hash,
        seed: args.seed,
        book,
        evaluation: super::evaluation(args.eval_file.as_deref())?,
        threads: args.threads.unwrap_or_else(super::cores),
        state: state.clone(),
    };
    super::make_parent(state)?;
    for path in outputs {
        check_writable(path)?;
    }
    let interrupted = interruption()?;
    let mut meter = Meter::new(args.iterations, "iterations");
    let tuning = tune(&job, &interrupted, &mut |news| {
        let record = &news.record;
        let score = format!("+{} ={} -{}", record.wins, record.draws, record.losses);
        meter.show(news.done, news.done_before, &score);
    });
    meter.finish();
    let tuning = tuning?;
    // What an interrupted tuning has come to is worth a look, too.
    if let Some(path) = &args.csv {
        write_whole(path, tuning.csv().as_bytes())?;
    }
    if let Some(path) = &args.plot {
        write_whole(path, tuning.svg().as_bytes())?;
    }
    if !tuning.complete {
        let so_far = format!("{} of {} iterations", tuning.iterations, args.iterations);
        return Err(Failure::interrupted(format!("{so_far} are made; the same command goes on")));
    }
    if args.json {
        let mut value = serde_json::to_value(&tuning)?;
        value["arguments"] = tuning.arguments().into();
        return super::write_json(&value);
    }
    show(&tuning).context(UNWRITABLE)
}

/// Titles of columns, or what stands in them.
fn row<const N: usize>(cells: [&dyn ToString; N]) -> Vec<String> {
    cells.iter().map(|cell| cell.to_string()).collect()
}

/// Shows all constants.
fn list(json: bool) -> anyhow::Result<()> {
    let all = Parameters::all();
    if json {
        let parameter = |info: &ParameterInfo| {
            let ParameterInfo { name, default, range, group } = info;
            let (min, max) = (range.start(), range.end());
            json!({ "name": name, "default": default, "min": min, "max": max, "group": group })
        };
        return super::write_json(&all.iter().map(parameter).collect::<Vec<_>>());
    }
    let mut rows = vec![row([&"parameter", &"group", &"default", &"min", &"max"])];
    for ParameterInfo { name, default, range, group } in &all {
        rows.push(row([name, group, default, range.start(), range.end()]));
    }
    writeln!(io::stdout(), "{}", table(&rows, 2)).context(UNWRITABLE)
}

/// Shows what has come out.
fn show(tuning: &Tuning) -> io::Result<()> {
    let mut rows = vec![row([&"parameter", &"start", &"tuned", &"exactly", &"min", &"max"])];
    for TunedParameter { name, start, value, theta, min, max, .. } in &tuning.parameters {
        rows.push(row([name, start, value, &format!("{theta:.2}"), min, max]));
    }
    let record = &tuning.record;
    let games = record.wins + record.draws + record.losses;
    let mut out = io::stdout();
    writeln!(out, "{}", table(&rows, 1))?;
    writeln!(
        out,
        "iterations {} games {games} drawn {} lost on time {}",
        tuning.iterations, record.draws, record.losses_on_time
    )?;
    writeln!(out, "{}", tuning.arguments())
}
