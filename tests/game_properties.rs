//! What holds for all positions, moves, games and texts.

mod common;

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::LazyLock;

use common::games::{
    all_moves, check, clock, color, config, from_squares, game, position, squares,
};
use physarum::game::{Color, Move, MoveKind, Outcome, Position, Rules, Square, Symmetry, perft};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestCaseResult;

fn rules() -> impl Strategy<Value = Rules> {
    select(Rules::ALL.to_vec())
}

/// A position from a game under either rule set, every second time the last.
fn game_position() -> impl Strategy<Value = Position> {
    let ply = proptest::option::of(any::<Index>());
    (rules().prop_flat_map(game), ply).prop_map(|(game, ply)| {
        let positions: Vec<_> = game.positions().collect();
        ply.map_or(game.last, |ply| **ply.get(&positions))
    })
}

// Positions as text.

/// Whether all is the same, the clocks too, which `==` leaves out.
fn identical(a: &Position, b: &Position) -> bool {
    let clocks = |p: &Position| (p.halfmove_clock(), p.fullmove_number());
    a == b && a.hash() == b.hash() && clocks(a) == clocks(b)
}

/// Error messages go into answers of one line each.
fn check_message(error: impl std::error::Error) -> TestCaseResult {
    let message = error.to_string();
    prop_assert!(!message.is_empty() && !message.contains(char::is_control), "{:?}", message);
    Ok(())
}

/// If a text is a position, that has one canonical text, which gives the same position.
fn check_fen(text: &str) -> TestCaseResult {
    let position: Position = match text.parse() {
        Ok(position) => position,
        Err(error) => return check_message(error),
    };
    let printed = position.to_string();
    let reparsed = printed.parse().unwrap();
    prop_assert!(identical(&position, &reparsed), "{:?} -> {} -> {}", text, printed, reparsed);
    prop_assert_eq!(reparsed.to_string(), printed.as_str());

    let (board, rest) = printed.split_once(' ').unwrap();
    let (side, clocks) = (position.side_to_move(), position.halfmove_clock());
    prop_assert_eq!(rest, format!("{side} {clocks} {}", position.fullmove_number()));
    prop_assert_eq!(board.split('/').count(), 7);
    prop_assert!(board.chars().all(|c| "xo-/1234567".contains(c)), "{}", board);
    let digits_meet = board.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_digit));
    prop_assert!(!digits_meet, "{}", board);
    Ok(())
}

/// A text with a few characters inserted, deleted or replaced.
fn mutation(text: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let usual = "xXoObBwW-*1234567089/ +.\t".chars().collect::<Vec<_>>();
    let inserted = prop_oneof![9 => select(usual), 1 => any::<char>()];
    let change = (any::<Index>(), 0..2usize, proptest::option::of(inserted));
    (text, vec(change, 1..4)).prop_map(|(text, changes)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (place, removed, inserted) in changes {
            let start = place.index(chars.len() + 1);
            let end = (start + removed).min(chars.len());
            drop(chars.splice(start..end, inserted));
        }
        chars.into_iter().collect()
    })
}

#[test]
fn mutated_fens_do_no_harm() {
    let [read, refused] = [const { Cell::new(0) }; 2];
    let texts = mutation(position().prop_map(|position| position.to_string()));
    check(4_000, texts, |text| {
        let counter = if text.parse::<Position>().is_ok() { &read } else { &refused };
        counter.set(counter.get() + 1);
        check_fen(&text)
    });
    let seen = [read, refused].map(Cell::into_inner);
    assert!(seen.into_iter().all(|times| times >= 500), "the mutations show too little: {seen:?}");
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn any_text_as_a_fen_does_no_harm(
        text in prop_oneof![".*", "([xo1-7-]{1,3}/){5,7}[xo1-7-]{1,3} [xo]( [0-9]{1,6}){0,3}"],
    ) {
        check_fen(&text)?;
    }

    #[test]
    fn fens_round_trip(position in position()) {
        let reread = position.to_string().parse().unwrap();
        prop_assert!(identical(&position, &reread), "{} -> {}", position, reread);
        check_fen(&position.to_string())?;
    }

    #[test]
    fn a_fen_says_what_stands_where(
        squares in squares(),
        side in color(),
        halfmove in clock(),
        fullmove in clock(),
        spelling in ("[xXbB]", "[oOwW]", "[-*]"),
    ) {
        // Each empty square on its own, so that only the reader decides what this means.
        let ranks: Vec<String> = squares.chunks(7).rev().map(String::from_iter).collect();
        let fen = format!("{} {side} {halfmove} {fullmove}", ranks.join("/").replace('.', "1"));
        let (x, o, gap) = spelling;
        let fen = fen.replace('-', &gap).replace('x', &x).replace('o', &o);
        let position: Position = fen.parse().unwrap();
        for square in Square::all() {
            prop_assert_eq!(position.symbol(square), squares[square.index()], "{}", square);
        }
        prop_assert_eq!(position.side_to_move(), side);
        prop_assert_eq!(position.halfmove_clock(), halfmove);
        prop_assert_eq!(position.fullmove_number(), fullmove);
    }
}

