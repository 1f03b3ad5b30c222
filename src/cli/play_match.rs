//! `physarum match`.

use std::fmt::Debug;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Write};
use std::ops::{RangeBounds, RangeFrom, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use super::files::{are_same, check_writable, write_whole};
use super::progress::interruption;
use super::{Failure, UNWRITABLE, bad_argument};
use crate::game::Rules;
use crate::referee::{
    Adjudication, Book, Decision, EngineDescription, EngineSpec, Finish, GameReport, Held, Journal,
    JournalError, MAX_MOVE_TIME, Match, Sprt, Standings, TimeControl, Tournament, Verdict,
};

/// A file of settings of more bytes than this is none.
const MAX_CONFIG: u64 = 16 << 20;

// The ranges of the settings; clap wants signed ones for numbers of 32 bits.
const MOVETIME: RangeInclusive<u64> = 1..=MAX_MOVE_TIME;
const NODES: RangeFrom<u64> = 1..;
const DEPTH: RangeFrom<i64> = 1..;
const TIME_MARGIN: RangeInclusive<u64> = 0..=MAX_MOVE_TIME;
const START_TIMEOUT: RangeInclusive<u64> = 1..=86_400;
const MOVE_TIMEOUT: RangeInclusive<u64> = 1..=31_536_000;
const ROUNDS: RangeFrom<u64> = 1..;
const CONCURRENCY: RangeInclusive<i64> = 1..=1024;
const MAX_PLIES: RangeFrom<i64> = 1..;
const INTERVAL: RangeInclusive<u64> = 1..=86_400;

/// How often a progress bar is drawn anew at most.
const REDRAW: Duration = Duration::from_millis(100);

/// Play engines against each other, and find out which is stronger
///
/// Every game is judged by our own rules. An engine that crashes, hangs, floods its output, plays an illegal
/// move or overruns its time loses the game, is started anew, and the match goes on.
///
/// An engine is a list of KEY=VALUE with commas between them (a comma in a value is written `\,`): cmd (the
/// program), name, args, dir (the folder to run in), proto (uai, ugi or uci), restart (true: start it anew for each game),
/// option.NAME (an option of its own), and a limit of its own: tc, movetime, nodes or depth. Or builtin=random
/// or builtin=greedy, which need no program.
///
/// Exit status: 0 when the match was played or the test is decided, 1 when a file cannot be written, 2 for bad
/// arguments, 3 when an engine cannot be started, 4 when it was interrupted.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(after_help = "Examples:
  physarum match --engine cmd=./new,name=new --engine cmd=./old,name=old --tc 1+0.01 \\
      --openings book.txt --rounds 500 --concurrency 2 --sprt elo0=0,elo1=5 --pgn-out games.pgn
  physarum match --engine cmd=physarum,nodes=1000 --engine builtin=greedy --rounds 20
  physarum match --engine cmd=./a --engine cmd=./b --engine cmd=./c --each option.Hash=64 \\
      --movetime 100 --tournament gauntlet --results gauntlet.jsonl --resume
  physarum match --config match.toml --json report.json")]
pub(super) struct MatchArgs {
    /// An engine: KEY=VALUE,… such as cmd=./engine,name=new,option.Hash=64 (once for each, two at least)
    #[arg(long, value_name = "KEY=VALUE,…")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    engine: Vec<EngineDescription>,

    /// What all engines share that do not say otherwise, in the same form
    #[arg(long, value_name = "KEY=VALUE,…")]
    #[serde(skip_serializing_if = "Option::is_none")]
    each: Option<EngineDescription>,

    /// The clock for all engines: [moves/][minutes:]seconds[+increment]
    #[arg(long, value_name = "TC", help_heading = "Limits")]
    #[serde(skip_serializing_if = "Option::is_none")]
    tc: Option<TimeControl>,

    /// The time for each move, in milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(MOVETIME), help_heading = "Limits")]
    #[serde(skip_serializing_if = "Option::is_none")]
    movetime: Option<u64>,

    /// How many positions to visit for each move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(NODES), help_heading = "Limits")]
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,

    /// How many plies to search for each move
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(DEPTH), help_heading = "Limits")]
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,

    /// How much more than its time an engine may take, in milliseconds [default: 0]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(TIME_MARGIN), help_heading = "Limits")]
    #[serde(skip_serializing_if = "Option::is_none")]
    time_margin: Option<u64>,

    /// How long an engine may take to start and to say that it is ready, in seconds [default: 10]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(START_TIMEOUT), help_heading = "Limits")]
    #[serde(skip_serializing_if = "Option::is_none")]
    start_timeout: Option<u64>,

    /// How long an engine may take for a move that has no limit of time, in seconds [default: 60]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(MOVE_TIMEOUT), help_heading = "Limits")]
    #[serde(skip_serializing_if = "Option::is_none")]
    move_timeout: Option<u64>,

    /// Who meets whom: roundrobin (each each other) or gauntlet (the first each other) [default: roundrobin]
    #[arg(long, value_name = "KIND")]
    #[serde(skip_serializing_if = "Option::is_none")]
    tournament: Option<Tournament>,

    /// How many openings each pair of engines plays, each twice with colours changed [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(ROUNDS))]
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u64>,

    /// Play each opening once only; colours change from opening to opening
    #[arg(long)]
    #[serde(skip_serializing_if = "is_false")]
    no_swap: bool,

    /// How many games to play side by side [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(CONCURRENCY))]
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency: Option<u32>,

    /// The rules to play by: ataxx, assimilation or fill [default: ataxx]
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none", with = "optional_text")]
    rules: Option<Rules>,

    /// A game of so many plies after its opening is a draw [default: 400]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(MAX_PLIES))]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_plies: Option<u32>,

    /// A file of openings: on each line a FEN, or startpos moves …; # begins a comment
    #[arg(long, value_name = "FILE", help_heading = "Openings")]
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "path_text")]
    openings: Option<PathBuf>,

    /// Play the openings in an order decided by --seed, not in that of the file
    #[arg(long, help_heading = "Openings")]
    #[serde(skip_serializing_if = "is_false")]
    shuffle: bool,

    /// Decides the order of openings and the moves of builtin engines [default: 0]
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,

    /// End a game that both engines for MOVES moves each say one of them leads by CP
    #[arg(long, value_name = "CP,MOVES", help_heading = "Adjudication")]
    #[serde(skip_serializing_if = "Option::is_none")]
    adjudicate_score: Option<Held>,

    /// End a game in which one side has STONES more for MOVES moves of each side
    #[arg(long, value_name = "STONES,MOVES", help_heading = "Adjudication")]
    #[serde(skip_serializing_if = "Option::is_none")]
    adjudicate_lead: Option<Held>,

    /// End a game when no moves could make another side win any more
    #[arg(long, help_heading = "Adjudication")]
    #[serde(skip_serializing_if = "is_false")]
    adjudicate_decided: bool,

    /// Stop when a sequential test of the first engine against the second is decided:
    /// elo0=0,elo1=5[,alpha=0.05][,beta=0.05][,model=normalized|logistic]
    #[arg(long, value_name = "KEY=VALUE,…")]
    #[serde(skip_serializing_if = "Option::is_none", with = "optional_text")]
    sprt: Option<Sprt>,

    /// Append each game to a file, as PGN
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "path_text")]
    pgn_out: Option<PathBuf>,

    /// Keep the result of each game in a file, from which --resume goes on
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "path_text")]
    results: Option<PathBuf>,

    /// Go on with the games in the results file, if there are any: the settings must be the same, but for
    /// rounds (more of them), concurrency, sprt and output
    #[arg(long, help_heading = "Output")]
    #[serde(skip_serializing_if = "is_false")]
    resume: bool,

    /// Write everything to a file in the end: settings, statistics, games
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "path_text")]
    json: Option<PathBuf>,

    /// What the records of games call the event [default: physarum match]
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,

    /// Tell the score every so many seconds where there is no terminal for a progress bar [default: 10]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(INTERVAL), help_heading = "Output")]
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<u64>,

    /// Read settings from a TOML or JSON file: the long options without dashes before them, [[engine]] for each
    /// engine; options on the command line come first
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    config: Option<PathBuf>,
}

