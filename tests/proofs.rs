//! What a search calls won or lost is so: every `mate N` that it claims in hundreds of endings from
//! random play is checked by trying everything, and won against the best defence.

#[path = "common/forced.rs"]
mod forced;
#[path = "common/random.rs"]
mod random;

use std::time::Instant;

use forced::Prover;
use physarum::eval::Evaluation;
use physarum::game::{Bitboard, Color, Game, Move, Outcome, Position, Rules, Square, Symmetry};
use physarum::search::{
    Control, Limits, ParameterSetting, Parameters, Report, Request, Score, SearchResult, Settings,
    Table, search,
};
use random::Random;

/// A line that a search has told of, or its result: its number among the best, its score and its
/// move.
type Claim = (usize, Score, Option<Move>);

/// The states that may be looked at to check one claim.
const EFFORT: usize = 400_000;

fn run(game: &Game, nodes: u64, settings: &Settings, table: &Table) -> (SearchResult, Vec<Claim>) {
    let mut claims = Vec::new();
    let mut report = |report: &Report<'_>| {
        claims.push((report.multi_pv, report.score, report.line.first().copied()));
    };
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let result = search(
        &Request { game, limits: &limits, settings, evaluation: &Evaluation::default() },
        table,
        &Control::new(Instant::now(), false),
        &mut report,
    );
    claims.push((1, result.score, result.best));
    claims.dedup();
    (result, claims)
}

fn small_table() -> Table {
    Table::new(1).expect("a MiB of memory")
}

/// All that the search can leave out or look at less closely, whether that is the default or not.
fn all_parameters() -> Parameters {
    let mut parameters = Parameters::default();
    for (name, value) in [
        ("probcut_depth", 5),
        ("singular_depth", 5),
        ("quiet_jumps", 2),
        ("lmr_cut", 100),
        ("correction_weight", 100),
        ("aspiration_shrink", 1),
        ("lmp_improving", 1),
        ("futility_depth", 6),
        // Near the end too, where the proofs are.
        ("pruning_empty", 2),
        ("null_empty", 4),
    ] {
        parameters.set(name, value).expect("there is such a parameter");
    }
    parameters
}

/// The start of a game, on a board with gaps more often than not.
fn start(random: &mut Random) -> Position {
    let start = Position::default();
    let stones = Color::ALL.map(|color| start.stones(color));
    let symmetry = *random.choose(&Symmetry::ALL);
    let mut gaps = Bitboard::EMPTY;
    for _ in 0..random.below(12) {
        let square = Square::from_index(random.below(Square::COUNT)).expect("it is on the board");
        gaps |= Bitboard::from(square) | symmetry.square(square).into();
    }
    Position::new(stones, gaps.without(stones[0] | stones[1]), Color::Black, 0, 1)
}

/// A game played at random until few squares are empty, which is not over yet.
fn ending(random: &mut Random, rules: Rules) -> Game {
    loop {
        let mut game = Game::new(start(random));
        let left = random.in_range(2..=8) as u32;
        // Lovers of clones leave no past, others have jumped about in the ending.
        let clones_only = random.one_in(2);
        let mut jumps = if random.one_in(3) { random.in_range(2..=12) } else { 0 };
        for _ in 0..500 {
            let position = *game.position();
            let mut moves = position.legal_moves(rules).to_vec();
            if position.empty().len() <= left {
                moves.retain(|mv| mv.from().is_some());
                if jumps == 0 {
                    break;
                }
                jumps -= 1;
            } else if clones_only && moves.iter().any(|mv| mv.from().is_none()) {
                moves.retain(|mv| mv.from().is_none());
            }
            if moves.is_empty() {
                break;
            }
            game.play(*random.choose(&moves));
        }
        let position = game.position();
        if position.outcome(rules).is_some() || position.empty().len() > left {
            continue;
        }
        if rules == Rules::Ataxx && random.one_in(4) {
            // What is won else may come too late.
            let stones = Color::ALL.map(|color| position.stones(color));
            let (side, clock) = (position.side_to_move(), random.in_range(85..=99) as u16);
            return Game::new(Position::new(stones, position.gaps(), side, clock, 60));
        }
        return game;
    }
}

/// What has been checked: a test that checks nothing must not pass.
#[derive(Debug, Default)]
struct Checked {
    wins: usize,
    losses: usize,
    /// Claims that something comes in more than two moves.
    long: usize,
    /// Claims about other lines than the first.
    others: usize,
    too_hard: usize,
    played_out: usize,
}

