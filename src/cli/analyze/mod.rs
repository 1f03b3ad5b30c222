//! `physarum analyze`.

mod formats;
mod output;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::Args;

use self::formats::{Format, is_row_of};
use self::output::Output;
use super::files::{WholeFile, are_same, check_writable, write_whole};
use super::input::{InterruptibleInput, LateFile, open_at_once};
use super::progress::{Meter, interruption};
use super::{Failure, cores, in_range};
use crate::analysis::{
    BadEntry, Entries, Entry, Finding, HtmlReport, Judge, Record, SOLVE_NODES, Settings, Told,
    analyze_all,
};
use crate::game::{MAX_MOVES, Rules};
use crate::protocol::{HASH_RANGE, THREADS_RANGE};
use crate::record::PgnWriter;
use crate::search::{Limits, MAX_DEPTH};

/// What a search may visit when no limit is given.
const DEFAULT_NODES: u64 = 100_000;

/// Analyse many positions, or whole games
///
/// Reads positions, one in a line, from files or from standard input, and writes a record for each, in
/// their order: a FEN, or a FEN with "moves" and moves, and perhaps " ; " and a name; a command
/// "position ..."; or a JSON object with a field "fen" (and "moves", "rules", "id", if wanted), whose other fields
/// are passed on. Blank lines, and what follows a #, are comments.
///
/// A file that begins like PGN is read as games: each position has its record, with what the move made
/// there was worth, and each game a summary behind them.
///
/// A line with an error becomes a record that says so; the others go on, and the program ends with
/// status 1. With a limit of depth or nodes and --no-time, the same input gives the same output, whatever the
/// number of jobs.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  physarum analyze positions.txt --nodes 200000 > out.jsonl
  cut -f2 positions.tsv | physarum analyze --depth 14 --multipv 3 --format csv
  physarum analyze positions.txt --nodes 1000000 --out out.jsonl --resume
  physarum analyze games.pgn --nodes 200000 --out games.jsonl --html report.html --pgn-out judged.pgn
  physarum analyze endings.txt --solve --movetime 1000 --format text
  physarum analyze positions.txt --shard 3/16 --out out.3.jsonl     the 3rd of 16 machines")]
pub(super) struct AnalyzeArgs {
    /// The files with the positions or games; standard input if there are none, or for -
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The rules where the input doesn't name them: assimilation, ataxx or fill [default: ataxx for games,
    /// otherwise assimilation]
    #[arg(long)]
    rules: Option<Rules>,

    /// Search each position this many plies deep
    #[arg(long, value_name = "PLIES", value_parser = in_range(1..=MAX_DEPTH))]
    depth: Option<u32>,

    /// Visit this many positions for each [default without any limit: 100000]
    #[arg(long, value_name = "N", value_parser = in_range(1..=u64::MAX))]
    nodes: Option<u64>,

    /// Take this many milliseconds for each
    #[arg(long, value_name = "MS", value_parser = in_range(1..=u64::from(u32::MAX)))]
    movetime: Option<u64>,

    /// Look for a win in this many moves, leaving nothing out
    #[arg(long, value_name = "MOVES", value_parser = in_range(1..=MAX_DEPTH))]
    mate: Option<u32>,

    /// Look for a proof of how the game ends, and of by how many stones
    ///
    /// Half of what the limits allow may go into the first, what is left into the second [default without
    /// limits of nodes or time: 10 million nodes].
    #[arg(long, conflicts_with = "mate")]
    solve: bool,

    /// Tell of this many of the best moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = in_range(1..=MAX_MOVES))]
    multipv: usize,

    /// How many threads search each position, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = in_range(THREADS_RANGE))]
    threads: usize,

    /// How many positions are searched side by side, 1 to 256 [default: as many as keep all cores busy]
    #[arg(long, value_name = "N", value_parser = in_range(THREADS_RANGE))]
    jobs: Option<usize>,

    /// The most memory for the transposition tables of all jobs together, in MiB, 1 to 65536
    ///
    /// A job takes no more than is of use to it: with a limit of nodes, 64 bytes for each of them, and
    /// at most 32 MiB. Where the jobs must do with less, the output depends on their number. Proofs
    /// (--solve) take up to 16 MiB for each job besides.
    #[arg(long, value_name = "MIB", value_parser = in_range(HASH_RANGE))]
    hash: Option<usize>,