impl ValueEnum for Tournament {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(self.name().into())
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks like this
fn is_false(value: &bool) -> bool {
    !value
}

/// Optional values that are written as their text.
mod optional_text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(super) fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(ToString::to_string).serialize(to)
    }

    pub(super) fn deserialize<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse()).transpose().map_err(D::Error::custom)
    }
}

/// Writes a path as text, even if it is none: a report does not fail for the name of a file.
#[allow(clippy::ref_option)] // serde asks like this
fn path_text<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(to)
}

/// Whether a number is in its range, with words like those of the command line.
fn check_range<T: PartialOrd + std::fmt::Display>(
    key: &str,
    number: Option<T>,
    range: &(impl RangeBounds<T> + Debug),
) -> anyhow::Result<()> {
    match number {
        Some(number) if !range.contains(&number) => {
            Err(anyhow!("{key}: {number} is not in {range:?}"))
        }
        _ => Ok(()),
    }
}

impl MatchArgs {
    /// The limits for all engines, under the names of their options.
    fn shared_limits(&self) -> EngineDescription {
        EngineDescription {
            tc: self.tc,
            movetime: self.movetime,
            nodes: self.nodes,
            depth: self.depth,
            ..EngineDescription::default()
        }
    }

    /// What is missing here, on the command line, is taken from a file's settings. A limit for all
    /// engines here replaces all that the file has for all engines, whatever kind they are of.
    fn or(self, mut file: Self) -> Self {
        let here = [Some(self.shared_limits()), self.each.clone()];
        let limited = here.iter().flatten().any(|limits| !limits.limit().is_empty());
        if let Some(each) = file.each.as_mut().filter(|_| limited) {
            (each.tc, each.movetime, each.nodes, each.depth) = (None, None, None, None);
        }
        let each = match (self.each, file.each) {
            (Some(each), Some(other)) => Some(each.or(&other)),
            (each, other) => each.or(other),
        };
        Self {
            engine: if self.engine.is_empty() { file.engine } else { self.engine },
            each,
            tc: self.tc.or(file.tc.filter(|_| !limited)),
            movetime: self.movetime.or(file.movetime.filter(|_| !limited)),
            nodes: self.nodes.or(file.nodes.filter(|_| !limited)),
            depth: self.depth.or(file.depth.filter(|_| !limited)),
            time_margin: self.time_margin.or(file.time_margin),
            start_timeout: self.start_timeout.or(file.start_timeout),
            move_timeout: self.move_timeout.or(file.move_timeout),
            tournament: self.tournament.or(file.tournament),
            rounds: self.rounds.or(file.rounds),
            no_swap: self.no_swap || file.no_swap,
            concurrency: self.concurrency.or(file.concurrency),
            rules: self.rules.or(file.rules),
            max_plies: self.max_plies.or(file.max_plies),
            openings: self.openings.or(file.openings),
            shuffle: self.shuffle || file.shuffle,
            seed: self.seed.or(file.seed),
            adjudicate_score: self.adjudicate_score.or(file.adjudicate_score),
            adjudicate_lead: self.adjudicate_lead.or(file.adjudicate_lead),
            adjudicate_decided: self.adjudicate_decided || file.adjudicate_decided,
            sprt: self.sprt.or(file.sprt),
            pgn_out: self.pgn_out.or(file.pgn_out),
            results: self.results.or(file.results),
            resume: self.resume || file.resume,
            json: self.json.or(file.json),
            event: self.event.or(file.event),
            interval: self.interval.or(file.interval),
            config: self.config,
        }
    }

