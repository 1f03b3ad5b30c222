//! One game against ourselves.

use super::openings::random_opening;
use super::{GameEnd, Recipe, Sample, SampleResult, StoredGame};
use crate::eval::Evaluation;
use crate::game::{Color, Game, Move, Outcome, Position, Rules};
use crate::random::Random;
use crate::search::{Control, Limits, Request, Score, SearchResult, Settings, Table, search};

/// No search visits more than this many times the positions that it should: a depth may take much
/// longer than the one before.
const HARD_LIMIT: u64 = 10;

/// An opening that is not balanced is replaced by another so many times.
const OPENING_TRIES: usize = 100;

/// Searches a position with about so many nodes, with what is in the table.
pub(crate) fn search_nodes(
    game: &Game,
    rules: Rules,
    nodes: u64,
    evaluation: &Evaluation,
    table: &Table,
    control: &Control,
) -> SearchResult {
    let limits = Limits {
        nodes: Some(nodes.saturating_mul(HARD_LIMIT)),
        soft_nodes: Some(nodes),
        ..Limits::default()
    };
    let settings = Settings { rules, ..Settings::default() };
    let request = Request { game, limits: &limits, settings: &settings, evaluation };
    search(&request, table, control, &mut |_| {})
}

/// Plays a game that depends on nothing but the recipe, the evaluation and its index.
///
/// The game has no samples if no balanced opening was found. `None` when `control` was stopped.
///
/// The table loses what is in it.
pub(super) fn play_game(
    recipe: &Recipe,
    index: u64,
    evaluation: &Evaluation,
    table: &mut Table,
    control: &Control,
) -> Option<StoredGame> {
    table.clear();
    let mut random = Random::of_game(recipe.seed, index);
    let rules = if random.chance(recipe.assimilation) { Rules::Assimilation } else { Rules::Ataxx };
    let gapped = random.chance(recipe.gaps);
    for _ in 0..OPENING_TRIES {
        let Some(game) = random_opening(&mut random, gapped, rules, recipe.opening_plies) else {
            continue;
        };
        match play_on(recipe, game, rules, evaluation, table, &mut random, control)? {
            Played::Unbalanced => {}
            Played::Ended { end, samples } => {
                return Some(StoredGame { source: 0, index, end, samples });
            }
        }
    }
    Some(StoredGame { source: 0, index, end: GameEnd::Rules, samples: Vec::new() })
}

enum Played {
    /// The first search found that one side is too far ahead.
    Unbalanced,
    Ended {
        end: GameEnd,
        samples: Vec<Sample>,
    },
}

/// Plays a game from its opening to its end.
fn play_on(
    recipe: &Recipe,
    mut game: Game,
    rules: Rules,
    evaluation: &Evaluation,
    table: &Table,
    random: &mut Random,
    control: &Control,
) -> Option<Played> {
    let mut scores: Vec<(Position, i16)> = Vec::new();
    let mut lead = Lead::default();
    let (end, outcome) = loop {
        let position = *game.position();
        if let Some(outcome) = position.outcome(rules) {
            break (GameEnd::Rules, outcome);
        }
        let times_before = |hash| game.earlier_hashes().iter().filter(|&&old| old == hash).count();
        if times_before(position.hash()) >= 2 {
            break (GameEnd::Repetition, Outcome::Draw);
        }
        if plies_played(&position) >= recipe.max_plies {
            break (GameEnd::Length, Outcome::Draw);
        }
        let side = position.side_to_move();
        if !position.can_move(side) {
            game.play(Move::PASS);
            continue;
        }
        let result = search_nodes(&game, rules, recipe.nodes, evaluation, table, control);
        if control.is_stopped() {
            return None;
        }
        let score = Sample::clamp_score(result.score);
        if scores.is_empty() && i32::from(score).abs() >= recipe.max_opening_score {
            return Some(Played::Unbalanced);
        }
        scores.push((position, score));
        match result.score {
            Score::Win(_) => break (GameEnd::Proof, Outcome::Win(side)),
            Score::Loss(_) => break (GameEnd::Proof, Outcome::Win(!side)),
            Score::Cp(cp) => {
                let plies = lead.grow(side, cp, recipe.decided_score);
                if let Some(leader) = lead.of
                    && recipe.decided_plies > 0
                    && plies >= recipe.decided_plies
                {
                    break (GameEnd::Decided, Outcome::Win(leader));
                }
            }
        }
        // A game that is not over has a best move.
        let mut mv = result.best?;
        if recipe.random_moves > 0.0 && random.chance(recipe.random_moves) {
            mv = *random.choose(&position.legal_moves(rules))?;
        }
        game.play(mv);
    };
    let samples = scores.into_iter().enumerate().map(|(index, (position, score))| Sample {
        position,
        rules,
        score,
        result: result_for(position.side_to_move(), outcome),
        starts_game: index == 0,
    });
    Some(Played::Ended { end, samples: samples.collect() })
}

/// For how many searches in a row one side has been far ahead.
#[derive(Default)]
struct Lead {
    of: Option<Color>,
    plies: u32,
}

impl Lead {
    /// Takes note of a score; returns for how many in a row a side is ahead now.
    fn grow(&mut self, side: Color, cp: i32, threshold: i32) -> u32 {
        let leader = if cp >= threshold {
            Some(side)
        } else if cp <= -threshold {
            Some(!side)
        } else {
            None
        };
        self.plies = if leader.is_none() {
            0
        } else if leader == self.of {
            self.plies + 1
        } else {
            1
        };
        self.of = leader;
        self.plies
    }
}

/// How many plies a game from the usual number 1 has taken.
fn plies_played(position: &Position) -> u32 {
    let moves = u32::from(position.fullmove_number().saturating_sub(1));
    2 * moves + u32::from(position.side_to_move() == Color::White)
}

fn result_for(side: Color, outcome: Outcome) -> SampleResult {
    match outcome {
        Outcome::Draw => SampleResult::Draw,
        Outcome::Win(winner) if winner == side => SampleResult::Win,
        Outcome::Win(_) => SampleResult::Loss,
    }
}
