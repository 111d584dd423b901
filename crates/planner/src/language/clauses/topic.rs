//! Rewrites clauses that name the record first and the change after it into the word order of a command.
//!
//! "Meeting with Tom: push back by an hour" becomes "push meeting with Tom back by an hour"; "Tom called off our
//! meeting" becomes "delete our meeting Tom". Input: a clause. Output: the clause as a command, if its topic is an
//! existing record.

use std::ops::ControlFlow;

use super::word_order::{with_duration_last, with_repetition_last};
use crate::language::Reader;
use crate::language::text::courtesy::plain;
use crate::language::text::numbers;
use crate::language::text::past_forms;
use crate::language::text::phrases::{after, after_any, around, before_end, has_any, without_marks};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{self, WHY};
use crate::language::text::words::{WordList, word_list};
use crate::language::values::priorities::priority_phrase;
use crate::language::values::repeats::Repeat;
use crate::language::values::shift::Shift;
use crate::language::values::when::When;

/// Verbs that take the topic as their object.
const CHANGING_VERBS: &str = "delete|remove|cancel|erase|scrap|get rid of|drop|ditch|bin|rename|mark|set|make|change|\
    repeat|complete|finish|tick off|\
    check off|cross off|tick|archive|prioritise|prioritize|call off|reopen|take|put|stop repeating|call|schedule|\
    note|delay";

/// Words that may follow such a verb if its object came before.
const AFTER_VERB: &str = "to|by|until|till|for|on|as|back|forward|up|off|out|earlier|later|at|from|done|complete|\
    completed|high|low|medium|every|\
    daily|weekly|top|urgent|into|over|in";

/// Phrases that may precede the new day or time.
static NEW: WordList = WordList::new(|| word_list(include_str!("../words/new.txt")));

const DONE: &str = "done|finished|complete|completed|sorted|all done|is done|check|tick|✓|✔|handled|taken care of|\
    out of the way|done and dusted|i did it|\
    i did that|i've done it|i've done that|did it|did that|it's done|that's done|it is done|done already|\
    already done|done now|got it done";

const GONE: &str = "cancelled|canceled|called off|not happening|no longer needed|not needed|not needed any more|\
    not needed anymore|scrap|\
    delete|drop|obsolete|can go|forget it|never mind|scrap it|it's off|it's cancelled|is off|no longer necessary|\
    it's not happening|\
    isn't happening|has been cancelled|we don't need it|i don't need it|not any more|no longer relevant";

