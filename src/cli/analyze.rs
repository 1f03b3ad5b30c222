//! `physarum analyze`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::files::are_same;
use super::progress::{Meter, interruption};
use super::{Failure, UNWRITABLE, cores, in_range};
use crate::analysis::{BadEntry, Entries, Entry, Record, ScoreRecord, Settings, analyze_all};
use crate::game::{MAX_MOVES, Rules};
use crate::protocol::{HASH_RANGE, THREADS_RANGE};
use crate::search::{Limits, MAX_DEPTH};

/// What a search may visit when no limit is given.
const DEFAULT_NODES: u64 = 100_000;

/// Analyse many positions
///
/// Reads positions, one in a line, from files or from standard input, and writes a record for each, in
/// their order: a FEN, or a FEN with "moves" and moves, and perhaps " ; " and a name; a command
/// "position ..."; or a JSON object with a field "fen" (and "moves", "rules", "id", if wanted), whose other fields
/// are passed on. Blank lines, and what follows a #, are comments.
///
/// A line with an error becomes a record that says so; the others go on, and the program ends with
/// status 1. With a limit of depth or nodes and --no-time, the same input gives the same output, whatever the
/// number of jobs.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  physarum analyze positions.txt --nodes 200000 > out.jsonl
  cut -f2 positions.tsv | physarum analyze --depth 14 --multipv 3 --format csv
  physarum analyze positions.txt --nodes 1000000 --out out.jsonl --resume
  physarum analyze positions.txt --shard 3/16 --out out.3.jsonl     the 3rd of 16 machines")]
pub(super) struct AnalyzeArgs {
    /// The files with the positions; standard input if there are none, or for -
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The rules where a line doesn't name them: assimilation, ataxx or fill
    #[arg(long, default_value_t)]
    rules: Rules,

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

    /// Tell of this many of the best moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = in_range(1..=MAX_MOVES))]
    multipv: usize,

    /// How many threads search each position, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = in_range(THREADS_RANGE))]
    threads: usize,

    /// How many positions are searched side by side, 1 to 256 [default: as many as keep all cores busy]
    #[arg(long, value_name = "N", value_parser = in_range(THREADS_RANGE))]
    jobs: Option<usize>,

    /// The memory for the transposition tables of all jobs, in MiB, 1 to 65536
    ///
    /// A job takes no more than is of use to it: with a limit of nodes, 64 bytes for each of them, and
    /// at most 32 MiB.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = in_range(HASH_RANGE))]
    hash: usize,

    /// The file of the network that evaluates, instead of the default evaluation
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,

    /// How to write the records
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,

    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", visible_alias = "jsonl")]
    out: Option<PathBuf>,

    /// Replace the file if it is there
    #[arg(long, requires = "out", conflicts_with = "resume")]
    force: bool,

    /// Go on where an interrupted run with the same input and shard has ended
    #[arg(long, requires = "out")]
    resume: bool,

    /// Leave out this many positions at the beginning
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,

    /// Take the I-th of every N positions only
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,

    /// Leave out what the searches took, which is never the same twice
    #[arg(long)]
    no_time: bool,
}

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A JSON object on each line
    Jsonl,
    /// Comma-separated values, with a line of names before them
    Csv,
    /// A line for people
    Text,
}

