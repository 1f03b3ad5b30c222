//! Playing the games of a match, several at a time.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::adjudication::Adjudication;
use super::fault::Fault;
use super::journal::GameReport;
use super::openings::Book;
use super::play::{Arrangement, PlayedGame, play};
use super::player::{Player, Terms};
use super::process::{Halt, raise_file_limit};
use super::schedule::{Fixture, Schedule, Tournament};
use super::spec::EngineSpec;
use crate::game::Rules;
use crate::random::Random;
use crate::record::{GameRecord, GameResult, PgnWriter};

/// How often a running match looks up whether it should go on.
const GLANCE: Duration = Duration::from_millis(20);

/// A match with everything that decides how its games go.
#[derive(Clone, Debug)]
pub struct Match {
    /// The engines, two at least.
    pub engines: Vec<EngineSpec>,
    /// Which of them meet.
    pub tournament: Tournament,
    /// How many openings each pair of engines plays.
    pub rounds: u64,
    /// Whether each opening is played twice, with colours changed.
    pub swap: bool,
    /// The rules.
    pub rules: Rules,
    /// A game of so many plies after its opening is a draw.
    pub max_plies: u32,
    /// How much more than its time an engine may take.
    pub time_margin: Duration,
    /// How long an engine may take to start, and to say that it is ready.
    pub start_timeout: Duration,
    /// How long an engine may take for a move when its limits say nothing of time.
    pub move_timeout: Duration,
    /// When decided games end.
    pub adjudication: Adjudication,
    /// The openings.
    pub book: Book,
    /// Decides the order of the openings; `None` for the book's own.
    pub shuffle: Option<u64>,
    /// Decides the moves of engines that play by chance.
    pub seed: u64,
    /// The name of the event, for the records of games.
    pub event: String,
}

/// An engine that cannot be started.
#[derive(Clone, Debug, Error)]
#[error("engine {engine:?} {fault}")]
pub struct StartError {
    /// Its name.
    pub engine: String,
    /// What is wrong, with what it has said last.
    pub fault: Fault,
}

/// Why a match did not go on to its end.
#[derive(Debug, Error)]
pub enum MatchError {
    /// Threads cannot be started.
    #[error("cannot play side by side: {0}")]
    Threads(io::Error),
    /// We cannot do our own part, so that engines would lose games for nothing.
    #[error("cannot play on: {0}")]
    Unable(String),
}

/// What an engine that was started has said about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introduction {
    /// What it calls itself, where it does.
    pub id: Option<String>,
    /// What a user should know about it.
    pub warnings: Vec<String>,
}

/// Engines that have been started for a match.
#[derive(Debug)]
pub struct Ready {
    players: Vec<Player>,
    introductions: Vec<Introduction>,
}

impl Ready {
    /// What the engines have said about themselves, in their order.
    pub fn introductions(&self) -> &[Introduction] {
        &self.introductions
    }
}

/// Whether a match goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    GoOn,
    /// Enough has been seen; games that are not finished don't count.
    Enough,
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// All games were played.
    Complete,
    /// Enough was seen.
    Enough,
    /// It was told to stop.
    Interrupted,
}

impl Match {
    /// A match with the usual settings: a round robin of 100 rounds under `Ataxx`, each opening played
    /// twice, with at most 400 plies for a game, no margin, 10 s to start, 60 s for a move without a
    /// time limit, and no adjudication.
    pub fn new(engines: Vec<EngineSpec>, book: Book) -> Self {
        Self {
            engines,
            tournament: Tournament::default(),
            rounds: 100,
            swap: true,
            rules: Rules::Ataxx,
            max_plies: 400,
            time_margin: Duration::ZERO,
            start_timeout: Duration::from_secs(10),
            move_timeout: Duration::from_secs(60),
            adjudication: Adjudication::default(),
            book,
            shuffle: None,
            seed: 0,
            event: "physarum match".to_owned(),
        }
    }

