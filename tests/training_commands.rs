//! The commands that make and keep training data, as their users meet them.

#[path = "common/engine.rs"]
mod engine;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use engine::{DEADLINE, PROGRAM, fail, program, read_all, run, run_command, succeed, wait_for};
use physarum::training::DataReader;
use tempfile::tempdir;

/// `datagen` with quick games.
fn datagen<'a>(out: &'a str, positions: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["datagen", "--out", out, "--positions", positions];
    args.extend(["--nodes", "40", "--hash", "1", "--seed", "11", "--threads", "2"]);
    args.extend(more);
    args
}

/// What comes after the header, in which there is the time.
fn body(path: &Path) -> Vec<u8> {
    let start = DataReader::open(path).expect("a data file").offset();
    fs::read(path).expect("a file")[start as usize..].to_vec()
}

/// Starts the program and waits until it has written some games.
fn start_and_wait_for_games(args: &[&str], path: &Path) -> Child {
    let mut command = program(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program should start");
    let start = Instant::now();
    let before = fs::metadata(path).map_or(0, |data| data.len());
    while fs::metadata(path).map_or(0, |data| data.len()) < before + 20_000 {
        if let Some(status) = child.try_wait().expect("a child") {
            let err = child.stderr.take().map(read_all);
            panic!("it ended with {status}: {err:?}");
        }
        assert!(start.elapsed() < DEADLINE, "no games");
        thread::sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn datagen_refuses_wrong_arguments() {
    for (more, word) in [
        (&["--positions", "0"][..], "--positions"),
        (&["--nodes", "0"], "--nodes"),
        (&["--nodes", "many"], "--nodes"),
        (&["--threads", "0"], "a whole number from 1 to 256 is expected"),
        (&["--hash", "0"], "a whole number from 1 to 65536 is expected"),
        (&["--seed", "-1"], "-1"),
        (&["--gaps", "1.5"], "a number from 0 to 1 is expected"),
        (&["--gaps", "NaN"], "a number from 0 to 1 is expected"),
        (&["--assimilation", "-0.1"], "-0"),
        (&["--opening-plies", "9-4"], "4-12"),
        (&["--opening-plies", "4-1000"], "4-12"),
        (&["--opening-plies", "-"], "4-12"),
        (&["--max-opening-score", "0"], "--max-opening-score"),
        (&["--decided-score", "0"], "--decided-score"),
        (&["--max-plies", "0"], "--max-plies"),
    ] {
        let mut args = vec!["datagen", "--out", "data"];
        if more[0] != "--positions" {
            args.extend(["--positions", "10"]);
        }
        args.extend(more);
        fail(&args, 2, &[word]);
    }
    fail(&["datagen", "--positions", "10"], 2, &["--out"]);
    fail(&["datagen", "--out", "data"], 2, &["--positions"]);
}

#[test]
fn datagen_goes_on_after_any_end() {
    let folder = tempdir().unwrap();
    let [whole, part] = ["deep/er/whole", "part"].map(|name| folder.path().join(name));
    let [whole_name, part_name] = [&whole, &part].map(|path| path.to_str().unwrap());
    // Folders are made; the summary is one line.
    let out = succeed(&datagen(whole_name, "20000", &[]));
    let numbers: Vec<u64> = out.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let &[positions, games, added] = &numbers[..] else { panic!("{out}") };
    assert_eq!(out, format!("positions {positions} games {games} added {added}\n"));
    assert!(positions >= 20_000 && added == positions);

    let endless = datagen(part_name, "100000000", &[]);
    // Killed.
    let mut child = start_and_wait_for_games(&endless, &part);
    child.kill().unwrap();
    wait_for(&mut child).unwrap();
    // Asked to end.
    #[cfg(unix)]
    for signal in ["-TERM", "-INT"] {
        let mut child = start_and_wait_for_games(&endless, &part);
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(wait_for(&mut child).unwrap().code(), Some(4));
        let err = read_all(child.stderr.take().unwrap());
        assert!(err.starts_with("error: interrupted: ") && err.lines().count() == 1, "{err}");
        assert!(err.contains(" of 100000000 positions are there"), "{err}");
        DataReader::open(&part).unwrap();
    }
    // The fast machine of the future may have more by now than what the other file has.
    let positions = positions.to_string();
    succeed(&datagen(part_name, &positions, &[]));
    let [whole, part] = [&whole, &part].map(|path| body(path));
    let common = whole.len().min(part.len());
    assert!(part.len() >= whole.len() && whole[..common] == part[..common]);

    // As JSON.
    let out = succeed(&datagen(whole_name, "20000", &["--json"]));
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["positions"].to_string(), positions);
    assert_eq!(json["games"], json["games_before"]);
}

#[test]
fn datagen_refuses_files_that_are_not_its_own() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let data = path("data");
    succeed(&datagen(&data, "100", &[]));
    let before = fs::read(&data).unwrap();
    let words = ["made in another way: ", "gaps was 0.15 and now is 0.0", data.as_str()];
    fail(&datagen(&data, "200", &["--gaps", "0"]), 1, &words);
    assert_eq!(fs::read(&data).unwrap(), before);
    let mut damaged = before.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&data, &damaged).unwrap();
    fail(&datagen(&data, "200", &[]), 1, &["is damaged: the checksum of its positions", &data]);
    assert_eq!(fs::read(&data).unwrap(), damaged);
    fs::write(&data, "text").unwrap();
    fail(&datagen(&data, "200", &[]), 1, &["not training data of Physarum", &data]);
    assert_eq!(fs::read(&data).unwrap(), b"text");
    fail(&datagen(folder.path().to_str().unwrap(), "200", &[]), 1, &["it is not a regular file"]);
    fail(&datagen(&format!("{data}/below"), "200", &[]), 1, &["cannot make the folder"]);
    if Path::new("/dev/full").exists() {
        fail(&datagen("/dev/full", "200", &[]), 1, &["/dev/full"]);
        fail(&datagen("/dev/null", "200", &[]), 1, &["/dev/null"]);
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempdir().unwrap();
    let [whole, part] = ["whole", "part"].map(|name| folder.path().join(name));
    let [whole_name, part_name] = [&whole, &part].map(|path| path.to_str().unwrap());
    succeed(&datagen(whole_name, "2000", &[]));
    // A limit stands in for a full disk; its unit is 512 or 1024 bytes, by the shell.
    for (blocks, least) in [(20, 1), (0, 0)] {
        let mut command = Command::new("sh");
        let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
        command.args(["-c", &script, PROGRAM]).args(datagen(part_name, "2000", &[]));
        let (status, out, err) = run_command(command);
        assert_eq!((status, out.as_str()), (Some(1), ""), "{err}");
        assert!(err.starts_with("error: ") && err.lines().count() == 1, "{err}");
        assert!(err.contains(part_name), "{err}");
        let mut reader = DataReader::open(&part).unwrap();
        let mut games = 0;
        while reader.next_game().unwrap().is_some() {
            games += 1;
        }
        assert!(games > least && reader.torn() == 0, "{games} {}", reader.torn());
    }
    succeed(&datagen(part_name, "2000", &[]));
    assert_eq!(body(&part), body(&whole));
    // Not even a header.
    let new = folder.path().join("new");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 0; exec \"$0\" \"$@\"", PROGRAM]);
    command.args(datagen(new.to_str().unwrap(), "2000", &[]));
    assert_eq!(run_command(command).0, Some(1));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn data_commands_refuse_wrong_arguments() {
    for (args, word) in [
        (&["data"][..], "Usage"),
        (&["data", "look"], "look"),
        (&["data", "info"], "<FILE>..."),
        (&["data", "check"], "<FILE>..."),
        (&["data", "shuffle", "a"], "--out"),
        (&["data", "shuffle", "a", "b", "--out", "c"], "'b'"),
        (&["data", "shuffle", "a", "--out", "c", "--seed", "x"], "--seed"),
        (&["data", "merge", "--out", "c"], "<FILE>..."),
        (&["data", "merge", "a"], "--out"),
        (&["data", "rescore", "a", "--out", "b"], "--nodes"),
        (&["data", "rescore", "a", "--out", "b", "--nodes", "0"], "--nodes"),
        (&["data", "rescore", "a", "--nodes", "1"], "--out"),
    ] {
        let (status, out, err) = run(args);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{args:?}: {err}");
        assert!(err.contains(word), "{args:?}: {err}");
    }
}