    /// Whether `--each` and an option of its own both limit all engines.
    fn check_limits(&self) -> anyhow::Result<()> {
        let each = self.each.as_ref().is_some_and(|each| !each.limit().is_empty());
        let options = [
            ("--tc", self.tc.is_some()),
            ("--movetime", self.movetime.is_some()),
            ("--nodes", self.nodes.is_some()),
            ("--depth", self.depth.is_some()),
        ];
        match options.into_iter().find(|(_, given)| *given) {
            Some((option, _)) if each => Err(anyhow!("--each and {option} both set a limit")),
            _ => Ok(()),
        }
    }

    /// Whether all numbers are in their ranges: those of a file have not been looked at yet.
    fn check_ranges(&self) -> anyhow::Result<()> {
        check_range("movetime", self.movetime, &MOVETIME)?;
        check_range("nodes", self.nodes, &NODES)?;
        check_range("depth", self.depth.map(i64::from), &DEPTH)?;
        check_range("time-margin", self.time_margin, &TIME_MARGIN)?;
        check_range("start-timeout", self.start_timeout, &START_TIMEOUT)?;
        check_range("move-timeout", self.move_timeout, &MOVE_TIMEOUT)?;
        check_range("rounds", self.rounds, &ROUNDS)?;
        check_range("concurrency", self.concurrency.map(i64::from), &CONCURRENCY)?;
        check_range("max-plies", self.max_plies.map(i64::from), &MAX_PLIES)?;
        check_range("interval", self.interval, &INTERVAL)
    }