    /// All that a game's course depends on, for a [`Journal`](super::Journal): two matches with the
    /// same may go on from each other's results. Files are known by their content, engines only by
    /// their description.
    pub fn identity(&self) -> Map<String, Value> {
        let engines: Vec<_> = self.engines.iter().map(EngineSpec::description).collect();
        let fields = [
            ("engines", json!(engines)),
            ("tournament", json!(self.tournament)),
            ("swap", json!(self.swap)),
            ("rules", json!(self.rules.name())),
            ("max_plies", json!(self.max_plies)),
            ("time_margin_ms", json!(milliseconds(self.time_margin))),
            ("start_timeout_ms", json!(milliseconds(self.start_timeout))),
            ("move_timeout_ms", json!(milliseconds(self.move_timeout))),
            ("adjudication", json!(self.adjudication)),
            ("openings", json!(format!("{:016x}", self.book.fingerprint()))),
            ("shuffle", json!(self.shuffle)),
            ("seed", json!(self.seed)),
        ];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The games.
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.engines.len(), self.tournament, self.rounds, self.swap)
    }

    fn terms<'a>(&self, stop: &'a AtomicBool) -> Terms<'a> {
        Terms {
            rules: self.rules,
            time_margin: self.time_margin,
            start_timeout: self.start_timeout,
            move_timeout: self.move_timeout,
            stop,
        }
    }

    /// Starts each engine once, to see whether it can play.
    ///
    /// `None` if `stop` has become true.
    ///
    /// # Errors
    ///
    /// When one of them cannot be started.
    pub fn start(&self, stop: &AtomicBool) -> Result<Option<Ready>, StartError> {
        let terms = self.terms(stop);
        let mut players = Vec::new();
        let mut introductions = Vec::new();
        for spec in &self.engines {
            let mut player = Player::new(spec);
            match player.start(spec, &terms) {
                Ok(()) => {}
                Err(Halt::Interrupted) => return Ok(None),
                Err(halt) => {
                    let fault = match halt {
                        Halt::Fault(fault) => fault,
                        Halt::Unable(reason) => Fault::Start(reason),
                        _ => Fault::Start("we were suspended meanwhile".to_owned()),
                    };
                    return Err(StartError { engine: spec.name.clone(), fault });
                }
            }
            let mut warnings = Vec::new();
            let mut id = None;
            if let Some(engine) = player.engine() {
                id = engine.id().map(str::to_owned);
                warnings.extend_from_slice(engine.doubts());
                if self.rules != Rules::Ataxx && !engine.knows_rules() {
                    warnings.push(format!(
                        "it does not list the option \"Rules\", so it may not know that it plays \
                         under {}",
                        self.rules
                    ));
                }
            }
            players.push(player);
            introductions.push(Introduction { id, warnings });
        }
        Ok(Some(Ready { players, introductions }))
    }

    /// Plays all games that are not among `done`, `concurrency` at a time, and passes each to `heard`
    /// as it ends, with its text for a file of games.
    ///
    /// What an engine does wrong loses it the game; nothing it does ends the match. When this returns,
    /// no engine runs any more. Games that are under way when `stop` becomes true are not finished.
    ///
    /// # Errors
    ///
    /// When the system has no threads, files or processes for us. What `heard` returns as an error ends
    /// the match, and is returned.
    pub fn play<E: From<MatchError>>(
        &self,
        ready: Ready,
        done: &[GameReport],
        concurrency: usize,
        stop: &AtomicBool,
        heard: &mut dyn FnMut(&GameReport, &str) -> Result<Verdict, E>,
    ) -> Result<Finish, E> {
        raise_file_limit();
        let schedule = self.schedule();
        let played: HashSet<u64> = done.iter().map(|report| report.game).collect();
        let order = self.book.order(self.shuffle);
        let open = (0..schedule.games()).filter(|game| !played.contains(game));
        let hall = Hall {
            of: self,
            order: &order,
            open: Mutex::new(Box::new(open.filter_map(|game| schedule.fixture(game)))),
            halt: AtomicBool::new(false),
        };
        thread::scope(|scope| {
            let (sender, games) = channel();
            let mut ready = Some(ready.players);
            for number in 0..concurrency.max(1) {
                let fresh = || self.engines.iter().map(Player::new).collect();
                let players = ready.take().unwrap_or_else(fresh);
                let (hall, sender) = (&hall, sender.clone());
                let builder = thread::Builder::new().name(format!("board {number}"));
                let started = builder.spawn_scoped(scope, move || hall.work(players, &sender));
                if let Err(error) = started {
                    hall.halt.store(true, Ordering::Relaxed);
                    return Err(MatchError::Threads(error).into());
                }
            }
            drop(sender);
            let mut finish = Finish::Complete;
            loop {
                if stop.load(Ordering::Relaxed) && finish == Finish::Complete {
                    finish = Finish::Interrupted;
                    hall.halt.store(true, Ordering::Relaxed);
                }
                match games.recv_timeout(GLANCE) {
                    // What ends after the decision has no part in it.
                    Ok(_) if finish == Finish::Enough => {}
                    Ok(Err(reason)) => {
                        hall.halt.store(true, Ordering::Relaxed);
                        return Err(MatchError::Unable(reason).into());
                    }
                    Ok(Ok((fixture, game))) => match self.report(&fixture, game, &order, heard) {
                        Ok(Verdict::GoOn) => {}
                        Ok(Verdict::Enough) => {
                            finish = Finish::Enough;
                            hall.halt.store(true, Ordering::Relaxed);
                        }
                        Err(error) => {
                            hall.halt.store(true, Ordering::Relaxed);
                            return Err(error);
                        }
                    },
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Ok(finish),
                }
            }
        })
    }

    fn report<E>(
        &self,
        fixture: &Fixture,
        game: PlayedGame,
        order: &[usize],
        heard: &mut dyn FnMut(&GameReport, &str) -> Result<Verdict, E>,
    ) -> Result<Verdict, E> {
        let PlayedGame { mut record, outcome, ending, plies, efforts, errors } = game;
        let opening = opening_number(order, fixture);
        let report = GameReport {
            game: fixture.game,
            round: fixture.round,
            opening,
            black: fixture.black,
            white: fixture.white,
            first: self.book.openings()[opening].position().side_to_move(),
            result: GameResult::from(outcome),
            ending,
            plies,
            efforts,
            errors,
        };
        self.tag(&mut record, &report);
        heard(&report, &pgn(&record))
    }

    fn tag(&self, record: &mut GameRecord, report: &GameReport) {
        let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
        let (black, white) = (&self.engines[report.black], &self.engines[report.white]);
        let second = if self.swap { 1 + report.game % 2 } else { 1 };
        let round = format!("{}.{second}", report.round + 1);
        let limit = |engine: &EngineSpec| engine.limit.to_string();
        let mut tags = vec![
            ("Event", self.event.clone()),
            ("Date", now.strftime("%Y.%m.%d").to_string()),
            ("Round", round),
            ("Black", black.name.clone()),
            ("White", white.name.clone()),
            ("UTCTime", now.strftime("%H:%M:%S").to_string()),
            ("PlyCount", record.moves().len().to_string()),
            ("Termination", report.ending.termination().to_owned()),
            ("Reason", report.ending.to_string()),
        ];
        if black.limit == white.limit {
            tags.push(("TimeControl", limit(black)));
        } else {
            tags.extend([("BlackTimeControl", limit(black)), ("WhiteTimeControl", limit(white))]);
        }
        for (name, value) in tags {
            // A value of this length is always good.
            let value: String = value.chars().take(1000).collect();
            let _ = record.tags.set(name, &value);
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}

fn opening_number(order: &[usize], fixture: &Fixture) -> usize {
    order[(fixture.round % order.len() as u64) as usize]
}

fn pgn(record: &GameRecord) -> String {
    let mut writer = PgnWriter::new(Vec::new());
    // Memory can be written to.
    let _ = writer.write(record);
    String::from_utf8(writer.into_inner()).unwrap_or_default()
}

/// A game that was played, or why it cannot be.
type Played = Result<(Fixture, PlayedGame), String>;

type Fixtures<'a> = Mutex<Box<dyn Iterator<Item = Fixture> + Send + 'a>>;

/// Where the games are played.
struct Hall<'a> {
    of: &'a Match,
    order: &'a [usize],
    /// The games that nobody has begun.
    open: Fixtures<'a>,
    /// Becomes true when all are to stop.
    halt: AtomicBool,
}

