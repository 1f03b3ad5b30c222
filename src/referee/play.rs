//! One game.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::adjudication::{Adjudication, Adjudicator, Ruling, Statement};
use super::fault::{Fault, FaultKind};
use super::openings::Opening;
use super::player::{Answer, Player, Terms, Turn, clocks};
use super::process::Halt;
use super::spec::EngineSpec;
use super::text;
use crate::game::{Color, HALFMOVE_LIMIT, IllegalMove, Move, Outcome, Position};
use crate::record::{Comment, GameRecord, GameResult, RecordedScore};
use crate::search::Score;

/// More jumps in a row than this are not repeated to an engine, so that a line is never long.
const MOST_JUMPS: usize = 100;

/// Why a game ended as it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Ending {
    /// Nobody could move, or one side had no stones.
    Board,
    /// 100 halfmoves without a clone.
    HalfmoveLimit,
    /// The longest game that the match allows.
    MaxPlies,
    /// It was decided, by one of the rules that the match has for that.
    Adjudicated {
        /// Which one.
        ruling: Ruling,
    },
    /// An engine did something wrong.
    Fault {
        /// The engine's side.
        #[serde(with = "text")]
        by: Color,
        /// What kind of thing.
        kind: FaultKind,
        /// What it was.
        detail: String,
    },
}

impl Ending {
    fn fault(by: Color, fault: &Fault) -> Self {
        Self::Fault { by, kind: fault.kind(), detail: fault.to_string() }
    }

    /// If it was a fault: whose, of what kind, and what it was.
    pub fn as_fault(&self) -> Option<(Color, FaultKind, &str)> {
        match self {
            Self::Fault { by, kind, detail } => Some((*by, *kind, detail)),
            _ => None,
        }
    }

    /// The value of the tag `Termination`, as the PGN standard has it.
    pub(super) const fn termination(&self) -> &'static str {
        match self {
            Self::Board | Self::HalfmoveLimit => "normal",
            Self::MaxPlies | Self::Adjudicated { .. } => "adjudication",
            Self::Fault { kind: FaultKind::Time, .. } => "time forfeit",
            Self::Fault { kind: FaultKind::IllegalMove, .. } => "rules infraction",
            Self::Fault { .. } => "abandoned",
        }
    }
}

impl fmt::Display for Ending {
    /// What stands behind a game: `nobody can move`, `x: out of time by 12 ms`, …
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Board => f.write_str("ended on the board"),
            Self::HalfmoveLimit => write!(f, "{HALFMOVE_LIMIT} halfmoves without a clone"),
            Self::MaxPlies => f.write_str("longest game allowed"),
            Self::Adjudicated { ruling } => write!(f, "adjudicated: {ruling}"),
            Self::Fault { by, detail, .. } => write!(f, "{by}: {detail}"),
        }
    }
}

/// What an engine did in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effort {
    /// Moves it chose.
    pub moves: u64,
    /// The time for all of them, in microseconds, as the referee measured it.
    pub time_us: u64,
    /// The time for the longest, in microseconds.
    pub longest_us: u64,
    /// Positions visited for those moves with which it told them.
    pub nodes: u64,
    /// The time for those moves, in microseconds.
    pub nodes_us: u64,
    /// The sum of the depths, in plies, of those moves with which it told them, but for those whose
    /// score was proven.
    pub depths: u64,
    /// How many moves those were.
    pub depth_moves: u64,
}

impl Effort {
    fn add_move(&mut self, answer: &Answer) {
        let time = answer.time.as_micros().try_into().unwrap_or(u64::MAX);
        self.moves += 1;
        self.time_us = self.time_us.saturating_add(time);
        self.longest_us = self.longest_us.max(time);
        if let Some(nodes) = answer.info.nodes {
            self.nodes = self.nodes.saturating_add(nodes);
            self.nodes_us = self.nodes_us.saturating_add(time);
        }
        // In a position that is decided depth costs nothing, and would say nothing.
        let proven = answer.info.score.is_some_and(Score::is_proven);
        if let Some(depth) = answer.info.depth.filter(|_| !proven) {
            self.depths = self.depths.saturating_add(depth.into());
            self.depth_moves += 1;
        }
    }

