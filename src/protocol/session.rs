//! The session: reads commands and answers them, while searches run beside it.
//!
//! Three threads: a reader of lines; the session's own, which carries commands out one by one; and
//! a worker, to which it gives the jobs that take long. What a job may be told while it runs goes
//! through its [`Control`].

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::Dialect;
use super::changes::board_of_changes;
use super::command::{Command, CommandError, Go, HELP, Query, Start, play_moves};
use super::io::{Backlog, Input, InputError, Output};
use super::leaves::count_leaves;
use super::message::{Info, Message, nodes_per_second};
use super::options::{ATAXX, Config, OptionError, Setting, specs};
use super::quote;
use crate::eval::network::NetworkError;
use crate::eval::{Evaluation, Terms};
use crate::game::{Color, Game, Move, Outcome, Position, Rules, Square, fairy_symbol};
use crate::random::Random;
use crate::search::{
    BENCH_DEPTH, Clock, Control, Limits, Parameters, Request, STACK_SIZE, Settings, Strength,
    Table, TableError, bench, search,
};

/// Why a session could not begin, or had to end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// No memory for the transposition table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A thread could not be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
    /// The commands could not be read.
    #[error("cannot read the input")]
    Input(#[source] io::Error),
    /// The answers could not be written.
    #[error("cannot write the output")]
    Output(#[source] io::Error),
    /// The network could not be read.
    #[error("cannot use the network {0:?}")]
    EvalFile(String, #[source] NetworkError),
    /// The log file could not be opened.
    #[error("cannot open the log file {0:?}")]
    LogFile(String, #[source] io::Error),
}

/// What is wrong with a line.
#[derive(Debug, Error)]
enum LineError {
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error("setoption: Hash: {0}")]
    Table(#[from] TableError),
    #[error("setoption: EvalFile: cannot use {path:?}: {reason}")]
    EvalFile { path: String, reason: NetworkError },
    #[error("setoption: Log File: cannot open {path:?}: {reason}")]
    LogFile { path: String, reason: io::Error },
}

/// Talks to a referee, a GUI or a user until the input ends, `quit` comes or nobody listens.
///
/// # Errors
///
/// When the session cannot begin as `config` says, or its commands cannot be read or its answers
/// written; that nobody reads them any more is no error.
pub fn run(
    config: &Config,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), SessionError> {
    let (events, inbox) = channel();
    let failed = events.clone();
    let output = Output::new(output, move |error| drop(failed.send(Event::OutputFailed(error))));
    if let Some(path) = &config.log_file {
        let error = |error| SessionError::LogFile(path.display().to_string(), error);
        output.set_log(Some(open_log(path).map_err(error)?));
    }
    let evaluation = match &config.eval_file {
        None => Evaluation::default(),
        Some(path) => Evaluation::open(path)
            .map_err(|error| SessionError::EvalFile(path.display().to_string(), error))?,
    };
    let table = Arc::new(Table::new(config.hash)?);
    let backlog = Arc::new(Backlog::default());

    let (jobs, worker_inbox) = channel::<Job>();
    let worker_events = events.clone();
    let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
        let builder = thread::Builder::new().name(name.to_owned()).stack_size(STACK_SIZE);
        builder.spawn(work).map_err(SessionError::Thread)
    };
    spawn(
        "worker",
        Box::new(move || {
            for job in worker_inbox {
                job.run_safely();
                if worker_events.send(Event::JobDone).is_err() {
                    break;
                }
            }
        }),
    )?;
    let reader_backlog = Arc::clone(&backlog);
    spawn("reader", Box::new(move || read(Input::new(input), &events, &reader_backlog)))?;

    let session = Session {
        config,
        output,
        backlog,
        jobs,
        table,
        game: Game::default(),
        settings: Settings {
            threads: config.threads,
            parameters: config.parameters,
            ..Settings::default()
        },
        evaluation,
        rules: config.rules,
        dialect: None,
        with_chances: false,
        ponder: false,
        handicap: Handicap::default(),
        debug: false,
        running: None,
        waiting: VecDeque::new(),
        input_ended: false,
        quitting: false,
    };
    log::info!("session: {} MiB of hash, {} threads", config.hash, config.threads);
    session.run(&inbox)
}

enum Event {
    Line(String, Instant),
    BadLine(InputError),
    InputEnded(Option<io::Error>),
    JobDone,
    OutputFailed(io::Error),
}

/// Passes lines on until there are none.
fn read<R: BufRead>(mut input: Input<R>, events: &Sender<Event>, backlog: &Backlog) {
    loop {
        let event = match input.next_line() {
            Ok(Some(line)) => {
                let now = Instant::now();
                backlog.add(&line);
                Event::Line(line, now)
            }
            Ok(None) => Event::InputEnded(None),
            Err(InputError::Io(error)) => Event::InputEnded(Some(error)),
            Err(error) => {
                backlog.add("");
                Event::BadLine(error)
            }
        };
        let ended = matches!(event, Event::InputEnded(_));
        if events.send(event).is_err() || ended {
            return;
        }
    }
}

fn open_log(path: &Path) -> io::Result<std::fs::File> {
    // A pipe that nobody reads would hold the engine up.
    if fs::metadata(path).is_ok_and(|metadata| !takes_all(metadata.file_type())) {
        return Err(io::Error::other("neither a regular file nor a device"));
    }
    OpenOptions::new().append(true).create(true).open(path)
}

/// Whether what is written to a file of this type is taken without waiting for a reader.
fn takes_all(file_type: fs::FileType) -> bool {
    #[cfg(unix)]
    let is_device = std::os::unix::fs::FileTypeExt::is_char_device(&file_type);
    #[cfg(not(unix))]
    let is_device = false;
    file_type.is_file() || is_device
}

/// A job that takes long, with all that it needs.
struct Job {
    task: Task,
    control: Arc<Control>,
    output: Output,
}

enum Task {
    Search {
        game: Game,
        limits: Box<Limits>,
        settings: Settings,
        evaluation: Evaluation,
        table: Arc<Table>,
        telling: Telling,
    },
    Perft {
        position: Position,
        depth: u32,
        rules: Rules,
        report: LeafReport,
    },
    Bench {
        depth: u32,
        evaluation: Evaluation,
        parameters: Parameters,
    },
}

/// What is told of a search.
#[derive(Clone, Copy)]
struct Telling {
    dialect: Dialect,
    /// The chances that go with a score.
    chances: bool,
    /// The reply that is expected.
    reply: bool,
    /// What the search took in all.
    totals: bool,
}

/// What is told of a count of leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeafReport {
    /// The total.
    Total,
    /// What follows after each move too.
    Split,
    /// The same, as Fairy-Stockfish writes it.
    Fairy,
}

impl Job {
    /// Runs the job; a fault in it ends neither the session nor leaves a `go` without an answer.
    fn run_safely(self) {
        let output = self.output.clone();
        let fallback = match &self.task {
            Task::Search { game, settings, telling: Telling { dialect, .. }, .. } => {
                let position = game.position();
                let legal = position.legal_moves(settings.rules);
                Some(best_text(legal.first().copied(), *dialect, position))
            }
            _ => None,
        };
        guard(&output, fallback, || self.run());
    }

    fn run(self) {
        let Self { task, control, output } = self;
        match task {
            Task::Search { game, limits, settings, evaluation, table, telling } => {
                let Telling { dialect, chances, reply, totals } = telling;
                let request = Request {
                    game: &game,
                    limits: &limits,
                    settings: &settings,
                    evaluation: &evaluation,
                };
                let result = search(&request, &table, &control, &mut |report| {
                    let info = Info::new(report, dialect, game.position(), chances);
                    output.line(Message::Info(info));
                });
                if result.missing_threads > 0 {
                    let missing = result.missing_threads;
                    let text = format!("warning: go: {missing} threads could not be started");
                    output.line(Message::Text(text));
                }
                if totals {
                    let (nodes, time) = (result.nodes, control.elapsed().as_millis());
                    let text = format!("depth {} nodes {nodes} time {time} in all", result.depth);
                    output.line(Message::Text(text));
                }
                let position = game.position();
                let best = best_text(result.best, dialect, position);
                let ponder = result.best.zip(result.ponder).filter(|_| reply);
                let ponder =
                    ponder.map(|(best, reply)| dialect.move_text(reply, &position.play(best)));
                output.line(Message::BestMove { best, ponder });
            }
            Task::Perft { position, depth, rules, report } => {
                let (stop, by_move) = (control.stop_flag(), report != LeafReport::Total);
                match count_leaves(&position, depth, rules, by_move, stop) {
                    Some(count) if report == LeafReport::Fairy => {
                        output.lines(&count.fairy_report(&position));
                    }
                    Some(count) => output.lines(&count.report(control.elapsed())),
                    None => output.line(stopped("the count")),
                }
            }
            Task::Bench { depth, evaluation, parameters } => {
                let result = bench(depth, &evaluation, parameters, &control, &mut |step| {
                    let text = format!("bench {}/{} nodes {}", step.number, step.of, step.nodes);
                    output.line(Message::Text(text));
                });
                match result {
                    Ok(result) if !result.complete => output.line(stopped("the bench")),
                    Ok(result) => {
                        let nps = nodes_per_second(result.nodes, result.time);
                        output.line(format_args!("{} nodes {nps} nps", result.nodes));
                    }
                    Err(reason) => output.line(error(format_args!("bench: {reason}"))),
                }
            }
        }
    }
}

/// Does something; a fault in it is reported, and answered with the `fallback` if there is one.
fn guard(output: &Output, fallback: Option<String>, work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        output.line(error("a fault in the engine; please report it"));
        if let Some(best) = fallback {
            output.line(Message::BestMove { best, ponder: None });
        }
    }
}

