//! Data files and the games in them, through the library.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};

use common::games;
use physarum::eval::Evaluation;
use physarum::game::{Position, Rules};
use physarum::training::{
    DataError, DataReader, DataWriter, FileError, GameFault, Generation, Inconsistency, JobError,
    MergeOptions, PROVEN_SCORE, Progress, RearrangeError, Rearranged, Recipe, Rescore, Rescoring,
    Sample, SampleResult, Source, Statistics, StoredGame, check_game, generate, merge, rescore,
    shuffle,
};
use proptest::prelude::*;
use proptest::sample::select;
use tempfile::tempdir;

fn sample() -> impl Strategy<Value = Sample> {
    let score = prop_oneof![-PROVEN_SCORE..=PROVEN_SCORE, Just(PROVEN_SCORE), Just(-PROVEN_SCORE)];
    let result = select(SampleResult::ALL.to_vec());
    let rules = select(Rules::ALL.to_vec());
    (games::position(), rules, score, result, any::<bool>()).prop_map(
        |(position, rules, score, result, starts_game)| Sample {
            position,
            rules,
            score,
            result,
            starts_game,
        },
    )
}

/// Everything that a position has, clocks included, which its equality leaves out.
fn text(position: &Position) -> String {
    position.to_string()
}

proptest! {
    #![proptest_config(games::config(2000))]

    #[test]
    fn samples_survive_encoding(sample in sample()) {
        let decoded = Sample::decode(&sample.encode()).unwrap();
        prop_assert_eq!(decoded, sample);
        prop_assert_eq!(text(&decoded.position), text(&sample.position));
    }

    #[test]
    fn bytes_that_are_a_sample_are_those_of_that_sample(
        sample in sample(),
        changes in proptest::collection::vec((0..28usize, any::<u8>()), 0..4),
    ) {
        let mut bytes = sample.encode();
        for (place, byte) in changes {
            bytes[place] = byte;
        }
        if let Ok(sample) = Sample::decode(&bytes) {
            prop_assert_eq!(sample.encode(), bytes);
        }
    }
}

/// Few nodes, so that games are played quickly.
fn quick(seed: u64, positions: u64, threads: usize) -> Generation {
    let recipe =
        Recipe { seed, nodes: 40, hash: 1, gaps: 0.4, assimilation: 0.4, ..Recipe::default() };
    let source =
        Source::of_this_program(recipe, 3, &Evaluation::default()).expect("memory for a bench");
    Generation { source, evaluation: Evaluation::default(), positions, threads }
}

fn run(path: &Path, job: &Generation) -> Result<Progress, JobError> {
    generate(path, job, &AtomicBool::new(false), &mut |_| {})
}

fn read(path: &Path) -> Vec<StoredGame> {
    let mut reader = DataReader::open(path).expect("a data file");
    let mut games = Vec::new();
    while let Some(game) = reader.next_stored().expect("a good game") {
        games.push(game);
    }
    assert_eq!(reader.torn(), 0);
    games
}

/// What comes after the header, in which there is the time.
fn body(path: &Path) -> Vec<u8> {
    let start = DataReader::open(path).expect("a data file").offset();
    fs::read(path).expect("a file")[start as usize..].to_vec()
}

#[test]
fn games_depend_on_the_seed_and_not_on_threads() {
    let folder = tempdir().unwrap();
    let one = folder.path().join("one");
    let progress = run(&one, &quick(5, 2000, 1)).unwrap();
    let games = read(&one);
    assert_eq!(progress.games, games.len() as u64);
    assert_eq!(progress.positions, games.iter().map(|game| game.samples.len() as u64).sum::<u64>());
    assert!(progress.positions >= 2000);
    let all_but_last = &games[..games.len() - 1];
    assert!(all_but_last.iter().map(|game| game.samples.len()).sum::<usize>() < 2000);
    for threads in [2, 5] {
        let other = folder.path().join(threads.to_string());
        assert_eq!(run(&other, &quick(5, 2000, threads)).unwrap(), progress);
        assert_eq!(body(&other), body(&one), "{threads} threads");
    }
    let other_seed = folder.path().join("other seed");
    run(&other_seed, &quick(6, 200, 1)).unwrap();
    assert_ne!(read(&other_seed)[0].samples, games[0].samples);
}

