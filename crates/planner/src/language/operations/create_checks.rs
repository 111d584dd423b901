//! Decides when to ask instead of adding a record: the sentence is too vague, the record exists, or the sentence is
//! only a statement.
//!
//! Input: a title with the words it was parsed from. Output: nothing, or the question. Called by [`super::create`].

use super::titles::{EMPTY_TITLES, PLANS, is_meaningless, is_talk, only_pronouns};
use chrono::NaiveDate;

use crate::language::commands::guard::means_all;
use crate::language::text::numbers;
use crate::language::text::past_forms::presents;
use crate::language::text::phrases::{self, has_any, listed};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{self, TASK_VERBS, begins_with_task_verb};
use crate::language::values::dates;
use crate::language::values::exceptions::leaves_days_out;
use crate::language::values::repeats;
use crate::language::values::when::When;
use crate::language::{Question, Reader};
use crate::matching::{Candidate, ClarifyOption, matches, ranked_options, tokens as title_words};
use crate::operation::Operation;
use crate::record::Kind;
use crate::time_of_day::TimeOfDay;

/// Maximum length of a sentence without a leading verb. A longer one is more likely talk than a task.
const MAX_BARE_WORDS: usize = 6;

/// Units of time that precede "before" and "after".
const UNITS: &str = "minute|minutes|min|mins|hour|hours|day|days|week|weeks|month|months|fortnight|night|evening";

/// Finite verbs of people: what they do or want.
const FINITE: &str = "can|can't|cannot|could|couldn't|wants|asked|said|says|would|won't|thinks|prefers|suggested|\
    suggests|proposed|might|isn't|\
    doesn't|didn't|has|wouldn't|wasn't|told|moved|knows|thought|called|cancelled|went|came|rang|phoned|texted|emailed|\
    slipped|happened|forgot|left";

