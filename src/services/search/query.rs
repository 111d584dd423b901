//! The language of search queries.

use std::collections::BTreeSet;

use aha_content::fold::fold_line;
use aha_core::time::Timestamp;
use aha_store::search_terms::{Forms, forms, forms_of_beginning, is_word_alone};
use chrono::{NaiveDate, NaiveTime, TimeDelta};
use strsim::osa_distance;

use super::{Result, ServiceError};

/// Maximum length of a query.
const MAX_QUERY_CHARS: usize = 1_000;
/// Maximum length of text from the query in a message.
const MAX_SHOWN_CHARS: usize = 60;

/// The filters, and an example of each.
const FILTERS: [(&str, &str); 3] = [("source", "source:NAME"), ("topic", "topic:NAME"), ("since", "since:DATE")];

/// Filters of other tools, with the one that does the same here; empty if none does.
const FILTERS_OF_OTHER_TOOLS: [(&str, &str); 40] = [
    ("after", "since"),
    ("author", ""),
    ("before", ""),
    ("body", ""),
    ("by", ""),
    ("category", "topic"),
    ("content", ""),
    ("date", "since"),
    ("domain", "source"),
    ("ext", ""),
    ("feed", "source"),
    ("filetype", ""),
    ("folder", "topic"),
    ("from", "source"),
    ("has", ""),
    ("host", "source"),
    ("in", ""),
    ("intext", ""),
    ("intitle", ""),
    ("inurl", ""),
    ("is", ""),
    ("label", "topic"),
    ("lang", ""),
    ("language", ""),
    ("newer", "since"),
    ("newer_than", "since"),
    ("older", ""),
    ("older_than", ""),
    ("published", "since"),
    ("site", "source"),
    ("sort", ""),
    ("src", "source"),
    ("subject", ""),
    ("subreddit", "source"),
    ("tag", "topic"),
    ("title", ""),
    ("type", ""),
    ("until", ""),
    ("url", "source"),
    ("user", ""),
];

const QUOTES: [char; 6] = ['"', '“', '”', '„', '«', '»'];

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    And,
    Or,
    Not,
}

impl Operator {
    fn of(word: &str) -> Option<Self> {
        [Self::And, Self::Or, Self::Not].into_iter().find(|operator| operator.name() == word)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::And => "AND",
            Self::Or => "OR",
            Self::Not => "NOT",
        }
    }
}

/// A part of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'q> {
    Operator(Operator),
    Filter { name: &'static str, value: &'q str, is_unwanted: bool },
    Word { text: &'q str, is_quoted: bool, is_unwanted: bool },
}

/// Parses a query.
///
/// # Errors
/// When it is too long, names an unknown filter, has a filter with a minus, two times, or an OR that joins neither
/// words nor filters of one name.
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

/// Splits a query into its parts.
fn parts<'q>(text: &'q str, parsed: &mut Parsed) -> Result<Vec<Part<'q>>> {
    let (mut parts, notes) = (Vec::new(), &mut parsed.notes);
    let mut rest = text.trim();
    while !rest.is_empty() {
        let opened = rest.trim_start_matches('(');
        let (is_unwanted, from) = match opened.strip_prefix('-') {
            Some(from) => (true, from),
            None => (false, opened),
        };
        if is_unwanted && from.starts_with('(') {
            notes.push("parentheses are not read: a minus excludes only the word behind it".to_owned());
        }
        let from = from.trim_start_matches('(');
        let filter = filter_of(from, notes)?;
        let value = filter.map_or(from, |name| &from[name.len() + 1..]);
        let (word, is_quoted, behind) = word_of(value, notes);
        rest = behind.trim_start();
        if let Some(name) = filter {
            let value = if is_quoted || word.contains('(') { word } else { word.trim_end_matches(')') };
            parts.push(Part::Filter { name, value, is_unwanted });
        } else if let Some(operator) = Operator::of(word).filter(|_| !is_quoted && !is_unwanted) {
            parts.push(Part::Operator(operator));
        } else if is_indexed(word, notes) {
            parts.push(Part::Word { text: word, is_quoted, is_unwanted });
        } else {
            parsed.has_other_text |= !word.is_empty() && !is_unwanted;
        }
    }
    Ok(parts)
}

/// Whether a word can be in the index: it has letters or digits, and not too many.
fn is_indexed(word: &str, notes: &mut Vec<String>) -> bool {
    let is_indexed = !forms(word).is_empty();
    if !is_indexed && word.contains(char::is_alphanumeric) {
        let word = shown(word);
        notes.push(format!("{word} was left out: no word of such a length is indexed"));
    }
    is_indexed
}

/// Splits at the closing quotation mark, or at the next white space.
fn word_of<'q>(text: &'q str, notes: &mut Vec<String>) -> (&'q str, bool, &'q str) {
    let Some(quoted) = text.strip_prefix(QUOTES) else {
        let (word, behind) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
        return (word, false, behind);
    };
    let (phrase, behind) = quoted.split_once(QUOTES).unwrap_or_else(|| {
        let phrase = shown(quoted);
        notes.push(format!("the quotation mark before {phrase} is not closed: all behind it was read as one phrase"));
        (quoted, "")
    });
    (phrase, true, behind)
}

