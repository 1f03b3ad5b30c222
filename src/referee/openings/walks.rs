//! Positions from random games.

use std::collections::HashSet;

use super::generator::{MAX_LISTED, Recipe};
use super::listing::{ClassKey, class_key};
use crate::game::{Position, Rules};
use crate::random::Random;

/// After this many games in a row without anything new, there is not much left.
const MAX_MISSES: usize = 100_000;

/// The positions of random games that a recipe allows, one of each class, without end if there are
/// enough.
pub(super) struct Walks<'a> {
    starts: &'a [Position],
    plies: u32,
    rules: Rules,
    random: Random,
    seen: HashSet<ClassKey>,
}

impl<'a> Walks<'a> {
    /// Games from the starts of a recipe.
    pub(super) fn new(recipe: &'a Recipe, random: Random) -> Self {
        let Recipe { starts, plies, rules, .. } = recipe;
        Self { starts, plies: *plies, rules: *rules, random, seen: HashSet::new() }
    }

    /// Plays one game; `None` if it ends too soon.
    fn walk(&mut self) -> Option<Position> {
        let mut position = *pick(self.starts, &mut self.random)?;
        for _ in 0..self.plies {
            let moves = position.legal_moves(self.rules);
            position = position.play(*pick(&moves, &mut self.random)?);
        }
        position.outcome(self.rules).is_none().then_some(position)
    }
}

impl Iterator for Walks<'_> {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        if self.seen.len() >= MAX_LISTED {
            return None;
        }
        (0..MAX_MISSES).find_map(|_| {
            let position = self.walk()?;
            self.seen.insert(class_key(&position)).then_some(position)
        })
    }
}

/// One of several things, all equally likely.
fn pick<'a, T>(things: &'a [T], random: &mut Random) -> Option<&'a T> {
    if things.is_empty() { None } else { things.get(random.below(things.len())) }
}

#[cfg(test)]
mod tests {
    use super::super::listing::list;
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn walks_find_what_there_is_and_then_end() {
        let recipe = Recipe {
            starts: vec![Position::default(), "x5o/7/7/3-3/7/7/o5x x 0 1".parse().unwrap()],
            plies: 2,
            rules: Rules::Ataxx,
            sample: None,
            balance: None,
            threads: 1,
        };
        let all = list(&recipe, 100_000, &AtomicBool::new(false)).unwrap().unwrap();
        let all: HashSet<ClassKey> = all.iter().map(class_key).collect();
        let walked: Vec<ClassKey> =
            Walks::new(&recipe, Random::new(3)).map(|position| class_key(&position)).collect();
        assert_eq!(walked.len(), all.len());
        assert_eq!(walked.into_iter().collect::<HashSet<_>>(), all);
    }
}
