//! Who plays whom, when, and from which opening.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which engines meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tournament {
    /// Each meets each other.
    #[default]
    RoundRobin,
    /// The first meets each other.
    Gauntlet,
}

impl Tournament {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::RoundRobin, Self::Gauntlet];

    /// The name, as the command line has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "roundrobin",
            Self::Gauntlet => "gauntlet",
        }
    }
}

impl fmt::Display for Tournament {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// All games of a match in their order: in each round each pair of engines plays from one opening,
/// twice with colours changed, or once. The first games do not depend on how many rounds there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    engines: usize,
    tournament: Tournament,
    rounds: u64,
    swap: bool,
}

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number, from 0.
    pub game: u64,
    /// The round, from 0: games of one round begin from one opening.
    pub round: u64,
    /// Who plays black, by the number of the engine.
    pub black: usize,
    /// Who plays white.
    pub white: usize,
}

impl Fixture {
    /// The two engines, the one that stands first in the list first.
    pub fn pairing(&self) -> (usize, usize) {
        (self.black.min(self.white), self.black.max(self.white))
    }
}

impl Schedule {
    /// The games of `engines` engines, at least two of them. With `swap` each opening is played twice,
    /// with colours changed; otherwise colours change from round to round.
    pub const fn new(engines: usize, tournament: Tournament, rounds: u64, swap: bool) -> Self {
        Self { engines, tournament, rounds, swap }
    }

    /// The pairs of engines, the first of the list before the second.
    pub fn pairings(&self) -> Vec<(usize, usize)> {
        let firsts = match self.tournament {
            Tournament::RoundRobin => self.engines,
            Tournament::Gauntlet => self.engines.min(1),
        };
        (0..firsts).flat_map(|a| (a + 1..self.engines).map(move |b| (a, b))).collect()
    }

    const fn games_per_pairing(&self) -> u64 {
        if self.swap { 2 } else { 1 }
    }

    fn games_per_round(&self) -> u64 {
        let (n, per_pairing) = (self.engines as u64, self.games_per_pairing());
        match self.tournament {
            Tournament::RoundRobin => n * n.saturating_sub(1) / 2 * per_pairing,
            Tournament::Gauntlet => n.saturating_sub(1) * per_pairing,
        }
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.rounds.saturating_mul(self.games_per_round())
    }

    /// Whether each opening is played twice.
    pub const fn swaps(&self) -> bool {
        self.swap
    }

    /// A game, `None` if there are not so many.
    pub fn fixture(&self, game: u64) -> Option<Fixture> {
        if game >= self.games() {
            return None;
        }
        let (round, within) = (game / self.games_per_round(), game % self.games_per_round());
        let pairing = usize::try_from(within / self.games_per_pairing()).ok()?;
        let (a, b) = self.pairings().get(pairing).copied()?;
        let changed = if self.swap { within % 2 == 1 } else { round % 2 == 1 };
        let (black, white) = if changed { (b, a) } else { (a, b) };
        Some(Fixture { game, round, black, white })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn fixtures(schedule: Schedule) -> Vec<(u64, usize, usize)> {
        let all = (0..schedule.games()).map(|game| schedule.fixture(game).unwrap());
        all.map(|fixture| (fixture.round, fixture.black, fixture.white)).collect()
    }

    #[test]
    fn two_engines_change_colours_from_each_opening() {
        let schedule = Schedule::new(2, Tournament::RoundRobin, 2, true);
        assert_eq!(fixtures(schedule), [(0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 0)]);
        let schedule = Schedule::new(2, Tournament::RoundRobin, 3, false);
        assert_eq!(fixtures(schedule), [(0, 0, 1), (1, 1, 0), (2, 0, 1)]);
    }

    #[test]
    fn a_gauntlet_is_run_by_the_first() {
        let schedule = Schedule::new(3, Tournament::Gauntlet, 1, true);
        assert_eq!(fixtures(schedule), [(0, 0, 1), (0, 1, 0), (0, 0, 2), (0, 2, 0)]);
    }

    #[test]
    fn each_meets_each_equally_often() {
        let schedule = Schedule::new(5, Tournament::RoundRobin, 3, true);
        let games = fixtures(schedule);
        assert_eq!(games.len(), 3 * 20);
        assert_eq!(games.iter().collect::<HashSet<_>>().len(), games.len());
        for engine in 0..5 {
            assert_eq!(games.iter().filter(|(_, black, _)| *black == engine).count(), 12);
            assert_eq!(games.iter().filter(|(_, _, white)| *white == engine).count(), 12);
        }
        assert_eq!(schedule.fixture(60), None);
    }

    #[test]
    fn more_rounds_change_nothing_of_the_first() {
        let [short, long] =
            [2, 50].map(|rounds| Schedule::new(4, Tournament::RoundRobin, rounds, true));
        assert!((0..short.games()).all(|game| short.fixture(game) == long.fixture(game)));
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let schedule = Schedule::new(1000, Tournament::RoundRobin, u64::MAX, true);
        assert_eq!(schedule.games(), u64::MAX);
        assert!(schedule.fixture(u64::MAX - 1).is_some());
    }
}
