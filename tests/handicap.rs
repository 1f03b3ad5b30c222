//! What people who play against the engine, and GUIs that show more than a score, set: levels of play,
//! and chances to win, draw and lose.

#[path = "common/engine.rs"]
mod engine;

use std::time::Instant;

use engine::Engine;
use physarum::eval::Evaluation;
use physarum::game::{Color, Game, Outcome, Position, Rules};
use physarum::search::{
    Control, Limits, Request, Score, SearchResult, Settings, Strength, Table, search,
};

fn think(game: &Game, strength: Strength, table: &Table) -> SearchResult {
    let settings =
        Settings { rules: Rules::Ataxx, strength: Some(strength), ..Settings::default() };
    let request = Request {
        game,
        limits: &Limits::default(),
        settings: &settings,
        evaluation: &Evaluation::default(),
    };
    search(&request, table, &Control::new(Instant::now(), false), &mut |_| {})
}

/// The points of the first level against the second, in so many games.
fn points(levels: [usize; 2], games: u64) -> f64 {
    let table = Table::new(1).unwrap();
    let mut points = 0.0;
    for number in 0..games {
        let mut game = Game::new(Position::default());
        let mut seed = number * 1000;
        let outcome = loop {
            if let Some(outcome) = game.position().outcome(Rules::Ataxx) {
                break outcome;
            }
            // They change colours.
            let first = (game.position().side_to_move() == Color::Black) == (number % 2 == 0);
            let strength = Strength::of_level(levels[usize::from(!first)], seed).unwrap();
            seed += 1;
            let result = think(&game, strength, &table);
            let mv = result.best.unwrap();
            assert!(game.position().check(mv, Rules::Ataxx).is_ok(), "{mv}");
            game.play(mv);
        };
        points += match outcome {
            Outcome::Draw => 0.5,
            Outcome::Win(color) => f64::from((color == Color::Black) == (number % 2 == 0)),
        };
    }
    points
}

#[test]
fn weaker_levels_lose_to_stronger_ones() {
    // By what the levels say of themselves, the weaker gets less than one point in a hundred games.
    for levels in [[0, 6], [4, 9], [8, 13]] {
        let [weak, strong] = levels.map(|level| Strength::of_level(level, 1).unwrap().elo());
        assert!(strong - weak >= 600, "{levels:?}: {weak} {strong}");
        assert!(points(levels, 10) <= 2.0, "{levels:?}");
    }
}