#[test]
fn games_are_of_all_kinds_and_follow_the_rules() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("data");
    run(&path, &quick(1, 6000, 2)).unwrap();
    let games = read(&path);
    let mut kinds = std::collections::HashSet::new();
    for game in &games {
        let first = game.samples[0];
        kinds.insert((first.rules, first.position.gaps().is_empty()));
        assert!(first.score.abs() < 600);
        for (index, sample) in game.samples.iter().enumerate() {
            let position = &sample.position;
            assert_eq!(sample.starts_game, index == 0);
            assert_eq!((sample.rules, position.gaps()), (first.rules, first.position.gaps()));
            assert_eq!(position.outcome(sample.rules), None);
            assert!(position.can_move(position.side_to_move()));
            if sample.is_proven() {
                let won = sample.score > 0;
                assert_eq!(sample.result == SampleResult::Win, won);
                assert_eq!(sample.result == SampleResult::Loss, !won);
                assert_eq!(index + 1, game.samples.len());
            }
        }
    }
    assert_eq!(kinds.len(), 4, "{kinds:?}");
    let bytes = fs::metadata(&path).unwrap().len() as usize;
    assert!(bytes <= 32 * games.iter().map(|game| game.samples.len()).sum::<usize>());
}

#[test]
fn work_broken_off_goes_on_to_the_same_end() {
    let folder = tempdir().unwrap();
    let [whole, part] = ["whole", "part"].map(|name| folder.path().join(name));
    let job = quick(9, 1500, 2);
    run(&whole, &job).unwrap();
    let bytes = fs::read(&whole).unwrap();
    let header = DataReader::open(&whole).unwrap().offset() as usize;

    // The process is killed: the file ends anywhere.
    let step = (bytes.len() - header) / 12;
    let cuts = (header..bytes.len()).step_by(step).chain([header + 1, bytes.len() - 1]);
    for cut in cuts {
        fs::write(&part, &bytes[..cut]).unwrap();
        let progress = run(&part, &job).unwrap();
        assert!(progress.games_before < progress.games);
        assert_eq!(fs::read(&part).unwrap(), bytes, "cut at {cut}");
    }
    // Complete, there is nothing to be done.
    assert_eq!(run(&part, &job).unwrap().games_before, read(&whole).len() as u64);
    assert_eq!(fs::read(&part).unwrap(), bytes);

    // Told to stop, again and again.
    fs::remove_file(&part).unwrap();
    let mut rounds = 0;
    loop {
        let interrupted = AtomicBool::new(false);
        let progress = generate(&part, &job, &interrupted, &mut |progress| {
            interrupted.store(progress.games > progress.games_before + 3, Ordering::Relaxed);
        });
        rounds += 1;
        if progress.unwrap().positions >= 1500 {
            break;
        }
    }
    assert!(rounds > 2);
    assert_eq!(body(&part), body(&whole));

    // More positions: the games there remain.
    let progress = run(&part, &Generation { positions: 2500, ..job }).unwrap();
    assert!(progress.positions >= 2500);
    assert!(body(&part).starts_with(&body(&whole)));
}

