//! `physarum data …`: what can be done with files of training data.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use serde::Serialize;

use super::progress::{Meter, interruption};
use super::{Failure, UNWRITABLE, cores, in_range, make_parent, tell_progress, write_json};
use crate::training::{
    ChanceFit, DataError, DataHeader, DataReader, MergeOptions, RearrangeError, Rearranged, Recipe,
    Rescore, Rescoring, Results, Statistics, check_game, merge, rescore, shuffle,
};

/// Look at training data and rearrange it
#[derive(Debug, Args)]
pub(super) struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    Info(InfoArgs),
    Check(CheckArgs),
    Shuffle(ShuffleArgs),
    Merge(MergeArgs),
    Rescore(RescoreArgs),
}

/// Say where games come from and what they consist of
#[derive(Debug, Args)]
struct InfoArgs {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Check every byte, position and move
///
/// Each fault is a line with the file and the place in it; with any, the program ends with status
/// 1.
#[derive(Debug, Args)]
struct CheckArgs {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Write the games of a file into a new one in random order
#[derive(Debug, Args)]
struct ShuffleArgs {
    /// The file with the games
    file: PathBuf,

    /// The new file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// What the order comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Write the summary as JSON
    #[arg(long)]
    json: bool,
}

/// Write the games of some files into a new one, one file after the other
#[derive(Debug, Args)]
struct MergeArgs {
    /// The files with the games
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The new file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Leave out games that came before, instead of giving up: of the same seed, settings and
    /// program, and with the same number
    #[arg(long)]
    skip_duplicates: bool,

    /// Leave out damaged games, instead of giving up
    #[arg(long)]
    salvage: bool,

    /// Write the summary as JSON
    #[arg(long)]
    json: bool,
}

/// Search all positions of a file again, and write the games with the new scores into another
///
/// The same command goes on where it was broken off.
#[derive(Debug, Args)]
struct RescoreArgs {
    /// The file with the games
    file: PathBuf,

    /// The file for the games with new scores
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// The file of the network that evaluates, instead of the default evaluation
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,

    /// Positions that a search visits before it begins no deeper one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// How many games to work on side by side, 1 to 256 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = in_range(crate::protocol::THREADS_RANGE))]
    threads: Option<usize>,

    /// The size of each thread's transposition table in MiB, 1 to 65536
    #[arg(long, value_name = "MIB", default_value_t = Recipe::default().hash,
        value_parser = in_range(crate::protocol::HASH_RANGE))]
    hash: usize,

    /// Write the summary as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &DataArgs) -> anyhow::Result<()> {
    match &args.command {
        DataCommand::Info(args) => info(args),
        DataCommand::Check(args) => check(args),
        DataCommand::Shuffle(args) => {
            make_parent(&args.out)?;
            let interrupted = interruption()?;
            summary(shuffle(&args.file, &args.out, args.seed, &interrupted), args.json)
        }
        DataCommand::Merge(args) => {
            make_parent(&args.out)?;
            let MergeArgs { skip_duplicates, salvage, .. } = *args;
            let options = MergeOptions { skip_duplicates, salvage };
            let interrupted = interruption()?;
            summary(merge(&args.files, &args.out, options, &interrupted), args.json)
        }
        DataCommand::Rescore(args) => run_rescore(args),
    }
}

/// Says what a merge or shuffle has done.
fn summary(done: Result<Rearranged, RearrangeError>, json: bool) -> anyhow::Result<()> {
    let done = match done {
        Err(RearrangeError::Interrupted) => {
            return Err(Failure::interrupted("there is no new file"));
        }
        done => done?,
    };
    if json {
        return write_json(&done);
    }
    let Rearranged { games, positions, duplicates, damaged } = done;
    let text = format!(
        "positions {positions} games {games} duplicates left out {duplicates} damaged places {damaged}"
    );
    writeln!(io::stdout(), "{text}").context(UNWRITABLE)
}

