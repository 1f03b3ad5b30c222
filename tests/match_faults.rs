//! What engines say and do in a match, also what is wrong, and what becomes of the match.
#![cfg(unix)]

#[path = "common/matches.rs"]
mod matches;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};
use std::thread;

use matches::{Arena, ERRORS, GAMES, OUTPUT, REPORT, RESULTS, is_alive, until};
use physarum::game::Color;
use physarum::record::{GameRecord, RecordedScore};
use serde_json::Value;

const GREEDY: &str = "builtin=greedy";

/// Where engines note their processes, and those that they start.
const PIDS: &str = "pids";
/// Where they note which of them was asked for a move.
const ASKED: &str = "asked";

/// A script that plays like an engine, but for what `changes` say: what is done on a command, and,
/// under `start`, before the first.
///
/// `best` tells a move: one that is good in the first two moves from the initial position, whatever
/// the other side does there, then `none`.
fn fake(changes: &[(&str, &str)]) -> String {
    let on = |command: &str, usual: &str| {
        let change = changes.iter().find(|(changed, _)| *changed == command);
        change.map_or(usual, |(_, change)| change).to_owned()
    };
    format!(
        r#"
echo $$ >> {PIDS}
child() {{ sleep 1000 & echo $! >> {PIDS}; }}
long() {{ printf '%02000d' 7; }}
best() {{
    case $side$moves in
        x1) echo bestmove f1;; x2) echo bestmove g2;;
        o1) echo bestmove b1;; o2) echo bestmove a2;;
        *) echo bestmove none;;
    esac
}}
ready=0 moves=0 side=
{start}
while read -r line; do
    case $line in
        uai) {uai};;
        isready) ready=$((ready + 1)); {isready};;
        uainewgame) moves=0 side=; {uainewgame};;
        *" o "*) : ${{side:=o}};;
        position*) : ${{side:=x}};;
        setoption*) {setoption};;
        go*) echo $$ >> {ASKED}.$me; moves=$((moves + 1)); {go};;
        stop) {stop};;
        quit) {quit};;
    esac
done
"#,
        start = on("start", ""),
        uai = on("uai", "echo 'id name Fake'; echo uaiok"),
        isready = on("isready", "echo readyok"),
        setoption = on("setoption", ":"),
        uainewgame = on("uainewgame", ":"),
        go = on("go", "best"),
        stop = on("stop", ":"),
        quit = on("quit", "exit"),
    )
}

/// Writes a fake into the arena, and gives its description.
fn add_fake(arena: &Arena, name: &str, changes: &[(&str, &str)]) -> String {
    arena.script(name, &format!("me={name}\n{}", fake(changes)))
}

/// The processes that were noted in a file.
fn noted(arena: &Arena, file: &str) -> Vec<u32> {
    arena.read(file).lines().filter_map(|line| line.parse().ok()).collect()
}

/// Makes sure that no process that was ever noted is alive, or will be soon.
#[track_caller]
fn all_gone(arena: &Arena) {
    let pids = noted(arena, PIDS);
    assert!(!pids.is_empty());
    until("the engines have ended", || !pids.iter().any(|&pid| is_alive(pid)));
}

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("it is an array")
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("it is a number")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("it is a text")
}

/// The names of a game's engines, black's first.
fn names<'a>(report: &'a Value, game: &Value) -> [&'a str; 2] {
    ["black", "white"].map(|color| {
        let engine = usize::try_from(number(&game[color])).expect("it is small");
        text(&report["standings"][engine]["name"])
    })
}

/// What goes wrong with a fake, and how it is judged.
struct Case {
    name: &'static str,
    changes: &'static [(&'static str, &'static str)],
    /// A limit of its own.
    limit: &'static str,
    kind: &'static str,
    /// What the reason contains.
    detail: &'static str,
    /// How many moves it makes before.
    moves: u64,
}

const fn case(
    name: &'static str,
    changes: &'static [(&'static str, &'static str)],
    kind: &'static str,
    detail: &'static str,
) -> Case {
    Case { name, changes, limit: "depth=1", kind, detail, moves: 0 }
}

impl Case {
    const fn after(self, moves: u64) -> Self {
        Self { moves, ..self }
    }

    const fn limit(self, limit: &'static str) -> Self {
        Self { limit, ..self }
    }

    fn termination(&self) -> &'static str {
        match self.kind {
            "time" => "time forfeit",
            "illegal-move" => "rules infraction",
            _ => "abandoned",
        }
    }
}

const NONE: &str = r#"illegal move "none""#;

