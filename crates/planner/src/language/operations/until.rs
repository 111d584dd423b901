//! Recognises the last day of a repeating record: "keep the bins going until 30 April", "stop the runs after Easter
//! Monday", "the last stand-up is on Friday".
//!
//! Input: a clause. Output: a change of `until` alone, if the clause names repeating records and their last day, or
//! that there is none. With `None` the clause is read in other ways.

use chrono::NaiveDate;

use super::change::Changes;
use crate::language::commands::target::TargetFilter;
use crate::language::text::numbers::month;
use crate::language::text::phrases::{after, after_any, around, before_end, has_any, without_marks};
use crate::language::text::tokens::Token;
use crate::language::values::dates;
use crate::language::values::spans::Span;
use crate::language::values::when::When;
use crate::language::{Question, Reader};
use crate::matching::Candidate;

const OPEN: TargetFilter = TargetFilter { done: false, goals: false };

/// Verbs for something that continues until a day.
const KEEPING: &str = "i'll be|i'll only be|i'm only|i'm|we're only|i'll keep on|i'll keep|we'll keep|only|i only|\
    keep on with|keep up with|keep on|keep up|keep|carry on with|carry on|continue with|continue to|continue|\
    go on with|stick with|stick to|extend|prolong|let|have|run|repeat|do|limit|cap|restrict|leave|make";

/// Words that may follow the record there: "keep the bins *going*".
const GOING: &str = "run out|going|running|repeating|recurring|run|repeat|recur|go on|continue|happen|last|on|up|only|\
    just|end|stop|finish|as it is|\
    as they are|in place|alive";

/// Verbs that end something on a day or after it.
const STOPPING: &str = "stop doing|stop|end|discontinue|cease|quit|wind up|conclude|terminate|give up|i'll stop|\
    i will stop|\
    we'll stop|we stop|i want to stop|i'd like to stop|stop with|stop the repetition of|stop repeating";

/// Verbs of removal. They end a series only with "after" or "from" a day; "cancel X on Friday" removes one day.
const REMOVING: &str = "cancel|drop|no more|there are no more|there will be no more|there should be no more|there's no|\
    there is no|there are no|there'll be no|there won't be any|i want no more|skip|scrap|finish|delete|remove|suspend|\
    we don't have|\
    i don't want|i won't do|i don't need";

/// Phrases for a record that continues.
const CONTINUES: &str = "is only|are only|is just|are just|goes on|go on|runs|run|continues|continue|repeats|repeat|\
    lasts|last|keeps going|keep going|carries on|\
    carry on|is kept up|be kept up|recurs|happens|happen|takes place|is on|are on|is|are|only";

/// Phrases for a record that ends.
const ENDS: &str = "ends|end|stops|stop|finishes|finish|runs out|run out|expires|expire|is over|be over|are over|\
    comes to an end|\
    come to an end|ceases|concludes|is ending|are ending|is stopping|are stopping|is finishing|are finishing|\
    won't happen|don't happen|\
    winds up|wraps up|is no more|are no more|is no longer on|are no longer on";

/// Modal words between the record and such a verb.
const MODALS: &str = "should only|shall only|should now|should|shall|will only|will|is going to|are going to|is to|\
    are to|must|can|needs to|has to|only|now|may|to";

/// Phrases for no last day.
const FOR_EVER: &str = "for ever|forever|indefinitely|without end|without an end|without an end date|with no end|\
    with no end date|\
    open-ended|endlessly";

/// The words of a record and its last day, `None` for no last day.
type Ending<'t> = (&'t [Token], Option<NaiveDate>);