#[test]
fn other_settings_and_other_files_are_refused() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("data");
    let job = quick(2, 300, 1);
    run(&path, &job).unwrap();
    let before = fs::read(&path).unwrap();
    let mut other = job.clone();
    other.source.recipe.nodes = 41;
    other.source.recipe.gaps = 0.5;
    let error = run(&path, &other).unwrap_err().to_string();
    assert!(error.contains("nodes was 40 and now is 41"), "{error}");
    assert!(error.contains("gaps was 0.4 and now is 0.5") && !error.contains("seed"), "{error}");

    let writer = DataWriter::resume(&path, &mut |_| {}).unwrap();
    let error = run(&path, &Generation { positions: 900, ..job.clone() }).unwrap_err();
    assert!(matches!(error, JobError::File(FileError { error: DataError::Busy, .. })), "{error}");
    drop(writer);
    assert_eq!(fs::read(&path).unwrap(), before);

    for (name, text) in [("empty", ""), ("text", "Call me Ishmael."), ("short", "\u{89}P")] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let error = run(&path, &job).unwrap_err();
        assert!(
            matches!(error, JobError::File(FileError { error: DataError::Foreign, .. })),
            "{error}"
        );
        assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
    }
    let error = run(folder.path(), &job).unwrap_err().to_string();
    assert!(error.ends_with(": it is not a regular file"), "{error}");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

#[test]
fn every_game_is_consistent_and_counted() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("data");
    run(&path, &quick(8, 3000, 2)).unwrap();
    let games = read(&path);
    let mut statistics = Statistics::default();
    for game in &games {
        assert_eq!(check_game(game, false), Ok(()), "{game:?}");
        statistics.add(game);
    }
    let positions = games.iter().map(|game| game.samples.len() as u64).sum::<u64>();
    assert_eq!((statistics.games, statistics.positions), (games.len() as u64, positions));
    assert_eq!(statistics.game_results.total(), statistics.games);
    assert_eq!(statistics.results.total(), positions);
    let sum = |counts: &mut dyn Iterator<Item = u64>| counts.sum::<u64>();
    assert_eq!(sum(&mut statistics.shares.iter().map(|share| share.games)), statistics.games);
    assert_eq!(sum(&mut statistics.shares.iter().map(|share| share.positions)), positions);
    assert_eq!(sum(&mut statistics.ends.iter().map(|end| end.games)), statistics.games);
    assert_eq!(sum(&mut statistics.scores.iter().map(|range| range.results.total())), positions);
    assert_eq!(sum(&mut statistics.empty.iter().map(|range| range.positions)), positions);
    // Who is far ahead wins, mostly; who has a proof wins always.
    let points = |from| {
        let range = statistics.scores.iter().find(|range| range.from == from).unwrap();
        range.results.points().unwrap()
    };
    assert!(points(Some(1500)) > 0.8 && points(None) == 1.0, "{statistics:?}");
    // A game that leaves out a position does not hold together.
    let mut game = games.into_iter().find(|game| game.samples.len() > 9).unwrap();
    game.samples.remove(4);
    assert_eq!(check_game(&game, false), Err(Inconsistency::Unreachable(5)));
}

/// Two files with games of different seeds, and one with games of both.
fn files_to_merge(folder: &Path) -> [PathBuf; 3] {
    let paths = ["a", "b", "both"].map(|name| folder.join(name));
    run(&paths[0], &quick(1, 800, 1)).unwrap();
    run(&paths[1], &quick(2, 500, 1)).unwrap();
    let done = merge_files(&paths[..2], &paths[2]).unwrap();
    assert_eq!((done.duplicates, done.damaged), (0, 0));
    paths
}

fn merge_files(inputs: &[PathBuf], out: &Path) -> Result<Rearranged, RearrangeError> {
    merge(inputs, out, MergeOptions::default(), &AtomicBool::new(false))
}

/// Games without the number of their source.
fn without_source(games: Vec<StoredGame>) -> Vec<StoredGame> {
    games.into_iter().map(|game| StoredGame { source: 0, ..game }).collect()
}

