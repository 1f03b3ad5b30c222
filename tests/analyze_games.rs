//! `physarum analyze` with games: judged moves, PGN with comments, pages for browsers.

mod common;
#[path = "common/engine.rs"]
mod engine;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{python, tool};
use engine::{fail, run, run_with_input};
use physarum::game::{Color, Game, Rules};
use physarum::record::{GameRecord, PgnReader, RecordedScore};
use serde_json::Value;

/// Two games of ours, one that is broken, one of cuteataxx's and one of python-ataxx's.
fn games() -> String {
    let second = |file: &str| {
        let end = file[1..].find("[Event ").map_or(file.len(), |end| end + 1);
        file[..end].to_owned()
    };
    let mut text =
        "% for programs\n\n[Event \"one\"]\n[Black \"A </script> & b\"]\n[White \"B\"]\n\n\
                    1. f1 {+0.10/3 5ms, so be it} a2 2. g1e1 b1 *\n\n"
            .to_owned();
    text += "[Event \"broken\"]\n\n1. f1 f1 *\n\n";
    text += "[Event \"o begins\"]\n[FEN \"7/7/7/7/4ooo/4ooo/4oox o 0 30\"]\n[Rules \"Ataxx\"]\n\n\
             1... d1 2. 0000 d2 1-0\n\n";
    text += &second(include_str!("data/cuteataxx.pgn"));
    text.push('\n');
    text += &second(include_str!("data/python_ataxx.pgn"));
    text
}

