//! Matches that go as they should, and what is left of them.

mod common;
#[path = "common/engine.rs"]
mod engine;

use std::fs;
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use engine::{DEADLINE, PROGRAM, program};
use physarum::game::{Color, Outcome, Position, Rules};
use physarum::record::{GameRecord, PgnReader, RecordedScore};
use physarum::referee::{Decision, GameReport, Schedule, Sprt, Standings, Tournament};
use serde_json::{Value, json};
use tempfile::TempDir;

const OPENINGS: &str = "\
# Some openings.
x5o/7/7/7/7/7/o5x x 0 1
startpos moves f1 b1
startpos moves g1f3   # a jump
x5o/7/3-3/2-1-2/3-3/7/o5x o 0 1
x5o/7/7/7/7/6x/o5x o 0 1
";

/// A folder for a match.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::write(place.path("book.txt"), OPENINGS).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `physarum match` with arguments, in this folder.
    fn command(&self, args: &str) -> Command {
        let args: Vec<&str> = args.split_whitespace().collect();
        let mut command = program(&[&["match"], args.as_slice()].concat());
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Runs it; the status must be this one.
    #[track_caller]
    fn run(&self, args: &str, status: i32) -> Output {
        let output = self.command(args).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args}\n{errors}");
        assert!(!errors.contains("panicked"), "{errors}");
        output
    }

    /// Runs it to its end and gives the report.
    #[track_caller]
    fn report(&self, args: &str) -> Value {
        self.run(&format!("{args} --json report.json"), 0);
        self.json("report.json")
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.path(name)).unwrap()).unwrap()
    }

    fn games(&self, name: &str) -> Vec<GameRecord> {
        let file = fs::File::open(self.path(name)).unwrap();
        PgnReader::new(BufReader::new(file)).collect::<Result<_, _>>().unwrap()
    }
}

fn us(name: &str, more: &str) -> String {
    format!("--engine cmd={PROGRAM},name={name},{more}")
}

/// All of a report but what is never the same twice.
fn lasting(report: &Value) -> Value {
    let mut games = report["games"].clone();
    for game in games.as_array_mut().unwrap() {
        for effort in game["efforts"].as_array_mut().unwrap() {
            for key in ["time_us", "longest_us", "nodes_us"] {
                effort.as_object_mut().unwrap().remove(key);
            }
        }
    }
    json!({
        "games": games, "pairings": report["pairings"], "movers": report["movers"],
        "sprt": report["sprt"], "identity": report["identity"], "status": report["status"],
    })
}

#[test]
fn every_game_of_a_match_is_on_record() {
    let place = Place::new();
    let args = "--engine builtin=greedy --engine builtin=random --rounds 100 --openings book.txt \
                --shuffle --seed 3 --concurrency 3 --pgn-out games.pgn --event Trial";
    let report = place.report(args);
    assert_eq!(report["status"], "complete");
    assert_eq!(report["games_played"], 200);
    let games = report["games"].as_array().unwrap();
    let records = place.games("games.pgn");
    assert_eq!((games.len(), records.len()), (200, 200));
    let mut found = 0;
    for record in &records {
        let tag = |name| record.tags.get(name).unwrap();
        let (round, second) = tag("Round").split_once('.').unwrap();
        let number =
            (round.parse::<usize>().unwrap() - 1) * 2 + second.parse::<usize>().unwrap() - 1;
        let game = &games[number];
        assert_eq!(game["game"], number);
        assert_eq!(game["result"], record.result.name());
        let names = ["greedy", "random"];
        assert_eq!(tag("Black"), names[game["black"].as_u64().unwrap() as usize]);
        assert_eq!(tag("White"), names[game["white"].as_u64().unwrap() as usize]);
        assert_eq!(tag("Event"), "Trial");
        assert_eq!(tag("PlyCount"), record.moves().len().to_string());
        let book = record.moves().iter().filter(|ply| ply.comment.text() == "book").count();
        assert_eq!(game["plies"], record.moves().len() - book);
        if game["reason"] == "board" {
            found += 1;
            assert_eq!(record.outcome(), record.result.outcome(), "{record}");
        }
    }
    assert!(found > 190, "{found}");
    // Each opening is played twice, with colours changed, and each as often as the others.
    for pair in games.chunks(2) {
        assert_eq!(pair[0]["opening"], pair[1]["opening"]);
        assert_eq!((&pair[0]["black"], &pair[1]["black"]), (&json!(0), &json!(1)));
    }
    for opening in 0..5 {
        let played = games.iter().filter(|game| game["opening"] == opening).count();
        assert_eq!(played, 40, "{opening}");
    }
    let order: Vec<_> = games.iter().step_by(2).take(5).map(|game| &game["opening"]).collect();
    assert_ne!(order, [0, 1, 2, 3, 4].map(Value::from).iter().collect::<Vec<_>>());
    let sum = |key: &str| report["pairings"][0][key].as_u64().unwrap();
    assert_eq!(sum("wins") + sum("draws") + sum("losses"), 200);
    assert!(sum("wins") > 180);
}

