//! `physarum analyze`, as scripts meet it.

mod common;
#[path = "common/engine.rs"]
mod engine;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use engine::{program, run, run_with_input};
use physarum::game::{Game, Move, Rules};
use serde_json::Value;

/// Positions of the table that perft is tested with, with names, a comment and a line that is none.
fn positions() -> String {
    let mut text = "# from the table\n\n".to_owned();
    let rows = include_str!("data/perft.tsv").lines().filter_map(|row| row.strip_prefix("ataxx\t"));
    for (number, row) in rows.enumerate() {
        let fen = row.split('\t').next().unwrap();
        text += &match number % 4 {
            0 => format!("{fen}\n"),
            1 => format!("position fen {fen} ; number {number}\n"),
            2 => format!("{{\"fen\": \"{fen}\", \"id\": {number}, \"source\": \"perft\"}}\n"),
            _ => format!("{fen} # as it is\n"),
        };
    }
    text
}

fn records(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The records of an input without errors.
fn analyze(input: &str, args: &[&str]) -> String {
    let (status, out, err) = run_with_input(&[&["analyze"], args].concat(), input);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{args:?}");
    out
}

const LIMITS: [&str; 6] = ["--depth", "4", "--no-time", "--rules", "ataxx", "--multipv=2"];

#[test]
fn every_position_has_its_record() {
    let input = positions();
    let found = records(&analyze(&input, &LIMITS));
    let lines: Vec<(usize, &str)> = (1..).zip(input.lines()).skip(2).collect();
    assert_eq!(found.len(), lines.len());
    assert!(found.len() > 50);
    for (record, (number, line)) in found.iter().zip(lines) {
        assert_eq!((record["v"].as_u64(), record["line"].as_u64()), (Some(1), Some(number as u64)));
        let fen = record["fen"].as_str().unwrap();
        assert!(line.contains(fen), "{record}");
        assert_eq!(record["source"].as_str(), line.starts_with('{').then_some("perft"), "{record}");
        assert_eq!(record.get("id").is_some(), line.contains("id") || line.contains(" ; "));
        let mut game = Game::new(fen.parse().unwrap());
        let legal = game.position().legal_moves(Rules::Ataxx);
        assert_eq!(record["legal_moves"], legal.len(), "{record}");
        let [win, draw, loss] = [0, 1, 2].map(|i| record["wdl"][i].as_u64().unwrap());
        assert_eq!(win + draw + loss, 1000, "{record}");
        assert!(record.get("time_ms").is_none(), "{record}");
        let shown = record["lines"].as_array().unwrap();
        assert_eq!(shown.len(), legal.len().min(2), "{record}");
        let Some(best) = shown.first() else {
            assert!(record["outcome"].is_string() && record["proven"] == true, "{record}");
            continue;
        };
        assert_eq!((&best["moves"][0], &best["score"]), (&record["best"], &record["score"]));
        assert!(record.get("outcome").is_none() && record["depth"].as_u64() >= Some(1));
        assert!(shown.len() < 2 || shown[1]["moves"][0] != record["best"], "{record}");
        for mv in best["moves"].as_array().unwrap() {
            let mv: Move = mv.as_str().unwrap().parse().unwrap();
            assert!(game.position().check(mv, Rules::Ataxx).is_ok(), "{record}");
            game.play(mv);
        }
    }
}

#[test]
fn the_records_for_some_positions_are_these() {
    // A change of search or evaluation changes them, nothing else does.
    let input = "7/7/7/7/2oo3/1x5/7 x 0 20 ; wins\n7/7/7/7/7/7/x6 o 0 9\n\
                 {\"fen\": \"7/7/7/7/4ooo/4ooo/4oox x 0 30\", \"rules\": \"ataxx\", \"best\": 1, \"a\": \"b\"}\n";
    let out = analyze(input, &["--depth", "3", "--no-time"]);
    let lines: Vec<&str> = out.lines().collect();
    let [wins, over, passes] = lines[..] else { panic!("{out}") };
    assert!(wins.starts_with(
        "{\"v\":1,\"line\":1,\"id\":\"wins\",\"fen\":\"7/7/7/7/2oo3/1x5/7 x 0 20\",\
         \"rules\":\"Assimilation\",\"legal_moves\":13,\"depth\":3,"
    ));
    assert!(
        wins.contains(",\"score\":{\"mate\":1},\"wdl\":[1000,0,0],\"proven\":true,\"best\":\"")
    );
    assert_eq!(
        over,
        "{\"v\":1,\"line\":2,\"fen\":\"7/7/7/7/7/7/x6 o 0 9\",\"rules\":\"Assimilation\",\
         \"legal_moves\":0,\"outcome\":\"x wins\",\"depth\":0,\"seldepth\":0,\"nodes\":0,\
         \"score\":{\"mate\":0},\"wdl\":[0,0,1000],\"proven\":true,\"lines\":[]}"
    );
    assert!(
        passes.contains("\"rules\":\"Ataxx\",\"legal_moves\":1,")
            && passes.ends_with(",\"a\":\"b\"}")
    );
    assert!(passes.contains("\"best\":\"0000\""), "{passes}");
}

/// What `tests/data/analyze.jsonl` holds is made anew, after a change of search or evaluation, with
/// `PHYSARUM_BLESS=1 cargo test --test analyze`.
#[test]
fn the_records_for_the_table_are_as_ever() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/analyze.jsonl");
    let found = analyze(&positions(), &LIMITS);
    if std::env::var_os("PHYSARUM_BLESS").is_some() {
        fs::write(golden, &found).unwrap();
    }
    let expected = fs::read_to_string(golden).unwrap();
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn the_number_of_jobs_makes_no_difference() {
    let input = positions();
    for limit in ["--depth=5", "--nodes=3000"] {
        let of = |jobs: &str| analyze(&input, &[limit, "--no-time", "--jobs", jobs]);
        let expected = of("1");
        assert_eq!(of("2"), expected);
        assert_eq!(of("8"), expected);
    }
}

#[test]
fn broken_lines_are_told_of_and_the_rest_goes_on() {
    let good = "x5o/7/7/7/7/7/o5x x 0 1\n";
    let bad = [
        ("what is this", "fen: "),
        ("x5o/7/7/7/7/7/o5x x 0 1 moves a1", "move 1 \"a1\": "),
        ("{\"fen\": 1, \"id\": \"seven\"}", "fen: a text is expected"),
        ("{", "not JSON: "),
        ("position", "startpos or fen is missing"),
    ];
    let input: String = bad.iter().flat_map(|(line, _)| [line, "\n", good]).collect();
    for jobs in ["1", "3"] {
        let args = ["analyze", "--nodes", "100", "--jobs", jobs];
        let (status, out, err) = run_with_input(&args, &input);
        assert_eq!((status, err.as_str()), (Some(1), "error: 5 of 10 positions have errors\n"));
        let found = records(&out);
        assert_eq!(found.len(), 10);
        for (pair, (line, message)) in found.chunks(2).zip(bad) {
            let error = pair[0]["error"].as_str().unwrap();
            assert!(error.starts_with(message), "{line}: {error}");
            assert!(pair[0].get("fen").is_none() && pair[1]["best"].is_string(), "{pair:?}");
        }
        assert_eq!(found[4]["id"], "seven");
    }
    for (args, message) in [
        (&["--depth", "0"][..], "--depth"),
        (&["--shard", "3/2"], "I/N is expected"),
        (&["--shard", "0/2"], "I/N is expected"),
        (&["--resume"], "--out"),
        (&["--format", "xml"], "xml"),
        (&["--rules", "go"], "Assimilation, Ataxx or Fill is expected"),
    ] {
        let (status, out, err) = run(&[&["analyze"], args].concat());
        assert_eq!((status, out.as_str()), (Some(2), ""), "{args:?}: {err}");
        assert!(err.starts_with("error: ") && err.contains(message), "{args:?}: {err}");
    }
    for args in [&["analyze", "/"][..], &["analyze", "--out", "/dev/null", "--resume"]] {
        let (status, _, err) = run(args);
        assert_eq!(status, Some(1), "{err}");
        assert!(err.contains("this is a folder") || err.contains("no regular file"), "{err}");
    }
    let (status, _, err) = run(&["analyze", "/nowhere/at/all"]);
    assert_eq!(status, Some(1));
    assert!(err.starts_with("error: /nowhere/at/all: "), "{err}");
}

#[test]
fn tables_and_texts_say_the_same() {
    let input = "7/7/7/7/2oo3/1x5/7 x 0 20 ; a, \"b\"\nx5o/7/7/7/7/7/o5x x 0 1\nbad\n7/7/7/7/7/7/x6 o 0 9\n";
    let of = |format: &str| {
        let args = ["analyze", "--depth", "3", "--no-time", "--format", format];
        let (status, out, _) = run_with_input(&args, input);
        assert_eq!(status, Some(1));
        out
    };
    let found = records(&of("jsonl"));
    let table = of("csv");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let names = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 4);
    for (row, record) in rows.iter().zip(&found) {
        let cell = |name: &str| &row[names.iter().position(|known| known == name).unwrap()];
        for name in ["line", "id", "fen", "depth", "nodes", "best", "outcome", "proven"] {
            let value = record.get(name).map_or(String::new(), |value| {
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            });
            assert_eq!(cell(name), value, "{name}");
        }
        let number =
            |value: &Value| value.as_i64().map_or(String::new(), |number| number.to_string());
        assert_eq!(cell("cp"), number(&record["score"]["cp"]));
        assert_eq!(cell("mate"), number(&record["score"]["mate"]));
        assert_eq!(cell("error").is_empty(), record.get("error").is_none());
    }
    let broken = r#"{"fen": "x5o/7/7/7/7/7/o5x x 0 1", "id": "a\nb"}"#;
    let text = analyze(broken, &["--depth=1", "--format=text"]);
    assert!(text.starts_with("1 (a\\nb): ") && text.matches('\n').count() == 1, "{text}");
    let text = of("text");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("1 (a, \"b\"): depth 3 nodes ") && lines[0].contains("; mate 1: ")
    );
    assert!(lines[2].starts_with("3: error: ") && lines[3] == "4: game over: x wins", "{text}");
}

