//! How often, and until when, in a clause.

use super::When;
use crate::language::Today;
use crate::language::dates;
use crate::language::numbers::month;
use crate::language::repeats::{Repeat, repeat};
use crate::language::spans::{Span, span};
use crate::language::tokens::Token;
use crate::recurrence::Rule;

impl When {
    /// How often; a word of it that is a part of a name, such as "the weekly review", is no words of its own.
    pub(super) fn read_repeat(&mut self, tokens: &[Token], at: usize) -> Option<usize> {
        let rest = &tokens[at..];
        let (length, found) = repeat(rest)?;
        let part = self.read_part_of_day(rest, length);
        // "the weekly review": how often, and a part of the name.
        let names = length == 1 && at + 1 < tokens.len() && rest[0].lower.ends_with("ly") && is_name(&rest[1]);
        if names {
            let known = matches!(found, Repeat::Rule(_)) && self.repeat.is_none();
            self.repeat = self.repeat.take().or(known.then_some(found));
            self.named_repeat |= known;
            return Some(0);
        }
        // "Every morning and evening" is twice a day.
        let behind = rest.get(length + part..).unwrap_or_default();
        self.several |= part > 0
            && behind.first().is_some_and(|and| and.is_one_of("and|&|or"))
            && crate::language::times::bare_part_of_day(behind.get(1)).is_some();
        let joined = self.repeat.take().map(|known| joined(&known, &found));
        self.several |= matches!(joined, Some(None)) && !self.named_repeat;
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
            && let Some((length, span)) = span(rest.get(next..)?)
        {
            let length = length + next - 1;
            self.until_after = Some(span);
            return Some(length + 1);
        }
        let after = crate::language::phrases::after_any(
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
        // "From 1 April until the end of the month" is of that month.
        if let Some(first) = self.date.filter(|first| day < *first) {
            day = dates::day(rest.get(more..)?, first, true).map_or(day, |(_, day)| day);
        }
        let month_alone = length == 1 && rest.get(more).is_some_and(|token| month(&token.lower).is_some());
        if month_alone {
            // Until June is up to where June begins; through June is June too.
            let through = first.is("through") || rest.iter().take(more).any(|token| token.is("including"));
            day = if through { Span::months(1).after(day)?.pred_opt()? } else { day.pred_opt()? };
        }
        self.until = Some(day);
        Some(more + length)
    }
}

/// "once a week on Sundays", "every two weeks on Monday": one rule in two parts. `None` for two rules.
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

/// A word that goes on with a name, not with when.
fn is_name(token: &Token) -> bool {
    !(token.is_mark()
        || crate::language::numbers::weekday(&token.lower, true).is_some()
        || token.quoted
        || token.is_one_of("while|when|whenever|because|if|before|after|so|during|unless|except")
        || token.is_one_of("at|on|from|starting|until|till|for|in|through|and|or|beginning|to|with|please|by|as|of"))
}