#[test]
fn python_ataxx_sees_the_same_results() {
    let Some(python) = common::python() else { return };
    let place = Place::new();
    let args = "--engine builtin=greedy --engine builtin=random --rounds 99 --openings book.txt \
                --pgn-out games.pgn --each nodes=1";
    place.run(&format!("{args} {}", us("us", "option.Hash=1")), 0);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/games.py");
    let output = Command::new(python).args([script, "read"]).arg(place.path("games.pgn")).output();
    let output = output.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.lines().count(), 3 * 99 * 2);
    for (line, record) in said.lines().zip(place.games("games.pgn")) {
        let fields: Vec<_> = line.split('\t').collect();
        assert_eq!(fields[1], record.result.name());
        assert_eq!(fields[2], record.last().to_string());
    }
}

#[test]
fn the_same_settings_give_the_same_games() {
    let place = Place::new();
    let args = format!(
        "{} --engine builtin=random --nodes 200 --rounds 6 --openings book.txt --shuffle --seed 9",
        us("us", "option.Hash=1"),
    );
    let first = place.report(&args);
    let second = place.report(&format!("{args} --concurrency 4"));
    assert_eq!(lasting(&first), lasting(&second));
    let other = place.report(&args.replace("--seed 9", "--seed 10"));
    assert_ne!(first["games"], other["games"]);
}

#[test]
fn a_match_goes_on_after_a_kill_at_any_point() {
    let place = Place::new();
    let args = format!(
        "{} {} --rounds 8 --openings book.txt",
        us("a", "nodes=300,option.Hash=1"),
        us("b", "nodes=100,option.Hash=1"),
    );
    let whole = place.report(&args);
    let resumed = format!("{args} --results r.jsonl --pgn-out games.pgn --resume");
    // Killed when there is nothing, a little, and more; at last on its own.
    for games in [0, 1, 5, 6, 11] {
        let mut child =
            place.command(&resumed).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let start = std::time::Instant::now();
        while lines(&place.path("r.jsonl")) < games + 1 {
            assert!(start.elapsed() < DEADLINE && child.try_wait().unwrap().is_none());
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // The last one may have come to its end just before.
    let played = lines(&place.path("r.jsonl")) - 1;
    assert!(played < 16);
    // As if it had died while it wrote.
    let mut file = fs::OpenOptions::new().append(true).open(place.path("r.jsonl")).unwrap();
    file.write_all(b"{\"game\":15,\"roun").unwrap();
    drop(file);
    let pgn = fs::read(place.path("games.pgn")).unwrap();
    fs::write(place.path("games.pgn"), &pgn[..pgn.len() - 7]).unwrap();

    let report = place.report(&resumed);
    assert_eq!(lasting(&report), lasting(&whole));
    assert_eq!(place.games("games.pgn").len(), 16);
    let mut rounds: Vec<_> = place
        .games("games.pgn")
        .iter()
        .map(|game| game.tags.get("Round").unwrap().to_owned())
        .collect();
    rounds.sort();
    rounds.dedup();
    assert_eq!(rounds.len(), 16);

    // Once more: there is nothing left to do.
    let before = fs::read(place.path("r.jsonl")).unwrap();
    assert_eq!(lasting(&place.report(&resumed)), lasting(&whole));
    assert_eq!(fs::read(place.path("r.jsonl")).unwrap(), before);
    // More rounds may be asked for.
    let longer = place.report(&resumed.replace("--rounds 8", "--rounds 10"));
    assert_eq!(longer["games_played"], 20);
}

fn lines(path: &Path) -> usize {
    fs::read(path).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count())
}

#[test]
fn results_of_another_match_are_refused() {
    let place = Place::new();
    let args =
        "--engine builtin=greedy --engine builtin=random --openings book.txt --results r.jsonl";
    place.run(&format!("{args} --rounds 3 --pgn-out games.pgn"), 0);
    let before = fs::read(place.path("r.jsonl")).unwrap();
    let pgn = fs::read(place.path("games.pgn")).unwrap();
    fs::write(place.path("other.txt"), "x5o/7/7/7/7/7/o5x x 0 1\n").unwrap();
    for (args, message) in [
        (args.to_owned(), "there are results in this file already"),
        (format!("{args} --resume --seed 1"), "seed was 0, and is now 1"),
        (
            format!("{args} --resume --rules assimilation"),
            "rules was \"Ataxx\", and is now \"Assimilation\"",
        ),
        (format!("{args} --resume --rounds 2"), "beyond the rounds"),
        (
            format!("{args} --resume --openings other.txt").replace("--openings book.txt", ""),
            "openings was",
        ),
        (format!("{args} --resume --pgn-out other.txt"), "does not belong to the results"),
    ] {
        let output = place.run(&args, 2);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(message), "{args}\n{errors}");
        assert_eq!(fs::read(place.path("r.jsonl")).unwrap(), before, "{args}");
        assert_eq!(fs::read(place.path("games.pgn")).unwrap(), pgn, "{args}");
    }
    for (text, message) in [
        ("hello\n", "line 1: not the results of a match"),
        ("hello", "line 1: not the results of a match"),
        ("{}\n", "line 1: not the results of a match"),
        ("{\"format\":\"physarum-match\",\"version\":99}\n", "this version does not know"),
    ] {
        fs::write(place.path("bad.jsonl"), text).unwrap();
        let args = args.replace("r.jsonl", "bad.jsonl");
        let output = place.run(&format!("{args} --resume"), 2);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(message), "{text}\n{errors}");
        assert_eq!(fs::read_to_string(place.path("bad.jsonl")).unwrap(), text);
    }
    // Damage within is found too, wherever it is.
    let text = String::from_utf8(before).unwrap();
    for (line, damage) in [(2, "{}"), (3, "x"), (4, text.lines().nth(2).unwrap())] {
        let mut lines: Vec<&str> = text.lines().collect();
        lines[line - 1] = damage;
        fs::write(place.path("bad.jsonl"), lines.join("\n") + "\n").unwrap();
        let args = args.replace("r.jsonl", "bad.jsonl");
        let output = place.run(&format!("{args} --resume --rounds 3"), 2);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(&format!("line {line}: ")), "{errors}");
    }
}