/// What is answered to `go`.
fn best_text(best: Option<Move>, dialect: Dialect, position: &Position) -> String {
    best.map_or_else(|| dialect.no_move().to_owned(), |mv| dialect.move_text(mv, position))
}

fn stopped(what: &str) -> Message {
    Message::Text(format!("{what} was stopped before its end"))
}

fn error(text: impl std::fmt::Display) -> Message {
    Message::Text(format!("error: {text}"))
}

/// The job that runs.
struct Running {
    control: Arc<Control>,
    /// Has no limit that would end it.
    endless: bool,
}

impl Running {
    /// Whether it would never end by itself as things are.
    fn is_endless(&self) -> bool {
        self.endless || self.control.is_pondering()
    }
}

/// A line that waits for the engine to be free, or for one before it that does.
struct Waiting {
    line: String,
    needs_engine: bool,
    stopped: bool,
    ponder_hit: bool,
}

/// What the user has said of how strong to play.
struct Handicap {
    skill: usize,
    /// Whether it is the Elo that counts.
    limited: bool,
    elo: i32,
    /// Whether the engine is not to play but to analyse, as well as it can.
    analysing: bool,
    /// For choices that differ from game to game.
    random: Random,
}

impl Default for Handicap {
    /// None.
    fn default() -> Self {
        // The standard library's hashes begin with what is different in every process.
        let seed = RandomState::new().hash_one(0);
        Self {
            skill: Strength::LEVELS,
            limited: false,
            elo: Strength::MAX_ELO,
            analysing: false,
            random: Random::new(seed),
        }
    }
}