/// Subjects of a reason.
const SPEAKERS: &str = "i|i'm|i've|i'll|we|we're|we've|it|it's|he|he's|she|she's|they|they're|they've|that's|there's";
impl Reader<'_> {
    /// Removes reasons and replaced values from a clause. Breaks with the whole command if the rest is one.
    pub(in crate::language) fn cleaned(&self, clause: &[Token]) -> ControlFlow<Vec<Token>, Vec<Token>> {
        if self.renames(clause) {
            return ControlFlow::Break(clause.to_vec());
        }
        let clause = with_repetition_last(self.without_reason(clause));
        let cleaned = self.without_old(&clause);
        // "X not today but tomorrow" is a change of X.
        let moved = || self.target_then_rule(&cleaned).or_else(|| self.target_then_when(&cleaned));
        if cleaned != clause
            && let Some(moved) = moved()
        {
            return ControlFlow::Break(moved);
        }
        let clause = self.made_habit(&cleaned).unwrap_or(cleaned);
        ControlFlow::Continue(with_duration_last(&clause).unwrap_or(clause))
    }

    /// Returns the command if the clause names its place, its start or its topic first, or what the topic needs.
    pub(in crate::language) fn led_by_topic(&self, clause: &[Token]) -> Option<Vec<Token>> {
        self.with_place_after_verb(clause)
            .or_else(|| self.with_start_last(clause))
            .or_else(|| self.topic_first(clause))
            .or_else(|| self.needed(clause))
            .or_else(|| self.works_better(clause))
    }

    /// Returns the command if the clause states a change in other words.
    pub(in crate::language) fn stated(&self, clause: &[Token]) -> Option<Vec<Token>> {
        self.called_off_by(clause)
            .or_else(|| self.shifted(clause))
            .or_else(|| self.moved_by(clause))
            .or_else(|| self.wanted_by(clause))
            .or_else(|| self.instead_of_it(clause))
            .or_else(|| self.rule_statement(clause))
            .or_else(|| self.only_on(clause))
            .or_else(|| self.more_time(clause))
            .or_else(|| self.called(clause))
            .or_else(|| self.rather(clause))
            .or_else(|| self.begun_at(clause))
            .or_else(|| self.got_done(clause))
            .or_else(|| self.wanted_done(clause))
            .or_else(|| self.without_verb(clause))
            .or_else(|| self.passive_question(clause))
    }

    /// Returns whether the clause is "rename X to …": what follows is the title, word for word.
    fn renames(&self, clause: &[Token]) -> bool {
        let named = after_any(clause, "rename|retitle").and_then(|rest| around(rest, "to|as|into"));
        named.is_some_and(|(target, title)| !title.is_empty() && self.is_one(target))
    }

    /// Removes the reason: "Forget the appointment, I'm not going".
    fn without_reason<'t>(&self, clause: &'t [Token]) -> &'t [Token] {
        let starts = (2..clause.len()).find(|at| {
            let reason = &clause[*at..];
            let after_lead = after_any(reason, "because|since|, because|, since|as|, as|,|-|–|—|(");
            let after_subject = after_lead.and_then(|rest| after_any(rest, SPEAKERS));
            let gives_reason = |rest: &[Token]| {
                let removes =
                    after_any(clause, "cancel|delete|remove|drop|scrap|forget about|forget|ditch|call off|skip");
                let whole = removes
                    .is_some_and(|_| self.is_one(&clause[clause.len() - removes.map_or(0, <[Token]>::len)..*at]));
                (whole || has_any(rest, WHY)) && !When::read(rest, self.today).has_schedule()
            };
            after_subject.is_some_and(gives_reason)
        });
        match starts.map(|at| &clause[..at]) {
            Some(command)
                if verb_of(command).is_some_and(|verb| verb.len() < command.len())
                    || after_any(command, "forget").is_some() =>
            {
                command
            }
            _ => clause,
        }
    }

    /// Recognises "call X 'Y'", if X exists.
    fn called(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let rest = after_any(clause, "call|name|title|rename|retitle")?;
        let shorter = before_end(rest, "from now on|instead|in future|now");
        let rest = shorter.unwrap_or(rest);
        // "Call the milk task Buy oat milk instead".
        let unquoted = (1..rest.len()).find(|at| {
            let named = rest[at - 1].quoted || vocabulary::kind_noun(&rest[at - 1].lower).is_some();
            let renames = clause[0].is_one_of("rename|retitle");
            (renames || shorter.is_some() || named)
                && !rest[at - 1].is_one_of("to|as|into|:|->|=>|on|at|by|for|from|until")
                && rest[*at].text.starts_with(char::is_uppercase)
                && !When::read(&rest[*at..], self.today).covers_all(&rest[*at..])
                && self.is_one(&rest[..*at])
        });
        if let Some(at) = unquoted {
            return Some(joined(&["rename"], &rest[..at], &["to"], &rest[at..]));
        }
        let (title, target) = rest.split_last().filter(|(title, _)| title.quoted)?;
        if target.last().is_some_and(|last| last.is_one_of("to|as|into|:|->|=>")) {
            return None;
        }
        self.is_one(target).then(|| joined(&["rename"], target, &["to"], std::slice::from_ref(title)))
    }

    fn topic_first(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let after_lead = after_any(clause, "as for|regarding|about|concerning|re|as regards|when it comes to|for");
        let clause = after_lead.unwrap_or(clause);
        // "Due date of X: Friday".
        let of_date = after_any(
            clause,
            "the due date of|due date of|due date for|the date of|date of|date for|a new date for|new date for|\
                set a new date for|\
                the time of|time of|new time for|the new date for|the new time for",
        );
        let clause = of_date.unwrap_or(clause);
        let at = (1..clause.len()).find(|at| clause[*at].is_mark())?;
        let (target, rest) = (&clause[..at], plain(&clause[at..]));
        let marked = !clause[at].is(",") || after_lead.is_some();
        if rest.is_empty() || !self.is_one(target) {
            return None;
        }
        self.aimed(target, rest, marked)
    }

    /// Builds the command from the topic and the second half.
    fn aimed(&self, target: &[Token], rest: &[Token], marked: bool) -> Option<Vec<Token>> {
        let whole = |phrases: &str| {
            after_any(rest, phrases).is_some_and(<[Token]>::is_empty)
                || before_end(rest, phrases).is_some_and(<[Token]>::is_empty)
        };
        if whole(DONE) {
            return Some(joined(&["complete"], target, &[], &[]));
        }
        if whole(GONE) {
            return Some(joined(&["delete"], target, &[], &[]));
        }
        if let Some(title) = after_any(
            rest,
            "call it|rename it to|retitle it|rename to|new title|new name|renamed to|now called|should be called|\
                is now called|the new title is",
        ) {
            return Some(joined(&["rename"], target, &["to"], without_marks(title)));
        }
        if self.reports_done(target, rest) {
            return Some(joined(&["complete"], target, &[], &[]));
        }
        if let Some(object) = with_object(target, rest, self.today) {
            return Some(object);
        }
        if Shift::read(rest).is_some() {
            return Some(joined(&["move"], target, &[], rest));
        }
        if priority_phrase(rest).is_some_and(|(length, _)| length == rest.len()) {
            return Some(joined(&["make"], target, &[], rest));
        }
        if let Some((noun, text)) = place_or_note(rest) {
            return Some(joined(&["set", noun, "of"], target, &["to"], text));
        }
        let after_new = after_any(rest, &NEW).map(|rest| after(rest, ":").unwrap_or(rest));
        let when_words = after_new.map_or(rest, |rest| after_any(rest, "now|is|is now|to|on").unwrap_or(rest));
        let when_words = before_end(when_words, "instead|please|now").unwrap_or(when_words);
        let sure = marked || after_new.is_some() || when_words.len() < rest.len();
        let when = When::read(when_words, self.today);
        let verb = if when.repeat.is_some() { "repeat" } else { "move" };
        let to: &[&str] = if when.repeat.is_some() { &[] } else { &["to"] };
        (sure && when.has_schedule() && when.covers_all(when_words)).then(|| joined(&[verb], target, to, when_words))
    }

    /// Returns whether the words contain the verb of the topic's title in the past: "Got it", "booked them".
    fn reports_done(&self, target: &[Token], rest: &[Token]) -> bool {
        let rest = after_any(rest, past_forms::SUBJECTS).unwrap_or(rest);
        let rest = before_end(rest, "already|now|today").unwrap_or(rest);
        let [verb, object @ ..] = rest else { return false };
        let on_it =
            matches!(object, []) || matches!(object, [one] if one.is_one_of("it|that|this|them|those|one|some"));
        let names = |base: String| self.is_one(&[&[Token::made(&base)], target].concat());
        on_it && !verb.quoted && (verb.is_one_of("got|did") || past_forms::presents(&verb.lower).into_iter().any(names))
    }

    /// Recognises "Tom called off our meeting", "they have cancelled parents' evening".
    fn called_off_by(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let (who, what) = around(clause, "called off|cancelled|canceled|scrapped|axed|has called off")?;
        let what = before_end(what, "on us|on me|today|again").unwrap_or(what);
        let who = before_end(who, "has|have|had|has just|have just|just|unfortunately").unwrap_or(who);
        let is_owner = who.first().is_none_or(|first| first.is_one_of("i|i've"));
        if is_owner || what.is_empty() || who.len() > 4 {
            return None;
        }
        let both: Vec<Token> = what.iter().chain(who).cloned().collect();
        let target = if !self.is_one(&both) && self.is_one(what) { what } else { &both };
        self.is_one(target).then(|| joined(&["delete"], target, &[], &[]))
    }

    /// Recognises "The dentist has moved my appointment to Thursday".
    fn moved_by(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let verbs = "has moved|have moved|moved|has pushed|pushed|has postponed|postponed|has rescheduled|rescheduled|\
            wants to move|would like to move|\
            wants to postpone|asked to move|has asked to move|has changed|changed|has shifted|shifted|needs to move|\
            has brought|brought|had to move|would like to postpone";
        let (who, rest) = around(clause, verbs)?;
        let (what, to) = around(rest, "to|until|by|forward|back")?;
        if who.is_empty() || who.len() > 4 || who[0].is_one_of("i|we|i've|we've") || what.is_empty() {
            return None;
        }
        let when = &rest[what.len()..];
        let both: Vec<Token> = what.iter().chain(who).cloned().collect();
        let target = if !self.is_one(&both) && self.is_one(what) { what } else { &both };
        let is_move = Shift::read(when).is_some() || When::read_after("at", to, self.today).has_schedule();
        (is_move && self.is_one(target)).then(|| joined(&["move"], target, &[], when))
    }

    /// Removes the old value from "3pm rather than 2pm".
    fn without_old(&self, clause: &[Token]) -> Vec<Token> {
        let clause = without_marks(clause);
        let names_time = |words: &[Token]| {
            let words = without_marks(words);
            !words.is_empty() && When::read(words, self.today).covers_all(words)
        };
        // "Not today but tomorrow", "instead of Friday, …", "not Friday, …".
        let twice = around(clause, "not").and_then(|(before, rest)| Some((before, around(rest, "but|, but")?)));
        if let Some((before, (old, new))) =
            twice.filter(|(_, (old, _))| names_time(after_any(old, "be").unwrap_or(old)))
        {
            let be = old.first().filter(|first| first.is("be")).cloned();
            return before.iter().cloned().chain(be).chain(new.iter().cloned()).collect();
        }
        if let Some(rest) = after_any(clause, "instead of|rather than|not")
            && let Some((_, rest)) = around(rest, ",").filter(|(old, _)| names_time(old))
        {
            return without_marks(rest).to_vec();
        }
        let found = around(clause, "rather than|instead of|in place of|and not|not").filter(|(new, old)| {
            let old = without_marks(old);
            let (negates, follows_but) = (clause[new.len()].is_one_of("and|not"), before_end(new, "but").is_some());
            let new = When::read(new, self.today);
            let read = When::read(old, self.today);
            // "At 11 instead of 10".
            let read =
                if new.time.is_some() && !read.has_schedule() { When::read_after("at", old, self.today) } else { read };
            // "Every day, but not on Sundays" leaves days out, and "not on Sundays" after a rule without days does too.
            let names_days = |when: &When| matches!(when.repeat, Some(Repeat::On(_) | Repeat::OnEach(..)));
            // "Not Monday" corrects the day of "every Tuesday", while "not on the 23rd" is one of its days.
            let is_its_day = read.date.is_some_and(|day| new.date.is_none_or(|first| day >= first));
            let is_date = !old.iter().any(|word| numbers::weekday(&word.lower, true).is_some());
            let excludes = follows_but || (names_days(&read) && !names_days(&new)) || (is_its_day && is_date);
            if negates && new.repeat.is_some() && excludes {
                return false;
            }
            let is_number = matches!(old, [one] if new.repeat.is_some() && numbers::count(&one.lower).is_some());
            let is_number =
                is_number || after_any(old, "this week|this weekend|this month").is_some_and(<[Token]>::is_empty);
            let all = is_number || read.has_schedule() && read.used.iter().rev().take(old.len()).all(|used| *used);
            !old.is_empty() && all && new.has_schedule()
        });
        found.map_or(clause, |(new, _)| without_marks(new)).to_vec()
    }
}

