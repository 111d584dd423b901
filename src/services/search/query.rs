//! The language of search queries.

mod parts;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use aha_content::fold::fold_line;
use aha_content::index_terms::{Forms, forms, forms_of_beginning, is_word_alone};
use aha_core::time::Timestamp;
use chrono::{NaiveDate, NaiveTime, TimeDelta};
use parts::{Operator, Part, parts};

use super::{Result, ServiceError};

/// Maximum length of a query.
const MAX_QUERY_CHARS: usize = 1_000;
/// Maximum number of words and phrases, as each is looked up and compared with each text that is found. A paragraph of
/// the maximum length has fewer.
const MAX_TERMS: usize = 200;
/// Maximum length of text from the query in a message.
const MAX_SHOWN_CHARS: usize = 60;

/// A word or phrase of a query.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Term {
    pub(super) text: String,
    /// Whether all words that begin with it are meant.
    pub(super) is_beginning: bool,
}

impl Term {
    /// Returns the forms in which it is indexed.
    pub(super) fn forms(&self) -> Forms {
        let beginning = if self.is_beginning { forms_of_beginning(&self.text) } else { None };
        beginning.unwrap_or_else(|| forms(&self.text))
    }
}

/// A parsed query.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    /// Of each group one has to occur.
    pub(super) wanted: Vec<Vec<Term>>,
    pub(super) unwanted: Vec<Term>,
    /// Names of which one has to apply; empty for any.
    pub(super) sources: Vec<String>,
    pub(super) topics: Vec<String>,
    pub(super) since: Option<String>,
    /// Whether the query contains a phrase, which excludes entries that are only similar in meaning.
    pub(super) has_phrase: bool,
    /// Whether the query contains something else than words, which is not searched for.
    pub(super) has_other_text: bool,
    /// How parts of it were read that can be meant in another way.
    pub(super) notes: Vec<String>,
}

/// Parses a query.
///
/// # Errors
/// When it
/// - is too long or has too many words,
/// - has a filter that is unknown or has a minus, or `since:` twice,
/// - has an OR that joins neither words nor filters of one name.
pub(super) fn parse(text: &str) -> Result<Parsed> {
    if text.chars().count() > MAX_QUERY_CHARS {
        let why = format!("the query has more than {MAX_QUERY_CHARS} characters; shorten it");
        return Err(ServiceError::invalid("q", why));
    }
    let mut parsed = Parsed::default();
    // As the texts were stored: a pasted word can contain soft hyphens.
    let text = fold_line(text);
    let parts = parts(&text, &mut parsed)?;
    let (mut is_joined, mut is_negated) = (false, false);
    let mut before: Option<Part<'_>> = None;
    for (at, part) in parts.iter().copied().enumerate() {
        if let Part::Operator(operator) = part {
            let (left, right) = (at.checked_sub(1).map(|at| parts[at]), parts.get(at + 1).copied());
            if has_operands(operator, left, right) {
                is_joined |= operator == Operator::Or;
                is_negated |= operator == Operator::Not;
                continue;
            }
            let name = operator.name();
            parsed.notes.push(format!("{name} joins nothing here and was searched for as a word"));
        }
        let part = negated(as_word(part), is_negated, &mut parsed.notes);
        if is_joined {
            check_joined(before, part)?;
        }
        parsed.add(part, is_joined)?;
        before = Some(part);
        (is_joined, is_negated) = (false, false);
    }
    parsed.remove_repeated();
    parsed.check_number()?;
    parsed.note_groups();
    keep_first(&mut parsed.notes);
    Ok(parsed)
}

/// Removes values that are equal to an earlier one.
fn keep_first<T: Ord + Clone>(values: &mut Vec<T>) {
    let mut seen = BTreeSet::new();
    values.retain(|value| seen.insert(value.clone()));
}

/// Whether an operator stands where it can apply; elsewhere it is a word (`Portland OR`).
fn has_operands(operator: Operator, left: Option<Part<'_>>, right: Option<Part<'_>>) -> bool {
    let is_operand = |part: Option<Part<'_>>| matches!(part, Some(Part::Word { .. } | Part::Filter { .. }));
    let is_not = matches!(right, Some(Part::Operator(Operator::Not)));
    match operator {
        Operator::And | Operator::Or => is_operand(left) && (is_operand(right) || is_not),
        Operator::Not => is_operand(right),
    }
}

fn as_word(part: Part<'_>) -> Part<'_> {
    match part {
        Part::Operator(operator) => Part::Word { text: operator.name(), is_quoted: false, is_unwanted: false },
        other => other,
    }
}

/// Applies a NOT before a part.
fn negated<'q>(part: Part<'q>, is_negated: bool, notes: &mut Vec<String>) -> Part<'q> {
    match part {
        Part::Word { text, is_quoted, .. } if is_negated => {
            let word = shown(text);
            notes.push(format!("NOT {word} was read as -{word}; write \"NOT\" in quotation marks to find the word"));
            Part::Word { text, is_quoted, is_unwanted: true }
        }
        Part::Filter { name, value, .. } if is_negated => Part::Filter { name, value, is_unwanted: true },
        other => other,
    }
}

/// Checks what an OR joins.
fn check_joined(left: Option<Part<'_>>, right: Part<'_>) -> Result<()> {
    let why = match (left, right) {
        (Some(Part::Word { is_unwanted: false, .. }), Part::Word { is_unwanted: false, .. }) => return Ok(()),
        (Some(Part::Filter { name, .. }), Part::Filter { name: other, .. }) if name == other => return Ok(()),
        (_, Part::Filter { .. }) | (Some(Part::Filter { .. }), _) => {
            "OR joins two words, or two filters of the same name (source:a OR source:b); leave out the OR, or search \
             twice"
        }
        _ => "OR cannot join an excluded word; leave out the OR, or the minus (or NOT) behind which the word stands",
    };
    Err(ServiceError::invalid("q", why))
}

