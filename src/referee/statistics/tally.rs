//! Counts of games: each by itself, in pairs, and by who moved first.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, AddAssign};

use crate::game::{Color, Outcome};

/// How a game ended for an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineResult {
    /// It lost.
    Loss = 0,
    /// Nobody won.
    Draw = 1,
    /// It won.
    Win = 2,
}

impl EngineResult {
    /// Twice the points: 0, 1 or 2.
    pub const fn half_points(self) -> u64 {
        self as u64
    }

    /// How the game ended for the other engine.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// Whether an engine made the first move of a game, or the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// It moved first.
    First,
    /// Its opponent moved first.
    Second,
}

impl Seat {
    /// The seat of the other engine.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// A finished game from an engine's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Played {
    /// How it ended for the engine.
    pub result: EngineResult,
    /// Where the engine sat.
    pub seat: Seat,
}

impl Played {
    /// A game in which the engine played `engine`, and `first` moved first.
    ///
    /// ```
    /// use physarum::game::{Color, Outcome};
    /// use physarum::referee::{EngineResult, Played, Seat};
    ///
    /// let game = Played::new(Outcome::Win(Color::Black), Color::White, Color::Black);
    /// assert_eq!(game, Played { result: EngineResult::Loss, seat: Seat::Second });
    /// ```
    pub fn new(outcome: Outcome, engine: Color, first: Color) -> Self {
        let result = match outcome {
            Outcome::Win(winner) if winner == engine => EngineResult::Win,
            Outcome::Win(_) => EngineResult::Loss,
            Outcome::Draw => EngineResult::Draw,
        };
        Self { result, seat: if engine == first { Seat::First } else { Seat::Second } }
    }

    /// The game from the other engine's point of view.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { result: self.result.reversed(), seat: self.seat.reversed() }
    }
}

/// How many games an engine has won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Games {
    /// Games it won.
    pub wins: u64,
    /// Games nobody won.
    pub draws: u64,
    /// Games it lost.
    pub losses: u64,
}

impl Games {
    /// All games.
    pub const fn total(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Twice the points: 2 for a win, 1 for a draw.
    pub const fn half_points(self) -> u64 {
        2 * self.wins + self.draws
    }

    /// Losses, draws and wins: the games with 0, 1 and 2 half points.
    pub(super) const fn counts(self) -> [u64; 3] {
        [self.losses, self.draws, self.wins]
    }

    fn add_result(&mut self, result: EngineResult) {
        match result {
            EngineResult::Loss => self.losses += 1,
            EngineResult::Draw => self.draws += 1,
            EngineResult::Win => self.wins += 1,
        }
    }

    const fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl Add for Games {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl fmt::Display for Games {
    /// Wins, draws and losses: `+12 =3 -5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}

/// How many pairs of games ended with how many points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pairs([u64; 5]);

impl Pairs {
    /// The pairs with 0, ½, 1, 1½ and 2 points, in this order.
    pub const fn counts(self) -> [u64; 5] {
        self.0
    }

    /// All pairs.
    pub fn total(self) -> u64 {
        self.0.iter().sum()
    }

    fn reversed(self) -> Self {
        let mut counts = self.0;
        counts.reverse();
        Self(counts)
    }
}

impl Add for Pairs {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|points| self.0[points] + other.0[points]))
    }
}

impl fmt::Display for Pairs {
    /// The counts from 0 to 2 points: `[1, 5, 20, 6, 2]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// What moving first is worth: games by the seat of their winner, whichever engine sat there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Movers {
    /// Games won by who moved first.
    pub first_wins: u64,
    /// Games won by who moved second.
    pub second_wins: u64,
    /// Games nobody won.
    pub draws: u64,
}

impl Movers {
    /// All games.
    pub const fn total(self) -> u64 {
        self.first_wins + self.second_wins + self.draws
    }

    /// The per cents of first movers' wins, second movers' wins and draws, or `None` without a
    /// game.
    pub fn percentages(self) -> Option<[f64; 3]> {
        let total = self.total();
        (total > 0).then(|| {
            [self.first_wins, self.second_wins, self.draws]
                .map(|count| 100.0 * count as f64 / total as f64)
        })
    }