fn run_rescore(args: &RescoreArgs) -> anyhow::Result<()> {
    let evaluation = super::evaluation(args.eval_file.as_deref())?;
    let job = Rescoring {
        rescore: Rescore::by_this_program(args.nodes, &evaluation)?,
        evaluation,
        hash: args.hash,
        threads: args.threads.unwrap_or_else(cores),
    };
    make_parent(&args.out)?;
    let interrupted = interruption()?;
    let mut meter = None;
    let done = rescore(&args.file, &args.out, &job, &interrupted, &mut |progress, total| {
        let meter = meter.get_or_insert_with(|| Meter::new(total, "positions"));
        let games = format!("{} games", progress.games);
        meter.show(progress.positions, progress.positions_before, &games);
    });
    if let Some(meter) = meter {
        meter.finish();
    }
    let (progress, total) = done?;
    tell_progress(&progress, total, args.json)
}

/// What `data info` says.
#[derive(Serialize)]
struct Info<'a> {
    files: Vec<FileInfo<'a>>,
    #[serde(flatten)]
    statistics: Statistics,
    /// The model of the chances to win, draw and lose that fits best.
    chances: Option<ChanceFit>,
}

#[derive(Serialize)]
struct FileInfo<'a> {
    path: &'a Path,
    header: DataHeader,
    games: u64,
    positions: u64,
    /// Up to the last complete game.
    bytes: u64,
    /// Those of an incomplete game after that.
    torn_bytes: u64,
}

fn info(args: &InfoArgs) -> anyhow::Result<()> {
    let mut info = Info { files: Vec::new(), statistics: Statistics::default(), chances: None };
    for path in &args.files {
        let statistics = &mut info.statistics;
        let (games, positions) = (statistics.games, statistics.positions);
        let reader = read_all(path, statistics).with_context(|| path.display().to_string())?;
        info.files.push(FileInfo {
            path,
            header: reader.header().clone(),
            games: statistics.games - games,
            positions: statistics.positions - positions,
            bytes: reader.offset(),
            torn_bytes: reader.torn(),
        });
    }
    info.chances = info.statistics.chances();
    if args.json { write_json(&info) } else { write!(io::stdout(), "{info}").context(UNWRITABLE) }
}

/// Takes all games of a file into account.
fn read_all(path: &Path, statistics: &mut Statistics) -> Result<DataReader, DataError> {
    let mut reader = DataReader::open(path)?;
    while let Some(game) = reader.next_stored()? {
        statistics.add(&game);
    }
    Ok(reader)
}

impl fmt::Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            writeln!(f, "{file}")?;
        }
        let Statistics { games, positions, game_results, results, .. } = &self.statistics;
        let Statistics { shares, ends, scores, empty, .. } = &self.statistics;
        writeln!(f, "games      {games:>12}  {}", WinsDrawsLosses(game_results))?;
        writeln!(f, "positions  {positions:>12}  {}", WinsDrawsLosses(results))?;

        writeln!(f, "\nrules         gaps         games    positions   share")?;
        for share in shares {
            let gaps = if share.gaps { "yes" } else { "no" };
            let percent = percent(share.positions, *positions);
            let (rules, games, positions) = (share.rules, share.games, share.positions);
            writeln!(f, "{rules:12}  {gaps:4}  {games:>12} {positions:>12}  {percent}")?;
        }

        writeln!(f, "\nend                 games   share")?;
        for end in ends {
            writeln!(f, "{:12} {:>12}  {}", end.end, end.games, percent(end.games, *games))?;
        }

        writeln!(f, "\nscore from      positions   share  points of the side ahead")?;
        for range in scores {
            let from = range.from.map_or("proven".to_owned(), |from| from.to_string());
            let (total, share) =
                (range.results.total(), percent(range.results.total(), *positions));
            let points = range.results.points().map_or("-".to_owned(), |p| format!("{p:.3}"));
            writeln!(f, "{from:12} {total:>12}  {share}  {points}")?;
        }

        writeln!(f, "\nempty from      positions   share")?;
        for range in empty {
            let share = percent(range.positions, *positions);
            writeln!(f, "{:<12} {:>12}  {share}", range.from, range.positions)?;
        }
        if let Some(ChanceFit { scale, margin, positions }) = self.chances {
            let model = format!("scale {scale:.1} cp, margin {margin:.2} cp");
            writeln!(
                f,
                "\nchances to win, draw and lose by score: {model}, from {positions} positions"
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for FileInfo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.path.display())?;
        let Self { header, games, positions, bytes, torn_bytes, .. } = self;
        let each = *bytes as f64 / (*positions).max(1) as f64;
        writeln!(f, "  begun {}", header.created)?;
        writeln!(f, "  {games} games, {positions} positions, {bytes} bytes, {each:.2} for each")?;
        if *torn_bytes > 0 {
            writeln!(f, "  {torn_bytes} bytes of an incomplete game at the end")?;
        }
        for (source, number) in header.sources.iter().zip(0..) {
            let recipe = &source.recipe;
            writeln!(
                f,
                "  source {number}: generation {}, seed {}, {} nodes, gaps {}, Assimilation {}",
                source.generation, recipe.seed, recipe.nodes, recipe.gaps, recipe.assimilation
            )?;
            let by = |engine: &str, evaluation: &str, signature: u64| {
                format!("by version {engine}, evaluation {evaluation}, signature {signature}")
            };
            writeln!(f, "    {}", by(&source.engine, &source.evaluation, source.signature))?;
            for rescore in &source.rescores {
                let by = by(&rescore.engine, &rescore.evaluation, rescore.signature);
                writeln!(f, "    scores from {} nodes {by}", rescore.nodes)?;
            }
        }
        for seed in &header.shuffles {
            writeln!(f, "  shuffled with seed {seed}")?;
        }
        Ok(())
    }
}