impl Checked {
    /// Checks what a search has claimed.
    #[track_caller]
    fn check(&mut self, prover: &mut Prover, position: &Position, claims: &[Claim], context: &str) {
        for &(number, score, mv) in claims {
            let Some(mv) = mv else { panic!("{context}: no move") };
            let child = position.play(mv);
            let claim = format!("{context}: line {number}: {mv} {score:?}");
            // A win in so many moves takes twice as many plies at most: the last may be the loser's.
            let truth = match score {
                Score::Cp(_) => continue,
                Score::Win(0) | Score::Loss(0) => panic!("{claim}: the game is not over"),
                Score::Win(moves) => {
                    self.wins += 1;
                    prover.loss(&child, 2 * moves - 1, EFFORT)
                }
                Score::Loss(moves) if number == 1 => {
                    self.losses += 1;
                    prover.loss(position, 2 * moves, EFFORT)
                }
                Score::Loss(moves) => prover.win(&child, 2 * moves - 1, EFFORT),
            };
            let (Score::Win(moves) | Score::Loss(moves)) = score else { continue };
            match truth {
                Ok(Some(_)) => {
                    self.long += usize::from(moves > 2);
                    self.others += usize::from(number > 1);
                }
                Ok(None) => panic!("{claim}: it is not true"),
                Err(_) => self.too_hard += 1,
            }
        }
    }

    /// Lets the engine win what it says that it wins in so many moves, against a defence that holds
    /// out as long as can be.
    #[track_caller]
    fn play_out(
        &mut self,
        prover: &mut Prover,
        game: &Game,
        claimed: u32,
        settings: &Settings,
        mut table: Option<Table>,
        context: &str,
    ) {
        let (rules, mut game, mut left) = (settings.rules, game.clone(), claimed);
        let winner = game.position().side_to_move();
        let context = format!("{context}: won in {claimed}, table kept: {}", table.is_some());
        loop {
            let position = *game.position();
            if let Some(outcome) = position.outcome(rules) {
                assert_eq!(outcome, Outcome::Win(winner), "{context}: {position}");
                self.played_out += 1;
                return;
            }
            if position.side_to_move() == winner {
                assert!(left > 0, "{context}: {position}: it should have won by now");
                // The claim may have come from more nodes than are left for this move.
                let found = (0..4).find_map(|effort| {
                    let fresh = small_table();
                    let table = table.as_ref().unwrap_or(&fresh);
                    let (result, _) = run(&game, 4000 << (3 * effort), settings, table);
                    matches!(result.score, Score::Win(moves) if moves <= left).then_some(result)
                });
                let Some(best) = found.and_then(|result| result.best) else {
                    panic!("{context}: {position}: the win in {left} is gone")
                };
                game.play(best);
                left -= 1;
            } else {
                let holds_out = |mv: &Move| {
                    let truth = prover.win(&position.play(*mv), 2 * left, EFFORT);
                    truth.map(|plies| plies.unwrap_or(u32::MAX)).unwrap_or(0)
                };
                let moves = position.legal_moves(rules);
                let best = moves.into_iter().max_by_key(holds_out).expect("the game is not over");
                game.play(best);
                if let Some(table) = &mut table
                    && left % 2 == 0
                {
                    // Others may have used the table meanwhile.
                    run(&game, 100, &Settings { multi_pv: 3, ..*settings }, table);
                }
            }
        }
    }
}