#[test]
fn merged_files_have_all_games_once() {
    let folder = tempdir().unwrap();
    let [a, b, both] = files_to_merge(folder.path());
    let merged = read(&both);
    let parts = [read(&a), read(&b)].concat();
    assert_eq!(without_source(merged.clone()), parts);
    let seeds = |path: &Path| -> Vec<u64> {
        let reader = DataReader::open(path).unwrap();
        reader.header().sources.iter().map(|source| source.recipe.seed).collect()
    };
    assert_eq!(seeds(&both), [1, 2]);
    assert_eq!(merged.iter().filter(|game| game.source == 1).count(), read(&b).len());

    // Each game may come once.
    let again = folder.path().join("again");
    let error = merge_files(&[both.clone(), b.clone()], &again).unwrap_err();
    let offset = DataReader::open(&b).unwrap().offset();
    let expected = format!(
        "{}: the game at byte {offset} came before: number {} of seed 2",
        b.display(),
        parts[read(&a).len()].index
    );
    assert_eq!(error.to_string(), expected);
    assert!(!again.exists() && !folder.path().join("again.tmp").exists());
    let skip = MergeOptions { skip_duplicates: true, ..MergeOptions::default() };
    let go_on = AtomicBool::new(false);
    let done = merge(&[b.clone(), both.clone(), a.clone()], &again, skip, &go_on).unwrap();
    assert_eq!(done.games as usize, parts.len());
    assert_eq!(done.duplicates as usize, parts.len());
    assert_eq!(seeds(&again), [2, 1]);

    // Nothing is replaced, and nothing begun stays.
    let before = fs::read(&again).unwrap();
    let error = merge_files(&[a.clone(), b.clone()], &again).unwrap_err().to_string();
    assert!(error.ends_with("is not replaced"), "{error}");
    assert_eq!(fs::read(&again).unwrap(), before);
    let new = folder.path().join("new");
    let stopped = merge(&[a, b], &new, skip, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(RearrangeError::Interrupted)));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

#[test]
fn good_games_of_damaged_files_can_be_saved() {
    let folder = tempdir().unwrap();
    let [path, new] = ["data", "new"].map(|name| folder.path().join(name));
    let games = small_file(&path);
    let mut bytes = fs::read(&path).unwrap();
    let first = DataReader::open(&path).unwrap().offset() as usize;
    bytes[first + 2] ^= 1;
    bytes.truncate(bytes.len() - 3);
    fs::write(&path, &bytes).unwrap();
    let error = merge_files(slice::from_ref(&path), &new).unwrap_err().to_string();
    let words = format!("{}: the game at byte {first} is damaged", path.display());
    assert!(error.starts_with(&words), "{error}");
    assert!(!new.exists());
    let salvage = MergeOptions { salvage: true, ..MergeOptions::default() };
    let done = merge(slice::from_ref(&path), &new, salvage, &AtomicBool::new(false)).unwrap();
    assert_eq!((done.damaged, done.games as usize), (1, games.len() - 2));
    assert_eq!(read(&new), games[1..games.len() - 1]);
    // A file that was salvaged is one to go on with.
    DataWriter::resume(&new, &mut |_| {}).unwrap();
}

#[test]
fn shuffled_files_have_the_same_games_in_an_order_of_the_seed() {
    let folder = tempdir().unwrap();
    let [_, _, both] = files_to_merge(folder.path());
    let shuffled = |seed: u64, name: &str| {
        let path = folder.path().join(name);
        let done = shuffle(&both, &path, seed, &AtomicBool::new(false)).unwrap();
        let games = read(&path);
        assert_eq!(done.games, games.len() as u64);
        assert_eq!(DataReader::open(&path).unwrap().header().shuffles, [seed]);
        games
    };
    let games = read(&both);
    let orders = [shuffled(1, "one"), shuffled(2, "two")];
    assert_eq!(orders[0], shuffled(1, "one again"));
    assert_ne!(orders[0], orders[1]);
    for mut order in orders {
        assert_ne!(order, games);
        order.sort_by_key(|game| (game.source, game.index));
        assert_eq!(order, games);
    }
    // Such a file cannot be gone on with: it would not be the work of one command any more.
    let error = run(&folder.path().join("one"), &quick(1, 10_000, 1)).unwrap_err();
    assert!(matches!(error, JobError::Different { .. }), "{error}");
}

