//! Resolves the words of a command to records.

use chrono::NaiveDate;

use super::guard::means_all;
use crate::language::text::numbers::figures;
use crate::language::text::phrases::{self, after_any, before_end, listed, without_marks};
use crate::language::text::tokens::{Token, text_of};
use crate::language::text::vocabulary::kind_noun;
use crate::language::values::several_days::{Period, several_days};
use crate::language::values::when::When;
use crate::language::{Question, Reader, Today};
use crate::matching::{Candidate, matches, matches_by_meaning, ranked_options, tokens as title_words};
use crate::record::{Item, Kind};

/// The matching records, or a question.
pub type Found<'a> = Result<Vec<Candidate<'a>>, Question>;

/// Why words do not identify records.
#[derive(Debug)]
pub struct Unresolved {
    question: Question,
    /// Ids of all records that match, including those that the question does not offer. Empty if none matches.
    matched: Vec<i64>,
}

impl Unresolved {
    /// The words match no record.
    fn nothing(question: Question) -> Self {
        Self { question, matched: Vec::new() }
    }
}

/// The matching records, or why they are not identified.
pub type Resolved<'a> = Result<Vec<Candidate<'a>>, Unresolved>;

/// Words that refer to something mentioned before.
const REFERRING_WORDS: &str = "it|that|this|them|these|those|one|ones|thing|things|stuff|something|him|her|last|same";

/// Words that describe a record's recurrence or kind, and occur in few titles.
const DESCRIBING: &str = "daily|weekly|weekday|nightly|regular|recurring|usual|repeating|biweekly|fortnightly|thing|\
    business|job|chore|errand|\
    stuff|paying|doing|making|scheduled|planned|upcoming|whole|series|current|existing|entry|deadline|slot";

/// Words of titles that do not distinguish them.
const INDISTINCT_WORDS: &str = "out|off|back|away|down|over|for|with|from|the|and";

/// Which records a command accepts as a target.
#[derive(Debug, Clone, Copy)]
pub struct TargetFilter {
    /// Whether completed records are included.
    pub done: bool,
    /// Whether goals are included.
    pub goals: bool,
}

