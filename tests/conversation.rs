//! Conversations with the engine: what `protocol.md` says of each command, option and limit.

#[path = "common/engine.rs"]
mod engine;

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use engine::{DEADLINE, Engine, best_move, fits, number_after, program, read_all, wait_for};
use physarum::game::{Game, Position, Rules, perft};

/// Black is shut in; white still has a move.
const SHUT_IN: &str = "7/7/7/7/4ooo/4ooo/4oox x 0 30";
/// Each side has one stone and nothing but jumps, for ever.
const ENDLESS_JUMPS: &str = "x-1-o-1/-------/1-1-1-1/-------/1-1-1-1/-------/1-1-1-1 x 0 1";
const WHITE_HAS_WON: &str = "ooooooo/7/7/7/7/7/7 x 0 9";

fn play(fen: &str, moves: &[&str], rules: Rules) -> Position {
    let mut game = Game::new(fen.parse().expect("a good FEN"));
    game.play_texts(moves.iter().copied(), rules).expect("legal moves");
    *game.position()
}

/// The best move, which must be legal.
#[track_caller]
fn legal_best_move(lines: &[String], position: &Position, rules: Rules) -> String {
    let best = lines.last().and_then(|line| best_move(line)).expect("a best move at the end");
    let moves = position.legal_moves(rules);
    assert!(moves.iter().any(|mv| mv.to_string() == best), "{best} is not legal in {position}");
    best.to_owned()
}

fn count(lines: &[String], start: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(start)).count()
}

/// Searches that end only when told to.
const ENDLESS: [&str; 5] =
    ["go infinite", "go", "go ponder", "go ponder depth 3", "go searchmoves f1 g2"];
/// Searches that end by themselves, though not soon: for what must get through or wait meanwhile.
const LONG: [&str; 2] = ["go depth 100", "go mate 50 nodes 18446744073709551615"];

// Answers to single commands.

#[test]
fn uai_introduces_the_engine() {
    let mut engine = Engine::start();
    engine.send("uai and words that do not matter");
    engine.expect(&format!("id name Physarum {}", env!("CARGO_PKG_VERSION")));
    engine.expect("id author …");
    let options = engine.until("uaiok");
    assert_eq!(options.len() - 1, count(&options, "option name "));
    assert_eq!(engine.ask("uai").last().map(String::as_str), Some("uaiok"));
    engine.end();
}

#[test]
fn position_takes_a_start_and_moves() {
    let start = "x5o/7/7/7/7/7/o5x x 0 1";
    let other = "x5o/7/2-1-2/7/2-1-2/7/o5x o 3 9";
    let mut engine = Engine::start();
    for (line, fen) in [
        ("position startpos", start),
        ("position startpos moves", start),
        ("position fen startpos", start),
        ("position fen startpos moves f1", "x5o/7/7/7/7/7/o4xx o 0 1"),
        ("position startpos moves g1f1 A1-C3 P@F2", "x5o/7/7/7/2o4/5x1/5xx o 0 2"),
        ("position fen X5W/7/2*1*2/7/2-1-2/7/O5B W 3 9", other),
        ("position\tfen   x5o/7/2-1-2/7/2-1-2/7/o5x \t o  3  9 ", other),
        ("position fen x5o/7/7/7/7/7/o5x O", "x5o/7/7/7/7/7/o5x o 0 1"),
        ("position fen x5o/7/7/7/7/7/o5x b 7", "x5o/7/7/7/7/7/o5x x 7 1"),
        (
            "position fen x5o/7/7/7/7/7/o5x x 65535 65535 moves g1g3",
            "x5o/7/7/7/6x/7/o6 o 65535 65535",
        ),
    ] {
        engine.send(line);
        assert_eq!(engine.fen(), fen, "{line}");
    }
    // `moves` plays on from there.
    engine.send("position startpos");
    engine.send("moves f1");
    engine.send("moves a1b1 f2");
    assert_eq!(engine.fen(), "x5o/7/7/7/7/5x1/oo3xx o 0 2");
    engine.end();
}

#[test]
fn moves_lists_what_is_legal() {
    let mut engine = Engine::start();
    engine.send("uai");
    engine.until("uaiok");
    for fen in ["x5o/7/7/7/7/7/o5x x 0 1", SHUT_IN, WHITE_HAS_WON, ENDLESS_JUMPS] {
        engine.send(&format!("position fen {fen}"));
        let position: Position = fen.parse().expect("a good FEN");
        let mut expected = vec!["moves".to_owned()];
        expected.extend(position.legal_moves(Rules::Ataxx).iter().map(ToString::to_string));
        assert_eq!(engine.ask("moves"), [expected.join(" ")]);
    }
    engine.end();
}

#[test]
fn display_shows_board_rules_and_outcome() {
    let mut engine = Engine::start();
    engine.send(&format!("position fen {WHITE_HAS_WON}"));
    let lines = engine.ask("display");
    assert_eq!(engine.ask("d"), lines);
    assert_eq!(lines[0], "7  o o o o o o o");
    assert_eq!(lines[6], "1  . . . . . . .");
    assert_eq!(lines[7], "   a b c d e f g");
    assert_eq!(lines[8], format!("fen {WHITE_HAS_WON}"));
    let hash = lines[9].strip_prefix("hash ").expect("the hash comes next");
    assert!(hash.len() == 16 && u64::from_str_radix(hash, 16).is_ok(), "{hash}");
    assert_eq!(lines[10..], ["rules Assimilation", "stones x 0 o 7", "outcome o wins"]);
    // The clocks have no part in the hash, the side to move has.
    for (fen, same) in [("ooooooo/7/7/7/7/7/7 x 5 7", true), ("ooooooo/7/7/7/7/7/7 o 0 9", false)] {
        engine.send(&format!("position fen {fen}"));
        assert_eq!(engine.ask("d")[9] == lines[9], same);
    }
    engine.end();
}

#[test]
fn eval_adds_up() {
    let mut engine = Engine::start();
    engine.send("position startpos moves f1 b1 f1f3");
    let lines = engine.ask("eval");
    let words: Vec<&str> = lines[0].split(' ').collect();
    assert!(matches!(words[..], ["eval", "cp", _, "network", _, "256"]), "{lines:?}");
    // Then the board: black's stones are good for white, whose turn it is, if they go.
    let [_, ranks @ .., files] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((ranks.len(), files.split_whitespace().count()), (7, 7), "{lines:?}");
    let stones: Vec<&str> =
        ranks.iter().flat_map(|rank| rank.split('|').skip(1)).map(str::trim).collect();
    let of = |symbol| stones.iter().filter_map(move |stone| stone.strip_prefix(symbol));
    let good = of("x ").filter(|change| change.trim().starts_with('+')).count();
    let bad = of("o ").filter(|change| change.trim().starts_with('-')).count();
    assert_eq!((good, bad), (3, 3), "{lines:?}");
    engine.send("setoption name EvalFile value hand-written");
    let lines = engine.ask("eval");
    assert_eq!(lines.len(), 1);
    let words: Vec<&str> = lines[0].split(' ').collect();
    assert_eq!(words[..2], ["eval", "cp"]);
    let parts: Vec<i32> = words[4..].iter().step_by(2).map(|w| w.parse().unwrap()).collect();
    assert_eq!(words[2].parse(), Ok(parts.iter().sum::<i32>()), "{}", lines[0]);
    engine.send(&format!("position fen {WHITE_HAS_WON}"));
    assert_eq!(engine.ask("eval"), ["eval game over: o wins"]);
    engine.end();
}

