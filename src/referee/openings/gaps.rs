//! Boards with gaps.

use crate::game::{Bitboard, Color, Position, Square, Symmetry};

/// The position as it is, then with each pattern of gaps that looks the same from all sides, that
/// has at most `max` squares, covers no stone and no gap that is there already, and cuts no stones
/// off from the others; few gaps first.
///
/// ```
/// use physarum::game::Position;
/// use physarum::referee::with_symmetric_gaps;
///
/// let boards = with_symmetric_gaps(&Position::default(), 4);
/// assert_eq!(boards[0].to_string(), "x5o/7/7/7/7/7/o5x x 0 1");
/// assert_eq!(boards[1].to_string(), "x5o/7/7/3-3/7/7/o5x x 0 1");
/// assert!(boards.iter().any(|board| board.to_string() == "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"));
/// ```
pub fn with_symmetric_gaps(position: &Position, max: u32) -> Vec<Position> {
    let stones = Color::ALL.map(|color| position.stones(color));
    let occupied = stones[0] | stones[1];
    let with_gaps = |pattern: Bitboard| {
        let gaps = pattern | position.gaps();
        let fits =
            (pattern & (occupied | position.gaps())).is_empty() && are_joined(occupied, gaps);
        let side = position.side_to_move();
        let (halfmove, fullmove) = (position.halfmove_clock(), position.fullmove_number());
        fits.then(|| Position::new(stones, gaps, side, halfmove, fullmove))
    };
    let patterns = symmetric_sets(max).into_iter().filter(|pattern| !pattern.is_empty());
    [*position].into_iter().chain(patterns.filter_map(with_gaps)).collect()
}

/// All sets of at most `max` squares that every symmetry of the board maps to themselves, the
/// empty one included; small ones first.
fn symmetric_sets(max: u32) -> Vec<Bitboard> {
    let orbit = |square| Symmetry::ALL.map(|symmetry| symmetry.square(square));
    let is_first =
        |&square: &Square| orbit(square).iter().all(|other| other.index() >= square.index());
    let mut sets = vec![Bitboard::EMPTY];
    for square in Square::all().filter(is_first) {
        let orbit: Bitboard = orbit(square).into_iter().collect();
        for index in 0..sets.len() {
            sets.push(sets[index] | orbit);
        }
    }
    sets.retain(|set| set.len() <= max);
    sets.sort_by_key(|set| (set.len(), set.bits()));
    sets
}

/// Whether each of some squares can be reached from each other in steps of one or two squares that
/// land on no gap.
fn are_joined(squares: Bitboard, gaps: Bitboard) -> bool {
    let Some(first) = squares.into_iter().next() else { return true };
    let mut reached = Bitboard::from(first);
    loop {
        let next = (reached.dilate().dilate() | reached).without(gaps);
        if next == reached {
            return squares.without(reached).is_empty();
        }
        reached = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_set_for_each_choice_of_orbits() {
        // A triangle of 10 squares stands for all, each with its images.
        assert_eq!(symmetric_sets(49).len(), 1 << 10);
        assert_eq!(symmetric_sets(0), [Bitboard::EMPTY]);
        // The centre; with or without it, one of the six orbits of four squares.
        assert_eq!(symmetric_sets(5).len(), 2 * (1 + 6));
        for set in symmetric_sets(49) {
            assert!(Symmetry::ALL.iter().all(|symmetry| symmetry.bitboard(set) == set));
        }
    }

    #[test]
    fn boards_that_cannot_be_played_on_are_left_out() {
        let start = Position::default();
        let boards = with_symmetric_gaps(&start, 49);
        for board in &boards {
            assert_eq!(Color::ALL.map(|c| board.stones(c)), Color::ALL.map(|c| start.stones(c)));
            let stones = board.stones(Color::Black) | board.stones(Color::White);
            assert!(are_joined(stones, board.gaps()), "{board}");
        }
        // Half of the patterns cover the corners.
        assert!((100..512).contains(&boards.len()), "{}", boards.len());
        let walled_off: Position =
            "x1-1-1o/2-1-2/--3--/7/--3--/2-1-2/o1-1-1x x 0 1".parse().unwrap();
        assert!(boards.contains(&walled_off)); // one square thick: to be jumped
        let walled_off: Position =
            "x1---1o/2---2/-------/-------/-------/2---2/o1---1x x 0 1".parse().unwrap();
        assert!(!boards.contains(&walled_off));
    }

    #[test]
    fn gaps_there_already_stay() {
        let start: Position = "x5o/7/7/3-3/7/7/o5x x 0 1".parse().unwrap();
        let boards = with_symmetric_gaps(&start, 4);
        assert_eq!(boards[0], start);
        assert!(boards.iter().all(|board| board.gaps().len() == 1 || board.gaps().len() == 5));
        let mut seen = Vec::new();
        for board in boards {
            assert!(!seen.contains(&board.gaps()), "{board}");
            seen.push(board.gaps());
        }
    }
}