#[test]
fn every_level_answers_at_once_and_sees_what_is_plain() {
    // Black can capture all: every other move is thousands of cp worse.
    let position: Position = "7/7/7/7/2oo3/1x5/7 x 0 20".parse().unwrap();
    let mut last = 0;
    for level in 0..Strength::LEVELS {
        let strength = Strength::of_level(level, 7).unwrap();
        let table = Table::new(1).unwrap();
        let start = think(&Game::new(Position::default()), strength, &table);
        // One node for each move is the least; the most is far less than a tenth of a second.
        assert!(start.nodes >= 16 && start.nodes <= 60_000, "level {level}: {}", start.nodes);
        assert!(level <= 10 || start.nodes > last, "level {level}: {}", start.nodes);
        last = start.nodes;
        if level >= 4 {
            let best = think(&Game::new(position), strength, &table).best.unwrap();
            let end = position.play(best).outcome(Rules::Ataxx);
            assert_eq!(end, Some(Outcome::Win(Color::Black)), "level {level}: {best}");
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_choice_and_others_do_not() {
    let table = Table::new(1).unwrap();
    let choice = |seed| {
        think(&Game::new(Position::default()), Strength::of_level(0, seed).unwrap(), &table).best
    };
    let choices: Vec<_> = (0..20).map(choice).collect();
    assert_eq!((0..20).map(choice).collect::<Vec<_>>(), choices);
    assert!(choices.iter().any(|&mv| mv != choices[0]), "{choices:?}");
}

/// The nodes of the last report of a search.
fn nodes(engine: &mut Engine, go: &str) -> u64 {
    engine.send(go);
    let lines = engine.until("bestmove …");
    let last = lines.iter().rfind(|line| line.contains(" nodes ")).expect("a report");
    last.split(" nodes ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn a_search_for_a_win_finds_it_at_every_level() {
    let game = Game::new("7/7/7/7/2oo3/1x5/7 x 0 20".parse().unwrap());
    let table = Table::new(1).unwrap();
    for level in 0..20 {
        for seed in 0..5 {
            let settings =
                Settings { strength: Strength::of_level(level, seed), ..Settings::default() };
            let request = Request {
                game: &game,
                limits: &Limits { mate: Some(1), ..Limits::default() },
                settings: &settings,
                evaluation: &Evaluation::default(),
            };
            let control = Control::new(Instant::now(), false);
            let result = search(&request, &table, &control, &mut |_| {});
            assert_eq!(result.score, Score::Win(1), "{level}");
            let end = game.position().play(result.best.unwrap());
            assert_eq!(end.outcome(Rules::Assimilation), Some(Outcome::Win(Color::Black)));
        }
    }
}

#[test]
fn options_set_the_level() {
    let mut engine = Engine::start();
    engine.send("setoption name Hash value 1");
    let go = "go nodes 200000";
    assert!(nodes(&mut engine, go) > 60_000);
    engine.send("setoption name Skill Level value 10");
    assert!(nodes(&mut engine, go) < 1000);
    // Whoever analyses wants to know.
    engine.send("setoption name UCI_AnalyseMode value true");
    assert!(nodes(&mut engine, go) > 60_000);
    engine.send("setoption name UCI_AnalyseMode value false");
    assert!(nodes(&mut engine, go) < 1000);
    // The Elo counts only when it is said that it should, and then more than the level.
    engine.send("setoption name Skill Level value 20");
    engine.send(&format!("setoption name UCI_Elo value {}", Strength::MIN_ELO));
    assert!(nodes(&mut engine, go) > 60_000);
    engine.send("setoption name UCI_LimitStrength value true");
    assert!(nodes(&mut engine, go) < 100);
    engine.send(&format!("setoption name UCI_Elo value {}", Strength::MAX_ELO));
    assert!(nodes(&mut engine, go) > 10_000);
    // A lower limit holds.
    assert!(nodes(&mut engine, "go nodes 50") <= 50);
    engine.send("setoption name UCI_Elo value 5");
    engine.expect(&format!(
        "info string error: setoption: UCI_Elo: \"5\" is not a whole number from {} to {}",
        Strength::MIN_ELO,
        Strength::MAX_ELO
    ));
    engine.end();
}

#[test]
fn limited_searches_obey_as_others_do() {
    let mut engine = Engine::start();
    for level in [0, 9, 12] {
        engine.send(&format!("setoption name Skill Level value {level}"));
        engine.send_all(&["go infinite", "isready"]);
        let lines = engine.until("readyok");
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
        engine.send("stop");
        engine.until("bestmove …");
        engine.send_all(&["go ponder movetime 10", "ponderhit"]);
        engine.until("bestmove …");
        engine.send("go searchmoves f1");
        let best = engine.until("bestmove …").last().cloned().unwrap();
        assert!(best.starts_with("bestmove f1"), "{best}");
        engine.send_all(&["setoption name MultiPV value 3", "go"]);
        let lines = engine.until("bestmove …");
        assert!(lines.iter().any(|line| line.contains(" multipv 3 ")), "{lines:?}");
        engine.send("setoption name MultiPV value 1");
    }
    engine.end();
}

#[test]
fn chances_are_shown_where_they_are_wanted() {
    let mut engine = Engine::start();
    engine.send("go depth 3");
    assert!(!engine.until("bestmove …").iter().any(|line| line.contains(" wdl ")));
    engine.send("setoption name UCI_ShowWDL value true");
    let mut shown = |fen: &str| -> Vec<[u32; 3]> {
        engine.send_all(&[format!("position fen {fen}").as_str(), "go depth 3"]);
        let lines = engine.until("bestmove …");
        let lines = lines.iter().filter(|line| line.contains(" score "));
        let chances = lines.map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let at = words.iter().position(|&word| word == "wdl").expect(line);
            // As Stockfish has it, after the score.
            assert_eq!(words[at - 3], "score", "{line}");
            [1, 2, 3].map(|i| words[at + i].parse().expect(line))
        });
        chances.collect()
    };
    let even = shown("x5o/7/7/7/7/7/o5x x 0 1");
    assert!(even.len() >= 3);
    for [win, draw, loss] in even {
        assert_eq!(win + draw + loss, 1000);
        assert!(win > 250 && loss > 250 && draw > 0, "{win} {draw} {loss}");
    }
    assert_eq!(shown("7/7/7/7/2oo3/1x5/7 x 0 20").last(), Some(&[1000, 0, 0]));
    engine.send("setoption name UCI_ShowWDL value perhaps");
    engine
        .expect("info string error: setoption: UCI_ShowWDL: \"perhaps\" is neither true nor false");
    engine.end();
}