/// Returns the filter with which a text begins; `None` if it is a word.
///
/// # Errors
/// When it is probably meant as a filter, but there is none of that name.
fn filter_of(text: &str, notes: &mut Vec<String>) -> Result<Option<&'static str>> {
    let Some((name, value)) = text.split_once(':') else { return Ok(None) };
    let is_name = |c: char| c.is_ascii_alphabetic() || c == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        return Ok(None);
    }
    let known = FILTERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).copied();
    let has_value = !value.is_empty() && !value.starts_with(char::is_whitespace) && !value.starts_with("//");
    match known {
        Some((known, _)) if has_value && known == name => return Ok(Some(known)),
        Some((_, example)) => {
            notes.push(format!(
                "{name}: was searched for as a word; a filter is written in lower case, with its value directly behind \
                 the colon: {example}"
            ));
            return Ok(None);
        }
        None => {}
    }
    if !has_value || name.contains(|c: char| c.is_ascii_uppercase()) {
        return Ok(None);
    }
    let of_other_tools = FILTERS_OF_OTHER_TOOLS.iter().find(|(other, _)| *other == name).map(|(_, same)| *same);
    let similar = || FILTERS.iter().map(|(known, _)| *known).find(|known| osa_distance(name, known) <= 1);
    let Some(nearest) = of_other_tools.or_else(similar) else { return Ok(None) };
    let question = if nearest.is_empty() { ".".to_owned() } else { format!("; did you mean {nearest}:?") };
    let known = FILTERS.map(|(_, example)| example).join(", ");
    Err(ServiceError::invalid(
        "q",
        format!(
            "there is no filter \"{name}:\"{question} The filters are {known}; to search for the text itself, put it \
             in quotation marks"
        ),
    ))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(groups: &[Vec<Term>]) -> Vec<Vec<&str>> {
        groups.iter().map(|group| group.iter().map(|term| term.text.as_str()).collect()).collect()
    }

    /// The words of a query that has no OR, and those that it excludes.
    fn words(query: &str) -> (Vec<String>, Vec<String>) {
        let parsed = parse(query).unwrap();
        assert!(parsed.wanted.iter().all(|group| group.len() == 1), "{query}: {parsed:?}");
        let texts = |terms: Vec<Term>| terms.into_iter().map(|term| term.text).collect();
        (texts(parsed.wanted.concat()), texts(parsed.unwanted))
    }

    fn refusal(query: &str) -> String {
        parse(query).map_or_else(|error| error.to_string(), |parsed| panic!("{query}: {parsed:?}"))
    }

    #[test]
    fn a_query_is_taken_apart() {
        let query = r#"heat "air source" -gas source:wire topic:home since:30d -"district heating" "open"#;
        let (wanted, unwanted) = words(query);
        assert_eq!(wanted, ["heat", "air source", "open"]);
        assert_eq!(unwanted, ["gas", "district heating"]);
        let parsed = parse(query).unwrap();
        assert_eq!((parsed.sources, parsed.topics), (vec!["wire".to_owned()], vec!["home".to_owned()]));
        assert_eq!(parsed.since.as_deref(), Some("30d"));
        assert!(parsed.has_phrase && !parse("heat pump -\"side by side\"").unwrap().has_phrase);
        assert!(parse(&"x".repeat(2_000)).is_err());
    }

    #[test]
    fn a_filter_with_a_minus_is_refused() {
        for query in
            ["heat -source:wire", "-topic:home heat", "heat -since:30d", "heat -source:\"the wire\"", "a NOT source:b"]
        {
            let error = refusal(query);
            assert!(error.contains("leave out the minus"), "{query}: {error}");
        }
        assert_eq!(words("heat -sources -\"source:wire\"").1, ["sources", "source:wire"]);
    }

    #[test]
    fn an_unknown_filter_is_refused_and_text_with_a_colon_is_not() {
        for (query, name) in [("sorce:wire", "source"), ("ferry site:a.example", "source"), ("-topci:x", "topic")] {
            let error = refusal(query);
            assert!(error.contains(&format!("did you mean {name}:?")), "{query}: {error}");
            assert!(error.contains("source:NAME, topic:NAME, since:DATE"), "{error}");
        }
        for query in ["author:ann", "before:2026-01-01", "title:\"a b\""] {
            let error = refusal(query);
            assert!(error.contains("there is no filter") && !error.contains("did you mean"), "{query}: {error}");
        }
        for query in [
            "10:30",
            "https://a.example/x",
            "C++: why",
            "TypeScript: an intro",
            "TypeScript:intro",
            "re:invent",
            "std::vec",
            "title: a story",
            "\"author:ann\"",
            "open source: why",
            "science:fiction",
            "localhost:8080",
        ] {
            assert!(!words(query).0.is_empty(), "{query}");
        }
        assert!(parse("Source:wire").unwrap().notes[0].contains("lower case"));
        assert!(parse("open source: why").unwrap().notes[0].contains("directly behind"));
        assert!(parse("TypeScript: an intro 10:30 https://a.example").unwrap().notes.is_empty());
    }

    #[test]
    fn filters_of_one_name_are_alternatives_and_times_are_not() {
        let parsed = parse("source:a source:\"Hacker News\" topic:x OR topic:y (source:c)").unwrap();
        assert_eq!(parsed.sources, ["a", "Hacker News", "c"]);
        assert_eq!(parsed.topics, ["x", "y"]);
        assert!(refusal("since:7d since:30d").contains("7d and 30d"));
        assert_eq!(parse("since:7d since:7d").unwrap().since.as_deref(), Some("7d"));
        assert!(refusal("source:\"\" ferry").contains("empty value"));
    }

    #[test]
    fn operators_in_capitals_join_words() {
        let parsed = parse("ferry OR boat OR \"night train\" quay AND sea").unwrap();
        assert_eq!(texts(&parsed.wanted), [vec!["ferry", "boat", "night train"], vec!["quay"], vec!["sea"]]);
        assert!(parsed.notes[0].contains("(ferry OR boat OR \"night train\") AND quay AND sea"), "{parsed:?}");
        let parsed = parse("(ferry OR boat)").unwrap();
        assert!(parsed.wanted.len() == 1 && parsed.wanted[0].len() == 2 && parsed.notes.is_empty(), "{parsed:?}");
        assert_eq!(words("ferry AND NOT boat"), (vec!["ferry".to_owned()], vec!["boat".to_owned()]));
        assert!(parse("ferry NOT boat").unwrap().notes[0].contains("read as -boat"));
        assert_eq!(words("ferry \"OR\" or boat").0, ["ferry", "OR", "or", "boat"]);
        assert_eq!(words("Portland OR").0, ["Portland", "OR"]);
        assert!(parse("Portland OR").unwrap().notes[0].contains("searched for as a word"));
        for query in ["-gas OR oil", "gas OR -oil", "gas OR NOT oil"] {
            assert!(refusal(query).contains("excluded word"), "{query}");
        }
        for query in ["gas OR source:a", "source:a OR gas", "topic:a OR source:a"] {
            assert!(refusal(query).contains("two filters of the same name"), "{query}");
        }
        assert_eq!(texts(&parse("ferry ?! OR boat").unwrap().wanted), [["ferry", "boat"]]);
    }

    #[test]
    fn what_is_read_otherwise_than_written_is_noted() {
        let long = format!("ferry {}", "x".repeat(70));
        for (query, note) in [
            ("ferry \"open and", "before open and is not closed"),
            ("“night train", "before night train is not closed"),
            ("fo* f*o *foo", "the * of fo* was ignored"),
            ("ferry -(a b)", "parentheses are not read"),
            (long.as_str(), "no word of such a length"),
        ] {
            let notes = parse(query).unwrap().notes;
            assert!(notes.iter().any(|found| found.contains(note)), "{query}: {notes:?}");
        }
        for query in ["“night train” ferr* C++ & rust", "ferry boat -gas", "NEAR(a ^b {c} col", "日本* OR 天気予報*"]
        {
            assert!(parse(query).unwrap().notes.is_empty(), "{query}");
        }
        assert_eq!(words("“night train” & ?! \0").0, ["night train"]);
        assert!(parse("ferr*").unwrap().wanted[0][0].is_beginning);
    }

    #[test]
    fn a_word_is_searched_for_once() {
        let parsed =
            parse("ferr* ferr* ferry boat OR ferry ferry OR boat OR ferry quay \"quay\" boat OR ferry").unwrap();
        let groups = [vec!["ferr*"], vec!["ferry"], vec!["boat", "ferry"], vec!["ferry", "boat"], vec!["quay"]];
        assert_eq!(texts(&parsed.wanted), groups);
        assert!(parsed.has_phrase && parsed.wanted[0][0].is_beginning, "{parsed:?}");
        assert_eq!(parse(&"ferr* ".repeat(160)).unwrap().wanted.len(), 1);
        assert_eq!(words("ferry -gas -gas -oil").1, ["gas", "oil"]);
    }

    #[test]
    fn invisible_characters_are_left_out_as_in_texts() {
        assert_eq!(words("ener\u{ad}gie \u{202e}ferry quay\u{feff}").0, ["energie", "ferry", "quay"]);
        assert_eq!(parse("source:\u{200b}wire").unwrap().sources, ["wire"]);
    }

    #[test]
    fn since_is_a_date_a_time_or_a_span() {
        let now = Timestamp::from_millis(86_400_000 * 40);
        assert_eq!(since_when("30d", now).unwrap().as_millis(), 86_400_000 * 10);
        assert_eq!(since_when("1970-01-02", now).unwrap().as_millis(), 86_400_000);
        assert_eq!(since_when("1970-01-02T00:00:01Z", now).unwrap().as_millis(), 86_401_000);
        assert!(since_when("yesterday", now).is_err());
    }
}
