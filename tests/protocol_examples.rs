//! The examples of `protocol.md`, each a conversation with a fresh engine.

#[path = "common/engine.rs"]
mod engine;

use std::path::Path;

use engine::{Engine, fits};

/// A line of an example and its number in the file.
type Line = (usize, String);

/// The blocks between lines of ```` ```uai ```` and ```` ``` ````.
fn examples(text: &str) -> Vec<Vec<Line>> {
    let mut examples = Vec::new();
    let mut current: Option<Vec<Line>> = None;
    for (index, line) in text.lines().enumerate() {
        match &mut current {
            None if line == "```uai" => current = Some(Vec::new()),
            None => {}
            Some(_) if line == "```" => examples.extend(current.take()),
            Some(lines) => lines.push((index + 1, line.to_owned())),
        }
    }
    assert!(current.is_none(), "the last example has no end");
    examples
}

fn check(lines: &[Line]) -> Result<(), String> {
    let mut engine = Engine::start();
    // After a lone `…` lines are skipped until one is as expected.
    let mut skipping = false;
    for (number, line) in lines {
        let fault = |what: &str| Err(format!("protocol.md:{number}: {line}\n    {what}"));
        if let Some(line) = line.strip_prefix("> ") {
            engine.send(line);
        } else if line == "< …" {
            skipping = true;
        } else if let Some(pattern) = line.strip_prefix("< ") {
            loop {
                match engine.next_line() {
                    None => return fault("the output ended before this line"),
                    Some(answer) if fits(&answer, pattern) => break,
                    Some(_) if skipping => {}
                    Some(answer) => return fault(&format!("came instead: {answer}")),
                }
            }
            skipping = false;
        } else {
            return fault("a line of an example begins with > or <");
        }
    }
    let (status, rest) = engine.finish();
    let first = lines.first().map_or(0, |(number, _)| *number);
    if !status.success() {
        return Err(format!("protocol.md:{first}: this example ended with {status}"));
    }
    if !rest.is_empty() && !skipping {
        return Err(format!("protocol.md:{first}: after this example came {rest:?}"));
    }
    Ok(())
}

#[test]
fn every_example_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol.md");
    let text = std::fs::read_to_string(&path).expect("protocol.md should be there");
    let examples = examples(&text);
    // Fewer would mean that they are no longer found, or that they were taken out.
    assert!(examples.len() >= 12, "only {} examples", examples.len());
    let faults: Vec<String> = examples.iter().filter_map(|lines| check(lines).err()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn patterns_fit_what_they_should() {
    for (line, pattern, expected) in [
        ("bestmove f1", "bestmove f1", true),
        ("bestmove f1", "bestmove", false),
        ("bestmove f1 ponder a2", "bestmove … ponder …", true),
        ("bestmove f1", "bestmove … ponder …", false),
        ("info depth 1 nodes 3", "info …nodes 3", true),
        ("info depth 1 nodes 33", "info …nodes 3", false),
        ("ab", "a…b…", true),
        ("aa", "a…a", true),
        ("a", "a…a", false),
    ] {
        assert_eq!(fits(line, pattern), expected, "{line:?} {pattern:?}");
    }
}