fn records(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn read(pgn: &str) -> Vec<GameRecord> {
    PgnReader::new(pgn.as_bytes()).filter_map(Result::ok).collect()
}

const LIMITS: [&str; 3] = ["analyze", "--nodes=2000", "--no-time"];

fn analyze(input: &str, args: &[&str]) -> String {
    let (status, out, err) = run_with_input(&[&LIMITS, args].concat(), input);
    assert_eq!(status, Some(1), "{err}");
    assert!(err.starts_with("error: 1 of ") && err.contains("positions have errors"), "{err}");
    out
}

/// The chance of a side in half per mille.
fn chance(record: &Value, color: &str) -> i64 {
    let [win, draw, loss] = [0, 1, 2].map(|index| record["wdl"][index].as_i64().unwrap());
    let side = record["fen"].as_str().unwrap().split(' ').nth(1).unwrap();
    2 * if side == color { win } else { loss } + draw
}

#[test]
fn every_position_of_every_game_is_judged() {
    let input = games();
    let found = records(&analyze(&input, &[]));
    let mut found = found.iter();
    let mut number = 0;
    for game in PgnReader::new(input.as_bytes()) {
        number += 1;
        let Ok(game) = game else {
            let record = found.next().unwrap();
            let error = record["error"].as_str().unwrap();
            assert!(error.starts_with("game 2: move \"f1\" at ply 2: "), "{error}");
            assert_eq!(record["line"], 11, "{record}");
            continue;
        };
        let mut course = Game::new(*game.start());
        let positions: Vec<&Value> = found.by_ref().take(game.moves().len() + 1).collect();
        for (ply, record) in (1..).zip(&positions) {
            assert_eq!(record["game"], number, "{record}");
            assert_eq!((&record["ply"], &record["rules"]), (&Value::from(ply), &"Ataxx".into()));
            assert_eq!(record["fen"], course.position().to_string());
            let Some(played) = game.moves().get(ply - 1) else {
                assert!(record.get("played").is_none() && record.get("cost").is_none());
                break;
            };
            let next = positions[ply];
            assert_eq!(record["played"], played.mv.to_string());
            let side = course.position().side_to_move().to_string();
            let lost = (chance(record, &side) - chance(next, &side)).max(0) / 2;
            let lost = if record["best"] == record["played"] { 0 } else { lost };
            assert_eq!(record["cost"], lost, "{record}");
            let verdict = match lost {
                0..50 => None,
                50..100 => Some("inaccuracy"),
                100..200 => Some("mistake"),
                _ => Some("blunder"),
            };
            assert_eq!(record.get("verdict").and_then(Value::as_str), verdict, "{record}");
            if let (Some(before), Some(next)) =
                (record["score"]["cp"].as_i64(), next["score"]["cp"].as_i64())
            {
                assert_eq!(record["after"]["cp"], -next);
                let lost = if record["best"] == record["played"] { 0 } else { before + next };
                assert_eq!(record["cost_cp"], lost.max(0), "{record}");
            } else {
                assert!(record["best"] == record["played"] || record.get("cost_cp").is_none());
            }
            course.play(played.mv);
        }
        let summary = found.next().unwrap();
        assert_eq!((&summary["v"], &summary["game"]), (&1.into(), &number.into()), "{summary}");
        let summary = &summary["summary"];
        assert_eq!(summary["result"], game.result.name());
        assert_eq!(summary["moves"], game.moves().len());
        for color in Color::ALL {
            let name = color.to_string();
            let side = &summary[&name];
            let moves: Vec<_> = positions
                .iter()
                .filter(|record| record["fen"].as_str().unwrap().contains(&format!(" {name} ")))
                .filter(|record| record.get("played").is_some())
                .collect();
            assert_eq!(side["moves"], moves.len(), "{side}");
            let choices = moves.iter().filter(|record| record["legal_moves"].as_u64() > Some(1));
            assert_eq!(side["choices"], choices.clone().count(), "{side}");
            let blunders = choices.filter(|record| record["verdict"] == "blunder").count();
            assert_eq!(side["blunders"], blunders, "{side}");
            let accuracy = side.get("accuracy").and_then(Value::as_f64);
            assert!(accuracy.is_none_or(|accuracy| (0.0..=100.0).contains(&accuracy)));
            assert_eq!(accuracy.is_none(), side["choices"] == 0, "{side}");
        }
    }
    assert_eq!(number, 5);
    assert!(found.next().is_none());
}

#[test]
fn the_number_of_jobs_and_the_shards_make_no_difference() {
    let input = games();
    let whole = analyze(&input, &["--jobs=1"]);
    for jobs in ["--jobs=2", "--jobs=8"] {
        assert_eq!(analyze(&input, &[jobs]), whole);
    }
    // Shards are of whole games, which end with a summary or are an error.
    let mut games: Vec<String> = Vec::new();
    for line in whole.lines() {
        match games.last_mut() {
            Some(game) if !game.contains("summary") && !game.contains("error") => {
                *game += &format!("\n{line}");
            }
            _ => games.push(line.to_owned()),
        }
    }
    assert_eq!(games.len(), 5);
    for index in 0..2 {
        let shard = format!("{}/2", index + 1);
        let args = [&LIMITS[..], &["--shard", &shard]].concat();
        let (_, out, _) = run_with_input(&args, &input);
        let expected: Vec<_> = games.iter().skip(index).step_by(2).cloned().collect();
        assert_eq!(out.trim_end(), expected.join("\n"), "{shard}");
    }
    let (_, out, _) = run_with_input(&[&LIMITS[..], &["--skip=3"]].concat(), &input);
    assert_eq!(out.trim_end(), games[3..].join("\n"));
}

#[test]
fn tables_and_texts_tell_of_moves() {
    let input = games();
    let table = analyze(&input, &["--format=csv"]);
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let names = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let found = records(&analyze(&input, &[]));
    let found: Vec<_> = found.iter().filter(|record| record.get("summary").is_none()).collect();
    assert_eq!(rows.len(), found.len());
    for (row, record) in rows.iter().zip(found) {
        let cell = |name: &str| &row[names.iter().position(|known| known == name).unwrap()];
        for name in ["game", "ply", "played", "cost", "cost_cp", "verdict"] {
            let value = record.get(name).map_or(String::new(), |value| {
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            });
            assert_eq!(cell(name), value, "{name}");
        }
    }
    let text = analyze(&input, &["--format=text"]);
    assert!(text.contains(" game 1 ply 1: depth ") && text.contains("; played f1: cp "), "{text}");
    assert!(text.contains("\n3 game 1: *; x accuracy "), "{text}");
}

/// A folder with the games, and paths in it.
fn folder() -> (tempfile::TempDir, impl Fn(&str) -> String) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_owned();
    let path = move |name: &str| root.join(name).to_str().unwrap().to_owned();
    fs::write(path("games.pgn"), games()).unwrap();
    (folder, path)
}