#[test]
fn perft_and_split_count() {
    let mut engine = Engine::start();
    for (fen, rules) in [
        ("x5o/7/7/7/7/7/o5x x 0 1", Rules::Ataxx),
        ("x5o/7/2-1-2/7/2-1-2/7/o5x o 0 1", Rules::Assimilation),
        (SHUT_IN, Rules::Ataxx),
        (SHUT_IN, Rules::Assimilation),
        (WHITE_HAS_WON, Rules::Ataxx),
    ] {
        engine.send(&format!("setoption name Rules value {rules}"));
        engine.send(&format!("position fen {fen}"));
        let position: Position = fen.parse().expect("a good FEN");
        for depth in 0..=3 {
            let nodes = perft(&position, depth, rules);
            engine.send(&format!("perft {depth}"));
            engine.expect(&format!("nodes {nodes} time … nps …"));
        }
        for depth in 1..=3 {
            engine.send(&format!("split {depth}"));
            for mv in position.legal_moves(rules) {
                let nodes = perft(&position.play(mv), depth - 1, rules);
                engine.expect(&format!("{mv} {nodes}"));
            }
            engine.expect(&format!("nodes {} time … nps …", perft(&position, depth, rules)));
        }
    }
    engine.end();
}

#[test]
fn split_writes_no_empty_lines() {
    let mut engine = Engine::start();
    for (fen, depth) in [(WHITE_HAS_WON, 1), ("x5o/7/7/7/7/7/o5x x 0 1", 0)] {
        engine.send(&format!("position fen {fen}"));
        engine.send(&format!("split {depth}"));
        engine.expect("nodes … time … nps …");
    }
    engine.end();
}

#[test]
fn bench_counts_the_same_as_on_the_command_line() {
    let output = program(&["bench", "3"]).output().expect("the program should start");
    let text = String::from_utf8(output.stdout).expect("text");
    let last = text.lines().last().expect("a last line");
    let nodes = last.split(' ').next().expect("a first word");
    assert!(nodes.parse::<u64>().is_ok_and(|nodes| nodes > 0), "{last}");
    let mut engine = Engine::start_with(&["--threads", "2", "--hash", "1"]);
    engine.send("position startpos moves f1");
    // What was searched before, and how, makes no difference.
    engine.send("go depth 3");
    engine.until("bestmove …");
    for _ in 0..2 {
        engine.send("bench 3");
        let lines = engine.until(&format!("{nodes} nodes … nps"));
        let steps = &lines[..lines.len() - 1];
        let sum: u64 = steps.iter().filter_map(|line| number_after(line, "nodes")).sum();
        assert_eq!(sum.to_string(), nodes);
        for (index, line) in steps.iter().enumerate() {
            let start = format!("info string bench {}/{} nodes ", index + 1, steps.len());
            assert!(line.starts_with(&start), "{line}");
        }
    }
    // The position is still the one that was set.
    assert_eq!(engine.fen(), "x5o/7/7/7/7/7/o4xx o 0 1");
    engine.end();
}

#[test]
fn help_lists_every_command() {
    let mut engine = Engine::start();
    let lines = engine.ask("help");
    for name in [
        "uai",
        "isready",
        "setoption",
        "uainewgame",
        "position",
        "moves",
        "go",
        "stop",
        "ponderhit",
        "quit",
        "d",
        "display",
        "eval",
        "perft",
        "split",
        "bench",
        "help",
        "debug",
    ] {
        let names = |line: &String| line.split([',', ' ', ':']).any(|word| word == name);
        assert!(lines.iter().any(names), "{name} is missing from {lines:?}");
    }
    engine.end();
}

#[test]
fn debug_adds_lines_and_takes_them_away() {
    let mut engine = Engine::start();
    let texts = |engine: &mut Engine| {
        engine.send("go depth 2");
        count(&engine.until("bestmove …"), "info string ")
    };
    assert_eq!(texts(&mut engine), 0);
    engine.send("debug on");
    assert!(texts(&mut engine) > 0);
    engine.send("debug off");
    assert_eq!(texts(&mut engine), 0);
    engine.end();
}

#[test]
fn lines_end_and_words_are_separated_as_documented() {
    let mut engine = Engine::start();
    engine.send_bytes(b"\r\n\n   \n\t\r\nisready\r\n");
    engine.expect("readyok");
    engine.send_bytes(b"\tisready \t now\n");
    engine.expect("readyok");
    engine.send_bytes(b"SETOPTION name Hash value 1\n");
    engine.expect("info string error: unknown command \"SETOPTION\" …");
    engine.send_bytes(b"setoption  name   MOVE \t overhead  value  3\r\n");
    engine.send_bytes(b"position startpos moves F1 A1B1\r\nd\r\n");
    engine.until("fen x5o/7/7/7/7/7/oo3xx x 0 2");
    engine.until("outcome none");
    // The last line may have no end.
    engine.send_bytes(b"go depth 1");
    let (status, lines) = engine.finish();
    assert!(status.success());
    assert_eq!(count(&lines, "bestmove "), 1);
}

#[test]
fn stop_and_ponderhit_outside_a_search_are_ignored() {
    let mut engine = Engine::start();
    for line in ["stop", "ponderhit", "stop now", "uainewgame", "debug on", "debug off"] {
        assert!(engine.ask(line).is_empty(), "{line}");
    }
    // A stop that came too early stops nothing.
    engine.send_all(&["stop", "go depth 4"]);
    assert_eq!(count(&engine.until("bestmove …"), "info depth 4 "), 1);
    // Nor does a ponderhit end a later ponder.
    engine.send_all(&["ponderhit", "go ponder depth 1"]);
    engine.stays_unanswered();
    engine.send("stop");
    engine.until("bestmove …");
    engine.end();
}

// Limits.