#[test]
fn shards_together_are_the_whole() {
    let input = positions();
    let whole = analyze(&input, &LIMITS);
    let shards = ["1/3", "2/3", "3/3"]
        .map(|shard| analyze(&input, &[&LIMITS[..], &["--shard", shard]].concat()));
    let mut shards = shards.each_ref().map(|text| text.lines());
    for (number, line) in whole.lines().enumerate() {
        assert_eq!(shards[number % 3].next(), Some(line));
    }
    assert!(shards.iter_mut().all(|shard| shard.next().is_none()));
    let skipped = analyze(&input, &[&LIMITS[..], &["--skip", "10"]].concat());
    assert!(whole.lines().skip(10).eq(skipped.lines()));
}

#[test]
fn an_interrupted_run_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [input, other, out] = ["in", "other", "out"].map(path);
    fs::write(&input, positions()).unwrap();
    fs::write(&other, "x5o/7/7/7/7/7/o5x x 0 1").unwrap();
    for format in ["jsonl", "csv"] {
        let args = ["analyze", &input, &other, "--nodes", "500", "--no-time", "--format", format];
        let (status, whole, _) = run(&args);
        assert_eq!(status, Some(0));
        let last = whole.lines().last().unwrap();
        assert!(last.contains(&other), "{last}");
        // Broken off in the middle of a line, at its end, after the names, and before anything.
        let second = whole.match_indices('\n').nth(1).unwrap().0 + 1;
        for length in [0, 3, second, second + 7, whole.len() / 2, whole.len()] {
            fs::write(&out, &whole[..length]).unwrap();
            let (status, printed, err) = run(&[&args[..], &["--out", &out, "--resume"]].concat());
            assert_eq!((status, printed.as_str(), err.as_str()), (Some(0), "", ""));
            assert!(fs::read_to_string(&out).unwrap() == whole, "{format} {length}");
        }
        // Nothing is overwritten unasked.
        let (status, _, err) = run(&[&args[..], &["--out", &out]].concat());
        assert_eq!(status, Some(1), "{err}");
        assert!(err.contains("the file exists: --force"), "{err}");
        assert!(fs::read_to_string(&out).unwrap() == whole);
        let (status, ..) = run(&[&args[..], &["--jsonl", &out, "--force"]].concat());
        assert_eq!(status, Some(0));
        assert!(fs::read_to_string(&out).unwrap() == whole);
        fs::remove_file(&out).unwrap();
    }
}

