//! The speed of evaluation and search: `cargo bench --bench search`.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use physarum::eval::{Evaluation, Evaluator};
use physarum::game::{Game, Position, Rules};
use physarum::search::{Control, Limits, Parameters, Request, Settings, Table, bench, search};

const MIDDLE_GAME: &str = "x3ooo/1xx3o/1x2oo1/1xx1oox/7/4ooo/1oo3o x 0 13";

fn evaluation(c: &mut Criterion) {
    let position: Position = MIDDLE_GAME.parse().expect("the position is right");
    let mut evaluator = Evaluator::default();
    c.bench_function("evaluate", |b| b.iter(|| evaluator.evaluate(black_box(&position))));
}

fn whole_searches(c: &mut Criterion) {
    let control = Control::new(Instant::now(), false);
    let nodes = bench(7, &Evaluation::default(), Parameters::default(), &control, &mut |_| {})
        .expect("16 MiB can be had")
        .nodes;
    let mut group = c.benchmark_group("search");
    group.sample_size(10);
    group.throughput(Throughput::Elements(nodes));
    group.bench_function("bench 7", |b| {
        b.iter(|| bench(7, &Evaluation::default(), Parameters::default(), &control, &mut |_| {}))
    });

    // With two threads, the work that gets done on one position in a fixed count of nodes.
    const NODES: u64 = 500_000;
    let game = Game::new(MIDDLE_GAME.parse().expect("the position is right"));
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    group.throughput(Throughput::Elements(NODES));
    for threads in [1, 2] {
        let settings = Settings { rules: Rules::Ataxx, threads, ..Settings::default() };
        group.bench_function(format!("{threads} threads"), |b| {
            b.iter(|| {
                let table = Table::new(16).expect("16 MiB can be had");
                let control = Control::new(Instant::now(), false);
                let request = Request {
                    game: &game,
                    limits: &limits,
                    settings: &settings,
                    evaluation: &Evaluation::default(),
                };
                search(&request, &table, &control, &mut |_| {})
            });
        });
    }
}

criterion_group!(benches, evaluation, whole_searches);
criterion_main!(benches);