    fn add_game(&mut self, game: Played) {
        match (game.result, game.seat) {
            (EngineResult::Draw, _) => self.draws += 1,
            (EngineResult::Win, Seat::First) | (EngineResult::Loss, Seat::Second) => {
                self.first_wins += 1;
            }
            (EngineResult::Win, Seat::Second) | (EngineResult::Loss, Seat::First) => {
                self.second_wins += 1;
            }
        }
    }
}

impl Add for Movers {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            first_wins: self.first_wins + other.first_wins,
            second_wins: self.second_wins + other.second_wins,
            draws: self.draws + other.draws,
        }
    }
}

impl fmt::Display for Movers {
    /// `first mover won 6930 (51.37 %), second mover won 6492 (48.12 %), drawn 68 (0.50 %)`;
    /// without a game there are no per cents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [self.first_wins, self.second_wins, self.draws];
        for (index, what) in ["first mover won", ", second mover won", ", drawn"].iter().enumerate()
        {
            write!(f, "{what} {}", counts[index])?;
            if let Some(shares) = self.percentages() {
                write!(f, " ({:.2} %)", shares[index])?;
            }
        }
        Ok(())
    }
}

/// The games between two engines, counted, as the first of them sees them.
///
/// Tallies can be added up, for a gauntlet's total for instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    singles: Games,
    halves: Games,
    paired: Games,
    pairs: Pairs,
    movers: Movers,
}

impl Tally {
    /// Counts a game that has no partner and will have none.
    pub fn add_single(&mut self, game: Played) {
        self.singles.add_result(game.result);
        self.movers.add_game(game);
    }

    /// Counts a game whose partner has not been played yet.
    pub fn add_half(&mut self, game: Played) {
        self.halves.add_result(game.result);
        self.movers.add_game(game);
    }

    /// Counts two games from one opening, with colours changed.
    pub fn add_pair(&mut self, games: [Played; 2]) {
        let mut half_points = 0;
        for game in games {
            half_points += game.result as usize;
            self.paired.add_result(game.result);
            self.movers.add_game(game);
        }
        self.pairs.0[half_points] += 1;
    }

    /// All games.
    pub fn games(&self) -> Games {
        self.unpaired() + self.paired
    }

    /// The games that have no partner and will have none.
    pub const fn singles(&self) -> Games {
        self.singles
    }

    /// The games whose partner has not been played yet.
    pub const fn halves(&self) -> Games {
        self.halves
    }

    /// The pairs of games.
    pub const fn pairs(&self) -> Pairs {
        self.pairs
    }

    /// How often the first and the second mover won.
    pub const fn movers(&self) -> Movers {
        self.movers
    }

    /// The same games from the other engine's point of view.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            singles: self.singles.reversed(),
            halves: self.halves.reversed(),
            paired: self.paired.reversed(),
            pairs: self.pairs.reversed(),
            movers: self.movers,
        }
    }

    /// The games that are not part of a pair, or not yet.
    pub(super) fn unpaired(&self) -> Games {
        self.singles + self.halves
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.singles = self.singles + other.singles;
        self.halves = self.halves + other.halves;
        self.paired = self.paired + other.paired;
        self.pairs = self.pairs + other.pairs;
        self.movers = self.movers + other.movers;
    }
}

/// Collects the games of a match as they end, and finds the pairs among them.
///
/// The order in which games are added makes no difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    complete: Tally,
    halves: BTreeMap<u64, Played>,
}

impl Record {
    /// Adds a game that has no partner.
    pub fn add_single(&mut self, game: Played) {
        self.complete.add_single(game);
    }

    /// Adds one of the two games of pair number `pair`.
    ///
    /// Each number takes two games; a third would begin another pair.
    pub fn add_to_pair(&mut self, pair: u64, game: Played) {
        match self.halves.remove(&pair) {
            Some(partner) => self.complete.add_pair([partner, game]),
            None => {
                self.halves.insert(pair, game);
            }
        }
    }

