//! Recognises questions about what is planned: "what's on tomorrow", "what's due this week", "when is the dentist".
//! [`asked_parts`] returns the parts of a sentence that asks more.
//!
//! Input: a sentence. Output: what it asks about, or `None`; then it is read as a command or as talk. A sentence counts
//! as a question about days only if it contains nothing but the question and the days, so that "list the bike on
//! Friday" stays a todo. Called by [`super::read`], which changes nothing then, and by the assistant for its answer.

use chrono::NaiveDate;

use super::asked_days::{leads, period, period_at};
use super::asked_hours::{AskedHours, asked_hours};
use super::record_questions::of_record;
use super::text::courtesy::plain;
use super::text::phrases::{after_any, has_any, without_marks};
use super::text::tokens::{Token, text_of, tokens};
use super::text::vocabulary::kind_noun;
use super::text::words::{WordList, word_list};
use super::values::day_arithmetic::{minus, plus};
use super::values::times;
use super::{MAX_SENTENCE_CHARS, Today, has_too_many_words};
use crate::record::Kind;

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inquiry {
    /// What is planned from the first to the last day.
    Planned { first: NaiveDate, last: NaiveDate, kind: Option<Kind> },
    /// What was done from the first to the last day. Both are to come if the words name no day that has passed.
    Done { first: NaiveDate, last: NaiveDate },
    /// What was due before today.
    Overdue,
    /// All that is open.
    Open(Option<Kind>),
    /// A record, by words of its title.
    Record(String),
}

/// A part of a sentence, and what it asks about the records. `None` if it asks nothing about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedPart {
    pub text: String,
    pub inquiry: Option<Inquiry>,
    /// The times of day of a question about what is planned.
    pub hours: Option<AskedHours>,
}

/// A longer sentence is one part, since each of its words may begin another one.
const MAX_WORDS_IN_PARTS: usize = 60;

/// Words between two parts of a sentence.
const JOINERS: &str = "and|,|&|plus|then|but|or";

/// Beginnings of questions of any kind.
const QUESTION_STARTS: &str = "who|who's|what|what's|whats|when|when's|where|where's|why|how|how's|which|did|do i|\
    do we|am i|have i|is|are|can|will|does|tell me";

/// Sentences that ask nothing.
const GREETINGS: &str = "hello|hi|hey|good morning|good afternoon|good evening|good night|thanks|thank you|no thanks|\
    no thank you|no worries|yes please|ok|okay|bye|goodbye|there";

/// Phrases before a question.
const BEFORE: &str = "remind me|tell me|let me know|let me see|i want to know|i'd like to know|i'd like to see|\
    i want to see|do you know|please";

/// Beginnings of questions about several records.
static ASKING: WordList = WordList::new(|| word_list(include_str!("words/asking.txt")));

/// Beginnings that are questions only if days follow, with nothing but [`BETWEEN`] before them: "schedule a meeting on
/// Friday" asks for a meeting.
const LISTS: &str = "agenda|my agenda|the agenda|schedule|my schedule|my calendar|my diary|my plans|my day|my todos|\
    my tasks";
const BETWEEN: &str = "for|on|in|of|from|between|and|please";

/// Words of a question that do not say what it is about.
static QUESTION_FILLERS: WordList = WordList::new(|| word_list(include_str!("words/question_fillers.txt")));

/// The longest period that is listed, in days.
const MAX_DAYS: u64 = 366;

/// Days that are listed if the question names none.
const DAYS_AHEAD: u64 = 6;

/// Returns what a sentence asks about.
#[must_use]
pub fn inquiry(sentence: &str, today: Today) -> Option<Inquiry> {
    of_tokens(&super::text::compounds::normalised(&tokens(sentence)), today)
}

/// Like [`inquiry`], for the words of a sentence.
#[must_use]
pub fn of_tokens(sentence: &[Token], today: Today) -> Option<Inquiry> {
    let words = plain(sentence);
    let words = without_marks(after_any(words, BEFORE).unwrap_or(words));
    if words.iter().any(|word| word.quoted || word.is_one_of(".|;|:")) {
        return None;
    }
    of_days(words, today.date)
        .or_else(|| of_time(words, today))
        .or_else(|| of_record(words, today).map(Inquiry::Record))
}