    /// Whether each file that is read or written is named, and another one than the others.
    fn check_files(&self) -> anyhow::Result<()> {
        let files = [
            ("--config", &self.config),
            ("--openings", &self.openings),
            ("--results", &self.results),
            ("--pgn-out", &self.pgn_out),
            ("--json", &self.json),
        ];
        let files = files.map(|(option, path)| Some((option, path.as_deref()?)));
        let files: Vec<_> = files.into_iter().flatten().collect();
        for (index, &(option, path)) in files.iter().enumerate() {
            if path.as_os_str().is_empty() {
                return Err(anyhow!("{option}: the name of a file is expected, not \"\""));
            }
            let same = files[..index].iter().find(|(_, other)| are_same(path, other));
            if let Some((other, _)) = same {
                return Err(anyhow!("{other} and {option} are the same file: {}", path.display()));
            }
        }
        match &self.results {
            Some(path) if fs::metadata(path).is_ok_and(|there| !there.is_file()) => {
                Err(JournalError::Irregular(path.clone()).into())
            }
            _ => Ok(()),
        }
    }

    /// The match, or what is wrong with the settings.
    fn to_match(&self) -> anyhow::Result<Match> {
        self.check_ranges()?;
        self.check_files()?;
        let each = self.each.clone().unwrap_or_default().or(&self.shared_limits());
        let engines = EngineSpec::all(&self.engine, &each)?;
        if engines.len() < 2 {
            return Err(anyhow!(
                "two engines at least are needed: --engine is there {} times",
                engines.len()
            ));
        }
        if self.sprt.is_some() && engines.len() > 2 {
            return Err(anyhow!("--sprt compares two engines, but there are {}", engines.len()));
        }
        if self.resume && self.results.is_none() {
            return Err(anyhow!(
                "--resume needs --results FILE, where the games are that were played"
            ));
        }
        let rules = self.rules.unwrap_or(Rules::Ataxx);
        let book = match &self.openings {
            Some(path) => Book::read(path, rules)?,
            None => Book::parse("startpos\n", rules)?,
        };
        let default = Match::new(engines, book);
        let seconds = |seconds: Option<u64>, default| seconds.map_or(default, Duration::from_secs);
        let seed = self.seed.unwrap_or(default.seed);
        Ok(Match {
            tournament: self.tournament.unwrap_or(default.tournament),
            rounds: self.rounds.unwrap_or(default.rounds),
            swap: !self.no_swap,
            rules,
            max_plies: self.max_plies.unwrap_or(default.max_plies),
            time_margin: self.time_margin.map_or(default.time_margin, Duration::from_millis),
            start_timeout: seconds(self.start_timeout, default.start_timeout),
            move_timeout: seconds(self.move_timeout, default.move_timeout),
            adjudication: Adjudication {
                score: self.adjudicate_score,
                lead: self.adjudicate_lead,
                decided: self.adjudicate_decided,
            },
            shuffle: self.shuffle.then_some(seed),
            seed,
            event: self.event.clone().unwrap_or_else(|| default.event.clone()),
            ..default
        })
    }
}

/// Reads a file of settings.
fn read_config(path: &Path) -> anyhow::Result<MatchArgs> {
    let shown = path.display();
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(MAX_CONFIG + 1).read_to_string(&mut text))
        .with_context(|| shown.to_string())?;
    if text.len() as u64 > MAX_CONFIG {
        return Err(anyhow!("{shown}: settings of more than {MAX_CONFIG} bytes"));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
        || text.trim_start().starts_with('{');
    if json {
        serde_json::from_str(text).with_context(|| shown.to_string())
    } else {
        // Its messages have several lines, with the place.
        toml::from_str(text).map_err(|error| anyhow!("{shown}: {}", error.to_string().trim_end()))
    }
}