pub(in crate::language) fn joined(verb: &[&str], target: &[Token], to: &[&str], rest: &[Token]) -> Vec<Token> {
    let made = |words: &[&str]| words.iter().map(|word| Token::made(word)).collect::<Vec<_>>();
    [made(verb), target.to_vec(), made(to), rest.to_vec()].concat()
}

/// Returns the command verb that these words begin with.
pub fn verb_of(tokens: &[Token]) -> Option<&[Token]> {
    let tokens = plain(tokens);
    let rest = after_any(tokens, CHANGING_VERBS).or_else(|| after_any(tokens, &vocabulary::MOVING))?;
    Some(&tokens[..tokens.len() - rest.len()])
}

/// Inserts the topic as the object: "push back by an hour", "move it to Friday", "cancel".
fn with_object(target: &[Token], rest: &[Token], today: crate::language::Today) -> Option<Vec<Token>> {
    let after_verb = after_any(rest, CHANGING_VERBS).or_else(|| after_any(rest, &vocabulary::MOVING))?;
    let verb = &rest[..rest.len() - after_verb.len()];
    let pronoun = after_any(after_verb, "it|that|this|them|these");
    let following = pronoun.unwrap_or(after_verb);
    let read = || When::read(following, today);
    let fits = pronoun.is_some()
        || following.is_empty()
        || following[0].is_one_of(AFTER_VERB)
        || Shift::read(following).is_some()
        || read().covers_all(following);
    fits.then(|| [verb, target, following].concat())
}

fn place_or_note(rest: &[Token]) -> Option<(&'static str, &[Token])> {
    let noun = if after_any(rest, "location|place|venue|where|address|new location|new venue|new place").is_some() {
        "location"
    } else {
        "notes"
    };
    let text = after_any(
        rest,
        "new location|new venue|new place|location|place|venue|address|notes|note|add a note|add a note that|note that",
    )?;
    let text = after_any(text, "is|:|to|that").unwrap_or(text);
    let text = without_marks(text);
    (!text.is_empty()).then_some((noun, text))
}