#[test]
fn every_setting_that_a_game_depends_on_must_be_the_same() {
    let place = Place::new();
    fs::write(place.path("other.txt"), "x5o/7/7/7/7/7/o5x x 0 1\n").unwrap();
    let args = "--engine builtin=greedy --engine builtin=random --openings book.txt --rounds 1 \
                --results r.jsonl --resume";
    let report = place.report(args);
    let before = fs::read(place.path("r.jsonl")).unwrap();
    let changes = [
        ("engines", "--each nodes=1"),
        ("tournament", "--tournament gauntlet"),
        ("swap", "--no-swap"),
        ("rules", "--rules assimilation"),
        ("max_plies", "--max-plies 399"),
        ("time_margin_ms", "--time-margin 1"),
        ("start_timeout_ms", "--start-timeout 11"),
        ("move_timeout_ms", "--move-timeout 61"),
        ("adjudication", "--adjudicate-score 500,2"),
        ("adjudication", "--adjudicate-lead 10,2"),
        ("adjudication", "--adjudicate-decided"),
        ("openings", "--openings other.txt"),
        ("shuffle", "--shuffle"),
        ("seed", "--seed 1"),
    ];
    for (key, change) in changes {
        let args = if key == "openings" {
            args.replace("--openings book.txt", change)
        } else {
            format!("{args} {change}")
        };
        let output = place.run(&args, 2);
        let errors = String::from_utf8_lossy(&output.stderr);
        let expected = format!("a match with other settings: {key} was ");
        assert!(errors.contains(&expected), "{args}\n{errors}");
        assert_eq!(fs::read(place.path("r.jsonl")).unwrap(), before, "{args}");
    }
    // There are no others.
    let known = report["identity"].as_object().unwrap();
    for key in known.keys() {
        assert!(changes.iter().any(|(changed, _)| changed == key), "{key}");
    }
    assert!(changes.iter().all(|(key, _)| known.contains_key(*key)), "{known:?}");
}

#[test]
fn a_file_holds_every_setting() {
    let place = Place::new();
    let args = format!(
        "{} --engine builtin=random --each option.Threads=1 --nodes 50 --rounds 3 --openings book.txt --shuffle \
         --seed 4 --max-plies 60 --time-margin 5 --start-timeout 20 --move-timeout 30 --concurrency 2 \
         --rules ataxx --adjudicate-lead 40,2 --adjudicate-score 3000,2 --adjudicate-decided --tournament gauntlet \
         --sprt elo0=-1,elo1=1 --event Trial",
        us("us", "option.Hash=1"),
    );
    let by_line = place.report(&args);
    // What a report says of the settings is a file of settings.
    fs::write(place.path("match.json"), by_line["settings"].to_string()).unwrap();
    assert_eq!(lasting(&place.report("--config match.json")), lasting(&by_line));
    let toml = format!(
        r#"
nodes = 50
rounds = 3
openings = "book.txt"
shuffle = true
seed = 4
max-plies = 60
time-margin = 5
start-timeout = 20
move-timeout = 30
concurrency = 2
rules = "ataxx"
adjudicate-lead = "40,2"
adjudicate-score = "3000,2"
adjudicate-decided = true
tournament = "gauntlet"
sprt = "elo0=-1,elo1=1"
event = "Trial"

[each]
option.Threads = "1"

[[engine]]
cmd = {PROGRAM:?}
name = "us"
option.Hash = "1"

[[engine]]
builtin = "random"
"#
    );
    fs::write(place.path("match.toml"), &toml).unwrap();
    assert_eq!(lasting(&place.report("--config match.toml")), lasting(&by_line));
    // The command line comes first.
    let shorter = place.report("--config match.toml --rounds 1 --seed 5");
    assert_eq!((&shorter["games_scheduled"], &shorter["identity"]["seed"]), (&json!(2), &json!(5)));

    for (damage, message) in [
        ("rouns = 3", "unknown field `rouns`"),
        ("rounds = \"x\"", "invalid type"),
        ("rules = \"chess\"", "not a rule set"),
        ("sprt = \"elo0=1\"", "elo1 is missing"),
        ("tc = \"soon\"", "is no time control"),
        ("= 1", "match.toml"),
    ] {
        let key = damage.split(' ').next().unwrap();
        let others = toml.lines().filter(|line| key.is_empty() || !line.starts_with(key));
        let text: Vec<&str> = [damage].into_iter().chain(others).collect();
        fs::write(place.path("match.toml"), text.join("\n")).unwrap();
        let output = place.run("--config match.toml", 2);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(message), "{damage}\n{errors}");
    }
}

