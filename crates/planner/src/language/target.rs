//! Which records the words of a command mean.

use chrono::NaiveDate;

use super::guard::means_all;
use super::numbers::figures;
use super::phrases::{after_any, before_end, listed, without_marks};
use super::tokens::{Token, text_of};
use super::vocabulary::kind_noun;
use super::when::When;
use super::{Question, Reader};
use crate::matching::{Candidate, matches, matches_by_meaning, ranked_options, tokens as title_words};
use crate::record::Kind;

/// Records that are meant, or what to ask.
pub type Found<'a> = Result<Vec<Candidate<'a>>, Question>;

/// Words that point at something that was said before.
const PRONOUNS: &str = "it|that|this|them|these|those|one|ones|thing|things|stuff|something|him|her|last|same";

/// Words that say how a record repeats or what it is, and stand in few titles.
const DESCRIBING: &str = "daily|weekly|weekday|nightly|regular|recurring|usual|repeating|biweekly|fortnightly|thing|\
    business|job|chore|errand|\
    stuff|paying|doing|making|scheduled|planned|upcoming|whole|series|current|existing|entry|deadline|slot";

/// Words of titles that tell none from another.
const PARTICLES: &str = "out|off|back|away|down|over|for|with|from|the|and";

/// What a command wants of a target.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Whether records that are done count too.
    pub done: bool,
    /// Whether goals count.
    pub goals: bool,
}

