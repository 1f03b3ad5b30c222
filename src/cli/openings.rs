//! `physarum openings`.

use std::fmt::{self, Write as _};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::progress::{Meter, interruption};
use super::{Failure, UNWRITABLE, bad_argument, cores, in_range, write_whole};
use crate::game::{Position, Rules};
use crate::protocol::THREADS_RANGE;
use crate::referee::{
    Balance, GenerateError, MAX_LISTED, Progress, Recipe, Sample, Selection, generate,
    with_symmetric_gaps,
};
use crate::search::MAX_DEPTH;

/// How often it is shown that positions are being listed.
const SPIN_INTERVAL: Duration = Duration::from_millis(250);

/// How deep to search for balance when nothing else is said.
const DEFAULT_DEPTH: u32 = 8;

/// How far ahead a side may be when nothing else is said, in cp.
const DEFAULT_MARGIN: u32 = 100;

/// Make a book of openings for matches
///
/// Lists the positions that can be reached in so many plies and in which the game is not over, one
/// of those that are the same on the turned or reflected board. With --depth or --margin each is
/// searched, and only balanced ones are kept. With --count some are chosen at random: with equal
/// chances up to a million of them, otherwise by random games. The same arguments give the same book
/// with any number of threads.
///
/// The book has some lines of comment, then a FEN on each line. If there are fewer openings than
/// asked for, a warning says so; if there are none, that is an error, and no file is written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  physarum openings --plies 3                                 all positions after 3 plies
  physarum openings --plies 3 --margin 50 --out book.txt      the balanced ones
  physarum openings --plies 6 --count 500 --seed 1 --depth 10 --out book.txt
  physarum openings --plies 0 --gaps 12                       starts with patterns of gaps
  physarum openings --plies 2 --fen 'x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1' --out gaps.txt --force")]
pub(super) struct OpeningsArgs {
    /// How many plies to play
    #[arg(long, value_name = "N", value_parser = in_range::<u32>(0..=200))]
    plies: u32,

    /// A position to begin with, may be given several times [default: the start of a game]
    #[arg(long)]
    fen: Vec<Position>,

    /// Begin also with the symmetric patterns of at most so many gaps
    #[arg(long, value_name = "MAX", value_parser = in_range::<u32>(1..=49))]
    gaps: Option<u32>,

    /// The rules to play by, as in `match`: ataxx, assimilation or fill
    #[arg(long, default_value_t = Rules::Ataxx)]
    rules: Rules,

    /// How deep to search for balance, in plies [default: 8 with --margin, otherwise no search]
    #[arg(long, value_name = "PLIES")]
    #[arg(value_parser = in_range::<u32>(1..=MAX_DEPTH))]
    depth: Option<u32>,

    /// How far ahead a side may be, in cp [default: 100 with --depth]
    #[arg(long, value_name = "CP", value_parser = in_range::<u32>(0..=10_000))]
    margin: Option<u32>,

    /// Choose so many at random [default: all]
    #[arg(long, value_name = "N", value_parser = in_range(1..=MAX_LISTED))]
    count: Option<usize>,

    /// Which random ones: another seed gives others
    #[arg(long, default_value_t = 0, requires = "count")]
    seed: u64,

    /// How many positions to search at the same time, 1 to 256 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = in_range(THREADS_RANGE))]
    threads: Option<usize>,

    /// Write the book to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Overwrite the file if it exists
    #[arg(long, requires = "out")]
    force: bool,
}

impl OpeningsArgs {
    fn balance(&self) -> Option<Balance> {
        (self.depth.is_some() || self.margin.is_some()).then(|| Balance {
            depth: self.depth.unwrap_or(DEFAULT_DEPTH),
            margin: self.margin.unwrap_or(DEFAULT_MARGIN),
        })
    }

    fn recipe(&self) -> Recipe {
        let starts: &[Position] = match &*self.fen {
            [] => &[Position::default()],
            given => given,
        };
        let with_gaps = |start| with_symmetric_gaps(start, self.gaps.unwrap_or(0));
        Recipe {
            starts: starts.iter().flat_map(with_gaps).collect(),
            plies: self.plies,
            rules: self.rules,
            sample: self.count.map(|count| Sample { count, seed: self.seed }),
            balance: self.balance(),
            threads: self.threads.unwrap_or_else(|| cores().min(*THREADS_RANGE.end())),
        }
    }

    /// The command that makes the same book.
    fn command(&self) -> String {
        let mut text = format!("physarum openings --plies {} --rules {}", self.plies, self.rules);
        // Writing to a string never fails.
        for fen in &self.fen {
            let _ = write!(text, " --fen '{fen}'");
        }
        if let Some(max) = self.gaps {
            let _ = write!(text, " --gaps {max}");
        }
        if let Some(Balance { depth, margin }) = self.balance() {
            let _ = write!(text, " --depth {depth} --margin {margin}");
        }
        if let Some(count) = self.count {
            let _ = write!(text, " --count {count} --seed {}", self.seed);
        }
        text
    }
}

