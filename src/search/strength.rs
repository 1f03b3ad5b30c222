//! Play that people can hold their own against.

use super::Score;
use crate::random::Random;

/// How strong an engine plays that is not to do its best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    level: u8,
    /// What its choices depend on.
    seed: u64,
}

/// How a level chooses its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Scores all moves by a search of this depth, and plays one with a chance that grows by a factor
    /// of 2.718 for each `temperature` cp of its score.
    Careless {
        /// In plies.
        depth: u32,
        /// In cp.
        temperature: i32,
    },
    /// Plays the best move, but looks no further than so many positions.
    Shortsighted {
        /// All of a move's.
        nodes: u64,
    },
}

const fn careless(depth: u32, temperature: i32) -> Manner {
    Manner::Careless { depth, temperature }
}

const fn shortsighted(nodes: u64) -> Manner {
    Manner::Shortsighted { nodes }
}

/// Each level's Elo, as measured, and how it plays.
const LEVELS: [(i32, Manner); Strength::LEVELS] = [
    (288, careless(1, 1600)),
    (479, careless(1, 800)),
    (647, careless(1, 450)),
    (766, careless(1, 280)),
    (934, careless(1, 170)),
    (1111, careless(1, 110)),
    (1302, careless(1, 70)),
    (1527, careless(1, 40)),
    (1760, careless(2, 60)),
    (1940, careless(2, 40)),
    (2093, shortsighted(150)),
    (2238, shortsighted(250)),
    (2406, shortsighted(450)),
    (2590, shortsighted(800)),
    (2820, shortsighted(1_500)),
    (3089, shortsighted(3_000)),
    (3285, shortsighted(6_000)),
    (3529, shortsighted(12_000)),
    (3857, shortsighted(25_000)),
    (4048, shortsighted(50_000)),
];

/// What a proven result counts when moves are chosen by chance, in cp.
const PROVEN_WORTH: i32 = 3000;

impl Strength {
    /// How many levels there are.
    pub const LEVELS: usize = 20;
    /// The Elo of the weakest level, where a player who moves at random has 0.
    pub const MIN_ELO: i32 = LEVELS[0].0;
    /// The Elo of the strongest level.
    pub const MAX_ELO: i32 = LEVELS[Self::LEVELS - 1].0;

    /// A level from 0, the weakest; `None` where there is none, as there is no limit from
    /// [`LEVELS`](Self::LEVELS) on. Levels that play carelessly choose by chance: the same `seed`,
    /// the same choice.
    pub const fn of_level(level: usize, seed: u64) -> Option<Self> {
        if level < Self::LEVELS { Some(Self { level: level as u8, seed }) } else { None }
    }

    /// The level that is nearest to an Elo.
    pub fn of_elo(elo: i32, seed: u64) -> Self {
        let distance = |&(_, (level_elo, _)): &(u8, (i32, Manner))| (elo - level_elo).abs();
        let level = (0..).zip(LEVELS).min_by_key(distance).map_or(0, |(level, _)| level);
        Self { level, seed }
    }

    /// The level.
    pub const fn level(self) -> usize {
        self.level as usize
    }

    /// The Elo that was measured for the level.
    pub const fn elo(self) -> i32 {
        LEVELS[self.level()].0
    }

    pub(super) const fn manner(self) -> Manner {
        LEVELS[self.level()].1
    }

    /// Chooses one of some moves by their scores; `None` if there are none.
    pub(super) fn choose(self, temperature: i32, scores: &[Score]) -> Option<usize> {
        let worth = |&score: &Score| match score {
            Score::Win(_) => PROVEN_WORTH,
            Score::Loss(_) => -PROVEN_WORTH,
            Score::Cp(cp) => cp.clamp(-PROVEN_WORTH, PROVEN_WORTH),
        };
        let best = scores.iter().map(worth).max()?;
        let weight = |score| libm::exp(f64::from(worth(score) - best) / f64::from(temperature));
        let total: f64 = scores.iter().map(weight).sum();
        let mut left = Random::new(self.seed).unit() * total;
        let chosen = scores.iter().position(|score| {
            left -= weight(score);
            left < 0.0
        });
        // Rounding may leave a trace of the total.
        Some(chosen.unwrap_or(scores.len() - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_nearest_to_an_elo_is_taken() {
        for level in 0..Strength::LEVELS {
            let strength = Strength::of_level(level, 1).unwrap();
            assert_eq!(strength.level(), level);
            assert_eq!(Strength::of_elo(strength.elo(), 1), strength);
            assert_eq!(Strength::of_elo(strength.elo() + 3, 1), strength);
        }
        assert_eq!(Strength::of_level(Strength::LEVELS, 1), None);
        assert_eq!(Strength::of_elo(i32::MIN / 2, 1).level(), 0);
        assert_eq!(Strength::of_elo(i32::MAX / 2, 1).level(), Strength::LEVELS - 1);
    }

    #[test]
    fn levels_are_in_order() {
        assert!(LEVELS.is_sorted_by(|(a, _), (b, _)| a < b));
    }

    #[test]
    fn better_moves_are_chosen_more_often() {
        let scores = [Score::Cp(-100), Score::Win(3), Score::Cp(2900), Score::Loss(1)];
        let mut counts = [0; 4];
        for seed in 0..10_000 {
            let strength = Strength::of_level(0, seed).unwrap();
            counts[strength.choose(100, &scores).unwrap()] += 1;
        }
        // 1 : 2.718, the others never.
        assert_eq!([counts[0], counts[3]], [0, 0]);
        assert!((7200..7420).contains(&counts[1]), "{counts:?}");
        let strength = Strength::of_level(0, 1).unwrap();
        assert_eq!(strength.choose(100, &[]), None);
        assert_eq!(strength.choose(100, &[Score::Loss(1)]), Some(0));
    }
}
