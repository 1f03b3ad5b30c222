//! What cannot be carried out: one line says what is wrong, nothing changes, the engine goes on.

#[path = "common/engine.rs"]
mod engine;

use engine::{Engine, fits};

const MAX_LINE: usize = 262_144;

/// An engine in a state that is not the first one, so that it shows when something resets it.
fn prepared() -> (Engine, Vec<String>) {
    let mut engine = Engine::start();
    engine.send_all(&[
        "setoption name Rules value Ataxx",
        "setoption name MultiPV value 2",
        "setoption name Hash value 1",
        "position fen x5o/7/2-1-2/7/2-1-2/7/o5x x 3 9 moves f1 a1a3",
    ]);
    let state = state(&mut engine);
    assert!(state.contains(&"fen x5o/7/2-1-2/7/o1-1-2/7/5xx x 1 10".to_owned()), "{state:?}");
    (engine, state)
}

/// What can be seen of the engine's state.
fn state(engine: &mut Engine) -> Vec<String> {
    let mut lines = engine.ask("d");
    lines.extend(engine.ask("moves"));
    lines
}

/// Sends bytes and expects one error line; the state must be as before, and a search still works.
fn refuse(bytes: &[u8], error: &str) {
    let (mut engine, before) = prepared();
    engine.send_bytes(bytes);
    engine.expect(&format!("info string error: {error}"));
    assert_eq!(state(&mut engine), before, "something has changed");
    engine.send("go depth 1");
    assert_eq!(engine.until("bestmove …").len(), 3, "two lines and the answer");
    engine.end();
}

/// The same for many lines, in one conversation, each with what its error must look like.
fn refuse_all(lines: &[(&str, &str)]) {
    let (mut engine, before) = prepared();
    for (line, error) in lines {
        engine.send(line);
        let answer = engine.expect("info string error: …");
        let pattern = format!("info string error: {error}");
        assert!(fits(&answer, &pattern), "{line}\n  gave {answer}\n  not  {pattern}");
        assert_eq!(state(&mut engine), before, "{line} has changed something");
    }
    engine.send("go depth 1");
    assert_eq!(engine.until("bestmove …").len(), 3, "two lines and the answer");
    engine.end();
}

#[test]
fn unknown_commands() {
    refuse_all(&[
        ("hello", "unknown command \"hello\" (help lists the commands)"),
        ("UAI", "unknown command \"UAI\" …"),
        ("xboard", "unknown command \"xboard\" …"),
        ("isready?", "unknown command \"isready?\" …"),
        ("go,depth,3", "unknown command \"go,depth,3\" …"),
        ("x5o/7/7/7/7/7/o5x x 0 1", "unknown command \"x5o/7/7/7/7/7/o5x\" …"),
        ("\u{1F980} \u{1F980}", "unknown command \"\u{1F980}\" …"),
        ("\"quoted\"", "unknown command \"\\\"quoted\\\"\" …"),
        ("%s%n{}", "unknown command \"%s%n{}\" …"),
        ("-1", "unknown command \"-1\" …"),
        // What is repeated is not too long, and says that it was longer.
        (&"y".repeat(1000), "unknown command \"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…\" …"),
    ]);
}