#[test]
fn a_run_killed_at_any_line_is_gone_on_with() {
    let (_folder, path) = folder();
    let files = ["games.pgn", "out", "pgn", "html"].map(path);
    let [input, out, pgn, html] = files.each_ref().map(String::as_str);
    let all = ["analyze", input, "--nodes=300", "--out", out, "--pgn-out", pgn, "--html", html];
    // With the times, which are never the same: what is there is not searched again.
    assert_eq!(run(&all).0, Some(1));
    let whole = fs::read_to_string(out).unwrap();
    let [whole_pgn, whole_html] = [pgn, html].map(|path| fs::read_to_string(path).unwrap());
    let resume = [&all[..], &["--resume"]].concat();
    let without_times = |text: &str| -> Vec<Value> {
        let mut found = records(text);
        for record in &mut found {
            record.as_object_mut().unwrap().remove("time_ms");
        }
        found
    };
    let mut ends: Vec<usize> = whole.match_indices('\n').map(|(end, _)| end + 1).collect();
    // Every line of the first games, some of the rest; and within lines.
    ends = ends.iter().copied().take(16).chain(ends.iter().copied().skip(16).step_by(9)).collect();
    let cuts = ends.iter().flat_map(|&end| [end, end - 5]).chain([0, 3]);
    for cut in cuts {
        fs::write(out, &whole[..cut]).unwrap();
        fs::remove_file(html).unwrap();
        let (status, printed, err) = run(&resume);
        assert_eq!((status, printed.as_str()), (Some(1), ""), "{cut}: {err}");
        assert!(err.contains("positions have errors"), "{cut}: {err}");
        let now = fs::read_to_string(out).unwrap();
        // All but the last whole line, whose move may have been judged anew, is as it was.
        let kept = whole[..cut].rfind('\n').map_or(0, |end| whole[..end].rfind('\n').unwrap_or(0));
        assert_eq!(now[..kept], whole[..kept], "{cut}");
        assert_eq!(without_times(&now), without_times(&whole), "{cut}");
        assert!(fs::read_to_string(pgn).unwrap() == whole_pgn, "{cut}");
        assert!(fs::read_to_string(html).unwrap() == whole_html, "{cut}");
    }
    // Another input, and a file of something else.
    let foreign = whole.replacen("\"ply\":2", "\"ply\":3", 1);
    let with_gap = whole.split_inclusive('\n').take(2).chain(["{}\n"]).collect::<String>();
    for text in [foreign.as_str(), "hello\n", &format!("{whole}{whole}"), "{\"my\":1}\n", &with_gap]
    {
        fs::write(out, text).unwrap();
        let (status, _, err) = run(&resume);
        assert_eq!(status, Some(1), "{err}");
        assert!(err.contains("is not of this run") && err.lines().count() == 1, "{err}");
        assert_eq!(fs::read_to_string(out).unwrap(), text);
        assert!(fs::read_to_string(pgn).unwrap() == whole_pgn);
    }
    fs::remove_file(out).unwrap();
    fail(&all, 1, &["the file exists", "--force"]);
    fail(&["analyze", input, "--out", out, "--html", out], 2, &["two outputs would go to"]);
    fail(&["analyze", input, "--html", input, "--force"], 2, &["would be written over"]);
    let lines = path_of_lines(Path::new(out));
    fail(
        &["analyze", &lines, "--depth=1", "--out=/dev/null", "--force", "--html", out],
        1,
        &["game"],
    );
    assert!(!Path::new(out).exists());
}

