use super::*;
use crate::game::Color;
use crate::record::GameResult;
use crate::referee::Tournament;

/// A game of a match, by its number: the result, and who played black and white.
fn game(number: u64, round: u64, result: GameResult, [black, white]: [usize; 2]) -> GameReport {
    GameReport {
        game: number,
        round,
        opening: 0,
        black,
        white,
        first: Color::Black,
        result,
        ending: Ending::Board,
        plies: 10,
        efforts: [Effort::default(); 2],
        errors: Vec::new(),
    }
}

fn fault(report: GameReport, by: Color, kind: FaultKind) -> GameReport {
    GameReport { ending: Ending::Fault { by, kind, detail: "it was bad".to_owned() }, ..report }
}

/// The standings after some games, each opening played twice.
fn standings(names: &[&str], games: &[GameReport]) -> Standings {
    let schedule = Schedule::new(names.len(), Tournament::RoundRobin, 10, true);
    let names = names.iter().map(|&name| name.to_owned()).collect();
    let mut standings = Standings::new(names, &schedule, None);
    games.iter().for_each(|game| standings.add(game));
    standings
}

/// Results of rounds that two engines play, each round first with the first engine as black.
fn rounds(results: &[[GameResult; 2]], first: usize, second: usize) -> Vec<GameReport> {
    let mut games = Vec::new();
    for (round, results) in (0..).zip(results) {
        games.push(game(2 * round, round, results[0], [first, second]));
        games.push(game(2 * round + 1, round, results[1], [second, first]));
    }
    games
}

/// What stands in the columns of a line; they are at least two spaces apart.
fn cells(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

/// The columns of the lines of a text, without empty lines.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(cells).filter(|row| !row.is_empty()).collect()
}

/// The columns of the line that begins with a word.
#[track_caller]
fn row<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let found = rows(text).into_iter().find(|row| row[0] == word);
    found.unwrap_or_else(|| panic!("no {word} in {text}"))
}

const BLACK: GameResult = GameResult::BlackWins;
const WHITE: GameResult = GameResult::WhiteWins;
const DRAW: GameResult = GameResult::Draw;