/// Returns the parts of a sentence that is read as talk, each with what it asks about. Greetings are no parts. A
/// question about two days that are apart is two parts with the same text. A sentence that is too long for
/// [`super::read`] is one part, which asks nothing.
#[must_use]
pub fn asked_parts(sentence: &str, today: Today) -> Vec<AskedPart> {
    let not_read = || vec![AskedPart { text: sentence.trim().to_owned(), inquiry: None, hours: None }];
    if sentence.chars().count() > MAX_SENTENCE_CHARS {
        return not_read();
    }
    let words = super::text::compounds::normalised(&tokens(sentence));
    if has_too_many_words(&words) {
        return not_read();
    }
    let mut found = Vec::new();
    if words.len() > MAX_WORDS_IN_PARTS {
        found.push((&words[..], of_tokens(&words, today)));
    } else if let Some(inquiry) = of_tokens(&words, today).filter(|inquiry| !matches!(inquiry, Inquiry::Record(_))) {
        push_asked(&words, inquiry, today, &mut found);
    } else {
        words.split(|word| word.is_one_of(".|!|?|;")).for_each(|part| split_parts(part, today, &mut found));
    }
    let text = |words: &[Token]| text_of(sentence, without_marks(words), |_| false);
    let part = |(words, inquiry): (&[Token], Option<Inquiry>)| {
        let is_planned = matches!(inquiry, Some(Inquiry::Planned { .. }));
        AskedPart { text: text(words), hours: asked_hours(words).filter(|_| is_planned), inquiry }
    };
    found.into_iter().map(part).collect()
}

/// Appends the parts of words without a full stop. A part that asks something is as long as possible.
fn split_parts<'t>(words: &'t [Token], today: Today, found: &mut Vec<(&'t [Token], Option<Inquiry>)>) {
    let is_greeting = |words: &[Token]| after_any(words, GREETINGS).is_some_and(|rest| rest.len() < 2);
    let whole = without_marks(words);
    let words = plain(whole);
    if words.is_empty() || is_greeting(whole) || is_greeting(words) {
        return;
    }
    let inquiry = of_tokens(words, today);
    // In "when is the dentist and who is the president" the second question is no part of the title.
    let joiners: Vec<usize> = (1..words.len()).filter(|at| words[*at].is_one_of(JOINERS)).collect();
    let asks = |at: &&usize| after_any(plain(&words[**at + 1..]), QUESTION_STARTS).is_some_and(|rest| !rest.is_empty());
    let is_whole = matches!(&inquiry, Some(asked) if !matches!(asked, Inquiry::Record(_)));
    if let Some(at) = joiners.iter().find(asks).filter(|_| !is_whole) {
        split_parts(&words[..*at], today, found);
        split_parts(&words[at + 1..], today, found);
        return;
    }
    if let Some(inquiry) = inquiry {
        push_asked(words, inquiry, today, found);
        return;
    }
    match joiners.iter().rev().find_map(|at| Some((at, of_tokens(&words[..*at], today)?))) {
        Some((at, inquiry)) => {
            push_asked(&words[..*at], inquiry, today, found);
            split_parts(&words[at + 1..], today, found);
        }
        None => found.push((words, None)),
    }
}

/// Appends what the words ask, once for each day if they name two days that are apart.
fn push_asked<'t>(words: &'t [Token], inquiry: Inquiry, today: Today, found: &mut Vec<(&'t [Token], Option<Inquiry>)>) {
    match of_each_day(words, today) {
        Some(inquiries) => found.extend(inquiries.map(|inquiry| (words, Some(inquiry)))),
        None => found.push((words, Some(inquiry))),
    }
}

/// Parses a question about two days that do not follow one another: "what's on Monday and Friday", "what is on 1 and 3
/// December". The days between them are not asked for, as they are in "between 1 and 3 December".
fn of_each_day(words: &[Token], today: Today) -> Option<[Inquiry; 2]> {
    let (start, end, (first, last)) = period(words, today.date, is_past(words))?;
    let at = (start..end).find(|at| words[*at].is_one_of("and|or"))?;
    // Of "1 and 3 December" the "1" alone is no day.
    let is_day = |from: usize, until: usize| {
        period_at(&words[from..until], leads(words, from), today.date).is_none_or(|(_, (first, last))| first == last)
    };
    let is_between = start > 0 && words[start - 1].is("between");
    if is_between || plus(first, 1) >= last || !is_day(start, at) || !is_day(at + 1, end) {
        return None;
    }
    let of_day = |day: NaiveDate| {
        let day = [Token::made("on"), Token::made(&day.to_string())];
        let asked = of_tokens(&[&words[..start], &day[..], &words[end..]].concat(), today);
        asked.filter(|asked| matches!(asked, Inquiry::Planned { .. } | Inquiry::Done { .. }))
    };
    Some([of_day(first)?, of_day(last)?])
}