/// A file with a position and no game.
fn path_of_lines(beside: &Path) -> String {
    let path = beside.with_file_name("lines");
    fs::write(&path, "position startpos\n").unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn games_are_written_with_what_was_found_out() {
    let (_folder, path) = folder();
    let [input, pgn, out, again] = ["games.pgn", "judged.pgn", "out", "again.pgn"].map(path);
    let args = ["--nodes=2000", "--pgn-out", &pgn, "--out", &out];
    assert_eq!(run(&[&["analyze", &input], &args[..]].concat()).0, Some(1));
    let judged = read(&fs::read_to_string(&pgn).unwrap());
    let found = records(&fs::read_to_string(&out).unwrap());
    let mut positions = found.iter().filter(|record| record.get("ply").is_some());
    let mut faults = 0;
    for (game, judged) in read(&games()).iter().zip(&judged) {
        assert_eq!(
            (game.rules(), game.start(), game.result),
            (judged.rules(), judged.start(), judged.result)
        );
        assert_eq!(game.tags.get("Black"), judged.tags.get("Black"));
        assert!(judged.tags.get("Annotator").unwrap().starts_with("Physarum "));
        for (old, new) in game.moves().iter().zip(judged.moves()) {
            assert_eq!(old.mv, new.mv);
            assert_eq!(old.comment.time(), new.comment.time());
            let record = positions.next().unwrap();
            let score = match record["after"]["mate"].as_i64() {
                Some(moves @ 1..) => RecordedScore::Win(moves as u32),
                Some(moves) => RecordedScore::Loss(-moves as u32),
                None => RecordedScore::Cp(record["after"]["cp"].as_i64().unwrap() as i32),
            };
            assert_eq!(new.comment.score(), Some(score));
            assert!(new.comment.text().starts_with(old.comment.text()));
            if let Some(verdict) = record.get("verdict").and_then(Value::as_str) {
                faults += 1;
                assert!(new.comment.text().contains(&format!("{verdict}, better ")), "{record}");
                let best = record["best"].as_str().unwrap();
                assert!(new.comment.text().contains(&format!(": {best}")), "{record}");
            }
        }
        positions.next().unwrap();
    }
    assert_eq!(judged.len(), 4);
    assert!(faults > 2);
    // Judged once more, they are the same.
    let (status, ..) = run(&["analyze", &pgn, "--nodes=2000", "--pgn-out", &again]);
    assert_eq!(status, Some(0));
    assert!(fs::read_to_string(&again).unwrap() == fs::read_to_string(&pgn).unwrap());
    let Some(python) = python() else { return };
    // python-ataxx reads them too, and gives them back as they were.
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/comments.py");
    let output = Command::new(python).args([script, &pgn]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let seen = String::from_utf8(output.stdout).unwrap();
    let expected: String = judged
        .iter()
        .flat_map(GameRecord::moves)
        // It sets parentheses apart, where others begin a variation.
        .map(|ply| format!("{}\t{}\n", ply.mv, ply.comment).replace("(the)", "( the )"))
        .collect();
    assert_eq!(seen, expected);
}

/// What a browser shows of a page after a script has been run on it.
fn browse(browser: &Path, folder: &Path, page: &str, script: &str) -> String {
    let path = folder.join("page.html");
    let end = "</body>";
    assert_eq!(page.matches(end).count(), 1);
    fs::write(
        &path,
        page.replace(end, &format!("<pre id=\"seen\"></pre><script>{script}</script>{end}")),
    )
    .unwrap();
    let profile = folder.join("profile");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--dump-dom", &format!("file://{}", path.display())])
        .output()
        .unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    let (_, seen) = page.split_once("<pre id=\"seen\">").unwrap_or_else(|| panic!("{page}"));
    seen.split_once("</pre>").unwrap().0.to_owned()
}

#[test]
fn the_page_works_in_a_browser() {
    let (folder, path) = folder();
    let [input, html] = ["games.pgn", "report.html"].map(path);
    let (status, ..) = run(&["analyze", &input, "--nodes=300", "--html", &html]);
    assert_eq!(status, Some(1));
    let page = fs::read_to_string(&html).unwrap();
    // Nothing is fetched from anywhere.
    let links = ["http:", "https:", " src=", "url(", "@import"];
    let rest = page.replace("http://www.w3.org/2000/svg", "");
    for link in links {
        assert!(!rest.contains(link), "{link}");
    }
    assert!(!page.contains("A </script>") && page.contains("<title>4 games</title>"));
    let Some(browser) = tool("PHYSARUM_CHROMIUM", "chromium") else { return };
    let script = include_str!("data/step_through.js");
    let seen = browse(&browser, folder.path(), &page, script);
    let mut expected = vec!["4 games".to_owned()];
    let all = read(&games());
    for game in &all {
        let start = game.start();
        let stones = Color::ALL.map(|color| start.stones(color).len());
        let moves = game.moves().len();
        let passes = game.moves().iter().filter(|ply| ply.mv.to_string() == "0000").count();
        expected.push(format!("{moves} {moves} 49 {}", stones[0] + stones[1]));
        expected.push(format!("changes {}", moves - passes));
        expected
            .extend(["home true", "last true 1", "menu true true", "back true"].map(str::to_owned));
    }
    let last = all.last().unwrap();
    let name = |tag| last.tags.get(tag).unwrap();
    expected.push(format!("{} – {}  {}", name("Black"), name("White"), last.result));
    assert_eq!(seen, expected.join("\n"));
}

#[test]
fn the_rules_of_games_without_any_can_be_chosen() {
    let game = "1. f1 *\n";
    for (args, rules) in [(&[][..], Rules::Ataxx), (&["--rules=fill"], Rules::Fill)] {
        let args = [&["analyze", "--depth=1"], args].concat();
        let (status, out, err) = run_with_input(&args, game);
        assert_eq!(status, Some(0), "{err}");
        assert_eq!(records(&out)[0]["rules"], rules.name());
    }
}
