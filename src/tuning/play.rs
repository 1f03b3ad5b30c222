//! Two games between two sets of constants.

use std::time::Instant;

use super::halt::Halt;
use super::{TuneLimit, TuneRecord};
use crate::eval::Evaluation;
use crate::game::{Color, Game, Move, Outcome, Position, Rules};
use crate::random::Random;
use crate::referee::{Adjudication, Adjudicator, Clock, Held, Statement};
use crate::search::{self, Limits, Parameters, Request, Score, Settings, Table, search};
use crate::training::{random_opening, search_nodes};

/// What is played: constants are tuned for matches, which all referees hold by these rules.
pub(super) const RULES: Rules = Rules::Ataxx;

/// The fewest and the most plies of a random opening.
const OPENING_PLIES: [u32; 2] = [4, 12];
/// Positions that a search visits to see whether an opening is balanced.
const OPENING_NODES: u64 = 1000;
/// An opening that is this far from balanced, in cp, is replaced by another …
const MAX_OPENING_SCORE: i32 = 600;
/// … so many times.
const OPENING_TRIES: usize = 100;

/// A game of this many plies, without those of the opening, is a draw.
const MAX_PLIES: u32 = 400;
/// A game ends when both sides have for three moves in a row said that the same one is this far
/// ahead, in cp …
const DECIDED: Held = Held { least: 2500, moves: 3 };
/// … and at once when both say that the same one wins by force.
const PROVEN: Held = Held { least: u32::MAX, moves: 1 };

/// What a thread needs to play.
pub(super) struct Players<'a> {
    pub(super) evaluation: &'a Evaluation,
    pub(super) limit: TuneLimit,
    pub(super) halt: &'a Halt,
    /// The thread's number.
    pub(super) thread: usize,
    /// The players' own tables: what is in them hangs on the constants.
    pub(super) tables: [Table; 2],
}

impl Players<'_> {
    /// A random opening that a short search finds balanced; the start of a game if there is none.
    /// `None` when the searches were halted.
    pub(super) fn opening(&mut self, random: &mut Random) -> Option<Position> {
        let table = &mut self.tables[0];
        for _ in 0..OPENING_TRIES {
            let Some(game) = random_opening(random, false, RULES, OPENING_PLIES) else { continue };
            table.clear();
            let control = self.halt.control(self.thread);
            let result =
                search_nodes(&game, RULES, OPENING_NODES, self.evaluation, table, &control);
            if self.halt.is_halted() {
                return None;
            }
            if matches!(result.score, Score::Cp(cp) if cp.abs() < MAX_OPENING_SCORE) {
                return Some(*game.position());
            }
        }
        Some(Position::default())
    }

    /// Plays two games from an opening, with colours changed; they count for the first player.
    /// `None` when the searches were halted.
    pub(super) fn pair(
        &mut self,
        opening: Position,
        parameters: &[Parameters; 2],
    ) -> Option<TuneRecord> {
        let mut record = TuneRecord::default();
        for first in Color::ALL {
            let ending = self.game(opening, parameters, first)?;
            record.losses_on_time += u64::from(ending.on_time);
            *match ending.outcome {
                Outcome::Draw => &mut record.draws,
                Outcome::Win(winner) if winner == first => &mut record.wins,
                Outcome::Win(_) => &mut record.losses,
            } += 1;
        }
        Some(record)
    }

    /// Plays a game in which the first player has some colour.
    fn game(
        &mut self,
        opening: Position,
        parameters: &[Parameters; 2],
        first: Color,
    ) -> Option<Ending> {
        self.tables.iter_mut().for_each(Table::clear);
        let mut clocks = match self.limit {
            TuneLimit::Clock(control) => Some([Clock::new(control); 2]),
            TuneLimit::Nodes(_) => None,
        };
        let mut adjudicators = [DECIDED, PROVEN].map(|held| {
            Adjudicator::new(Adjudication { score: Some(held), ..Adjudication::default() }, RULES)
        });
        let mut game = Game::new(opening);
        for _ in 0..MAX_PLIES {
            let position = *game.position();
            if let Some(outcome) = position.outcome(RULES) {
                return Some(Ending { outcome, on_time: false });
            }
            let times_before =
                game.earlier_hashes().iter().filter(|&&hash| hash == position.hash()).count();
            if times_before >= 2 {
                break;
            }
            let side = position.side_to_move();
            if !position.can_move(side) {
                game.play(Move::PASS);
                continue;
            }
            let player = usize::from(side != first);
            let limits = match (self.limit, &clocks) {
                (TuneLimit::Nodes(nodes), _) => Limits { nodes: Some(nodes), ..Limits::default() },
                (_, clocks) => Limits {
                    clock: clocks.as_ref().map(|clocks| search_clock(&clocks[player])),
                    ..Limits::default()
                },
            };
            let start = Instant::now();
            let result = search(
                &Request {
                    game: &game,
                    limits: &limits,
                    settings: &Settings {
                        rules: RULES,
                        parameters: parameters[player],
                        ..Settings::default()
                    },
                    evaluation: self.evaluation,
                },
                &self.tables[player],
                &self.halt.control(self.thread),
                &mut |_| {},
            );
            if self.halt.is_halted() {
                return None;
            }
            if let Some(clocks) = &mut clocks {
                let taken = start.elapsed();
                if taken > clocks[player].left() {
                    return Some(Ending { outcome: Outcome::Win(!side), on_time: true });
                }
                clocks[player].punch(taken);
            }
            // A game that is not over has a best move.
            game.play(result.best?);
            let statement = Statement::Said(Some(result.score));
            for adjudicator in &mut adjudicators {
                if let Some((outcome, _)) = adjudicator.after_ply(side, statement, game.position())
                    && game.position().outcome(RULES).is_none()
                {
                    return Some(Ending { outcome, on_time: false });
                }
            }
        }
        let outcome = game.position().outcome(RULES).unwrap_or(Outcome::Draw);
        Some(Ending { outcome, on_time: false })
    }
}

