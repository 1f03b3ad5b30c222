//! Counting the leaves of the game tree, to test and time the move generator.

use std::sync::atomic::{AtomicBool, Ordering};

use super::movegen::jump_count;
use super::{Bitboard, HALFMOVE_LIMIT, Move, Position, Rules};

/// The number of ways to play `depth` plies from a position.
///
/// A clone counts once, however many stones it could come from; a pass is a ply; a game that is
/// over has no continuation.
///
/// ```
/// use physarum::game::{Position, Rules, perft};
///
/// assert_eq!(perft(&Position::default(), 4, Rules::Ataxx), 155_888);
/// ```
pub fn perft(position: &Position, depth: u32, rules: Rules) -> u64 {
    count(position, depth, rules, &mut || true).unwrap_or_default()
}

/// [`perft`], given up with `None` soon after `stop` becomes true.
pub fn perft_until(
    position: &Position,
    depth: u32,
    rules: Rules,
    stop: &AtomicBool,
) -> Option<u64> {
    count(position, depth, rules, &mut || !stop.load(Ordering::Relaxed))
}

/// Each legal move with the [`perft`] of `depth - 1` plies after it, in the order of the legal
/// moves; `None` soon after `stop` becomes true. Nothing is left to count at depth 0.
pub fn split(
    position: &Position,
    depth: u32,
    rules: Rules,
    stop: &AtomicBool,
) -> Option<Vec<(Move, u64)>> {
    let Some(depth) = depth.checked_sub(1) else {
        return Some(Vec::new());
    };
    let moves = position.legal_moves(rules);
    moves
        .into_iter()
        .map(|mv| Some((mv, perft_until(&position.play(mv), depth, rules, stop)?)))
        .collect()
}

fn count(
    position: &Position,
    depth: u32,
    rules: Rules,
    go_on: &mut impl FnMut() -> bool,
) -> Option<u64> {
    match depth {
        0 => return Some(1),
        1 => return Some(position.count_legal_moves(rules) as u64),
        2 => return Some(count_two_plies(position, rules)),
        _ => {}
    }
    if !go_on() {
        return None;
    }
    let mut leaves = 0;
    for mv in position.legal_moves(rules) {
        leaves += count(&position.play(mv), depth - 1, rules, go_on)?;
    }
    Some(leaves)
}

/// The last two plies at once.
///
/// The moves to one target turn the same stones, so the replies to them differ only by the square
/// that a jump leaves: the replies to the clone (or to a stone out of nowhere) are counted once,
/// and a jump adds those that land on its origin. Those, in turn, come from the replies before
/// the move by taking away what the captured stones and the target made possible.
fn count_two_plies(position: &Position, rules: Rules) -> u64 {
    if position.outcome(rules).is_some() {
        return 0;
    }
    let side = position.side_to_move();
    let (own, enemy) = (position.stones(side), position.stones(!side));
    let empty = position.empty();
    let targets = own.dilate().dilate() & empty;
    if targets.is_empty() {
        return position.play(Move::PASS).count_legal_moves(rules) as u64;
    }
    let clones = own.dilate() & empty;
    // Jumps leave the clock running, and 100 halfmoves end the game whatever replies there are.
    let jumps_end_it =
        rules == Rules::Ataxx && position.halfmove_clock().saturating_add(1) >= HALFMOVE_LIMIT;
    let enemy_jumps = jump_count(enemy, empty);

    let mut leaves = 0;
    for to in targets {
        let captured = enemy & Bitboard::adjacent(to);
        let repliers = enemy ^ captured;
        let reach = repliers.dilate();
        let landing = empty ^ to.into();
        let jumps =
            enemy_jumps - jump_count(captured, empty) - (Bitboard::ring(to) & repliers).len();
        let replies = (reach & landing).len() + jumps;
        if clones.contains(to) {
            // Without a reply it may be the end or a pass: the exact rules decide.
            leaves += match replies {
                0 => position.play(Move::clone_to(to)).count_legal_moves(rules) as u64,
                replies => replies.into(),
            };
        }
        if jumps_end_it {
            continue;
        }
        for from in own & Bitboard::ring(to) {
            let onto_origin =
                (Bitboard::ring(from) & repliers).len() + u32::from(reach.contains(from));
            leaves += match replies + onto_origin {
                0 => position.play(Move::jump(from, to)).count_legal_moves(rules) as u64,
                replies => replies.into(),
            };
        }
    }
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_flag_gives_up() {
        let stop = AtomicBool::new(true);
        assert_eq!(perft_until(&Position::default(), 3, Rules::Ataxx, &stop), None);
        assert_eq!(split(&Position::default(), 4, Rules::Ataxx, &stop), None);
    }

    #[test]
    fn split_adds_up() {
        let stop = AtomicBool::new(false);
        let start = Position::default();
        let parts = split(&start, 4, Rules::Ataxx, &stop).unwrap();
        assert_eq!(parts.len(), 16);
        assert_eq!(parts.iter().map(|(_, leaves)| leaves).sum::<u64>(), 155_888);
        assert_eq!(split(&start, 0, Rules::Ataxx, &stop), Some(Vec::new()));
    }
}