#[test]
fn info_lines_hold_a_legal_line_and_grow_deeper() {
    let fen = "x3ooo/1xx3o/1x2oo1/1xx1oox/7/4ooo/1oo3o x 0 13";
    let mut engine = Engine::start_with(&["--rules", "ataxx"]);
    engine.send(&format!("position fen {fen}"));
    engine.send("go depth 7");
    let lines = engine.until("bestmove …");
    legal_best_move(&lines, &play(fen, &[], Rules::Ataxx), Rules::Ataxx);
    let mut last = [0; 3];
    for (index, line) in lines[..lines.len() - 1].iter().enumerate() {
        for word in ["seldepth", "multipv", "nps", "hashfull", "time"] {
            assert!(number_after(line, word).is_some(), "no {word}: {line}");
        }
        let now = ["depth", "nodes", "time"].map(|word| number_after(line, word).unwrap());
        assert_eq!(now[0], index as u64 + 1, "each depth once: {line}");
        assert!(now[1] > last[1] && now[2] >= last[2], "{line}");
        last = now;
        let (_, moves) = line.split_once(" pv ").expect("a line of moves");
        let moves: Vec<&str> = moves.split(' ').collect();
        play(fen, &moves, Rules::Ataxx);
        assert!(number_after(line, "seldepth") >= Some(moves.len() as u64), "{line}");
    }
    assert_eq!(last[0], 7);
    engine.end();
}

#[test]
fn nodes_are_never_exceeded() {
    for threads in [1, 2, 4] {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Threads value {threads}"));
        engine.send("debug on");
        for limit in [1, 2, 3, 10, 100, 1000, 1023, 1024, 1025, 5000, 20_000] {
            engine.send("setoption name Clear Hash");
            engine.send(&format!("go nodes {limit}"));
            let lines = engine.until("bestmove …");
            let all = lines.iter().find(|line| line.ends_with(" in all")).expect("a summary");
            let all = number_after(all, "nodes").expect("a number of nodes");
            assert!(all <= limit, "{all} nodes of {limit} by {threads} threads");
            // One thread has no other to leave a share to.
            assert!(threads > 1 || all == limit, "{all} nodes of {limit}");
            let shown = lines.iter().filter_map(|line| number_after(line, "nodes")).max();
            assert!(shown <= Some(limit), "{shown:?} nodes of {limit} by {threads} threads");
            legal_best_move(&lines, &Position::default(), Rules::Assimilation);
        }
        engine.end();
    }
}

#[test]
fn a_search_broken_off_says_what_it_has_found() {
    let fen = "xxxxx2/xooxxoo/xoooxoo/xxoo1oo/oxxxooo/oooxooo/1ooxooo x 2 50";
    for multi_pv in [1, 3] {
        let mut engine = Engine::start_with(&["--hash", "1"]);
        engine.send(&format!("setoption name MultiPV value {multi_pv}"));
        for start in ["position startpos".to_owned(), format!("position fen {fen}")] {
            engine.send(&start);
            for nodes in (100..4000).step_by(130) {
                engine.send("setoption name Clear Hash");
                engine.send(&format!("go nodes {nodes}"));
                let lines = engine.until("bestmove …");
                let (best, infos) = lines.split_last().expect("a last line");
                let last = infos.iter().rfind(|line| line.contains(" multipv 1 "));
                let (_, moves) = last.and_then(|line| line.split_once(" pv ")).expect("a line");
                let first = moves.split(' ').next();
                assert_eq!(best_move(best), first, "{start}: {nodes} nodes: {lines:?}");
            }
        }
        engine.end();
    }
}

#[test]
fn the_first_limit_reached_ends_the_search() {
    let mut engine = Engine::start();
    engine.send("debug on");
    let mut summary = |line: &str| {
        engine.send("setoption name Clear Hash");
        engine.send(line);
        let lines = engine.until("bestmove …");
        let all = lines.iter().find(|line| line.ends_with(" in all")).expect("a summary");
        ["depth", "nodes", "time"].map(|word| number_after(all, word).expect("a number"))
    };
    assert_eq!(summary("go depth 3 nodes 100000000 movetime 600000")[0], 3);
    assert_eq!(summary("go nodes 2000 depth 100 movetime 600000")[1], 2000);
    let [depth, _, time] = summary("go movetime 100 depth 100 nodes 10000000000");
    assert!(depth < 100 && (90..60_000).contains(&time), "{depth} {time}");
    let [depth, _, time] = summary("go wtime 3000 btime 3000 movetime 600000 depth 100");
    assert!(depth < 100 && time <= 3000, "{depth} {time}");
    assert_eq!(summary("go mate 5 depth 2")[0], 2);
    engine.end();
}

#[test]
fn movetime_is_used_less_the_overhead() {
    let mut engine = Engine::start();
    engine.send("debug on");
    let mut time = |overhead: u32, movetime: u32| {
        engine.send(&format!("setoption name Move Overhead value {overhead}"));
        engine.send(&format!("go movetime {movetime}"));
        let lines = engine.until("bestmove …");
        let all = lines.iter().find(|line| line.ends_with(" in all")).expect("a summary");
        number_after(all, "time").expect("a time")
    };
    assert!(time(0, 150) >= 150);
    assert!(time(10, 150) >= 140);
    // No upper bound that a busy machine could break: a search that ignored the overhead would
    // take a minute.
    assert!(time(10_000, 10_000) < 10_000);
    engine.end();
}

#[test]
fn a_clock_that_has_run_out_is_answered_at_once() {
    let mut engine = Engine::start();
    for line in [
        "go movetime 0",
        "go movetime -100",
        "go btime 0 wtime 0",
        "go btime -5 wtime 300000 binc 0 winc 0",
        "go wtime 0", // black to move: white's clock counts for both
        "go binc 0",
        "go btime 1 wtime 1 movestogo 1",
    ] {
        engine.send(line);
        legal_best_move(&engine.until("bestmove …"), &Position::default(), Rules::Assimilation);
    }
    engine.end();
}

#[test]
fn a_clock_is_kept() {
    let mut engine = Engine::start();
    engine.send("debug on");
    for line in [
        "go btime 1000 wtime 1",
        "go btime 600 wtime 1 binc 20 winc 0",
        "go btime 200 wtime 1 movestogo 2",
        "go wtime 500",
        "go btime 50 wtime 50 binc 100000",
    ] {
        engine.send(line);
        let lines = engine.until("bestmove …");
        let all = lines.iter().find(|line| line.ends_with(" in all")).expect("a summary");
        // What it takes to be scheduled is not the engine's fault; it never plans beyond.
        assert!(number_after(all, "time").is_some_and(|time| time < 5000), "{line}: {all}");
    }
    engine.end();
}

