//! The command line: one file for each subcommand.

mod analyze;
mod bench;
mod bestmove;
mod data;
mod datagen;
mod documents;
mod files;
mod input;
mod net;
mod one_search;
mod oneshot;
mod openings;
mod perft;
mod play_match;
mod progress;
mod train;
mod tune;

use std::fmt::Display;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
#[cfg(unix)]
use std::sync::Arc;

use anyhow::Context;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use thiserror::Error;

use self::files::write_whole;
use crate::eval::Evaluation;
use crate::game::Rules;
use crate::protocol::{self, Config};
use crate::search::{ParameterSetting, Parameters};
use crate::training::Progress;

/// An engine for Ataxx, the game also known as Assimilation.
///
/// Without a command, Physarum reads commands of the UAI protocol from standard input and answers on
/// standard output, for a GUI or a referee; `help` lists them.
#[derive(Debug, Parser)]
#[command(name = "physarum", version, max_term_width = 100)]
#[command(after_help = "Examples:
  physarum                                    play through a GUI or a referee
  printf 'position startpos\\ngo depth 12\\n' | physarum
  physarum --hash 256 --threads 2 --log-file physarum.log
  physarum match --engine cmd=./new --engine cmd=./old --tc 1+0.01 --openings book.txt
  physarum openings --plies 3 --margin 100 --out book.txt
  physarum analyze positions.txt --nodes 100000 > out.jsonl
  physarum bestmove --fen 'x5o/7/7/7/7/7/o5x x 0 1' --depth 12
  physarum oneshot < position.txt
  physarum bench                              time the search
  physarum perft 6 --rules ataxx              count and time the moves")]
struct Cli {
    #[command(flatten)]
    session: SessionArgs,

    /// Log more to standard error: once for warnings and news, twice for details
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,

    #[command(subcommand)]
    command: Option<Command>,
}

/// The values that a session starts with.
#[derive(Debug, Args)]
struct SessionArgs {
    /// The rules to play by, whoever the referee is: assimilation, ataxx or fill
    #[arg(long)]
    rules: Option<Rules>,

    /// The size of the transposition table in MiB, 1 to 65536 [default: 64]
    #[arg(long, value_name = "MIB", value_parser = in_range(protocol::HASH_RANGE))]
    hash: Option<usize>,

    /// How many threads search side by side, 1 to 256 [default: 1]
    #[arg(long, value_name = "N", value_parser = in_range(protocol::THREADS_RANGE))]
    threads: Option<usize>,

    /// The file of the network that evaluates, instead of the default evaluation
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,

    /// Append every line of the protocol, in and out, to a file
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,

    /// Set a constant of the search; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<ParameterSetting>,
}

impl SessionArgs {
    /// Whether there is any of them on the command line.
    fn is_given(&self) -> bool {
        let Self { rules, hash, threads, eval_file, log_file, param } = self;
        let files = eval_file.is_some() || log_file.is_some();
        rules.is_some() || hash.is_some() || threads.is_some() || files || !param.is_empty()
    }

    fn config(self) -> Config {
        let default = Config::default();
        Config {
            hash: self.hash.unwrap_or(default.hash),
            threads: self.threads.unwrap_or(default.threads),
            rules: self.rules,
            eval_file: self.eval_file,
            log_file: self.log_file,
            parameters: parameters(&self.param),
        }
    }
}

/// The search's constants, some of them set.
fn parameters(settings: &[ParameterSetting]) -> Parameters {
    let mut parameters = Parameters::default();
    for setting in settings {
        setting.apply(&mut parameters);
    }
    parameters
}

#[derive(Debug, Subcommand)]
enum Command {
    Analyze(analyze::AnalyzeArgs),
    Bench(bench::BenchArgs),
    Bestmove(bestmove::BestMoveArgs),
    Completions(documents::CompletionsArgs),
    Data(data::DataArgs),
    Datagen(datagen::DatagenArgs),
    Man(documents::ManArgs),
    Match(Box<play_match::MatchArgs>),
    Openings(openings::OpeningsArgs),
    Net(net::NetArgs),
    Oneshot(oneshot::OneshotArgs),
    Perft(perft::PerftArgs),
    Train(train::TrainArgs),
    Tune(tune::TuneArgs),
}

/// The evaluation to use: a file's network, or else the default.
fn evaluation(eval_file: Option<&Path>) -> anyhow::Result<Evaluation> {
    let Some(path) = eval_file else { return Ok(Evaluation::default()) };
    Evaluation::open(path).with_context(|| format!("cannot use the network {path:?}"))
}