#[test]
fn what_is_of_another_run_is_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [input, out] = ["in", "out"].map(path);
    let start = "x5o/7/7/7/7/7/o5x x 0 1 ; a\n";
    let lines = "line one\nline two\n";
    for format in ["jsonl", "csv"] {
        let args = ["analyze", &input, "--depth=1", "--no-time", "--format", format, "--out", &out];
        let resume = |more: &[&str]| run(&[&args[..], &["--resume"], more].concat());
        fs::write(&input, start.repeat(2)).unwrap();
        assert_eq!(run(&args).0, Some(0));
        let done = fs::read_to_string(&out).unwrap();
        let refuse = |text: &str, more: &[&str]| {
            let (status, _, err) = resume(more);
            assert_eq!(status, Some(1), "{format} {more:?}: {err}");
            assert!(err.contains("is not of this run"), "{err}");
            assert_eq!(fs::read_to_string(&out).unwrap(), text);
        };
        assert_eq!(resume(&[]), (Some(0), String::new(), String::new()));
        for other in ["x5o/7/7/7/7/7/o5x o 0 1 ; a\n", "x5o/7/7/7/7/7/o5x x 0 1 ; b\n", "bad\n"] {
            fs::write(&input, format!("{start}{other}{start}")).unwrap();
            refuse(&done, &[]);
        }
        fs::write(&input, start).unwrap();
        refuse(&done, &[]);
        fs::write(&input, start.repeat(2)).unwrap();
        for options in [&["--rules=ataxx"][..], &["--no-line"]] {
            refuse(&done, options);
        }
        if format == "jsonl" {
            refuse(&done, &["--multipv=2"]);
            for foreign in
                [lines, "{\"my\":1}\n", "{\"summary\":1}\n", "{\"summary\":1}\n{\"summary\":2}\n"]
            {
                fs::write(&out, foreign).unwrap();
                refuse(foreign, &[]);
            }
        }
        fs::write(&out, lines).unwrap();
        refuse(lines, &[]);
        fs::remove_file(&out).unwrap();
        // What had been wrong still counts.
        fs::write(&input, format!("bad\n{start}")).unwrap();
        assert_eq!(run(&args).0, Some(1));
        assert_eq!(resume(&[]).0, Some(1));
        fs::remove_file(&out).unwrap();
    }
    let args = ["analyze", &input, "--out", &out];
    let with = |options: &[&str]| run(&[&args[..], options].concat());
    fs::write(&input, start.repeat(2)).unwrap();
    assert_eq!(with(&["--nodes=3000"]).0, Some(0));
    for options in [&["--nodes=1000", "--resume"], &["--depth=2", "--resume"]] {
        let (status, _, err) = with(options);
        assert!(status == Some(1) && err.contains("is not of this run"), "{options:?}: {err}");
    }
    assert_eq!(with(&["--nodes=3000", "--resume"]).0, Some(0));
    let args = ["analyze", &input, "--out", &out, "--format=text", "--resume"];
    engine::fail(&args, 2, &["--resume needs --format jsonl or csv"]);
}