impl Reader<'_> {
    /// Returns the question about a record that should not be added as it is. `certain`: the user asked for it
    /// explicitly, with "add", "remind me to" and the like.
    pub(super) fn check_new(&self, title: &str, words: &[Token], when: &When, certain: bool) -> Result<(), Question> {
        // "Meeting on 30 February" is too vague without its day, which is what to ask about.
        let names_impossible = when.impossible.is_some() && title.contains(char::is_alphabetic);
        if is_too_vague(title, words, when) && !names_impossible {
            return Err(Question::new("What should be added?", Vec::new()));
        }
        self.check_when(title, words, when)?;
        if vocabulary::asked_count(words).is_some_and(|count| count > 1) {
            return Err(Question::new("Records are added one by one. What should be the first?", Vec::new()));
        }
        let unused = words.iter().zip(&when.used).filter(|(word, used)| !**used && !word.is_mark());
        let kept: Vec<&Token> = unused.map(|(word, _)| word).collect();
        let topic = words.iter().position(|word| word.is(":")).map(|at| &words[..at]).filter(|topic| topic.len() > 1);
        let of_known = !certain && topic.is_some_and(|topic| self.is_one(topic));
        if is_meaningless(&kept) {
            return Err(self.ask_what(title));
        }
        // "Dentist, Monday 23rd, 14:20" contains everything that a new event needs.
        let is_event = kept.len() == 1 && phrases::listed(&vocabulary::EVENTS, &kept[0].lower);
        let is_new_event =
            is_event && !self.is_series(title) && when.date.is_some() && when.time.is_some() && kept[0].text.len() > 4;
        // "Add a meeting with Tom on Monday at 10" is an additional meeting.
        let names_time = certain && when.date.is_some() && when.time.is_some();
        let another = names_time && super::titles::kind_of(title, when) == Kind::Event;
        if of_known || (!another && self.is_there_already(title, &kept, certain || is_new_event)) {
            // The options are not shown if selecting one changes nothing.
            let options = self.options_like(title);
            let known = options.first().map(|of| format!(": \"{}\"", of.title)).unwrap_or_default();
            let repeats =
                |of: &ClarifyOption| self.state.item(of.kind, of.id).is_some_and(|item| item.recurrence.repeats());
            let is_series = when.date.is_none() && options.first().is_some_and(repeats);
            let what = if is_series { "all of it" } else { "it" };
            let text = format!(
                "\"{title}\" is there already, or something like it{known}. Should {what} be changed, or another be \
                 added?"
            );
            return Err(Question::new(&text, options));
        }
        if certain {
            return Ok(());
        }
        if self.is_statement(&kept, words, when) || self.acts_on_known(&kept, words) {
            return Err(self.ask_what(title));
        }
        if when.has_schedule() || when.priority.is_some() || words.iter().any(|word| word.quoted) {
            return Ok(());
        }
        self.check_bare(title, words)
    }

    /// Asks about a day or time that is unclear, past or does not exist.
    fn check_when(&self, title: &str, words: &[Token], when: &When) -> Result<(), Question> {
        if let Some(found) = &when.impossible {
            return Err(Question::new(&format!("{} When should \"{title}\" be?", found.why), Vec::new()));
        }
        if when.vague && when.repeat.is_some() && leaves_days_out(words) {
            return Err(days_left_out(title));
        }
        if let Some((first, second)) = when.two_times.filter(|_| when.is_ambiguous && !when.vague) {
            let is_range = has_any(words, "to|until|till|through|-|–|—");
            return Err(Question::new(&at_two_times(title, first, second, is_range), Vec::new()));
        }
        let passed = when.date.filter(|day| *day < self.today.date);
        let is_range = self.names_range(words, when);
        let text = match passed {
            _ if when.vague => format!("On which day should \"{title}\" be?"),
            Some(day) => format!("{day} has passed. On which day should \"{title}\" be?"),
            None if when.has_passed(self.today) => {
                let time = when.time.map(|time| time.to_string()).unwrap_or_default();
                format!("{time} today has passed. When should \"{title}\" be?")
            }
            None if when.date.is_some_and(|day| continues_until(words, when, day, self.today.date)) => format!(
                "Should \"{title}\" be done once, or every day? Say, for example, \"by 3 May\" or \"every day until \
                 3 May\"."
            ),
            None if when.is_ambiguous && is_range => format!(
                "A record is on one day, not on several in a row. On which day does \"{title}\" begin? Or say, for \
                 example, \"every day from 3 May until 10 May\"."
            ),
            None if when.is_ambiguous || names_more_days(words, when) => {
                format!("Which of the days should \"{title}\" be on?")
            }
            None => {
                let Some(other) = counted_from(words, when) else { return Ok(()) };
                format!(
                    "Days and times are not counted from \"{}\". On which day should \"{title}\" be? Say the day \
                     itself, such as \"on 3 May\".",
                    self.text(other)
                )
            }
        };
        Err(Question::new(&text, Vec::new()))
    }

    /// Matches "from 20 December to 3 January", "4-6 May": the first and the last of several days.
    fn names_range(&self, words: &[Token], when: &When) -> bool {
        let joins = |at: usize| {
            at > 0
                && when.used[at - 1]
                && words[at].is_one_of("to|until|till|through|-|–|—")
                && dates::day(&words[at + 1..], self.today.date, true).is_some()
        };
        (0..words.len()).any(|at| dates::day_range(&words[at..]).is_some() || joins(at))
    }

    /// Returns the change of the record that the user selected instead of adding another one: "pay the rent tomorrow",
    /// where it exists. Of a record that repeats only the time is changed, since with a day one of its days or all may
    /// be meant.
    pub(super) fn changed_instead(
        &self,
        title: &str,
        words: &[Token],
        when: &When,
    ) -> Option<Result<Operation, Question>> {
        let [id] = self.selection.ids[..] else { return None };
        let is_clear = when.has_schedule() && when.repeat.is_none() && !when.vague && !when.is_ambiguous;
        if !is_clear || !self.is_only_clause || when.date.is_some_and(|day| day < self.today.date) {
            return None;
        }
        let open = self.state.candidates(self.today.date, false).filter(|one| one.kind != Kind::Goal);
        let of = matches(title, open).into_iter().find(|one| one.id == id)?;
        let is_single = self.item(&of).is_ok_and(|item| !item.recurrence.repeats());
        let names_time = when.date.is_none() && when.time.is_some() && !when.no_date;
        (is_single || names_time).then(|| self.moved(&of, when, words))
    }

    /// Returns whether the sentence is a statement ("Anna asked if we could do 4pm", "bins are out", "the invoice is on
    /// Friday") or an alternative with "or".
    fn is_statement(&self, kept: &[&Token], words: &[Token], when: &When) -> bool {
        let of_others = kept.len() > 2
            && !kept[0].quoted
            && !kept[0].is_one_of(&TASK_VERBS)
            && kept[1..3].iter().any(|word| word.is_one_of(FINITE));
        let verb = (1..words.len()).find(|at| {
            words[*at].is_one_of("is|are|was|were|isn't|aren't|have|has|go|goes|come|comes|clashes|overlaps")
        });
        let of_known = verb.is_some_and(|at| self.is_one(&words[..at]));
        let of_definite = !when.used[0]
            && words[0].is_one_of("the|that|this|my|our")
            && has_any(words, "is|are|was|were|should|needs|has|isn't|will|moved|shifted|slipped|changed");
        let either = kept.iter().any(|word| word.is("or"));
        // "Work on Saturday from 10" is planned.
        let is_work = matches!(kept, [only] if only.is("work")) && when.date.is_some() && when.time.is_some();
        either || (is_talk(kept) && !is_work) || of_others || of_known || of_definite || self.is_done_by_other(kept)
    }

    /// Matches "Sara paid the rent", where paying the rent is open.
    fn is_done_by_other(&self, kept: &[&Token]) -> bool {
        let [who, verb, object @ ..] = kept else { return false };
        let object: Vec<Token> = object.iter().map(|word| (*word).clone()).collect();
        let is_past = !verb.quoted && !presents(&verb.lower).is_empty();
        is_past && !who.quoted && !who.is_one_of(&TASK_VERBS) && self.is_one(&object)
    }

    /// Matches "Swap the two meetings", "quit meditating": an unknown verb with an existing record as its object.
    fn acts_on_known(&self, kept: &[&Token], words: &[Token]) -> bool {
        let ends_known = words[0].is_one_of("quit|stop|pause|resume|skip|restart") && self.is_one(&words[1..]);
        let [verb, object, rest @ ..] = kept else { return ends_known };
        let rest: Vec<Token> = rest.iter().map(|word| (*word).clone()).collect();
        let changes = !verb.is_one_of(&TASK_VERBS)
            || verb.is_one_of("swap|merge|combine|split|change|move|archive|switch|make|set|turn|give");
        let definite = object.is_one_of("the|my|our|both|those|these");
        // "Call the meeting Catch-up" does not identify the meeting.
        let noun = rest.first().is_some_and(|noun| {
            phrases::listed(&vocabulary::EVENTS, &noun.lower) || vocabulary::kind_noun(&noun.lower).is_some()
        });
        let names = verb.is_one_of("call|name") && definite && rest.len() > 1 && noun;
        // "Make meditation at 8". "Make lunch" is a thing to do, whatever "Lunch with Sara" is.
        let resets = rest.is_empty() && verb.is_one_of("make|set|change|move|switch") && self.is_whole_title(object);
        ends_known || names || resets || (changes && definite && self.mentions_existing(&rest))
    }

    /// Checks a sentence without a command, a day or a priority. It creates a todo if it begins like one.
    fn check_bare(&self, title: &str, words: &[Token]) -> Result<(), Question> {
        let about_plans = words.iter().any(|word| word.is_one_of("my|the|our"))
            && words.last().is_some_and(|word| word.is_one_of(PLANS));
        let points = words[0].is_one_of("the|that|this|those|these|my|our");
        let pronoun = has_any(
            words,
            "it|that|this|them|these|those|you|him|her|everything|stuff|usual|thing|things|something|someone",
        );
        let too_short = words.len() < 2;
        if about_plans
            || points
            || pronoun
            || too_short
            || in_month(words)
            || means_all(words)
            || !(begins_with_task_verb(words) || words.len() <= MAX_BARE_WORDS)
        {
            return Err(self.ask_what(title));
        }
        Ok(())
    }

    /// Returns whether the title has only words of an open record: "Milk tomorrow", where "Buy milk" exists. A record
    /// that is asked for explicitly is an additional one, unless its title is identical.
    fn is_there_already(&self, title: &str, kept: &[&Token], certain: bool) -> bool {
        let words = title_words(title);
        let open = self.state.candidates(self.today.date, false).filter(|one| one.kind != Kind::Goal);
        let named: Vec<_> = matches(title, open).into_iter().map(|one| title_words(one.title)).collect();
        let same = named.contains(&words);
        // "Put the bins out", where "take out the bins" exists.
        if !certain && kept.len() > 2 && kept[0].is("put") {
            let put: Vec<Token> = kept[1..].iter().map(|word| (*word).clone()).collect();
            return self.matches_any_title(&put);
        }
        let by_verb = kept.len() > 1 && kept[0].is_one_of(&TASK_VERBS);
        same || (!certain && !by_verb && !named.is_empty())
    }

    /// Returns whether a repeating record has this title, so that it already has an occurrence on the day.
    fn is_series(&self, title: &str) -> bool {
        let repeats =
            |one: &Candidate<'_>| self.state.item(one.kind, one.id).is_some_and(|item| item.recurrence.repeats());
        matches(title, self.state.candidates(self.today.date, false)).iter().any(repeats)
    }

    fn options_like(&self, title: &str) -> Vec<ClarifyOption> {
        ranked_options(title, self.state.candidates(self.today.date, false))
    }

    pub(in crate::language) fn ask_what(&self, title: &str) -> Question {
        let text = format!("What should be done with \"{title}\": add it, or change something that is there?");
        Question::new(&text, self.options_like(title))
    }
}