#[test]
fn data_commands_name_the_file_and_the_place() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [data, text, missing, future] = ["data", "text", "missing", "future"].map(path);
    succeed(&datagen(&data, "300", &[]));
    fs::write(&text, "text").unwrap();
    let mut bytes = fs::read(&data).unwrap();
    bytes[8] = 2;
    fs::write(&future, &bytes).unwrap();
    let folder_name = folder.path().to_str().unwrap();
    for (file, words) in [
        (&text, "not training data of Physarum"),
        (&missing, "No such file"),
        (&future, "version 2"),
        (&folder_name.to_owned(), "it is not a regular file"),
    ] {
        let new = path("new");
        let words = [file.as_str(), words];
        fail(&["data", "info", file], 1, &words);
        fail(&["data", "info", &data, file], 1, &words);
        fail(&["data", "shuffle", file, "--out", &new], 1, &words);
        fail(&["data", "merge", &data, file, "--out", &new], 1, &words);
        fail(&["data", "merge", &data, file, "--out", &new, "--salvage"], 1, &words);
        fail(&["data", "rescore", file, "--out", &new, "--nodes", "5"], 1, &words);
        let (status, out, err) = run(&["data", "check", &data, file]);
        assert_eq!((status, err.as_str()), (Some(1), "error: faults found: 1\n"));
        assert!(words.iter().all(|word| out.lines().next().unwrap().contains(word)), "{out}");
    }
    for args in [
        &["data", "shuffle", &data, "--out", &text][..],
        &["data", "merge", &data, "--out", &text],
        &["data", "merge", &data, "--out", &data],
    ] {
        fail(args, 1, &["is not replaced"]);
    }
    fail(&["data", "rescore", &data, "--out", &text, "--nodes", "5"], 1, &[&text]);
    fail(&["data", "rescore", &data, "--out", &data, "--nodes", "5"], 1, &["another way"]);
    assert_eq!(fs::read(&text).unwrap(), b"text");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn check_tells_every_fault() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("data");
    let name = path.to_str().unwrap();
    succeed(&datagen(name, "500", &[]));
    let out = succeed(&["data", "check", name]);
    assert!(out.starts_with("files 1 games ") && out.ends_with(" faults 0\n"), "{out}");
    let good = fs::read(&path).unwrap();
    let mut reader = DataReader::open(&path).unwrap();
    let mut places = Vec::new();
    while reader.next_game().unwrap().is_some() {
        places.push(reader.last_game() as usize);
    }
    assert!(places.len() >= 3);
    let mut bytes = good.clone();
    bytes[places[0] + 40] ^= 1;
    bytes[places[2] + 1] ^= 1;
    // The second game once more, and a part of it.
    bytes.extend(&good[places[1]..places[2]]);
    bytes.extend(&good[places[1]..places[2] - 1]);
    fs::write(&path, &bytes).unwrap();
    let (status, out, err) = run(&["data", "check", name]);
    assert_eq!((status, err.as_str()), (Some(1), "error: faults found: 4\n"), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    let repeated = good.len();
    let torn = repeated + places[2] - places[1];
    for (line, words) in [
        format!("{name}: the game at byte {} is damaged: the checksum of its positions", places[0]),
        format!("{name}: the game at byte {} is damaged: the checksum of its header", places[2]),
        format!("{name}: the game at byte {repeated}: number "),
        format!("{name}: {} bytes of an incomplete game at byte {torn}", bytes.len() - torn),
    ]
    .iter()
    .zip(&lines)
    .map(|(words, line)| (line, words))
    {
        assert!(line.starts_with(words.as_str()), "{line}\n{words}");
    }
    assert!(lines[4].ends_with(" faults 4"), "{out}");
    // What is good can be saved.
    let new = folder.path().join("new");
    let new_name = new.to_str().unwrap();
    let args =
        ["data", "merge", name, "--out", new_name, "--salvage", "--skip-duplicates", "--json"];
    let (status, out, err) = run(&args);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(err.lines().count(), 3, "{err}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&json["duplicates"], &json["damaged"]), (&1.into(), &2.into()));
    assert_eq!(json["games"], places.len() as u64 - 2);
    succeed(&["data", "check", new_name]);
}

#[test]
fn data_commands_work_together() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [a, b, both, mixed, deeper] = ["a", "b", "x/both", "x/mixed", "x/y/deeper"].map(path);
    succeed(&datagen(&a, "400", &["--generation", "2"]));
    succeed(&datagen(&b, "300", &["--gaps", "1", "--assimilation", "1"]));
    let summary = succeed(&["data", "merge", &a, &b, "--out", &both]);
    assert!(summary.ends_with("duplicates left out 0 damaged places 0\n"), "{summary}");
    let counts = |text: &str| text.split(' ').take(4).collect::<Vec<_>>().join(" ");
    let shuffled = succeed(&["data", "shuffle", &both, "--out", &mixed, "--seed", "7"]);
    assert_eq!(summary, shuffled);
    let args = ["data", "rescore", &mixed, "--out", &deeper, "--nodes", "100", "--hash", "1"];
    let rescored = succeed(&args);
    assert_eq!(counts(&summary), counts(&rescored));
    let added: u64 = rescored.trim().rsplit(' ').next().unwrap().parse().unwrap();
    assert!(rescored.starts_with(&format!("positions {added} ")), "{rescored}");
    // Again, there is nothing to be done.
    assert!(succeed(&args).ends_with(" added 0\n"));
    succeed(&["data", "check", &a, &b, &both, &mixed, &deeper]);

    let text = succeed(&["data", "info", &deeper]);
    for words in [
        "generation 2, seed 11, 40 nodes, gaps 0.15, Assimilation 0.2",
        "generation 0, seed 11, 40 nodes, gaps 1, Assimilation 1",
        "scores from 100 nodes by version",
        "shuffled with seed 7",
        "proven",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&succeed(&["data", "info", &deeper, &a, "--json"])).unwrap();
    let positions = |value: &serde_json::Value| value["positions"].as_u64().unwrap();
    assert_eq!(positions(&json), positions(&json["files"][0]) + positions(&json["files"][1]));
    assert_eq!(positions(&json["files"][0]), added);
    assert_eq!(json["files"][0]["header"]["sources"][0]["rescores"][0]["nodes"], 100);

    if let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") {
        for command in ["info", "check"] {
            let mut child = program(&["data", command, &a]);
            let output = child.stdout(full.try_clone().unwrap()).output().unwrap();
            let err = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{err}");
            assert!(err.starts_with("error: cannot write the output"), "{err}");
        }
    }
}
