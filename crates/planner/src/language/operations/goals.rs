//! Changes goals: their contents, their progress, and their status.
//!
//! Input: a clause. Output: its operations, if its words name an existing goal. With `None` the clause is read in other
//! ways.

use super::change::Changes;
use crate::language::commands::target::TargetFilter;
use crate::language::text::numbers::{count, figures};
use crate::language::text::past_forms;
use crate::language::text::phrases::{after, after_any, around, before_end, without_marks};
use crate::language::text::tokens::Token;
use crate::language::text::words::{WordList, word_list};
use crate::language::{Question, Reader};
use crate::matching::{Candidate, matches};
use crate::operation::{Action, Operation};
use crate::record::{GoalStatus, Kind};

const WITH_GOALS: TargetFilter = TargetFilter { done: false, goals: true };

/// Verbs that put a record under a goal.
const NESTING: &str =
    "put|file|nest|place|move|add|link|attach|assign|connect|tie|group|include|hang|count|make|set|turn|bring|let";

/// Phrases that put a record under a goal, the longest first.
const UNDER: &str = "into a sub-goal of|into a subgoal of|into a part of|as a sub-goal of|as a subgoal of|\
    as a sub-goal to|as a subgoal to|as a child of|as part of|as a part of|\
    as a step towards|as a step of|a sub-goal of|a subgoal of|a sub goal of|a child of|a child goal of|a part of|\
    part of|a step towards|a step of|a milestone of|\
    is part of|belongs to|belongs under|counts towards|count towards|counts toward|should be under|goes under|under|\
    underneath|beneath|below|\
    towards|to|with|in|into";

/// Words around a number that gives a goal's progress.
static OF_PROGRESS: WordList = WordList::new(|| word_list(include_str!("../words/of_progress.txt")));

/// Words around the number in a report of progress.
const AROUND_NUMBER: &str = "of|out|the|my|more|further|additional|extra|another|up|to|about";

