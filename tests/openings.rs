//! Making books of openings with the program.

#[path = "common/engine.rs"]
mod engine;

use std::collections::{BTreeSet, HashSet};
use std::fs;
#[cfg(unix)]
use std::io::{BufRead, BufReader};
use std::path::Path;
#[cfg(unix)]
use std::process::Command;
use std::process::Stdio;
use std::time::Instant;

use engine::program;
use physarum::game::{Game, Position, Rules, Symmetry};
use physarum::referee::Book;
use physarum::search::{Control, Limits, Request, Score, Settings, Table, search};

/// The status, standard output and standard error of `physarum openings`.
fn run(args: &[&str]) -> (Option<i32>, String, String) {
    engine::run(&[&["openings"], args].concat())
}

/// The book that comes out; there must be nothing to complain of.
#[track_caller]
fn make(args: &[&str]) -> String {
    let (status, out, err) = run(args);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{args:?}");
    out
}

/// The lines of a book that are no comment.
fn lines(book: &str) -> Vec<&str> {
    book.lines().filter(|line| !line.starts_with('#')).collect()
}

fn read(book: &str, rules: Rules) -> Vec<Position> {
    let book = Book::parse(book, rules).expect("a book");
    book.openings().iter().map(|opening| opening.position()).collect()
}

/// The game once more, as simple as can be: 49 characters and whose turn it is.
mod simple {
    use std::collections::BTreeSet;

    pub type Board = (Vec<char>, char);

    pub fn board(fen: &str) -> Board {
        let (ranks, side) = fen.split_once(' ').unwrap();
        let mut squares = Vec::new();
        for symbol in ranks.chars().filter(|&symbol| symbol != '/') {
            match symbol.to_digit(10) {
                Some(empty) => squares.extend((0..empty).map(|_| '.')),
                None => squares.push(symbol),
            }
        }
        assert_eq!(squares.len(), 49);
        (squares, side.chars().next().unwrap())
    }

    fn distance(a: usize, b: usize) -> usize {
        (a / 7).abs_diff(b / 7).max((a % 7).abs_diff(b % 7))
    }

    fn other(side: char) -> char {
        if side == 'x' { 'o' } else { 'x' }
    }

    /// The boards after each move; where there is none, after a pass if passing is allowed.
    pub fn children((squares, side): &Board, passing: bool) -> Vec<Board> {
        if !squares.contains(&'x') || !squares.contains(&'o') {
            return Vec::new();
        }
        let mut boards = Vec::new();
        for (from, to) in (0..49).flat_map(|from| (0..49).map(move |to| (from, to))) {
            if squares[from] != *side || squares[to] != '.' || distance(from, to) > 2 {
                continue;
            }
            let mut next = squares.clone();
            if distance(from, to) == 2 {
                next[from] = '.';
            }
            next[to] = *side;
            for (square, stone) in next.iter_mut().enumerate() {
                if distance(square, to) == 1 && *stone == other(*side) {
                    *stone = *side;
                }
            }
            boards.push((next, other(*side)));
        }
        let passed = (squares.clone(), other(*side));
        if boards.is_empty() && passing && !children(&passed, false).is_empty() {
            boards.push(passed);
        }
        boards
    }

    /// The least of the board's eight images.
    pub fn class((squares, side): &Board) -> Board {
        let mut images = Vec::new();
        let mut image = squares.clone();
        for _ in 0..4 {
            image = (0..49).map(|i| image[(6 - i % 7) * 7 + i / 7]).collect();
            images.push(image.clone());
            images.push((0..49).map(|i| image[i / 7 * 7 + 6 - i % 7]).collect());
        }
        (images.into_iter().min().unwrap(), *side)
    }

    /// The classes of the boards that can be reached and are not over.
    pub fn reachable(starts: &[&str], plies: usize, passing: bool) -> BTreeSet<Board> {
        let mut boards: BTreeSet<Board> = starts.iter().map(|fen| board(fen)).collect();
        for _ in 0..plies {
            boards = boards.iter().flat_map(|board| children(board, passing)).collect();
        }
        boards.retain(|board| !children(board, passing).is_empty());
        boards.iter().map(class).collect()
    }
}

