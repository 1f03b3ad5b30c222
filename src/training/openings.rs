//! How games begin: boards, and random moves on them.

use crate::game::{Bitboard, Color, Game, Move, MoveKind, Position, Rules, Square, Symmetry};
use crate::random::Random;

/// Boards with gaps as they are played: corners of a star, walls, a ring, an open centre, …
const PATTERNS: [&str; 10] = [
    "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1",
    "x5o/7/3-3/2-1-2/3-3/7/o5x x 0 1",
    "x5o/7/2---2/2---2/2---2/7/o5x x 0 1",
    "x2-2o/3-3/7/--3--/7/3-3/o2-2x x 0 1",
    "x5o/1-3-1/7/3-3/7/1-3-1/o5x x 0 1",
    "x5o/7/7/1--1--1/7/7/o5x x 0 1",
    "x2-2o/7/3-3/-1---1-/3-3/7/o2-2x x 0 1",
    "x1-1-1o/7/-5-/7/-5-/7/o1-1-1x x 0 1",
    "x5o/2-1-2/1-3-1/7/1-3-1/2-1-2/o5x x 0 1",
    "x5o/3-3/3-3/7/3-3/3-3/o5x x 0 1",
];

/// The symmetries that together make up the symmetry of a random board.
const SYMMETRIES: [&[Symmetry]; 7] = [
    &[Symmetry::Half],
    &[Symmetry::FlipFiles],
    &[Symmetry::FlipRanks],
    &[Symmetry::Diagonal],
    &[Symmetry::FlipFiles, Symmetry::FlipRanks],
    &[Symmetry::Quarter],
    &[Symmetry::Quarter, Symmetry::FlipFiles],
];

/// The most gaps on a random board.
const MAX_GAPS: usize = 14;

/// A position to start a game from: one of the known boards with gaps, or a random symmetric one.
fn gapped_start(random: &mut Random) -> Position {
    let known = if random.chance(0.5) { random.choose(&PATTERNS) } else { None };
    known.and_then(|fen| fen.parse().ok()).unwrap_or_else(|| random_gaps(random))
}

/// The usual start with gaps at random, as symmetric as one of [`SYMMETRIES`].
fn random_gaps(random: &mut Random) -> Position {
    let usual = Position::default();
    let stones = Color::ALL.map(|color| usual.stones(color));
    let generators = random.choose(&SYMMETRIES).copied().unwrap_or_default();
    let wanted = 1 + random.below(MAX_GAPS);
    let mut gaps = Bitboard::EMPTY;
    // Some orbits are too large for the room that is left, hence more tries than gaps.
    for _ in 0..2 * MAX_GAPS {
        let Some(square) = Square::from_index(random.below(Square::COUNT)) else { continue };
        let more = gaps | orbit(square, generators);
        if more.len() as usize <= wanted && (more & (stones[0] | stones[1])).is_empty() {
            gaps = more;
        }
    }
    Position::new(stones, gaps, Color::Black, 0, 1)
}

/// The squares to which some symmetries, one after another, can take a square.
fn orbit(square: Square, generators: &[Symmetry]) -> Bitboard {
    let mut orbit = Bitboard::from(square);
    loop {
        let images = generators.iter().map(|symmetry| symmetry.bitboard(orbit));
        let larger = images.fold(orbit, |all, image| all | image);
        if larger == orbit {
            return orbit;
        }
        orbit = larger;
    }
}

/// The start of a game after a number of random moves, half of the times clones as far as
/// possible; `None` when the game ended before.
pub(crate) fn random_opening(
    random: &mut Random,
    gapped: bool,
    rules: Rules,
    plies: [u32; 2],
) -> Option<Game> {
    let start = if gapped { gapped_start(random) } else { Position::default() };
    let [fewest, most] = plies;
    let plies = fewest + random.below((most.saturating_sub(fewest) + 1) as usize) as u32;
    let clones_only = random.chance(0.5);
    let mut game = Game::new(start);
    for _ in 0..plies {
        let moves = game.position().legal_moves(rules);
        let is_clone = |mv: &&Move| matches!(mv.kind(), MoveKind::Clone { .. });
        let clones = moves.iter().filter(is_clone).count();
        // Clones come first in the list.
        let choice = if clones_only && clones > 0 { &moves[..clones] } else { &moves };
        game.play(*random.choose(choice)?);
    }
    game.position().outcome(rules).is_none().then_some(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_boards_are_fair_and_have_gaps() {
        let usual = Position::default();
        for fen in PATTERNS {
            let position: Position = fen.parse().unwrap();
            assert_eq!(position.to_string(), fen);
            assert!(!position.gaps().is_empty());
            let swaps = [Symmetry::FlipFiles, Symmetry::FlipRanks];
            for symmetry in swaps {
                assert_eq!(symmetry.bitboard(position.gaps()), position.gaps(), "{fen}");
            }
            for color in Color::ALL {
                assert_eq!(position.stones(color), usual.stones(color), "{fen}");
                assert!(position.can_move(color));
            }
        }
    }

    #[test]
    fn random_boards_are_symmetric_and_differ() {
        let mut random = Random::new(3);
        let mut seen = std::collections::HashSet::new();
        let mut sizes = std::collections::HashSet::new();
        for _ in 0..500 {
            let position = random_gaps(&mut random);
            let gaps = position.gaps();
            assert!(gaps.len() as usize <= MAX_GAPS);
            let kept = Symmetry::ALL[1..].iter().any(|symmetry| symmetry.bitboard(gaps) == gaps);
            assert!(kept, "{position}");
            assert_eq!(position.stones(Color::Black), Position::default().stones(Color::Black));
            seen.insert(gaps);
            sizes.insert(gaps.len());
        }
        assert!(seen.len() > 300 && sizes.len() > 8, "{} {sizes:?}", seen.len());
    }

    #[test]
    fn openings_have_the_plies_that_were_asked_for() {
        let mut random = Random::new(4);
        let mut lengths = std::collections::BTreeSet::new();
        let mut jumpless = 0;
        for round in 0..400 {
            let rules = Rules::ALL[round % 2];
            let Some(game) = random_opening(&mut random, round % 3 == 0, rules, [2, 5]) else {
                continue;
            };
            let position = game.position();
            assert_eq!(position.outcome(rules), None);
            let black = u32::from(position.side_to_move() == Color::White);
            lengths.insert(2 * (u32::from(position.fullmove_number()) - 1) + black);
            let stones = Color::ALL.map(|color| position.stones(color).len()).iter().sum::<u32>();
            let plies = 2 * (u32::from(position.fullmove_number()) - 1) + black;
            jumpless += usize::from(stones == 4 + plies);
        }
        assert!(lengths.into_iter().eq(2..=5));
        assert!((200..300).contains(&jumpless), "{jumpless}");
    }
}