    /// Adds up two efforts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            moves: self.moves.saturating_add(other.moves),
            time_us: self.time_us.saturating_add(other.time_us),
            longest_us: self.longest_us.max(other.longest_us),
            nodes: self.nodes.saturating_add(other.nodes),
            nodes_us: self.nodes_us.saturating_add(other.nodes_us),
            depths: self.depths.saturating_add(other.depths),
            depth_moves: self.depth_moves.saturating_add(other.depth_moves),
        }
    }

    /// The average depth, in plies.
    pub fn depth(&self) -> Option<f64> {
        (self.depth_moves > 0).then(|| self.depths as f64 / self.depth_moves as f64)
    }

    /// Positions visited in a second.
    pub fn nps(&self) -> Option<f64> {
        (self.nodes_us > 0).then(|| self.nodes as f64 * 1e6 / self.nodes_us as f64)
    }

    /// The average time for a move, in milliseconds.
    pub fn move_ms(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.time_us as f64 / 1000.0 / self.moves as f64)
    }
}

/// A game that was played.
#[derive(Clone, Debug)]
pub(super) struct PlayedGame {
    pub(super) record: GameRecord,
    pub(super) outcome: Outcome,
    pub(super) ending: Ending,
    /// Plies played after the opening.
    pub(super) plies: u32,
    /// What black and white did.
    pub(super) efforts: [Effort; 2],
    /// What the engine at fault wrote last to its standard error.
    pub(super) errors: Vec<String>,
}

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrangement<'a> {
    pub(super) terms: Terms<'a>,
    pub(super) max_plies: u32,
    pub(super) adjudication: Adjudication,
}

/// A position as it is told to an engine.
struct Course {
    anchor: Position,
    jumps: Vec<Move>,
    position: Position,
}

impl Course {
    const fn new(position: Position) -> Self {
        Self { anchor: position, jumps: Vec::new(), position }
    }

    fn play(&mut self, mv: Move) {
        self.position = self.position.play(mv);
        self.jumps.push(mv);
        // What lies before a clone cannot come again, and a pass not every engine can read.
        if mv.from().is_none() || self.jumps.len() > MOST_JUMPS {
            self.anchor = self.position;
            self.jumps.clear();
        }
    }
}

