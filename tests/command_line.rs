//! The program's arguments and subcommands.

#[path = "common/engine.rs"]
mod engine;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use engine::{Engine, fits, program, read_all, run, succeed, wait_for};
use physarum::game::{Position, Rules, perft};

#[test]
fn help_and_version_go_to_standard_output() {
    for args in [&["--help"][..], &["-h"], &["help"]] {
        let text = succeed(args);
        for word in ["--rules", "--hash", "--threads", "--log-file", "bench", "perft", "Examples"] {
            assert!(text.contains(word), "{word} is missing from {args:?}");
        }
    }
    for args in [&["help", "perft"][..], &["perft", "--help"]] {
        assert!(succeed(args).contains("--split"), "{args:?}");
    }
    let expected = format!("physarum {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(succeed(&["--version"]), expected);
    assert_eq!(succeed(&["-V"]), expected);
}

#[test]
fn wrong_arguments_are_named_and_end_with_status_2() {
    for (args, named) in [
        (&["--wrong"][..], "--wrong"),
        (&["analyse"], "analyse"),
        (&["--hash", "0"], "a whole number from 1 to 65536 is expected"),
        (&["--hash", "65537"], "a whole number from 1 to 65536 is expected"),
        (&["--hash", "-1"], "-1"),
        (&["--hash", "much"], "much"),
        (&["--hash"], "--hash"),
        (&["--threads", "0"], "a whole number from 1 to 256 is expected"),
        (&["--threads", "257"], "a whole number from 1 to 256 is expected"),
        (&["--rules", "chess"], "Assimilation, Ataxx or Fill is expected"),
        (&["--hash", "16", "bench"], "--hash"),
        (&["--rules", "ataxx", "perft", "2"], "--rules"),
        (&["bench", "0"], "0"),
        (&["bench", "256"], "256"),
        (&["bench", "deep"], "deep"),
        (&["perft"], "<DEPTH>"),
        (&["perft", "-1"], "-1"),
        (&["perft", "256"], "256"),
        (&["perft", "3", "--fen", "x5o/7/7/7/7/7/o5z x 0 1"], "'z' in rank 1"),
        (&["perft", "3", "--fen", "x5o/7/7 x 0 1"], "3 ranks on the board"),
        (&["perft", "3", "--fen", ""], "--fen"),
        (&["perft", "3", "--rules", "go"], "Assimilation, Ataxx or Fill is expected"),
    ] {
        let (status, out, err) = run(args);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{args:?}: {err}");
        assert!(err.starts_with("error: ") && err.contains(named), "{args:?}: {err}");
        assert!(!err.contains("panicked") && !err.contains("backtrace"), "{args:?}: {err}");
    }
}

#[test]
fn bench_gives_the_same_nodes_every_time() {
    let nodes = || {
        let text = succeed(&["bench", "4"]);
        let lines: Vec<&str> = text.lines().collect();
        let (last, steps) = lines.split_last().expect("some lines");
        assert!(fits(last, "… nodes … nps"), "{last}");
        let numbers: Vec<u64> =
            steps.iter().map(|line| line.split(' ').nth(1).unwrap().parse().unwrap()).collect();
        for (index, line) in steps.iter().enumerate() {
            let start = format!("{}/{} ", index + 1, steps.len());
            assert!(line.starts_with(&start) && line.ends_with(" nodes"), "{line}");
        }
        let all: u64 = last.split(' ').next().unwrap().parse().unwrap();
        assert_eq!(numbers.iter().sum::<u64>(), all);
        numbers
    };
    assert_eq!(nodes(), nodes());
}

#[test]
fn more_may_be_logged_wherever_it_is_asked_for() {
    for args in [["-v", "bench", "1"], ["bench", "-v", "1"], ["bench", "1", "--verbose"]] {
        assert!(succeed(&args).trim_end().ends_with(" nps"), "{args:?}");
    }
}

#[test]
fn perft_counts_under_either_rules() {
    let shut_in = "7/7/7/7/4ooo/4ooo/4oox x 0 30";
    let start = "x5o/7/7/7/7/7/o5x x 0 1";
    for (fen, depth) in [(start, 0), (start, 4), (shut_in, 0), (shut_in, 3)] {
        for rules in Rules::ALL {
            let position: Position = fen.parse().expect("a good FEN");
            let (nodes, depth) = (perft(&position, depth, rules), depth.to_string());
            let args = ["perft", &depth, "--fen", fen, "--rules", &rules.name().to_uppercase()];
            let text = succeed(&args);
            assert!(fits(text.trim_end(), &format!("nodes {nodes} time … nps …")), "{text}");
            // The parts, then the same total.
            let text = succeed(&[&args[..], &["--split"]].concat());
            let lines: Vec<&str> = text.lines().collect();
            let (last, parts) = lines.split_last().expect("some lines");
            assert!(fits(last, &format!("nodes {nodes} time … nps …")), "{last}");
            let part = |line: &&str| line.split_once(' ').unwrap().1.parse::<u64>().unwrap();
            if depth != "0" {
                assert_eq!(parts.iter().map(part).sum::<u64>(), nodes);
                assert_eq!(parts.len(), position.legal_moves(rules).len());
            }
        }
    }
    // Without options: the start, under Assimilation.
    assert!(succeed(&["perft", "2"]).starts_with("nodes 256 "));
}

#[test]
fn start_values_are_those_that_uai_shows() {
    let folder = tempfile::tempdir().expect("a folder for the log");
    let log = folder.path().join("log").display().to_string();
    let mut engine = Engine::start_with(&[
        "--hash",
        "2",
        "--threads",
        "3",
        "--rules",
        "Assimilation",
        "--log-file",
        &log,
    ]);
    let lines = engine.ask("uai");
    for line in [
        "option name Hash type spin default 2 min 1 max 65536".to_owned(),
        "option name Threads type spin default 3 min 1 max 256".to_owned(),
        "option name Rules type combo default Assimilation var Assimilation var Ataxx var Fill"
            .to_owned(),
        format!("option name Log File type string default {log}"),
    ] {
        assert!(lines.contains(&line), "{line}\n{lines:?}");
    }
    engine.end();
    let text = std::fs::read_to_string(&log).expect("the log");
    assert!(text.contains("> uai") && text.contains("< uaiok"), "{text}");
}

#[test]
fn a_reader_who_has_had_enough_is_no_error() {
    for args in [&["bench", "8"][..], &["perft", "4", "--split"], &["--help"], &["perft", "2"]] {
        let mut child = program(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program should start");
        let stdout = child.stdout.take().expect("it was asked for");
        let stderr = child.stderr.take().expect("it was asked for");
        if args[0] == "bench" {
            let mut line = String::new();
            BufReader::new(stdout).read_line(&mut line).expect("a first line");
            assert!(line.starts_with("1/"), "{line}");
        } else {
            drop(stdout);
        }
        let status = wait_for(&mut child).expect("an end");
        assert_eq!((status.code(), read_all(stderr).as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn a_log_file_that_cannot_be_opened_is_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().display().to_string();
    for path in [folder.clone(), format!("{folder}/missing/log")] {
        let (status, out, err) = run(&["--log-file", &path]);
        assert_eq!((status, out.as_str()), (Some(1), ""));
        assert!(err.starts_with("error: ") && err.lines().count() == 1, "{err}");
        assert!(err.contains("cannot open the log file") && err.contains(&folder), "{err}");
    }
}

#[test]
fn no_backtrace_is_shown_whatever_the_environment_asks_for() {
    for value in ["0", "1", "full"] {
        let output = program(&["--log-file", env!("CARGO_MANIFEST_DIR")])
            .env("RUST_BACKTRACE", value)
            .env("RUST_LIB_BACKTRACE", value)
            .stdin(Stdio::null())
            .output()
            .expect("the program should start");
        let err = String::from_utf8(output.stderr).expect("text");
        assert_eq!((output.status.code(), err.lines().count()), (Some(1), 1), "{err}");
    }
}