#[test]
fn wrong_arguments_are_refused_with_the_reason() {
    let place = Place::new();
    let two = "--engine builtin=random --engine builtin=greedy";
    for (args, message) in [
        ("".to_owned(), "two engines at least are needed"),
        ("--engine builtin=random".to_owned(), "two engines at least are needed"),
        ("--engine nonsense --engine builtin=random".to_owned(), "KEY=VALUE is expected"),
        ("--engine cmd=x --engine builtin=random".to_owned(), "a limit is missing"),
        (format!("{two} --rounds 0"), "0 is not in 1.."),
        (format!("{two} --tc soon"), "is no time control"),
        (format!("{two} --sprt elo0=5,elo1=0"), "elo1 must be greater than elo0"),
        (
            format!("{two} --engine builtin=random --sprt elo0=0,elo1=5"),
            "--sprt compares two engines",
        ),
        (format!("{two} --resume"), "--resume needs --results"),
        (format!("{two} --rules chess"), "not a rule set"),
        (format!("{two} --adjudicate-score 5"), "VALUE,MOVES"),
        (format!("{two} --openings none.txt"), "none.txt"),
        (format!("{two} --config none.toml"), "none.toml"),
        (format!("{two} --json no/such/folder.json"), "there is no folder"),
        (format!("{two} --tournament cup"), "roundrobin"),
    ] {
        let output = place.run(&args, 2);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(message), "{args}\n{errors}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{args}");
    }
    fs::write(place.path("bad.txt"), "startpos\nx5o/7 x 0 1\n").unwrap();
    let output = place.run(&format!("{two} --openings bad.txt --pgn-out games.pgn"), 2);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("bad.txt") && errors.contains('2'), "{errors}");
    assert!(!place.path("games.pgn").exists());
}

#[test]
fn what_cannot_be_written_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let place = Place::new();
    let two = "--engine builtin=random --engine builtin=greedy --rounds 5";
    for args in [
        "--pgn-out /dev/full",
        "--results folder/r.jsonl",
        "--pgn-out folder/games.pgn",
        "--json /dev/full",
    ] {
        let output = place.run(&format!("{two} {args}"), 1);
        let errors = String::from_utf8_lossy(&output.stderr);
        let path = args.split(' ').nth(1).unwrap();
        assert!(errors.contains(path), "{args}\n{errors}");
    }
}

#[test]
fn a_test_ends_the_match_when_it_is_decided() {
    let place = Place::new();
    let args = "--engine builtin=greedy --engine builtin=random --rounds 1000 --openings book.txt \
                --sprt elo0=0,elo1=50 --concurrency 2";
    let report = place.report(args);
    assert_eq!(report["status"], "decided");
    assert_eq!(report["sprt"]["decision"], "H1 accepted");
    let games = report["games_played"].as_u64().unwrap();
    assert!((10..1000).contains(&games), "{games}");
    let output = place
        .run(&args.replace("greedy", "x").replace("random", "greedy").replace("=x", "=random"), 0);
    let tables = String::from_utf8(output.stdout).unwrap();
    assert!(tables.contains("H0 accepted"), "{tables}");
}

#[test]
fn what_ends_after_the_decision_does_not_count() {
    let place = Place::new();
    for seed in 0..5 {
        fs::remove_file(place.path("r.jsonl")).unwrap_or_default();
        fs::remove_file(place.path("games.pgn")).unwrap_or_default();
        let report = place.report(&format!(
            "--engine builtin=greedy --engine builtin=random --rounds 1000 --openings book.txt \
             --sprt elo0=0,elo1=50 --concurrency 8 --results r.jsonl --pgn-out games.pgn --seed {seed}"
        ));
        // In the order in which they ended.
        let text = fs::read_to_string(place.path("r.jsonl")).unwrap();
        let games: Vec<GameReport> =
            text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(report["games_played"], games.len());
        assert_eq!(report["games"].as_array().unwrap().len(), games.len());
        assert_eq!(place.games("games.pgn").len(), games.len());
        let sprt: Sprt = "elo0=0,elo1=50".parse().unwrap();
        let names = vec!["greedy".to_owned(), "random".to_owned()];
        let schedule = Schedule::new(2, Tournament::RoundRobin, 1000, true);
        let mut standings = Standings::new(names, &schedule, Some(sprt));
        for (number, game) in games.iter().enumerate() {
            standings.add(game);
            let (_, status) = standings.sprt().unwrap();
            let last = number + 1 == games.len();
            let expected = if last { Decision::AcceptH1 } else { Decision::Continue };
            assert_eq!(status.decision, expected, "game {number} of {}: {status}", games.len());
        }
        let status = standings.sprt().unwrap().1;
        assert_eq!(report["sprt"]["llr"], status.llr);
    }
}