impl<'a> Reader<'a> {
    /// Returns the records that the words refer to: one, or several joined by "and". Of several matches, returns those
    /// that the user selected. If nothing matches, or the words mean all records, returns the user's selection in a
    /// sentence of one clause. Otherwise returns a question.
    pub fn resolve(&self, words: &[Token], filter: TargetFilter) -> Found<'a> {
        self.resolve_named(words, filter).or_else(|unresolved| {
            let is_open = unresolved.matched.is_empty() || means_all(words);
            let chosen = if is_open { self.selected_for_unknown(filter) } else { Vec::new() };
            if chosen.is_empty() { Err(unresolved.question) } else { Ok(chosen) }
        })
    }

    /// Like [`Self::resolve`], but several days may follow that are no part of the title: "the review next week" is the
    /// one of them in that week. A record that repeats is returned whatever its days are.
    pub fn resolve_within(&self, words: &[Token], filter: TargetFilter) -> Found<'a> {
        let is_title = || !matches(&self.text(words), self.candidates(filter)).is_empty();
        let period = without_period(words, self.today).filter(|(rest, _)| !means_all(rest) && !is_title());
        let Some((rest, (first, last))) = period else { return self.resolve(words, filter) };
        let item = |one: &Candidate<'a>| self.state.item(one.kind, one.id);
        let is_within = |one: &Candidate<'a>| {
            let next = |item: &Item| item.recurrence.next_from(item.scheduled_for?, first);
            item(one).and_then(next).is_some_and(|day| day <= last)
        };
        let repeats = |one: &Candidate<'a>| item(one).is_some_and(|item| item.recurrence.repeats());
        let named = self.resolve_named(&rest, filter).unwrap_or_default();
        if !named.is_empty() && named.iter().all(|one| repeats(one) || is_within(one)) {
            return Ok(named);
        }
        let text = self.text(&rest);
        match matches(&text, self.candidates(filter).filter(is_within)) {
            found if found.is_empty() => self.resolve(words, filter),
            found if found.len() == 1 => Ok(found),
            found => self.selected_or_ask(&text, found).map_err(|unresolved| unresolved.question),
        }
    }

    /// Like [`Self::resolve`], but words that match nothing are never resolved. For words that may not refer to a
    /// record.
    pub fn resolve_named(&self, words: &[Token], filter: TargetFilter) -> Resolved<'a> {
        let words = without_marks(words);
        // "Both the milk and the passport" names each record.
        let both = after_any(words, "both").filter(|rest| phrases::has_any(rest, "and"));
        let words = both.unwrap_or(words);
        if means_all(words) {
            let matched = self.candidates(filter).map(|one| one.id).collect();
            return Err(Unresolved { question: self.ask_which_one(words), matched });
        }
        self.resolve_list(words, filter)
    }

    /// Returns the records that the user selected as the answer to a question about words that match nothing. With
    /// several clauses it is not known which one that question was about.
    pub(in crate::language) fn selected_for_unknown(&self, filter: TargetFilter) -> Vec<Candidate<'a>> {
        if self.is_only_clause { self.selected(self.candidates(filter)) } else { Vec::new() }
    }

    /// Returns those of the records that the user selected.
    pub(in crate::language) fn selected(&self, records: impl IntoIterator<Item = Candidate<'a>>) -> Vec<Candidate<'a>> {
        records.into_iter().filter(|one| self.selection.ids.contains(&one.id)).collect()
    }

    /// Returns whether all these words occur in a title of an open record. It is then only unclear which record is
    /// meant.
    pub fn matches_any_title(&self, words: &[Token]) -> bool {
        !matches(&self.text(words), self.candidates(TargetFilter { done: false, goals: false })).is_empty()
    }

    /// Returns whether one of these words occurs in the title of an open record.
    pub fn mentions_existing(&self, words: &[Token]) -> bool {
        let is_significant =
            |word: &&Token| !word.is_mark() && word.text.len() > 2 && !word.is_one_of(INDISTINCT_WORDS);
        words.iter().filter(is_significant).any(|word| {
            !title_words(&word.lower).is_empty()
                && !matches(&word.lower, self.candidates(TargetFilter { done: false, goals: true })).is_empty()
        })
    }

    fn ask_which_one(&self, words: &[Token]) -> Question {
        let text = "That would change many records at once, which is not done in one step. Which one do you mean?";
        Question::new(
            text,
            ranked_options(&self.text(words), self.candidates(TargetFilter { done: false, goals: false })),
        )
    }

    /// Returns the open records, or all of them.
    fn candidates(&self, filter: TargetFilter) -> impl Iterator<Item = Candidate<'a>> + use<'a> {
        self.state.candidates(self.today.date, filter.done).filter(move |one| filter.goals || one.kind != Kind::Goal)
    }

    fn resolve_list(&self, words: &[Token], filter: TargetFilter) -> Resolved<'a> {
        let whole = match self.resolve_one(words, filter) {
            Err(whole) => whole,
            found => return found,
        };
        let parts: Vec<&[Token]> = words
            .split(|token| token.is_one_of("and|,|&"))
            .map(without_marks)
            .filter(|part| !part.is_empty())
            .collect();
        if parts.len() < 2 {
            return Err(whole);
        }
        let each: Resolved<'a> = parts
            .into_iter()
            .map(|part| self.resolve_one(part, filter))
            .collect::<Result<Vec<_>, _>>()
            .map(|found| found.into_iter().flatten().collect());
        // Only the question about an ambiguous part offers the records that answer it.
        each.map_err(|part| if whole.matched.is_empty() && !part.matched.is_empty() { part } else { whole })
    }

    fn resolve_one(&self, words: &[Token], filter: TargetFilter) -> Resolved<'a> {
        if let Some(id) = numbered(words) {
            return self.by_id(id);
        }
        let (kind, words) = without_kind(words);
        let (corrected, text) = (corrected_text(words), self.text(words));
        let named = title_words(&corrected);
        if named.is_empty() || named.iter().all(|word| listed(REFERRING_WORDS, word)) {
            return match self.context.previous_id.filter(|_| words.len() == 1) {
                Some(id) => self.by_id(id),
                None => Err(Unresolved::nothing(self.ask("Which one do you mean?", "", filter))),
            };
        }
        let goals = filter.goals && kind == Some(Kind::Goal);
        let of_kind =
            |one: &Candidate<'a>| kind.is_none_or(|kind| one.kind == kind) && (goals || one.kind != Kind::Goal);
        let mut found = matches(&corrected, self.candidates(filter).filter(of_kind));
        if found.is_empty() && kind.is_some() && kind != Some(Kind::Goal) {
            // "The task" is also used for events and habits.
            found = matches(&corrected, self.candidates(filter).filter(|one| one.kind != Kind::Goal));
        }
        if found.is_empty() {
            found = self.by_day(words, filter);
        }
        if found.is_empty() && filter.goals {
            found = matches(&corrected, self.candidates(filter).filter(|one| one.kind == Kind::Goal));
        }
        if found.is_empty() {
            found = self.by_synonym(words, filter, of_kind);
        }
        if found.len() > 1
            && let Some(one) = found.iter().find(|one| Some(one.id) == self.context.mentioned_id)
        {
            return Ok(vec![*one]);
        }
        match found.len() {
            1 => Ok(found),
            0 => {
                let question = format!("Nothing open is called \"{text}\". Which one do you mean?");
                Err(Unresolved::nothing(self.ask(&question, &text, filter)))
            }
            _ => self.selected_or_ask(&text, found),
        }
    }

    /// Returns those of several matches that the user selected, or the question which one is meant.
    fn selected_or_ask(&self, text: &str, found: Vec<Candidate<'a>>) -> Resolved<'a> {
        let chosen = self.selected(found.iter().copied());
        if !chosen.is_empty() {
            return Ok(chosen);
        }
        let matched = found.iter().map(|one| one.id).collect();
        let options = ranked_options(text, found);
        let question = Question::new(&format!("Several match \"{text}\". Which one do you mean?"), options);
        Err(Unresolved { question, matched })
    }

    /// Matches records by a day in the words that is not part of the title: "the review on Thursday".
    fn by_day(&self, words: &[Token], filter: TargetFilter) -> Vec<Candidate<'a>> {
        let words = &without_possessive(words);
        let when = When::read(words, self.today);
        let Some(day) = when.date.filter(|_| !when.is_ambiguous) else { return Vec::new() };
        let rest = text_of(self.sentence, words, |at| when.used[at]);
        let on_day = |one: &Candidate<'a>| self.state.item(one.kind, one.id).is_some_and(|item| is_on(item, day));
        matches(&rest, self.candidates(filter).filter(on_day))
    }

    /// Matches records without descriptive words, and then by synonyms: "the passport thing", "the daily meditation",
    /// "the power bill".
    fn by_synonym(
        &self,
        words: &[Token],
        filter: TargetFilter,
        of_kind: impl Fn(&Candidate<'a>) -> bool,
    ) -> Vec<Candidate<'a>> {
        let remaining: Vec<Token> = words.iter().filter(|word| !word.is_one_of(DESCRIBING)).cloned().collect();
        let text = self.text(&remaining);
        let named = title_words(&text);
        if named.is_empty() || named.iter().all(|word| listed(REFERRING_WORDS, word)) {
            return Vec::new();
        }
        let found = matches(&text, self.candidates(filter).filter(&of_kind));
        if found.is_empty() { matches_by_meaning(&text, self.candidates(filter).filter(of_kind)) } else { found }
    }

    fn by_id(&self, id: i64) -> Resolved<'a> {
        let found = self.candidates(TargetFilter { done: true, goals: true }).find(|one| one.id == id);
        found.map(|one| vec![one]).ok_or_else(|| {
            let text = format!("There is nothing with the number {id}. Which one do you mean?");
            Unresolved::nothing(self.ask(&text, "", TargetFilter { done: false, goals: false }))
        })
    }

    /// Builds a question about words that match nothing, with the records that are most similar. In a sentence of
    /// several clauses there are no options, since a selection would not answer the question.
    fn ask(&self, text: &str, asked: &str, filter: TargetFilter) -> Question {
        if !self.is_only_clause {
            return Question::new(text, Vec::new());
        }
        Question::new(text, ranked_options(asked, self.candidates(TargetFilter { goals: false, ..filter })))
    }

    /// Returns the todo, event or habit, or a question if it is a goal.
    pub fn item(&self, of: &Candidate<'_>) -> Result<&'a Item, Question> {
        self.state.item(of.kind, of.id).ok_or_else(|| Question::new("Which one do you mean?", Vec::new()))
    }

    /// Returns the words as they are written in the sentence.
    pub fn text(&self, words: &[Token]) -> String {
        text_of(self.sentence, words, |_| false)
    }
}