/// Plays a game from an opening, black's engine first in all pairs; `seed` decides what is left to
/// chance. An engine that has done something wrong does not run any more afterwards.
///
/// # Errors
///
/// Anything but [`Halt::Fault`], when the game cannot be finished.
pub(super) fn play(
    opening: &Opening,
    specs: [&EngineSpec; 2],
    mut players: [&mut Player; 2],
    arrangement: &Arrangement<'_>,
    seed: u64,
) -> Result<PlayedGame, Halt> {
    let terms = &arrangement.terms;
    let rules = terms.rules;
    let mut record = GameRecord::new(*opening.start(), rules);
    let mut course = Course::new(*opening.start());
    for &mv in opening.moves() {
        // The book has checked it.
        record.push(mv, Comment::default().with_text("book")).map_err(unrecordable)?;
        course.play(mv);
    }
    let mut efforts = [Effort::default(); 2];
    let mut clocks = clocks(specs.map(|spec| &spec.limit));
    let mut adjudicator = Adjudicator::new(arrangement.adjudication, rules);
    let mut plies = 0;
    let mut errors = Vec::new();
    let mut convict = |players: &mut [&mut Player; 2], by: Color, halt: Halt| match halt {
        Halt::Fault(fault) => {
            let player = &mut players[by.index()];
            errors = player.engine().map(|engine| engine.last_words(&fault)).unwrap_or_default();
            player.kill();
            Ok((Outcome::Win(!by), Ending::fault(by, &fault)))
        }
        halt => Err(halt),
    };
    let ready = [Color::Black, Color::White].into_iter().find_map(|side| {
        let (player, spec) = (&mut players[side.index()], specs[side.index()]);
        // Two of one kind must not do the same.
        let seed = seed.wrapping_mul(2).wrapping_add(side.index() as u64);
        player.new_game(spec, terms, seed).err().map(|halt| (side, halt))
    });
    let (outcome, ending) = if let Some((side, halt)) = ready {
        convict(&mut players, side, halt)?
    } else {
        loop {
            let position = course.position;
            if let Some(outcome) = position.outcome(rules) {
                let board = position.board_outcome(rules).is_some();
                break (outcome, if board { Ending::Board } else { Ending::HalfmoveLimit });
            }
            if plies >= arrangement.max_plies {
                break (Outcome::Draw, Ending::MaxPlies);
            }
            let side = position.side_to_move();
            let (mv, answer) = if position.can_move(side) {
                let turn = Turn {
                    anchor: &course.anchor,
                    jumps: &course.jumps,
                    position: &position,
                    limit: &specs[side.index()].limit,
                    clocks: &clocks,
                };
                let answer = players[side.index()].choose(&turn, terms);
                let judge = |answer: Answer| match position.parse_move(&answer.text, rules) {
                    Ok(mv) => Ok((mv, Some(answer))),
                    Err(error) => {
                        let (text, reason) = (answer.text, error.to_string());
                        Err(Fault::IllegalMove { text, reason }.into())
                    }
                };
                match answer.and_then(judge) {
                    Ok(judged) => judged,
                    Err(halt) => break convict(&mut players, side, halt)?,
                }
            } else {
                // There is nothing to ask.
                (Move::PASS, None)
            };
            if let Some(answer) = &answer {
                efforts[side.index()].add_move(answer);
                if let Some(clock) = &mut clocks[side.index()] {
                    clock.punch(answer.time);
                }
            }
            let said = answer.as_ref().map(comment).unwrap_or_default();
            record.push(mv, said).map_err(unrecordable)?;
            course.play(mv);
            plies += 1;
            let statement = match &answer {
                Some(answer) => Statement::Said(answer.info.score),
                None => Statement::NotAsked,
            };
            if course.position.outcome(rules).is_none()
                && let Some((outcome, ruling)) =
                    adjudicator.after_ply(side, statement, &course.position)
            {
                break (outcome, Ending::Adjudicated { ruling });
            }
        }
    };
    record.result = GameResult::from(outcome);
    Ok(PlayedGame { record, outcome, ending, plies, efforts, errors })
}

/// What was judged to be legal is, so this does not come up.
fn unrecordable(error: IllegalMove) -> Halt {
    Halt::Unable(format!("a move that was taken for legal is not: {error}"))
}

fn comment(answer: &Answer) -> Comment {
    let mut comment = Comment::default().with_time(answer.time);
    if let Some(score) = answer.info.score {
        comment = comment.with_score(match score {
            Score::Cp(cp) => RecordedScore::Cp(cp),
            Score::Win(moves) => RecordedScore::Win(moves),
            Score::Loss(moves) => RecordedScore::Loss(moves),
        });
    }
    if let Some(depth) = answer.info.depth {
        comment = comment.with_depth(depth);
    }
    comment
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;

    #[test]
    fn only_jumps_are_repeated_to_an_engine() {
        let mut course = Course::new(Position::default());
        for text in ["f1", "a1c1", "g1e1"] {
            course.play(course.position.parse_move(text, Rules::Ataxx).unwrap());
        }
        assert_eq!(course.anchor.to_string(), "x5o/7/7/7/7/7/o4xx o 0 1");
        assert_eq!(course.jumps.len(), 2);
        for _ in 0..200 {
            // Under these rules jumps may go on for ever.
            let moves = course.position.legal_moves(Rules::Assimilation);
            let mv = moves.into_iter().find(|mv| mv.from().is_some());
            course.play(mv.unwrap());
        }
        assert!(course.jumps.len() <= MOST_JUMPS);
        let mut position = course.anchor;
        for &mv in &course.jumps {
            position = position.play(mv);
        }
        assert_eq!(position, course.position);
    }
}