#[test]
fn tournaments_pair_as_they_should() {
    let place = Place::new();
    let engines = "--engine builtin=random,name=a --engine builtin=random,name=b \
                   --engine builtin=greedy,name=c --engine builtin=greedy,name=d";
    let report = place.report(&format!("{engines} --rounds 5 --openings book.txt"));
    assert_eq!(report["pairings"].as_array().unwrap().len(), 6);
    assert_eq!(report["games_played"], 60);
    assert!(report["standings"].as_array().unwrap().iter().all(|engine| engine["games"] == 30));
    let report =
        place.report(&format!("{engines} --rounds 5 --openings book.txt --tournament gauntlet"));
    assert_eq!(report["games_played"], 30);
    assert_eq!(report["standings"][0]["games"], 30);
    assert_eq!(report["standings"][3]["games"], 10);
    // Each once: colours change by the opening.
    let report =
        place.report("--engine builtin=random --engine builtin=greedy --rounds 4 --no-swap");
    let blacks: Vec<_> =
        report["games"].as_array().unwrap().iter().map(|game| &game["black"]).collect();
    assert_eq!(blacks, [0, 1, 0, 1].map(Value::from).iter().collect::<Vec<_>>());
    assert_eq!(report["pairings"][0]["pairs"], json!([0, 0, 0, 0, 0]));
}

/// Why the games of a match ended.
fn reasons_of(place: &Place, args: &str) -> Vec<String> {
    let report = place.report(args);
    let games = report["games"].as_array().unwrap();
    games.iter().map(|game| format!("{}{}", game["reason"], game["ruling"])).collect()
}

#[test]
fn games_can_end_early() {
    let place = Place::new();
    let two = "--engine builtin=greedy --engine builtin=random --rounds 20 --openings book.txt";
    let reasons = |args: &str| reasons_of(&place, &format!("{two} {args}"));
    assert!(reasons("--max-plies 10").contains(&"\"max-plies\"null".to_owned()));
    assert!(reasons("--adjudicate-lead 5,1").contains(&"\"adjudicated\"\"lead\"".to_owned()));
    let random = two.replace("greedy", "random,name=other");
    let two = random.as_str();
    let reasons = |args: &str| reasons_of(&place, &format!("{two} {args}"));
    assert!(reasons("--adjudicate-decided").contains(&"\"adjudicated\"\"decided\"".to_owned()));
    let plain = reasons("");
    assert!(plain.iter().all(|reason| reason != "\"adjudicated\"null"), "{plain:?}");
    let report = place.report(&format!(
        "{} {} --nodes 500 --rounds 5 --openings book.txt --adjudicate-score 500,2",
        us("a", "option.Hash=1"),
        us("b", "option.Hash=1"),
    ));
    let games = report["games"].as_array().unwrap();
    assert!(games.iter().any(|game| game["ruling"] == "score"), "{games:?}");
}

/// The reports of games that were ended by some ruling, with their records.
fn ruled(place: &Place, args: &str, ruling: &str) -> Vec<(Value, GameRecord)> {
    fs::remove_file(place.path("games.pgn")).unwrap_or_default();
    let report = place.report(&format!("{args} --pgn-out games.pgn"));
    let games = report["games"].as_array().unwrap();
    let records = place.games("games.pgn");
    assert_eq!(games.len(), records.len());
    // One after the other they are written down in their order.
    let pairs = games.iter().cloned().zip(records);
    let ruled: Vec<_> = pairs.filter(|(game, _)| game["ruling"] == ruling).collect();
    assert!(ruled.len() >= 3, "only {} by {ruling}", ruled.len());
    for (game, record) in &ruled {
        assert_eq!(game["result"], record.result.name());
        assert_eq!(record.tags.get("Termination"), Some("adjudication"));
        let plies = record.moves().iter().filter(|ply| ply.comment.text() != "book").count();
        assert_eq!(game["plies"], plies);
    }
    ruled
}

/// Whom a record names as the winner.
#[track_caller]
fn winner(record: &GameRecord) -> Color {
    match record.result.outcome() {
        Some(Outcome::Win(color)) => color,
        other => panic!("{other:?}: {record}"),
    }
}

#[test]
fn adjudication_by_score_is_for_the_side_that_both_call_the_better() {
    let place = Place::new();
    let args = format!(
        "{} {} --rounds 5 --openings book.txt --adjudicate-score 300,1",
        us("strong", "nodes=3000,option.Hash=1"),
        us("weak", "nodes=100,option.Hash=1"),
    );
    for (game, record) in ruled(&place, &args, "score") {
        let winner = winner(&record);
        let name = ["Black", "White"].map(|tag| record.tags.get(tag).unwrap())[winner.index()];
        assert_eq!(name, "strong", "{game}\n{record}");
        // What both said last.
        let plies: Vec<_> = record.plies().collect();
        for (position, ply) in &plies[plies.len() - 2..] {
            let ahead = match ply.comment.score().unwrap() {
                RecordedScore::Cp(cp) if cp.abs() < 300 => panic!("{cp}: {record}"),
                RecordedScore::Cp(cp) => cp > 0,
                RecordedScore::Win(_) => true,
                RecordedScore::Loss(_) => false,
            };
            assert_eq!(ahead, position.side_to_move() == winner, "{record}");
        }
    }
}

