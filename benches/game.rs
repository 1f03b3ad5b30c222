//! The speed of the rules: `cargo bench --bench game`.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use physarum::game::{Position, Rules, START_FEN, perft};

const MIDDLE_GAME: &str = "x3ooo/1xx3o/1x2oo1/1xx1oox/7/4ooo/1oo3o x 0 13";

fn position(fen: &str) -> Position {
    fen.parse().expect("the benchmarks' positions are right")
}

fn perft_from_the_start(c: &mut Criterion) {
    let start = position(START_FEN);
    let mut group = c.benchmark_group("perft");
    for (depth, nodes) in [(5, 4_752_668), (6, 141_865_520)] {
        assert_eq!(perft(&start, depth, Rules::Ataxx), nodes);
        group.throughput(Throughput::Elements(nodes));
        group.sample_size(10);
        group.bench_function(format!("start {depth}"), |b| {
            b.iter(|| perft(black_box(&start), depth, Rules::Ataxx));
        });
    }
}

fn moves_and_positions(c: &mut Criterion) {
    let position = position(MIDDLE_GAME);
    let moves = position.legal_moves(Rules::Ataxx);
    c.bench_function("legal_moves", |b| b.iter(|| black_box(&position).legal_moves(Rules::Ataxx)));
    let mut group = c.benchmark_group("play");
    group.throughput(Throughput::Elements(moves.len() as u64));
    group.bench_function("every move", |b| {
        b.iter(|| moves.iter().fold(0, |sum, &mv| sum ^ black_box(&position).play(mv).hash()));
    });
    group.finish();
    c.bench_function("outcome", |b| b.iter(|| black_box(&position).outcome(Rules::Ataxx)));
    c.bench_function("fen", |b| b.iter(|| black_box(MIDDLE_GAME).parse::<Position>()));
}

criterion_group!(benches, perft_from_the_start, moves_and_positions);
criterion_main!(benches);