#[test]
fn searches_broken_off_tell_of_as_many_moves_as_are_wanted() {
    for nodes in [100, 300, 1000, 3000] {
        let nodes = format!("--nodes={nodes}");
        let out = analyze(&positions(), &[&nodes, "--multipv=3", "--rules=ataxx"]);
        for record in records(&out) {
            let lines = record["lines"].as_array().unwrap();
            let legal = record["legal_moves"].as_u64().unwrap() as usize;
            // Unless not even the first depth was completed.
            if record["depth"] != 0 {
                assert_eq!(lines.len(), legal.min(3), "{record}");
            }
            let firsts: Vec<_> = lines.iter().map(|line| &line["moves"][0]).collect();
            assert!(firsts.first().is_none_or(|first| **first == record["best"]), "{record}");
            assert!((1..firsts.len()).all(|at| !firsts[..at].contains(&firsts[at])), "{record}");
        }
    }
}

#[test]
fn the_input_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    fs::write(&input, positions()).unwrap();
    let input = input.to_str().unwrap();
    for how in ["--force", "--resume"] {
        let (status, out, err) = run(&["analyze", input, "--depth", "1", "--out", input, how]);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains("would be written over") && err.contains(input), "{err}");
        assert!(fs::read_to_string(input).unwrap() == positions());
    }
}