#[test]
fn adjudication_by_lead_is_for_the_side_with_more_stones() {
    let place = Place::new();
    let args = "--engine builtin=random,name=one --engine builtin=random,name=other --rounds 20 \
                --openings book.txt --adjudicate-lead 8,2";
    let games = ruled(&place, args, "lead");
    for (_, record) in &games {
        let winner = winner(record);
        let lead = |position: &Position| {
            i64::from(position.stones(winner).len()) - i64::from(position.stones(!winner).len())
        };
        assert!(lead(record.last()) >= 8, "{record}");
        // It has lasted for two moves of each side.
        let before: Vec<_> = record.plies().map(|(position, _)| lead(&position)).collect();
        assert!(before[before.len() - 3..].iter().all(|&lead| lead >= 8), "{before:?}: {record}");
        assert!(before[before.len() - 4] < 8, "{before:?}: {record}");
    }
    let both = [Color::Black, Color::White];
    assert!(both.iter().all(|&color| games.iter().any(|(_, record)| winner(record) == color)));
}

#[test]
fn adjudication_of_what_is_decided_changes_no_result() {
    let place = Place::new();
    // Not much is left to play for.
    let late = "xxxxxxx/xxxxxxx/xxxxxxo/oooxooo/oooxoox/xooooxo/1o3o1 x 0 30\n\
                ooooooo/oxxoxxo/xxxxxoo/oooxxxx/xoxxoxo/xxooxoo/2x1o2 o 0 30\n";
    fs::write(place.path("late.txt"), late).unwrap();
    let args = "--engine builtin=random,name=one --engine builtin=random,name=other --rounds 50 \
                --openings late.txt";
    let whole = place.report(args);
    let games = ruled(&place, &format!("{args} --adjudicate-decided"), "decided");
    for (game, record) in &games {
        let number = usize::try_from(game["game"].as_u64().unwrap()).unwrap();
        // The same dice have fallen there, only for longer.
        let other = &whole["games"][number];
        assert_eq!(game["result"], other["result"], "{record}");
        assert!(game["plies"].as_u64() < other["plies"].as_u64(), "{game}\n{other}");
    }
    let both = [Color::Black, Color::White];
    assert!(both.iter().all(|&color| games.iter().any(|(_, record)| winner(record) == color)));
}

#[test]
fn a_hundred_halfmoves_are_told_from_the_board() {
    let place = Place::new();
    // Each stone is shut in and can jump to one square only: in the second beside the last o.
    let endless = "x-5/---4/---4/7/4---/4---/5-o x 98 60";
    let taken = "x-1o3/---4/---4/7/7/7/7 x 99 60";
    for (fen, reason, result, plies) in
        [(endless, "halfmove-limit", "1/2-1/2", 2), (taken, "board", "1-0", 1)]
    {
        fs::write(place.path("late.txt"), format!("{fen}\n")).unwrap();
        let two = "--engine builtin=random --engine builtin=greedy --rounds 1";
        fs::remove_file(place.path("games.pgn")).unwrap_or_default();
        let report = place.report(&format!("{two} --openings late.txt --pgn-out games.pgn"));
        for (game, record) in
            report["games"].as_array().unwrap().iter().zip(place.games("games.pgn"))
        {
            assert_eq!(
                (&game["reason"], &game["result"]),
                (&json!(reason), &json!(result)),
                "{record}"
            );
            assert_eq!(game["plies"], plies, "{record}");
            assert_eq!(record.tags.get("Termination"), Some("normal"));
            let told = record.tags.get("Reason").unwrap();
            assert_eq!(told.contains("100 halfmoves"), reason == "halfmove-limit", "{told}");
        }
    }
}

#[test]
fn who_moves_first_is_seen_in_the_position() {
    let place = Place::new();
    // White takes all at once.
    fs::write(place.path("white.txt"), "oo5/7/1x5/7/7/7/7 o 0 1\n").unwrap();
    let report = place.report(
        "--engine builtin=greedy,name=one --engine builtin=greedy,name=other --rounds 3 --openings white.txt",
    );
    for game in report["games"].as_array().unwrap() {
        assert_eq!((&game["first"], &game["result"]), (&json!("o"), &json!("0-1")), "{game}");
    }
    let movers = &report["movers"];
    assert_eq!(
        ["first_wins", "second_wins", "draws"].map(|key| movers[key].as_u64()),
        [Some(6), Some(0), Some(0)]
    );
    // Here it is white's turn after the opening's own move.
    fs::write(place.path("white.txt"), "startpos moves f1\n").unwrap();
    let report = place
        .report("--engine builtin=random --engine builtin=greedy --rounds 1 --openings white.txt");
    assert!(report["games"].as_array().unwrap().iter().all(|game| game["first"] == "o"));
}