impl Reader<'_> {
    /// Returns the changes if the clause changes an existing goal.
    pub(in crate::language) fn goal_change(&self, clause: &[Token]) -> Option<Changes> {
        self.nested(clause)
            .or_else(|| self.removed_from_goal(clause))
            .or_else(|| self.change_status(clause))
            .or_else(|| self.target_value(clause))
            .or_else(|| self.progressed(clause))
            .or_else(|| self.progress_report(clause))
    }

    /// Recognises "make X a sub-goal of Y", "put X under Y", "X is part of Y".
    fn nested(&self, clause: &[Token]) -> Option<Changes> {
        let verb = after_any(clause, NESTING);
        let rest = verb.unwrap_or(clause);
        UNDER.split('|').filter(|phrase| verb.is_some() || phrase.contains(' ')).find_map(|phrase| {
            let (item, goal) = around(rest, phrase)?;
            let item = before_end(item, "is|should be|be|counts").unwrap_or(item);
            let goal = self.goal_named(goal)?;
            let known = self.resolve_named(item, WITH_GOALS).is_ok_and(|found| found.iter().all(|one| one.id != goal));
            known.then(|| self.under(item, goal))
        })
    }

    fn under(&self, item: &[Token], goal: i64) -> Changes {
        let found = self.resolve(item, WITH_GOALS)?;
        let ids = |kind| found.iter().filter(|of| of.kind == kind).map(|of| of.id).collect::<Vec<_>>();
        let (todos, events, goals) = (ids(Kind::Todo), ids(Kind::Event), ids(Kind::Goal));
        if todos.len() + events.len() + goals.len() < found.len() {
            return Err(Question::new(
                "Only todos, events and goals stand under a goal. Which one do you mean?",
                Vec::new(),
            ));
        }
        let mut made: Vec<Operation> = Vec::new();
        if todos.len() + events.len() > 0 {
            let mut operation = Operation::new(Kind::Goal, Action::AddItems, Some(goal));
            operation.todos = (!todos.is_empty()).then_some(todos);
            operation.events = (!events.is_empty()).then_some(events);
            made.push(operation);
        }
        for child in goals {
            let mut operation = Operation::new(Kind::Goal, Action::AddChild, Some(goal));
            operation.child_id = Some(child);
            made.push(operation);
        }
        Ok(made)
    }

    /// Recognises "add X to the goal Y".
    pub fn put_under(&self, item: &[Token], goal: &[Token]) -> Changes {
        let text = self.text(goal);
        let ask = || Question::new(&format!("Which goal do you mean by \"{text}\"?"), Vec::new());
        self.under(item, self.goal_named(goal).ok_or_else(ask)?)
    }

    /// Recognises "take X out of Y", "remove X from the goal Y".
    fn removed_from_goal(&self, clause: &[Token]) -> Option<Changes> {
        let rest = after_any(clause, "remove|take|detach|unlink|drop|disconnect|pull|delete|separate")?;
        let (item, goal) = around(rest, "from|out of|off|away from|out from under")?;
        let goal = self.goal_named(goal)?;
        let found = self.resolve_named(item, WITH_GOALS).ok()?;
        Some(Ok(found.iter().map(|of| without(goal, of)).collect()))
    }

    /// Recognises "archive X", "X can be archived"; "reactivate X"; "I reached my goal X".
    fn change_status(&self, clause: &[Token]) -> Option<Changes> {
        let archived = after_any(clause, "archive|shelve")
            .or_else(|| before_end(clause, "can be archived|should be archived|is archived|to be archived|archived"))
            .or_else(|| {
                let rest = after_any(clause, "put|move|send")?;
                before_end(rest, "in the archive|into the archive|to the archive|in archive|to archive|away for now")
            });
        if let Some(goal) = archived {
            return Some(self.with_status(goal, GoalStatus::Archived));
        }
        if let Some(goal) = after_any(clause, "unarchive|reactivate|un-archive|restore|resume")
            .filter(|goal| self.goal_named(goal).is_some())
        {
            return Some(self.with_status(goal, GoalStatus::Active));
        }
        let achieved = after_any(
            clause,
            "i reached|i've reached|i achieved|i've achieved|i have achieved|\
            i have reached|achieved|reached|i met|i hit|accomplished|i accomplished|i've accomplished",
        )
        .or_else(|| {
            before_end(
                clause,
                "is achieved|is reached|has been achieved|has been reached|achieved|\
                as achieved|as reached|reached|is accomplished",
            )
        })?;
        let achieved = after_any(achieved, "mark|set").unwrap_or(achieved);
        self.goal_named(achieved).map(|_| self.with_status(achieved, GoalStatus::Completed))
    }

    fn with_status(&self, goal: &[Token], status: GoalStatus) -> Changes {
        let text = self.text(goal);
        let ask = || Question::new(&format!("Which goal do you mean by \"{text}\"?"), Vec::new());
        let mut operation = Operation::new(Kind::Goal, Action::Update, Some(self.goal_named(goal).ok_or_else(ask)?));
        operation.status = Some(status);
        Ok(vec![operation])
    }

    /// Recognises "set the target of X to 20".
    fn target_value(&self, clause: &[Token]) -> Option<Changes> {
        let rest = after_any(clause, "set|change|raise|lower|update|increase|make").unwrap_or(clause);
        if let Some(at) = (1..rest.len()).find(|at| rest[*at].is("target") && rest[at - 1].lower.ends_with("'s")) {
            let value = after_any(&rest[at + 1..], "to|at|:|is")?;
            let mut operation = Operation::new(Kind::Goal, Action::Update, Some(self.goal_named(&rest[..at])?));
            operation.target_progress_value = Some(Some(number(without_marks(value).first()?)?));
            return Some(Ok(vec![operation]));
        }
        let rest = after_any(
            rest,
            "the goal for|goal for|the target of|the target for|target of|target for|the target value of|the target on",
        )?;
        let (goal, value) = around(rest, "to|at|:|is")?;
        let mut operation = Operation::new(Kind::Goal, Action::Update, Some(self.goal_named(goal)?));
        operation.target_progress_value = Some(Some(number(without_marks(value).first()?)?));
        Some(Ok(vec![operation]))
    }

    /// Recognises "set the progress of X to 5", "X is at 5 of 12", "X: 5 done". Uses the last number that is not part
    /// of the goal's title.
    fn progressed(&self, clause: &[Token]) -> Option<Changes> {
        let is_part = |three: &[Token]| number(&three[0]).is_some() && three[1].is("of") && number(&three[2]).is_some();
        let has_progress = clause.windows(3).any(is_part)
            || clause.iter().any(|token| token.is_one_of("progress|at|:|far|to|reached|log|record|for|on|goal"));
        if !has_progress {
            return None;
        }
        let logs = clause[0].is_one_of("log|record|track");
        let speaks_of_goal = clause.iter().any(|token| token.is_one_of("progress|goal"));
        (0..clause.len()).rev().find_map(|at| {
            let value = number(&clause[at])?;
            let tail = &clause[at + 1..];
            let whole = after(tail, "of")
                .or_else(|| after(tail, "out of"))
                .filter(|rest| rest.first().and_then(number).is_some());
            let tail = whole.map_or(tail, |rest| &rest[1..]);
            let tail = tail
                .get(1..)
                .filter(|_| tail.len() == 1 || tail.get(1).is_some_and(|next| next.is_one_of("so|done|now")))
                .unwrap_or(tail);
            let mut named: Vec<Token> =
                clause[..at].iter().chain(tail).filter(|token| !token.is_one_of(&OF_PROGRESS)).cloned().collect();
            let is_explicit = whole.is_some() || logs;
            if named.is_empty() && is_explicit {
                named = whole_unit(&clause[at + 1..]);
            }
            // A match by a single word requires a word of progress.
            let enough = speaks_of_goal || is_explicit || named.len() > 1 || named.iter().any(|token| token.quoted);
            let goal = self.goal_named(&named).filter(|_| enough)?;
            Some(Ok(vec![at_value(goal, value)]))
        })
    }

    /// Recognises "I've read 5 books so far", with a goal "Read 12 books". "2 more books" are added to the progress.
    fn progress_report(&self, clause: &[Token]) -> Option<Changes> {
        // "That's 7 books read": the verb is at the end.
        let reordered = after_any(clause, "that's|that is|that makes it|that makes")
            .and_then(|rest| rest.split_last())
            .map(|(verb, rest)| [std::slice::from_ref(verb), rest].concat());
        let clause = reordered.as_deref().unwrap_or(clause);
        let after_subject = after_any(clause, past_forms::SUBJECTS).unwrap_or(clause);
        let (verb, object) = after_subject.split_first().filter(|(verb, _)| !verb.quoted)?;
        let (at, value) = object.iter().take(4).enumerate().find_map(|(at, token)| Some((at, number(token)?)))?;
        let is_added = object.get(at + 1).is_some_and(|next| next.is_one_of("more|further|additional|extra"))
            || at.checked_sub(1).is_some_and(|before| object[before].is("another"));
        let object = before_end(object, "so far|already|now|by now|this year").unwrap_or(object);
        let nouns: Vec<Token> =
            object.iter().filter(|token| number(token).is_none() && !token.is_one_of(AROUND_NUMBER)).cloned().collect();
        let goals = || self.goals();
        let found = past_forms::presents(&verb.lower)
            .iter()
            .map(|base| matches(&format!("{base} {}", self.text(&nouns)), goals()))
            .find(|found| found.len() == 1 && !nouns.is_empty())?;
        let goal = found[0].id;
        let reached = self.state.goal(goal).and_then(|goal| goal.current_progress_value).filter(|_| is_added);
        Some(Ok(vec![at_value(goal, reached.unwrap_or_default() + value)]))
    }

    fn goals(&self) -> impl Iterator<Item = Candidate<'_>> {
        self.state.candidates(self.today.date, false).filter(|one| one.kind == Kind::Goal)
    }

    /// Returns the only goal that these words match, `None` if there are several.
    fn goal_named(&self, words: &[Token]) -> Option<i64> {
        let words = without_marks(words);
        let words = after_any(words, "the|my|our|a").unwrap_or(words);
        let words = after_any(words, "goal").unwrap_or(words);
        let words = after_any(words, "called|named|to|of|:").unwrap_or(words);
        let words = before_end(words, "goal|goals|goal's").unwrap_or(words);
        match matches(&self.text(words), self.goals())[..] {
            [ref one] => Some(one.id),
            _ => None,
        }
    }
}