#[test]
fn scores_can_be_replaced_and_that_can_be_gone_on_with() {
    let folder = tempdir().unwrap();
    let [_, _, both] = files_to_merge(folder.path());
    let job = |nodes, threads| Rescoring {
        rescore: Rescore::by_this_program(nodes, &Evaluation::default()).unwrap(),
        evaluation: Evaluation::default(),
        hash: 1,
        threads,
    };
    let never = AtomicBool::new(false);
    let run = |path: &Path, job: &Rescoring| rescore(&both, path, job, &never, &mut |_, _| {});
    let [whole, part] = ["whole", "part"].map(|name| folder.path().join(name));
    let (progress, total) = run(&whole, &job(200, 1)).unwrap();
    assert_eq!(progress.positions, total);
    let (old, new) = (read(&both), read(&whole));
    let mut changed = 0;
    for (old, new) in old.iter().zip(&new) {
        assert_eq!(check_game(new, true), Ok(()));
        assert_eq!((old.source, old.index, old.end), (new.source, new.index, new.end));
        assert_eq!(old.samples.len(), new.samples.len());
        for (old, new) in old.samples.iter().zip(&new.samples) {
            assert_eq!(Sample { score: 0, ..*old }, Sample { score: 0, ..*new });
            changed += u64::from(old.score != new.score);
        }
    }
    assert_eq!(old.len(), new.len());
    assert!(changed > total / 2, "{changed} of {total}");
    let header = DataReader::open(&whole).unwrap().header().clone();
    assert!(header.sources.iter().all(|source| source.rescores[0].nodes == 200));

    // Killed, stopped, and with more threads.
    let bytes = fs::read(&whole).unwrap();
    for cut in [bytes.len() - 1, bytes.len() / 2, bytes.len() - body(&whole).len()] {
        fs::write(&part, &bytes[..cut]).unwrap();
        run(&part, &job(200, 3)).unwrap();
        assert_eq!(fs::read(&part).unwrap(), bytes);
    }
    fs::remove_file(&part).unwrap();
    let stop = AtomicBool::new(false);
    let mut rounds = 0;
    loop {
        stop.store(false, Ordering::Relaxed);
        let done = rescore(&both, &part, &job(200, 2), &stop, &mut |progress, _| {
            stop.store(progress.games > progress.games_before + 4, Ordering::Relaxed);
        });
        rounds += 1;
        let (progress, total) = done.unwrap();
        if progress.positions == total {
            break;
        }
    }
    assert!(rounds > 1);
    assert_eq!(body(&part), body(&whole));

    let error = run(&whole, &job(300, 1)).unwrap_err();
    assert!(matches!(error, JobError::Different { .. }), "{error}");
    assert!(matches!(run(&both, &job(300, 1)).unwrap_err(), JobError::Different { .. }));
    assert_eq!(fs::read(&whole).unwrap(), bytes);
}

/// A small file with some games of a few positions.
fn small_file(path: &Path) -> Vec<StoredGame> {
    let source_path = path.with_extension("source");
    run(&source_path, &quick(4, 150, 1)).unwrap();
    let header = DataReader::open(&source_path).unwrap().header().clone();
    let mut games = read(&source_path);
    fs::remove_file(&source_path).unwrap();
    let mut writer = DataWriter::create(path, header).unwrap();
    for (index, game) in games.iter_mut().enumerate() {
        game.samples.truncate(2 + index);
        writer.append(game).unwrap();
    }
    games
}

/// All that can be read, and the errors on the way.
fn read_damaged(bytes: &[u8]) -> Result<(Vec<StoredGame>, Vec<DataError>, u64), DataError> {
    let mut reader = DataReader::new(bytes)?;
    let (mut games, mut errors) = (Vec::new(), Vec::new());
    loop {
        match reader.next_stored() {
            Ok(Some(game)) => games.push(game),
            Ok(None) => return Ok((games, errors, reader.torn())),
            Err(error) => errors.push(error),
        }
    }
}