#[test]
fn all_positions_are_there_once() {
    let start = "x5o/7/7/7/7/7/o5x x 0 1";
    let gaps = "x5o/7/2-4/7/2-1-2/7/o5x o 0 1";
    // Little room: games that end, and passes.
    let shut_in = "7/7/7/7/4--o/4ooo/4oox x 0 30";
    let nearly_full = "x1ooooo/ooooooo/ooooooo/ooooooo/ooooooo/ooooooo/oooooo1 x 0 40";
    for (starts, plies) in [
        (&[start][..], 0),
        (&[start], 1),
        (&[start], 2),
        (&[start], 3),
        (&[gaps], 2),
        (&[start, gaps], 1),
        (&[shut_in], 2),
        (&[nearly_full], 1),
    ] {
        for (rules, passing) in [(Rules::Ataxx, true), (Rules::Assimilation, false)] {
            let expected = simple::reachable(starts, plies, passing);
            let (plies, name) = (plies.to_string(), rules.to_string());
            let mut args = vec!["--plies", &plies, "--rules", &name];
            args.extend(starts.iter().flat_map(|fen| ["--fen", fen]));
            let over = |fen: &&str| simple::children(&simple::board(fen), passing).is_empty();
            let (status, book, err) = run(&args);
            let expected_status = match () {
                () if starts.iter().any(over) => 2,
                () if expected.is_empty() => 1,
                () => 0,
            };
            assert_eq!(status, Some(expected_status), "{args:?}: {err}");
            if expected_status != 0 {
                continue;
            }
            let found: Vec<_> =
                lines(&book).iter().map(|fen| simple::class(&simple::board(fen))).collect();
            assert_eq!(found.len(), expected.len(), "{args:?}");
            assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{args:?}");
            assert_eq!(read(&book, rules).len(), expected.len(), "{args:?}");
        }
    }
}

#[test]
fn the_start_of_a_game_is_written_as_everybody_does() {
    let book = make(&["--plies", "0"]);
    assert_eq!(lines(&book), ["x5o/7/7/7/7/7/o5x x 0 1"]);
    for position in read(&make(&["--plies", "2"]), Rules::Assimilation) {
        assert_eq!(
            (position.side_to_move().to_string().as_str(), position.fullmove_number()),
            ("x", 2)
        );
        assert!(position.halfmove_clock() <= 2);
    }
}

#[test]
fn the_balanced_ones_are_kept_whatever_the_threads() {
    const DEPTH: u32 = 3;
    const MARGIN: u32 = 60;
    let balanced = |position: &Position| {
        let request = Request {
            game: &Game::new(*position),
            limits: &Limits { depth: Some(DEPTH), ..Limits::default() },
            settings: &Settings { rules: Rules::Ataxx, ..Settings::default() },
            evaluation: &physarum::eval::Evaluation::default(),
        };
        let table = Table::new(1).expect("memory");
        let control = Control::new(Instant::now(), false);
        let score = search(&request, &table, &control, &mut |_| {}).score;
        matches!(score, Score::Cp(score) if score.unsigned_abs() <= MARGIN)
    };
    let common = ["--plies", "2", "--rules", "ataxx"];
    let all = make(&common);
    let expected: Vec<String> = read(&all, Rules::Ataxx)
        .iter()
        .filter(|position| balanced(position))
        .map(Position::to_string)
        .collect();
    assert!(expected.len() > 1 && expected.len() + 1 < lines(&all).len(), "{expected:?}");

    let filter = [&common[..], &["--depth", "3", "--margin", "60", "--threads"]].concat();
    let with_threads = |number| make(&[&filter[..], &[number]].concat());
    let book = with_threads("1");
    assert_eq!(lines(&book), expected);
    assert_eq!(with_threads("2"), book);
    assert_eq!(with_threads("7"), book);
}

#[test]
fn the_same_seed_gives_the_same_sample() {
    let sample = |count, seed, threads| {
        make(&[
            "--plies",
            "2",
            "--count",
            count,
            "--seed",
            seed,
            "--depth",
            "2",
            "--margin",
            "150",
            "--threads",
            threads,
        ])
    };
    let book = sample("20", "5", "1");
    assert_eq!(sample("20", "5", "1"), book);
    assert_eq!(sample("20", "5", "2"), book);
    let openings = lines(&book);
    assert_eq!(openings.len(), 20);
    assert_eq!(openings.iter().collect::<HashSet<_>>().len(), 20);
    // A larger sample has more, and another seed others.
    assert_eq!(lines(&sample("25", "5", "2"))[..20], openings);
    assert_ne!(lines(&sample("20", "6", "1")), openings);

    let all = make(&["--plies", "2", "--depth", "2", "--margin", "150"]);
    let all: HashSet<&str> = lines(&all).into_iter().collect();
    assert!(openings.iter().all(|opening| all.contains(opening)));
}

#[test]
fn a_sample_of_too_many_to_list_comes_from_random_games() {
    let sample = |threads| {
        make(&[
            "--plies",
            "9",
            "--count",
            "50",
            "--seed",
            "1",
            "--depth",
            "1",
            "--threads",
            threads,
        ])
    };
    let book = sample("1");
    assert!(book.contains("random games"), "{book}");
    assert_eq!(sample("3"), book);
    let mut seen = HashSet::new();
    for position in read(&book, Rules::Assimilation) {
        let images = Symmetry::ALL.map(|symmetry| symmetry.position(&position).hash());
        assert!(images.iter().all(|image| !seen.contains(image)), "{position}");
        seen.extend(images);
    }
    assert_eq!(read(&book, Rules::Assimilation).len(), 50);
}

