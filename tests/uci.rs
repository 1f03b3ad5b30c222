//! The engine as a speaker of UCI, as Fairy-Stockfish speaks it.

#[path = "common/engine.rs"]
mod engine;
#[path = "common/random.rs"]
mod random;

use std::io::{self, Write as _};
use std::process::Command;

use engine::Engine;
use physarum::game::{Color, FairyFen, Game, Move, Position, Rules};
use physarum::protocol::Dialect;
use random::Random;

/// An engine that has been greeted.
fn greeted() -> Engine {
    let mut engine = Engine::start();
    engine.send("uci");
    engine.until("uciok");
    engine
}

fn position_command(position: &Position) -> String {
    format!("position fen {}", FairyFen(position))
}

#[test]
fn it_introduces_itself_and_plays_one_variant() {
    let mut engine = Engine::start();
    engine.send("uci");
    engine.expect("id name Physarum …");
    engine.expect("id author …");
    let options = engine.until("uciok");
    for option in [
        "option name Rules type combo default Ataxx var Assimilation var Ataxx var Fill",
        "option name UCI_Variant type combo default ataxx var ataxx",
        "option name UCI_AnalyseMode type check default false",
    ] {
        assert!(options.iter().any(|line| line == option), "{option}: {options:?}");
    }
    engine.send_all(&["setoption name UCI_Variant value ataxx", "ucinewgame", "isready"]);
    engine.expect(
        "info string variant ataxx files 7 ranks 7 pocket 1 template fairy startpos \
         P5p/7/7/7/7/7/p5P w 0 1",
    );
    engine.expect("readyok");
    engine.send("setoption name UCI_Variant value chess");
    engine.expect(
        "info string error: setoption: UCI_Variant: \"chess\" is not ataxx, the one variant there is",
    );
    // What GUIs of chess set unasked.
    for option in ["UCI_AnalyseMode value true", "UCI_Chess960 value false", "Use NNUE value true"]
    {
        engine.send(&format!("setoption name {option}"));
    }
    engine.send_all(&["position startpos moves P@f1 p@f7", "d"]);
    let lines = engine.until("Key: …");
    assert!(lines.contains(&" | P |   |   |   |   | p | p |7".to_owned()), "{lines:?}");
    assert!(lines.contains(&"Fen: P4pp/7/7/7/7/7/p4PP w - - 0 2".to_owned()), "{lines:?}");
    engine.end();
}

#[test]
fn moves_are_written_as_fairy_stockfish_writes_them() {
    let mut engine = greeted();
    // A side without a move passes with any of its stones.
    engine.send_all(&["position fen 7/7/7/7/4ppp/4ppp/4ppP w - - 0 30", "moves", "go depth 3"]);
    engine.expect("moves g1g1");
    let lines = engine.until("bestmove …");
    assert!(lines.last().is_some_and(|line| line.starts_with("bestmove g1g1")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains(" pv g1g1 ")), "{lines:?}");
    engine.send_all(&["moves g1g1", "moves"]);
    let moves = engine.expect("moves …");
    assert!(moves.contains(" P@d1") && moves.contains(" e1c1"), "{moves}");
    // The game is over.
    engine.send_all(&["position fen PPP4/7/7/7/7/7/7 b - - 0 1", "go depth 3"]);
    assert_eq!(engine.until("bestmove …").last().map(String::as_str), Some("bestmove (none)"));
    // Whatever is played is legal when read back.
    for (seed, gaps) in [(1, ""), (2, "P5p/7/2*1*2/7/2*1*2/7/p5P w - - 0 1")] {
        let mut dice = Random(seed);
        let start: Position =
            if gaps.is_empty() { Position::default() } else { gaps.parse().unwrap() };
        let mut game = Game::new(start);
        let mut texts: Vec<String> = Vec::new();
        while game.position().outcome(Rules::Ataxx).is_none() {
            let position = *game.position();
            let mv: Move = if dice.below(2) == 0 {
                let moves = if texts.is_empty() { "" } else { " moves " };
                let line = format!("{}{moves}{}", position_command(&start), texts.join(" "));
                engine.send_all(&[line.as_str(), "go nodes 20"]);
                let answer = engine.until("bestmove …").last().cloned().unwrap_or_default();
                let text = answer.split(' ').nth(1).unwrap();
                let mv = position.parse_move(text, Rules::Ataxx).unwrap();
                assert_eq!(text, mv.to_fairy(&position));
                mv
            } else {
                let legal = position.legal_moves(Rules::Ataxx);
                legal[dice.below(legal.len())]
            };
            texts.push(Dialect::Uci.move_text(mv, &position));
            game.play(mv);
        }
    }
    engine.end();
}

#[test]
fn wtime_is_the_clock_of_who_moves_first() {
    let mut engine = greeted();
    engine.send_all(&["position startpos", "isready"]);
    engine.until("readyok");
    // With next to nothing on the own clock and plenty on the other, it must not think long.
    for (line, position) in [
        ("go wtime 20 btime 3600000 winc 0 binc 3600000", "position startpos"),
        ("go wtime 3600000 btime 20 winc 3600000 binc 0", "position startpos moves P@f1"),
    ] {
        engine.send_all(&[position, line]);
        engine.until("bestmove …");
    }
    engine.end();
}

#[test]
fn leaves_are_counted_as_there() {
    let mut engine = greeted();
    engine.send_all(&["position startpos", "go perft 1"]);
    let lines = engine.until("Nodes searched: 16");
    assert!(lines.contains(&"P@f1: 1".to_owned()) && lines.contains(&"a7c5: 1".to_owned()));
    let table = include_str!("data/perft.tsv");
    let rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let mut seen = 0;
    for row in rows.filter(|row| row[0] == "ataxx") {
        let position: Position = row[1].parse().unwrap();
        engine.send_all(&[&position_command(&position), "go perft 3"]);
        engine.until(&format!("Nodes searched: {}", row[4]));
        seen += 1;
    }
    assert!(seen > 50, "{seen}");
    // The last line of all is empty.
    assert_eq!(engine.sync(), [""]);
    engine.end();
}