#[test]
fn no_damage_goes_unnoticed() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("data");
    let games = small_file(&path);
    let bytes = fs::read(&path).unwrap();
    let header = DataReader::open(&path).unwrap().offset() as usize;
    assert!(games.len() >= 2 && bytes.len() < 2000, "{} {}", games.len(), bytes.len());
    for place in 0..bytes.len() {
        for change in [1, 0x10, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[place] ^= change;
            match read_damaged(&bytes) {
                Err(_) => assert!(place < header),
                Ok((read, errors, torn)) => {
                    assert!(place >= header, "{place}");
                    // The damaged game is lost, and no other.
                    assert_eq!((errors.len(), torn), (1, 0), "byte {place}: {errors:?}");
                    assert_eq!(read.len(), games.len() - 1, "byte {place}");
                    assert!(read.iter().all(|game| games.contains(game)));
                }
            }
        }
    }
    for length in 0..bytes.len() {
        match read_damaged(&bytes[..length]) {
            Err(_) => assert!(length < header),
            Ok((read, errors, torn)) => {
                assert!(errors.is_empty() && games.starts_with(&read));
                let good = length - torn as usize;
                assert!(matches!(read_damaged(&bytes[..good]), Ok((same, _, 0)) if same == read));
            }
        }
    }
}

#[test]
fn damage_is_told_with_its_place_and_changes_nothing() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("data");
    small_file(&path);
    let good = fs::read(&path).unwrap();
    let header = DataReader::open(&path).unwrap().offset();
    for (place, fault) in [(0, GameFault::Header), (30, GameFault::Checksum)] {
        let mut bytes = good.clone();
        bytes[header as usize + place] ^= 4;
        fs::write(&path, &bytes).unwrap();
        match DataWriter::resume(&path, &mut |_| {}).unwrap_err() {
            DataError::Game { offset, fault: found } => {
                assert_eq!((offset, found), (header, fault))
            }
            error => panic!("{error}"),
        }
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    let mut bytes = good.clone();
    bytes[8] = 9;
    assert_eq!(
        DataReader::new(&bytes[..]).unwrap_err().to_string(),
        "its format is version 9, and this program knows none later than 1"
    );
    bytes = good.clone();
    bytes[header as usize - 1] ^= 1;
    assert!(matches!(DataReader::new(&bytes[..]), Err(DataError::DamagedHeader)));
    bytes[15] = 0xff;
    assert!(matches!(DataReader::new(&bytes[..]), Err(DataError::LongHeader)));
    // A source that the header does not have, with checksums that are right.
    let mut writer = {
        fs::write(&path, &good).unwrap();
        DataWriter::resume(&path, &mut |_| {}).unwrap()
    };
    let mut game = read(&path).remove(0);
    game.source = 1;
    writer.append(&game).unwrap();
    let (_, errors, _) = read_damaged(&fs::read(&path).unwrap()).unwrap();
    let fault = GameFault::Source(1);
    assert!(
        matches!(errors[..], [DataError::Game { offset, fault: found }]
            if offset == good.len() as u64 && found == fault),
        "{errors:?}"
    );
}

#[test]
fn files_appear_when_they_are_complete_and_replace_nothing() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("data");
    small_file(&path);
    let header = DataReader::open(&path).unwrap().header().clone();
    let before = fs::read(&path).unwrap();
    assert!(matches!(DataWriter::create(&path, header.clone()), Err(DataError::Exists)));
    assert_eq!(fs::read(&path).unwrap(), before);

    let new = folder.path().join("new");
    let names = || fs::read_dir(folder.path()).unwrap().count();
    let writer = DataWriter::begin(&new, header.clone()).unwrap();
    assert!(!new.exists());
    assert_eq!(names(), 2);
    assert!(matches!(DataWriter::begin(&new, header.clone()), Err(DataError::Busy)));
    drop(writer);
    assert_eq!(names(), 1);
    let mut writer = DataWriter::begin(&new, header).unwrap();
    writer.publish().unwrap();
    writer.publish().unwrap();
    drop(writer);
    assert_eq!((names(), read(&new).len()), (2, 0));
}
