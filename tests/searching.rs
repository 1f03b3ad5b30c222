//! What the search proves is true, and it finds what can be proven: checked against a solver that
//! shares nothing with it, on small endings under both rule sets.

#[path = "common/random.rs"]
mod random;
#[path = "common/solver.rs"]
mod solver;

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use physarum::eval::Evaluation;
use physarum::game::{
    Bitboard, Color, Game, HALFMOVE_LIMIT, Move, Outcome, Position, Rules, Square, Symmetry,
};
use physarum::search::{
    Clock, Control, Limits, Report, Request, Score, SearchResult, Settings, Table, search,
};
use random::Random;
use solver::{Solution, Truth};

/// What a report said: depth, number of the line, score, line.
type Line = (u32, usize, Score, Vec<Move>);

fn run(
    game: &Game,
    limits: &Limits,
    settings: &Settings,
    table: &Table,
) -> (SearchResult, Vec<Line>) {
    let control = Control::new(Instant::now(), false);
    let mut lines = Vec::new();
    let mut report = |report: &Report<'_>| {
        let line = report.line.to_vec();
        lines.push((report.depth, report.multi_pv, report.score, line));
    };
    let result = search(
        &Request { game, limits, settings, evaluation: &Evaluation::default() },
        table,
        &control,
        &mut report,
    );
    (result, lines)
}

/// A search with an empty table of its own.
fn run_fresh(position: &Position, limits: &Limits, settings: &Settings) -> SearchResult {
    run(&Game::new(*position), limits, settings, &small_table()).0
}

fn small_table() -> Table {
    Table::new(1).expect("a MiB of memory")
}

