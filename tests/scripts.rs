//! The subcommands for scripts and shells: `bestmove`, `oneshot`, `completions`, `man`.

#[path = "common/engine.rs"]
mod engine;

use engine::{run, run_with_input, succeed};
use physarum::game::{Game, Move, Position, Rules};
use serde_json::Value;

/// Black can capture everything at once, under either rule set.
const WINNING: &str = "7/7/7/7/7/2oo3/x6 x 0 20";

#[test]
fn the_best_move_is_one_line() {
    assert_eq!(succeed(&["bestmove", "--fen", WINNING, "--depth", "5"]), "a1c1\n".to_owned());
    let mv: Move = succeed(&["bestmove", "--nodes", "500"]).trim().parse().unwrap();
    let start = Position::default();
    assert!(start.legal_moves(Rules::Ataxx).contains(&mv), "{mv}");
}

#[test]
fn what_was_found_can_be_had_as_json() {
    let args = ["bestmove", "--fen", "x5o/7/2-1-2/7/2-1-2/7/o5x o 3 7", "--rules", "ataxx"];
    let text = succeed(&[&args[..], &["--depth", "6", "--threads", "1", "--json"]].concat());
    assert_eq!(text.matches('\n').count(), 1, "{text}");
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["fen"], args[2]);
    assert_eq!(found["rules"], "Ataxx");
    assert_eq!(found["depth"], 6);
    assert!(found["nodes"].as_u64().unwrap() > 50, "{found}");
    assert!(found["time_ms"].is_u64() && found["score"]["cp"].is_i64(), "{found}");
    let chances = found["wdl"].as_array().unwrap().iter().map(|chance| chance.as_u64().unwrap());
    assert_eq!(chances.sum::<u64>(), 1000, "{found}");
    let line = found["line"].as_array().unwrap();
    assert_eq!(line[0], found["best"]);
    let mut game = Game::new(args[2].parse().unwrap());
    for mv in line {
        let mv: Move = mv.as_str().unwrap().parse().unwrap();
        assert!(game.position().legal_moves(Rules::Ataxx).contains(&mv), "{text}");
        game.play(mv);
    }
    let text = succeed(&["bestmove", "--fen", WINNING, "--depth", "5", "--json"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["score"]["mate"], 1, "{found}");
}

#[test]
fn without_a_move_it_says_why() {
    for (fen, reason) in [("7/7/7/7/7/7/x6 o 0 9", "x wins"), ("7/7/7/7/7/7/o6 o 0 9", "o wins")] {
        let (status, out, err) = run(&["bestmove", "--fen", fen]);
        assert_eq!((status, out.as_str()), (Some(1), ""));
        assert_eq!(err, format!("error: there is no move, the game is over: {reason}\n"));
    }
    for (args, named) in [
        (&["--fen", "x5o/7/7 x 0 1"][..], "3 ranks on the board"),
        (&["--depth", "0"], "a whole number from 1 to 120 is expected"),
        (&["--nodes", "0"], "--nodes"),
        (&["--movetime", "soon"], "--movetime"),
        (&["--rules", "go"], "Assimilation, Ataxx or Fill is expected"),
    ] {
        let (status, out, err) = run(&[&["bestmove"], args].concat());
        assert_eq!((status, out.as_str()), (Some(2), ""), "{args:?}: {err}");
        assert!(err.starts_with("error: ") && err.contains(named), "{args:?}: {err}");
    }
    let (status, out, err) = run(&["bestmove", "--eval-file", "/nowhere/at/all"]);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(err.starts_with("error: cannot use the network"), "{err}");
}

/// Asks as a one-shot referee does.
fn ask(text: &str, args: &[&str]) -> (Option<i32>, String, String) {
    run_with_input(&[&["oneshot"], args].concat(), text)
}

#[test]
fn a_one_shot_referee_gets_one_move() {
    const CLOCKS: &str = "60000 60000\n";
    let empty = ".......\n".repeat(4);
    // White can capture all by a jump; black, in the same place, by a clone.
    for (text, answer) in [
        (format!("1\n{empty}.......\n..xx...\no......\n"), "a1-c1\n"),
        (format!("0\n{empty}..oo...\n.x.....\n.......\n"), "c2\n"),
    ] {
        let (status, out, err) = ask(&(text + CLOCKS), &["--depth", "4"]);
        assert_eq!((status, out.as_str()), (Some(0), answer), "{err}");
        assert!(err.starts_with("kibitz ") && err.matches('\n').count() == 1, "{err}");
        assert!(err.contains(" score mate 1 ") && err.contains(answer.trim_end()), "{err}");
    }
    // The time of who moves is short, or gone: there is an answer all the same.
    for clocks in ["100 60000\n", "0\n60000\n", "-20 5\n"] {
        let board = ".......\n".repeat(5);
        let (status, out, err) = ask(&format!("0\nx.....o\n{board}o.....x\n{clocks}"), &[]);
        assert_eq!(status, Some(0), "{err}");
        let mv: Move = out.trim_end().replace('-', "").parse().unwrap();
        assert!(Position::default().check(mv, Rules::Fill).is_ok(), "{out}");
    }
}

#[test]
fn one_shot_referees_have_rules_of_their_own() {
    let cut_off = "0\n.......\n.......\nooooooo\nooooooo\nxxxxxxx\nxxxxxxx\nxxxxxxx\n1000 1000\n";
    for (rules, winner) in [("fill", "o"), ("assimilation", "x")] {
        let (status, out, err) = ask(cut_off, &["--rules", rules]);
        assert_eq!((status, out.as_str()), (Some(1), ""));
        assert_eq!(err, format!("error: there is no move, the game is over: {winner} wins\n"));
    }
    assert_eq!(ask(cut_off, &[]).2, ask(cut_off, &["--rules", "fill"]).2);
    assert_eq!(ask(cut_off, &["--rules", "ataxx"]).1, "0000\n");
}

#[test]
fn what_no_one_shot_referee_writes_is_refused() {
    for (text, message) in [
        ("", "the input ends before the side to move, 0 or 1"),
        ("2\n", "line 1: the side to move is \"2\": 0 or 1 is expected"),
        ("0\nx.....o\n", "the input ends before the seven rows of the board"),
    ] {
        let (status, out, err) = ask(text, &[]);
        assert_eq!((status, out.as_str()), (Some(1), ""));
        assert_eq!(err, format!("error: {message}\n"));
    }
    assert_eq!(ask("", &["--depth", "0"]).0, Some(2));
}

#[test]
fn shells_learn_all_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = succeed(&["completions", shell]);
        for word in ["physarum", "bestmove", "datagen", "movetime"] {
            assert!(text.contains(word), "{shell}: no {word}");
        }
    }
    assert_eq!(run(&["completions", "abacus"]).0, Some(2));
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let page = succeed(&["man"]);
    assert!(page.contains(".TH") && page.contains("Ataxx"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man1");
    succeed(&["man", "--out", out.to_str().unwrap()]);
    for (name, word) in [("physarum", "bestmove"), ("physarum-match", "concurrency")] {
        let page = std::fs::read_to_string(out.join(name).with_extension("1")).unwrap();
        assert!(page.contains(word), "{name}: {page}");
    }
    // Where there is a file already, no folder can be.
    let taken = out.join("physarum.1");
    let (status, _, err) = run(&["man", "--out", taken.to_str().unwrap()]);
    assert_eq!(status, Some(1));
    assert!(err.starts_with("error: cannot write manual pages"), "{err}");
}
