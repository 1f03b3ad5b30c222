//! The conversation with an engine that speaks UAI, UGI or UCI.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::fault::Fault;
use super::player::{Answer, Terms, Turn};
use super::process::{Halt, Process};
use super::spec::Program;
use crate::protocol::{
    ATAXX, Command, Dialect, Go, Info, Message, MessageError, OptionSpec, Start, VARIANT,
};

/// How long an engine that has no time left may take to answer `stop`: then it was only too slow.
const GRACE: Duration = Duration::from_secs(1);

/// The option with which an engine is told the rules.
const RULES: &str = "Rules";

/// A running engine.
#[derive(Debug)]
pub(super) struct UaiEngine {
    process: Process,
    dialect: Dialect,
    /// What it calls itself.
    id: Option<String>,
    options: Vec<OptionSpec>,
    /// What it was told that it may not understand.
    doubts: Vec<String>,
}

impl UaiEngine {
    /// Starts a program, hears what it has to say about itself, and sets its options.
    pub(super) fn start(
        program: &Program,
        options: &[(String, String)],
        terms: &Terms<'_>,
    ) -> Result<Self, Halt> {
        let process = Process::start(program)?;
        let (dialect, id) = (program.proto, None);
        let mut engine = Self { process, dialect, id, options: Vec::new(), doubts: Vec::new() };
        match engine.introduce(options, terms) {
            Ok(()) => Ok(engine),
            Err(Halt::Fault(fault)) => Err(engine.explain(fault).into()),
            Err(halt) => Err(halt),
        }
    }

    fn introduce(&mut self, options: &[(String, String)], terms: &Terms<'_>) -> Result<(), Halt> {
        self.send(&[Command::Introduce(self.dialect)])?;
        let deadline = Instant::now() + terms.start_timeout;
        loop {
            match self.next_message(deadline, terms)? {
                Some((_, Message::Introduced(dialect))) if dialect == self.dialect => break,
                // Whoever started it may have meant this one.
                Some((_, Message::Introduced(dialect))) => self.process.keep_output(dialect.ok()),
                Some((_, Message::IdName(name))) => self.id = Some(name),
                Some((_, Message::Option(spec))) => self.options.push(spec),
                Some(_) => {}
                None => return Err(no_answer(self.dialect.ok(), terms)),
            }
        }
        self.process.answered();
        let mut commands = Vec::new();
        let is_variant = |name: &str| name.eq_ignore_ascii_case(VARIANT);
        if self.option(VARIANT).is_some() && !options.iter().any(|(name, _)| is_variant(name)) {
            let value = Some(ATAXX.to_owned());
            commands.push(Command::SetOption { name: VARIANT.to_owned(), value });
        }
        if self.knows_rules() && !options.iter().any(|(name, _)| is_rules(name)) {
            let value = Some(terms.rules.name().to_owned());
            commands.push(Command::SetOption { name: RULES.to_owned(), value });
        }
        for (name, value) in options {
            match self.option(name) {
                None => self.doubts.push(format!("it does not list the option {name:?}")),
                Some(spec) if !spec.kind.accepts(value) => {
                    let doubt = format!("its option {name:?} cannot be {value:?}: it lists {spec}");
                    self.doubts.push(doubt);
                }
                Some(_) => {}
            }
            let value = Some(value.clone()).filter(|value| !value.is_empty());
            commands.push(Command::SetOption { name: name.clone(), value });
        }
        self.send(&commands)?;
        self.sync(terms, terms.start_timeout)
    }

    /// What a fault at the start means, with what the engine has said last.
    fn explain(&self, fault: Fault) -> Fault {
        if matches!(fault, Fault::Crash(_)) {
            self.process.settle();
        }
        let mut text = fault.to_string();
        for (what, lines) in
            [("output", self.process.last_output()), ("standard error", self.process.errors())]
        {
            if !lines.is_empty() {
                let _ = write!(text, "; its {what} ends with:");
                lines.iter().for_each(|line| {
                    let _ = write!(text, "\n    {line}");
                });
            }
        }
        Fault::Start(text)
    }

    /// A new game begins.
    pub(super) fn new_game(&mut self, terms: &Terms<'_>) -> Result<(), Halt> {
        self.send(&[Command::NewGame(self.dialect)])?;
        self.sync(terms, terms.start_timeout)
    }