#[test]
fn mate_is_found_or_proven_not_to_be_there() {
    // Black turns white's last stones with the move to the only empty square.
    let won = "xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/xxxxxoo/xxxxx1o x 0 40";
    let mut engine = Engine::start_with(&["--rules", "ataxx"]);
    engine.send(&format!("position fen {won}"));
    engine.send("go mate 1");
    let lines = engine.until("bestmove …");
    assert!(lines.iter().any(|line| line.contains(" score mate 1 ")), "{lines:?}");
    // No game is won in one move from the start.
    engine.send_all(&["position startpos", "go mate 1"]);
    let lines = engine.until("bestmove …");
    assert_eq!(count(&lines, "info depth 2 "), 1, "two plies, the last may be white's");
    assert!(!lines.iter().any(|line| line.contains(" score mate")), "{lines:?}");
    engine.end();
}

#[test]
fn searchmoves_are_obeyed() {
    let mut engine = Engine::start();
    let start = Position::default();
    for (line, allowed) in [
        ("go depth 4 searchmoves g1e3", &["g1e3"][..]),
        ("go searchmoves a7c7 f2 depth 4", &["a7c7", "f2"]),
        ("go searchmoves G1-F1 p@F1 nodes 2000", &["f1"]),
        ("go nodes 1 searchmoves g1g3", &["g1g3"]),
    ] {
        engine.send(line);
        let lines = engine.until("bestmove …");
        let best = legal_best_move(&lines, &start, Rules::Assimilation);
        assert!(allowed.contains(&best.as_str()), "{line}: {best}");
        for line in lines.iter().filter_map(|line| line.split_once(" pv ")) {
            assert!(allowed.contains(&line.1.split(' ').next().unwrap()), "{line:?}");
        }
    }
    // They hold for one search only.
    engine.send_all(&["setoption name MultiPV value 288", "go depth 1"]);
    assert_eq!(count(&engine.until("bestmove …"), "info depth 1 "), 16);
    engine.end();
}

#[test]
fn multipv_shows_each_move_once_the_best_first() {
    let fen = "x1x3o/1xxx1o1/2x1oo1/xx2o2/x6/oo5/oo5 x 2 12";
    let position = play(fen, &[], Rules::Ataxx);
    let legal = position.legal_moves(Rules::Ataxx).len();
    let mut engine = Engine::start_with(&["--rules", "ataxx"]);
    engine.send(&format!("position fen {fen}"));
    for wanted in [1, 2, 5, 288] {
        engine.send(&format!("setoption name MultiPV value {wanted}"));
        engine.send("go depth 4");
        let lines = engine.until("bestmove …");
        let best = legal_best_move(&lines, &position, Rules::Ataxx);
        for depth in 1..=4 {
            let start = format!("info depth {depth} ");
            let shown: Vec<_> = lines.iter().filter(|line| line.starts_with(&start)).collect();
            assert_eq!(shown.len(), legal.min(wanted), "depth {depth}");
            let mut firsts = Vec::new();
            let mut last_score = i64::MAX;
            for (index, line) in shown.iter().enumerate() {
                assert_eq!(number_after(line, "multipv"), Some(index as u64 + 1));
                let (_, moves) = line.split_once(" pv ").expect("a line of moves");
                let moves: Vec<&str> = moves.split(' ').collect();
                play(fen, &moves, Rules::Ataxx);
                assert!(!firsts.contains(&moves[0]), "{} twice", moves[0]);
                firsts.push(moves[0]);
                let score = score_of(line);
                assert!(score <= last_score, "{line}");
                last_score = score;
            }
            assert!(depth < 4 || firsts[0] == best);
        }
    }
    engine.end();
}

/// The score of an `info` line as a number that orders them.
fn score_of(line: &str) -> i64 {
    let words: Vec<&str> = line.split(' ').collect();
    let at = words.iter().position(|&word| word == "score").expect("a score");
    let value: i64 = words[at + 2].parse().expect("a number");
    match words[at + 1] {
        "cp" => value,
        "mate" if value > 0 => 1_000_000 - value,
        "mate" => -1_000_000 - value,
        kind => panic!("neither cp nor mate: {kind}"),
    }
}

#[test]
fn unknown_words_of_go_are_skipped_with_their_numbers() {
    let mut engine = Engine::start();
    engine.send("go simulations 500 -3 1e3 depth 2 temperature 0.5 soon");
    // One line for all, however many.
    engine.expect("info string warning: go: unknown word \"simulations\" and 2 more skipped");
    assert_eq!(count(&engine.until("bestmove …"), "info depth "), 2);
    engine.end();
}

#[test]
fn the_same_search_in_two_engines_gives_the_same_lines() {
    let searches = |rules: &str| {
        let mut engine = Engine::start_with(&["--rules", rules]);
        for line in [
            "position startpos moves f1 b1 f2 b2",
            "go depth 7",
            "setoption name MultiPV value 3",
            "go nodes 20000",
            "go mate 2",
            "uainewgame",
            "go depth 5 searchmoves g1e1 g2",
        ] {
            engine.send(line);
        }
        let (_, lines) = engine.finish();
        lines.iter().map(|line| without_times(line)).collect::<Vec<_>>()
    };
    for rules in ["ataxx", "assimilation"] {
        assert_eq!(searches(rules), searches(rules));
    }
}

/// A line without what depends on the clock.
fn without_times(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    for name in ["nps", "time"] {
        if let Some(at) = words.iter().position(|&word| word == name) {
            words.drain(at..=at + 1);
        }
    }
    words.join(" ")
}

#[test]
fn what_was_learned_is_forgotten_when_asked() {
    for forget in
        ["uainewgame", "setoption name Clear Hash value x", "setoption name hash value 64"]
    {
        let mut engine = Engine::start();
        let mut nodes = |line: &str| {
            engine.send_all(&[line, "debug on", "go depth 6"]);
            let lines = engine.until("bestmove …");
            let all = lines.iter().find(|line| line.ends_with(" in all")).expect("a summary");
            number_after(all, "nodes")
        };
        let first = nodes("");
        // What the table holds makes the second search another one.
        assert_ne!(nodes(""), first);
        assert_eq!(nodes(forget), first, "{forget}");
        engine.end();
    }
}

#[test]
fn uainewgame_keeps_the_position() {
    let mut engine = Engine::start();
    engine.send_all(&["position startpos moves f1", "uainewgame"]);
    assert_eq!(engine.fen(), "x5o/7/7/7/7/7/o4xx o 0 1");
    engine.end();
}

// Rules.