impl Handicap {
    /// How strong to play the next move.
    fn strength(&mut self) -> Option<Strength> {
        let seed = self.random.next();
        match self {
            Self { analysing: true, .. } => None,
            Self { limited: true, elo, .. } => Some(Strength::of_elo(*elo, seed)),
            Self { skill, .. } => Strength::of_level(*skill, seed),
        }
    }
}

struct Session<'a> {
    config: &'a Config,
    output: Output,
    backlog: Arc<Backlog>,
    jobs: Sender<Job>,
    table: Arc<Table>,
    game: Game,
    settings: Settings,
    evaluation: Evaluation,
    /// The rules as the user has set them.
    rules: Option<Rules>,
    /// What the referee speaks, if one has introduced itself.
    dialect: Option<Dialect>,
    /// Whether news of a search tells the chances.
    with_chances: bool,
    /// Whether the referee asks engines to ponder.
    ponder: bool,
    handicap: Handicap,
    debug: bool,
    running: Option<Running>,
    waiting: VecDeque<Waiting>,
    input_ended: bool,
    quitting: bool,
}

impl Session<'_> {
    fn run(mut self, inbox: &Receiver<Event>) -> Result<(), SessionError> {
        let mut input_error = None;
        for event in inbox {
            match event {
                Event::Line(line, time) => {
                    self.output.log_input(&line);
                    self.take(line, time);
                }
                Event::BadLine(reason) => {
                    self.output.log_input(&format!("({reason})"));
                    self.output.line(error(reason));
                    self.backlog.remove("");
                }
                Event::InputEnded(reason) => {
                    self.input_ended = true;
                    input_error = reason;
                }
                Event::JobDone => self.running = None,
                Event::OutputFailed(reason) => return output_failed(reason),
            }
            self.carry_on();
            if self.is_over() {
                break;
            }
        }
        // The last answers may not have got out.
        for event in inbox.try_iter() {
            if let Event::OutputFailed(reason) = event {
                return output_failed(reason);
            }
        }
        input_error.map_or(Ok(()), |reason| Err(SessionError::Input(reason)))
    }

    fn is_over(&self) -> bool {
        let idle = self.running.is_none() && self.waiting.is_empty();
        idle && (self.quitting || self.input_ended)
    }

    /// Carries out what waits as far as the engine is free for it.
    fn carry_on(&mut self) {
        while let Some(next) = self.waiting.front() {
            if self.running.is_some() && next.needs_engine {
                break;
            }
            if let Some(Waiting { line, stopped, ponder_hit, .. }) = self.waiting.pop_front() {
                match Command::parse(&line, self.dialect()) {
                    Ok(command) => self.execute(command, Instant::now(), stopped, ponder_hit),
                    Err(reason) => self.output.line(error(reason)),
                }
                self.backlog.remove(&line);
            }
        }
        let is_last = self.input_ended || self.quitting || !self.waiting.is_empty();
        if is_last && self.running.as_ref().is_some_and(Running::is_endless) {
            self.stop_running();
        }
    }

    fn stop_running(&mut self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
    }

    /// Deals with a line, now or later.
    fn take(&mut self, line: String, time: Instant) {
        if self.quitting || line.trim().is_empty() {
            return self.backlog.remove(&line);
        }
        let command = match Command::parse(&line, self.dialect()) {
            Ok(command) => command,
            // Errors come in their turn.
            Err(_) if !self.waiting.is_empty() => return self.wait(line, false),
            Err(reason) => {
                self.output.line(error(reason));
                return self.backlog.remove(&line);
            }
        };
        match command {
            Command::IsReady => self.output.line(Message::ReadyOk),
            Command::Stop => {
                self.stop_running();
                self.waiting.iter_mut().for_each(|waiting| waiting.stopped = true);
            }
            Command::PonderHit => {
                if let Some(running) = &self.running {
                    running.control.ponder_hit();
                }
                self.waiting.iter_mut().for_each(|waiting| waiting.ponder_hit = true);
            }
            Command::Quit => {
                self.stop_running();
                self.waiting.clear();
                self.quitting = true;
            }
            Command::Debug(on) => self.debug = on,
            command => {
                let needs_engine = needs_engine(&command);
                if self.running.is_some() && needs_engine || !self.waiting.is_empty() {
                    return self.wait(line, needs_engine);
                }
                self.execute(command, time, false, false);
            }
        }
        self.backlog.remove(&line);
    }

    fn wait(&mut self, line: String, needs_engine: bool) {
        let (stopped, ponder_hit) = (false, false);
        self.waiting.push_back(Waiting { line, needs_engine, stopped, ponder_hit });
    }

    /// Carries a command out; `time` is when its clock begins to run, and whether it was `stopped`
    /// or had its `ponder_hit` before it could begin, it knows from the start.
    fn execute(&mut self, command: Command, time: Instant, stopped: bool, ponder_hit: bool) {
        log::debug!("{command}");
        let result = match command {
            Command::Go(go) => match go.perft {
                Some(depth) => {
                    let report = match self.dialect() {
                        Dialect::Uci => LeafReport::Fairy,
                        Dialect::Uai | Dialect::Ugi => LeafReport::Split,
                    };
                    self.count(self.perft(depth, report), time, stopped)
                }
                None => self.go(&go, time, stopped, ponder_hit),
            },
            Command::Perft(depth) => {
                self.count(self.perft(depth, LeafReport::Total), time, stopped)
            }
            Command::Split(depth) => {
                self.count(self.perft(depth, LeafReport::Split), time, stopped)
            }
            Command::Bench(depth) => {
                let depth = depth.unwrap_or(BENCH_DEPTH);
                let evaluation = self.evaluation.clone();
                let parameters = self.settings.parameters;
                self.count(Task::Bench { depth, evaluation, parameters }, time, stopped)
            }
            Command::Introduce(dialect) => self.introduce(dialect),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::NewGame(_) => self.forget(),
            Command::Query(query) => self.respond(query),
            Command::Position { start, moves } => self.set_position(&start, &moves),
            Command::Moves(moves) => self.moves(&moves),
            Command::Display => self.display(),
            Command::Eval => self.evaluate(),
            Command::Help => self.help(),
            // Dealt with at once, whatever waits.
            Command::IsReady
            | Command::Stop
            | Command::PonderHit
            | Command::Quit
            | Command::Debug(_) => Ok(()),
        };
        if let Err(reason) = result {
            self.output.line(error(reason));
        }
    }

    /// The rules in force.
    fn rules(&self) -> Rules {
        let otherwise = if self.dialect.is_some() { Rules::Ataxx } else { Rules::Assimilation };
        self.rules.unwrap_or(otherwise)
    }

    /// What is spoken.
    fn dialect(&self) -> Dialect {
        self.dialect.unwrap_or_default()
    }

    fn introduce(&mut self, dialect: Dialect) -> Result<(), LineError> {
        self.dialect = Some(dialect);
        let mut messages = vec![
            Message::IdName(concat!("Physarum ", env!("CARGO_PKG_VERSION")).into()),
            Message::IdAuthor("the Physarum authors".into()),
        ];
        messages.extend(specs(self.config, self.rules(), dialect).into_iter().map(Message::Option));
        messages.push(Message::Introduced(dialect));
        let lines: Vec<_> = messages.iter().map(Message::to_string).collect();
        self.output.lines(&lines.join("\n"));
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), LineError> {
        match Setting::parse(name, value)? {
            // The new table is there before the old one goes.
            Setting::Hash(mebibytes) => self.table = Arc::new(Table::new(mebibytes)?),
            Setting::Threads(threads) => self.settings.threads = threads,
            Setting::MultiPv(lines) => self.settings.multi_pv = lines,
            Setting::Ponder(on) => self.ponder = on,
            Setting::MoveOverhead(overhead) => self.settings.move_overhead = overhead,
            Setting::Rules(rules) => self.rules = Some(rules),
            Setting::Variant => {
                // As Fairy-Stockfish tells of its variants.
                let board = "files 7 ranks 7 pocket 1 template fairy";
                let start = "P5p/7/7/7/7/7/p5P w 0 1";
                let text = format!("variant {ATAXX} {board} startpos {start}");
                self.output.line(Message::Text(text));
            }
            Setting::ShowChances(on) => self.with_chances = on,
            Setting::LimitStrength(on) => self.handicap.limited = on,
            Setting::Elo(elo) => self.handicap.elo = elo,
            Setting::SkillLevel(level) => self.handicap.skill = level,
            Setting::AnalyseMode(on) => self.handicap.analysing = on,
            Setting::Ignored => {}
            Setting::ClearHash => return self.forget(),
            // The searches' table keeps the scores of different evaluations apart.
            Setting::EvalFile(None) => self.evaluation = Evaluation::default(),
            Setting::EvalFile(Some(path)) => match Evaluation::open(&path) {
                Ok(evaluation) => self.evaluation = evaluation,
                Err(reason) => {
                    let path = path.display().to_string();
                    return Err(LineError::EvalFile { path, reason });
                }
            },
            Setting::LogFile(None) => self.output.set_log(None),
            Setting::LogFile(Some(path)) => match open_log(&path) {
                Ok(file) => self.output.set_log(Some(file)),
                Err(reason) => {
                    let path = path.display().to_string();
                    return Err(LineError::LogFile { path, reason });
                }
            },
        }
        Ok(())
    }

    fn forget(&mut self) -> Result<(), LineError> {
        // Nobody else holds it while no job runs.
        if let Some(table) = Arc::get_mut(&mut self.table) {
            table.clear();
        }
        Ok(())
    }

    fn set_position(&mut self, start: &Start, moves: &[String]) -> Result<(), LineError> {
        let mut game = Game::new(start.position());
        play_moves(&mut game, moves, self.rules(), "position")?;
        self.game = game;
        Ok(())
    }

    fn moves(&mut self, moves: &[String]) -> Result<(), LineError> {
        let rules = self.rules();
        if moves.is_empty() {
            let position = self.game.position();
            let texts = position.legal_moves(rules).into_iter();
            let texts = texts.map(|mv| self.dialect().move_text(mv, position)).collect();
            self.output.line(Message::Moves(texts));
            return Ok(());
        }
        Ok(play_moves(&mut self.game, moves, rules, "moves")?)
    }

    fn go(
        &mut self,
        go: &Go,
        time: Instant,
        stopped: bool,
        ponder_hit: bool,
    ) -> Result<(), LineError> {
        let limits = self.limits(go)?;
        if let Some(word) = go.unknown.first() {
            let more = match go.unknown.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let text = format!("warning: go: unknown word {}{more} skipped", quote(word));
            self.output.line(Message::Text(text));
        }
        let position = self.game.position();
        if let Some(outcome) = position.outcome(self.rules()) {
            self.output.line(Message::Text(format!("game over: {outcome}")));
        }
        let control = Control::new(time, go.ponder);
        if ponder_hit {
            control.ponder_hit();
        }
        let endless = limits.is_endless();
        let task = Task::Search {
            game: self.game.clone(),
            limits: Box::new(limits),
            settings: Settings {
                rules: self.rules(),
                strength: self.handicap.strength(),
                ..self.settings
            },
            evaluation: self.evaluation.clone(),
            table: Arc::clone(&self.table),
            telling: Telling {
                dialect: self.dialect(),
                chances: self.with_chances,
                // Some referees wait for ever for an answer of two words.
                reply: self.ponder || self.dialect.is_none(),
                totals: self.debug,
            },
        };
        self.start(task, control, endless, stopped);
        Ok(())
    }

    /// What bounds the search, in terms of the side to move.
    fn limits(&self, go: &Go) -> Result<Limits, LineError> {
        let position = self.game.position();
        let search_moves = go.search_moves.iter().enumerate().map(|(index, text)| {
            let place = "go: searchmoves";
            position
                .parse_move(text, self.rules())
                .map_err(|e| CommandError::of_move(place, index, text, e))
        });
        let search_moves = search_moves.collect::<Result<_, _>>()?;
        // Where only the other side's clock is known it must do.
        let side = position.side_to_move().index();
        let of_side = |times: [Option<i64>; 2]| times[side].or(times[1 - side]);
        let duration = |ms: i64| Duration::from_millis(ms.max(0).unsigned_abs());
        let (left, increment) = (of_side(go.time), of_side(go.increment));
        let clock = (left.is_some() || increment.is_some()).then(|| Clock {
            left: duration(left.unwrap_or_default()),
            increment: duration(increment.unwrap_or_default()),
            moves_to_go: go.moves_to_go,
        });
        Ok(Limits {
            depth: go.depth,
            nodes: go.nodes,
            soft_nodes: None,
            until_proven: false,
            move_time: go.move_time.map(duration),
            clock,
            mate: go.mate,
            infinite: go.infinite,
            search_moves,
        })
    }

    fn respond(&mut self, query: Query) -> Result<(), LineError> {
        let position = self.game.position();
        let outcome = position.outcome(self.rules());
        let text = match query {
            Query::GameOver => outcome.is_some().to_string(),
            Query::FirstMoversTurn => (position.side_to_move() == Color::Black).to_string(),
            Query::Result => match outcome {
                None => "none",
                Some(Outcome::Draw) => "draw",
                Some(Outcome::Win(Color::Black)) => "p1win",
                Some(Outcome::Win(Color::White)) => "p2win",
            }
            .to_owned(),
        };
        self.output.line(Message::Response(text));
        Ok(())
    }

    fn perft(&self, depth: u32, report: LeafReport) -> Task {
        Task::Perft { position: *self.game.position(), depth, rules: self.rules(), report }
    }

    fn count(&mut self, task: Task, time: Instant, stopped: bool) -> Result<(), LineError> {
        self.start(task, Control::new(time, false), false, stopped);
        Ok(())
    }

    fn start(&mut self, task: Task, control: Control, endless: bool, stopped: bool) {
        let control = Arc::new(control);
        if stopped {
            control.stop();
        }
        let job = Job { task, control: Arc::clone(&control), output: self.output.clone() };
        // The worker lives as long as the session.
        if self.jobs.send(job).is_ok() {
            self.running = Some(Running { control, endless });
        }
    }

    fn display(&mut self) -> Result<(), LineError> {
        let position = self.game.position();
        if self.dialect() == Dialect::Uci {
            self.output.lines(&fairy_diagram(position));
            return Ok(());
        }
        let mut text = String::new();
        for rank in (0..Square::WIDTH).rev() {
            let _ = write!(text, "{}  ", rank + 1);
            for square in (0..Square::WIDTH).filter_map(|file| Square::new(file, rank)) {
                let _ = write!(text, "{} ", position.symbol(square));
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text.push_str("   a b c d e f g\n");
        let [black, white] = Color::ALL.map(|color| position.stones(color).len());
        let outcome = position.outcome(self.rules());
        let outcome = outcome.map_or("none".to_owned(), |outcome| outcome.to_string());
        let _ = write!(
            text,
            "fen {position}\nhash {:016x}\nrules {}\nstones x {black} o {white}\noutcome {outcome}",
            position.hash(),
            self.rules(),
        );
        self.output.lines(&text);
        Ok(())
    }

    fn evaluate(&mut self) -> Result<(), LineError> {
        let position = self.game.position();
        match (position.outcome(self.rules()), &self.evaluation) {
            (Some(outcome), _) => self.output.line(format_args!("eval game over: {outcome}")),
            (None, Evaluation::Network(network)) => {
                let (score, name) = (network.evaluate(position), self.evaluation.name());
                let grid = board_of_changes(position, network);
                self.output.lines(&format!("eval cp {score} {name}\n{grid}"));
            }
            (None, Evaluation::Handcrafted) => {
                let terms = Terms::of(position);
                self.output.line(format_args!(
                    "eval cp {} stones {} mobility {} safe {} exposed {} threats {} tempo {}",
                    terms.total(),
                    terms.stones,
                    terms.mobility,
                    terms.safe,
                    terms.exposed,
                    terms.threats,
                    terms.tempo
                ));
            }
        }
        Ok(())
    }

    fn help(&mut self) -> Result<(), LineError> {
        let lines: Vec<_> = HELP.iter().map(|(usage, what)| format!("{usage}: {what}")).collect();
        self.output.lines(&lines.join("\n"));
        Ok(())
    }
}

/// The board as Fairy-Stockfish shows it.
fn fairy_diagram(position: &Position) -> String {
    const LINE: &str = " +---+---+---+---+---+---+---+";
    let mut text = format!("\n{LINE}\n");
    for rank in (0..Square::WIDTH).rev() {
        for square in (0..Square::WIDTH).filter_map(|file| Square::new(file, rank)) {
            let symbol = fairy_symbol(position.symbol(square));
            let _ = write!(text, " | {}", if symbol == '.' { ' ' } else { symbol });
        }
        let _ = writeln!(text, " |{}\n{LINE}", rank + 1);
    }
    let (fen, key) = (Dialect::Uci.position_text(position), position.hash());
    let _ = write!(text, "   a   b   c   d   e   f   g\n\nFen: {fen}\nKey: {key:016X}");
    text
}

/// The end of a session that cannot answer: a quiet one where nobody reads any more.
fn output_failed(reason: io::Error) -> Result<(), SessionError> {
    match reason.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(SessionError::Output(reason)),
    }
}

/// Whether a command must not be carried out while a job runs.
fn needs_engine(command: &Command) -> bool {
    match command {
        Command::Go(_)
        | Command::Perft(_)
        | Command::Split(_)
        | Command::Bench(_)
        | Command::NewGame(_) => true,
        Command::SetOption { name, value } => {
            let setting = Setting::parse(name, value.as_deref());
            matches!(setting, Ok(Setting::Hash(_) | Setting::ClearHash))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// A writer whose text can be looked at.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_fault_is_answered() {
        let written = Written::default();
        let output = Output::new(written.clone(), |_| ());
        guard(&output, Some("0000".into()), || panic!("as planned"));
        guard(&output, None, || panic!("as planned"));
        guard(&output, Some("0000".into()), || ());
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let fault = "info string error: a fault in the engine; please report it\n";
        assert_eq!(text, format!("{fault}bestmove 0000\n{fault}"));
    }
}