#[cfg(unix)]
#[test]
fn what_is_done_is_there_when_the_user_interrupts() {
    let folder = tempfile::tempdir().unwrap();
    let [input, out] = ["in", "out"].map(|name| folder.path().join(name));
    // The searches after the third would never end.
    let quick = "7/7/7/7/7/7/x6 o 0 9\n".repeat(3);
    fs::write(&input, quick + &"x5o/7/7/7/7/7/o5x x 0 1\n".repeat(5)).unwrap();
    let mut command = program(&["analyze", "--depth", "120", "--jobs", "2"]);
    command.arg(&input).arg("--out").arg(&out);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = |path: &Path| fs::read_to_string(path).map_or(0, |text| text.lines().count());
    for _ in 0..600 {
        if lines(&out) >= 3 {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert_eq!(err, "error: interrupted: 3 positions are done; --resume goes on\n");
    assert_eq!(records(&fs::read_to_string(&out).unwrap()).len(), 3);
}

#[cfg(unix)]
#[test]
fn nothing_is_lost_however_often_a_game_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [input, out] = ["game.pgn", "out"].map(path);
    fs::write(&input, "1. f1 a2 2. f2 b2 *\n").unwrap();
    let args = ["analyze", &input, "--out", &out];
    assert_eq!(run(&[&args[..], &["--depth=1"]].concat()).0, Some(0));
    let whole = fs::read_to_string(&out).unwrap();
    let done: String = whole.split_inclusive('\n').take(3).collect();
    fs::write(&out, &done).unwrap();
    for _ in 0..2 {
        let slow = [&args[..], &["--movetime=30000", "--jobs=1", "--resume"]].concat();
        let child = program(&slow).stderr(Stdio::piped()).spawn().unwrap();
        thread::sleep(Duration::from_millis(500));
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(4));
        assert_eq!(fs::read_to_string(&out).unwrap(), done);
    }
    assert_eq!(run(&[&args[..], &["--depth=1", "--resume"]].concat()).0, Some(0));
    let told = |text: &str| records(text).len();
    assert_eq!(told(&fs::read_to_string(&out).unwrap()), told(&whole));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_while_it_waits_for_input() {
    let mut child = program(&["analyze", "--depth", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.as_mut().unwrap();
    std::io::Write::write_all(input, b"position startpos\n").unwrap();
    // Once there is a record, it waits for the next line.
    let mut record = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut record).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let mut err = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4), "{err}");
    assert_eq!(err, "error: interrupted: 1 positions are done\n");

    // The same where it waits for somebody to write into a pipe.
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.to_str().unwrap();
    let child = program(&["analyze", pipe]).stderr(Stdio::piped()).spawn().unwrap();
    thread::sleep(Duration::from_millis(300));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(4));
    // And what is written into it is read.
    let child = program(&["analyze", "--depth=1", pipe]).stdout(Stdio::piped()).spawn().unwrap();
    fs::write(pipe, "position startpos\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(records(&String::from_utf8(output.stdout).unwrap()).len(), 1);
}

#[test]
fn gnu_parallel_cuts_the_work_into_parts() {
    let Some(parallel) = common::tool("PHYSARUM_PARALLEL", "parallel") else { return };
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("positions.txt");
    fs::write(&input, positions()).unwrap();
    let input = input.to_str().unwrap();
    let args = [&LIMITS[..], &["--no-line", "--jobs", "1"]].concat();
    let whole = analyze(&positions(), &args);
    for how in [&["--pipepart", "-a", input, "--block", "500"][..], &["--pipe", "-N", "7"]] {
        let mut command = Command::new(&parallel);
        command.env("HOME", folder.path()).args(["--will-cite", "--keep-order", "-j", "2"]);
        command.args(how).arg(engine::PROGRAM).arg("analyze").args(&args);
        command.stdin(fs::File::open(input).unwrap());
        let output = command.output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), err.as_str()), (Some(0), ""));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), whole, "{how:?}");
    }
}
