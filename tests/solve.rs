//! Proofs of `physarum analyze --solve` against a solver that lists everything.

#[path = "common/engine.rs"]
mod engine;
#[path = "common/random.rs"]
mod random;

use std::collections::HashMap;
use std::time::Instant;

use engine::{fail, run_with_input};
use physarum::analysis::solve;
use physarum::eval::Evaluation;
use physarum::game::{Bitboard, Color, Game, Outcome, Position, Rules, Square};
use physarum::search::{
    Control, Limits, MarginLimits, Request, Score, Settings, Table, solve_margin,
};
use random::Random;

/// All that can come of a position: for each state whose turn it is, what it leads to, or the margin in
/// black's favour if the game is over there.
struct Graph {
    states: Vec<(Color, Result<Vec<usize>, i32>)>,
}

impl Graph {
    /// `None` if there are more than so many states.
    fn new(root: Position, rules: Rules, limit: usize) -> Option<Self> {
        let key = |position: &Position| {
            let clock = if rules == Rules::Ataxx { position.halfmove_clock() } else { 0 };
            (Color::ALL.map(|color| position.stones(color)), position.side_to_move(), clock)
        };
        let mut numbers = HashMap::from([(key(&root), 0)]);
        let mut positions = vec![root];
        let mut states = Vec::new();
        while let Some(&position) = positions.get(states.len()) {
            let moves = match position.outcome(rules) {
                None => position.legal_moves(rules),
                Some(outcome) => {
                    let [black, white] = position.final_stones(rules).map(|stones| stones as i32);
                    let margin = if outcome == Outcome::Draw { 0 } else { black - white };
                    states.push((position.side_to_move(), Err(margin)));
                    continue;
                }
            };
            let mut children = Vec::new();
            for mv in moves {
                let child = position.play(mv);
                children.push(*numbers.entry(key(&child)).or_insert_with(|| {
                    positions.push(child);
                    positions.len() - 1
                }));
            }
            states.push((position.side_to_move(), Ok(children)));
            if positions.len() > limit {
                return None;
            }
        }
        Some(Self { states })
    }

    /// Within how many plies a side can force an end with at least such a margin in its favour, from the
    /// first state on.
    fn plies(&self, attacker: Color, margin: i32) -> Option<u32> {
        let sign = if attacker == Color::Black { 1 } else { -1 };
        let is_won = |end: &i32| sign * end >= margin;
        let mut plies: Vec<Option<u32>> = self
            .states
            .iter()
            .map(|(_, state)| state.as_ref().err().filter(|end| is_won(end)).map(|_| 0))
            .collect();
        for round in 1.. {
            let mut changed = false;
            // Only what was known before this round counts, so that the numbers are the smallest.
            let known = plies.clone();
            for (number, (side, state)) in self.states.iter().enumerate() {
                let Ok(children) = state else { continue };
                if known[number].is_none()
                    && if *side == attacker {
                        children.iter().any(|&child| known[child].is_some())
                    } else {
                        children.iter().all(|&child| known[child].is_some())
                    }
                {
                    plies[number] = Some(round);
                    changed = true;
                }
            }
            if plies[0].is_some() || !changed {
                break;
            }
        }
        plies[0]
    }

    /// The most that a side can force.
    fn most(&self, attacker: Color) -> Option<i32> {
        (-49..=49).rev().find(|&margin| self.plies(attacker, margin).is_some())
    }
}

/// A position on a corner of the board with so many files and ranks.
fn small(random: &mut Random, files: usize, ranks: usize, empty: usize, clock: u16) -> Position {
    let inside = Square::all().filter(|square| square.file() < files && square.rank() < ranks);
    let mut inside: Vec<Square> = inside.collect();
    let board: Bitboard =
        inside.iter().fold(Bitboard::EMPTY, |board, &square| board | square.into());
    let mut stones = [Bitboard::EMPTY; 2];
    while inside.len() > empty {
        let square = inside.swap_remove(random.below(inside.len()));
        stones[random.below(2)] |= square.into();
    }
    let side = *random.choose(&Color::ALL);
    Position::new(stones, Bitboard::FULL.without(board), side, clock, 1)
}

fn control() -> Control {
    Control::new(Instant::now(), false)
}