impl Reader<'_> {
    /// Returns the changes if the clause changes the last day of repeating records and nothing else.
    pub(in crate::language) fn end_of_repetition(&self, clause: &[Token]) -> Option<Changes> {
        let clause = without_marks(clause);
        let reordered = self.with_day_last(clause);
        let (last, found) = [clause, &reordered]
            .into_iter()
            .flat_map(|words| self.endings(words))
            .flatten()
            .find_map(|(target, last)| Some((last, self.repeating(target)?)))?;
        Some(found.iter().map(|of| self.until(of, last)).collect())
    }

    fn until(&self, of: &Candidate<'_>, last: Option<NaiveDate>) -> Result<crate::operation::Operation, Question> {
        let mut operation = self.update(of)?;
        if let Some(recurrence) = &mut operation.recurrence {
            recurrence.until = last;
        }
        Ok(operation)
    }

    /// Returns the records that these words name, if all of them repeat.
    fn repeating(&self, target: &[Token]) -> Option<Vec<Candidate<'_>>> {
        let target = without_marks(target);
        let target = before_end(target, "series|repetition|repetitions").unwrap_or(target);
        // "Make it daily until May" sets another rule.
        let names_rule = || When::read(target, self.today).used.last().is_some_and(|used| *used);
        if target.is_empty() || names_rule() {
            return None;
        }
        let found = self.resolve_named(target, OPEN).ok()?;
        found.iter().all(|of| self.item(of).is_ok_and(|item| item.recurrence.repeats())).then_some(found)
    }

    /// Returns the possible readings of the clause, the most certain first.
    fn endings<'t>(&self, clause: &'t [Token]) -> [Option<Ending<'t>>; 6] {
        [
            endless(clause).map(|target| (target, None)),
            self.of_topic(clause),
            self.by_end_date(clause),
            self.by_verb(clause),
            self.by_last(clause),
            self.by_statement(clause),
        ]
    }

    /// Recognises "keep X going until …", "stop X after …", "no more X from …".
    fn by_verb<'t>(&self, clause: &'t [Token]) -> Option<Ending<'t>> {
        let keeps = after_any(clause, KEEPING).map(|rest| (rest, UNTIL));
        let stops = after_any(clause, STOPPING).map(|rest| (rest, AT_OR_AFTER));
        let removes = after_any(clause, REMOVING).map(|rest| (rest, AFTER));
        let lets_end = after_any(clause, "have|let|make").map(|rest| (rest, AT_OR_AFTER));
        let lets_end = lets_end.filter(|(rest, _)| has_any(rest, "end|stop|finish|out"));
        [keeps, stops, removes, lets_end].into_iter().flatten().find_map(|(rest, leads)| {
            let (target, last) = self.target_and_last(rest, leads)?;
            Some((before_end(target, GOING).filter(|shorter| !shorter.is_empty()).unwrap_or(target), Some(last)))
        })
    }

    /// Recognises "X ends on …", "X should run until …", "X only until …", or just "X until …".
    fn by_statement<'t>(&self, clause: &'t [Token]) -> Option<Ending<'t>> {
        let by_verb_phrase = |verbs: &str, leads: &str| {
            let (target, last) = self.target_and_last(clause, leads)?;
            let owner = before_end(target, verbs)?;
            Some((before_end(owner, MODALS).unwrap_or(owner), Some(last)))
        };
        // "The stand-up ends next Friday", "end the stand-up next Friday".
        let without_lead = || {
            let after_verb = after_any(clause, "end|discontinue|conclude|terminate|wind up");
            let rest = after_verb.unwrap_or(clause);
            let at = (1..rest.len()).find(|at| self.whole_day(&rest[*at..]).is_some())?;
            let owner = if after_verb.is_some() { &rest[..at] } else { before_end(&rest[..at], ENDS)? };
            Some((before_end(owner, MODALS).unwrap_or(owner), Some(self.whole_day(&rest[at..])?)))
        };
        let bare = || self.target_and_last(clause, UNTIL_ALONE).map(|(target, last)| (target, Some(last)));
        by_verb_phrase(ENDS, AT_OR_AFTER)
            .or_else(|| by_verb_phrase(CONTINUES, UNTIL))
            .or_else(without_lead)
            .or_else(bare)
    }

    /// Recognises "The last X is on …", "X for the last time on …", "last day of X: …".
    fn by_last<'t>(&self, clause: &'t [Token]) -> Option<Ending<'t>> {
        if let Some((target, day)) = around(clause, "for the last time|one last time|for one last time|a last time") {
            return Some((target, Some(self.whole_day(day)?)));
        }
        let rest = after_any(clause, "the last|the final|my last|our last|last|final")?;
        let rest = after_any(rest, "day of|day for|time for|date of|date for|one of|occurrence of").unwrap_or(rest);
        let (target, day) =
            around(rest, "is on|is|should be on|should be|will be on|will be|takes place on|falls on|on|:|happens on")?;
        Some((target, Some(self.whole_day(day)?)))
    }

    /// Recognises "Set the end date of X to …", "give X an end date of …".
    fn by_end_date<'t>(&self, clause: &'t [Token]) -> Option<Ending<'t>> {
        const NOUNS: &str = "end date|end|last day|last date|final day|final date|until date|until";
        if let Some((target, day)) =
            after_any(clause, "give").and_then(|rest| around(rest, "an end date of|an end date :"))
        {
            return Some((target, Some(self.whole_day(day)?)));
        }
        let rest = after_any(clause, "set|change|move|make|put|update|shift|extend|push").unwrap_or(clause);
        let rest = after_any(after_any(rest, "the|an").unwrap_or(rest), NOUNS)?;
        let rest = after_any(rest, "of|for|on")?;
        let (target, day) = around(rest, "to|on|at|as|:|is|until|should be|will be")?;
        Some((target, Some(self.whole_day(day)?)))
    }

    /// Recognises "Bins: only until …", "stand-up – last one on …".
    fn of_topic<'t>(&self, clause: &'t [Token]) -> Option<Ending<'t>> {
        let at = (1..clause.len()).find(|at| clause[*at].is_mark())?;
        let rest = without_marks(&clause[at..]);
        let last_day =
            after_any(rest, "last one|last time|last day|final one|end date|ends|ending|stops|stop|end|finishes").map(
                |rest| {
                    let rest = after_any(rest, "it|that|them|this|is|:").unwrap_or(rest);
                    self.last_day(rest, AT_OR_AFTER).or_else(|| self.whole_day(rest))
                },
            );
        let kept = || {
            let rest = after_any(rest, "keep|carry on|continue|go on|let").unwrap_or(rest);
            let rest = after_any(rest, "it|that|them|this|with it|with that").unwrap_or(rest);
            let rest = after_any(rest, GOING).unwrap_or(rest);
            self.last_day(rest, UNTIL)
        };
        Some((&clause[..at], Some(last_day.unwrap_or_else(kept)?)))
    }

    /// Splits `tokens` into a target and the last day after one of `leads`.
    fn target_and_last<'t>(&self, tokens: &'t [Token], leads: &str) -> Option<(&'t [Token], NaiveDate)> {
        (1..tokens.len()).find_map(|at| Some((&tokens[..at], self.last_day(&tokens[at..], leads)?)))
    }

    /// Parses the last day after one of `leads`, if that makes up all the words.
    fn last_day(&self, words: &[Token], leads: &str) -> Option<NaiveDate> {
        let words = without_marks(words);
        let rest = after_any(words, leads)?;
        let lead = &words[..words.len() - rest.len()];
        let rest = before_end(
            rest,
            "inclusive|included|only|onwards|onward|on|and no longer|no longer|at the latest|and then stop|then stop|\
                then it's over|then stop it|\
            but not after|and then no more|and no more|at the most",
        )
        .unwrap_or(rest);
        // "In two weeks" is a day itself.
        let day = self.whole_day(rest).or_else(|| self.whole_day(words))?;
        let of_month = matches!(without_marks(rest), [one] if month(&one.lower).is_some());
        let whole_month = || Span::months(1).after(day)?.pred_opt();
        match (has_any(lead, "from|before|as|starting"), of_month) {
            (true, _) => day.pred_opt(),
            // "Until June" ends before June; "through June" and "after June" include June.
            (false, true) if has_any(lead, "until|till|til|'til") && !has_any(lead, "including") => day.pred_opt(),
            (false, true) => whole_month(),
            (false, false) => Some(day),
        }
    }

    /// Parses a day that makes up all the words.
    fn whole_day(&self, words: &[Token]) -> Option<NaiveDate> {
        let words = without_marks(words);
        let words = after_any(words, "on|to|:|the end of the day on").unwrap_or(words);
        dates::day(words, self.today.date, true).filter(|(length, _)| *length == words.len()).map(|(_, day)| day)
    }

    /// Moves the day to the end: "After 5 April no more bins".
    fn with_day_last(&self, clause: &[Token]) -> Vec<Token> {
        let leads = [UNTIL, AT_OR_AFTER].join("|");
        let first =
            (2..clause.len().min(MAX_DAY_WORDS)).rev().find(|at| self.last_day(&clause[..*at], &leads).is_some());
        first.map_or(Vec::new(), |at| [without_marks(&clause[at..]), &clause[..at]].concat())
    }
}