/// Returns the words with typing errors corrected.
fn corrected_text(words: &[Token]) -> String {
    let each: Vec<&str> = words.iter().map(|word| if word.quoted { &*word.text } else { &*word.lower }).collect();
    each.join(" ")
}

/// Turns the possessive into the day: "tomorrow's lunch".
pub(in crate::language) fn without_possessive(words: &[Token]) -> Vec<Token> {
    let mut words = words.to_vec();
    if let Some(first) = words.first_mut().filter(|first| !first.quoted)
        && let Some(day) = first.lower.strip_suffix("'s")
    {
        first.lower = day.to_owned();
    }
    words
}

/// Splits a phrase for several days from the other words: "the gym this week", "next week's run". `None` if there is
/// none, or nothing else.
pub(in crate::language) fn without_period(words: &[Token], today: Today) -> Option<(Vec<Token>, Period)> {
    const LEADS: &str = "for|in|during|over|of|on|throughout|from";
    let mut words = words.to_vec();
    for word in words.iter_mut().filter(|word| word.is_one_of("week's|weekend's|month's")) {
        word.lower.truncate(word.lower.len() - "'s".len());
    }
    let at_word = |at: usize| {
        let lead = usize::from(words[at].is_one_of(LEADS));
        let period = |skipped: usize| {
            several_days(&words[at + skipped..], today.date).map(|(length, period)| (at, at + skipped + length, period))
        };
        period(0).or_else(|| period(lead))
    };
    let (start, end, period) = (0..words.len()).find_map(at_word)?;
    let rest = [&words[..start], &words[end..]].concat();
    (!without_marks(&rest).is_empty()).then_some((rest, period))
}

