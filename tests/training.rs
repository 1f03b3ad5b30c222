//! Data files and the games in them, through the library.

mod common;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use common::games;
use physarum::game::{Position, Rules};
use physarum::training::{
    DataError, DataReader, DataWriter, GameFault, GenerateError, Generation, PROVEN_SCORE,
    Progress, Recipe, Sample, SampleResult, Source, StoredGame, generate,
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
    let source = Source::of_this_program(recipe, 3).expect("memory for a bench");
    Generation { source, positions, threads }
}

fn run(path: &Path, job: &Generation) -> Result<Progress, GenerateError> {
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
    assert!(matches!(error, GenerateError::Data(DataError::Busy)), "{error}");
    drop(writer);
    assert_eq!(fs::read(&path).unwrap(), before);

    for (name, text) in [("empty", ""), ("text", "Call me Ishmael."), ("short", "\u{89}P")] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let error = run(&path, &job).unwrap_err();
        assert!(matches!(error, GenerateError::Data(DataError::Foreign)), "{error}");
        assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
    }
    let error = run(folder.path(), &job).unwrap_err().to_string();
    assert_eq!(error, "it is not a regular file");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 4, "{left:?}");
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
    assert!(matches!(DataWriter::create(&path, header.clone()), Err(DataError::Io(_))));
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