pub(super) fn run(args: MatchArgs) -> anyhow::Result<()> {
    args.check_limits().unwrap_or_else(|error| bad_argument("match", error));
    let args = match &args.config {
        Some(path) => match read_config(path) {
            Ok(file) => args.or(file),
            Err(error) => bad_argument("match", format!("{error:#}")),
        },
        None => args,
    };
    let the_match =
        args.to_match().unwrap_or_else(|error| bad_argument("match", format!("{error:#}")));
    if let Some(path) = &args.json {
        // Better now than after a day.
        check_writable(path).unwrap_or_else(|error| bad_argument("match", format!("{error:#}")));
    }
    let schedule = the_match.schedule();
    let stop = interruption()?;

    // First the engines: files are not touched when there is nothing to play with.
    let ready = match the_match.start(&stop) {
        Ok(Some(ready)) => ready,
        Ok(None) => return Err(Failure::interrupted("nothing was played")),
        Err(error) => return Err(Failure::start(error)),
    };
    let (journal, before) = match Journal::open(
        args.results.as_deref(),
        args.pgn_out.as_deref(),
        &the_match.identity(),
        &schedule,
        args.resume,
    ) {
        Ok(opened) => opened,
        Err(error @ JournalError::Io { .. }) => return Err(error.into()),
        Err(error) => return Err(Failure::arguments(error)),
    };
    let ids: Vec<Option<String>> = ready.introductions().iter().map(|i| i.id.clone()).collect();
    for (engine, introduction) in the_match.engines.iter().zip(ready.introductions()) {
        for warning in &introduction.warnings {
            warn(&format!("engine {:?}: {warning}", engine.name));
        }
    }
    if args.openings.is_none() {
        warn("without --openings all games begin at the start, and may all be the same");
    }

    if before.not_in_games > 0 {
        warn(&format!(
            "{} games of the results are not in the file of games (--pgn-out)",
            before.not_in_games
        ));
    }

    let names = the_match.engines.iter().map(|engine| engine.name.clone()).collect();
    let mut standings = Standings::new(names, &schedule, args.sprt);
    before.reports.iter().for_each(|report| standings.add(report));
    let mut course = Course {
        of: &the_match,
        journal,
        standings,
        reports: before.reports,
        progress: Progress::new(schedule.games(), Duration::from_secs(args.interval.unwrap_or(10))),
    };
    let finish = course.play(ready, args.concurrency.unwrap_or(1) as usize, &stop);
    course.progress.finish();
    // Even when something has gone wrong, what was played is told.
    let ended = finish.as_ref().ok().copied();
    let told = course.tell();
    let results = [
        match finish {
            Ok(Finish::Interrupted) => {
                let (played, all) = (course.standings.games(), schedule.games());
                let hint = if args.results.is_some() { "; --resume goes on" } else { "" };
                Err(Failure::interrupted(format!("{played} of {all} games were played{hint}")))
            }
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        },
        course.write_report(&args, &ids, ended),
        course.journal.sync().map_err(Into::into),
        told,
    ];
    // The first error is the program's; the others are told before.
    let mut errors = results.into_iter().filter_map(Result::err);
    let Some(first) = errors.next() else { return Ok(()) };
    for error in errors {
        let _ = writeln!(io::stderr(), "error: {error:#}");
    }
    Err(first)
}

fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "warning: {text}");
}

/// A match that is being played.
struct Course<'a> {
    of: &'a Match,
    journal: Journal,
    standings: Standings,
    reports: Vec<GameReport>,
    progress: Progress,
}

