//! Random games next to python-ataxx, the package of the author of cuteataxx.

mod common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::games::{RandomGame, config, game};
use physarum::game::{Color, HALFMOVE_LIMIT, Move, Outcome, Position, Rules};
use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/compare_rules.py");

/// A line for the script: position, legal moves, result and the move that leads to the next line.
fn line(position: &Position, played: Option<Move>) -> String {
    let moves = position.legal_moves(Rules::Ataxx);
    let mut moves: Vec<String> = moves.iter().map(Move::to_string).collect();
    moves.sort();
    let result = match position.outcome(Rules::Ataxx) {
        Some(Outcome::Win(Color::Black)) => "1-0",
        Some(Outcome::Win(Color::White)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    };
    let played = played.map_or("-".into(), |mv| mv.to_string());
    format!("{position}\t{}\t{result}\t{played}\n", moves.join(" "))
}

/// The same board after 100 halfmoves without a clone.
fn at_the_limit(position: &Position) -> Position {
    let stones = Color::ALL.map(|color| position.stones(color));
    Position::new(stones, position.gaps(), position.side_to_move(), HALFMOVE_LIMIT, 60)
}

fn lines(game: &RandomGame) -> Vec<String> {
    let plies = game.plies.iter().map(|(position, mv)| line(position, Some(*mv)));
    // Games hardly end on the board just when they reach the limit.
    let end = [line(&game.last, None), line(&at_the_limit(&game.last), None)];
    plies.chain(end).collect()
}

/// What the script makes of the lines.
fn compare(python: &Path, lines: &[String]) -> Output {
    let mut script = Command::new(python)
        .arg(SCRIPT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The script reads everything before it answers, so neither end waits for the other.
    script.stdin.take().unwrap().write_all(lines.concat().as_bytes()).unwrap();
    script.wait_with_output().unwrap()
}

#[test]
fn random_games_go_the_same_way_in_python() {
    let Some(python) = common::python() else { return };
    let mut runner = TestRunner::new(config(1));
    let games = vec(game(Rules::Ataxx), 100).new_tree(&mut runner).unwrap().current();
    let lines: Vec<_> = games.iter().flat_map(lines).collect();
    let output = compare(&python, &lines);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.trim_end(), format!("{} positions agree", lines.len()));
}

#[test]
fn the_script_sees_what_is_wrong() {
    let Some(python) = common::python() else { return };
    let start = Position::default();
    let mv: Move = "f1".parse().unwrap();
    let right = [line(&start, Some(mv)), line(&start.play(mv), None)];
    assert!(compare(&python, &right).status.success());

    for (i, from, to, complaint) in [
        (0, "f1 ", "", "moves"),
        (0, "f1 ", "f1 e5 ", "moves"),
        (0, "*", "1-0", "result"),
        (0, "\tf1\n", "\tf2\n", "position"),
        (1, "o 0 1", "o 1 1", "position"),
    ] {
        let mut wrong = right.clone();
        wrong[i] = wrong[i].replacen(from, to, 1);
        assert_ne!(wrong[i], right[i]);
        let output = compare(&python, &wrong);
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(complaint), "{complaint} is wrong, but: {said}");
    }
}