#[test]
fn missing_and_malformed_arguments() {
    refuse_all(&[
        ("setoption", "setoption: \"name\" is expected, then the option's name"),
        ("setoption Hash 16", "setoption: \"name\" is expected, then the option's name"),
        ("setoption name", "setoption: \"name\" is expected, then the option's name"),
        ("setoption name value 3", "setoption: \"name\" is expected, then the option's name"),
        ("setoption NAME Hash value 3", "setoption: \"name\" is expected, then the option's name"),
        ("position", "position: startpos or fen is missing"),
        ("position start", "position: startpos or fen is expected, not \"start\""),
        ("position moves f1", "position: startpos or fen is expected, not \"moves\""),
        ("position startpos f1", "position: moves is expected, not \"f1\""),
        ("position startpos startpos", "position: moves is expected, not \"startpos\""),
        ("position STARTPOS", "position: startpos or fen is expected, not \"STARTPOS\""),
        ("perft", "perft: a depth is missing"),
        ("split", "split: a depth is missing"),
        ("debug", "debug: on or off is missing"),
        ("debug 1", "debug: on or off is expected, not \"1\""),
        ("go depth", "go: depth: a number is missing"),
        ("go nodes", "go: nodes: a number is missing"),
        ("go movetime", "go: movetime: a number is missing"),
        ("go btime", "go: btime: a number is missing"),
        ("go wtime", "go: wtime: a number is missing"),
        ("go binc", "go: binc: a number is missing"),
        ("go winc", "go: winc: a number is missing"),
        ("go movestogo", "go: movestogo: a number is missing"),
        ("go mate", "go: mate: a number is missing"),
        ("go searchmoves", "go: searchmoves: a move is missing"),
        ("go searchmoves infinite", "go: searchmoves: a move is missing"),
        ("go depth infinite", "go: depth: \"infinite\" is not a whole number from 1 to 65535"),
        ("go btime 1000 wtime", "go: wtime: a number is missing"),
    ]);
}

#[test]
fn numbers_out_of_range_or_none_at_all() {
    refuse_all(&[
        ("go depth three", "go: depth: \"three\" is not a whole number from 1 to 65535"),
        ("go depth 0", "go: depth: \"0\" is not …"),
        ("go depth -1", "go: depth: \"-1\" is not …"),
        ("go depth 65536", "go: depth: \"65536\" is not …"),
        ("go depth 1.5", "go: depth: \"1.5\" is not …"),
        ("go depth 99999999999999999999999", "go: depth: \"99999999999999999999999\" is not …"),
        ("go depth 0x10", "go: depth: \"0x10\" is not …"),
        ("go depth \u{0663}", "go: depth: \"\u{0663}\" is not …"),
        ("go nodes 0", "go: nodes: \"0\" is not a whole number from 1 to 18446744073709551615"),
        ("go nodes -5", "go: nodes: \"-5\" is not …"),
        ("go nodes 18446744073709551616", "go: nodes: \"18446744073709551616\" is not …"),
        ("go nodes 1e6", "go: nodes: \"1e6\" is not …"),
        ("go movetime soon", "go: movetime: \"soon\" is not a number of milliseconds"),
        ("go movetime 0.5", "go: movetime: \"0.5\" is not a number of milliseconds"),
        ("go btime 9223372036854775808", "go: btime: \"9223372036854775808\" is not …"),
        ("go wtime -9223372036854775809", "go: wtime: \"-9223372036854775809\" is not …"),
        ("go binc nan", "go: binc: \"nan\" is not …"),
        ("go winc inf", "go: winc: \"inf\" is not …"),
        ("go movestogo 0", "go: movestogo: \"0\" is not a whole number from 1 to 65535"),
        ("go movestogo -1", "go: movestogo: \"-1\" is not …"),
        ("go mate 0", "go: mate: \"0\" is not a whole number from 1 to 65535"),
        ("go mate 65536", "go: mate: \"65536\" is not …"),
        ("go depth 3 nodes many", "go: nodes: \"many\" is not …"),
        ("perft -1", "perft: \"-1\" is not a whole number from 0 to 255"),
        ("perft 256", "perft: \"256\" is not …"),
        ("perft x", "perft: \"x\" is not …"),
        ("split 1.0", "split: \"1.0\" is not …"),
        ("bench 0", "bench: \"0\" is not a whole number from 1 to 255"),
        ("bench 256", "bench: \"256\" is not …"),
        ("bench all", "bench: \"all\" is not …"),
    ]);
}