#[test]
fn a_book_of_gaps() {
    let book = make(&["--plies", "0", "--gaps", "8"]);
    let positions = read(&book, Rules::Assimilation);
    for fen in ["x5o/7/7/7/7/7/o5x x 0 1", "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"] {
        assert!(lines(&book).contains(&fen), "{fen}\n{book}");
    }
    assert!(positions.iter().all(|position| position.gaps().len() <= 8));
    // Of the squares off the corners, the centre is alone, five kinds are four alike, and three kinds
    // are eight alike. No eight of them make a wall.
    assert_eq!(positions.len(), 2 * (1 + 5) + 5 * 4 / 2 + 3);
}

#[test]
fn wrong_arguments_end_with_status_2() {
    let over = "x6/7/7/7/7/7/7 o 0 9";
    for (args, named) in [
        (&[][..], "--plies"),
        (&["--plies", "-1"], "-1"),
        (&["--plies", "201"], "201"),
        (&["--plies", "many"], "many"),
        (&["--plies", "+1"], "a whole number from 0 to 200"),
        (&["--plies", "1", "--depth", "+1"], "a whole number from 1 to 120"),
        (&["--plies", "1", "--depth", "0"], "--depth"),
        (&["--plies", "1", "--margin", "-5"], "-5"),
        (&["--plies", "1", "--count", "0"], "a whole number from 1 to"),
        (&["--plies", "1", "--count", "20000000"], "a whole number from 1 to"),
        (&["--plies", "1", "--seed", "7"], "--count"),
        (&["--plies", "1", "--force"], "--out"),
        (&["--plies", "1", "--threads", "0"], "a whole number from 1 to 256"),
        (&["--plies", "1", "--gaps", "50"], "--gaps"),
        (&["--plies", "1", "--rules", "go"], "Assimilation, Ataxx or Fill is expected"),
        (&["--plies", "1", "--fen", "x5o/7/7 x 0 1"], "3 ranks on the board"),
        (&["--plies", "1", "--fen", over], "the game is over under Ataxx rules: x6/7"),
        (&["--plies", "1", "book.txt"], "book.txt"),
    ] {
        let (status, out, err) = run(args);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{args:?}: {err}");
        assert!(err.starts_with("error: ") && err.contains(named), "{args:?}: {err}");
    }
}

/// Fails with one line of error.
#[track_caller]
fn fail(args: &[&str], named: &str) {
    let (status, out, err) = run(args);
    assert_eq!((status, out.as_str(), err.lines().count()), (Some(1), "", 1), "{args:?}: {err}");
    assert!(err.starts_with("error: ") && err.contains(named), "{args:?}: {err}");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_file_is_overwritten_only_when_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.txt");
    let out = path.to_str().expect("text");
    assert_eq!(make(&["--plies", "1", "--out", out]), "");
    let book = fs::read_to_string(&path).expect("the book");
    assert_eq!(book, make(&["--plies", "1"]));

    fail(&["--plies", "2", "--out", out], "exists already");
    assert_eq!(fs::read_to_string(&path).expect("the book"), book);
    assert_eq!(make(&["--plies", "2", "--out", out, "--force"]), "");
    assert_eq!(fs::read_to_string(&path).expect("the book"), make(&["--plies", "2"]));
    assert_eq!(names(folder.path()), ["book.txt"]);

    let name = folder.path().display().to_string();
    fail(&["--plies", "1", "--out", &name, "--force"], "is a folder");
    fail(&["--plies", "1", "--out", &format!("{name}/none/book.txt")], "there is no folder");
}

#[test]
fn without_openings_there_is_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.txt");
    let out = path.to_str().expect("text");
    // White's only move takes all that black has.
    let last = "7/7/7/7/-------/1-----1/x-o---1 o 0 9";
    fail(&["--plies", "1", "--fen", last, "--out", out], "no openings were found");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn fewer_than_asked_for_are_written_with_a_warning() {
    let (status, out, err) = run(&["--plies", "1", "--count", "100"]);
    assert_eq!((status, lines(&out).len()), (Some(0), 5));
    assert!(err.contains("WARN") && err.contains("5 openings instead of 100"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    fail(&["--plies", "1", "--out", "/dev/full"], "/dev/full: No space left");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    let output = program(&["openings", "--plies", "1"]).stdout(full).output().expect("a start");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.starts_with("error: cannot write the output: No space left"), "{err}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.txt");
    let out = path.to_str().expect("text");
    let mut child = program(&["openings", "-v", "--plies", "3", "--depth", "40", "--out", out])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program should start");
    let mut errors = BufReader::new(child.stderr.take().expect("it was asked for"));
    // Once it says this, it listens.
    let mut line = String::new();
    errors.read_line(&mut line).expect("a line");
    assert!(line.contains("making openings"), "{line}");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill should start").success());
    let status = engine::wait_for(&mut child).expect("an end");
    assert_eq!(status.code(), Some(4));
    assert_eq!(engine::read_all(errors), "error: interrupted: no openings were written\n");
    assert_eq!(names(folder.path()), [""; 0]);
}