/// Shows results in percent.
struct WinsDrawsLosses<'a>(&'a Results);

impl fmt::Display for WinsDrawsLosses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Results { wins, draws, losses } = *self.0;
        let [wins, draws, losses] = [wins, draws, losses].map(|n| percent(n, self.0.total()));
        write!(f, "{wins} won {draws} drawn {losses} lost")
    }
}

/// A share in percent, always of one width.
fn percent(part: u64, whole: u64) -> String {
    format!("{:5.1}%", 100.0 * part as f64 / whole.max(1) as f64)
}

fn check(args: &CheckArgs) -> anyhow::Result<()> {
    let (mut games, mut positions, mut faults) = (0u64, 0u64, 0u64);
    let mut say = |path: &Path, fault: &dyn fmt::Display| {
        faults += 1;
        writeln!(io::stdout(), "{}: {fault}", path.display()).context(UNWRITABLE)
    };
    for path in &args.files {
        let mut reader = match DataReader::open(path) {
            Ok(reader) => reader,
            Err(error) => {
                say(path, &error)?;
                continue;
            }
        };
        let mut seen = HashSet::new();
        loop {
            let game = match reader.next_stored() {
                Ok(Some(game)) => game,
                Ok(None) => break,
                Err(error) => {
                    say(path, &error)?;
                    // What cannot be read at all is not going to get better.
                    if matches!(error, DataError::Game { .. }) { continue } else { break }
                }
            };
            games += 1;
            positions += game.samples.len() as u64;
            let place = format!("the game at byte {}", reader.last_game());
            let source = reader.header().sources.get(game.source as usize);
            let rescored = source.is_some_and(|source| !source.rescores.is_empty());
            if let Err(fault) = check_game(&game, rescored) {
                say(path, &format_args!("{place}: {fault}"))?;
            }
            if !seen.insert((game.source, game.index)) {
                let (index, source) = (game.index, game.source);
                say(path, &format_args!("{place}: number {index} of source {source} came before"))?;
            }
        }
        let (offset, torn) = (reader.offset(), reader.torn());
        if torn > 0 {
            say(path, &format_args!("{torn} bytes of an incomplete game at byte {offset}"))?;
        }
    }
    let files = args.files.len();
    let text = format!("files {files} games {games} positions {positions} faults {faults}");
    writeln!(io::stdout(), "{text}").context(UNWRITABLE)?;
    if faults > 0 {
        bail!("faults found: {faults}");
    }
    Ok(())
}