/// A part of the positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shard {
    /// From 0.
    index: usize,
    of: usize,
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
        let nodes = if limits.is_endless() { Some(DEFAULT_NODES) } else { limits.nodes };
        Ok(Settings {
            limits: Limits { nodes, ..limits },
            jobs: self.jobs.unwrap_or_else(|| cores().div_ceil(self.threads)),
            threads: self.threads,
            multi_pv: self.multipv,
            hash: self.hash,
            evaluation: super::evaluation(self.eval_file.as_deref())?,
            with_time: !self.no_time,
        })
    }

    /// The positions of all files.
    fn entries(&self) -> anyhow::Result<Box<dyn Iterator<Item = Result<Entry, BadEntry>> + Send>> {
        let rules = self.rules;
        if self.files.is_empty() {
            return Ok(Box::new(Entries::new(BufReader::new(io::stdin()), rules)));
        }
        let mut readers = Vec::new();
        for path in &self.files {
            let name = (self.files.len() > 1).then(|| path.display().to_string());
            readers.push(Entries::new(open(path)?, rules).of_file(name));
        }
        Ok(Box::new(readers.into_iter().flatten()))
    }

    /// How many positions there are, if that can be known before they are read.
    fn count(&self) -> Option<usize> {
        let is_file = |path: &PathBuf| path.metadata().is_ok_and(|metadata| metadata.is_file());
        if self.files.is_empty() || !self.files.iter().all(is_file) {
            return None;
        }
        let mut count = 0;
        for path in &self.files {
            count += Entries::new(open(path).ok()?, self.rules).count_unread();
        }
        let Shard { index, of } = self.shard;
        Some(count.saturating_sub(self.skip).saturating_sub(index).div_ceil(of))
    }
}

fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    if path.is_dir() {
        bail!("{}: this is a folder", path.display());
    }
    let file = File::open(path).with_context(|| path.display().to_string())?;
    Ok(Box::new(BufReader::new(file)))
}

/// Where records go.
struct Sink {
    format: Format,
    output: Box<dyn Write>,
}

impl Sink {
    /// Opens the output; returns with it how many records are there already.
    fn open(args: &AnalyzeArgs) -> anyhow::Result<(Self, usize)> {
        let format = args.format;
        let (output, done): (Box<dyn Write>, _) = match &args.out {
            None => (Box::new(io::stdout()), None),
            Some(path) => {
                let (file, done) =
                    open_output(path, args).with_context(|| path.display().to_string())?;
                (Box::new(BufWriter::new(file)), done)
            }
        };
        let mut sink = Self { format, output };
        // The names of the columns are a line, too.
        let names = usize::from(format == Format::Csv);
        match done {
            Some(lines) if lines >= names => return Ok((sink, lines - names)),
            _ if format == Format::Csv => {
                let mut line = csv::Writer::from_writer(&mut sink.output);
                line.write_record(COLUMNS)?;
                line.flush()?;
            }
            _ => {}
        }
        Ok((sink, 0))
    }

    fn write(&mut self, record: &Record) -> anyhow::Result<()> {
        match self.format {
            Format::Jsonl => writeln!(self.output, "{}", serde_json::to_string(record)?)?,
            Format::Csv => {
                let mut line = csv::Writer::from_writer(&mut self.output);
                line.write_record(cells(record))?;
                line.flush()?;
            }
            Format::Text => writeln!(self.output, "{}", text(record))?,
        }
        Ok(self.output.flush()?)
    }
}

/// Opens a file to write to; where an interrupted run is to be gone on with, at the end of its last whole
/// line, with the number of lines before that.
fn open_output(path: &Path, args: &AnalyzeArgs) -> anyhow::Result<(File, Option<usize>)> {
    let mut options = OpenOptions::new();
    options.write(true).read(true);
    if args.resume {
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            bail!("no regular file: --resume cannot go on with it");
        }
        let mut file = options.create(true).truncate(false).open(path)?;
        let (mut whole, mut lines) = (0, 0);
        let mut reader = BufReader::new(&mut file);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            whole += line.len() as u64;
            lines += 1;
            line.clear();
        }
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        return Ok((file, Some(lines)));
    }
    if args.force {
        return Ok((options.create(true).truncate(true).open(path)?, None));
    }
    match options.create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            bail!("the file exists: --force replaces it, --resume goes on with it")
        }
        file => Ok((file?, None)),
    }
}

const COLUMNS: [&str; 20] = [
    "file",
    "line",
    "id",
    "error",
    "fen",
    "rules",
    "legal_moves",
    "outcome",
    "depth",
    "seldepth",
    "nodes",
    "time_ms",
    "cp",
    "mate",
    "win",
    "draw",
    "loss",
    "proven",
    "best",
    "pv",
];