impl Course<'_> {
    fn play(
        &mut self,
        ready: crate::referee::Ready,
        concurrency: usize,
        stop: &AtomicBool,
    ) -> anyhow::Result<Finish> {
        let Self { of, journal, standings, reports, progress } = self;
        let decided = |standings: &Standings| {
            standings.sprt().is_some_and(|(_, status)| status.decision != Decision::Continue)
        };
        if decided(standings) {
            return Ok(Finish::Enough);
        }
        progress.show(standings, true);
        let mut new = Vec::new();
        let heard = &mut |report: &GameReport, pgn: &str| -> anyhow::Result<Verdict> {
            journal.add(report, pgn)?;
            standings.add(report);
            if let Some(text) = fault_text(of, report) {
                progress.tell(&text);
            }
            progress.show(standings, false);
            new.push(report.clone());
            Ok(if decided(standings) { Verdict::Enough } else { Verdict::GoOn })
        };
        let finish = of.play(ready, reports, concurrency, stop, heard);
        reports.append(&mut new);
        finish
    }

    /// Prints the tables.
    fn tell(&self) -> anyhow::Result<()> {
        let printed = write!(io::stdout(), "{}", self.standings).context(UNWRITABLE);
        for (engine, losses) in self.standings.late() {
            warn(&format!(
                "engine {engine:?} lost {losses} games on time; --time-margin forgives some ms"
            ));
        }
        printed
    }

    /// Writes the report, if one is wanted.
    fn write_report(
        &mut self,
        args: &MatchArgs,
        ids: &[Option<String>],
        finish: Option<Finish>,
    ) -> anyhow::Result<()> {
        let Some(path) = &args.json else { return Ok(()) };
        let status = match finish {
            Some(Finish::Complete) => "complete",
            Some(Finish::Enough) => "decided",
            Some(Finish::Interrupted) => "interrupted",
            None => "failed",
        };
        self.reports.sort_by_key(|report| report.game);
        let engines: Vec<Value> = self
            .of
            .engines
            .iter()
            .zip(ids)
            .map(|(engine, id)| json!({"id": id, "description": engine.description()}))
            .collect();
        let mut report = json!({
            "format": "physarum-match-report",
            "version": 1,
            "program": concat!("physarum ", env!("CARGO_PKG_VERSION")),
            "status": status,
            "settings": args,
            "identity": self.of.identity(),
            "engines": engines,
            "games_scheduled": self.of.schedule().games(),
        });
        if let Value::Object(report) = &mut report {
            report.extend(self.standings.to_json());
            report.insert("games".to_owned(), json!(self.reports));
        }
        let mut text = serde_json::to_string_pretty(&report)?;
        text.push('\n');
        write_whole(path, text.as_bytes())
    }
}

/// What is told at once of a game that an engine has lost by a fault.
fn fault_text(of: &Match, report: &GameReport) -> Option<String> {
    let (by, kind, detail) = report.ending.as_fault()?;
    let engine = [report.black, report.white][by.index()];
    let mut text = format!(
        "game {} ({} - {}): {:?}: {detail}",
        report.game + 1,
        of.engines[report.black],
        of.engines[report.white],
        of.engines[engine].name,
    );
    // Late and illegal moves explain themselves.
    if !matches!(kind, crate::referee::FaultKind::Time | crate::referee::FaultKind::IllegalMove) {
        for line in &report.errors {
            text.push_str("\n    ");
            text.push_str(line);
        }
    }
    Some(text)
}

/// The score while a match is played, on standard error: a bar on a terminal, elsewhere a line now and then.
struct Progress {
    games: u64,
    bar: Option<ProgressBar>,
    every: Duration,
    shown: Instant,
}

impl Progress {
    fn new(games: u64, interval: Duration) -> Self {
        let terminal = io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:20} {msg}  {elapsed} < {eta}");
            style.map_or(bar.clone(), |style| bar.with_style(style))
        });
        let every = if terminal { REDRAW } else { interval };
        Self { games, bar, every, shown: Instant::now() }
    }

    /// Shows the score, if it is time to.
    fn show(&mut self, standings: &Standings, first: bool) {
        if !first && self.shown.elapsed() < self.every {
            return;
        }
        self.shown = Instant::now();
        match &self.bar {
            Some(bar) => {
                bar.set_message(standings.line(self.games));
                bar.set_position(standings.games());
                if first {
                    // What was played before says nothing of the time to come.
                    bar.reset_eta();
                }
            }
            None if first => {}
            None => self.tell(&standings.line(self.games)),
        }
    }

    /// Prints a line, or some.
    fn tell(&self, text: &str) {
        let print = || {
            let _ = writeln!(io::stderr(), "{text}");
        };
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