impl<'a> Reader<'a> {
    /// The records that these words mean: one, or with "and" several. Where that is not clear, the owner's selection,
    /// else a question.
    pub fn resolve(&self, words: &[Token], wanted: Wanted) -> Found<'a> {
        let words = without_marks(words);
        // "Both the milk and the passport" names each.
        let both = after_any(words, "both").filter(|rest| super::phrases::has_any(rest, "and"));
        let words = both.unwrap_or(words);
        if means_all(words) {
            return Err(self.ask_each(words));
        }
        match self.resolve_list(words, wanted) {
            Err(question) if !self.selection.ids.is_empty() => {
                let chosen: Vec<_> =
                    self.candidates(wanted).filter(|one| self.selection.ids.contains(&one.id)).collect();
                if chosen.is_empty() { Err(question) } else { Ok(chosen) }
            }
            found => found,
        }
    }

    /// Whether all these words stand in titles of open records, so that it is only not clear which one is meant.
    pub fn names_several(&self, words: &[Token]) -> bool {
        !matches(&self.text(words), self.candidates(Wanted { done: false, goals: false })).is_empty()
    }

    /// Whether a word of these is in the title of an open record.
    pub fn touches_known(&self, words: &[Token]) -> bool {
        let tells = |word: &&Token| !word.is_mark() && word.text.len() > 2 && !word.is_one_of(PARTICLES);
        words.iter().filter(tells).any(|word| {
            !title_words(&word.lower).is_empty()
                && !matches(&word.lower, self.candidates(Wanted { done: false, goals: true })).is_empty()
        })
    }

    fn ask_each(&self, words: &[Token]) -> Question {
        let text = "That would change many records at once, which is not done in one step. Which one do you mean?";
        Question::new(text, ranked_options(&self.text(words), self.candidates(Wanted { done: false, goals: false })))
    }

    /// Open records, or all.
    fn candidates(&self, wanted: Wanted) -> impl Iterator<Item = Candidate<'a>> + use<'a> {
        self.state.candidates(self.today.date, wanted.done).filter(move |one| wanted.goals || one.kind != Kind::Goal)
    }

    fn resolve_list(&self, words: &[Token], wanted: Wanted) -> Found<'a> {
        let whole = self.resolve_one(words, wanted);
        let parts: Vec<&[Token]> = words
            .split(|token| token.is_one_of("and|,|&"))
            .map(without_marks)
            .filter(|part| !part.is_empty())
            .collect();
        if whole.is_ok() || parts.len() < 2 {
            return whole;
        }
        let each: Result<Vec<_>, _> = parts.into_iter().map(|part| self.resolve_one(part, wanted)).collect();
        each.map(|found| found.into_iter().flatten().collect()).map_err(|_| match whole {
            Err(question) => question,
            Ok(_) => Question::new("Which one do you mean?", Vec::new()),
        })
    }

    fn resolve_one(&self, words: &[Token], wanted: Wanted) -> Found<'a> {
        if let Some(id) = numbered(words) {
            return self.by_id(id);
        }
        let (kind, words) = without_kind(words);
        let (said, text) = (said(words), self.text(words));
        let named = title_words(&said);
        if named.is_empty() || named.iter().all(|word| listed(PRONOUNS, word)) {
            return match self.before.filter(|_| words.len() == 1) {
                Some(id) => self.by_id(id),
                None => Err(self.ask("Which one do you mean?", "", wanted)),
            };
        }
        let goals = wanted.goals && kind == Some(Kind::Goal);
        let of_kind =
            |one: &Candidate<'a>| kind.is_none_or(|kind| one.kind == kind) && (goals || one.kind != Kind::Goal);
        let mut found = matches(&said, self.candidates(wanted).filter(of_kind));
        if found.is_empty() && kind.is_some() && kind != Some(Kind::Goal) {
            // "The task" is said of events and habits too.
            found = matches(&said, self.candidates(wanted).filter(|one| one.kind != Kind::Goal));
        }
        if found.is_empty() {
            found = self.by_day(words, wanted);
        }
        if found.is_empty() && wanted.goals {
            found = matches(&said, self.candidates(wanted).filter(|one| one.kind == Kind::Goal));
        }
        if found.is_empty() {
            found = self.by_other_words(words, wanted, of_kind);
        }
        if found.len() > 1
            && let Some(one) = found.iter().find(|one| Some(one.id) == self.spoken_of)
        {
            return Ok(vec![*one]);
        }
        match found.len() {
            1 => Ok(found),
            0 => Err(self.ask(&format!("Nothing open is called \"{text}\". Which one do you mean?"), &text, wanted)),
            _ => {
                let options = ranked_options(&text, found);
                Err(Question::new(&format!("Several match \"{text}\". Which one do you mean?"), options))
            }
        }
    }

    /// "the review on Thursday": a day in the words that is no part of a title says which one.
    fn by_day(&self, words: &[Token], wanted: Wanted) -> Vec<Candidate<'a>> {
        let words = &without_possessive(words);
        let when = When::read(words, self.today);
        let Some(day) = when.date.filter(|_| !when.several) else { return Vec::new() };
        let rest = text_of(self.sentence, words, |at| when.used[at]);
        let on_day = |one: &Candidate<'a>| self.state.item(one.kind, one.id).is_some_and(|item| is_on(item, day));
        matches(&rest, self.candidates(wanted).filter(on_day))
    }

    /// "the passport thing", "the daily meditation", "the power bill": without words that only describe, and by others
    /// that mean the same.
    fn by_other_words(
        &self,
        words: &[Token],
        wanted: Wanted,
        of_kind: impl Fn(&Candidate<'a>) -> bool,
    ) -> Vec<Candidate<'a>> {
        let said: Vec<Token> = words.iter().filter(|word| !word.is_one_of(DESCRIBING)).cloned().collect();
        let text = self.text(&said);
        let named = title_words(&text);
        if named.is_empty() || named.iter().all(|word| listed(PRONOUNS, word)) {
            return Vec::new();
        }
        let found = matches(&text, self.candidates(wanted).filter(&of_kind));
        if found.is_empty() { matches_by_meaning(&text, self.candidates(wanted).filter(of_kind)) } else { found }
    }

    fn by_id(&self, id: i64) -> Found<'a> {
        let found = self.candidates(Wanted { done: true, goals: true }).find(|one| one.id == id);
        found.map(|one| vec![one]).ok_or_else(|| {
            let text = format!("There is nothing with the number {id}. Which one do you mean?");
            self.ask(&text, "", Wanted { done: false, goals: false })
        })
    }

    /// A question with the records that fit best.
    fn ask(&self, text: &str, asked: &str, wanted: Wanted) -> Question {
        Question::new(text, ranked_options(asked, self.candidates(Wanted { goals: false, ..wanted })))
    }

    /// The words as they stand in the sentence.
    pub fn text(&self, words: &[Token]) -> String {
        text_of(self.sentence, words, |_| false)
    }
}

/// The words with slips of the keyboard mended.
fn said(words: &[Token]) -> String {
    let each: Vec<&str> = words.iter().map(|word| if word.quoted { &*word.text } else { &*word.lower }).collect();
    each.join(" ")
}

/// "tomorrow's lunch": the day by which it is named.
pub(super) fn without_possessive(words: &[Token]) -> Vec<Token> {
    let mut words = words.to_vec();
    if let Some(first) = words.first_mut().filter(|first| !first.quoted)
        && let Some(day) = first.lower.strip_suffix("'s")
    {
        first.lower = day.to_owned();
    }
    words
}

fn is_on(item: &crate::record::Item, day: NaiveDate) -> bool {
    item.scheduled_for.is_some_and(|anchor| item.recurrence.occurs_on(anchor, day))
}

/// "#8", "todo 8", "number 8".
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

/// Takes "the todo", "my event … task" off, and says which kind that was.
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