/// Parses a question about a time of day, of which [`asked_hours`] returns the hours: "am I free tomorrow at 2pm".
/// Without a day the next such time is meant.
fn of_time(words: &[Token], today: Today) -> Option<Inquiry> {
    after_any(words, &ASKING)?;
    let read = |at: usize| times::times(&words[at..]).filter(|(length, _)| *length > 0);
    let (at, (length, (time, _))) = (0..words.len()).find_map(|at| Some(at).zip(read(at)))?;
    let follows_preposition = at > 0 && words[at - 1].is_one_of("after|since");
    let mut rest = [&words[..at - usize::from(follows_preposition)], &words[at + length..]].concat();
    if period(&rest, today.date, is_past(&rest)).is_none() {
        let day = if is_past(&rest) { today.date } else { today.next(time) };
        rest.extend([Token::made("on"), Token::made(&day.to_string())]);
    }
    of_days(&rest, today.date)
}

/// Parses a question about several records.
fn of_days(words: &[Token], today: NaiveDate) -> Option<Inquiry> {
    let asked = after_any(words, &ASKING);
    let rest = asked.or_else(|| after_any(words, LISTS))?;
    let period = period(rest, today, is_past(words));
    let (start, end) = period.map_or((0, 0), |(start, end, _)| (start, end));
    let others = || rest[..start].iter().chain(&rest[end..]);
    let known = |word: &Token| match asked {
        Some(_) => word.is_mark() || word.is_one_of(&QUESTION_FILLERS) || kind_noun(&word.lower).is_some(),
        None => word.is_mark() || word.is_one_of(BETWEEN),
    };
    if !others().all(known) || (asked.is_none() && period.is_none()) {
        return None;
    }
    let kind = others().find_map(|word| {
        kind_noun(&word.lower).or(word.is_one_of("meeting|meetings|appointment|appointments").then_some(Kind::Event))
    });
    let days = period.map(|(_, _, days)| days);
    // In "what did I have to do" the "to" asks for what is planned, in "from Friday to Sunday" it does not.
    let before = words.len() - rest.len();
    let is_to_do = [&words[..before + start], &words[before + end..]].iter().any(|part| has_any(part, "need|needs|to"));
    if has_any(words, "miss|missed") {
        return Some(Inquiry::Overdue);
    }
    if asks_done(words) && !is_to_do {
        let (first, last) = days.unwrap_or((minus(today, DAYS_AHEAD)?, today));
        return Some(Inquiry::Done { first, last: if first > today { last } else { last.min(today) } });
    }
    if has_any(words, "overdue|late") {
        return Some(Inquiry::Overdue);
    }
    match days {
        Some((first, last)) => {
            let first = if last < today { first } else { first.max(today) };
            Some(Inquiry::Planned { first, last: last.min(plus(first, MAX_DAYS)), kind })
        }
        // "What" alone asks nothing.
        None if rest.is_empty() => None,
        None if kind.is_some() || has_any(words, "everything|all|open|left|list") => Some(Inquiry::Open(kind)),
        None => Some(Inquiry::Planned { first: today, last: plus(today, DAYS_AHEAD), kind }),
    }
}

/// Matches "what have I done" and "what did I do". "What needs to be done" is not about the past.
fn asks_done(words: &[Token]) -> bool {
    (has_any(words, "did") && !asks_plan(words))
        || (has_any(words, "done|finished|completed") && has_any(words, "have|i've"))
}

/// Matches "what did I plan for next week", which asks for what is planned.
fn asks_plan(words: &[Token]) -> bool {
    words
        .windows(3)
        .any(|three| three[0].is("did") && three[1].is_one_of("i|we") && three[2].is_one_of("plan|schedule"))
}

/// Returns whether the days of a question have passed: "what did I do on Friday", "what was on Friday".
fn is_past(words: &[Token]) -> bool {
    // "What do I have to have done by Friday" is about a day to come.
    let is_duty = words.windows(2).any(|pair| pair[1].is("to") && pair[0].is_one_of("have|has|got|need|needs"));
    (has_any(words, "did|was") && !asks_plan(words)) || (asks_done(words) && !is_duty && !has_any(words, "need|needs"))
}