fn is_on(item: &Item, day: NaiveDate) -> bool {
    item.scheduled_for.is_some_and(|anchor| item.recurrence.occurs_on(anchor, day))
}

/// Parses "#8", "todo 8", "number 8".
fn numbered(words: &[Token]) -> Option<i64> {
    let words = after_any(words, "the").unwrap_or(words);
    let number = |text: &str| figures(text, 9).map(i64::from);
    match words {
        [one] if !one.quoted => number(one.lower.strip_prefix('#')?),
        [noun, number_word] if kind_noun(&noun.lower).is_some() || noun.is_one_of("number|item|no") => {
            number(number_word.lower.trim_start_matches('#'))
        }
        [noun, mark, number_word] if kind_noun(&noun.lower).is_some() && mark.is_one_of("number|no|nr|id|with") => {
            number(number_word.lower.trim_start_matches('#'))
        }
        _ => None,
    }
}

/// Removes "the todo", "my event … task" and returns the kind that it names.
fn without_kind(words: &[Token]) -> (Option<Kind>, &[Token]) {
    let mut rest = words;
    while let Some(first) = rest.first().filter(|token| token.is_one_of("the|my|a|our|that|this")) {
        if rest.len() == 1 {
            break;
        }
        let _ = first;
        rest = &rest[1..];
    }
    if let [first, more @ ..] = rest
        && let Some(kind) = kind_noun(&first.lower).filter(|_| !first.quoted && !more.is_empty())
    {
        let more = after_any(more, "called|named|titled|to|about|:|of").unwrap_or(more);
        return (Some(kind), more);
    }
    for (noun, kind) in [
        ("todo", Kind::Todo),
        ("task", Kind::Todo),
        ("event", Kind::Event),
        ("habit", Kind::Habit),
        ("goal", Kind::Goal),
    ] {
        if let Some(shorter) = before_end(rest, noun).filter(|shorter| !shorter.is_empty()) {
            return (Some(kind), shorter);
        }
    }
    (None, rest)
}