// Moves as text and as numbers.

/// Each text in lower case that is a move, with the square that a clone is said to come from.
static SPELLINGS: LazyLock<HashMap<String, (Move, Option<Square>)>> = LazyLock::new(|| {
    let mut spellings = HashMap::new();
    for mv in all_moves() {
        match mv.kind() {
            MoveKind::Clone { to } => {
                spellings.insert(format!("{to}"), (mv, None));
                spellings.insert(format!("p@{to}"), (mv, None));
                for from in Square::all().filter(|from| from.distance(to) == 1) {
                    spellings.insert(format!("{from}{to}"), (mv, Some(from)));
                    spellings.insert(format!("{from}-{to}"), (mv, Some(from)));
                }
            }
            MoveKind::Jump { from, to } => {
                spellings.insert(format!("{from}{to}"), (mv, None));
                spellings.insert(format!("{from}-{to}"), (mv, None));
            }
            MoveKind::Pass => {
                for word in ["0000", "pass", "null"] {
                    spellings.insert(word.into(), (mv, None));
                }
                for square in Square::all() {
                    spellings.insert(format!("{square}{square}"), (mv, None));
                    spellings.insert(format!("{square}-{square}"), (mv, None));
                }
            }
        }
    }
    spellings
});

/// A text is a move exactly if it is one of the spellings, in whatever case.
fn check_move_text(text: &str) -> TestCaseResult {
    let expected = SPELLINGS.get(&text.to_ascii_lowercase()).map(|(mv, _)| *mv);
    let read = text.parse::<Move>();
    prop_assert_eq!(read.clone().ok(), expected, "{:?}", text);
    read.map_or_else(check_message, |_| Ok(()))
}

#[test]
fn every_spelling_gives_its_move_in_any_case() {
    for (text, (mv, _)) in &*SPELLINGS {
        for text in [text.clone(), text.to_uppercase(), text.replacen('p', "P", 1)] {
            assert_eq!(text.parse(), Ok(*mv), "{text}");
        }
    }
}

#[test]
fn moves_round_trip_through_text_and_number() {
    let moves = all_moves();
    for &mv in &moves {
        assert_eq!(mv.to_string().parse(), Ok(mv));
        assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
        let squares = match mv.kind() {
            MoveKind::Clone { to } => (None, Some(to)),
            MoveKind::Jump { from, to } => (Some(from), Some(to)),
            MoveKind::Pass => (None, None),
        };
        assert_eq!((mv.from(), mv.to()), squares);
    }
    for bits in 0..=u16::MAX {
        if let Some(mv) = Move::from_bits(bits) {
            assert_eq!(mv.to_bits(), bits);
            assert!(moves.contains(&mv), "{bits:#x}");
        }
    }
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn any_text_as_a_move_does_no_harm(
        text in prop_oneof![".*", "[a-h][0-8]([a-h][0-8])?"],
        position in position(),
        rules in rules(),
    ) {
        check_move_text(&text)?;
        match position.parse_move(&text, rules) {
            Ok(mv) => prop_assert!(position.legal_moves(rules).contains(&mv)),
            Err(error) => check_message(error)?,
        }
    }
}