#[test]
fn a_duel_is_told_as_the_first_engine_sees_it() {
    let all_won = standings(&["greedy", "random"], &rounds(&[[BLACK, WHITE]; 10], 0, 1));
    assert_eq!(all_won.to_string().lines().next(), Some("greedy 20 : 0 random"));
    let all_lost = standings(&["random", "greedy"], &rounds(&[[WHITE, BLACK]; 10], 0, 1));
    assert_eq!(all_lost.to_string().lines().next(), Some("random 0 : 20 greedy"));

    // Pairs with 2, 1½, 1 (one each), 1 (two draws) and ½ points.
    let results =
        [[BLACK, WHITE], [DRAW, WHITE], [BLACK, BLACK], [DRAW, DRAW], [WHITE, DRAW], [BLACK, DRAW]];
    let standings = standings(&["greedy", "random"], &rounds(&results, 0, 1));
    let text = standings.to_string();
    assert_eq!(text.lines().next(), Some("greedy 7.5 : 4.5 random"));
    assert_eq!(row(&text, "Games"), ["Games", "12", "+5 =5 -2 (41.7 % drawn)"]);
    assert_eq!(row(&text, "Pairs"), ["Pairs", "6", "[0, 1, 2, 2, 1] with 0, ½, 1, 1½, 2 points"]);
    assert_eq!(row(&text, "Score"), ["Score", "62.50 %"]);
    let movers = "first mover won 4 (33.33 %), second mover won 3 (25.00 %), drawn 5 (41.67 %)";
    assert_eq!(row(&text, "Movers"), ["Movers", movers]);
    let los: f64 = row(&text, "LOS")[1].trim_end_matches(" %").parse().unwrap();
    assert!((80.0..100.0).contains(&los), "{los}");
    assert!(row(&text, "Elo")[1].starts_with('+') && row(&text, "nElo")[1].starts_with('+'));

    let report = Value::from(standings.to_json());
    assert_eq!((&report["games_played"], &report["plies_played"]), (&json!(12), &json!(120)));
    let sums = |value: &Value| {
        ["games", "wins", "draws", "losses", "score", "pairs"].map(|key| value[key].clone())
    };
    let [first, second] = [0, 1].map(|engine| sums(&report["standings"][engine]));
    let expected = json!([12, 5, 5, 2, 0.625, [0, 1, 2, 2, 1]]);
    assert_eq!(json!(first), expected);
    assert_eq!(json!(second), json!([12, 2, 5, 5, 0.375, [1, 2, 2, 1, 0]]));
    assert_eq!(json!(sums(&report["pairings"][0])), expected);
    assert_eq!(report["pairings"][0]["engines"], json!([0, 1]));
    assert_eq!(
        [0, 1].map(|engine| &report["standings"][engine]["name"]),
        [&json!("greedy"), &json!("random")]
    );
    let percent: Vec<f64> =
        report["movers"]["percent"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    assert!((percent[0] - 100.0 / 3.0).abs() < 1e-9 && (percent[1] - 25.0).abs() < 1e-9);
    let elo = |engine: usize| report["standings"][engine]["elo"]["value"].as_f64().unwrap();
    // 400 log10(0.625 / 0.375)
    assert!((elo(0) - 88.74).abs() < 0.01 && (elo(1) + 88.74).abs() < 0.01);
}

#[test]
fn who_moved_first_is_not_always_black() {
    let white_first = |report: GameReport| GameReport { first: Color::White, ..report };
    let results = [[BLACK, WHITE], [WHITE, WHITE], [DRAW, WHITE]];
    let games: Vec<_> = rounds(&results, 0, 1).into_iter().map(white_first).collect();
    let standings = standings(&["a", "b"], &games);
    let report = Value::from(standings.to_json());
    let movers = &report["movers"];
    assert_eq!(
        ["first_wins", "second_wins", "draws"].map(|key| &movers[key]),
        [&json!(4), &json!(1), &json!(1)]
    );
    // Who won what is another matter.
    assert_eq!(standings.to_string().lines().next(), Some("a 4.5 : 1.5 b"));
    let movers = "first mover won 4 (66.67 %), second mover won 1 (16.67 %), drawn 1 (16.67 %)";
    assert_eq!(row(&standings.to_string(), "Movers")[1], movers);
}

#[test]
fn three_engines_are_ranked_and_crossed() {
    // c beats all, a beats b once and draws with it, so the list is the wrong way round.
    let mut games = rounds(&[[WHITE, BLACK]], 0, 2);
    games.extend(rounds(&[[WHITE, BLACK], [WHITE, DRAW]], 1, 2));
    games.extend(rounds(&[[BLACK, DRAW]], 0, 1));
    let standings = standings(&["a", "b", "c"], &games);
    let text = standings.to_string();
    let rows = rows(&text);
    assert_eq!(
        rows[0],
        ["engine", "games", "won", "drawn", "lost", "score", "Elo"],
        "the first column has no heading"
    );
    let ranked = [
        ["1", "c", "6", "5", "1", "0", "91.7 %"],
        ["2", "a", "4", "1", "1", "2", "37.5 %"],
        ["3", "b", "6", "0", "2", "4", "16.7 %"],
    ];
    for (row, expected) in rows[1..4].iter().zip(ranked) {
        assert_eq!(row[..7], expected);
    }
    assert_eq!(rows[4], ["points", "against", "1", "2", "3"]);
    assert_eq!(rows[5], ["1", "c", "-", "2/2", "3.5/4"]);
    assert_eq!(rows[6], ["2", "a", "0/2", "-", "1.5/2"]);
    assert_eq!(rows[7], ["3", "b", "0.5/4", "0.5/2", "-"]);
    let movers = "first mover won 3 (37.50 %), second mover won 3 (37.50 %), drawn 2 (25.00 %)";
    assert_eq!(rows[8], ["Movers", movers]);
    // Below, the engines stand in their own order.
    let names: Vec<_> = rows[10..].iter().map(|row| row[0]).collect();
    assert_eq!(names, ["a", "b", "c"]);

    let report = Value::from(standings.to_json());
    let pairings: Vec<_> = report["pairings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pairing| ["engines", "wins", "draws", "losses"].map(|key| pairing[key].clone()))
        .collect();
    let expected = json!([[[0, 1], 1, 1, 0], [[0, 2], 0, 0, 2], [[1, 2], 0, 1, 3]]);
    assert_eq!(json!(pairings), expected);
    let pairing = |engine, opponent| standings.pairing(engine, opponent).unwrap().games();
    assert_eq!(pairing(0, 1), Games { wins: 1, draws: 1, losses: 0 });
    assert_eq!(pairing(1, 0), Games { wins: 0, draws: 1, losses: 1 });
    assert_eq!(standings.pairing(1, 1), None);
}

#[test]
fn each_engine_answers_for_its_own_faults() {
    let mut games = rounds(&[[WHITE, BLACK], [BLACK, WHITE]], 0, 1);
    games[0] = fault(games[0].clone(), Color::Black, FaultKind::Time);
    games[1] = fault(games[1].clone(), Color::White, FaultKind::Hang);
    games[3] = fault(games[3].clone(), Color::Black, FaultKind::Crash);
    let standings = standings(&["a", "b"], &games);
    let text = standings.to_string();
    let head = row(&text, "engine");
    assert_eq!(head[7..], ["out of time", "hung", "crashed", "illegal move"]);
    assert_eq!(row(&text, "a")[7..], ["1", "1", "0", "0"]);
    assert_eq!(row(&text, "b")[7..], ["0", "0", "1", "0"]);
    let report = Value::from(standings.to_json());
    assert_eq!(report["standings"][0]["faults"], json!({"time": 1, "hang": 1}));
    assert_eq!(report["standings"][1]["faults"], json!({"crash": 1}));
    assert!(standings.line(20).ends_with(", faults 3"), "{}", standings.line(20));
}

#[test]
fn who_is_often_late_is_named() {
    // Of twenty games one may be lost on time.
    let games = |late: usize| {
        let mut games = rounds(&[[BLACK, WHITE]; 10], 0, 1);
        for game in games.iter_mut().step_by(2).take(late) {
            *game = fault(game.clone(), Color::White, FaultKind::Time);
        }
        games[19] = fault(games[19].clone(), Color::Black, FaultKind::Hang);
        standings(&["a", "b"], &games)
    };
    assert_eq!(games(1).late(), []);
    assert_eq!(games(2).late(), [("b", 2)]);
}

#[test]
fn each_engine_is_credited_with_its_own_efforts() {
    let quick = Effort {
        moves: 10,
        time_us: 20_000,
        longest_us: 3_000,
        nodes: 5_000,
        nodes_us: 20_000,
        depths: 45,
        depth_moves: 10,
    };
    let longer = Effort { longest_us: 9_500, time_us: 80_000, nodes_us: 80_000, ..quick };
    let silent = Effort { moves: 9, time_us: 1_800_000, longest_us: 300_000, ..Effort::default() };
    let mut games = rounds(&[[BLACK, WHITE]], 0, 1);
    games[0].efforts = [quick, silent];
    games[1].efforts = [silent, longer];
    let standings = standings(&["a", "b"], &games);
    let text = standings.to_string();
    assert_eq!(
        row(&text, "engine")[..7],
        ["engine", "moves", "depth", "nodes/s", "ms/move", "longest", "time"]
    );
    assert_eq!(row(&text, "a")[..7], ["a", "20", "4.5", "100000", "5.00", "9.50", "0.1 s"]);
    assert_eq!(row(&text, "b")[..7], ["b", "18", "-", "-", "200.00", "300.00", "3.6 s"]);
    let report = Value::from(standings.to_json());
    let [a, b] = [0, 1].map(|engine| &report["standings"][engine]);
    assert_eq!(
        a["effort"],
        json!({
            "moves": 20, "time_us": 100_000, "longest_us": 9_500, "nodes": 10_000,
            "nodes_us": 100_000, "depths": 90, "depth_moves": 20,
        })
    );
    assert_eq!((&b["effort"]["moves"], &b["effort"]["time_us"]), (&json!(18), &json!(3_600_000)));
    assert_eq!(
        [&a["depth"], &a["nps"], &a["move_ms"]],
        [4.5, 100_000.0, 5.0].map(Value::from).each_ref()
    );
    assert_eq!([&b["depth"], &b["nps"]], [&Value::Null; 2]);
}

#[test]
fn a_match_without_games_has_standings_too() {
    let duel = standings(&["a", "b"], &[]);
    assert_eq!(duel.line(20), "0/20");
    let text = duel.to_string();
    assert_eq!(text.lines().next(), Some("a 0 : 0 b"));
    assert_eq!(row(&text, "Games"), ["Games", "0", "+0 =0 -0"]);
    assert_eq!(row(&text, "Movers")[1], "first mover won 0, second mover won 0, drawn 0");
    assert_eq!(row(&text, "a"), ["a", "0", "-", "-", "-", "-", "0.0 s", "0", "0", "0"]);
    assert_eq!(duel.late(), []);
    let many = standings(&["a", "b", "c"], &[]);
    assert_eq!(many.line(20), "0/20");
    let text = many.to_string();
    assert_eq!(rows(&text)[1], ["1", "a", "0", "0", "0", "0", "-", "-"]);
    assert_eq!(rows(&text)[5], ["1", "a", "-", "-", "-"]);
    for text in [duel.to_string(), text] {
        assert!(!text.contains("NaN") && !text.contains("Score") && !text.contains("Elo  "));
    }
    let report = Value::from(duel.to_json());
    assert_eq!(report["standings"][0]["score"], Value::Null);
    assert_eq!(report["movers"]["percent"], Value::Null);
}

#[test]
fn the_score_fits_into_a_line() {
    let duel = standings(&["new", "old"], &rounds(&[[WHITE, DRAW], [WHITE, WHITE]], 0, 1));
    let line = duel.line(100);
    assert!(line.starts_with("4/100 new: +1 =1 -2, 37.5 %, Elo -"), "{line}");
    assert!(!line.contains("LLR") && !line.contains("faults"), "{line}");
    // With more than two it is about the one that leads.
    let mut games = rounds(&[[WHITE, BLACK]], 0, 2);
    games.extend(rounds(&[[BLACK, DRAW]], 0, 1));
    let three = standings(&["a", "b", "c"], &games);
    assert!(three.line(30).starts_with("4/30 c: +2 =0 -0"), "{}", three.line(30));
}

#[test]
fn a_sequential_test_is_about_the_first_against_the_second() {
    let sprt: Sprt = "elo0=0,elo1=50".parse().unwrap();
    let names = || vec!["a".to_owned(), "b".to_owned()];
    let schedule = Schedule::new(2, Tournament::RoundRobin, 10, true);
    let standings = |results: &[[GameResult; 2]]| {
        let mut standings = Standings::new(names(), &schedule, Some(sprt));
        rounds(results, 0, 1).iter().for_each(|game| standings.add(game));
        standings
    };
    let good = [[BLACK, WHITE], [DRAW, WHITE], [BLACK, BLACK], [BLACK, DRAW], [BLACK, WHITE]];
    let bad = good.map(|[one, other]| [other, one]);
    for (results, sign) in [(good, 1.0), (bad, -1.0)] {
        let standings = standings(&results);
        let (_, status) = standings.sprt().unwrap();
        assert!(status.llr * sign > 0.0, "{status:?}");
        let part = format!(", LLR {:.2} ({:.2}, {:.2})", status.llr, status.lower, status.upper);
        assert!(standings.line(20).ends_with(&part), "{}", standings.line(20));
        let text = standings.to_string();
        let line = text.lines().find_map(|line| line.strip_prefix("SPRT")).unwrap();
        assert_eq!(line.trim(), format!("{status}  [{sprt}]"));
        let report = Value::from(standings.to_json());
        assert_eq!(report["sprt"]["llr"], json!(status.llr));
        assert_eq!(report["sprt"]["decision"], json!(status.decision.to_string()));
    }
}
