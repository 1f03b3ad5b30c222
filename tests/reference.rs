//! Move counts and outcomes of the reference tables.

use physarum::game::{Outcome, Position, Rules, perft};

const PERFT: &str = include_str!("data/perft.tsv");
const OUTCOMES: &str = include_str!("data/outcomes.tsv");

/// The table's rows, without comments.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

/// The rows of the perft table: rules, position and the counts from depth 1.
fn perft_rows() -> Vec<(Rules, Position, Vec<u64>)> {
    let read = |row: Vec<&str>| {
        let counts: Vec<u64> = row[2..].iter().map(|count| count.parse().unwrap()).collect();
        assert_eq!(counts.len(), 5);
        (row[0].parse().unwrap(), row[1].parse().unwrap(), counts)
    };
    let rows: Vec<_> = rows(PERFT).map(read).collect();
    assert_eq!(rows.len(), 106);
    rows
}

#[test]
fn perft_is_right() {
    for (rules, position, counts) in perft_rows() {
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(&position, depth, rules), count, "{rules} {position} depth {depth}");
        }
    }
}

#[test]
fn perft_is_right_six_plies_from_the_start() {
    let start = Position::default();
    assert_eq!(start.to_string(), "x5o/7/7/7/7/7/o5x x 0 1");
    for rules in Rules::ALL {
        assert_eq!(perft(&start, 6, rules), 141_865_520, "{rules}");
    }
}

#[test]
fn perft_is_what_playing_every_move_counts() {
    fn recount(position: &Position, depth: u32, rules: Rules) -> u64 {
        let moves = position.legal_moves(rules);
        assert_eq!(position.count_legal_moves(rules), moves.len(), "{rules} {position}");
        match depth {
            0 => 1,
            _ => moves.iter().map(|&mv| recount(&position.play(mv), depth - 1, rules)).sum(),
        }
    }
    for (rules, position, _) in perft_rows() {
        for depth in 0..=3 {
            let count = recount(&position, depth, rules);
            assert_eq!(perft(&position, depth, rules), count, "{rules} {position} depth {depth}");
        }
    }
}

#[test]
fn outcomes_and_moves_are_right() {
    let outcome = |outcome: Option<Outcome>| outcome.map_or("ongoing".into(), |o| o.to_string());
    let mut count = 0;
    for row in rows(OUTCOMES) {
        let position: Position = row[0].parse().unwrap();
        for (i, rules) in [Rules::Assimilation, Rules::Ataxx].into_iter().enumerate() {
            assert_eq!(outcome(position.outcome(rules)), row[1 + i], "{rules} {position}");
            // The table names a move that is the only one.
            let moves = match position.legal_moves(rules).as_slice() {
                [only] => only.to_string(),
                moves => moves.len().to_string(),
            };
            assert_eq!(moves, row[3 + i], "{rules} {position}");
        }
        count += 1;
    }
    assert_eq!(count, 22);
}