impl Parsed {
    fn add(&mut self, part: Part<'_>, is_joined: bool) -> Result<()> {
        match part {
            Part::Operator(_) => {}
            Part::Filter { is_unwanted: true, .. } => {
                let why = "-source:, -topic: and -since: are not supported; leave out the minus (or NOT)";
                return Err(ServiceError::invalid("q", why));
            }
            Part::Filter { name, value, .. } => return self.add_filter(name, value),
            Part::Word { text, is_quoted, is_unwanted } => {
                let term = self.term(text, is_quoted);
                if is_unwanted {
                    self.unwanted.push(term);
                    return Ok(());
                }
                self.has_phrase |= is_quoted;
                match self.wanted.last_mut().filter(|_| is_joined) {
                    Some(group) => group.push(term),
                    None => self.wanted.push(vec![term]),
                }
            }
        }
        Ok(())
    }

    fn add_filter(&mut self, name: &'static str, value: &str) -> Result<()> {
        if value.trim().is_empty() {
            let why = format!("{name}: has an empty value; write one directly behind the colon, or leave out {name}:");
            return Err(ServiceError::invalid("q", why));
        }
        match name {
            "source" => self.sources.push(value.to_owned()),
            "topic" => self.topics.push(value.to_owned()),
            _ => self.add_since(value)?,
        }
        Ok(())
    }

    /// Sets the time from which on entries are found.
    ///
    /// # Errors
    /// When another one is set.
    pub(super) fn add_since(&mut self, value: &str) -> Result<()> {
        match &self.since {
            Some(earlier) if earlier != value => {
                let (one, other) = (shown(earlier), shown(value));
                let why = format!("two times are given to search from, {one} and {other}; leave out one of them");
                Err(ServiceError::invalid("since", why))
            }
            _ => {
                self.since = Some(value.to_owned());
                Ok(())
            }
        }
    }

    /// Returns a word as a term.
    fn term(&mut self, text: &str, is_quoted: bool) -> Term {
        let is_beginning = !is_quoted && text.ends_with('*') && forms_of_beginning(text).is_some();
        let word = text.trim_end_matches('*');
        // Behind a character that is a word of its own, anything can follow anyway.
        let has_effect = is_beginning || word.ends_with(is_word_alone);
        let has_ignored_star = word.contains('*') || text.ends_with('*') && !has_effect;
        if has_ignored_star && !is_quoted {
            let word = shown(text);
            self.notes.push(format!("the * of {word} was ignored: it works behind three or more letters of a word"));
        }
        Term { text: text.to_owned(), is_beginning }
    }

    /// Removes words that are given several times, as the database would look up each of them.
    fn remove_repeated(&mut self) {
        self.wanted.iter_mut().for_each(keep_first);
        keep_first(&mut self.wanted);
        keep_first(&mut self.unwanted);
    }

    /// # Errors
    /// When there are too many words and phrases.
    fn check_number(&self) -> Result<()> {
        let terms = self.wanted.iter().map(Vec::len).sum::<usize>() + self.unwanted.len();
        if terms <= MAX_TERMS {
            return Ok(());
        }
        let why = format!(
            "the query has {terms} words and phrases, and at most {MAX_TERMS} are searched for at once; leave out the \
             others"
        );
        Err(ServiceError::invalid("q", why))
    }

    /// Notes how groups were formed if that can be meant in another way.
    fn note_groups(&mut self) {
        if self.wanted.len() < 2 || self.wanted.iter().all(|group| group.len() < 2) {
            return;
        }
        let quoted = |term: &Term| {
            let text = shown(term.text.trim_matches(|c: char| matches!(c, '(' | ')')));
            if text.contains(char::is_whitespace) { format!("\"{text}\"") } else { text }
        };
        let group = |group: &Vec<Term>| {
            let words = group.iter().map(quoted).collect::<Vec<_>>().join(" OR ");
            if group.len() > 1 { format!("({words})") } else { words }
        };
        let read = self.wanted.iter().map(group).collect::<Vec<_>>().join(" AND ");
        self.notes.push(format!(
            "it was read as {read}: OR joins the words next to it; put words that belong together in quotation marks"
        ));
    }
}

/// Returns a text from the query as it is shown in a message.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().filter(|c| !c.is_control()).take(MAX_SHOWN_CHARS).collect();
    if text.chars().count() > MAX_SHOWN_CHARS {
        shown.push('…');
    }
    shown
}

/// Parses `2026-05-01`, an RFC 3339 time, or `30d`.
///
/// # Errors
/// When it is none of these.
pub fn since_when(text: &str, now: Timestamp) -> Result<Timestamp> {
    let days =
        text.strip_suffix('d').and_then(|days| days.parse::<i64>().ok()).filter(|days| (0..=36_500).contains(days));
    if let Some(days) = days {
        let millis = TimeDelta::try_days(days).map_or(0, |days| days.num_milliseconds());
        return Ok(Timestamp::from_millis(now.as_millis() - millis));
    }
    if let Ok(date) = text.parse::<NaiveDate>() {
        return Ok(Timestamp::from_millis(date.and_time(NaiveTime::MIN).and_utc().timestamp_millis()));
    }
    let time =
        chrono::DateTime::parse_from_rfc3339(text).ok().map(|time| Timestamp::from_millis(time.timestamp_millis()));
    time.ok_or_else(|| {
        let given = shown(text);
        let why = format!("\"{given}\" is no time to search from; give a date (2026-05-01), an RFC 3339 time, or 30d");
        ServiceError::invalid("since", why)
    })
}