    /// Chooses a move.
    pub(super) fn choose(&mut self, turn: &Turn<'_>, terms: &Terms<'_>) -> Result<Answer, Halt> {
        let moves = self.dialect.line_texts(turn.jumps, turn.anchor);
        self.send(&[Command::Position { start: Start::Fen(*turn.anchor), moves }])?;
        // Whatever it still had to say about the move before is heard now.
        self.sync(terms, terms.start_timeout)?;
        let go = Command::Go(Box::new(go(turn)));
        let allowed = [turn.clock().map(|clock| clock.left()), turn.limit.move_time];
        let allowed = allowed.into_iter().flatten().min();
        let start = Instant::now();
        self.send(&[go])?;
        let patience = allowed.map_or(terms.move_timeout, |time| time + terms.time_margin);
        let mut deadline = start + patience;
        let mut told_to_stop = false;
        let mut best_line = Info::default();
        loop {
            match self.next_message(deadline, terms)? {
                // Said before it was asked, it is no answer.
                Some((at, Message::BestMove { .. })) if at < start => {}
                Some((at, Message::BestMove { best, .. })) => {
                    self.process.answered();
                    let time = at.saturating_duration_since(start);
                    return match allowed {
                        Some(allowed) if time > allowed + terms.time_margin => {
                            Err(Fault::Time(time - allowed).into())
                        }
                        None if told_to_stop => Err(Fault::Hang(patience).into()),
                        _ => Ok(Answer { text: best, time, info: best_line }),
                    };
                }
                Some((_, Message::Info(info))) => {
                    // Other lines are not the best, and what has no score, as news of the current
                    // move, takes nothing back of what was said.
                    let is_news = info.score.is_some() || best_line.score.is_none();
                    if info.multi_pv.unwrap_or(1) == 1 && is_news {
                        best_line = info;
                    }
                }
                Some(_) => {}
                None if told_to_stop => return Err(Fault::Hang(patience + GRACE).into()),
                None => {
                    told_to_stop = true;
                    deadline = Instant::now() + GRACE;
                    self.send(&[Command::Stop])?;
                }
            }
        }
    }

    /// Waits until it has dealt with all that was said.
    fn sync(&mut self, terms: &Terms<'_>, patience: Duration) -> Result<(), Halt> {
        self.send(&[Command::IsReady])?;
        let deadline = Instant::now() + patience;
        loop {
            match self.next_message(deadline, terms)? {
                Some((_, Message::ReadyOk)) => break,
                Some(_) => {}
                None => return Err(no_answer("readyok", terms)),
            }
        }
        self.process.answered();
        Ok(())
    }

    fn send(&mut self, commands: &[Command]) -> Result<(), Fault> {
        let mut lines = String::new();
        for command in commands {
            let _ = writeln!(lines, "{}", command.in_dialect(self.dialect));
        }
        self.process.send(&lines)
    }

    /// The next line that is a message, and when it came; `None` if the deadline comes first.
    fn next_message(
        &mut self,
        deadline: Instant,
        terms: &Terms<'_>,
    ) -> Result<Option<(Instant, Message)>, Halt> {
        loop {
            let Some(line) = self.process.next_line(deadline, terms.stop)? else { return Ok(None) };
            let message = line.text.parse();
            if matches!(message, Ok(Message::Text(_))) {
                self.process.keep_output(&line.text);
            }
            match message {
                // Everything else may come for ever.
                Ok(message) if line.at <= deadline || is_answer(&message) => {
                    return Ok(Some((line.at, message)));
                }
                Ok(_) => {}
                // There is nothing more to wait for: no text is a move that is not legal.
                Err(MessageError::NoMove) => {
                    let message = Message::BestMove { best: String::new(), ponder: None };
                    return Ok(Some((line.at, message)));
                }
                Err(_) => self.process.keep_output(&line.text),
            }
            if line.at > deadline {
                return Ok(None);
            }
        }
    }

    fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// What it calls itself.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Whether it can be told the rules.
    pub(super) fn knows_rules(&self) -> bool {
        self.option(RULES).is_some()
    }

    /// What a user should know of its options.
    pub(super) fn doubts(&self) -> &[String] {
        &self.doubts
    }

    /// The last lines of its standard error, when it has committed a fault, and what it has said
    /// to people.
    pub(super) fn last_words(&self, fault: &Fault) -> Vec<String> {
        if matches!(fault, Fault::Crash(_)) {
            self.process.settle();
        }
        let mut words = self.process.errors();
        words.extend(self.process.last_output());
        words
    }

    /// Asks it to end.
    pub(super) fn quit(self) {
        self.process.quit(&format!("{}\n", Command::Quit));
    }
}

/// Whether it is what can be waited for.
const fn is_answer(message: &Message) -> bool {
    matches!(message, Message::Introduced(_) | Message::ReadyOk | Message::BestMove { .. })
}

fn is_rules(name: &str) -> bool {
    name.eq_ignore_ascii_case(RULES)
}

fn no_answer(expected: &'static str, terms: &Terms<'_>) -> Halt {
    Fault::NoAnswer { expected, within: terms.start_timeout }.into()
}

fn go(turn: &Turn<'_>) -> Go {
    let milliseconds = |time: Duration| time.as_millis().try_into().unwrap_or(i64::MAX);
    let clocks = turn.clocks;
    Go {
        depth: turn.limit.depth,
        nodes: turn.limit.nodes,
        move_time: turn.limit.move_time.map(milliseconds),
        time: clocks.map(|clock| clock.map(|clock| milliseconds(clock.left()))),
        increment: clocks.map(|clock| clock.map(|clock| milliseconds(clock.increment()))),
        moves_to_go: turn.clock().and_then(|clock| clock.moves_to_go()),
        ..Go::default()
    }
}