/// What a record has in each column.
fn cells(record: &Record) -> Vec<String> {
    let mut cells = vec![
        record.file.clone().unwrap_or_default(),
        record.line.to_string(),
        record.id.as_ref().map(plain).unwrap_or_default(),
        record.error().unwrap_or_default().to_owned(),
    ];
    if let Some(found) = record.finding() {
        let (cp, mate) = match found.score {
            ScoreRecord::Cp(cp) => (cp.to_string(), String::new()),
            ScoreRecord::Mate(moves) => (String::new(), moves.to_string()),
        };
        let pv = found.lines.first().map(|line| line.moves.join(" "));
        cells.extend([
            found.fen.clone(),
            found.rules.to_owned(),
            found.legal_moves.to_string(),
            found.outcome.clone().unwrap_or_default(),
            found.depth.to_string(),
            found.seldepth.to_string(),
            found.nodes.to_string(),
            found.time_ms.map(|ms| ms.to_string()).unwrap_or_default(),
            cp,
            mate,
        ]);
        cells.extend(found.wdl.map(|chance| chance.to_string()));
        cells.extend([
            found.proven.to_string(),
            found.best.clone().unwrap_or_default(),
            pv.unwrap_or_default(),
        ]);
    }
    cells.resize(COLUMNS.len(), String::new());
    cells
}

/// A value as text on one line: without quotes where it is one, control characters as escapes.
fn plain(value: &serde_json::Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let escape = |c: char| {
        if c.is_control() { c.escape_default().to_string() } else { c.to_string() }
    };
    text.chars().map(escape).collect()
}

/// A record for people.
fn text(record: &Record) -> String {
    let mut text = match &record.file {
        Some(file) => format!("{file}:{}", record.line),
        None => record.line.to_string(),
    };
    if let Some(id) = &record.id {
        text += &format!(" ({})", plain(id));
    }
    let Some(found) = record.finding() else {
        return format!("{text}: error: {}", record.error().unwrap_or_default());
    };
    if let Some(outcome) = &found.outcome {
        return format!("{text}: game over: {outcome}");
    }
    let [win, draw, loss] = found.wdl;
    text += &format!(": depth {} nodes {}", found.depth, found.nodes);
    for line in &found.lines {
        let score = match line.score {
            ScoreRecord::Cp(cp) => format!("cp {cp}"),
            ScoreRecord::Mate(moves) => format!("mate {moves}"),
        };
        text += &format!("; {score}: {}", line.moves.join(" "));
    }
    format!("{text}; wdl {win} {draw} {loss}")
}

pub(super) fn run(args: &AnalyzeArgs) -> anyhow::Result<()> {
    if let Some(out) = &args.out
        && let Some(input) = args.files.iter().find(|input| are_same(input, out))
    {
        let (out, input) = (out.display(), input.display());
        return Err(Failure::arguments(format!(
            "{out} would be written over {input}, which is to be read"
        )));
    }
    let settings = args.settings()?;
    let entries = args.entries()?;
    let interrupted = interruption()?;
    let (mut sink, before) = Sink::open(args)?;
    let Shard { index, of } = args.shard;
    let entries = entries.skip(args.skip).skip(index).step_by(of).skip(before);
    let mut meter = Meter::open(args.count().map(|count| count as u64), "positions");
    let (mut done, mut failed) = (0u64, 0u64);
    let mut result = Ok(());
    let before = before as u64;
    analyze_all(entries, &settings, &interrupted, |record| {
        if let Some(record) = record {
            done += 1;
            failed += u64::from(record.error().is_some());
            result = sink.write(&record).context(UNWRITABLE);
        }
        meter.show(before + done, before, &format!("{failed} errors"));
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    meter.finish();
    result?;
    if interrupted.load(std::sync::atomic::Ordering::Relaxed) {
        let goes_on = if args.out.is_some() { "; --resume goes on" } else { "" };
        return Err(Failure::interrupted(format!("{} positions are done{goes_on}", before + done)));
    }
    if failed > 0 {
        bail!("{failed} of {done} positions have errors");
    }
    Ok(())
}
