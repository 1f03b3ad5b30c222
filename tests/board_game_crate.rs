//! Random games next to the Ataxx of the crate `board-game`, which shares no code with ours.

mod common;

use std::cell::Cell;

use board_game::board::{Board, Outcome as TheirOutcome, Player};
use board_game::games::ataxx::{AtaxxBoard, Move as TheirMove};
use board_game::util::coord::Coord8;
use board_game::util::game_stats::perft_naive;
use common::games::{all_moves, check, config, game};
use physarum::game::{
    Color, HALFMOVE_LIMIT, Move, MoveKind, Outcome, Position, Rules, Square, perft,
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

const RULES: Rules = Rules::Ataxx;

fn their_board(position: &Position) -> AtaxxBoard {
    AtaxxBoard::from_fen(&position.to_string()).unwrap()
}

fn their_move(mv: Move) -> TheirMove {
    let coord = |square: Square| Coord8::from_xy(square.file() as u8, square.rank() as u8);
    match mv.kind() {
        MoveKind::Clone { to } => TheirMove::Copy { to: coord(to) },
        MoveKind::Jump { from, to } => TheirMove::Jump { from: coord(from), to: coord(to) },
        MoveKind::Pass => TheirMove::Pass,
    }
}

fn our_outcome(theirs: &AtaxxBoard) -> Option<Outcome> {
    theirs.outcome().map(|outcome| match outcome {
        TheirOutcome::WonBy(Player::A) => Outcome::Win(Color::Black),
        TheirOutcome::WonBy(Player::B) => Outcome::Win(Color::White),
        TheirOutcome::Draw => Outcome::Draw,
    })
}

/// The outcome that the crate has to arrive at.
///
/// It departs from the referees' rules in two corners, both after 100 halfmoves without a clone:
/// it calls a draw what is won on the board, and it plays on if the last of them was a pass.
fn expected_outcome(position: &Position, played: Option<Move>) -> Option<Outcome> {
    match position.halfmove_clock() {
        ..HALFMOVE_LIMIT => position.outcome(RULES),
        _ if played == Some(Move::PASS) => None,
        _ => Some(Outcome::Draw),
    }
}

fn compare(ours: &Position, theirs: &AtaxxBoard, played: Option<Move>) -> TestCaseResult {
    // The crate doesn't count the moves.
    let uncounted = |fen: &str| fen.rsplit_once(' ').map(|(fen, _)| fen.to_owned());
    prop_assert_eq!(uncounted(&ours.to_string()), uncounted(&theirs.to_fen()));
    prop_assert_eq!(our_outcome(theirs), expected_outcome(ours, played), "{}", ours);

    let legal = ours.legal_moves(RULES);
    if ours.outcome(RULES).is_some() {
        prop_assert!(legal.is_empty());
        return Ok(());
    }
    prop_assert_eq!(perft_naive(theirs, 1), legal.len() as u64);
    for mv in all_moves() {
        let available = theirs.is_available_move(their_move(mv)).unwrap();
        prop_assert_eq!(available, legal.contains(&mv), "{} in {}", mv, ours);
    }
    Ok(())
}

#[test]
fn random_games_go_the_same_way() {
    let [gaps, passes, wins, limit_draws] = [const { Cell::new(0) }; 4];
    let count = |counter: &Cell<u32>, seen: bool| counter.set(counter.get() + u32::from(seen));
    check(400, game(RULES), |game| {
        let mut theirs = their_board(game.positions().next().unwrap());
        let mut played = None;
        for (position, mv) in game.plies {
            compare(&position, &theirs, played)?;
            theirs.play(their_move(mv)).unwrap();
            played = Some(mv);
            count(&passes, mv == Move::PASS);
        }
        compare(&game.last, &theirs, played)?;
        count(&gaps, !game.last.gaps().is_empty());
        let outcome = game.last.outcome(RULES);
        count(&wins, matches!(outcome, Some(Outcome::Win(_))));
        count(&limit_draws, outcome == Some(Outcome::Draw) && game.last.halfmove_clock() >= 100);
        Ok(())
    });
    let seen = [gaps, passes, wins, limit_draws].map(Cell::into_inner);
    assert!(seen.into_iter().all(|times| times >= 10), "the games show too little: {seen:?}");
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn perft_agrees(game in game(RULES)) {
        // Further on, three plies could lead into the corners of `expected_outcome`.
        prop_assume!(game.last.halfmove_clock() < HALFMOVE_LIMIT - 3);
        let theirs = their_board(&game.last);
        prop_assert_eq!(perft(&game.last, 3, RULES), perft_naive(&theirs, 3), "{}", game.last);
    }
}

#[test]
fn the_corners_differ_as_described() {
    let won: Position = "-------/-------/-------/7/7/7/xx5 o 100 60".parse().unwrap();
    assert_eq!(won.outcome(RULES), Some(Outcome::Win(Color::Black)));
    assert_eq!(our_outcome(&their_board(&won)), Some(Outcome::Draw));

    let shut_in: Position = "7/7/7/7/4ooo/4ooo/4oox x 99 60".parse().unwrap();
    let mut theirs = their_board(&shut_in);
    theirs.play(TheirMove::Pass).unwrap();
    assert_eq!(shut_in.play(Move::PASS).outcome(RULES), Some(Outcome::Draw));
    assert_eq!(our_outcome(&theirs), None);
}