#[test]
fn the_largest_and_smallest_numbers_are_taken() {
    let mut engine = Engine::start();
    for line in [
        "go depth 65535",
        "go nodes 18446744073709551615",
        "go movetime 9223372036854775807",
        "go btime 9223372036854775807 wtime 9223372036854775807 binc 9223372036854775807",
        "go btime 1000000 binc 9223372036854775807 movestogo 65535",
        "go mate 65535",
    ] {
        engine.send_all(&[line, "stop"]);
        let lines = engine.until("bestmove …");
        assert!(!lines.iter().any(|line| line.contains("error")), "{line}: {lines:?}");
    }
    engine.send("go btime -9223372036854775808 wtime -9223372036854775808 winc -1 binc -1");
    engine.until("bestmove …");
    for (line, answer) in [("perft 0", "nodes 1 time …"), ("bench 1", "… nodes … nps")] {
        engine.send(line);
        engine.until(answer);
    }
    engine.end();
}

#[test]
fn positions_that_are_none() {
    let board = "x5o/7/7/7/7/7/o5x";
    let lines = [
        ("", "empty FEN: a board, a side, and two clocks are expected"),
        ("x", "1 ranks on the board: 7 are expected"),
        ("x5o/7/7/7/7/o5x x 0 1", "6 ranks on the board: 7 are expected"),
        ("x5o/7/7/7/7/7/7/o5x x 0 1", "8 ranks on the board: 7 are expected"),
        ("x5o/7/7/7/7/7/ x 0 1", "rank 1 has 0 squares: 7 are expected"),
        ("//////", "rank 7 has 0 squares: 7 are expected"),
        ("x5o/6/7/7/7/7/o5x x 0 1", "rank 6 has 6 squares: 7 are expected"),
        ("x6o/7/7/7/7/7/o5x x 0 1", "rank 7 has 8 squares: 7 are expected"),
        ("xxxxxxxx/7/7/7/7/7/o5x x 0 1", "rank 7 has 8 squares: 7 are expected"),
        ("77/7/7/7/7/7/o5x x 0 1", "rank 7 has 14 squares: 7 are expected"),
        ("x5o/7/7/8/7/7/o5x x 0 1", "'8' in rank 4: x, o, - or a digit 1 to 7 is expected"),
        ("x5o/7/7/0/7/7/o5x x 0 1", "'0' in rank 4: …"),
        ("x5o/7/7/7/7/7/o5z x 0 1", "'z' in rank 1: …"),
        ("x5o/7/7/7/7/7/o5\u{e9} x 0 1", "'\u{e9}' in rank 1: …"),
        ("x5o\\7\\7\\7\\7\\7\\o5x x 0 1", "1 ranks on the board: …"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "8 ranks on the board: …"),
    ];
    let mut cases: Vec<(String, String)> = lines
        .iter()
        .map(|(fen, error)| (format!("position fen {fen}"), format!("position: fen: {error}")))
        .collect();
    for (fields, error) in [
        ("", "no side to move: x or o is expected after the board"),
        (" moves f1", "no side to move: x or o is expected after the board"),
        (" z 0 1", "unknown side to move: x or o is expected"),
        (" xx 0 1", "unknown side to move: x or o is expected"),
        (" 0 1", "unknown side to move: x or o is expected"),
        (" x -1 1", "halfmove clock is not a whole number from 0 to 65535"),
        (" x +1 1", "halfmove clock is not a whole number from 0 to 65535"),
        (" x 65536 1", "halfmove clock is not a whole number from 0 to 65535"),
        (" x - 1", "halfmove clock is not a whole number from 0 to 65535"),
        (" x 0 -1", "fullmove number is not a whole number from 0 to 65535"),
        (" x 0 1.5", "fullmove number is not a whole number from 0 to 65535"),
        (" x 0 99999999999999999999", "fullmove number is not a whole number from 0 to 65535"),
        (" x 0 1 f1", "5 fields: at most 4 are expected"),
        (" x 0 1 f1 moves b1", "5 fields: at most 4 are expected"),
    ] {
        let fen = format!("position fen {board}{fields}");
        cases.push((fen, format!("position: fen: {error}")));
    }
    let cases: Vec<(&str, &str)> = cases.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    refuse_all(&cases);
}