/// A clock as the search is told of it.
fn search_clock(clock: &Clock) -> search::Clock {
    search::Clock {
        left: clock.left(),
        increment: clock.increment(),
        moves_to_go: clock.moves_to_go(),
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ending {
    outcome: Outcome,
    /// The loser has used up its time.
    on_time: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn players(halt: &Halt, limit: TuneLimit) -> Players<'_> {
        Players {
            evaluation: &Evaluation::Handcrafted,
            limit,
            halt,
            thread: 0,
            tables: [1, 1].map(|size| Table::new(size).unwrap()),
        }
    }

    #[test]
    fn equal_players_share_the_points() {
        let halt = Halt::new(1);
        let mut players = players(&halt, TuneLimit::Nodes(60));
        for index in 0..6 {
            let opening = players.opening(&mut Random::of_game(3, index)).unwrap();
            assert_eq!(opening.outcome(RULES), None);
            let record = players.pair(opening, &[Parameters::default(); 2]).unwrap();
            assert_eq!(record.games(), Some(2));
            assert_eq!(record.points(), 0.0, "{opening}");
        }
    }

    #[test]
    fn games_are_the_same_again() {
        let halt = Halt::new(1);
        let mut players = players(&halt, TuneLimit::Nodes(50));
        let mut other = Parameters::default();
        other.set("lmr_base", 120).unwrap();
        let mut play = |index| {
            let opening = players.opening(&mut Random::of_game(4, index)).unwrap();
            (opening, players.pair(opening, &[Parameters::default(), other]).unwrap())
        };
        let once: Vec<_> = (0..4).map(&mut play).collect();
        let again: Vec<_> = (0..4).map(&mut play).collect();
        assert_eq!(once, again);
    }

    #[test]
    fn the_outcome_goes_to_the_right_player() {
        // The side to move takes the last stone.
        let opening: Position = "xo5/7/7/7/7/7/7 x 0 1".parse().unwrap();
        let halt = Halt::new(1);
        let mut players = players(&halt, TuneLimit::Nodes(2000));
        let parameters = [Parameters::default(); 2];
        for first in Color::ALL {
            let ending = players.game(opening, &parameters, first).unwrap();
            assert_eq!(ending, Ending { outcome: Outcome::Win(Color::Black), on_time: false });
        }
    }

    #[test]
    fn the_player_with_the_better_constants_wins() {
        // Nothing is pruned or reduced, and the worst moves come first: far from all it could see.
        let mut slow = Parameters::default();
        for (name, value) in [
            ("rfp_depth", 0),
            ("null_depth", 100),
            ("lmp_depth", 0),
            ("futility_depth", 0),
            ("lmr_depth", 5),
            ("lmr_moves", 8),
            ("lmr_root_moves", 12),
            ("lmr_base", 0),
            ("lmr_divisor", 300),
            ("order_gain", 500),
            ("order_clone", 16000),
            ("order_killer", 32000),
            ("history_max", 4000),
        ] {
            slow.set(name, value).unwrap();
        }
        let halt = Halt::new(1);
        let mut players = players(&halt, TuneLimit::Nodes(2500));
        let mut points = |parameters: [Parameters; 2]| -> f64 {
            let mut pair = |index| {
                let opening = players.opening(&mut Random::of_game(6, index)).unwrap();
                players.pair(opening, &parameters).unwrap().points()
            };
            (0..5).map(&mut pair).sum()
        };
        let ahead = points([Parameters::default(), slow]);
        assert!(ahead > 0.0, "{ahead}");
        assert_eq!(points([slow, Parameters::default()]), -ahead);
    }

    #[test]
    fn who_oversteps_the_time_loses() {
        // No search can be this fast.
        let halt = Halt::new(1);
        let limit = TuneLimit::Clock("0+0.001".parse().unwrap());
        let mut players = players(&halt, limit);
        let ending = players.game(Position::default(), &[Parameters::default(); 2], Color::Black);
        assert_eq!(ending, Some(Ending { outcome: Outcome::Win(Color::White), on_time: true }));
    }

    #[test]
    fn a_halt_ends_the_games() {
        let halt = Halt::new(1);
        halt.halt();
        let mut players = players(&halt, TuneLimit::Nodes(1_000_000_000));
        assert_eq!(players.pair(Position::default(), &[Parameters::default(); 2]), None);
        assert_eq!(players.opening(&mut Random::new(1)), None);
    }
}
