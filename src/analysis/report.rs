//! Games to look at, as a page for browsers.

use serde::Serialize;

use super::{GameReport, Record, ScoreRecord, SideSummary};
use crate::game::{Color, Position, Square};
use crate::record::GameResult;

/// The page, with marks where its title and its games belong.
const PAGE: &str = include_str!("report.html");

/// A page with games: one file that needs no other, nor a network.
///
/// Each game has its board, its moves with what they were worth, and graphs of the chances and of the stones
/// over the moves.
#[derive(Clone, Debug, Default)]
pub struct HtmlReport {
    /// The games as JSON, with a comma between them.
    games: String,
    count: usize,
    title: String,
}

/// A game as the page's script takes it.
#[derive(Serialize)]
struct PageGame<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    number: u64,
    event: &'a str,
    date: &'a str,
    black: &'a str,
    white: &'a str,
    result: &'a str,
    result_text: String,
    rules: &'a str,
    x: SideSummary,
    o: SideSummary,
    positions: Vec<PagePosition<'a>>,
}

#[derive(Serialize)]
struct PagePosition<'a> {
    /// The squares from a7 to g7, from a6 to g6, …
    board: String,
    /// `x` or `o`.
    turn: String,
    /// How many stones black and white have.
    stones: [u32; 2],
    /// Black's chances, in per mille.
    chance: u32,
    /// For the side to move.
    score: String,
    depth: u32,
    best: Option<&'a str>,
    line: String,
    played: Option<&'a str>,
    /// The move's own score.
    after: Option<String>,
    /// In per mille.
    cost: Option<u16>,
    verdict: Option<&'a str>,
}

impl HtmlReport {
    /// Adds a game.
    ///
    /// # Errors
    ///
    /// When the game cannot be written as JSON, which all that can be read from PGN can.
    pub fn add(&mut self, report: &GameReport) -> Result<(), serde_json::Error> {
        let tag = |name| report.record.tags.get(name).unwrap_or_default();
        let boards = report.record.plies().map(|(position, _)| position);
        let boards = boards.chain([*report.record.last()]);
        let game = PageGame {
            file: report.file.as_deref(),
            number: report.number,
            event: tag("Event"),
            date: tag("Date"),
            black: tag("Black"),
            white: tag("White"),
            result: report.record.result.name(),
            result_text: result_text(report.record.result).to_owned(),
            rules: report.record.rules().name(),
            x: report.side(Color::Black),
            o: report.side(Color::White),
            positions: boards.zip(&report.positions).map(page_position).collect(),
        };
        // In a page, a < could end the script.
        let json = serde_json::to_string(&game)?.replace('<', "\\u003c");
        if self.count > 0 {
            self.games.push_str(",\n");
        } else {
            self.title = match (game.black, game.white) {
                ("", "") => "Game".to_owned(),
                (black, white) => format!("{} – {}", or_unknown(black), or_unknown(white)),
            };
        }
        self.games += &json;
        self.count += 1;
        Ok(())
    }

    /// The page.
    pub fn to_html(&self) -> String {
        let title = match self.count {
            1 => self.title.clone(),
            count => format!("{count} games"),
        };
        let mut page = String::with_capacity(PAGE.len() + self.games.len() + title.len());
        let mut rest = PAGE;
        while let Some((before, after)) = rest.split_once("<!--") {
            page.push_str(before);
            let (mark, after) = after.split_once("-->").unwrap_or((after, ""));
            match mark {
                "title" => escape(&title, &mut page),
                "version" => page.push_str(env!("CARGO_PKG_VERSION")),
                _ => page.push_str(&self.games),
            }
            rest = after;
        }
        page.push_str(rest);
        page
    }
}

fn or_unknown(name: &str) -> &str {
    if name.is_empty() { "?" } else { name }
}

fn escape(text: &str, page: &mut String) {
    for c in text.chars() {
        match c {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            _ => page.push(c),
        }
    }
}

const fn result_text(result: GameResult) -> &'static str {
    match result {
        GameResult::BlackWins => "black wins",
        GameResult::WhiteWins => "white wins",
        GameResult::Draw => "draw",
        GameResult::Unknown => "no result",
    }
}

fn page_position((position, record): (Position, &Record)) -> PagePosition<'_> {
    let finding = record.finding();
    let judgement = record.judgement.as_ref();
    let [win, draw, loss] = finding.map_or([0, 1000, 0], |finding| finding.wdl.map(u32::from));
    let ahead = match position.side_to_move() {
        Color::Black => win,
        Color::White => loss,
    };
    let line = finding.and_then(|finding| finding.lines.first());
    PagePosition {
        board: board(&position),
        turn: position.side_to_move().to_string(),
        stones: [Color::Black, Color::White].map(|color| position.stones(color).len()),
        chance: ahead + draw / 2,
        score: finding.map(score_text).unwrap_or_default(),
        depth: finding.map_or(0, |finding| finding.depth),
        best: finding.and_then(|finding| finding.best.as_deref()),
        line: line.map(|line| line.moves.join(" ")).unwrap_or_default(),
        played: judgement.map(|judgement| judgement.played.as_str()),
        after: judgement.map(|judgement| text(judgement.after)),
        cost: judgement.map(|judgement| judgement.cost),
        verdict: judgement.and_then(|judgement| judgement.verdict).map(|verdict| verdict.name()),
    }
}

fn score_text(finding: &super::Finding) -> String {
    finding.outcome.clone().unwrap_or_else(|| text(finding.score))
}

/// A score for people, as in game records.
fn text(score: ScoreRecord) -> String {
    match score {
        ScoreRecord::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        ScoreRecord::Mate(moves @ 1..) => format!("wins in {moves}"),
        ScoreRecord::Mate(moves) => format!("loses in {}", -moves),
    }
}

/// The squares of a board, the top rank first.
fn board(position: &Position) -> String {
    let symbol = |square| match square {
        _ if position.stones(Color::Black).contains(square) => 'x',
        _ if position.stones(Color::White).contains(square) => 'o',
        _ if position.gaps().contains(square) => '-',
        _ => '.',
    };
    let ranks = (0..Square::WIDTH).rev();
    let squares = ranks.flat_map(|rank| (0..Square::WIDTH).map(move |file| (file, rank)));
    squares.filter_map(|(file, rank)| Square::new(file, rank)).map(symbol).collect()
}