#[test]
fn illegal_moves_are_named_with_their_number() {
    // x5o/7/2-1-2/7/o1-1-2/7/5xx x 1 10, black to move.
    refuse_all(&[
        ("moves d4", "moves: move 1 \"d4\": no stone of x can reach d4"),
        ("moves g2 b3 d4 zz", "moves: move 3 \"d4\": no stone of x can reach d4"),
        ("moves g2 zz d4", "moves: move 2 \"zz\": not a move: …"),
        ("moves f1", "moves: move 1 \"f1\": f1 is occupied"),
        ("moves a3", "moves: move 1 \"a3\": a3 is occupied"),
        ("moves e3", "moves: move 1 \"e3\": e3 is a gap"),
        ("moves g1e3", "moves: move 1 \"g1e3\": e3 is a gap"),
        ("moves a3a5", "moves: move 1 \"a3a5\": no stone of x on a3"),
        ("moves b1c1", "moves: move 1 \"b1c1\": no stone of x can reach c1"),
        ("moves g1f2 f2e1", "moves: move 2 \"f2e1\": no stone of o can reach e1"),
        ("moves e2f2", "moves: move 1 \"e2f2\": no stone of x on e2"),
        ("moves 0000", "moves: move 1 \"0000\": x must not pass: it has a move"),
        ("moves pass", "moves: move 1 \"pass\": x must not pass: it has a move"),
        ("moves f1f1", "moves: move 1 \"f1f1\": x must not pass: it has a move"),
        ("moves h1", "moves: move 1 \"h1\": no such square: h1"),
        ("moves f8", "moves: move 1 \"f8\": no such square: f8"),
        ("moves f1f0", "moves: move 1 \"f1f0\": no such square: f0"),
        (
            "moves f1c1",
            "moves: move 1 \"f1c1\": too far: f1 and c1 are more than two squares apart",
        ),
        ("moves g1a7", "moves: move 1 \"g1a7\": too far: …"),
        (
            "moves f2+",
            "moves: move 1 \"f2+\": not a move: b1 (clone), a1c3 (jump) or 0000 (pass) …",
        ),
        ("moves g1f2e3", "moves: move 1 \"g1f2e3\": not a move: …"),
        ("moves P@", "moves: move 1 \"P@\": not a move: …"),
        ("moves \u{1F980}", "moves: move 1 \"\u{1F980}\": not a move: …"),
        ("moves (none)", "moves: move 1 \"(none)\": not a move: …"),
        ("position startpos moves f1 b1 d4", "position: move 3 \"d4\": no stone of x can reach d4"),
        ("position startpos moves f1 moves b1", "position: move 2 \"moves\": not a move: …"),
        (
            "position fen 7/7/7/7/4ooo/4ooo/4oox x 0 30 moves f1",
            "position: move 1 \"f1\": x has no move and must pass (0000)",
        ),
        (
            "position fen ooooooo/7/7/7/7/7/7 o 0 9 moves a6",
            "position: move 1 \"a6\": the game is over",
        ),
        (
            "go depth 1 searchmoves g2 d4",
            "go: searchmoves: move 2 \"d4\": no stone of x can reach d4",
        ),
        ("go searchmoves 0000 depth 1", "go: searchmoves: move 1 \"0000\": x must not pass: …"),
        ("go searchmoves g2 z9", "go: searchmoves: move 2 \"z9\": no such square: z9"),
    ]);
}

#[test]
fn no_move_is_legal_in_a_finished_game() {
    let mut engine = Engine::start();
    engine.send("position fen ooooooo/7/7/7/7/7/7 o 0 9");
    for (line, place) in [
        ("go searchmoves a6", "go: searchmoves"),
        ("go infinite searchmoves 0000", "go: searchmoves"),
        ("moves a6", "moves"),
    ] {
        engine.send(line);
        engine.expect(&format!("info string error: {place}: move 1 \"…\": the game is over"));
    }
    assert_eq!(engine.sync(), [""; 0], "no search should have begun");
    engine.end();
}