/// All that can go wrong. Who does nothing wrong but runs out of moves has told `none` in the end.
const CASES: &[Case] = &[
    case("exit", &[("go", "echo 'out of luck' >&2; exit 42")], "crash", "ended with status 42"),
    case("exit-later", &[("go", "best; [ $moves = 1 ] || exit 0")], "crash", "ended with status 0")
        .after(2),
    case("segv", &[("go", "kill -SEGV $$")], "crash", "killed by signal 11"),
    case("kill-all", &[("go", "child; kill -KILL 0")], "crash", "killed by signal 9"),
    case("exit-newgame", &[("uainewgame", "exit 3")], "crash", "ended with status 3"),
    case("exit-isready", &[("isready", "[ $ready = 3 ] && exit 4; echo readyok")], "crash", "4"),
    // What it started keeps its output open.
    case("exit-alone", &[("go", "child; exit 9")], "crash", "ended with status 9"),
    // Nothing is left to watch its children.
    case(
        "guardless",
        &[("go", "child; read -r _ _ _ _ group _ < /proc/$$/stat && kill -KILL $group; exit 8")],
        "crash",
        "ended with status 8",
    ),
    case("hang", &[("go", ":")], "hang", "no bestmove"),
    case("hang-later", &[("go", "[ $moves = 1 ] && best")], "hang", "no bestmove").after(1),
    case("hang-movetime", &[("go", ":")], "hang", "no bestmove").limit("movetime=100"),
    case("hang-clock", &[("go", ":")], "hang", "no bestmove").limit("tc=0.1"),
    case("hang-nodes", &[("go", ":")], "hang", "no bestmove").limit("nodes=1"),
    case("stopped", &[("go", "kill -STOP $$")], "hang", "no bestmove"),
    case("all-stopped", &[("go", "child; kill -STOP 0")], "hang", "no bestmove"),
    case(
        "stubborn",
        &[
            ("start", "trap '' HUP INT QUIT TERM; child"),
            ("go", "while :; do sleep 1; done"),
            ("quit", ":"),
        ],
        "hang",
        "no bestmove",
    ),
    case("no-readyok", &[("isready", "[ $ready = 4 ] || echo readyok")], "no-answer", "readyok")
        .after(1),
    case("taken", &[("go", "echo bestmove d4")], "illegal-move", r#"illegal move "d4""#),
    case("far", &[("go", "echo bestmove a7g1")], "illegal-move", r#"illegal move "a7g1""#),
    case("pass", &[("go", "echo bestmove 0000")], "illegal-move", r#"illegal move "0000""#),
    case("no-move", &[("go", "echo bestmove")], "illegal-move", r#"illegal move """#),
    case("null", &[("go", "echo 'bestmove (none)'")], "illegal-move", r#"illegal move "(none)""#),
    case("huge", &[("go", "printf 'bestmove %0200000d\\n' 7")], "illegal-move", "000…"),
    case("escape", &[("go", "printf 'bestmove \\033[31mf1\\n'")], "illegal-move", r"\u{1b}[31mf1"),
    case("binary", &[("go", "printf 'bestmove \\377\\376\\n'")], "hang", "no bestmove"),
    case("too-long", &[("go", "printf 'bestmove %0300000d\\n' 7")], "hang", "no bestmove"),
    case("late", &[("go", "sleep 0.4; best")], "time", "out of time by ").limit("movetime=100"),
    case("late-clock", &[("go", "sleep 0.4; best")], "time", "out of time by ").limit("tc=0.1"),
    // It answers when told to stop.
    case("obedient", &[("go", ":"), ("stop", "best")], "hang", "no bestmove within 1 s"),
    case("flood-info", &[("go", "yes \"info string $(long)\"")], "flood", "flooded its output"),
    case("flood-nonsense", &[("go", "yes \"$(long)\"")], "flood", "flooded its output"),
    case("flood-endless", &[("go", "cat /dev/zero")], "flood", "flooded its output"),
    case("drip-info", &[("go", "while :; do echo info depth 1; sleep 0.01; done")], "hang", ""),
    case("drip-ready", &[("go", "while :; do echo readyok; sleep 0.01; done")], "hang", ""),
    case("drip-nonsense", &[("go", "while :; do echo; sleep 0.01; done")], "hang", ""),
    case("mute", &[("go", "exec > /dev/null; sleep 1000")], "closed-output", "closed its output"),
    case("deaf", &[("go", "exec < /dev/null; best; exec sleep 1000")], "deaf", "not read").after(1),
    // The second move must not be taken for the answer to the next question.
    case("twice", &[("go", "best; best")], "illegal-move", NONE).after(2),
    case("ready-twice", &[("isready", "echo readyok; echo readyok")], "illegal-move", NONE)
        .after(2),
    case(
        "premature",
        &[("uainewgame", "echo bestmove d4"), ("isready", "echo bestmove d4; echo readyok")],
        "illegal-move",
        NONE,
    )
    .after(2),
    case("errors", &[("go", "yes error | head -c 300000 >&2; best")], "illegal-move", NONE)
        .after(2),
    case("crlf", &[("go", "best | tr -d '\\n'; printf '\\r\\n'")], "illegal-move", NONE).after(2),
];

#[test]
fn every_fault_loses_the_game_and_only_that() {
    let arena = Arena::new();
    let engines: Vec<String> = CASES
        .iter()
        .map(|case| format!("{},{}", add_fake(&arena, case.name, case.changes), case.limit))
        .collect();
    let mut args = vec!["--tournament", "gauntlet", "--rounds", "1", "--concurrency", "12"];
    args.extend(["--start-timeout", "3", "--move-timeout", "1", "--engine", GREEDY]);
    args.extend(engines.iter().flat_map(|engine| ["--engine", engine]));
    let report = arena.report_of(&args);
    all_gone(&arena);

    assert_eq!(report["status"], "complete");
    let reports = array(&report["games"]);
    assert_eq!(reports.len(), 2 * CASES.len());
    let records = arena.games();
    assert_eq!(records.len(), 2 * CASES.len());
    for case in CASES {
        for black in [true, false] {
            let pair = if black { [case.name, "greedy"] } else { ["greedy", case.name] };
            let game = reports.iter().find(|game| names(&report, game) == pair);
            let game = game.unwrap_or_else(|| panic!("{pair:?} was played"));
            judged_as(case, black, game);
            let fits = |record: &&GameRecord| {
                ["Black", "White"].map(|tag| record.tags.get(tag)) == pair.map(Some)
            };
            let record = records.iter().find(fits);
            recorded_as(case, black, game, record.expect("its record is there"));
        }
        // Each time it was another process.
        let asked: BTreeSet<u32> =
            noted(&arena, &format!("{ASKED}.{}", case.name)).into_iter().collect();
        let never = ["exit-newgame", "exit-isready"].contains(&case.name);
        assert_eq!(asked.len(), if never { 0 } else { 2 }, "{}", case.name);
    }
    for (case, standing) in CASES.iter().zip(&array(&report["standings"])[1..]) {
        assert_eq!(number(&standing["faults"][case.kind]), 2, "{standing}");
        assert_eq!(number(&standing["losses"]), 2, "{standing}");
    }
    let crash = reports.iter().find(|game| names(&report, game) == ["exit", "greedy"]);
    assert_eq!(crash.expect("it was played")["errors"][0], "out of luck");
}

#[test]
fn faults_are_the_same_when_games_are_played_one_by_one() {
    let picked = [
        "hang-later",
        "taken",
        "pass",
        "late",
        "late-clock",
        "mute",
        "flood-info",
        "flood-endless",
        "segv",
        "exit-later",
        "deaf",
    ];
    let arena = Arena::new();
    let cases: Vec<&Case> = CASES.iter().filter(|case| picked.contains(&case.name)).collect();
    assert_eq!(cases.len(), picked.len());
    let engines: Vec<String> = cases
        .iter()
        .map(|case| format!("{},{}", add_fake(&arena, case.name, case.changes), case.limit))
        .collect();
    // All games are played by the players that were there in the beginning, or took their place.
    let mut args = vec!["--tournament", "gauntlet", "--rounds", "1", "--concurrency", "1"];
    args.extend(["--start-timeout", "3", "--move-timeout", "1", "--engine", GREEDY]);
    args.extend(engines.iter().flat_map(|engine| ["--engine", engine]));
    let report = arena.report_of(&args);
    all_gone(&arena);
    let (games, records) = (array(&report["games"]), arena.games());
    assert_eq!((games.len(), records.len()), (2 * cases.len(), 2 * cases.len()));
    for (number, (game, record)) in games.iter().zip(&records).enumerate() {
        let (case, black) = (cases[number / 2], number % 2 == 1);
        assert_eq!(names(&report, game)[usize::from(!black)], case.name);
        judged_as(case, black, game);
        recorded_as(case, black, game, record);
    }
    assert_eq!(number(&report["standings"][0]["wins"]), games.len() as u64);
}

#[track_caller]
fn judged_as(case: &Case, black: bool, game: &Value) {
    let detail = text(&game["detail"]);
    let judged = (text(&game["reason"]), text(&game["kind"]), text(&game["by"]));
    let by = if black { "x" } else { "o" };
    assert_eq!(judged, ("fault", case.kind, by), "{}: {detail}", case.name);
    assert!(detail.contains(case.detail), "{}: {detail}", case.name);
    assert!(detail.len() < 300, "{}: {} bytes", case.name, detail.len());
    let expected = if black { "0-1" } else { "1-0" };
    assert_eq!(game["result"], expected, "{}", case.name);
    // Its own moves, and those of the other side, who may have begun.
    let begun = !black && case.name != "exit-newgame";
    let plies = 2 * case.moves + u64::from(begun);
    assert_eq!(number(&game["plies"]), plies, "{}: {detail}", case.name);
}

#[track_caller]
fn recorded_as(case: &Case, black: bool, game: &Value, record: &GameRecord) {
    assert_eq!(record.tags.get("Termination"), Some(case.termination()), "{}", case.name);
    let by = if black { "x" } else { "o" };
    let reason = format!("{by}: {}", text(&game["detail"]));
    assert_eq!(record.tags.get("Reason"), Some(reason.as_str()), "{}", case.name);
    assert_eq!(record.result.to_string(), text(&game["result"]), "{}", case.name);
    assert_eq!(record.moves().len() as u64, number(&game["plies"]), "{}", case.name);
}

#[test]
fn each_fault_costs_one_process_and_no_more() {
    let arena = Arena::new();
    let good = add_fake(&arena, "good", &[]);
    let bad = add_fake(&arena, "bad", &[("go", "exit 1")]);
    let args = ["--rounds", "2", "--depth", "1", "--engine", &good, "--engine", &bad];
    let report = arena.report_of(&args);
    all_gone(&arena);
    assert_eq!(report["standings"][0]["wins"], 4);
    assert_eq!(report["standings"][1]["faults"]["crash"], 4);
    // The good one was started once, the bad one for each game.
    assert_eq!(noted(&arena, PIDS).len(), 1 + 4);
}

#[test]
fn engines_with_faults_of_all_kinds_meet_each_other() {
    let arena = Arena::new();
    let fakes = [
        add_fake(&arena, "exit", &[("go", "best; [ $moves = 1 ] || exit 1")]),
        add_fake(&arena, "flood", &[("go", "yes \"$(long)\"")]),
        add_fake(&arena, "hang", &[("go", "child; [ $moves = 1 ] && best")]),
        add_fake(&arena, "mute", &[("go", "exec > /dev/null; sleep 1000")]),
        add_fake(&arena, "none", &[]),
    ];
    let mut args = vec!["--tournament", "roundrobin", "--concurrency", "4", "--rounds", "1"];
    args.extend(["--depth", "1", "--move-timeout", "1", "--engine", GREEDY]);
    args.extend(fakes.iter().flat_map(|fake| ["--engine", fake]));
    let report = arena.report_of(&args);
    all_gone(&arena);
    let games = array(&report["games"]);
    assert_eq!(games.len(), 15 * 2);
    assert_eq!(arena.games().len(), games.len());
    for game in games {
        let color = if game["by"] == "x" { 0 } else { 1 };
        let kind = match names(&report, game)[color] {
            "exit" => "crash",
            "flood" => "flood",
            "hang" => "hang",
            "mute" => "closed-output",
            "none" => "illegal-move",
            innocent => panic!("{innocent} has done nothing wrong: {game}"),
        };
        assert_eq!(game["kind"], kind, "{game}");
    }
    assert_eq!(report["standings"][0]["wins"], 10);
}

#[test]
fn what_an_engine_says_last_of_its_best_line_is_kept() {
    let cases = [
        ("plain", "echo info depth 5 score cp 700 nodes 777"),
        (
            "second",
            "echo info depth 5 score cp 700 nodes 777; echo info depth 5 multipv 2 score cp -900",
        ),
        (
            "first",
            "echo info depth 5 multipv 2 score cp -900 nodes 9; \
             echo info depth 5 multipv 1 score cp 700 nodes 777; \
             echo info depth 5 multipv 3 score cp -950 nodes 9",
        ),
        (
            "deeper",
            "echo info depth 4 score cp -5 nodes 9; echo info depth 5 score cp 700 nodes 777",
        ),
        ("text", "echo info depth 5 score cp 700 nodes 777; echo info string depth 9 score cp 3"),
        (
            "current",
            "echo info depth 5 score cp 700 nodes 777; echo info depth 6 currmove f1 currmovenumber 1",
        ),
    ];
    let arena = Arena::new();
    let engines =
        cases.map(|(name, info)| add_fake(&arena, name, &[("go", &format!("{info}; best"))]));
    // Two moves of each side.
    let mut args = vec!["--tournament", "gauntlet", "--rounds", "1", "--max-plies", "4"];
    args.extend(["--depth", "1", "--engine", GREEDY]);
    args.extend(engines.iter().flat_map(|engine| ["--engine", engine]));
    let report = arena.report_of(&args);
    let (games, records) = (array(&report["games"]), arena.games());
    assert_eq!((games.len(), records.len()), (2 * cases.len(), 2 * cases.len()));
    for (game, record) in games.iter().zip(&records) {
        let names = names(&report, game);
        assert_eq!(game["reason"], "max-plies", "{names:?}");
        for color in [Color::Black, Color::White] {
            let (name, effort) = (names[color.index()], &game["efforts"][color.index()]);
            let told = name != "greedy";
            let sums = ["moves", "nodes", "depths", "depth_moves"].map(|key| number(&effort[key]));
            assert_eq!(sums, if told { [2, 2 * 777, 10, 2] } else { [2, 0, 0, 0] }, "{name}");
            for (_, ply) in record.plies().filter(|(at, _)| at.side_to_move() == color) {
                let expected = told.then_some((RecordedScore::Cp(700), 5));
                let comment = &ply.comment;
                assert_eq!(comment.score().zip(comment.depth()), expected, "{name}: {record}");
            }
        }
        assert_eq!(record.tags.get("TimeControl"), Some("depth 1"));
    }
    for (standing, (name, _)) in array(&report["standings"])[1..].iter().zip(cases) {
        assert_eq!(number(&standing["effort"]["nodes"]), 4 * 777, "{name}");
    }
}

#[test]
fn time_is_booked_to_who_took_it() {
    let arena = Arena::new();
    let slow = add_fake(&arena, "slow", &[("go", "[ $moves = 2 ] && sleep 0.3; best")]);
    let args = ["--rounds", "1", "--max-plies", "4", "--depth", "1", "--engine", &slow];
    let report = arena.report_of(&[&args[..], &["--engine", GREEDY]].concat());
    for (game, record) in array(&report["games"]).iter().zip(arena.games()) {
        let color = if number(&game["black"]) == 0 { Color::Black } else { Color::White };
        let effort = &game["efforts"][color.index()];
        assert!(number(&effort["longest_us"]) >= 300_000, "{game}");
        assert!(number(&effort["time_us"]) >= 300_000, "{game}");
        let mut plies = record.plies().filter(|(position, _)| position.side_to_move() == color);
        let time = plies.nth(1).and_then(|(_, ply)| ply.comment.time()).expect("it is told");
        assert!(time.as_millis() >= 300, "{record}");
    }
    let effort = &report["standings"][0]["effort"];
    assert!(number(&effort["time_us"]) >= 600_000, "{effort}");
    assert_eq!((number(&effort["moves"]), number(&effort["nodes_us"])), (4, 0));
}

#[test]
fn the_rules_are_told_to_whom_they_can_be_told() {
    let arena = Arena::new();
    let engines: Vec<String> = [
        ("default", "option name Rules type combo default Ataxx var Ataxx var Assimilation"),
        ("bare", "option name Rules type combo var Ataxx var Assimilation"),
        ("small", "option name rules type combo default Ataxx var Ataxx var Assimilation"),
        ("never", "option name Ruler type check default false"),
    ]
    .into_iter()
    .map(|(name, option)| {
        let uai = format!("echo {option}; echo uaiok");
        let set = "echo \"$line\" >> set.$me";
        add_fake(&arena, name, &[("uai", &uai), ("setoption", set)])
    })
    .collect();
    let mut args =
        vec!["--rounds", "1", "--depth", "1", "--rules", "assimilation", "--max-plies", "2"];
    args.extend(engines.iter().flat_map(|engine| ["--engine", engine]));
    arena.report_of(&args);
    let errors = arena.read(ERRORS);
    for name in ["default", "bare", "small"] {
        let said = arena.read(&format!("set.{name}"));
        // It may have been started more than once.
        let expected = "setoption name Rules value Assimilation";
        assert!(!said.is_empty() && said.lines().all(|line| line == expected), "{name}: {said}");
        assert!(!errors.contains(&format!("engine {name:?}: it does not list")), "{errors}");
    }
    assert_eq!(arena.read("set.never"), "");
    let warning = "warning: engine \"never\": it does not list the option \"Rules\"";
    assert!(errors.contains(warning), "{errors}");
}

#[test]
fn the_last_words_of_an_engine_are_told_at_once() {
    let arena = Arena::new();
    let go = "echo first >&2; echo out of luck >&2; exit 42";
    let bad = add_fake(&arena, "bad", &[("go", go)]);
    let slip = add_fake(&arena, "slip", &[("go", "echo no secret >&2; echo bestmove d4")]);
    let args = ["--rounds", "1", "--depth", "1", "--engine", &bad, "--engine", GREEDY];
    arena.report_of(&[&args[..], &["--engine", &slip]].concat());
    let errors = arena.read(ERRORS);
    let told = "game 1 (bad - greedy): \"bad\": crashed: ended with status 42\n    first\n    out of luck\n";
    assert!(errors.contains(told), "{errors}");
    assert!(errors.contains("game 2 (greedy - bad): \"bad\": crashed"), "{errors}");
    // What is clear without them needs no last words.
    assert!(errors.contains("\"slip\": illegal move") && !errors.contains("no secret"), "{errors}");
}

#[test]
fn the_score_is_told_while_a_match_goes_on() {
    let arena = Arena::new();
    let go = "[ -e slept ] || { touch slept; sleep 1.1; }; best";
    let slow = add_fake(&arena, "slow", &[("go", go)]);
    let args = ["--rounds", "1", "--max-plies", "2", "--depth", "1", "--interval", "1"];
    arena.report_of(&[&args[..], &["--engine", &slow, "--engine", GREEDY]].concat());
    let errors = arena.read(ERRORS);
    // After the first game it is time.
    assert!(errors.lines().any(|line| line.starts_with("1/2 slow: +0 =1 -0")), "{errors}");
}

#[test]
fn games_are_played_side_by_side() {
    let arena = Arena::new();
    // Each process waits for another that was asked too, which can only be in another game.
    let go = "until [ $(sort -u asked.meet | wc -l) -ge 3 ]; do sleep 0.01; done; best";
    let meet = add_fake(&arena, "meet", &[("go", go)]);
    let args = ["--rounds", "2", "--concurrency", "3", "--max-plies", "4", "--depth", "1"];
    let more = ["--move-timeout", "30", "--engine", &meet, "--engine", GREEDY];
    let report = arena.report_of(&[&args[..], &more].concat());
    for game in array(&report["games"]) {
        assert_eq!(game["reason"], "max-plies", "{game}");
    }
    all_gone(&arena);
}

#[test]
fn two_matches_do_not_write_to_one_file() {
    for shared in [RESULTS, GAMES] {
        let arena = Arena::new();
        let go = "until [ -e enough ] || [ -n \"$HURRY\" ]; do sleep 0.01; done; best";
        let wait = add_fake(&arena, "wait", &[("go", go)]);
        let args = ["--rounds", "1", "--depth", "1", "--max-plies", "4"];
        let args = [&args[..], &["--engine", &wait, "--engine", GREEDY]].concat();
        let running = arena.start(&args);
        until("the first game is under way", || noted(&arena, "asked.wait").len() == 1);
        let before = [RESULTS, GAMES].map(|file| arena.read(file));
        // The second match has all other files for itself.
        let mut second = Command::new(env!("CARGO_BIN_EXE_physarum"));
        second.arg("match").args(&args).current_dir(arena.path(".")).stdin(Stdio::null());
        second.env("HURRY", "yes");
        if shared == RESULTS {
            second.args(["--results", RESULTS, "--resume", "--pgn-out", "other"]);
        } else {
            second.args(["--results", "other", "--pgn-out", GAMES]);
        }
        let output = second.output().expect("the program starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        let expected = format!("error: {shared}: another match writes to this file\n");
        assert!(errors.ends_with(&expected), "{errors}");
        assert_eq!([RESULTS, GAMES].map(|file| arena.read(file)), before);
        arena.write("enough", "");
        assert_eq!(running.wait(), Some(0));
        assert_eq!((arena.read(RESULTS).lines().count(), arena.games().len()), (3, 2));
    }
}

#[test]
fn what_is_late_within_the_margin_is_forgiven() {
    let arena = Arena::new();
    let engines = [("late", "movetime=50"), ("late-clock", "tc=0.1")].map(|(name, limit)| {
        format!("{},{limit}", add_fake(&arena, name, &[("go", "sleep 0.2; best")]))
    });
    let mut args = vec!["--rounds", "1", "--concurrency", "2", "--time-margin", "20000"];
    args.extend(engines.iter().flat_map(|engine| ["--engine", engine]));
    let report = arena.report_of(&args);
    for game in array(&report["games"]) {
        // Both make two moves, and then the first has none.
        assert_eq!((number(&game["plies"]), text(&game["kind"])), (4, "illegal-move"), "{game}");
    }
}

#[test]
fn an_engine_that_never_reads_cannot_stop_the_match() {
    let arena = Arena::new();
    // With black it wins by its first move, with white it is not even asked. What it is told stays
    // in the pipe, game after game.
    arena.write("book", "7/7/7/7/7/7/xo5 x 0 1\n");
    let script = "echo uaiok; while :; do echo readyok; echo bestmove a2; done";
    let deaf = arena.script("deaf", script);
    let mut args = vec!["--rounds", "1000", "--depth", "1", "--engine", GREEDY, "--engine", &deaf];
    args.extend(["--openings", "book"]);
    let report = arena.report_of(&args);
    assert_eq!(report["games_played"], 2000);
    assert_eq!(report["standings"][1]["faults"]["deaf"], 1);
    assert_eq!(report["standings"][1]["wins"], 999);
}

/// Plays a match that cannot begin, in an arena with games of another match.
#[track_caller]
fn does_not_start(arena: &Arena, engine: &str) -> String {
    arena.write(GAMES, "1. f1 *\n");
    let args = ["--depth", "1", "--start-timeout", "1", "--engine", GREEDY, "--engine", engine];
    let status = arena.play(&args);
    let errors = arena.read(ERRORS);
    assert_eq!(status, Some(3), "{engine}: {errors}");
    assert_eq!(arena.read(OUTPUT), "", "{engine}");
    assert_eq!(arena.read(GAMES), "1. f1 *\n", "{engine}");
    for file in [RESULTS, REPORT] {
        assert!(!arena.path(file).exists(), "{engine}: {file}");
    }
    errors
}

#[test]
fn a_match_does_not_begin_with_an_engine_that_does_not_start() {
    let cases: [(&str, &[&str]); 12] = [
        ("exit 5", &["crashed: ended with status 5"]),
        ("echo 'no table' >&2; exit 1", &["ended with status 1", "standard error", "no table"]),
        ("kill -KILL $$", &["killed by signal 9"]),
        ("sleep 1000", &["no uaiok within 1 s"]),
        ("while read -r line; do :; done", &["no uaiok within 1 s"]),
        (
            "while read -r line; do echo 'Error: unknown command'; done",
            &["no uaiok within 1 s", "output", "Error: unknown command"],
        ),
        ("read -r line; echo id name Chess; echo uciok; cat", &["no uaiok", "uciok"]),
        ("exec > /dev/null; sleep 1000", &["closed its output"]),
        ("cat /dev/zero", &["flooded its output"]),
        ("while :; do echo id name x; done", &["cannot be started: "]),
        ("echo uaiok; sleep 1000", &["no readyok within 1 s"]),
        ("echo uaiok; exit 6", &["crashed: ended with status 6"]),
    ];
    thread::scope(|scope| {
        for (script, expected) in cases {
            scope.spawn(move || {
                let arena = Arena::new();
                let engine = arena.script("bad", &format!("echo $$ >> {PIDS}\n{script}\n"));
                let errors = does_not_start(&arena, &engine);
                assert!(
                    errors.starts_with("error: engine \"bad\" cannot be started: "),
                    "{errors}"
                );
                for &part in expected {
                    assert!(errors.contains(part), "{script}: {part} in {errors}");
                }
                assert!(errors.lines().count() <= 25 && errors.len() < 8000, "{errors}");
                all_gone(&arena);
            });
        }
    });
}

#[test]
fn what_is_no_program_does_not_start() {
    let arena = Arena::new();
    arena.write("plain", "exit\n");
    fs::set_permissions(arena.path("plain"), fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir(arena.path("folder")).unwrap();
    for (cmd, problem) in [
        ("./missing", "No such file"),
        ("no-such-program-anywhere", "No such file"),
        ("./folder", "ermission denied"),
        ("./plain", "ermission denied"),
        ("/bin/sh,dir=nowhere", "No such file"),
    ] {
        let errors = does_not_start(&arena, &format!("name=bad,cmd={cmd}"));
        assert!(errors.starts_with("error: engine \"bad\" cannot be started: "), "{errors}");
        assert!(errors.contains(problem) && errors.lines().count() == 1, "{errors}");
    }
}

#[test]
fn a_program_that_is_gone_loses_its_games() {
    let arena = Arena::new();
    symlink("/bin/sh", arena.path("gone")).unwrap();
    arena.write("gone.sh", &format!("me=gone\n{}", fake(&[("go", "rm gone; exit 1")])));
    // This one is still there, but has changed its mind.
    let start = "[ -e used ] && { echo once >&2; echo twice >&2; exit 7; }";
    let used = add_fake(&arena, "used", &[("start", start), ("go", "touch used; exit 1")]);
    for engine in ["name=gone,cmd=./gone,args=gone.sh", &used] {
        let args = ["--rounds", "2", "--depth", "1", "--engine", engine, "--engine", GREEDY];
        let report = arena.report_of(&args);
        all_gone(&arena);
        assert_eq!(report["standings"][1]["wins"], 4);
        assert_eq!(report["standings"][0]["faults"]["crash"], 1);
        assert_eq!(report["standings"][0]["faults"]["no-start"], 3);
        let records = arena.games();
        assert_eq!(records.len(), 4);
        let reason = records[1].tags.get("Reason").expect("it has a reason");
        assert!(reason.contains("cannot be started"), "{reason}");
        assert_eq!(reason.contains("twice"), engine == used, "{reason}");
        for file in [RESULTS, GAMES] {
            fs::remove_file(arena.path(file)).unwrap();
        }
    }
}

#[test]
fn no_engine_outlives_the_match() {
    // It crashes in the first game and hangs in the second, with a child that listens to nobody.
    let go = "child; if [ -e used ]; then while :; do sleep 1; done; else touch used; exit 1; fi";
    let trap = "trap '' HUP INT QUIT TERM";
    thread::scope(|scope| {
        for (signals, expected) in [
            (&["INT"][..], Some(4)),
            (&["TERM"], Some(4)),
            (&["HUP"], Some(4)),
            (&["INT", "INT"], Some(4)),
            (&["KILL"], None),
        ] {
            scope.spawn(move || {
                let arena = Arena::new();
                let bad = add_fake(&arena, "bad", &[("start", trap), ("go", go), ("quit", ":")]);
                let good = add_fake(&arena, "good", &[("start", trap), ("quit", ":")]);
                let args = ["--rounds", "5", "--depth", "1", "--engine", &good, "--engine", &bad];
                let running = arena.start(&args);
                until("the second game is under way", || {
                    noted(&arena, &format!("{ASKED}.bad")).len() == 2
                        && noted(&arena, PIDS).len() == 5
                        && arena.games().len() == 1
                });
                let pids = noted(&arena, PIDS);
                assert_eq!(pids.iter().filter(|&&pid| is_alive(pid)).count(), 3);
                signals.iter().for_each(|name| running.signal(name));
                assert_eq!(running.wait(), expected, "{signals:?}");
                all_gone(&arena);
                // What was played is there, whole.
                assert_eq!(arena.read(RESULTS).lines().count(), 2, "{signals:?}");
                assert!(arena.read(RESULTS).ends_with('\n'));
                assert_eq!(arena.games().len(), 1);
                if signals.len() == 1 && expected.is_some() {
                    assert_eq!(arena.report()["status"], "interrupted");
                    // And it can go on from there.
                    let running = arena.start(&[&args[..], &["--resume"]].concat());
                    until("the second game is under way", || {
                        noted(&arena, &format!("{ASKED}.bad")).len() == 3
                    });
                    running.signal("TERM");
                    assert_eq!(running.wait(), Some(4));
                    assert_eq!(arena.report()["games_played"], 1);
                    all_gone(&arena);
                }
            });
        }
    });
}

#[test]
fn an_interrupted_start_leaves_nothing() {
    let arena = Arena::new();
    let slow = arena.script("slow", &format!("echo $$ >> {PIDS}; sleep 1000"));
    let args = ["--depth", "1", "--start-timeout", "1000", "--engine", GREEDY, "--engine", &slow];
    let running = arena.start(&args);
    until("the engine runs", || noted(&arena, PIDS).len() == 1);
    running.signal("INT");
    assert_eq!(running.wait(), Some(4));
    all_gone(&arena);
    assert!(!arena.path(RESULTS).exists() && !arena.path(GAMES).exists());
}