#[test]
fn the_rules_in_force_are_those_set_last_or_the_referees() {
    let rules = |args: &[&str], lines: &[&str]| {
        let mut engine = Engine::start_with(args);
        engine.send_all(lines);
        let shown = engine.ask("d").into_iter().find(|line| line.starts_with("rules ")).unwrap();
        // The position that tells the two apart: over, or a pass.
        engine.send(&format!("position fen {SHUT_IN}"));
        let moves = engine.ask("moves").pop().unwrap();
        engine.end();
        assert_eq!(moves == "moves 0000", shown == "rules Ataxx", "{moves} {shown}");
        shown
    };
    let [assimilation, ataxx] = ["rules Assimilation", "rules Ataxx"];
    let set_ataxx = "setoption name Rules value ATAXX";
    let set_assimilation = "setoption name rules value assimilation";
    for (args, lines, expected) in [
        (&[][..], &[][..], assimilation),
        (&[], &["uai"], ataxx),
        (&[], &["uai", "uai"], ataxx),
        (&[], &[set_ataxx], ataxx),
        (&[], &[set_assimilation, "uai"], assimilation),
        (&[], &["uai", set_assimilation], assimilation),
        (&[], &["uai", set_assimilation, set_ataxx], ataxx),
        (&[], &[set_ataxx, "setoption name Rules value chess"], ataxx),
        (&[], &["uai", "uainewgame"], ataxx),
        (&["--rules", "assimilation"], &["uai"], assimilation),
        (&["--rules", "ataxx"], &[], ataxx),
        (&["--rules", "ataxx"], &[set_assimilation], assimilation),
    ] {
        assert_eq!(rules(args, lines), expected, "{args:?} {lines:?}");
    }
}

#[test]
fn a_side_without_a_move_passes_or_has_ended_the_game() {
    let mut engine = Engine::start();
    engine.send(&format!("position fen {SHUT_IN}"));
    engine.send("go depth 3");
    engine.expect("info string game over: o wins");
    engine.expect("bestmove 0000");
    engine.send("setoption name Rules value Ataxx");
    engine.send(&format!("position fen {SHUT_IN}"));
    engine.send("go depth 3");
    let lines = engine.until("bestmove …");
    assert_eq!(count(&lines, "info string game over"), 0);
    let best = lines.last().map(|line| best_move(line));
    assert_eq!(best, Some(Some("0000")));
    assert!(lines[0].contains(" pv 0000"), "{}", lines[0]);
    for (text, after) in [
        ("pass", "7/7/7/7/4ooo/4ooo/4oox o 1 30"),
        ("NULL", "7/7/7/7/4ooo/4ooo/4oox o 1 30"),
        ("g1g1", "7/7/7/7/4ooo/4ooo/4oox o 1 30"),
        ("0000", "7/7/7/7/4ooo/4ooo/4oox o 1 30"),
    ] {
        engine.send(&format!("position fen {SHUT_IN} moves {text}"));
        assert_eq!(engine.fen(), after);
    }
    engine.end();
}

#[test]
fn a_finished_game_is_answered_with_its_result() {
    let mut engine = Engine::start();
    engine.send("uai");
    engine.until("uaiok");
    for (fen, result) in [
        (WHITE_HAS_WON, "o wins"),
        ("xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/ooooooo/ooooooo/ooooooo o 0 50", "x wins"),
        ("xxxxxxx/xxxxxxx/xxxxxxx/xxx-ooo/ooooooo/ooooooo/ooooooo o 0 50", "draw"),
        ("7/7/7/7/7/7/7 x 0 1", "draw"),
        ("x5o/7/7/7/7/7/o5x x 100 70", "draw"),
        ("x5o/7/7/7/7/7/o5x x 65535 70", "draw"),
        // The hundredth halfmove and a game over on the board: the board decides.
        ("xxxxxxx/7/7/7/7/7/7 o 100 70", "x wins"),
    ] {
        engine.send(&format!("position fen {fen}"));
        assert!(engine.ask("d").contains(&format!("outcome {result}")), "{fen}");
        for go in ["go depth 3", "go nodes 1", "go mate 1", "go movetime 0", "go btime 1 wtime 1"] {
            engine.send(go);
            engine.expect(&format!("info string game over: {result}"));
            engine.expect("bestmove 0000");
        }
        assert_eq!(engine.ask("moves"), ["moves"]);
    }
    engine.end();
}

#[test]
fn a_hundred_halfmoves_are_a_draw_only_under_ataxx() {
    let fen = "x5o/7/7/7/7/7/o5x x 98 70";
    let mut engine = Engine::start_with(&["--rules", "ataxx"]);
    engine.send(&format!("position fen {fen} moves g1g3 a1a3"));
    engine.send("go depth 2");
    engine.expect("info string game over: draw");
    engine.expect("bestmove 0000");
    engine.send(&format!("position fen {fen} moves g1g3 a1a3 g2"));
    engine.expect("info string error: position: move 3 \"g2\": the game is over");
    // A clone begins the count anew.
    engine.send(&format!("position fen {fen} moves g1g3 a2 g2"));
    assert_eq!(engine.fen(), "x5o/7/7/7/6x/o5x/o6 o 0 71");
    engine.send("setoption name Rules value Assimilation");
    engine.send(&format!("position fen {fen} moves g1g3 a1a3 g3g1 a3a1"));
    assert_eq!(engine.fen(), "x5o/7/7/7/7/7/o5x x 102 72");
    engine.send("go depth 2");
    let lines = engine.until("bestmove …");
    legal_best_move(&lines, &play(fen, &[], Rules::Assimilation), Rules::Assimilation);
    engine.end();
}

// Options.

#[test]
fn every_option_is_taken() {
    let mut engine = Engine::start();
    for line in [
        "setoption name Hash value 1",
        "setoption name Threads value 3",
        "setoption name MultiPV value 2",
        "setoption name Ponder value TRUE",
        "setoption name Ponder value false",
        "setoption name Move Overhead value 0",
        "setoption name Move Overhead value 10000",
        "setoption name Rules value Ataxx",
        "setoption name Clear Hash",
        "setoption name Clear Hash value of no matter",
        "setoption name Log File value <empty>",
        "setoption name Log File",
        "setoption name Log File value",
    ] {
        assert_eq!(engine.ask(line), [""; 0], "{line}");
    }
    // The values in force are used; those that `uai` shows are still the first ones.
    engine.send("go depth 2");
    assert_eq!(count(&engine.until("bestmove …"), "info depth 2 "), 2);
    let lines = engine.ask("uai");
    assert!(lines.contains(&"option name Hash type spin default 64 min 1 max 65536".into()));
    assert!(lines.contains(&"option name MultiPV type spin default 1 min 1 max 288".into()));
    engine.end();
}

