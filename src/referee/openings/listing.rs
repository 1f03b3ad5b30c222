//! All positions that can be reached.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};

use super::generator::{GenerateError, Recipe};
use crate::game::{Color, Position, Symmetry};

/// What positions have in common that are the same but for symmetry and clocks.
pub(super) type ClassKey = [u64; 3];

/// The key of a position's class: the least of what its images have.
pub(super) fn class_key(position: &Position) -> ClassKey {
    // The boards leave room for the side.
    let side = (position.side_to_move() as u64) << 63;
    let key = |symmetry: Symmetry| {
        let [black, white] = Color::ALL.map(|color| symmetry.bitboard(position.stones(color)));
        [symmetry.bitboard(position.gaps()).bits(), side | black.bits(), white.bits()]
    };
    Symmetry::ALL[1..].iter().fold(key(Symmetry::Identity), |least, &other| least.min(key(other)))
}

/// Positions, one of each class, in the order in which they were found.
#[derive(Default)]
struct Classes {
    positions: Vec<Position>,
    indices: HashMap<ClassKey, u32>,
}

impl Classes {
    /// Takes a position in, unless there is one of its class already whose clocks are not later.
    fn insert(&mut self, position: Position) {
        let clocks = |position: &Position| (position.halfmove_clock(), position.fullmove_number());
        match self.indices.entry(class_key(&position)) {
            Entry::Vacant(entry) => {
                entry.insert(self.positions.len() as u32);
                self.positions.push(position);
            }
            Entry::Occupied(entry) => {
                let known = &mut self.positions[*entry.get() as usize];
                if clocks(&position) < clocks(known) {
                    *known = position;
                }
            }
        }
    }
}

/// All positions that a recipe allows, balanced or not, one of each class, in a fixed order; `None`
/// if there are more than `limit` at some ply on the way.
pub(super) fn list(
    recipe: &Recipe,
    limit: usize,
    stop: &AtomicBool,
) -> Result<Option<Vec<Position>>, GenerateError> {
    let mut layer = Classes::default();
    recipe.starts.iter().for_each(|&start| layer.insert(start));
    for _ in 0..recipe.plies {
        let mut next = Classes::default();
        for position in &layer.positions {
            for mv in position.legal_moves(recipe.rules) {
                next.insert(position.play(mv));
            }
            if next.positions.len() > limit {
                return Ok(None);
            }
            if stop.load(Ordering::Relaxed) {
                return Err(GenerateError::Interrupted);
            }
        }
        layer = next;
    }
    let mut positions = layer.positions;
    positions.retain(|position| position.outcome(recipe.rules).is_none());
    positions.sort_by_key(|position| {
        let [black, white] = Color::ALL.map(|color| position.stones(color).bits());
        (position.gaps().bits(), position.side_to_move(), black, white)
    });
    Ok(Some(positions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;

    fn listed(starts: &[&str], plies: u32, rules: Rules) -> Vec<Position> {
        let recipe = Recipe {
            starts: starts.iter().map(|fen| fen.parse().unwrap()).collect(),
            plies,
            rules,
            sample: None,
            balance: None,
            threads: 1,
        };
        list(&recipe, 100_000, &AtomicBool::new(false)).unwrap().unwrap()
    }

    #[test]
    fn images_have_one_key_and_others_another() {
        let position: Position = "x5o/7/2-4/7/7/1x5/o5x o 0 1".parse().unwrap();
        for symmetry in Symmetry::ALL {
            assert_eq!(class_key(&symmetry.position(&position)), class_key(&position));
        }
        for other in [
            "x5o/7/2-4/7/7/1x5/o5x x 0 1",
            "x5o/7/3-3/7/7/1x5/o5x o 0 1",
            "x5o/7/2-4/7/7/1o5/o5x o 0 1",
            "x5o/7/2-4/7/7/1x5/o6 o 0 1",
        ] {
            assert_ne!(class_key(&other.parse().unwrap()), class_key(&position), "{other}");
        }
    }

    #[test]
    fn the_earliest_clocks_are_kept() {
        // Clone f1 and jump g1e1, in either order: with the clone last, the clock is at 0.
        let wanted: Position = "x5o/7/7/7/7/o6/o3xx1 o 0 2".parse().unwrap();
        let found = listed(&["x5o/7/7/7/7/7/o5x x 0 1"], 3, Rules::Ataxx);
        let same = |position: &&Position| class_key(position) == class_key(&wanted);
        let same: Vec<&Position> = found.iter().filter(same).collect();
        assert_eq!(same.len(), 1);
        assert_eq!((same[0].halfmove_clock(), same[0].fullmove_number()), (0, 2));
        let twice =
            ["x5o/7/7/7/7/7/o5x x 5 9", "x5o/7/7/7/7/7/o5x x 4 30", "o5x/7/7/7/7/7/x5o x 6 1"];
        let start = listed(&twice, 0, Rules::Ataxx);
        assert_eq!(start.iter().map(Position::to_string).collect::<Vec<_>>(), [twice[1]]);
    }

    #[test]
    fn what_is_over_is_left_out() {
        // White fills the board, or jumps from one of five squares; black cannot move then.
        let fen = "xooooo1/ooooooo/ooooooo/ooooooo/ooooooo/ooooooo/ooooooo o 0 30";
        assert_eq!(listed(&[fen], 1, Rules::Assimilation).len(), 0);
        assert_eq!(listed(&[fen], 1, Rules::Ataxx).len(), 5);
    }

    #[test]
    fn a_limit_holds_and_a_stop_is_heard() {
        let recipe = Recipe {
            starts: vec![Position::default()],
            plies: 200,
            rules: Rules::Ataxx,
            sample: None,
            balance: None,
            threads: 1,
        };
        let found = list(&recipe, 1000, &AtomicBool::new(false));
        assert!(matches!(found, Ok(None)));
        let stopped = list(&recipe, 1000, &AtomicBool::new(true));
        assert!(matches!(stopped, Err(GenerateError::Interrupted)));
    }
}