proptest! {
    #![proptest_config(config(5_000))]

    #[test]
    fn only_the_spellings_are_moves(text in "[a-hpA-HP@0-8-]{0,6}") {
        check_move_text(&text)?;
    }

    #[test]
    fn nearly_a_move_is_a_move_only_if_spelt_so(
        text in mutation("([a-g][1-7]-?|[pP]@)?[a-g][1-7]|0000|pass|null"),
    ) {
        check_move_text(&text)?;
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn exactly_the_legal_moves_are_accepted(position in prop_oneof![game_position(), position()]) {
        for rules in Rules::ALL {
            let legal = position.legal_moves(rules);
            prop_assert_eq!(position.count_legal_moves(rules), legal.len());
            for mv in all_moves() {
                prop_assert_eq!(position.check(mv, rules).is_ok(), legal.contains(&mv), "{}", mv);
            }
            let own = position.stones(position.side_to_move());
            for (text, &(mv, parent)) in &*SPELLINGS {
                let accepted = legal.contains(&mv) && parent.is_none_or(|from| own.contains(from));
                let expected = accepted.then_some(mv);
                prop_assert_eq!(position.parse_move(text, rules).ok(), expected, "{}", text);
            }
        }
    }
}

// Playing.

/// The legal moves and the outcome in the rules' own words, a square at a time.
fn moves_and_outcome(position: &Position, rules: Rules) -> (Vec<Move>, Option<Outcome>) {
    let [black, white, empty] = ['x', 'o', '.'].map(|wanted| -> Vec<Square> {
        Square::all().filter(|&square| position.symbol(square) == wanted).collect()
    });
    let moves_of = |stones: &[Square]| -> Vec<Move> {
        let possible = |mv: &Move| match mv.kind() {
            MoveKind::Clone { to } => {
                empty.contains(&to) && stones.iter().any(|from| from.distance(to) == 1)
            }
            MoveKind::Jump { from, to } => empty.contains(&to) && stones.contains(&from),
            MoveKind::Pass => false,
        };
        all_moves().into_iter().filter(possible).collect()
    };
    let (own, enemy) = match position.side_to_move() {
        Color::Black => (&black, &white),
        Color::White => (&white, &black),
    };
    let moves = moves_of(own);
    let stuck = moves.is_empty() && (rules != Rules::Ataxx || moves_of(enemy).is_empty());
    if black.is_empty() || white.is_empty() || stuck {
        let mut counts = [black.len(), white.len()];
        if rules == Rules::Fill && moves.is_empty() {
            // All else goes to the other side.
            let gaps = position.gaps().len() as usize;
            counts[1 - position.side_to_move().index()] += 49 - gaps - black.len() - white.len();
        }
        let outcome = match counts[0].cmp(&counts[1]) {
            Ordering::Greater => Outcome::Win(Color::Black),
            Ordering::Less => Outcome::Win(Color::White),
            Ordering::Equal => Outcome::Draw,
        };
        (vec![], Some(outcome))
    } else if rules == Rules::Ataxx && position.halfmove_clock() >= 100 {
        (vec![], Some(Outcome::Draw))
    } else if moves.is_empty() {
        (vec![Move::PASS], None)
    } else {
        (moves, None)
    }
}

fn check_position(position: &Position) -> TestCaseResult {
    for rules in Rules::ALL {
        let (moves, outcome) = moves_and_outcome(position, rules);
        prop_assert_eq!(position.legal_moves(rules).to_vec(), moves, "{} {}", rules, position);
        prop_assert_eq!(position.outcome(rules), outcome, "{} {}", rules, position);
    }
    Ok(())
}

/// The new position is what the rules say, square by square.
fn check_move(before: &Position, mv: Move, after: &Position) -> TestCaseResult {
    let side = before.side_to_move();
    let symbol_of = |color: Color| color.to_string().chars().next().unwrap();
    let (own, enemy) = (symbol_of(side), symbol_of(!side));
    let mut captured = 0;
    for square in Square::all() {
        let was = before.symbol(square);
        let expected = match mv.to() {
            Some(to) if square == to => own,
            Some(to) if was == enemy && square.distance(to) == 1 => {
                captured += 1;
                own
            }
            _ if mv.from() == Some(square) => '.',
            _ => was,
        };
        prop_assert_eq!(after.symbol(square), expected, "{} after {} in {}", square, mv, before);
    }

    let born = match mv.kind() {
        MoveKind::Clone { .. } => 1,
        MoveKind::Jump { .. } | MoveKind::Pass => 0,
    };
    let count = |position: &Position, color| position.stones(color).len();
    prop_assert_eq!(count(after, side), count(before, side) + born + captured);
    prop_assert_eq!(count(after, !side), count(before, !side) - captured);
    if let Some(to) = mv.to() {
        prop_assert_eq!(before.captures(to).len(), captured);
    }

    prop_assert_eq!(after.side_to_move(), !side);
    let clock = if born == 1 { 0 } else { before.halfmove_clock() + 1 };
    prop_assert_eq!(after.halfmove_clock(), clock, "{} in {}", mv, before);
    let number = before.fullmove_number() + u16::from(side == Color::White);
    prop_assert_eq!(after.fullmove_number(), number);
    Ok(())
}

/// The position put together from its parts.
fn from_scratch(position: &Position) -> Position {
    Position::new(
        Color::ALL.map(|color| position.stones(color)),
        position.gaps(),
        position.side_to_move(),
        position.halfmove_clock(),
        position.fullmove_number(),
    )
}

/// The position with the colours exchanged.
fn recolored(position: &Position) -> Position {
    Position::new(
        Color::ALL.map(|color| position.stones(!color)),
        position.gaps(),
        !position.side_to_move(),
        position.halfmove_clock(),
        position.fullmove_number(),
    )
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn any_position_follows_the_rules(position in position()) {
        check_position(&position)?;
    }

    #[test]
    fn games_follow_the_rules(game in rules().prop_flat_map(game)) {
        for ((before, mv), after) in game.plies.iter().zip(game.positions().skip(1)) {
            check_move(before, *mv, after)?;
        }
        for position in game.positions() {
            check_position(position)?;
            prop_assert!(identical(position, &from_scratch(position)), "{}", position);
        }
    }

    #[test]
    fn equality_and_hash_see_the_board_and_not_the_clocks(
        position in position(),
        changed in any::<Index>(),
        symbol in select(vec!['x', 'o', '-', '.']),
        halfmove in clock(),
        fullmove in clock(),
    ) {
        let mut squares: Vec<_> = Square::all().map(|square| position.symbol(square)).collect();
        let changed = changed.index(Square::COUNT);
        let same = squares[changed] == symbol;
        squares[changed] = symbol;
        let other = from_squares(&squares, position.side_to_move(), halfmove, fullmove);
        prop_assert_eq!(other == position, same);
        prop_assert_eq!(other.hash() == position.hash(), same);

        let other_side = from_squares(&squares, !position.side_to_move(), halfmove, fullmove);
        prop_assert_ne!(other_side, other);
        prop_assert_ne!(other_side.hash(), other.hash());
    }

    #[test]
    fn the_turned_board_plays_alike(position in game_position()) {
        for rules in Rules::ALL {
            let outcome = position.outcome(rules);
            let moves = position.legal_moves(rules);
            let count = perft(&position, 2, rules);
            for symmetry in Symmetry::ALL {
                let image = symmetry.position(&position);
                let turned_back = symmetry.inverse().position(&image);
                prop_assert!(identical(&turned_back, &position), "{:?} {}", symmetry, position);
                prop_assert_eq!(image.outcome(rules), outcome, "{:?} {}", symmetry, position);
                prop_assert_eq!(perft(&image, 2, rules), count, "{:?} {}", symmetry, position);
                let mut expected: Vec<_> = moves.iter().map(|&mv| symmetry.mv(mv)).collect();
                let mut actual = image.legal_moves(rules).to_vec();
                expected.sort();
                actual.sort();
                prop_assert_eq!(actual, expected, "{:?} {}", symmetry, position);
                for &mv in &moves {
                    let played_then_turned = symmetry.position(&position.play(mv));
                    let turned_then_played = image.play(symmetry.mv(mv));
                    let same = identical(&played_then_turned, &turned_then_played);
                    prop_assert!(same, "{:?} {} {}", symmetry, position, mv);
                }
            }
        }
    }

    #[test]
    fn the_colours_are_alike(position in game_position()) {
        let image = recolored(&position);
        for rules in Rules::ALL {
            let outcome = position.outcome(rules).map(|outcome| match outcome {
                Outcome::Win(color) => Outcome::Win(!color),
                Outcome::Draw => Outcome::Draw,
            });
            prop_assert_eq!(image.outcome(rules), outcome, "{}", position);
            prop_assert_eq!(image.legal_moves(rules), position.legal_moves(rules), "{}", position);
            prop_assert_eq!(perft(&image, 2, rules), perft(&position, 2, rules), "{}", position);
        }
    }
}