pub(super) fn run(args: &OpeningsArgs) -> anyhow::Result<()> {
    if let Some(over) = args.fen.iter().find(|fen| fen.outcome(args.rules).is_some()) {
        let message = format!("--fen: the game is over under {} rules: {over}", args.rules);
        bad_argument("openings", message);
    }
    if let Some(path) = &args.out {
        check_free(path, args.force)?;
    }
    let stop = interruption().context("cannot listen for Ctrl-C")?;
    let recipe = args.recipe();
    log::info!("making openings with {} threads", recipe.threads);
    let mut meter = None;
    let listing = listing_spinner(args.plies);
    let selection = generate(&recipe, &stop, &mut |progress| {
        listing.finish_and_clear();
        show(&mut meter, args.count, progress);
    });
    listing.finish_and_clear();
    if let Some(meter) = meter {
        meter.finish();
    }
    let selection = match selection {
        Err(GenerateError::Interrupted) => {
            return Err(Failure::interrupted("no openings were written"));
        }
        other => other?,
    };
    match (selection.positions.len(), args.count) {
        (0, _) => bail!("no openings were found: {}", searched_through(&selection)),
        (found, Some(count)) if found < count => {
            log::warn!("{found} openings instead of {count}: {}", searched_through(&selection));
        }
        _ => {}
    }
    let mut text = String::new();
    write_book(&mut text, args, &selection)?;
    match &args.out {
        Some(path) => {
            // Something may have appeared during the search.
            check_free(path, args.force)?;
            write_whole(path, text.as_bytes())?;
            if io::stderr().is_terminal() {
                let count = selection.positions.len();
                // Nobody need hear it.
                let _ = writeln!(io::stderr(), "{count} openings: {}", path.display());
            }
            Ok(())
        }
        None => io::stdout().write_all(text.as_bytes()).context(UNWRITABLE),
    }
}

/// Whether a book can be written to a path without destroying anything.
fn check_free(path: &Path, force: bool) -> anyhow::Result<()> {
    let name = path.display();
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => bail!("{name} is a folder"),
        Ok(there) if there.is_file() && !force => {
            bail!("{name} exists already (--force overwrites it)")
        }
        Ok(_) => return Ok(()),
        Err(_) => {}
    }
    match path.parent() {
        None => bail!("--out {name:?} is no name for a file"),
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            bail!("{name}: there is no folder {}", folder.display())
        }
        Some(_) => Ok(()),
    }
}

/// What the openings were chosen from.
fn searched_through(selection: &Selection) -> String {
    let Selection { positions, listed, searched } = selection;
    let from = match listed {
        Some(count) => format!("{count} positions there are"),
        None => "positions from random games".to_owned(),
    };
    match searched {
        0 => format!("{} of the {from}", positions.len()),
        searched => format!("{} balanced among {searched} searched of the {from}", positions.len()),
    }
}

fn write_book(text: &mut String, args: &OpeningsArgs, selection: &Selection) -> fmt::Result {
    writeln!(text, "# Openings, made by physarum {}:", env!("CARGO_PKG_VERSION"))?;
    writeln!(text, "# {}", args.command())?;
    writeln!(text, "# {}", searched_through(selection))?;
    selection.positions.iter().try_for_each(|position| writeln!(text, "{position}"))
}

/// Shows on a terminal that positions are being listed; nobody knows how many there will be.
fn listing_spinner(plies: u32) -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(4);
    let spinner = ProgressBar::with_draw_target(None, target);
    // The template is ours and valid; the usual style does as well.
    if let Ok(style) = ProgressStyle::with_template("{elapsed} {spinner} {msg}") {
        spinner.set_style(style);
    }
    spinner.set_message(format!("listing positions after {plies} plies, at most {MAX_LISTED}"));
    spinner.enable_steady_tick(SPIN_INTERVAL);
    spinner
}

/// Shows how far the work has gone: towards the number that is wanted, or through all positions.
fn show(meter: &mut Option<Meter>, wanted: Option<usize>, progress: Progress) {
    let Progress { searched, of, balanced } = progress;
    let (done, total, unit) = match wanted {
        Some(wanted) => (balanced, wanted, "openings"),
        None => (searched, of.unwrap_or_default(), "positions"),
    };
    let meter = meter.get_or_insert_with(|| Meter::new(total as u64, unit));
    meter.show(done as u64, 0, &format!("{balanced} balanced of {searched}"));
}