/// Returns "books" from "3 of 12 books".
fn whole_unit(tail: &[Token]) -> Vec<Token> {
    tail.iter()
        .filter(|token| number(token).is_none() && !token.is_one_of("of|out|the|done|read|finished|so|far"))
        .cloned()
        .collect()
}

fn at_value(goal: i64, value: f64) -> Operation {
    let mut operation = Operation::new(Kind::Goal, Action::Update, Some(goal));
    operation.current_progress_value = Some(Some(value));
    operation
}

fn without(goal: i64, of: &Candidate<'_>) -> Operation {
    let action = if of.kind == Kind::Goal { Action::RemoveChild } else { Action::RemoveItem };
    let mut operation = Operation::new(Kind::Goal, action, Some(goal));
    match of.kind {
        Kind::Goal => operation.child_id = Some(of.id),
        Kind::Event => operation.event_id = Some(of.id),
        _ => operation.todo_id = Some(of.id),
    }
    operation
}

/// Parses "5", "50%", "2.5", "five"; not an article.
fn number(token: &Token) -> Option<f64> {
    if token.quoted || token.is_one_of("a|an|couple|dozen") {
        return None;
    }
    let text = token.lower.trim_end_matches('%');
    let whole = figures(text, 9).or_else(|| count(text)).map(f64::from);
    let decimal = || text.split_once('.').filter(|(a, b)| figures(a, 9).is_some() && figures(b, 4).is_some());
    whole.or_else(|| decimal().and_then(|_| text.parse().ok()))
}