#[test]
fn options_that_do_not_exist_or_cannot_have_that_value() {
    refuse_all(&[
        ("setoption name Contempt value 10", "setoption: no option \"Contempt\""),
        ("setoption name Hash Size value 10", "setoption: no option \"Hash Size\""),
        ("setoption name ClearHash", "setoption: no option \"ClearHash\""),
        ("setoption name H\u{e4}sh value 1", "setoption: no option \"H\u{e4}sh\""),
        ("setoption name Hash", "setoption: Hash: a value is missing"),
        ("setoption name hash value", "setoption: Hash: a value is missing"),
        (
            "setoption name Hash value 0",
            "setoption: Hash: \"0\" is not a whole number from 1 to 65536",
        ),
        ("setoption name Hash value -16", "setoption: Hash: \"-16\" is not …"),
        ("setoption name Hash value 65537", "setoption: Hash: \"65537\" is not …"),
        ("setoption name Hash value 16 MB", "setoption: Hash: \"16 MB\" is not …"),
        ("setoption name Hash value 1.5", "setoption: Hash: \"1.5\" is not …"),
        (
            "setoption name Hash value 340282366920938463463374607431768211456",
            "setoption: Hash: \"340282366920938463463374607431768211456\" is not …",
        ),
        ("setoption name Threads", "setoption: Threads: a value is missing"),
        (
            "setoption name Threads value 0",
            "setoption: Threads: \"0\" is not a whole number from 1 to 256",
        ),
        ("setoption name Threads value 257", "setoption: Threads: \"257\" is not …"),
        (
            "setoption name MultiPV value 0",
            "setoption: MultiPV: \"0\" is not a whole number from 1 to 288",
        ),
        ("setoption name MultiPV value 289", "setoption: MultiPV: \"289\" is not …"),
        (
            "setoption name Move Overhead value -1",
            "setoption: Move Overhead: \"-1\" is not a whole number from 0 to 10000",
        ),
        (
            "setoption name move overhead value 10001",
            "setoption: Move Overhead: \"10001\" is not …",
        ),
        ("setoption name Ponder", "setoption: Ponder: a value is missing"),
        (
            "setoption name Ponder value maybe",
            "setoption: Ponder: \"maybe\" is neither true nor false",
        ),
        ("setoption name Ponder value 1", "setoption: Ponder: \"1\" is neither true nor false"),
        ("setoption name Rules", "setoption: Rules: a value is missing"),
        (
            "setoption name Rules value chess",
            "setoption: Rules: \"chess\" is none of Assimilation, Ataxx, Fill",
        ),
        ("setoption name Log File value /", "setoption: Log File: cannot open \"/\": …"),
        ("setoption name Log File value a\0b", "setoption: Log File: cannot open \"a\\0b\": …"),
    ]);
}

#[test]
fn bytes_that_are_no_text() {
    refuse(b"go \xff\n", "line that is not UTF-8: byte 4 is wrong");
    refuse(b"\x80\n", "line that is not UTF-8: byte 1 is wrong");
    // Cut off in the middle of a character, at the end of the line.
    refuse(b"hello \xe2\x82\n", "line that is not UTF-8: byte 7 is wrong");
    // UTF-16, as some shells write: a mark, then zero bytes.
    refuse(b"\xff\xfeu\0a\0i\0\n", "line that is not UTF-8: byte 1 is wrong");
    refuse(b"isready\0\n", "unknown command \"isready\\0\" …");
    refuse(b"\0\n", "unknown command \"\\0\" …");
    refuse(b"\x1b[2J\n", "unknown command \"\\u{1b}[2J\" …");
    refuse(b"\xef\xbb\xbfuai\n", "unknown command \"\\u{feff}uai\" …");
}