    /// The file of the network that evaluates, instead of the default evaluation
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,

    /// How to write the records
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,

    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", visible_alias = "jsonl")]
    out: Option<PathBuf>,

    /// Write the games to a file, as PGN, with what their moves were worth as comments
    #[arg(long, value_name = "FILE")]
    pgn_out: Option<PathBuf>,

    /// Write a page to a file on which the games can be looked at in a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Replace the files if they are there
    #[arg(long, conflicts_with = "resume")]
    force: bool,

    /// Go on where an interrupted run with the same input and options has ended
    ///
    /// What is there is compared with the input and, as far as it tells of them, the options. Of JSON lines or,
    /// without games, CSV.
    #[arg(long, requires = "out")]
    resume: bool,

    /// Leave out this many positions, or games, at the beginning
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,

    /// Take the I-th of every N positions, or games, only
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,

    /// Leave out the numbers of lines, which depend on how an input is cut into parts
    #[arg(long)]
    no_line: bool,

    /// Leave out what the searches took, which is never the same twice
    #[arg(long)]
    no_time: bool,
}

/// A part of the positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shard {
    /// From 0.
    index: usize,
    of: usize,
}

impl Shard {
    /// Whether a position, or a game, belongs to it, counted from 0, of which some at the beginning
    /// are left out.
    fn has(self, skip: usize, number: usize) -> bool {
        number >= skip && (number - skip) % self.of == self.index
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| text.parse().ok().filter(|&number| number > 0usize);
        match text.split_once('/').map(|(index, of)| (number(index), number(of))) {
            Some((Some(index), Some(of))) if index <= of => Ok(Self { index: index - 1, of }),
            _ => Err("I/N is expected, with I from 1 to N, as in 3/16".to_owned()),
        }
    }
}

impl AnalyzeArgs {
    fn settings(&self) -> anyhow::Result<Settings> {
        let limits = Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.movetime.map(Duration::from_millis),
            mate: self.mate,
            ..Limits::default()
        };
        let nodes = match limits {
            _ if self.solve && self.nodes.is_none() && self.movetime.is_none() => Some(SOLVE_NODES),
            _ if limits.is_endless() => Some(DEFAULT_NODES),
            _ => limits.nodes,
        };
        Ok(Settings {
            limits: Limits { nodes, ..limits },
            jobs: self.jobs.unwrap_or_else(|| cores().div_ceil(self.threads)),
            threads: self.threads,
            multi_pv: self.multipv,
            hash: self.hash,
            evaluation: super::evaluation(self.eval_file.as_deref())?,
            solve: self.solve,
            with_time: !self.no_time,
        })
    }

    /// Whether these options could have led to a record, as far as that can be seen.
    fn may_have_found(&self, finding: &Finding) -> bool {
        let is_over = finding.outcome.is_some();
        // A search that was broken off before its first moves were compared knows less.
        let lines = if is_over { 0 } else { self.multipv.min(finding.legal_moves) };
        let most_nodes =
            self.nodes.map_or(u64::MAX, |nodes| nodes.saturating_add(nodes / 8 + 1000));
        finding.time_ms.is_none() == self.no_time
            && (finding.lines.len() == lines || finding.depth == 0)
            && finding.nodes <= most_nodes
            && self.depth.is_none_or(|depth| finding.depth <= depth)
            && (finding.result.is_none() || self.solve)
            && (finding.result.is_some() || !self.solve || !finding.proven)
    }

    /// The positions of all files, without those that are to be left out.
    fn entries(&self, interrupted: &Arc<AtomicBool>) -> anyhow::Result<EntryIter> {
        let of_stdin = || Entries::new(stdin(interrupted)).with_rules(self.rules);
        let entries: EntryIter = if self.files.is_empty() {
            Box::new(of_stdin())
        } else {
            let mut readers = Vec::new();
            for path in &self.files {
                let name = (self.files.len() > 1).then(|| path.display().to_string());
                let reader = open(path, interrupted)?;
                readers.push(Entries::new(reader).with_rules(self.rules).of_file(name));
            }
            Box::new(readers.into_iter().flatten())
        };
        if self.skip == 0 && self.shard.of == 1 {
            return Ok(entries);
        }
        let (skip, shard) = (self.skip, self.shard);
        let mut units = 0;
        Ok(Box::new(entries.filter(move |entry| {
            let ply = entry.as_ref().ok().and_then(|entry| entry.ply.as_ref());
            if ply.is_none_or(|ply| ply.number == 1) {
                units += 1;
            }
            shard.has(skip, units - 1)
        })))
    }

    /// How many positions there are, if that can be known before they are read.
    fn count(&self) -> Option<u64> {
        let is_file = |path: &PathBuf| path.metadata().is_ok_and(|metadata| metadata.is_file());
        if self.files.is_empty() || !self.files.iter().all(is_file) {
            return None;
        }
        let (mut count, mut units) = (0, 0);
        for path in &self.files {
            let file = BufReader::new(File::open(path).ok()?);
            for size in Entries::new(file).with_rules(self.rules).sizes() {
                if self.shard.has(self.skip, units) {
                    count += size as u64;
                }
                units += 1;
            }
        }
        Some(count)
    }

    /// Complains of files that cannot be written, or that must not be.
    fn check_files(&self) -> anyhow::Result<()> {
        let outputs: Vec<&PathBuf> =
            [&self.out, &self.pgn_out, &self.html].into_iter().flatten().collect();
        for (index, out) in outputs.iter().enumerate() {
            let name = out.display();
            if let Some(input) = self.files.iter().find(|input| are_same(input, out)) {
                let input = input.display();
                return Err(Failure::arguments(format!(
                    "{name} would be written over {input}, which is to be read"
                )));
            }
            if outputs[..index].iter().any(|other| are_same(other, out)) {
                return Err(Failure::arguments(format!("two outputs would go to {name}")));
            }
        }
        for path in [&self.pgn_out, &self.html].into_iter().flatten() {
            if !self.force && !self.resume && path.is_file() {
                bail!("{}: the file exists: --force replaces it", path.display());
            }
            check_writable(path)?;
        }
        let wants_games = self.pgn_out.is_some() || self.html.is_some();
        match self.format {
            Format::Text if self.resume => {
                Err(Failure::arguments("--resume needs --format jsonl or csv"))
            }
            Format::Csv if self.resume && wants_games => Err(Failure::arguments(GAMES_NEED_JSON)),
            _ => Ok(()),
        }
    }
}