#[test]
fn the_log_file_holds_both_directions() {
    let folder = tempfile::tempdir().expect("a folder for the log");
    let path = folder.path().join("physarum test.log");
    std::fs::write(&path, "what was there before\n").expect("a file to append to");
    let mut engine = Engine::start();
    engine.send(&format!("setoption name Log File value {}", path.display()));
    engine.send_all(&["isready", "go depth 1"]);
    engine.until("bestmove …");
    engine.send("nonsense");
    engine.expect("info string error: …");
    engine.send_all(&["setoption name Log File value <empty>", "uai"]);
    engine.until("uaiok");
    engine.end();

    let text = std::fs::read_to_string(&path).expect("the log");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("what was there before"));
    let mut said = Vec::new();
    for line in lines {
        let (time, rest) = line.split_once(' ').expect("a time and a line");
        // 2024-05-06T07:08:09.123456Z
        assert!(time.len() == 27 && time.ends_with('Z') && time.contains('T'), "{time}");
        said.push(rest);
    }
    for line in ["> isready", "> go depth 1", "> nonsense", "< readyok"] {
        assert_eq!(said.iter().filter(|&&said| said == line).count(), 1, "{line}: {said:?}");
    }
    for start in ["< info depth 1 ", "< bestmove ", "< info string error: unknown command"] {
        assert_eq!(said.iter().filter(|said| said.starts_with(start)).count(), 1, "{start}");
    }
    assert_eq!(said.last(), Some(&"> setoption name Log File value <empty>"));
    assert!(!text.contains("uaiok"), "the log should have ended before");
}

#[test]
fn a_log_file_that_cannot_be_opened_leaves_the_old_one() {
    let folder = tempfile::tempdir().expect("a folder for the log");
    let path = folder.path().join("log");
    let mut engine = Engine::start_with(&["--log-file", &path.display().to_string()]);
    engine.send(&format!("setoption name Log File value {}", folder.path().display()));
    engine.expect("info string error: setoption: Log File: cannot open \"…\": …");
    engine.send(&format!("setoption name Log File value {}", path.join("below").display()));
    engine.expect("info string error: setoption: Log File: cannot open \"…\": …");
    engine.sync();
    engine.end();
    let text = std::fs::read_to_string(&path).expect("the log");
    assert!(text.contains("> isready") && text.contains("< readyok"), "{text}");
}

/// A disk without room for another byte.
#[cfg(target_os = "linux")]
#[test]
fn a_log_file_that_is_full_is_given_up() {
    let mut engine = Engine::start();
    engine.send("setoption name Log File value /dev/full");
    engine.send_all(&["isready", "go depth 1"]);
    let lines = engine.until("bestmove …");
    assert_eq!(count(&lines, "info string error: "), 1, "{lines:?}");
    assert_eq!(count(&lines, "readyok"), 1, "{lines:?}");
    assert_eq!(engine.sync(), [""; 0]);
    engine.end();
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_is_full_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
    let mut child = program(&[])
        .stdin(Stdio::piped())
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program should start");
    let mut input = child.stdin.take().expect("it was asked for");
    let stderr = child.stderr.take().expect("it was asked for");
    let _ = input.write_all(b"go infinite\nisready\n");
    let status = wait_for(&mut child).expect("an end");
    let errors = read_all(stderr);
    assert_eq!(status.code(), Some(1), "{errors}");
    assert!(errors.starts_with("error: ") && errors.lines().count() == 1, "{errors}");
}

// During a search.

#[test]
fn isready_is_answered_during_any_search_and_count() {
    let mut engine = Engine::start();
    for line in ENDLESS.into_iter().chain(LONG).chain(["perft 100", "split 100", "bench 100"]) {
        engine.send(line);
        for _ in 0..3 {
            engine.sync();
        }
        engine.send("stop");
        engine.until(match line.split(' ').next() {
            Some("go") => "bestmove …",
            _ => "info string the … was stopped before its end",
        });
    }
    engine.end();
}

#[test]
fn stop_answers_with_what_there_is() {
    for threads in ["1", "3"] {
        let mut engine = Engine::start_with(&["--threads", threads]);
        for line in ENDLESS.into_iter().chain(LONG) {
            engine.send_all(&[line, "stop"]);
            let lines = engine.until("bestmove …");
            legal_best_move(&lines, &Position::default(), Rules::Assimilation);
            // Answered once, and not again by a second stop.
            engine.send("stop");
            assert_eq!(engine.sync(), [""; 0], "{line}");
        }
        engine.end();
    }
}

#[test]
fn stop_ends_counts() {
    let mut engine = Engine::start();
    for (line, what) in [("perft 100", "count"), ("split 100", "count"), ("bench 100", "bench")] {
        engine.send_all(&[line, "stop"]);
        let lines = engine.until(&format!("info string the {what} was stopped before its end"));
        // No half of a count is passed off as the whole.
        assert_eq!(count(&lines, "nodes "), 0, "{lines:?}");
        assert!(!lines.iter().any(|line| line.ends_with(" nps")), "{lines:?}");
    }
    engine.end();
}

/// Positions where nothing is left to search at once or soon, under the rules named.
const SOON_SEARCHED: [(&str, &str); 4] = [
    ("assimilation", SHUT_IN),
    ("ataxx", WHITE_HAS_WON),
    ("ataxx", ENDLESS_JUMPS),
    ("ataxx", "xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/xxxxxoo/xxxxx1o x 0 40"),
];

#[test]
fn an_infinite_search_is_not_answered_before_its_stop() {
    for (rules, fen) in SOON_SEARCHED {
        for line in ["go infinite", "go infinite depth 1", "go ponder depth 1", "go ponder"] {
            let mut engine = Engine::start_with(&["--rules", rules]);
            engine.send_all(&[&format!("position fen {fen}"), line]);
            engine.stays_unanswered();
            engine.send("stop");
            engine.until("bestmove …");
            engine.end();
        }
    }
}

#[test]
fn a_search_without_a_limit_ends_when_nothing_is_left() {
    for (rules, fen) in SOON_SEARCHED {
        let mut engine = Engine::start_with(&["--rules", rules]);
        engine.send_all(&[&format!("position fen {fen}"), "go"]);
        let lines = engine.until("bestmove …");
        let position = play(fen, &[], Rules::Ataxx);
        if lines.len() > 2 {
            assert_eq!(count(&lines, "info depth 120 "), 1, "{lines:?}");
            legal_best_move(&lines, &position, Rules::Ataxx);
        }
        engine.end();
    }
}