/// What a command says when its result goes nowhere.
const UNWRITABLE: &str = "cannot write the output";

/// An error for which the program ends with a status of its own.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct Failure {
    /// The program's status.
    pub status: u8,
    message: String,
}

impl Failure {
    /// Arguments, or files that they name, are not what they should be.
    fn arguments(error: impl ToString) -> anyhow::Error {
        Self { status: 2, message: error.to_string() }.into()
    }

    /// A program that is needed cannot be started.
    fn start(error: impl ToString) -> anyhow::Error {
        Self { status: 3, message: error.to_string() }.into()
    }

    /// The user has broken off the work; what was done so far is kept.
    fn interrupted(text: impl Display) -> anyhow::Error {
        Self { status: INTERRUPTED, message: format!("interrupted: {text}") }.into()
    }
}

/// The status of a program that was told to stop before its end.
const INTERRUPTED: u8 = 4;

/// Ends the program because an argument of a command is wrong.
fn bad_argument(command: &str, message: impl Display) -> ! {
    let mut cli = Cli::command();
    cli.build();
    let command = cli.find_subcommand_mut(command).cloned();
    command.unwrap_or(cli).error(ErrorKind::ValueValidation, message).exit()
}

/// How many threads can run at the same time.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Makes the folder that a new file is to be in.
fn make_parent(path: &Path) -> anyhow::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => std::fs::create_dir_all(parent)
            .with_context(|| format!("cannot make the folder {}", parent.display())),
        _ => Ok(()),
    }
}

/// Writes a result as one line of JSON to standard output.
fn write_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string(value)?;
    writeln!(io::stdout(), "{text}").context(UNWRITABLE)
}

/// Tells how far games have been written to a file that is to have so many positions; that there are
/// fewer means that the work was interrupted.
fn tell_progress(progress: &Progress, wanted: u64, json: bool) -> anyhow::Result<()> {
    let Progress { games, positions, positions_before, .. } = *progress;
    if positions < wanted {
        let so_far = format!("{positions} of {wanted} positions");
        return Err(Failure::interrupted(format!("{so_far} are there; the same command goes on")));
    }
    if json {
        return write_json(progress);
    }
    let added = positions - positions_before;
    writeln!(io::stdout(), "positions {positions} games {games} added {added}").context(UNWRITABLE)
}

/// Reads whole numbers in a range.
fn in_range<T: FromStr + PartialOrd + Display + Clone + Send + Sync>(
    range: std::ops::RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync {
    move |text| match text.parse() {
        Ok(number) if range.contains(&number) && !text.starts_with('+') => Ok(number),
        _ => Err(format!("a whole number from {} to {} is expected", range.start(), range.end())),
    }
}

/// Does what the command line says.
///
/// Wrong arguments end the program with status 2 and a message.
///
/// # Errors
///
/// When what was asked for cannot be done; a [`Failure`] wants a status of its own.
pub fn run() -> anyhow::Result<()> {
    let cli = Cli::parse();
    let level = match cli.verbose {
        0 => log::LevelFilter::Warn,
        1 => log::LevelFilter::Info,
        _ => log::LevelFilter::Debug,
    };
    env_logger::Builder::new().filter_level(level).parse_default_env().init();
    // One line of ours is worth more to a user than a backtrace.
    std::panic::set_hook(Box::new(|fault| log::error!("{fault}")));
    // A file that may not grow any more is an error to be reported, not a reason to be killed.
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    match cli.command {
        Some(_) if cli.session.is_given() => Cli::command()
            .error(
                ErrorKind::ArgumentConflict,
                "--rules, --hash, --threads, --eval-file and --log-file before a command have no effect: \
                 give the command's own options after it",
            )
            .exit(),
        Some(Command::Analyze(args)) => analyze::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Bestmove(args)) => bestmove::run(&args),
        Some(Command::Completions(args)) => documents::completions(&args),
        Some(Command::Data(args)) => data::run(&args),
        Some(Command::Datagen(args)) => datagen::run(&args),
        Some(Command::Man(args)) => documents::man(&args),
        Some(Command::Match(args)) => play_match::run(*args),
        Some(Command::Openings(args)) => openings::run(&args),
        Some(Command::Net(args)) => net::run(&args),
        Some(Command::Oneshot(args)) => oneshot::run(&args),
        Some(Command::Perft(args)) => perft::run(&args),
        Some(Command::Train(args)) => train::run(&args),
        Some(Command::Tune(args)) => tune::run(&args),
        None => {
            protocol::run(&cli.session.config(), BufReader::new(io::stdin()), io::stdout())?;
            Ok(())
        }
    }
}