#[test]
fn no_two_players_throw_the_same_dice() {
    let place = Place::new();
    place.run(
        "--engine builtin=random,name=one --engine builtin=random,name=other --rounds 50 \
         --max-plies 2 --pgn-out games.pgn",
        0,
    );
    // At the start both sides have sixteen moves, whatever black plays: what was thrown is known.
    let thrown: Vec<[usize; 2]> = place
        .games("games.pgn")
        .iter()
        .map(|record| {
            let mut plies = record.plies().map(|(position, ply)| {
                let moves = position.legal_moves(record.rules());
                assert_eq!(moves.len(), 16);
                moves.iter().position(|&mv| mv == ply.mv).unwrap()
            });
            [plies.next().unwrap(), plies.next().unwrap()]
        })
        .collect();
    assert_eq!(thrown.len(), 100);
    let alike =
        |pairs: Vec<(usize, usize)>| pairs.iter().filter(|(a, b)| a == b).count() * 2 > pairs.len();
    // In one game, in the two games of an opening for each colour and each player, and in rounds.
    assert!(!alike(thrown.iter().map(|throw| (throw[0], throw[1])).collect()), "{thrown:?}");
    for (first, second) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
        let pairs = thrown.chunks(2).map(|pair| (pair[0][first], pair[1][second])).collect();
        assert!(!alike(pairs), "{first} {second}: {thrown:?}");
        let pairs = thrown.windows(3).map(|games| (games[0][first], games[2][second])).collect();
        assert!(!alike(pairs), "{first} {second}: {thrown:?}");
    }
}

#[test]
fn both_rule_sets_are_played() {
    let place = Place::new();
    // Black cannot move: it passes, or has lost.
    fs::write(place.path("shut.txt"), "7/7/7/7/4ooo/4ooo/4oox x 0 30\n").unwrap();
    fs::write(place.path("open.txt"), "7/7/7/7/5oo/5oo/4oox o 0 30\n").unwrap();
    let args = format!(
        "{} --engine builtin=random --nodes 100 --pgn-out games.pgn",
        us("us", "option.Hash=1")
    );
    place.run(&format!("{args} --openings shut.txt --rounds 1"), 0);
    assert!(place.games("games.pgn").iter().all(|game| game.rules() == Rules::Ataxx));
    assert!(
        place
            .games("games.pgn")
            .iter()
            .any(|game| game.moves().iter().any(|ply| ply.mv.to().is_none()))
    );
    let output =
        place.run(&format!("{args} --openings shut.txt --rules assimilation --rounds 1"), 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("over"));
    place.run(&format!("{args} --openings open.txt --rules assimilation --rounds 3"), 0);
    let games = place.games("games.pgn");
    let new: Vec<_> = games.iter().filter(|game| game.rules() == Rules::Assimilation).collect();
    assert_eq!(new.len(), 6);
    assert!(new.iter().all(|game| game.outcome() == game.result.outcome()));
}

/// A program that plays as ours does, and writes down what it is told.
#[cfg(unix)]
fn listener(place: &Place) -> String {
    let script = format!("#!/bin/sh\ntee -a told.txt | {PROGRAM:?} \"$@\"\n");
    let path = place.path("listener.sh");
    fs::write(&path, script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&path, mode).unwrap();
    path.display().to_string()
}

#[cfg(unix)]
#[test]
fn an_engine_is_told_what_it_must_know() {
    let place = Place::new();
    let engine = format!(
        "--engine cmd={},name=us,args=--hash\\ 2,dir={},option.Hash=1,option.Nonsense=x,tc=2/1+0.5,depth=2",
        listener(&place),
        place.0.path().display(),
    );
    // `split_whitespace` would divide the arguments.
    let engine = engine.replace("args=--hash\\ 2", "args=--hash=2");
    let output = place.run(
        &format!(
            "{engine} --engine builtin=random --rounds 1 --rules assimilation --openings book.txt"
        ),
        0,
    );
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("engine \"us\": it does not list the option \"Nonsense\""), "{errors}");
    assert!(!errors.contains("\"Rules\""), "{errors}");
    let told = fs::read_to_string(place.path("told.txt")).unwrap();
    let lines: Vec<&str> = told.lines().collect();
    let opening = [
        "uai",
        "setoption name Rules value Assimilation",
        "setoption name Hash value 1",
        "setoption name Nonsense value x",
        "isready",
        "uainewgame",
        "isready",
        "position fen x5o/7/7/7/7/7/o5x x 0 1",
        "isready",
        "go btime 1000 binc 500 movestogo 2 depth 2",
    ];
    assert_eq!(&lines[..opening.len()], opening, "{told}");
    assert_eq!(told.matches("uainewgame").count(), 2);
    assert!(told.contains("go wtime "), "{told}");
    assert_eq!(lines.last(), Some(&"quit"));

    // Restarted for each game.
    fs::remove_file(place.path("told.txt")).unwrap();
    place.run(
        &format!("{engine},restart=true --engine builtin=random --rounds 2 --openings book.txt"),
        0,
    );
    let told = fs::read_to_string(place.path("told.txt")).unwrap();
    assert!(told.lines().filter(|&line| line == "uai").count() >= 4, "{told}");
}

/// The number after a word of a line.
#[cfg(unix)]
#[track_caller]
fn told(line: &str, word: &str) -> u64 {
    engine::number_after(line, word).unwrap_or_else(|| panic!("no {word} in {line}"))
}