/// Returns the question about a record at two times. If they are a range whose end is earlier, it is past midnight.
fn at_two_times(title: &str, first: TimeOfDay, second: TimeOfDay, is_range: bool) -> String {
    if is_range && second < first {
        return format!(
            "\"{title}\" would be at {first} and at {second}. An event ends on the day on which it begins: if it lasts \
             past midnight, say \"from {first} to midnight\", and add the rest to the next day."
        );
    }
    format!(
        "Should \"{title}\" be at {first} or at {second}? A record has one time. Say each thing with its own time in a \
         sentence of its own, or the time of one alone."
    )
}

/// Matches "Holiday in August", which does not name a day.
fn in_month(words: &[Token]) -> bool {
    let [.., lead, month] = words else { return false };
    let is_short = words.len() < 5 && !has_any(words, "the|my|our");
    is_short
        && lead.is_one_of("in|next|this")
        && numbers::month(&month.lower).is_some()
        && !begins_with_task_verb(words)
}

/// Returns the question about a repetition that leaves days out.
pub(super) fn days_left_out(title: &str) -> Question {
    let text = format!(
        "Days cannot be left out of a repetition. On which days is \"{title}\"? Say, for example, \
         \"every Monday and Thursday\"."
    );
    Question::new(&text, Vec::new())
}