/// What an engine counts after each move, and in all.
fn perft(engine: &mut Engine, position: &Position, depth: u32) -> (Vec<(String, u64)>, u64) {
    engine.send_all(&[&position_command(position), &format!("go perft {depth}")]);
    let lines = engine.until("Nodes searched: …");
    let count = |text: &str| text.trim().parse::<u64>().unwrap();
    let mut parts = Vec::new();
    for line in &lines {
        match line.split_once(": ") {
            Some(("Nodes searched", total)) => return (parts, count(total)),
            Some((mv, part)) if !mv.contains(' ') => parts.push((mv.to_owned(), count(part))),
            _ => {}
        }
    }
    panic!("no total: {lines:?}");
}

#[test]
fn moves_are_those_of_fairy_stockfish_on_every_position_of_the_table() {
    let Some(path) = std::env::var_os("PHYSARUM_FAIRY_STOCKFISH") else {
        // `eprintln!` would be hidden, as the test passes.
        let _ = writeln!(io::stderr(), "test skipped: PHYSARUM_FAIRY_STOCKFISH names no program");
        return;
    };
    let mut theirs = Engine::spawn(Command::new(path));
    theirs.send_all(&["uci", "setoption name UCI_Variant value ataxx", "isready"]);
    theirs.until("readyok");
    let mut ours = greeted();
    let mut positions = vec!["7/7/7/7/3oooo/3oooo/3ooxx x 0 30".parse().unwrap()];
    for row in include_str!("data/perft.tsv").lines() {
        let Some(fen) = row.strip_prefix("ataxx\t").and_then(|row| row.split('\t').next()) else {
            continue;
        };
        let position: Position = fen.parse().unwrap();
        // It knows nothing of the hundredth halfmove.
        let stones = Color::ALL.map(|color| position.stones(color));
        let position = Position::new(stones, position.gaps(), position.side_to_move(), 0, 1);
        positions.push(position);
    }
    assert!(positions.len() > 50);
    let sorted = |(mut parts, total): (Vec<(String, u64)>, u64)| {
        parts.sort();
        (parts, total)
    };
    for position in positions {
        for depth in 1..=3 {
            let [our_count, their_count] =
                [&mut ours, &mut theirs].map(|engine| sorted(perft(engine, &position, depth)));
            assert_eq!(our_count, their_count, "{position} depth {depth}");
        }
    }
    // The last line of all is empty.
    assert_eq!(ours.sync(), [""]);
    ours.end();
}

#[test]
fn bad_input_is_answered_and_changes_nothing() {
    let mut engine = greeted();
    engine.send("position startpos moves P@f1");
    for (line, complaint) in [
        ("position fen P5p/7/7/7/7/7/p5P", "position: fen: no side to move: …"),
        ("position fen P5p/7/7/7/7/7/p5P x y", "position: fen: halfmove clock …"),
        ("position fen P5p/7/7/7/7/7/o5x w - - 0 1", "position: fen: stones are written both …"),
        ("position fen P5p/7/7/7/7/7/p5P z - - 0 1", "position: fen: unknown side to move: …"),
        ("position fen Q5q/7/7/7/7/7/q5Q w - - 0 1", "position: fen: 'Q' in rank 7: …"),
        ("position startpos moves P@f1 P@f1", "position: move 2 \"P@f1\": f1 is occupied"),
        ("position startpos moves e2e4", "position: move 1 \"e2e4\": no stone of x on e2"),
        (
            "position startpos moves g1g1",
            "position: move 1 \"g1g1\": x must not pass: it has a move",
        ),
        ("position startpos moves (none)", "position: move 1 \"(none)\": not a move: …"),
        ("go perft", "go: perft: a number is missing"),
        ("go perft -1", "go: perft: \"-1\" is not a whole number from 0 to 255"),
        ("go wtime soon", "go: wtime: \"soon\" is not a number of milliseconds"),
        ("setoption name UCI_Variant", "setoption: UCI_Variant: a value is missing"),
        ("ucinewgame2", "unknown command \"ucinewgame2\" …"),
    ] {
        engine.send(line);
        engine.expect(&format!("info string error: {complaint}"));
    }
    engine.send("d");
    let lines = engine.until("Key: …");
    assert!(lines.contains(&"Fen: P5p/7/7/7/7/7/p4PP b - - 0 1".to_owned()), "{lines:?}");
    engine.end();
}

#[test]
fn positions_and_moves_are_the_same_in_all_dialects() {
    let mut dice = Random(7);
    let mut passes = 0;
    for fen in ["x5o/7/7/7/7/7/o5x x 0 1", "x5o/7/2-1-2/7/2-1-2/7/o5x o 3 9"] {
        for _ in 0..30 {
            let mut position: Position = fen.parse().unwrap();
            while position.outcome(Rules::Ataxx).is_none() {
                let legal = position.legal_moves(Rules::Ataxx);
                for dialect in Dialect::ALL {
                    assert_eq!(dialect.position_text(&position).parse(), Ok(position));
                    for &mv in &legal {
                        let text = dialect.move_text(mv, &position);
                        assert_eq!(position.parse_move(&text, Rules::Ataxx), Ok(mv), "{text}");
                    }
                }
                passes += usize::from(legal[0] == Move::PASS);
                position = position.play(legal[dice.below(legal.len())]);
            }
        }
    }
    assert!(passes > 0);
}