#[cfg(unix)]
#[test]
fn clocks_run_from_move_to_move_for_both_to_see() {
    let place = Place::new();
    let two = ["one", "other"].map(|name| {
        // Each in a folder of its own, where it writes down what it is told. With so much time it
        // does not matter how long it really takes.
        let path = place.path(name);
        fs::create_dir(&path).unwrap();
        format!(
            "--engine cmd={},name={name},dir={},tc=2/1000+500,depth=2,option.Hash=1",
            listener(&place),
            path.display(),
        )
    });
    place.run(&format!("{} {} --rounds 1 --no-swap --max-plies 8", two[0], two[1]), 0);
    let [one, other] = ["one", "other"].map(|name| {
        let told = fs::read_to_string(place.path(name).join("told.txt")).unwrap();
        told.lines().filter(|line| line.starts_with("go ")).map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!((one.len(), other.len()), (4, 4), "{one:?}\n{other:?}");
    for (lines, mine) in [(&one, "btime"), (&other, "wtime")] {
        let clock: Vec<u64> = lines.iter().map(|line| told(line, mine)).collect();
        assert_eq!(clock[0], 1_000_000);
        // Each move costs something and brings 500 s; every second move brings 1000 s more.
        let mut most = 1_000_000;
        for (index, &left) in clock.iter().enumerate().skip(1) {
            most += 500_000 + if index % 2 == 0 { 1_000_000 } else { 0 };
            assert!(left < most && left > most - 400_000, "{left} of {most}: {lines:?}");
        }
        for (index, line) in lines.iter().enumerate() {
            assert_eq!(told(line, "movestogo"), 2 - index as u64 % 2, "{lines:?}");
            assert_eq!((told(line, "binc"), told(line, "winc")), (500_000, 500_000));
        }
    }
    // A clock stands while the other side thinks.
    for number in 0..4 {
        assert_eq!(told(&one[number], "wtime"), told(&other[number], "wtime"));
        if let Some(next) = one.get(number + 1) {
            assert_eq!(told(&other[number], "btime"), told(next, "btime"));
        }
    }
}

#[test]
fn records_tell_limits_and_what_engines_said() {
    let place = Place::new();
    let us = us("us", "depth=3,option.Hash=1");
    place.run(&format!("{us} --engine builtin=greedy --rounds 1 --pgn-out games.pgn"), 0);
    for record in place.games("games.pgn") {
        let ours = if record.tags.get("Black") == Some("us") { Color::Black } else { Color::White };
        let limits =
            ["TimeControl", "BlackTimeControl", "WhiteTimeControl"].map(|tag| record.tags.get(tag));
        let expected = match ours {
            Color::Black => [None, Some("depth 3"), Some("no limit")],
            Color::White => [None, Some("no limit"), Some("depth 3")],
        };
        assert_eq!(limits, expected, "{record}");
        let mut seen = 0;
        for (position, ply) in record.plies() {
            let comment = &ply.comment;
            if position.side_to_move() != ours {
                assert_eq!((comment.score(), comment.depth()), (None, None), "{record}");
            } else if position.can_move(ours) {
                seen += 1;
                assert!(comment.score().is_some(), "{record}");
                assert!(comment.depth().is_some_and(|depth| (1..=3).contains(&depth)), "{record}");
                assert!(comment.time().is_some(), "{record}");
            }
        }
        assert!(seen > 3, "{record}");
    }
    let two = "--engine builtin=random --engine builtin=greedy --rounds 1 --pgn-out both.pgn";
    place.run(&format!("{two} --tc 40/60+0.5 --nodes 20"), 0);
    for record in place.games("both.pgn") {
        assert_eq!(record.tags.get("TimeControl"), Some("40/60+0.5, 20 nodes"), "{record}");
        assert_eq!(record.tags.get("BlackTimeControl"), None);
    }
}

#[test]
fn efforts_are_booked_to_who_made_them() {
    let place = Place::new();
    let us = us("us", "nodes=200,option.Hash=1");
    let report = place.report(&format!(
        "--engine builtin=random {us} --rounds 3 --openings book.txt --pgn-out games.pgn"
    ));
    let records = place.games("games.pgn");
    let mut sums = [(0, 0); 2];
    for (game, record) in report["games"].as_array().unwrap().iter().zip(&records) {
        for (color, name) in [(Color::Black, "black"), (Color::White, "white")] {
            let effort = |key: &str| game["efforts"][color.index()][key].as_u64().unwrap();
            let chosen = record.plies().filter(|(position, ply)| {
                position.side_to_move() == color
                    && position.can_move(color)
                    && ply.comment.text() != "book"
            });
            let moves = chosen.count() as u64;
            assert_eq!(effort("moves"), moves, "{game}");
            if game[name] == 1 {
                // A little more than allowed may be seen, and less where all is known.
                let nodes = effort("nodes");
                assert!(nodes > moves * 100 && nodes <= moves * 250, "{nodes} in {moves} moves");
                assert!(effort("depth_moves") > 0 && effort("depths") >= effort("depth_moves"));
                assert!(effort("time_us") >= effort("longest_us") && effort("longest_us") > 0);
                assert!(effort("nodes_us") == effort("time_us"), "{game}");
            } else {
                assert_eq!(["nodes", "nodes_us", "depths", "depth_moves"].map(effort), [0; 4]);
            }
            let sum = &mut sums[usize::try_from(game[name].as_u64().unwrap()).unwrap()];
            *sum = (sum.0 + moves, sum.1 + effort("nodes"));
        }
    }
    for (engine, (moves, nodes)) in sums.into_iter().enumerate() {
        let effort = &report["standings"][engine]["effort"];
        assert_eq!((&effort["moves"], &effort["nodes"]), (&json!(moves), &json!(nodes)));
    }
}