const GAMES_NEED_JSON: &str = "--resume with games needs --format jsonl";

type EntryIter = Box<dyn Iterator<Item = Result<Entry, BadEntry>> + Send>;

fn stdin(interrupted: &Arc<AtomicBool>) -> Box<dyn BufRead + Send> {
    Box::new(BufReader::new(InterruptibleInput::new(io::stdin(), Arc::clone(interrupted))))
}

fn open(path: &Path, interrupted: &Arc<AtomicBool>) -> anyhow::Result<Box<dyn BufRead + Send>> {
    if path == Path::new("-") {
        return Ok(stdin(interrupted));
    }
    if path.is_dir() {
        bail!("{}: this is a folder", path.display());
    }
    let open = || {
        io::Result::Ok(if path.metadata()?.is_file() {
            Box::new(BufReader::new(LateFile::new(path)?)) as Box<dyn BufRead + Send>
        } else {
            let file = InterruptibleInput::new(open_at_once(path)?, Arc::clone(interrupted));
            Box::new(BufReader::new(file))
        })
    };
    open().with_context(|| path.display().to_string())
}

/// What is made of the records, in the order of the input.
struct Desk {
    output: Output,
    no_line: bool,
    judge: Judge,
    pgn: Option<WholeFile>,
    html: Option<HtmlReport>,
    done: u64,
    failed: u64,
    games: u64,
}

impl Desk {
    fn take(&mut self, mut record: Record) -> anyhow::Result<()> {
        if self.no_line {
            record.line = None;
        }
        self.done += 1;
        self.failed += u64::from(record.error().is_some());
        for told in self.judge.take(record) {
            self.output.tell(&told)?;
            let Told::Game(report) = told else { continue };
            self.games += 1;
            if let Some(pgn) = &mut self.pgn {
                let mut writer = PgnWriter::new(Vec::new());
                writer.write(&report.annotated())?;
                pgn.write(&writer.into_inner())?;
            }
            if let Some(html) = &mut self.html {
                html.add(&report)?;
            }
        }
        Ok(())
    }

