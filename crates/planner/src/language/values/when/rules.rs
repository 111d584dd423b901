//! Parses the repetition in a clause, and its end.

use super::When;
use crate::language::Today;
use crate::language::text::numbers::{self, month};
use crate::language::text::phrases;
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::begins_with_task_verb;
use crate::language::values::dates;
use crate::language::values::repeats::{Repeat, repeat_at};
use crate::language::values::spans::{Span, date_span};
use crate::language::values::times::{self, PHRASE_STARTS};
use crate::recurrence::Rule;

impl When {
    /// Parses a repetition. A word of it that is part of a name, such as "the weekly review", is not consumed.
    pub(super) fn read_repeat(&mut self, tokens: &[Token], at: usize) -> Option<usize> {
        let rest = &tokens[at..];
        let (length, found) = repeat_at(tokens, at)?;
        let part = self.read_part_of_day(rest, length);
        // In "the weekly review" the word is a repetition and part of the name.
        let names = length == 1 && at + 1 < tokens.len() && rest[0].lower.ends_with("ly") && is_name(&rest[1]);
        if names {
            let known = matches!(found, Repeat::Rule(_)) && self.repeat.is_none();
            self.repeat = self.repeat.take().or(known.then_some(found));
            self.named_repeat |= known;
            return Some(0);
        }
        // "Every morning and evening" is twice a day.
        let following = rest.get(length + part..).unwrap_or_default();
        self.is_ambiguous |= part > 0
            && following.first().is_some_and(|and| and.is_one_of("and|&|or"))
            && times::bare_part_of_day(following.get(1)).is_some();
        let joined = self.repeat.take().map(|known| joined(&known, &found));
        self.is_ambiguous |= matches!(joined, Some(None)) && !self.named_repeat;
        self.repeat = joined.flatten().or(Some(found));
        Some(length + part)
    }

    /// The end of a repetition: "until June", "through Friday", "for three weeks".
    pub(super) fn read_end(&mut self, rest: &[Token], today: Today) -> Option<usize> {
        let first = rest.first().filter(|_| self.repeats)?;
        let next =
            if rest.get(1).is_some_and(|token| token.is("the")) && rest.get(2).is_some_and(|token| token.is("next")) {
                3
            } else {
                1
            };
        if first.is("for")
            && let Some((length, span)) = date_span(rest.get(next..)?)
        {
            let length = length + next - 1;
            self.extent = Some(span);
            return Some(length + 1);
        }
        let after = phrases::after_any(
            rest,
            "up to and including|until and including|up until|until the|until|till|til|through|ending on|ending|'til|\
                to|\
                up to|ends on|ends|last time|last one on|last one|the last one on|the last one|last session on|\
                last time on|\
                finishing on|finishing|stopping on|stopping after|stopping|but not after|not after|and ending on|\
                with the last one on|\
                the last one being on|final one on|finishes on|finishes|stops on|running until|running to|\
                running through",
        )?;
        let the = usize::from(rest.len() - after.len() == 2 && rest[1].is("the"));
        let more = rest.len() - after.len() - the;
        let more = more + usize::from(rest.get(more).is_some_and(|token| token.is_one_of("on|and")));
        let (length, mut day) = dates::day(rest.get(more..)?, today.date, true)?;
        // In "From 1 April until the end of the month" that month is April.
        if let Some(first) = self.date.filter(|first| day < *first) {
            day = dates::day(rest.get(more..)?, first, true).map_or(day, |(_, day)| day);
        }
        let month_alone = length == 1 && rest.get(more).is_some_and(|token| month(&token.lower).is_some());
        if month_alone {
            // "Until June" ends before June; "through June" includes June.
            let through = first.is("through") || rest.iter().take(more).any(|token| token.is("including"));
            day = if through { Span::months(1).after(day)?.pred_opt()? } else { day.pred_opt()? };
        }
        self.until = Some(day);
        Some(more + length)
    }
}

/// Names of times without a date of their own.
const UNDATED: &str = "advent|lent|ramadan|graduation|term|school|exams|holidays|summer|autumn|winter|spring|birth";

/// Returns the number of words of an end that names no day: "until the exam", "until Advent". In "until I fall asleep"
/// there is none.
pub(super) fn unknown_end(rest: &[Token]) -> Option<usize> {
    const DETERMINERS: &str = "the|my|our|his|her|their|your";
    const MAX_WORDS: usize = 5;
    let named = phrases::after_any(rest, "until after|till after|up until|until|till|til|'til")?;
    let noun = phrases::after_any(named, DETERMINERS).unwrap_or(named);
    let first = noun.first().filter(|first| !first.is_mark())?;
    let is_noun = noun.len() < named.len() || first.text.starts_with(char::is_uppercase) || first.is_one_of(UNDATED);
    if first.text == "I" || first.is_one_of("i'm|i've|i'll") || !is_noun {
        return None;
    }
    // "Until the end of the term", "until Lena is back".
    let continues = |at: &usize| {
        let (before, word) = (&noun[*at - 1], &noun[*at]);
        let belongs = word.is("of") || before.is_one_of("of|is|are|has");
        let begins = word.is_one_of(&PHRASE_STARTS) || begins_with_task_verb(&noun[*at..]);
        !word.is_mark() && !word.is_one_of("every|each|daily|weekly") && (belongs || !begins)
    };
    let length = (1..noun.len().min(MAX_WORDS)).take_while(continues).count();
    Some(rest.len() - noun.len() + 1 + length)
}

/// Combines two parts of one rule: "once a week on Sundays", "every two weeks on Monday". `None` for two different
/// rules.
fn joined(known: &Repeat, found: &Repeat) -> Option<Repeat> {
    match (known, found) {
        (Repeat::Rule(Rule::Weekly), Repeat::On(days)) | (Repeat::On(days), Repeat::Rule(Rule::Weekly)) => {
            Some(Repeat::On(days.clone()))
        }
        (Repeat::Rule(Rule::EveryNDays(days)), Repeat::On(on))
        | (Repeat::On(on), Repeat::Rule(Rule::EveryNDays(days)))
            if days % 7 == 0 && on.len() == 1 =>
        {
            Some(Repeat::OnEach(on[0], days / 7))
        }
        _ => None,
    }
}

/// Returns whether a word continues a name.
fn is_name(token: &Token) -> bool {
    !(token.is_mark()
        || numbers::weekday(&token.lower, true).is_some()
        || token.quoted
        || token.is_one_of("while|when|whenever|because|if|before|after|so|during|unless|except")
        || token.is_one_of("at|on|from|starting|until|till|for|in|through|and|or|beginning|to|with|please|by|as|of"))
}
