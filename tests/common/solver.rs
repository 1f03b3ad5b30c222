//! A solver for endings: it lists all positions that can come and works out, from the ends
//! backwards, which are won, lost or drawn, and in how many plies. It has no depth, no window, no
//! table of bounds and no repetition to get wrong, and shares nothing with the search.

use std::collections::HashMap;

use physarum::game::{Color, Outcome, Position, Rules};

/// The true result from the point of view of the side to move, with the plies to the end when the
/// winner hurries and the loser holds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Win(u32),
    Loss(u32),
    /// Drawn, or nobody can force an end.
    Draw,
}

/// What tells states apart: under `Ataxx` the halfmove clock does, too.
type Key = ([u64; 2], Color, u16);

/// All that can happen on a board with fixed gaps, from some positions on.
pub struct Solution {
    rules: Rules,
    truths: HashMap<Key, Truth>,
}

fn key(position: &Position, rules: Rules) -> Key {
    let clock = if rules == Rules::Ataxx { position.halfmove_clock() } else { 0 };
    let stones = Color::ALL.map(|color| position.stones(color).bits());
    (stones, position.side_to_move(), clock)
}

impl Solution {
    /// Solves all that can come from `roots`, which have the same gaps; `None` if that is more than
    /// `limit` states.
    pub fn new(roots: &[Position], rules: Rules, limit: usize) -> Option<Self> {
        let mut numbers = HashMap::new();
        let mut states: Vec<Position> = Vec::new();
        let mut parents: Vec<Vec<usize>> = Vec::new();
        let mut open_children = Vec::new();
        let mut number = |position: &Position, states: &mut Vec<Position>| {
            *numbers.entry(key(position, rules)).or_insert_with(|| {
                states.push(*position);
                states.len() - 1
            })
        };
        for root in roots {
            number(root, &mut states);
        }
        let mut next = 0;
        while let Some(&position) = states.get(next) {
            let moves = position.legal_moves(rules);
            open_children.push(moves.len());
            for mv in moves {
                let child = number(&position.play(mv), &mut states);
                parents.resize_with(states.len(), Vec::new);
                parents[child].push(next);
            }
            next += 1;
            if states.len() > limit {
                return None;
            }
        }
        parents.resize_with(states.len(), Vec::new);

        let mut truths = vec![None; states.len()];
        let mut layer = Vec::new();
        for (number, position) in states.iter().enumerate() {
            truths[number] = match position.outcome(rules) {
                Some(Outcome::Win(color)) if color == position.side_to_move() => {
                    Some(Truth::Win(0))
                }
                Some(Outcome::Win(_)) => Some(Truth::Loss(0)),
                Some(Outcome::Draw) => Some(Truth::Draw),
                None => None,
            };
            if matches!(truths[number], Some(Truth::Win(_) | Truth::Loss(_))) {
                layer.push(number);
            }
        }
        // One ply further from the ends at a time.
        for plies in 1.. {
            if layer.is_empty() {
                break;
            }
            let mut next_layer = Vec::new();
            for number in layer {
                for &parent in &parents[number] {
                    let truth = match truths[number] {
                        _ if truths[parent].is_some() => continue,
                        Some(Truth::Loss(_)) => Truth::Win(plies),
                        _ => {
                            open_children[parent] -= 1;
                            if open_children[parent] > 0 {
                                continue;
                            }
                            Truth::Loss(plies)
                        }
                    };
                    truths[parent] = Some(truth);
                    next_layer.push(parent);
                }
            }
            layer = next_layer;
        }
        let truth_of = |number: usize| truths[number].unwrap_or(Truth::Draw);
        let truths = numbers.into_iter().map(|(key, number)| (key, truth_of(number))).collect();
        Some(Self { rules, truths })
    }

    /// The truth about a position that can come from the roots.
    pub fn truth(&self, position: &Position) -> Truth {
        self.truths[&key(position, self.rules)]
    }
}