#[test]
fn ponderhit_lets_the_other_limits_hold() {
    let mut engine = Engine::start();
    engine.send("debug on");
    for (line, start) in [
        ("go ponder wtime 300 btime 300", "info depth 1 "),
        ("go ponder movetime 100", "info depth 1 "),
        ("go ponder depth 3", "info depth 3 "),
        ("go ponder nodes 500", "info depth 1 "),
        ("go ponder mate 1", "info depth 2 "),
    ] {
        engine.send("uainewgame");
        engine.send(line);
        // A second is not needed: whatever is reached before the hit, it is not answered.
        thread::sleep(Duration::from_millis(120));
        let mut lines = engine.sync();
        assert_eq!(count(&lines, "bestmove "), 0, "{line}");
        engine.send("ponderhit");
        lines.extend(engine.until("bestmove …"));
        assert!(count(&lines, start) == 1, "{line}: {lines:?}");
        legal_best_move(&lines, &Position::default(), Rules::Assimilation);
    }
    // The clock runs only from the hit on: 100 ms of movetime come on top of the pondering.
    engine.send("go ponder movetime 100");
    engine.sync();
    thread::sleep(Duration::from_millis(200));
    engine.send("ponderhit");
    let lines = engine.until("bestmove …");
    let all = lines.iter().find(|line| line.ends_with(" in all")).expect("a summary");
    assert!(number_after(all, "time").is_some_and(|time| time >= 290), "{all}");
    // Without other limits it is infinite from then on.
    engine.send_all(&["go ponder", "ponderhit"]);
    engine.stays_unanswered();
    engine.send("stop");
    engine.until("bestmove …");
    // A stop may come in the place of the hit.
    engine.send_all(&["go ponder depth 1", "stop"]);
    engine.until("bestmove …");
    engine.end();
}

#[test]
fn ponderhit_leaves_other_searches_alone() {
    let mut engine = Engine::start();
    engine.send_all(&["go infinite", "ponderhit"]);
    engine.stays_unanswered();
    engine.send("stop");
    engine.until("bestmove …");
    engine.send_all(&["go depth 100", "ponderhit"]);
    engine.stays_unanswered();
    engine.send("stop");
    engine.until("bestmove …");
    engine.end();
}

#[test]
fn a_second_go_waits_for_a_search_that_ends() {
    let [first, second] = ["position startpos", "position startpos moves f1 b1 f2"];
    let mut engine = Engine::start();
    engine.send_all(&["debug on", first, "go nodes 20000", second, "go depth 2"]);
    let lines = engine.until("bestmove …");
    assert!(lines.iter().any(|line| line.contains(" nodes 20000 ")), "cut short: {lines:?}");
    legal_best_move(&lines, &Position::default(), Rules::Assimilation);
    let lines = engine.until("bestmove …");
    assert_eq!(count(&lines, "info depth "), 2, "{lines:?}");
    let after = play("x5o/7/7/7/7/7/o5x x 0 1", &["f1", "b1", "f2"], Rules::Assimilation);
    legal_best_move(&lines, &after, Rules::Assimilation);
    engine.end();
}

#[test]
fn a_second_go_stops_a_search_that_would_not_end() {
    let after = play("x5o/7/7/7/7/7/o5x x 0 1", &["f1", "b1", "f2"], Rules::Assimilation);
    for line in ENDLESS {
        let mut engine = Engine::start();
        engine.send_all(&[line, "position startpos moves f1 b1 f2", "go depth 2"]);
        let lines = engine.until("bestmove …");
        legal_best_move(&lines, &Position::default(), Rules::Assimilation);
        let lines = engine.until("bestmove …");
        assert_eq!(count(&lines, "info depth "), 2, "{lines:?}");
        legal_best_move(&lines, &after, Rules::Assimilation);
        engine.end();
    }
}

#[test]
fn many_searches_are_answered_in_order() {
    let mut engine = Engine::start();
    let moves = ["f1", "b1", "f2", "b2", "g2", "a2"];
    for played in 0..=moves.len() {
        let line = format!("position startpos moves {}", moves[..played].join(" "));
        engine.send(&line);
        engine.send(["go depth 3", "go infinite", "go ponder", "go nodes 300"][played % 4]);
    }
    // The last one is finite; the infinite ones are stopped by those after them.
    engine.send("go depth 1");
    for played in (0..=moves.len()).chain([moves.len()]) {
        let position = play("x5o/7/7/7/7/7/o5x x 0 1", &moves[..played], Rules::Assimilation);
        legal_best_move(&engine.until("bestmove …"), &position, Rules::Assimilation);
    }
    engine.end();
}

#[test]
fn stop_holds_for_all_that_was_asked_for_before() {
    let mut engine = Engine::start();
    engine.send_all(&[
        "go depth 100",
        "go depth 99",
        "position startpos moves f1",
        "go infinite",
        "go ponder",
        "perft 100",
        "go depth 98",
    ]);
    engine.stays_unanswered();
    engine.send_all(&["stop", "go depth 3"]);
    let (status, lines) = engine.finish();
    assert!(status.success());
    let ends: Vec<_> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(ends.iter().filter(|&&word| word == "bestmove").count(), 6);
    assert_eq!(count(&lines, "info string the count was stopped before its end"), 1);
    // The one asked for afterwards is searched to its end.
    assert_eq!(count(&lines[lines.len() - 2..], "info depth 3 "), 1, "{lines:?}");
}

/// More commands than the engine keeps waiting: nothing is lost, and nobody waits for ever.
#[test]
fn a_flood_of_commands_is_answered() {
    let mut engine = Engine::start();
    let count_of = 10_000;
    engine.send("go infinite");
    engine.send_bytes("go nodes 1\n".repeat(count_of).as_bytes());
    let (status, lines) = engine.finish();
    assert!(status.success());
    assert_eq!(count(&lines, "bestmove "), count_of + 1);
}

#[test]
fn commands_that_need_no_engine_get_through_and_count_for_the_next_go() {
    let mut engine = Engine::start();
    engine.send("go depth 100");
    engine.sync();
    engine.send_all(&[
        "position startpos moves f1",
        "moves b1",
        "setoption name MultiPV value 2",
        "setoption name Threads value 2",
        "setoption name Move Overhead value 0",
        "setoption name Ponder value true",
        "setoption name Rules value Ataxx",
        "debug on",
    ]);
    assert_eq!(engine.fen(), "x5o/7/7/7/7/7/oo3xx x 0 2");
    engine.send("uai");
    engine.until("uaiok");
    engine.send("eval");
    engine.until("eval cp …");
    engine.send("help");
    engine.until("quit: …");
    engine.send("moves");
    engine.until("moves e1 …");
    engine.send("moves a1");
    engine.until("info string error: moves: move 1 \"a1\": a1 is occupied");
    engine.stays_unanswered();
    engine.send("stop");
    let lines = engine.until("bestmove …");
    legal_best_move(&lines, &Position::default(), Rules::Assimilation);
    engine.send("go depth 2");
    let lines = engine.until("bestmove …");
    assert_eq!(count(&lines, "info depth 2 "), 2, "two lines were asked for");
    let position = play("x5o/7/7/7/7/7/o5x x 0 1", &["f1", "b1"], Rules::Ataxx);
    legal_best_move(&lines, &position, Rules::Ataxx);
    engine.end();
}