/// Matches "wake Max up until the end of November", without a rule. Of what is finished, "until" gives the last day.
fn continues_until(words: &[Token], when: &When, day: NaiveDate, today: NaiveDate) -> bool {
    const FINISHING: &str =
        "finish|complete|submit|hand|send|pay|return|renew|register|apply|sort|reply|answer|get|buy";
    let leads = |at: usize| words[at].is_one_of("until|till") && when.used[at] && when.used.get(at + 1) == Some(&true);
    let finishes =
        words.iter().zip(&when.used).find(|(_, used)| !**used).is_some_and(|(word, _)| word.is_one_of(FINISHING));
    let is_once = when.repeat.is_none() && when.end_time.is_none() && !when.all_day && !finishes;
    is_once && (day - today).num_days() > 1 && (0..words.len()).any(leads)
}

/// Returns what a day or time is counted from, if it is not a day: "the meeting" in "two days before the meeting".
fn counted_from<'t>(words: &'t [Token], when: &When) -> Option<&'t [Token]> {
    if when.date.is_some() || when.repeat.is_some() {
        return None;
    }
    (1..words.len()).find_map(|at| {
        let (unit, other) = (&words[at - 1], words.get(at + 1)?);
        let counts = words[at].is_one_of("before|after") && !when.used[at] && unit.is_one_of(UNITS);
        // "Read day after day".
        (counts && !other.is_mark() && other.lower != unit.lower).then(|| &words[at + 1..])
    })
}

/// Matches "gym mon wed fri", "gym Mon-Thu": a day of the week that was not read, next to one that was, or several in
/// one word.
fn names_more_days(words: &[Token], when: &When) -> bool {
    let is_day = |at: usize| !words[at].quoted && numbers::weekday(&words[at].lower, true).is_some();
    let are_days =
        |at: usize| is_day(at - 1) && is_day(at) && repeats::are_alike(&words[at - 1].lower, &words[at].lower);
    let names_day = |name: &str| numbers::weekday(name, true).is_some();
    let is_range = |word: &Token| {
        let ends = word.lower.split_once(['-', '–']).filter(|_| !word.quoted);
        ends.is_some_and(|(first, last)| names_day(first) && names_day(last))
    };
    let mut unused = words.iter().zip(&when.used).filter(|(_, used)| !**used);
    unused.any(|(word, _)| is_range(word))
        || (1..words.len()).any(|at| are_days(at) && when.used[at - 1] != when.used[at])
}

fn is_too_vague(title: &str, words: &[Token], when: &When) -> bool {
    let lower = title.to_lowercase();
    let bare = lower.trim_start_matches("the ").trim_start_matches("a ").trim_start_matches("my ");
    let no_letters = !title.contains(char::is_alphabetic);
    let unit = |word: &Token| word.is_one_of("minutes|minute|mins|hours|hour");
    let length_alone = matches!(words, [_, last] if unit(last)) || matches!(words, [until, _] if until.is("until"));
    // "Shift on Monday from 7 to 3" is work.
    let is_empty = || lower != "shift" || when.date.is_none() || when.time.is_none();
    no_letters
        || length_alone
        || (is_empty() && (listed(&EMPTY_TITLES, bare) || listed(&EMPTY_TITLES, &lower)))
        || only_pronouns(words, when)
}