/// Maximum number of words of a day.
const MAX_DAY_WORDS: usize = 9;

const UNTIL: &str =
    "until and including|up to and including|until after|up until|until|till|til|'til|through to|through|up to|to";
/// Prepositions that express an end without a verb. "To" is not one: "the bins to Friday" moves them.
const UNTIL_ALONE: &str = "until and including|up to and including|up until|until|till|til|'til|through";
const AFTER: &str = "after|from|as of|as from|starting|past|beyond|with effect from";
const AT_OR_AFTER: &str = "after|from|as of|as from|starting|past|on|at|with|by|before|until|till|in|effective|\
    with effect from|just before|just after";

/// Returns the record for which the clause removes the last day.
fn endless(clause: &[Token]) -> Option<&[Token]> {
    let removed = after_any(clause, "remove|drop|delete|clear|take away|lift|cancel|get rid of").and_then(|rest| {
        let rest = after_any(rest, "the").unwrap_or(rest);
        let rest = after_any(rest, "end date|until date|last day|end|time limit|limit")?;
        after_any(rest, "of|from|for|on")
    });
    let has_no_end = || {
        before_end(
            clause,
            "have no end date|have no end|no longer have an end date|has no end date|has no end|\
                no longer has an end date|no longer has an end|no longer ends|doesn't end|does not end|\
            should not end|shouldn't end|never ends|should never end|don't end|no longer end|needs no end date",
        )
    };
    let repeated = || {
        let owner = before_end(clause, FOR_EVER)?;
        let owner = before_end(owner, GOING).or_else(|| before_end(owner, CONTINUES))?;
        let owner = before_end(owner, MODALS).unwrap_or(owner);
        Some(after_any(owner, KEEPING).unwrap_or(owner))
    };
    removed.or_else(has_no_end).or_else(repeated).filter(|target| after(target, "it").is_none())
}