impl Hall<'_> {
    /// Plays games with its own players until there are none left.
    fn work(&self, mut players: Vec<Player>, games: &Sender<Played>) {
        let arrangement = Arrangement {
            terms: self.of.terms(&self.halt),
            max_plies: self.of.max_plies,
            adjudication: self.of.adjudication,
        };
        while !self.halt.load(Ordering::Relaxed) {
            let next = self.open.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(fixture) = next else { break };
            let (first, second) = fixture.pairing();
            // Programs that have no part in the game would only take memory.
            for (number, player) in players.iter_mut().enumerate() {
                if number != first && number != second {
                    player.quit();
                }
            }
            let specs = [fixture.black, fixture.white].map(|engine| &self.of.engines[engine]);
            let opening = &self.of.book.openings()[opening_number(self.order, &fixture)];
            let seed = Random::of_game(self.of.seed, fixture.game).next();
            let game = loop {
                let Ok([one, other]) = players.get_disjoint_mut([first, second]) else {
                    break Err(Halt::Unable("an engine would play against itself".to_owned()));
                };
                let pair = if fixture.black == first { [one, other] } else { [other, one] };
                match play(opening, specs, pair, &arrangement, seed) {
                    // Engines that have run on meanwhile are in no known state.
                    Err(Halt::Stalled) => players.iter_mut().for_each(Player::kill),
                    played => break played,
                }
            };
            let sent = match game {
                Ok(game) => games.send(Ok((fixture, game))),
                Err(Halt::Unable(reason)) => games.send(Err(reason)),
                Err(_) => break,
            };
            if sent.is_err() {
                break;
            }
        }
        players.iter_mut().for_each(Player::quit);
    }
}