    /// All games added so far.
    pub fn tally(&self) -> Tally {
        let mut tally = self.complete;
        self.halves.values().for_each(|&game| tally.add_half(game));
        tally
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::examples;
    use super::*;

    #[test]
    fn every_count_is_kept() {
        let win = Played { result: EngineResult::Win, seat: Seat::First };
        let draw = Played { result: EngineResult::Draw, seat: Seat::Second };
        let loss = Played { result: EngineResult::Loss, seat: Seat::Second };
        let mut record = Record::default();
        record.add_single(win);
        record.add_to_pair(7, loss);
        record.add_to_pair(3, draw);
        record.add_to_pair(7, win);

        let tally = record.tally();
        assert_eq!(tally.games(), Games { wins: 2, draws: 1, losses: 1 });
        assert_eq!(tally.singles(), Games { wins: 1, ..Games::default() });
        assert_eq!(tally.halves(), Games { draws: 1, ..Games::default() });
        assert_eq!(tally.pairs().counts(), [0, 0, 1, 0, 0]);
        assert_eq!(tally.movers(), Movers { first_wins: 3, second_wins: 0, draws: 1 });
        assert_eq!(tally.games().to_string(), "+2 =1 -1");
        assert_eq!(tally.pairs().to_string(), "[0, 0, 1, 0, 0]");
    }

    #[test]
    fn pairs_are_counted_by_their_points() {
        let tally = examples::pairs([1, 2, 3, 4, 5]);
        assert_eq!(tally.pairs().counts(), [1, 2, 3, 4, 5]);
        assert_eq!(tally.pairs().total(), 15);
        assert_eq!(tally.games(), Games { wins: 14, draws: 12, losses: 4 });
        assert_eq!(tally.games().half_points(), 40);
    }

    #[test]
    fn outcomes_are_seen_from_both_sides() {
        for outcome in [Outcome::Win(Color::Black), Outcome::Win(Color::White), Outcome::Draw] {
            for first in Color::ALL {
                let game = Played::new(outcome, Color::Black, first);
                assert_eq!(game.reversed(), Played::new(outcome, Color::White, first));
            }
        }
    }

    #[test]
    fn the_table_of_movers_is_in_numbers_and_per_cent() {
        // The play-by-turn site's own figures.
        let site = Movers { first_wins: 6930, second_wins: 6492, draws: 68 };
        assert_eq!(
            site.to_string(),
            "first mover won 6930 (51.37 %), second mover won 6492 (48.12 %), drawn 68 (0.50 %)"
        );
        let none = Movers::default();
        assert_eq!(none.percentages(), None);
        assert_eq!(none.to_string(), "first mover won 0, second mover won 0, drawn 0");
    }

    fn any_game() -> impl Strategy<Value = Played> {
        let results = vec![EngineResult::Loss, EngineResult::Draw, EngineResult::Win];
        (proptest::sample::select(results), any::<bool>()).prop_map(|(result, first)| Played {
            result,
            seat: if first { Seat::First } else { Seat::Second },
        })
    }

    /// Games with the numbers of their pairs.
    type Numbered = Vec<(u64, Played)>;

    /// Pairs, the last of which may lack its second game, in order and shuffled.
    fn any_match() -> impl Strategy<Value = (Numbered, Numbered)> {
        proptest::collection::vec(any_game(), 0..40).prop_flat_map(|games| {
            let numbered: Numbered = (0..).map(|index| index / 2).zip(games).collect();
            (Just(numbered.clone()), Just(numbered).prop_shuffle())
        })
    }

    fn record_of(games: &[(u64, Played)]) -> Record {
        let mut record = Record::default();
        games.iter().for_each(|&(pair, game)| record.add_to_pair(pair, game));
        record
    }

    proptest! {
        #[test]
        fn order_makes_no_difference((games, shuffled) in any_match()) {
            prop_assert_eq!(record_of(&games).tally(), record_of(&shuffled).tally());
        }

        #[test]
        fn both_engines_see_the_same_games((games, _) in any_match()) {
            let tally = record_of(&games).tally();
            let others: Numbered = games.iter().map(|&(pair, game)| (pair, game.reversed())).collect();
            prop_assert_eq!(record_of(&others).tally(), tally.reversed());
            prop_assert_eq!(tally.movers().total(), tally.games().total());
            prop_assert_eq!(
                2 * tally.pairs().total() + tally.unpaired().total(),
                tally.games().total()
            );

            let mut sum = tally;
            sum += tally.reversed();
            prop_assert_eq!(sum, sum.reversed());
            prop_assert_eq!(sum.games().total(), 2 * tally.games().total());
        }
    }
}
