//! Game records: random games there and back, and files of other programs.

mod common;

use std::time::Duration;

use common::games::{RandomGame, config, game};
use physarum::game::{Color, Move, Outcome, Rules};
use physarum::record::{
    Comment, GameRecord, GameResult, PgnReader, PgnWriter, RecordedScore, Tags,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

fn comment() -> impl Strategy<Value = Comment> {
    let score = prop_oneof![
        any::<i32>().prop_map(RecordedScore::Cp),
        any::<u32>().prop_map(RecordedScore::Win),
        any::<u32>().prop_map(RecordedScore::Loss),
    ];
    let time = any::<u64>().prop_map(Duration::from_millis);
    let text =
        prop_oneof![Just(String::new()), any::<String>(), "(\\[Event |%|;|[a-z]+|1-0| ){0,30}"];
    (option::of(score), option::of(0..=u32::MAX), option::of(time), text).prop_map(
        |(score, depth, time, text)| {
            let mut comment = Comment::default().with_text(&text);
            comment = score.map_or(comment.clone(), |score| comment.with_score(score));
            comment = depth.map_or(comment.clone(), |depth| comment.with_depth(depth));
            time.map_or(comment.clone(), |time| comment.with_time(time))
        },
    )
}

fn tags() -> impl Strategy<Value = Tags> {
    let name = prop_oneof![
        select(vec!["Event", "Site", "Date", "Round", "Black", "White", "PlyCount"])
            .prop_map(str::to_owned),
        "[A-Za-z0-9_]{1,10}",
    ];
    let value = prop_oneof![any::<String>(), "[]\"\\\\ a]{0,12}"];
    vec((name, value), 0..10).prop_map(|pairs| {
        let mut tags = Tags::default();
        for (name, value) in pairs {
            // Few of the names are taken by the record itself.
            let _ = tags.set(&name, &value);
        }
        tags
    })
}

fn record(rules: Rules) -> impl Strategy<Value = GameRecord> {
    let comments = vec(prop_oneof![Just(Comment::default()), comment()], 12);
    let result = select(GameResult::ALL.to_vec());
    (game(rules), tags(), comment(), comments, result).prop_map(
        move |(game, tags, preface, comments, result)| {
            let start = *game.positions().next().unwrap();
            let mut record = GameRecord::new(start, rules);
            for ((_, mv), comment) in game.plies.iter().zip(comments.into_iter().cycle()) {
                record.push(*mv, comment).unwrap();
            }
            check_positions(&record, &game);
            (record.tags, record.preface, record.result) = (tags, preface, result);
            record
        },
    )
}

/// Positions are equal whatever their clocks are; here these matter too.
fn check_positions(record: &GameRecord, game: &RandomGame) {
    let plies = record.plies().map(|(position, ply)| (position.to_string(), ply.mv));
    let wanted = game.plies.iter().map(|(position, mv)| (position.to_string(), *mv));
    assert!(plies.eq(wanted));
    assert_eq!(record.last().to_string(), game.last.to_string());
}

fn read(pgn: &[u8]) -> Vec<GameRecord> {
    PgnReader::new(pgn).collect::<Result<_, _>>().unwrap()
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn what_is_written_is_read_back(
        records in vec(prop_oneof![record(Rules::Ataxx), record(Rules::Assimilation)], 1..4),
        columns in prop_oneof![0..100usize, Just(usize::MAX)],
    ) {
        let mut writer = PgnWriter::new(Vec::new()).wrapped(columns);
        for record in &records {
            writer.write(record).unwrap();
        }
        let pgn = writer.into_inner();
        let again = read(&pgn);
        prop_assert_eq!(&again, &records);
        for (again, record) in again.iter().zip(&records) {
            prop_assert_eq!(again.start().to_string(), record.start().to_string());
            prop_assert_eq!(again.last().to_string(), record.last().to_string());
        }
    }
}

/// Black's lead in stones at the end.
fn lead(record: &GameRecord) -> i64 {
    let [black, white] = Color::ALL.map(|color| i64::from(record.last().stones(color).len()));
    black - white
}

#[test]
fn cuteataxx_is_understood() {
    let games = read(include_bytes!("data/cuteataxx.pgn"));
    assert_eq!(games.len(), 7);
    for game in &games {
        assert_eq!(game.tags.get("Site"), Some("CuteAtaxx"));
        assert_eq!(game.tags.get("FinalFEN"), Some(game.last().to_string().as_str()));
        assert_eq!(game.tags.get("PlyCount"), Some(game.moves().len().to_string().as_str()));
        assert_eq!(game.tags.get("Material"), Some(format!("{:+}", lead(game)).as_str()));
        if game.tags.get("Adjudicated").is_none() {
            assert_eq!(GameResult::from(game.outcome()), game.result);
            let winner = match game.result.outcome() {
                Some(Outcome::Win(Color::Black)) => "Black",
                _ => "White",
            };
            assert_eq!(game.tags.get("Winner"), game.tags.get(winner));
        }
    }
    let timed = games.iter().flat_map(GameRecord::moves).filter(|ply| ply.comment.time().is_some());
    assert!(timed.count() > 200);
    // What the sample is to contain.
    assert!(games.iter().any(|game| game.start().side_to_move() == Color::White));
    assert!(games.iter().any(|game| !game.start().gaps().is_empty()));
    assert!(games.iter().any(|game| game.moves().iter().any(|ply| ply.mv == Move::PASS)));
    assert!(games.iter().any(|game| game.tags.get("White") == Some("physarum \"2\"")));
    assert!(games.iter().any(|game| game.result == GameResult::Draw));
}

#[test]
fn python_ataxx_is_understood() {
    let games = read(include_bytes!("data/python_ataxx.pgn"));
    assert_eq!(games.len(), 4);
    let lengths: Vec<_> = games.iter().map(|game| game.moves().len()).collect();
    assert_eq!(lengths, [9, 10, 6, 60]);
    for game in &games {
        assert_eq!(game.moves()[0].comment.text(), "the first move");
        assert_eq!(game.moves()[3].comment.text(), "not (the) only one");
        assert_eq!(GameResult::from(game.outcome()), game.result);
        assert_eq!((game.tags.get("Event"), game.tags.get("Site")), (Some("sample"), None));
    }
}
