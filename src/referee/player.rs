//! Whoever plays a game: a program, or one of our own.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::limit::{Clock, Limit};
use super::process::Halt;
use super::spec::{Builtin, EngineSpec, Launch};
use super::uai::UaiEngine;
use crate::game::{Move, Position, Rules};
use crate::protocol::Info;
use crate::random::Random;

/// What players have to know of a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms<'a> {
    pub(super) rules: Rules,
    /// How much more than its time an engine may take.
    pub(super) time_margin: Duration,
    /// How long an engine may take to start, and to say that it is ready.
    pub(super) start_timeout: Duration,
    /// How long an engine may take for a move when its limits say nothing of time.
    pub(super) move_timeout: Duration,
    /// Becomes true when the match is to end now.
    pub(super) stop: &'a AtomicBool,
}

/// What a player is asked.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    /// A position since which there were only jumps.
    pub(super) anchor: &'a Position,
    /// The jumps since then.
    pub(super) jumps: &'a [Move],
    /// The position now.
    pub(super) position: &'a Position,
    pub(super) limit: &'a Limit,
    /// Both sides' clocks, black's first.
    pub(super) clocks: &'a [Option<Clock>; 2],
}

impl Turn<'_> {
    pub(super) fn clock(&self) -> Option<&Clock> {
        self.clocks[self.position.side_to_move().index()].as_ref()
    }
}

/// What a player answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The move's text.
    pub(super) text: String,
    /// What it took.
    pub(super) time: Duration,
    /// What was told last about the best line.
    pub(super) info: Info,
}

/// A player, who may have to be started.
#[derive(Debug)]
pub(super) enum Player {
    /// A program; `None` while it does not run.
    Program(Option<Box<UaiEngine>>),
    /// One of ours, with its dice.
    Builtin(Builtin, Random),
}

impl Player {
    pub(super) fn new(spec: &EngineSpec) -> Self {
        match &spec.launch {
            Launch::Program(_) => Self::Program(None),
            Launch::Builtin(builtin) => Self::Builtin(*builtin, Random::new(0)),
        }
    }

    /// Starts the program, if it does not run.
    pub(super) fn start(&mut self, spec: &EngineSpec, terms: &Terms<'_>) -> Result<(), Halt> {
        if let (Self::Program(engine @ None), Launch::Program(program)) = (self, &spec.launch) {
            *engine = Some(Box::new(UaiEngine::start(program, &spec.options, terms)?));
        }
        Ok(())
    }

    /// A new game begins; `seed` decides what is left to chance.
    pub(super) fn new_game(
        &mut self,
        spec: &EngineSpec,
        terms: &Terms<'_>,
        seed: u64,
    ) -> Result<(), Halt> {
        if spec.restart {
            self.quit();
        }
        self.start(spec, terms)?;
        match self {
            Self::Program(Some(engine)) => engine.new_game(terms),
            Self::Program(None) => Ok(()),
            Self::Builtin(_, dice) => {
                *dice = Random::new(seed);
                Ok(())
            }
        }
    }

    /// Chooses a move.
    pub(super) fn choose(&mut self, turn: &Turn<'_>, terms: &Terms<'_>) -> Result<Answer, Halt> {
        match self {
            Self::Program(Some(engine)) => engine.choose(turn, terms),
            // `new_game` has started it.
            Self::Program(None) => Err(Halt::Unable("an engine does not run".to_owned())),
            Self::Builtin(builtin, dice) => {
                let start = Instant::now();
                let mv = builtin_move(*builtin, turn.position, terms.rules, dice);
                let text = mv.to_string();
                Ok(Answer { text, time: start.elapsed(), info: Info::default() })
            }
        }
    }

    /// The engine, if it is a program that runs.
    pub(super) fn engine(&self) -> Option<&UaiEngine> {
        match self {
            Self::Program(engine) => engine.as_deref(),
            Self::Builtin(..) => None,
        }
    }

    /// Kills the program; it is started anew when it is needed again.
    pub(super) fn kill(&mut self) {
        if let Self::Program(engine) = self {
            *engine = None;
        }
    }

    /// Asks the program to end.
    pub(super) fn quit(&mut self) {
        if let Self::Program(engine) = self
            && let Some(engine) = engine.take()
        {
            engine.quit();
        }
    }
}

fn builtin_move(builtin: Builtin, position: &Position, rules: Rules, dice: &mut Random) -> Move {
    let mut moves = position.legal_moves(rules);
    if builtin == Builtin::Greedy {
        let gain = |mv: &Move| {
            mv.to().map_or(0, |to| position.captures(to).len() + u32::from(mv.from().is_none()))
        };
        let most = moves.iter().map(gain).max();
        moves.retain(|mv| Some(gain(mv)) == most);
    }
    if moves.is_empty() { Move::PASS } else { moves[dice.below(moves.len())] }
}

/// Both sides' clocks at the beginning of a game.
pub(super) fn clocks(limits: [&Limit; 2]) -> [Option<Clock>; 2] {
    limits.map(|limit| limit.clock.map(Clock::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greed_takes_what_it_can() {
        // The clone to d4 turns five stones, the jump to it as many, but adds none.
        let position: Position = "7/7/2ooo2/2o1o2/2x4/7/7 x 0 1".parse().unwrap();
        for seed in 0..20 {
            let mv = builtin_move(Builtin::Greedy, &position, Rules::Ataxx, &mut Random::new(seed));
            assert_eq!(mv.to_string(), "d4");
        }
    }

    #[test]
    fn chance_reaches_every_move_and_is_the_same_again() {
        let position = Position::default();
        let play =
            |seed| builtin_move(Builtin::Random, &position, Rules::Ataxx, &mut Random::new(seed));
        let played: std::collections::HashSet<Move> = (0..1000).map(play).collect();
        assert_eq!(played.len(), position.legal_moves(Rules::Ataxx).len());
        assert!((0..100).all(|seed| play(seed) == play(seed)));
    }

    #[test]
    fn who_cannot_move_passes() {
        let shut_in: Position = "7/7/7/7/4ooo/4ooo/4oox x 0 30".parse().unwrap();
        for builtin in Builtin::ALL {
            assert_eq!(
                builtin_move(builtin, &shut_in, Rules::Ataxx, &mut Random::new(1)),
                Move::PASS
            );
        }
    }
}