#[test]
fn what_needs_the_engine_waits_and_all_after_it_too() {
    for (line, answer) in [
        ("perft 1", "nodes 16 time …"),
        ("split 1", "a7c7 1"),
        ("bench 1", "… nodes … nps"),
        ("uainewgame", ""),
        ("setoption name Hash value 2", ""),
        ("setoption name Clear Hash", ""),
    ] {
        let mut engine = Engine::start();
        engine.send_all(&["go depth 100", line, "position startpos moves f1", "d"]);
        // Nothing of it happens yet, but isready gets through.
        for line in engine.sync() {
            assert!(line.starts_with("info depth "), "{line}");
        }
        engine.send("stop");
        legal_best_move(&engine.until("bestmove …"), &Position::default(), Rules::Assimilation);
        // A count is itself a job beside which the board is shown: either may come first.
        let (status, lines) = engine.finish();
        assert!(status.success());
        assert_eq!(count(&lines, "fen x5o/7/7/7/7/7/o4xx o 0 1"), 1, "{lines:?}");
        // Whether the stop came in time for it is all the same here.
        let stopped = "info string the … was stopped before its end";
        let answers = lines.iter().filter(|line| fits(line, answer) || fits(line, stopped)).count();
        assert_eq!(answers, usize::from(!answer.is_empty()), "{lines:?}");
    }
}

#[test]
fn what_needs_the_engine_stops_a_search_that_would_not_end() {
    for endless in ENDLESS {
        let mut engine = Engine::start();
        for line in [
            "perft 1",
            "split 1",
            "bench 1",
            "uainewgame",
            "setoption name Hash value 2",
            "setoption name Clear Hash",
        ] {
            engine.send_all(&[endless, line]);
            legal_best_move(&engine.until("bestmove …"), &Position::default(), Rules::Assimilation);
        }
        engine.send("go depth 1");
        engine.until("bestmove …");
        engine.end();
    }
}

#[test]
fn a_wrong_value_for_hash_stops_nothing() {
    let mut engine = Engine::start();
    engine.send_all(&["go infinite", "setoption name Hash value none", "go depth", "perft"]);
    let lines = engine.sync();
    assert_eq!(count(&lines, "info string error: "), 3, "{lines:?}");
    engine.stays_unanswered();
    engine.send("stop");
    engine.until("bestmove …");
    engine.end();
}

// The end.

#[test]
fn at_the_end_of_input_all_is_finished_and_answered() {
    let ended = |lines: &[&str]| {
        let mut engine = Engine::start();
        engine.send_all(lines);
        let (status, rest) = engine.finish();
        assert_eq!(status.code(), Some(0), "{lines:?}");
        rest
    };
    assert!(ended(&[]).is_empty());
    let lines = ended(&["go depth 6"]);
    assert_eq!(count(&lines, "info depth 6 "), 1, "searched to its end: {lines:?}");
    assert_eq!(count(&lines, "bestmove "), 1);
    for endless in ENDLESS {
        assert_eq!(count(&ended(&[endless]), "bestmove "), 1, "{endless}");
    }
    // What waits is carried out, too.
    let lines = ended(&[
        "go movetime 50",
        "position startpos moves f1",
        "go depth 2",
        "perft 2",
        "uainewgame",
        "d",
        "go infinite",
        "go ponder depth 2",
    ]);
    assert_eq!(count(&lines, "bestmove "), 4, "{lines:?}");
    let after = play("x5o/7/7/7/7/7/o5x x 0 1", &["f1"], Rules::Assimilation);
    let nodes = format!("nodes {} time ", perft(&after, 2, Rules::Assimilation));
    assert_eq!(count(&lines, &nodes), 1);
    assert_eq!(count(&lines, "fen x5o/7/7/7/7/7/o4xx o 0 1"), 1);
    assert!(lines.last().is_some_and(|line| line.starts_with("bestmove ")));
    // A count ends by itself.
    assert_eq!(count(&ended(&["perft 4"]), "nodes 155888 "), 1);
}

#[test]
fn quit_answers_the_search_and_ends() {
    for line in ENDLESS.into_iter().chain(LONG) {
        let mut engine = Engine::start();
        engine.send_all(&[line, "quit", "go depth 1", "isready"]);
        // The input stays open: it is the command that ends the program.
        let (status, lines) = engine.wait();
        assert_eq!(status.code(), Some(0), "{line}");
        assert_eq!(count(&lines, "bestmove "), 1, "{line}: {lines:?}");
        assert_eq!(count(&lines, "readyok"), 0, "nothing after quit is carried out");
    }
    // What still waits is dropped.
    let mut engine = Engine::start();
    engine.send_all(&["go depth 100", "go depth 2", "perft 2", "quit"]);
    let (status, lines) = engine.wait();
    assert_eq!((status.code(), count(&lines, "bestmove ")), (Some(0), 1), "{lines:?}");
    for line in ["perft 100", "split 100", "bench 100", ""] {
        let mut engine = Engine::start();
        engine.send_all(&[line, "quit"]);
        let (status, _) = engine.wait();
        assert_eq!(status.code(), Some(0), "{line}");
    }
}

#[test]
fn nobody_listening_ends_the_program_quietly() {
    for line in ["isready", "go infinite", "go depth 100", "go ponder", "uai", "bench 100"] {
        let mut child = program(&[])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program should start");
        let mut input = child.stdin.take().expect("it was asked for");
        drop(child.stdout.take());
        let stderr = child.stderr.take().expect("it was asked for");
        // The program may be gone before all is written; the input stays open.
        let _ = input.write_all(format!("{line}\nisready\n").as_bytes());
        let status = wait_for(&mut child).unwrap_or_else(|| panic!("{line}: {DEADLINE:?} passed"));
        assert_eq!(status.code(), Some(0), "{line}");
        assert_eq!(read_all(stderr), "", "{line}");
    }
}

#[test]
fn the_documented_pipe_prints_a_best_move() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol.md"));
    let text = text.expect("protocol.md should be there");
    assert!(text.contains("printf 'position startpos\\ngo depth 12\\n' | physarum"));
    let mut engine = Engine::start();
    engine.send_bytes(b"position startpos\ngo depth 8\n");
    let (status, lines) = engine.finish();
    assert!(status.success());
    legal_best_move(&lines, &Position::default(), Rules::Assimilation);
}

#[test]
fn errors_wait_their_turn() {
    let mut engine = Engine::start();
    engine.send_all(&["go nodes 30000", "uainewgame", "go depth x", "nonsense"]);
    let (status, lines) = engine.finish();
    assert!(status.success());
    let place = |start: &str| lines.iter().position(|line| line.starts_with(start));
    let order =
        ["bestmove", "info string error: go: depth", "info string error: unknown"].map(place);
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{lines:?}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_log_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo should be there").success());
    let mut engine = Engine::start();
    // Without a reader, opening it would never end.
    engine.send(&format!("setoption name Log File value {}", path.display()));
    engine.expect("info string error: setoption: Log File: cannot open …: neither a regular …");
    engine.end();
}