    /// Takes again what an interrupted run has written; returns how many positions that were.
    fn resume(&mut self, args: &AnalyzeArgs, entries: &mut EntryIter) -> anyhow::Result<u64> {
        while let Some(line) = self.output.earlier()? {
            if args.format == Format::Csv {
                let Some(entry) = entries.next() else { bail!(self.output.foreign()) };
                if entry.as_ref().is_ok_and(|entry| entry.ply.is_some()) {
                    return Err(Failure::arguments(GAMES_NEED_JSON));
                }
                self.done += 1;
                self.failed += u64::from(entry.is_err());
                if !is_row_of(&line, &entry, !args.no_line, !args.no_time) {
                    bail!(self.output.foreign());
                }
                self.output.accept();
                continue;
            }
            let Ok(known) = serde_json::from_str::<Known>(&line) else {
                bail!(self.output.foreign())
            };
            if known.summary.is_some() {
                continue;
            }
            let Some(entry) = entries.next() else { bail!(self.output.foreign()) };
            let finding: Option<Finding> = serde_json::from_str(&line).ok();
            let is_of = |entry: &Entry| {
                finding.as_ref().is_some_and(|finding| {
                    finding.fen == entry.game.position().to_string()
                        && finding.rules == entry.rules
                        && args.may_have_found(finding)
                })
            };
            let has_line = known.line.is_some();
            if has_line == args.no_line || !entry.as_ref().map_or(finding.is_none(), is_of) {
                bail!(self.output.foreign());
            }
            self.take(Record::known(entry, finding))?;
        }
        // Only the move of a game's last position can still be waiting to be judged.
        if self.output.missing() > usize::from(self.judge.is_waiting()) {
            bail!(self.output.foreign());
        }
        self.output.go_on()?;
        Ok(self.done)
    }

    /// Writes what is written as a whole.
    fn finish(self, args: &AnalyzeArgs) -> anyhow::Result<()> {
        if self.games == 0 && (self.pgn.is_some() || self.html.is_some()) {
            bail!("no whole game was analysed: there is nothing to write with --pgn-out or --html");
        }
        if let Some(pgn) = self.pgn {
            pgn.finish()?;
        }
        if let (Some(html), Some(path)) = (self.html, &args.html) {
            write_whole(path, html.to_html().as_bytes())?;
        }
        Ok(())
    }
}

/// What is to be known of a line of an interrupted run.
#[derive(serde::Deserialize)]
struct Known {
    line: Option<u64>,
    summary: Option<serde::de::IgnoredAny>,
}

pub(super) fn run(args: &AnalyzeArgs) -> anyhow::Result<()> {
    args.check_files()?;
    let settings = args.settings()?;
    let interrupted = interruption()?;
    let mut entries = args.entries(&interrupted)?;
    let output = match &args.out {
        Some(path) if args.resume => Output::resume(args.format, path)?,
        out => Output::new(args.format, out.as_deref(), args.force)?,
    };
    let mut desk = Desk {
        output,
        no_line: args.no_line,
        judge: Judge::default(),
        pgn: args.pgn_out.as_deref().map(WholeFile::create).transpose()?,
        html: args.html.is_some().then(HtmlReport::default),
        done: 0,
        failed: 0,
        games: 0,
    };
    let before = if args.resume { desk.resume(args, &mut entries)? } else { 0 };
    let mut meter = Meter::open(args.count(), "positions");
    let mut result = Ok(());
    analyze_all(entries, &settings, &interrupted, |record| {
        if let Some(record) = record {
            result = desk.take(record);
        }
        meter.show(desk.done, before, &format!("{} errors", desk.failed));
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    meter.finish();
    let wants_games = desk.pgn.is_some() || desk.html.is_some();
    if wants_games && result.is_err() {
        // Whoever has read enough of the records has not seen the files.
        return result.map_err(|error| anyhow!("{error:#}: no games were written"));
    }
    result?;
    let Desk { done, failed, games, .. } = desk;
    let is_interrupted = interrupted.load(Ordering::Relaxed);
    if games > 0 || !is_interrupted {
        desk.finish(args)?;
    }
    if is_interrupted {
        let mut text = format!("{done} positions are done");
        if wants_games && games > 0 {
            text += &format!(", and the first {games} games are written");
        }
        if args.out.is_some() {
            text += "; --resume goes on";
        }
        return Err(Failure::interrupted(text));
    }
    if failed > 0 {
        bail!("{failed} of {done} positions have errors");
    }
    Ok(())
}
