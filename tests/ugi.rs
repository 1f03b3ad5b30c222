//! The engine as a speaker of UGI, and the match runner as one of all protocols.

#[path = "common/engine.rs"]
mod engine;

use engine::{Engine, program, succeed};
use physarum::game::{Color, Game, Outcome, Position, Rules};

#[test]
fn it_introduces_itself_and_plays_by_the_rules_of_referees() {
    let mut engine = Engine::start();
    engine.send("ugi");
    engine.expect("id name Physarum …");
    engine.expect("id author …");
    let options = engine.until("ugiok");
    assert!(options.iter().any(|line| line.contains("name Rules type combo default Ataxx")));
    engine.send_all(&["uginewgame", "isready", "position fen 7/7/7/7/4ooo/4ooo/4oox x 0 30"]);
    engine.expect("readyok");
    // A side without a move passes.
    engine.send_all(&["moves", "query gameover"]);
    engine.expect("moves 0000");
    engine.expect("response false");
    engine.end();
}

#[test]
fn queries_follow_a_game_to_its_end() {
    let mut engine = Engine::start();
    engine.send("ugi");
    engine.until("ugiok");
    let mut game = Game::new(Position::default());
    for ply in 0.. {
        let position = *game.position();
        let outcome = position.outcome(Rules::Ataxx);
        let result = match outcome {
            None => "none",
            Some(Outcome::Draw) => "draw",
            Some(Outcome::Win(Color::Black)) => "p1win",
            Some(Outcome::Win(Color::White)) => "p2win",
        };
        engine.send_all(&["query p1turn", "query gameover", "query result"]);
        engine.expect(&format!("response {}", position.side_to_move() == Color::Black));
        engine.expect(&format!("response {}", outcome.is_some()));
        engine.expect(&format!("response {result}"));
        if outcome.is_some() {
            assert!(ply > 20, "{position}");
            break;
        }
        // Neither the first nor the last, so that there is something to capture.
        let legal = position.legal_moves(Rules::Ataxx);
        let mv = legal[ply * 7 % legal.len()];
        engine.send(&format!("moves {mv}"));
        game.play(mv);
    }
    engine.end();
}

#[test]
fn clocks_may_be_named_by_the_players_numbers() {
    let mut engine = Engine::start();
    engine.send_all(&["ugi", "debug on", "position startpos"]);
    engine.until("ugiok");
    // With next to nothing on the own clock and plenty on the other, it must not think long.
    for (line, position) in [
        ("go p1time 20 p2time 3600000 p1inc 0 p2inc 3600000", "position startpos"),
        ("go p1time 3600000 p2time 20 p1inc 3600000 p2inc 0", "position startpos moves f1"),
    ] {
        engine.send_all(&[position, line]);
        let lines = engine.until("bestmove …");
        assert!(!lines.iter().any(|line| line.contains("warning")), "{lines:?}");
    }
    engine.end();
}

#[test]
fn the_reply_is_told_only_to_referees_that_ask_for_it() {
    for dialect in ["uai", "ugi", "uci"] {
        let mut engine = Engine::start();
        let mut answer = |lines: &[&str]| {
            engine.send_all(lines);
            engine.send("go depth 4");
            let last = engine.until("bestmove …").last().cloned().unwrap_or_default();
            last.split(' ').map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(answer(&[]).len(), 4, "{dialect}");
        assert_eq!(answer(&[dialect]).len(), 2, "{dialect}");
        assert_eq!(answer(&["setoption name Ponder value true"])[2], "ponder", "{dialect}");
        assert_eq!(answer(&["setoption name Ponder value false"]).len(), 2, "{dialect}");
        engine.end();
    }
}

#[test]
fn the_match_runner_plays_all_protocols() {
    let path = program(&[]).get_program().to_str().expect("a readable path").to_owned();
    let engine = |name: &str, proto: &str| format!("cmd={path},name={name},proto={proto},nodes=50");
    let second = engine("second", "uai");
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.txt");
    std::fs::write(&book, "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1\n").expect("a file");
    let book = book.to_str().expect("a readable path");
    for first in ["ugi", "uci"].map(|proto| engine("first", proto)) {
        let args =
            ["match", "--engine", &first, "--engine", &second, "--rounds", "5", "--openings", book];
        let report = succeed(&args);
        let is_whole = |line: &str| line.starts_with("Games") && line.contains("10");
        assert!(report.lines().any(is_whole), "{report}");
        // The last column counts illegal moves.
        for name in ["first", "second"] {
            let is_clean = |line: &str| line.starts_with(name) && line.ends_with(" 0");
            assert!(report.lines().any(is_clean), "{report}");
        }
    }
    // An engine that speaks another protocol is none.
    let other = format!("cmd={path},name=other,proto=chess,nodes=50");
    let (status, _, err) = engine::run(&["match", "--engine", &other, "--engine", &second]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("uai, ugi or uci is expected, not \"chess\""), "{err}");
}