/// Checks what is claimed in 250 endings with each rule set.
fn check_endings(parameters: Parameters) {
    let mut checked = Checked::default();
    let shared_table = small_table();
    for seed in 0..500 {
        let mut random = Random(seed);
        let rules = Rules::ALL[seed as usize % 3];
        let game = ending(&mut random, rules);
        let position = *game.position();
        let mut prover = Prover::new(&position, rules);
        let context = format!("seed {seed}: {position} under {rules}");
        let settings = Settings { rules, parameters, ..Settings::default() };

        // One line as in games, then several, with what the first search has left in the table and
        // with what all have.
        let nodes = random.in_range(500..=4000) as u64;
        let table = small_table();
        let (result, claims) = run(&game, nodes, &settings, &table);
        checked.check(&mut prover, &position, &claims, &context);
        let several = Settings { multi_pv: random.in_range(2..=5), ..settings };
        for table in [&table, &shared_table] {
            let (_, claims) = run(&game, nodes, &several, table);
            checked.check(&mut prover, &position, &claims, &context);
        }
        // Broken off anywhere.
        for _ in 0..4 {
            let nodes = random.in_range(2..=600) as u64;
            let settings = if random.one_in(2) { several } else { settings };
            let (_, claims) = run(&game, nodes, &settings, &small_table());
            let context = format!("{context}, {nodes} nodes");
            checked.check(&mut prover, &position, &claims, &context);
        }
        if let Score::Win(moves) = result.score {
            for table in [None, Some(table)] {
                checked.play_out(&mut prover, &game, moves, &settings, table, &context);
            }
        }
    }
    let Checked { wins, losses, long, others, too_hard, played_out } = checked;
    assert!(wins > 1000 && losses > 400 && long > 300 && others > 1000, "{checked:?}");
    assert!(played_out > 80 && too_hard < 20, "{checked:?}");
}

#[test]
fn what_is_claimed_in_endings_is_true() {
    check_endings(Parameters::default());
}

#[test]
fn what_is_claimed_in_endings_is_true_with_all_pruning() {
    check_endings(all_parameters());
}

/// A search that may visit more nodes goes on where one that may visit fewer was broken off: what
/// is won for the one must be won for the other, wherever that is broken off in its turn.
#[test]
fn a_win_is_not_lost_again() {
    let mut won = 0;
    for seed in 0..400 {
        let mut random = Random(seed);
        let rules = Rules::ALL[seed as usize % 3];
        let game = ending(&mut random, rules);
        let position = game.position();
        if !matches!(Prover::new(position, rules).win(position, 5, 2000), Ok(Some(2..))) {
            continue;
        }
        let multi_pv = random.in_range(1..=2);
        let parameters = if random.one_in(2) { Parameters::default() } else { all_parameters() };
        let settings = Settings { rules, multi_pv, parameters, ..Settings::default() };
        let mut earlier = None;
        let mut nodes = 5;
        while nodes < 3000 {
            let (result, _) = run(&game, nodes, &settings, &small_table());
            let context = format!("seed {seed}: {} under {rules}, {nodes} nodes", position);
            match (earlier, result.score) {
                (_, Score::Win(moves)) => earlier = Some((nodes, moves)),
                (Some((before, moves)), score) => panic!(
                    "{context}, {multi_pv} lines: {score:?}, but with {before} it was won in {moves}"
                ),
                _ => {}
            }
            nodes += 1 + nodes / 10;
        }
        won += usize::from(earlier.is_some());
    }
    assert!(won > 30, "{won}");
}

/// Positions of `tests/data/searches.tsv`, in each of which a search goes wrong that has a certain
/// fault: the position, the rules, a limit, parameters, what must be found, and why it is there.
#[test]
fn positions_where_searches_went_wrong() {
    let table = include_str!("data/searches.tsv");
    let rows = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut count = 0;
    for row in rows {
        let fields: Vec<&str> = row.split('\t').collect();
        let [fen, rules, nodes, changes, expected, why] = fields[..] else {
            panic!("six fields are expected: {row}")
        };
        let position: Position = fen.parse().expect("a good FEN");
        let rules: Rules = rules.parse().expect("a rule set");
        let mut parameters = Parameters::default();
        for change in changes.split(',').filter(|change| !change.is_empty()) {
            change.parse::<ParameterSetting>().expect("a parameter").apply(&mut parameters);
        }
        let settings = Settings { rules, parameters, ..Settings::default() };
        let nodes = nodes.parse().expect("a number");
        let (result, claims) = run(&Game::new(position), nodes, &settings, &small_table());
        let context = format!("{why}: {position} under {rules}");
        let mut prover = Prover::new(&position, rules);
        Checked::default().check(&mut prover, &position, &claims, &context);
        let found = match (expected.split_once(' '), result.score) {
            (None, _) => expected == "sound",
            (Some(("win", most)), Score::Win(moves)) => {
                most.parse::<u32>().is_ok_and(|most| moves <= most)
            }
            (Some(("loss", most)), Score::Loss(moves)) => {
                most.parse::<u32>().is_ok_and(|most| moves <= most)
            }
            _ => false,
        };
        assert!(found, "{context}: {expected}, not {result:?}");
        count += 1;
    }
    assert!(count >= 6, "{count}");
}
