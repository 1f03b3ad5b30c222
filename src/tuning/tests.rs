use super::*;

fn job(folder: &Path, iterations: u64) -> TuneJob {
    TuneJob {
        parameters: ["lmr_base", "rfp_margin=200:20", "aspiration_shrink"]
            .map(|text| text.parse().unwrap())
            .to_vec(),
        iterations,
        limit: TuneLimit::Nodes(30),
        rate: 0.1,
        hash: 1,
        seed: 5,
        book: None,
        evaluation: Evaluation::Handcrafted,
        threads: 1,
        state: folder.join("tune.json"),
    }
}

fn run(job: &TuneJob) -> Result<Tuning, TuneError> {
    tune(job, &AtomicBool::new(false), &mut |_| {})
}

/// Interrupts the work once so many iterations are made.
fn run_until(job: &TuneJob, iterations: u64) -> Tuning {
    let interrupted = AtomicBool::new(false);
    tune(job, &interrupted, &mut |news| {
        interrupted.store(news.done >= iterations, Ordering::Relaxed);
    })
    .unwrap()
}

#[test]
fn one_thread_gives_the_same_each_time_however_often_it_is_broken_off() {
    let [one, two, parts] = [0; 3].map(|_| tempfile::tempdir().unwrap());
    // With so many constants, and searches not all too small, a player wins both games now and then.
    let job = |folder: &Path| {
        let limit = TuneLimit::Nodes(500);
        TuneJob { limit, parameters: limit.usual_parameters(), ..job(folder, 12) }
    };
    let whole = run(&job(one.path())).unwrap();
    assert!(whole.complete && whole.record.games() == Some(24));
    assert!(whole.parameters.iter().any(|parameter| parameter.theta != parameter.start));
    assert_eq!(whole.history.len(), 13);
    assert_eq!(run(&job(two.path())).unwrap(), whole);

    let mut runs = 0;
    let last = loop {
        runs += 1;
        let tuning = run_until(&job(parts.path()), 4 * runs);
        if tuning.complete {
            break tuning;
        }
    };
    assert!(runs > 1, "it was never broken off");
    assert_eq!(last, whole);
    let files =
        [&one, &parts].map(|folder| std::fs::read(folder.path().join("tune.json")).unwrap());
    assert_eq!(files[0], files[1]);
    // Nothing is left to be done, and nothing else is left.
    assert_eq!(run(&job(parts.path())).unwrap(), whole);
    assert_eq!(std::fs::read_dir(parts.path()).unwrap().count(), 1);
}

#[test]
fn several_threads_lose_no_iteration() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = job(folder.path(), 30);
    job.threads = 3;
    let part = run_until(&job, 8);
    assert!(!part.complete && part.iterations >= 8);
    // More of everything that may be more.
    (job.iterations, job.threads) = (40, 2);
    let whole = run(&job).unwrap();
    assert!(whole.complete);
    assert_eq!((whole.iterations, whole.record.games()), (40, Some(80)));
}

#[test]
fn games_begin_from_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = job(folder.path(), 3);
    // Whoever moves takes all, so that the two games are shared.
    job.book = Some(Book::parse("xo5/7/7/7/7/7/7 x 0 1\n", play::RULES).unwrap());
    let tuning = run(&job).unwrap();
    assert_eq!(tuning.record, TuneRecord { wins: 3, draws: 0, losses: 3, losses_on_time: 0 });
    job.book = None;
    let error = run(&job).unwrap_err();
    assert!(matches!(error, TuneError::State(_, StateError::Different(_))), "{error}");
}

#[test]
fn games_are_played_on_clocks() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = job(folder.path(), 1);
    job.limit = TuneLimit::Clock("0.05+0.001".parse().unwrap());
    assert_eq!(run(&job).unwrap().record.games(), Some(2));
}

#[test]
fn jobs_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refuse = |change: fn(&mut TuneJob), words: &str| {
        let mut job = job(folder.path(), 3);
        change(&mut job);
        let error = run(&job).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refuse(|job| job.parameters.clear(), "nothing to tune");
    refuse(|job| job.parameters.push(job.parameters[0].clone()), "only once");
    refuse(|job| job.parameters[0].start = 1000.0, "lmr_base can start from 0 to 150");
    refuse(|job| job.parameters[0].name = "x".to_owned(), r#"there is no parameter "x""#);
    refuse(|job| job.limit = TuneLimit::Nodes(0), "a node at least");
    refuse(|job| job.limit = TuneLimit::Clock("0+1".parse().unwrap()), "some time to begin with");
    refuse(|job| job.rate = f64::NAN, "a rate is above 0");
    refuse(|job| job.hash = usize::MAX >> 20, "no memory");
    refuse(|job| job.state = job.state.join("below"), "cannot write");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_is_none_of_ours_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(folder.path(), 3);
    run(&job).unwrap();
    let good = std::fs::read(&job.state).unwrap();
    for text in [&b"text"[..], &good[..good.len() / 2], b""] {
        std::fs::write(&job.state, text).unwrap();
        assert!(matches!(run(&job), Err(TuneError::State(..))));
        assert_eq!(std::fs::read(&job.state).unwrap(), text);
    }
    std::fs::remove_file(&job.state).unwrap();
    std::fs::create_dir(&job.state).unwrap();
    assert!(matches!(run(&job), Err(TuneError::State(..))));
}

#[test]
fn what_is_usual_depends_on_the_limit() {
    let names = |limit: TuneLimit| -> Vec<String> {
        limit.usual_parameters().into_iter().map(|tunable| tunable.name).collect()
    };
    let by_nodes = names(TuneLimit::Nodes(1));
    let by_clock = names(TuneLimit::Clock("1".parse().unwrap()));
    let has = |names: &[String], name: &str| names.iter().any(|known| known == name);
    assert!(has(&by_nodes, "lmr_base") && !has(&by_nodes, "moves_left_base"));
    assert!(has(&by_clock, "lmr_base") && has(&by_clock, "moves_left_base"));
    assert!(!has(&by_nodes, "table_age") && !has(&by_clock, "table_age"));
    assert!(names(TuneLimit::Nodes(1)).len() < Parameters::all().len());
}