fn with_rules(rules: Rules) -> Settings {
    Settings { rules, ..Settings::default() }
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn mate(moves: u32) -> Limits {
    Limits { mate: Some(moves), ..Limits::default() }
}

fn with_clock(position: &Position, clock: u16) -> Position {
    let stones = Color::ALL.map(|color| position.stones(color));
    Position::new(stones, position.gaps(), position.side_to_move(), clock, 1)
}

fn shuffle<T>(things: &mut [T], random: &mut Random) {
    for i in (1..things.len()).rev() {
        things.swap(i, random.below(i + 1));
    }
}

/// A board that is mostly gaps, with few squares to move to: small enough to be solved.
fn random_ending(random: &mut Random) -> Position {
    let squares: Vec<Square> = Square::all().collect();
    loop {
        // Heaps, scattered squares, and walks two squares at a time, where only jumps lead on.
        let style = random.below(3);
        let size = random.in_range(4..=14);
        let mut floor = Bitboard::EMPTY;
        let mut at = *random.choose(&squares);
        while floor.len() < size as u32 {
            floor |= at.into();
            let next = match style {
                0 => floor.dilate(),
                1 => Bitboard::FULL,
                _ => Bitboard::ring(at),
            };
            at = *random.choose(&next.into_iter().collect::<Vec<_>>());
        }
        let mut order: Vec<Square> = floor.into_iter().collect();
        shuffle(&mut order, random);
        // Few stones and more empty squares now and then: on those the search prunes.
        let empty = if random.one_in(3) { size - 3 } else { random.in_range(1..=6) };
        let empty = empty.min(size - 2);
        let side = *random.choose(&Color::ALL);
        let position = with_stones(&order[empty..], !floor, side, random);
        if Rules::ALL.iter().all(|&rules| position.outcome(rules).is_none()) {
            return position;
        }
    }
}

/// The whole board with a few empty squares.
fn random_full_board(random: &mut Random) -> Position {
    loop {
        let mut order: Vec<Square> = Square::all().collect();
        shuffle(&mut order, random);
        let empty = random.in_range(1..=4);
        let side = *random.choose(&Color::ALL);
        let position = with_stones(&order[empty..], Bitboard::EMPTY, side, random);
        if Rules::ALL.iter().all(|&rules| position.outcome(rules).is_none()) {
            return position;
        }
    }
}

/// Stones on all the squares, of one side more often than of the other.
fn with_stones(squares: &[Square], gaps: Bitboard, side: Color, random: &mut Random) -> Position {
    let mut stones = [Bitboard::EMPTY; 2];
    let share = random.in_range(2..=4);
    for &square in squares {
        stones[usize::from(random.one_in(share))] |= square.into();
    }
    Position::new(stones, gaps, side, 0, 1)
}

/// Whether a score may be right: a proven result is the true one and comes no later than said.
fn may_be_right(score: Score, truth: Truth) -> bool {
    match (score, truth) {
        (Score::Cp(_), _) => true,
        (Score::Win(moves), Truth::Win(plies)) | (Score::Loss(moves), Truth::Loss(plies)) => {
            plies.div_ceil(2) <= moves
        }
        _ => false,
    }
}

/// What a truth looks like one ply earlier, from the other side.
fn before(truth: Truth) -> Truth {
    match truth {
        Truth::Win(plies) => Truth::Loss(plies + 1),
        Truth::Loss(plies) => Truth::Win(plies + 1),
        Truth::Draw => Truth::Draw,
    }
}

/// Checks everything that a search said against the truth; `context` tells which search it was.
fn check(
    position: &Position,
    solution: &Solution,
    (result, lines): &(SearchResult, Vec<Line>),
    context: &str,
) {
    let truth = solution.truth(position);
    for (depth, number, score, line) in lines {
        // The first line is the position's score, the others are those of their moves.
        let truth = match number {
            1 => truth,
            _ => before(solution.truth(&position.play(line[0]))),
        };
        assert!(
            may_be_right(*score, truth),
            "{context}: depth {depth}, line {number} {line:?}: {score:?}, but it is {truth:?}"
        );
    }
    let Some(best) = result.best else { panic!("{context}: no move in {position}") };
    if result.depth > 0 {
        assert!(may_be_right(result.score, truth), "{context}: {result:?}, but it is {truth:?}");
    }
    // Whoever wins plays a move that wins, and in the moves announced.
    if let Score::Win(moves) = result.score {
        let after = before(solution.truth(&position.play(best)));
        assert!(may_be_right(Score::Win(moves), after), "{context}: {best} throws the win away");
    }
}

/// How many of each were checked: a test that checks nothing must not pass.
#[derive(Debug, Default)]
struct Checked {
    wins: usize,
    long_wins: usize,
    losses: usize,
    draws: usize,
}

impl Checked {
    fn count(&mut self, truth: Truth) {
        match truth {
            Truth::Win(plies) => {
                self.wins += 1;
                self.long_wins += usize::from(plies >= 7);
            }
            Truth::Loss(_) => self.losses += 1,
            Truth::Draw => self.draws += 1,
        }
    }
}

/// Looks for the shortest win with `go mate`: it is found in exactly its moves, not sooner, and a
/// position without a win has none. Drawn positions are searched for `if_drawn` moves.
fn check_mates(game: &Game, rules: Rules, solution: &Solution, table: &Table, if_drawn: &[u32]) {
    let position = game.position();
    let truth = solution.truth(position);
    let shortest = match truth {
        Truth::Win(plies) => Some(plies.div_ceil(2)),
        _ => None,
    };
    let tried = match (shortest, truth) {
        (Some(shortest), _) => vec![shortest, shortest - 1, shortest + 1],
        (None, Truth::Loss(plies)) => vec![plies.div_ceil(2) + 1],
        (None, _) => if_drawn.to_vec(),
    };
    for moves in tried.into_iter().filter(|&moves| moves > 0) {
        let context = format!("mate {moves} in {position} under {rules}, {truth:?}");
        // A few have too many lines to be searched through without pruning.
        let limits = Limits { nodes: Some(200_000), ..mate(moves) };
        let found = run(game, &limits, &with_rules(rules), table);
        check(position, solution, &found, &context);
        let result = found.0;
        if result.nodes == 200_000 {
            continue;
        }
        let expected = shortest.filter(|&shortest| shortest <= moves);
        match (result.score, expected) {
            (Score::Win(found), Some(shortest)) if shortest == moves => {
                assert_eq!(found, shortest, "{context}");
            }
            (Score::Win(found), Some(_)) => assert!(found <= moves, "{context}: {result:?}"),
            (_, Some(_)) => panic!("{context}: not found: {result:?}"),
            // That nothing is pruned also means that losses are seen.
            (score, None) => match truth {
                Truth::Loss(plies) if plies <= 2 * moves => {
                    assert_eq!(score, Score::Loss(plies.div_ceil(2)), "{context}");
                }
                // Forced moves may lead it on to a win that takes longer.
                _ => assert!(!matches!(score, Score::Win(found) if found <= moves), "{context}"),
            },
        }
    }
}

/// One table for everything, so that nothing in it may mislead later searches of other boards,
/// clocks and rules.
#[test]
fn small_endings_are_judged_as_the_solver_does() {
    let table = small_table();
    let mut checked = Checked::default();
    for seed in 0..500 {
        let mut random = Random(seed);
        let ending = random_ending(&mut random);
        for rules in Rules::ALL {
            // Near the hundredth halfmove what is won else may be drawn.
            let mut roots = vec![ending];
            if rules == Rules::Ataxx {
                roots.extend([50, 83, 85, 90, 93, 96, 97, 98, 99].map(|c| with_clock(&ending, c)));
                shuffle(&mut roots, &mut random);
                roots.truncate(4);
            }
            let Some(solution) = Solution::new(&roots, rules, 15_000) else { continue };
            for root in &roots {
                checked.count(solution.truth(root));
                let limits = Limits { nodes: Some(3000), ..depth(random.in_range(1..=20) as u32) };
                let multi_pv = random.in_range(1..=3);
                let settings = Settings { multi_pv, ..with_rules(rules) };
                let game = Game::new(*root);
                let found = run(&game, &limits, &settings, &table);
                check(root, &solution, &found, &format!("seed {seed}: {root} under {rules}"));
                check_mates(&game, rules, &solution, &table, &[1, 5]);
            }
        }
    }
    let Checked { wins, long_wins, losses, draws } = checked;
    assert!(wins > 400 && long_wins > 25 && losses > 100 && draws > 100, "{checked:?}");
}

/// The same with a past. That a position comes again is no draw by the rules: it must not make
/// anything proven that is not, nor hide a win from `go mate`.
#[test]
fn a_past_changes_no_proof() {
    let table = small_table();
    let mut checked = Checked::default();
    for seed in 0..500 {
        let mut random = Random(seed);
        let ending = random_ending(&mut random);
        for rules in Rules::ALL {
            let Some(solution) = Solution::new(&[ending], rules, 5_000) else { continue };
            let mut game = Game::new(ending);
            for _ in 0..random.in_range(4..=20) {
                let moves = game.position().legal_moves(rules);
                // Jumps keep the past alive.
                let jumps: Vec<Move> =
                    moves.iter().copied().filter(|mv| mv.from().is_some()).collect();
                match if jumps.is_empty() { &moves } else { jumps.as_slice() } {
                    [] => break,
                    moves => game.play(*random.choose(moves)),
                }
            }
            if game.position().outcome(rules).is_some() || game.earlier_hashes().is_empty() {
                continue;
            }
            checked.count(solution.truth(game.position()));
            let context = format!("seed {seed}: {} under {rules}", game.position());
            let limits = Limits { nodes: Some(2000), ..depth(12) };
            let found = run(&game, &limits, &with_rules(rules), &table);
            check(game.position(), &solution, &found, &context);
            check_mates(&game, rules, &solution, &table, &[3]);
        }
    }
    let Checked { wins, losses, draws, .. } = checked;
    assert!(wins > 25 && losses > 20 && draws > 15, "{checked:?}");
}

/// Long forced wins and losses under `Ataxx`, most of them without a clone near the end.
const LONG_ENDINGS: [&str; 16] = [
    "-------/x-oox-x/-------/-1---o-/-------/-------/------- o",
    "-----1-/-------/---o-x-/--o----/o-x----/-------/--x--ox o",
    "--x----/o------/--1----/o------/--x----/----o--/-xxx--- o",
    "-------/-x-----/---x---/--o----/----o--/--1-1-x/------- o",
    "-1-o---/-------/---x---/-------/--o-xx-/-------/----xxo x",
    "-------/-------/-------/-o--x-1/-------/x-xx--o/-x----- x",
    "---1o1-/-x-----/---o---/-x-----/-------/-------/------- x",
    "----o-x/------1/--x---x/----1--/-------/-------/------- o",
    "---x--x/------o/----1--/--x----/o------/--1----/------- x",
    "2-----/-------/1------/-------/1------/-------/--1-x-o x",
    "-------/x-x----/--x----/-------/1o-----/-------/xx1---- o",
    "--x-1--/--o-x--/--o----/1------/-------/x------/------- o",
    "-------/-------/-------/--1----/-----1-/1--o---/-----x1 x",
    "----1--/----1--/-------/-----1-/-------/--1-x--/o------ o",
    "--1-1--/--1---x/1------/------o/----1--/-------/------- x",
    "-------/-----x-/---o---/-----1-/-------/-----2/----1-- x",
];

/// At halfmove clocks where a win just comes in time, or just not.
#[test]
fn wins_that_come_too_late_are_draws() {
    let rules = Rules::Ataxx;
    for fen in LONG_ENDINGS {
        let ending: Position = fen.parse().expect("a good FEN");
        let roots: Vec<Position> = (0..HALFMOVE_LIMIT).map(|c| with_clock(&ending, c)).collect();
        let solution = Solution::new(&roots, rules, 100_000).expect("it is small");
        let (Truth::Win(plies) | Truth::Loss(plies)) = solution.truth(&ending) else {
            panic!("{fen} is drawn")
        };
        assert!(plies >= 11, "{fen} ends in {plies} plies");
        // The first clock with which it takes longer or is drawn, and those around it.
        let same = |root: &&Position| solution.truth(root) == solution.truth(&ending);
        let first = roots.iter().take_while(same).count();
        assert!(first < roots.len(), "{fen} does not depend on the clock");
        let mut clocks = vec![0, 50, first - 4, first - 1, first, first + 1, first + 2, 99];
        clocks.retain(|&clock| clock < roots.len());
        // Upwards and downwards: what is found out at one clock must not be taken for another.
        for upwards in [true, false] {
            let table = small_table();
            for number in 0..clocks.len() {
                let number = if upwards { number } else { clocks.len() - 1 - number };
                let root = &roots[clocks[number]];
                let limits = Limits { nodes: Some(10_000), ..depth(plies + 2) };
                let game = Game::new(*root);
                let found = run(&game, &limits, &with_rules(rules), &table);
                check(root, &solution, &found, &format!("{root}, upwards: {upwards}"));
                check_mates(&game, rules, &solution, &table, &[plies.div_ceil(2) + 1]);
            }
        }
    }
}

/// Whether the side to move wins within some plies, by trying everything.
fn wins_within(position: &Position, plies: u32, rules: Rules, known: &mut Known) -> bool {
    decided(position, plies, rules, known) == Some(true)
}

/// Whether the side to move loses within some plies, by trying everything.
fn loses_within(position: &Position, plies: u32, rules: Rules, known: &mut Known) -> bool {
    decided(position, plies, rules, known) == Some(false)
}

type Known = HashMap<([u64; 2], Color, u16, u32), Option<bool>>;

/// `Some(true)` for a win, `Some(false)` for a loss within some plies, `None` for neither.
fn decided(position: &Position, plies: u32, rules: Rules, known: &mut Known) -> Option<bool> {
    if let Some(outcome) = position.outcome(rules) {
        return match outcome {
            Outcome::Win(color) => Some(color == position.side_to_move()),
            Outcome::Draw => None,
        };
    }
    if plies == 0 {
        return None;
    }
    let stones = Color::ALL.map(|color| position.stones(color).bits());
    let key = (stones, position.side_to_move(), position.halfmove_clock(), plies);
    if let Some(&result) = known.get(&key) {
        return result;
    }
    let mut all_lose = true;
    let mut result = None;
    for mv in position.legal_moves(rules) {
        match decided(&position.play(mv), plies - 1, rules, known) {
            Some(false) => {
                result = Some(true);
                break;
            }
            Some(true) => {}
            None => all_lose = false,
        }
    }
    if result.is_none() && all_lose {
        result = Some(false);
    }
    known.insert(key, result);
    result
}

/// Boards without gaps are too large to be solved, but not to be searched a few plies by force.
#[test]
fn full_boards_are_judged_as_by_brute_force() {
    let table = small_table();
    let mut won = [0; 2];
    for seed in 0..150 {
        let mut random = Random(seed);
        let mut position = random_full_board(&mut random);
        if random.one_in(2) {
            position = with_clock(&position, random.in_range(94..=99) as u16);
        }
        let rules = *random.choose(&Rules::ALL);
        let game = Game::new(position);
        let context = format!("seed {seed}: {position} under {rules}");
        let mut known = Known::new();
        for moves in 1..=2 {
            let expected = wins_within(&position, 2 * moves, rules, &mut known);
            let result = run(&game, &mate(moves), &with_rules(rules), &table).0;
            let found = matches!(result.score, Score::Win(found) if found <= moves);
            assert_eq!(found, expected, "{context}: mate {moves}: {result:?}");
            won[usize::from(found)] += 1;
        }
        let limits = Limits { nodes: Some(2000), ..depth(8) };
        let (_, lines) = run(&game, &limits, &with_rules(rules), &table);
        for (depth, _, score, line) in lines {
            let context = format!("{context}: depth {depth}: {score:?} {line:?}");
            match score {
                Score::Win(moves @ 1..=2) => {
                    assert!(wins_within(&position, 2 * moves, rules, &mut known), "{context}");
                }
                Score::Loss(moves @ 1..=2) => {
                    assert!(loses_within(&position, 2 * moves, rules, &mut known), "{context}");
                }
                _ => {}
            }
        }
    }
    assert!(won.iter().all(|&count| count > 50), "{won:?}");
}

/// Whole games at a few thousand nodes a move: who announces a win gets it, in the moves announced.
#[test]
fn announced_wins_are_kept() {
    let mut kept = 0;
    for seed in 0..30 {
        let mut random = Random(seed);
        let rules = *random.choose(&Rules::ALL);
        let table = small_table();
        let mut game = Game::default();
        for _ in 0..random.in_range(2..=8) {
            let moves = game.position().legal_moves(rules);
            if !moves.is_empty() {
                game.play(*random.choose(&moves));
            }
        }
        // The winner, and the moves that are left to it.
        let mut announced: Option<(Color, u32)> = None;
        for _ in 0..400 {
            let position = *game.position();
            let side = position.side_to_move();
            if let Some(outcome) = position.outcome(rules) {
                if let Some((winner, _)) = announced {
                    assert_eq!(outcome, Outcome::Win(winner), "seed {seed}: {position}");
                    kept += 1;
                }
                break;
            }
            let context = format!("seed {seed}: {position} under {rules}, {announced:?}");
            let limits = match announced {
                // Whoever has said that it wins is given the nodes to do so.
                Some((winner, left)) if winner == side => {
                    Limits { nodes: Some(1_000_000), ..mate(left) }
                }
                _ => Limits { nodes: Some(2000), ..Limits::default() },
            };
            let (result, lines) = run(&game, &limits, &with_rules(rules), &table);
            let score = lines.last().map_or(Score::Cp(0), |(_, _, score, _)| *score);
            announced = match (score, announced) {
                (Score::Win(moves), None) => Some((side, moves)),
                (Score::Loss(moves), None) => Some((!side, moves)),
                (Score::Win(moves), Some((winner, left))) => {
                    assert!(winner == side && moves <= left, "{context}: {result:?}");
                    Some((winner, moves))
                }
                (Score::Loss(moves), Some((winner, left))) => {
                    assert!(winner != side, "{context}: {result:?}");
                    Some((winner, moves.min(left)))
                }
                (Score::Cp(_), _) => {
                    let winner_fails = announced.is_some_and(|(winner, _)| winner == side);
                    assert!(!winner_fails, "{context}: the win is gone: {result:?}");
                    announced
                }
            };
            let best = result.best.unwrap_or_else(|| panic!("{context}: no move"));
            assert!(position.check(best, rules).is_ok(), "{context}: {best} is not legal");
            let mut played = best;
            if let Some((winner, left)) = &mut announced {
                if *winner == side {
                    assert!(*left > 0, "{context}: it should have won by now");
                    *left -= 1;
                } else if random.one_in(3) {
                    // Whatever the loser tries.
                    played = *random.choose(&position.legal_moves(rules));
                }
            }
            game.play(played);
        }
    }
    assert!(kept >= 20, "only {kept} games had a win to be kept");
}

/// A search that is broken off may know of some moves that they lose and of others nothing yet: the
/// position is not lost then.
#[test]
fn a_broken_off_search_does_not_give_up() {
    let rules = Rules::Assimilation;
    let position: Position =
        "xxxxx2/xooxxoo/xoooxoo/xxoo1oo/oxxxooo/oooxooo/1ooxooo x 2 50".parse().unwrap();
    let [loses, holds] = ["e4", "e5f7"].map(|text| position.parse_move(text, rules).unwrap());
    let mut known = Known::new();
    assert!(wins_within(&position.play(loses), 5, rules, &mut known));
    assert!(!wins_within(&position.play(holds), 5, rules, &mut known));
    for nodes in (100..5000).step_by(50) {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let result = run_fresh(&position, &limits, &with_rules(rules));
        assert!(!result.score.is_proven(), "{nodes} nodes: {result:?}");
    }
}

#[test]
fn a_soft_limit_of_nodes_lets_the_last_depth_be_completed() {
    let position = Position::default();
    for nodes in [1, 100, 5000, 20_000] {
        let soft = Limits { soft_nodes: Some(nodes), ..Limits::default() };
        let result = run_fresh(&position, &soft, &Settings::default());
        assert!(result.nodes >= nodes, "{nodes}: {result:?}");
        assert_eq!(run_fresh(&position, &depth(result.depth), &Settings::default()), result);
        if let shallower @ 1.. = result.depth - 1 {
            let result = run_fresh(&position, &depth(shallower), &Settings::default());
            assert!(result.nodes < nodes, "{nodes}: {result:?}");
        }
    }
}

#[test]
fn every_number_of_threads_is_right() {
    let mut checked = Checked::default();
    for seed in 0..80 {
        let mut random = Random(1000 + seed);
        let ending = random_ending(&mut random);
        let game = Game::new(ending);
        for rules in Rules::ALL {
            let Some(solution) = Solution::new(&[ending], rules, 10_000) else { continue };
            checked.count(solution.truth(&ending));
            for threads in [2 + seed as usize % 7, 8 - seed as usize % 8] {
                let table = small_table();
                let settings = Settings { threads, ..with_rules(rules) };
                let context = format!("seed {seed}: {threads} threads: {ending} under {rules}");
                for limits in [depth(6), mate(3)] {
                    let limits = Limits { nodes: Some(3000), ..limits };
                    let found = run(&game, &limits, &settings, &table);
                    check(&ending, &solution, &found, &context);
                    assert!(found.0.nodes <= 3000 && found.0.missing_threads == 0, "{context}");
                }
            }
        }
    }
    let Checked { wins, losses, draws, .. } = checked;
    assert!(wins > 20 && losses > 5 && draws > 0, "{checked:?}");
}

#[test]
fn the_same_search_gives_the_same_result() {
    let position: Position = "x3ooo/1xx3o/1x2oo1/1xx1oox/7/4ooo/1oo3o x 0 13".parse().unwrap();
    for rules in Rules::ALL {
        let settings = Settings { multi_pv: 2, ..with_rules(rules) };
        let limits = Limits { nodes: Some(10_000), ..Limits::default() };
        let game = Game::new(position);
        let once = || {
            // With a second search, which finds the table as the first has left it.
            let table = small_table();
            [&depth(5), &limits].map(|limits| run(&game, limits, &settings, &table))
        };
        assert_eq!(once(), once());
    }
}

#[test]
fn turned_boards_are_searched_as_well() {
    let mut random = Random(7);
    for _ in 0..10 {
        let ending = random_ending(&mut random);
        for rules in Rules::ALL {
            for symmetry in Symmetry::ALL {
                let image = symmetry.position(&ending);
                let result = run_fresh(&image, &mate(2), &with_rules(rules));
                let best = result.best.expect("a move");
                assert!(image.check(best, rules).is_ok(), "{best} in {image}");
                // Without pruning what is proven cannot depend on the order of the moves.
                let straight = run_fresh(&ending, &mate(2), &with_rules(rules));
                let proven = |score: Score| score.is_proven().then_some(score);
                assert_eq!(proven(result.score), proven(straight.score), "{image} {ending}");
            }
        }
    }
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let mut random = Random(11);
    for seed in 0..40 {
        let ending = random_ending(&mut random);
        let rules = *random.choose(&Rules::ALL);
        let Some(solution) = Solution::new(&[ending], rules, 10_000) else { continue };
        for mv in ending.legal_moves(rules) {
            let limits = Limits { search_moves: vec![mv], ..depth(4) };
            // A table that knows better moves must not bring them in.
            let table = small_table();
            run(&Game::new(ending), &depth(4), &with_rules(rules), &table);
            let (result, lines) = run(&Game::new(ending), &limits, &with_rules(rules), &table);
            assert_eq!(result.best, Some(mv), "{seed}: {ending}");
            assert!(lines.iter().all(|(.., line)| line[0] == mv), "{seed}: {ending}");
            // Its score is the move's, not the position's.
            let truth = before(solution.truth(&ending.play(mv)));
            assert!(may_be_right(result.score, truth), "{mv} in {ending}: {result:?} {truth:?}");
        }
    }
}

#[test]
fn there_is_a_move_however_little_may_be_searched() {
    let mut random = Random(13);
    let mut positions: Vec<Position> = (0..8).map(|_| random_ending(&mut random)).collect();
    positions.push(Position::default());
    for position in positions {
        for rules in Rules::ALL {
            for threads in [1, 3] {
                let settings = Settings { threads, ..with_rules(rules) };
                let game = Game::new(position);
                let table = small_table();
                // Told to stop before it begins, even an infinite search.
                for limits in [
                    Limits { infinite: true, ..Limits::default() },
                    depth(100),
                    mate(50),
                    Limits { nodes: Some(1), ..Limits::default() },
                ] {
                    let control = Control::new(Instant::now(), limits.mate.is_some());
                    control.stop();
                    let request = Request {
                        game: &game,
                        limits: &limits,
                        settings: &settings,
                        evaluation: &Evaluation::default(),
                    };
                    let result = search(&request, &table, &control, &mut |_| {});
                    let best = result.best.expect("a move");
                    assert!(position.check(best, rules).is_ok(), "{best} in {position}");
                }
                for nodes in 1..=20 {
                    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                    let result = run(&game, &limits, &settings, &table).0;
                    let best = result.best.expect("a move");
                    assert!(position.check(best, rules).is_ok(), "{best} in {position}");
                    assert!(result.nodes <= nodes, "{} of {nodes}", result.nodes);
                }
                let no_time = Some(Clock::default());
                for limits in [
                    Limits { move_time: Some(Duration::ZERO), ..Limits::default() },
                    Limits { clock: no_time, ..Limits::default() },
                ] {
                    let best = run(&game, &limits, &settings, &table).0.best.expect("a move");
                    assert!(position.check(best, rules).is_ok(), "{best} in {position}");
                }
            }
        }
    }
}

#[test]
fn a_search_that_saw_nothing_proves_nothing() {
    for nodes in 1..=10 {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let result = run_fresh(&Position::default(), &limits, &Settings::default());
        assert!(!result.score.is_proven(), "{result:?}");
    }
}

#[test]
fn a_finished_game_has_no_move_but_a_result() {
    for (fen, rules, score) in [
        ("7/7/7/7/4ooo/4ooo/4oox x 0 30", Rules::Assimilation, Score::Loss(0)),
        ("ooooooo/7/7/7/7/7/7 o 0 9", Rules::Ataxx, Score::Win(0)),
        ("x5o/7/7/7/7/7/o5x x 100 70", Rules::Ataxx, Score::Cp(0)),
        ("7/7/7/7/7/7/7 x 0 1", Rules::Assimilation, Score::Cp(0)),
    ] {
        let position = fen.parse().expect("a good FEN");
        let result = run_fresh(&position, &depth(5), &with_rules(rules));
        assert_eq!((result.best, result.score, result.nodes), (None, score, 0), "{fen}");
    }
}

#[test]
fn a_stop_from_another_thread_ends_an_infinite_search() {
    let game = Game::default();
    for (limits, ponder) in [
        (Limits::default(), false),
        (depth(1), true),
        // The depth is reached at once, but the answer has to wait.
        (Limits { infinite: true, ..depth(1) }, false),
    ] {
        let control = Control::new(Instant::now(), ponder);
        let table = small_table();
        let settings = Settings { threads: 2, ..Settings::default() };
        let request = Request {
            game: &game,
            limits: &limits,
            settings: &settings,
            evaluation: &Evaluation::default(),
        };
        let result = thread::scope(|scope| {
            let searching = scope.spawn(|| search(&request, &table, &control, &mut |_| {}));
            thread::sleep(Duration::from_millis(50));
            assert!(!searching.is_finished(), "{limits:?} should not have ended");
            control.stop();
            searching.join().expect("no panic")
        });
        assert!(result.best.is_some());
    }
}

/// Each side has a stone that jumps round a triangle, where nobody can follow it; white has five
/// stones more, walled in.
const CHASE: &str = "----1-o/-------/------1/---o---/x------/-----oo/1-1--oo x 0 1";

#[test]
fn what_repeats_is_drawn() {
    let position: Position = CHASE.parse().expect("a good FEN");
    for rules in Rules::ALL {
        let settings = with_rules(rules);
        let shallow = run_fresh(&position, &depth(1), &settings);
        assert!(matches!(shallow.score, Score::Cp(cp) if cp < 0), "black is behind: {shallow:?}");
        // There are 18 positions: by the 18th ply at the latest one has been there before.
        let result = run_fresh(&position, &depth(30), &settings);
        assert_eq!(result.score, Score::Cp(0), "{result:?}");
        // A search for a win takes no notice: no rule makes it a draw.
        let result = run_fresh(&position, &Limits { depth: Some(30), ..mate(20) }, &settings);
        assert!(matches!(result.score, Score::Cp(cp) if cp < 0), "{result:?}");
        // The side that is behind goes back to where it was, if it has a past.
        let mut game = Game::new(position);
        game.play_texts(["a3a1", "g7e7", "a1c1", "e7g7"], rules).expect("legal moves");
        let result = run(&game, &depth(1), &settings, &small_table()).0;
        assert_eq!(result.best.map(|mv| mv.to_string()).as_deref(), Some("c1a1"), "{result:?}");
        assert_eq!(result.score, Score::Cp(0));
    }
}
