//! Random commands, good and bad, faster than they can be carried out: everything is answered.

#[path = "common/engine.rs"]
mod engine;
#[path = "common/random.rs"]
mod random;

use engine::{Engine, best_move};
use physarum::game::{Game, Position, Rules};
use random::Random;

/// What the engine must believe after the commands so far, and what it owes for them.
struct Model {
    game: Game,
    rules: Option<Rules>,
    introduced: bool,
    /// The positions of the searches asked for, in order, with the rules they are under.
    searches: Vec<(Position, Rules)>,
    errors: usize,
    readies: usize,
    displays: Vec<String>,
}

impl Model {
    fn rules(&self) -> Rules {
        let otherwise = if self.introduced { Rules::Ataxx } else { Rules::Assimilation };
        self.rules.unwrap_or(otherwise)
    }

    /// The next line to send; the model is what it will be after it.
    fn command(&mut self, random: &mut Random) -> String {
        match random.below(26) {
            0..=5 => self.go(random),
            6 | 7 => "stop".into(),
            8 => "ponderhit".into(),
            9 => {
                self.readies += 1;
                "isready".into()
            }
            10 | 11 => self.position(random),
            12 | 13 => self.moves(random),
            14 => format!("setoption name Threads value {}", random.in_range(1..=4)),
            15 => format!("setoption name Hash value {}", random.in_range(1..=4)),
            16 => format!("setoption name MultiPV value {}", random.in_range(1..=4)),
            17 => {
                let rules = *random.choose(&Rules::ALL);
                self.rules = Some(rules);
                format!("setoption name rules value {rules}")
            }
            18 => {
                self.introduced = true;
                "uai".into()
            }
            19 => {
                self.displays.push(format!("fen {}", self.game.position()));
                "d".into()
            }
            20 => {
                let lines =
                    ["uainewgame", "setoption name Clear Hash", "help", "eval", "moves", ""];
                (*random.choose(&lines)).into()
            }
            21 => (*random.choose(&["perft 2", "split 2", "bench 1", "perft 100"])).into(),
            22 => (*random.choose(&["debug on", "debug off"])).into(),
            _ => {
                self.errors += 1;
                let lines = [
                    "nonsense",
                    "go depth",
                    "go nodes -1",
                    "go searchmoves zz depth 1",
                    "position fen 7/7 x",
                    "position startpos moves f1 f1",
                    "moves a1a1a1",
                    "setoption name Hash value 0",
                    "setoption name Threads value many",
                    "perft -1",
                    "debug perhaps",
                ];
                (*random.choose(&lines)).into()
            }
        }
    }

    fn go(&mut self, random: &mut Random) -> String {
        self.searches.push((*self.game.position(), self.rules()));
        let mut line = match random.below(9) {
            0 => "go infinite".into(),
            1 => "go".into(),
            2 => format!("go ponder depth {}", random.in_range(1..=4)),
            3 => format!("go movetime {}", random.below(20)),
            4 => format!("go btime {0} wtime {0}", random.below(200)),
            5 => "go mate 1".into(),
            6 => format!("go nodes {}", random.in_range(1..=3000)),
            _ => format!("go depth {}", random.in_range(1..=5)),
        };
        let moves = self.game.position().legal_moves(self.rules());
        if random.one_in(5) && !moves.is_empty() {
            line.push_str(&format!(" searchmoves {}", random.choose(&moves)));
        }
        line
    }

    fn position(&mut self, random: &mut Random) -> String {
        let fen = *random.choose(&[
            "x5o/7/7/7/7/7/o5x x 0 1",
            "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1",
            "7/7/7/7/4ooo/4ooo/4oox x 0 30",
            "xxxxxoo/xxxxxoo/xxxxxxo/xxxxxxx/xxooo1x/ooxxxxx/ooxxxoo o 1 38",
            "2xxxxx/-------/-------/7/7/-------/ooooooo o 97 60",
            "ooooooo/7/7/7/7/7/7 x 0 9",
        ]);
        self.game = Game::new(fen.parse().expect("a good FEN"));
        let start = format!("position fen {fen}");
        match self.random_moves(random) {
            moves if moves.is_empty() => start,
            moves => format!("{start} moves {}", moves.join(" ")),
        }
    }

    fn moves(&mut self, random: &mut Random) -> String {
        // Without any it lists the legal ones, which is as well.
        format!("moves {}", self.random_moves(random).join(" "))
    }

    fn random_moves(&mut self, random: &mut Random) -> Vec<String> {
        let mut played = Vec::new();
        for _ in 0..random.below(6) {
            let moves = self.game.position().legal_moves(self.rules());
            if moves.is_empty() {
                break;
            }
            let mv = *random.choose(&moves);
            self.game.play(mv);
            played.push(mv.to_string());
        }
        played
    }
}

fn storm(seed: u64) {
    let mut random = Random(seed);
    let mut model = Model {
        game: Game::default(),
        rules: None,
        introduced: false,
        searches: Vec::new(),
        errors: 0,
        readies: 0,
        displays: Vec::new(),
    };
    let mut engine = Engine::start_with(&["--hash", "1"]);
    for _ in 0..400 {
        let line = model.command(&mut random);
        engine.send(&line);
        // A count to depth 100 ends only when told to.
        if line == "perft 100" {
            engine.send("stop");
        }
        if random.one_in(40) {
            std::thread::sleep(std::time::Duration::from_millis(random.below(30) as u64));
        }
    }
    let (status, lines) = engine.finish();
    assert_eq!(status.code(), Some(0), "seed {seed}");
    let with = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(with("info string error: "), model.errors, "seed {seed}");
    assert_eq!(with("readyok"), model.readies, "seed {seed}");
    let displays: Vec<_> = lines.iter().filter(|line| line.starts_with("fen ")).collect();
    assert_eq!(displays, model.displays.iter().collect::<Vec<_>>(), "seed {seed}");

    let answers: Vec<_> = lines.iter().filter_map(|line| best_move(line)).collect();
    assert_eq!(answers.len(), model.searches.len(), "seed {seed}");
    for (number, (answer, (position, rules))) in answers.iter().zip(&model.searches).enumerate() {
        let moves = position.legal_moves(*rules);
        let legal = match moves.as_slice() {
            [] => *answer == "0000",
            moves => moves.iter().any(|mv| mv.to_string() == *answer),
        };
        assert!(legal, "seed {seed}: answer {number}: {answer} in {position} under {rules}");
    }
}

#[test]
fn everything_is_answered() {
    for seed in 0..8 {
        storm(seed);
    }
}
