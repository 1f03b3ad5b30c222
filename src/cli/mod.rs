//! The command line: one file for each subcommand.

mod bench;
mod perft;

use std::io::{self, BufReader};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};

use crate::game::Rules;
use crate::protocol::{self, Config};

/// An engine for Ataxx, the game also known as Assimilation.
///
/// Without a command, Physarum reads commands of the UAI protocol from standard input and answers on
/// standard output, for a GUI or a referee; `help` lists them.
#[derive(Debug, Parser)]
#[command(name = "physarum", version, args_conflicts_with_subcommands = true, max_term_width = 100)]
#[command(after_help = "Examples:
  physarum                                    play through a GUI or a referee
  printf 'position startpos\\ngo depth 12\\n' | physarum
  physarum --hash 256 --threads 2 --log-file physarum.log
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
    /// The rules to play by, whoever the referee is: assimilation or ataxx
    #[arg(long, ignore_case = true)]
    rules: Option<Rules>,

    /// The size of the transposition table in MiB, 1 to 65536
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = in_range(protocol::HASH_RANGE))]
    hash: usize,

    /// How many threads search side by side, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = in_range(protocol::THREADS_RANGE))]
    threads: usize,

    /// Append every line of the protocol, in and out, to a file
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::BenchArgs),
    Perft(perft::PerftArgs),
}

/// Reads whole numbers in a range.
fn in_range(
    range: std::ops::RangeInclusive<usize>,
) -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync {
    move |text| match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!("a whole number from {} to {} is expected", range.start(), range.end())),
    }
}

/// Does what the command line says.
///
/// Wrong arguments end the program with status 2 and a message.
///
/// # Errors
///
/// When what was asked for cannot be done.
pub fn run() -> anyhow::Result<()> {
    let cli = Cli::parse();
    let level = match cli.verbose {
        0 => log::LevelFilter::Warn,
        1 => log::LevelFilter::Info,
        _ => log::LevelFilter::Debug,
    };
    env_logger::Builder::new().filter_level(level).parse_default_env().init();
    match cli.command {
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Perft(args)) => perft::run(&args),
        None => {
            let SessionArgs { rules, hash, threads, log_file } = cli.session;
            let config = Config { hash, threads, rules, log_file };
            protocol::run(&config, BufReader::new(io::stdin()), io::stdout())
                .context("the session cannot begin")
        }
    }
}