#[test]
fn results_and_margins_on_small_boards_are_the_true_ones() {
    let mut random = Random(7);
    let mut table = Table::new(1).unwrap();
    let (mut decided, mut drawn) = (0, 0);
    for round in 0..500 {
        let rules = Rules::ALL[round % 3];
        let (files, ranks, empty) =
            [(3, 3, 5), (3, 4, 4), (3, 5, 3), (4, 4, 2), (4, 3, 4), (2, 5, 5), (1, 7, 4)]
                [round % 7];
        let empty = empty.min(random.in_range(1..=6));
        // Every other time the rule of 100 halfmoves is near.
        let clock = if round % 2 == 0 { 0 } else { random.in_range(90..=99) as u16 };
        let position = small(&mut random, files, ranks, empty, clock);
        let Some(graph) = Graph::new(position, rules, 30_000) else { continue };
        let side = position.side_to_move();
        let [least, most] = [graph.most(side), graph.most(!side).map(|margin| -margin)];

        let limits = MarginLimits { nodes: 3_000_000, until: None, control: &control() };
        let margin = solve_margin(&position, rules, &limits);
        assert!(
            margin.at_least <= least || least == margin.at_least,
            "{position} {rules}: {margin:?} {least:?}"
        );
        assert!(
            margin.at_most.is_none_or(|bound| most.is_some_and(|most| bound >= most)),
            "{position} {rules}: {margin:?} {most:?}"
        );
        if margin.nodes < limits.nodes {
            // Nothing but the length of proofs keeps it from the truth.
            let is_short = |attacker, margin: Option<i32>| {
                let plies = margin.and_then(|margin| graph.plies(attacker, margin));
                plies.is_some_and(|plies| plies <= 110)
            };
            let context = format!("{position} {rules}: {margin:?}");
            if is_short(side, least) {
                assert_eq!(margin.at_least, least, "{context}");
            }
            if is_short(!side, most.map(|most| -most)) {
                assert_eq!(margin.at_most, most, "{context}");
            }
        }
        if let Some(exact) = margin.exact() {
            let mut course = position;
            for &mv in &margin.line {
                assert!(course.check(mv, rules).is_ok(), "{position} {rules}: {margin:?}");
                course = course.play(mv);
            }
            let outcome = course.outcome(rules).expect("the line goes to the end");
            let stones = course.final_stones(rules).map(|stones| stones as i32);
            let end = stones[side.index()] - stones[(!side).index()];
            assert_eq!(if outcome == Outcome::Draw { 0 } else { end }, exact, "{position} {rules}");
        }

        let truth = match (least, most) {
            (Some(1..), _) => Some(Outcome::Win(side)),
            (_, Some(..0)) => Some(Outcome::Win(!side)),
            (Some(0), Some(0)) => Some(Outcome::Draw),
            _ => None,
        };
        for nodes in [100, 300, 2000, 200_000] {
            let context = format!("{position} {rules} {nodes} nodes");
            let request = Request {
                game: &Game::new(position),
                limits: &Limits { nodes: Some(nodes), ..Limits::default() },
                settings: &Settings { rules, multi_pv: 2, ..Settings::default() },
                evaluation: &Evaluation::default(),
            };
            table.clear();
            let (analysis, solution) = solve(&request, &table, &control());
            // A search may go on for as long as it must to know a move.
            assert!(analysis.result.nodes <= nodes + 100, "{context}: {}", analysis.result.nodes);
            let Some(solution) = solution else { continue };
            assert_eq!(Some(solution.outcome), truth, "{context}");
            if let Some(margin) = solution.margin {
                assert_eq!([Some(margin); 2], [least, most], "{context}");
            }
            // Nobody has moved yet who could have spoilt it.
            if let Some(best) = analysis.result.best {
                let child = Graph::new(position.play(best), rules, 30_000).unwrap();
                let attacker = if solution.outcome == Outcome::Win(!side) { !side } else { side };
                let needed = i32::from(solution.outcome != Outcome::Draw);
                assert!(child.plies(attacker, needed).is_some(), "{context}: {best}");
            }
            let plies = |attacker| graph.plies(attacker, 1).expect("won");
            match (solution.outcome, analysis.result.score) {
                (Outcome::Draw, score) => {
                    drawn += 1;
                    assert_eq!(score, Score::Cp(0), "{context}");
                }
                (Outcome::Win(winner), Score::Win(moves)) => {
                    decided += 1;
                    assert!(winner == side && plies(side).div_ceil(2) <= moves, "{context}");
                }
                (Outcome::Win(winner), Score::Loss(moves)) => {
                    decided += 1;
                    assert!(winner != side && plies(!side).div_ceil(2) <= moves, "{context}");
                    assert!(
                        analysis.lines.iter().all(|line| line.score.is_proven()),
                        "{context}: {:?}",
                        analysis.lines
                    );
                }
                (outcome, score) => panic!("{context}: {outcome:?} {score:?}"),
            }
            if analysis.outcome.is_none() {
                let line = &analysis.lines[0].moves;
                assert_eq!(analysis.result.best, line.first().copied());
                let end = line.iter().fold(position, |position, &mv| position.play(mv));
                if nodes >= 200_000 {
                    assert_eq!(end.outcome(rules), Some(solution.outcome), "{context}");
                }
            }
        }
    }
    assert!(decided > 200 && drawn > 2, "{decided} {drawn}");
}

#[test]
fn the_command_tells_results_and_margins() {
    let input = "-------/-------/-------/-------/ox1----/oox----/xx----- o 0 20 ; wins\n\
                 7/7/7/7/7/7/x6 o 0 9 ; over\n\
                 x5o/7/7/7/7/7/o5x x 0 1 ; open\n";
    let args = ["analyze", "--solve", "--nodes=20000", "--no-time"];
    let (status, out, err) = run_with_input(&args, input);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let lines: Vec<&str> = out.lines().collect();
    let [wins, over, open] = lines[..] else { panic!("{out}") };
    for part in [
        "\"score\":{\"mate\":1},\"wdl\":[1000,0,0],\"proven\":true,\"result\":\"win\",\"margin\":4,\"best\":\"c3\"",
        "\"moves\":[\"c3\"]",
    ] {
        assert!(wins.contains(part), "{wins}");
    }
    assert!(over.contains("\"result\":\"loss\",\"margin\":-1,"), "{over}");
    assert!(open.contains("\"proven\":false,\"best\":"), "{open}");
    let (_, text, _) = run_with_input(&[&args[..], &["--format=text"]].concat(), input);
    assert!(text.contains("mate 1: c3; wdl 1000 0 0; result win by 4 stones"), "{text}");
    fail(&["analyze", "--solve", "--mate=3"], 2, &["--mate"]);
}