#[test]
fn lines_too_long() {
    let too_long = format!("line of more than {MAX_LINE} bytes");
    for size in [MAX_LINE + 1, 1 << 20, 5 << 20] {
        for byte in [b'x', b' ', 0, 0xff] {
            let mut line = vec![byte; size];
            line.push(b'\n');
            refuse(&line, &too_long);
        }
    }
    // Just at the limit, with either end of line, it is read.
    for end in ["\n", "\r\n"] {
        let line = format!("{}{end}", "y".repeat(MAX_LINE));
        refuse(line.as_bytes(), "unknown command \"yyyy…");
        let (mut engine, _) = prepared();
        engine.send_bytes(format!("{}isready{end}", " ".repeat(MAX_LINE - 7)).as_bytes());
        engine.expect("readyok");
        engine.end();
    }
    // A game as long as a line can be.
    let (mut engine, before) = prepared();
    let round = " g1g3 a1a3 g3g1 a3a1";
    let mut line = "position startpos moves".to_owned();
    while line.len() + round.len() <= MAX_LINE {
        line.push_str(round);
    }
    engine.send("setoption name Rules value Assimilation");
    engine.send(&line);
    let plies = (line.len() - "position startpos moves".len()) / round.len() * 4;
    let fen = format!("x5o/7/7/7/7/7/o5x x {plies} {}", plies / 2 + 1);
    assert_eq!(engine.fen(), fen);
    engine.send("go depth 3");
    engine.until("bestmove …");
    assert!(!before.contains(&format!("fen {fen}")));
    engine.end();
}

#[test]
fn the_last_line_may_be_bad_and_without_an_end() {
    for (bytes, error) in [
        (b"hello".to_vec(), "unknown command \"hello\" …"),
        (b"\xff".to_vec(), "line that is not UTF-8: byte 1 is wrong"),
        (vec![b'x'; MAX_LINE + 1], "line of more than 262144 bytes"),
    ] {
        let mut engine = Engine::start();
        engine.send_bytes(&bytes);
        let (status, lines) = engine.finish();
        assert!(status.success());
        assert_eq!(lines.len(), 1);
        assert!(fits(&lines[0], &format!("info string error: {error}")), "{lines:?}");
    }
}

#[test]
fn nothing_is_no_error() {
    let mut engine = Engine::start();
    for bytes in [&b"\n"[..], b"\r\n", b"   \n", b"\t \t\r\n", b"\n\n\n\n", &[b'\n'; 10_000]] {
        engine.send_bytes(bytes);
        assert_eq!(engine.sync(), [""; 0]);
    }
    engine.end();
}

#[test]
fn many_bad_lines_during_a_search_leave_it_alone() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    for _ in 0..500 {
        engine.send_bytes(
            b"nonsense\n\xff\xff\ngo depth\nposition fen\nsetoption name x\nmoves zz\n",
        );
    }
    let lines = engine.sync();
    let errors = lines.iter().filter(|line| line.starts_with("info string error: ")).count();
    assert_eq!(errors, 3000);
    engine.stays_unanswered();
    engine.send("stop");
    engine.until("bestmove …");
    engine.end();
}

/// A system that does not give the memory: the old table stays.
#[cfg(target_os = "linux")]
#[test]
fn a_hash_too_large_for_the_system() {
    use std::process::Command;

    // A limit on the address space makes the failure the same everywhere; in KiB.
    let limited = |args: &[&str]| {
        let mut command = Command::new("sh");
        let script = "ulimit -v 1000000 && exec \"$0\" \"$@\"";
        command.args(["-c", script, engine::PROGRAM]).args(args).env("RUST_BACKTRACE", "1");
        command
    };
    let mut engine = Engine::spawn(limited(&["--hash", "8"]));
    engine.send("debug on");
    let nodes = |engine: &mut Engine| {
        engine.send("go depth 6");
        let lines = engine.until("bestmove …");
        let all = lines.iter().find(|line| line.ends_with(" in all")).expect("a summary");
        engine::number_after(all, "nodes")
    };
    let (first, second) = (nodes(&mut engine), nodes(&mut engine));
    assert_ne!(first, second, "the table should help");
    for size in [2048, 65536] {
        engine.send(&format!("setoption name Hash value {size}"));
        let error = format!("setoption: Hash: no memory for a table of {size} MiB");
        engine.expect(&format!("info string error: {error}"));
    }
    // It holds what it held: the search is not the first one.
    assert_ne!(nodes(&mut engine), first);
    engine.send("setoption name Hash value 4");
    assert_eq!(engine.sync(), [""; 0]);
    engine.end();

    let output = limited(&["--hash", "2048"]).output().expect("sh should start");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert_eq!(errors, "error: no memory for a table of 2048 MiB\n");
}
