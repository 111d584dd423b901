//! Rewrites changes that are expressed without a command verb: "give X another week", "X an hour later", "get X renewed
//! by Friday", "X every week now".
//!
//! Input: a clause. Output: the clause as a command, if it names an existing record. Called by [`super::topic`].

use super::topic::{joined, verb_of};
use crate::language::Reader;
use crate::language::commands::command::{Command, Destination};
use crate::language::commands::interpret;
use crate::language::commands::target::TargetFilter;
use crate::language::text::past_forms::presents;
use crate::language::text::phrases::{self, after_any, around, before_end, without_marks};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary;
use crate::language::values::shift::Shift;
use crate::language::values::when::When;
use crate::matching::Candidate;

const WITH_GOALS: TargetFilter = TargetFilter { done: false, goals: true };

impl Reader<'_> {
    /// Recognises "The bins go out every two weeks now", "let the stand-up happen daily".
    pub(super) fn rule_statement(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let verbs = "go out|goes out|go|goes|happen|happens|take place|takes place|is only on|is only|is now only on|\
            is now only|are only|\
            should only be|should only be on|should only happen|are now|are|is now|is|only on|only|occurs|comes|\
            will be|will now be|gets done|\
            needs doing|need doing|is due|are due|should be done|should happen";
        let lead = after_any(clause, "let|have|make|set");
        let rest = before_end(lead.unwrap_or(clause), "now|instead|from now on").unwrap_or(lead.unwrap_or(clause));
        (1..rest.len()).find_map(|at| {
            let rule = after_any(&rest[at..], verbs)?;
            let read = When::read(rule, self.today);
            let fits = read.repeat.is_some() && read.covers_all(rule) && self.is_one(&rest[..at]);
            fits.then(|| joined(&["repeat"], &rest[..at], &[], rule))
        })
    }

    /// Recognises "Run every other day instead of weekdays".
    pub(super) fn target_then_rule(&self, words: &[Token]) -> Option<Vec<Token>> {
        let words = after_any(words, "do|make|have|let's do|repeat|i'd rather do|i'd rather").unwrap_or(words);
        let words = before_end(words, "only|instead|now").unwrap_or(words);
        let (target, rule) = (1..words.len()).map(|at| words.split_at(at)).find(|(_, words)| {
            let read = When::read(words, self.today);
            read.covers_all(words) && read.repeat.is_some()
        })?;
        self.is_one(target).then(|| joined(&["repeat"], target, &[], rule))
    }

    /// Recognises "Stand-up on Mondays only", "do the stand-up only on Mondays".
    pub(super) fn only_on(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let Some(only) = clause.iter().position(|word| word.is("only")) else {
            // "Do the bins fortnightly".
            let rest = after_any(clause, "do|hold|have")?;
            return rest.first()?.is_one_of("the|my|our").then(|| self.target_then_rule(rest)).flatten();
        };
        let words = [&clause[..only], &clause[only + 1..]].concat();
        let words = before_end(&words, "now|from now on|in future").unwrap_or(&words);
        let words: Vec<Token> = match around(words, "is now on|is on|are on|should be on|are now on") {
            Some((target, rule)) => [target, &[Token::made("on")], rule].concat(),
            None => words.to_vec(),
        };
        self.target_then_rule(&words)
    }

    /// Recognises "I need two more days for X", "give me another week for X", "give X another week", "give me until
    /// Friday for X".
    pub(super) fn more_time(&self, clause: &[Token]) -> Option<Vec<Token>> {
        if let Some(given) = self.given(clause) {
            return Some(given);
        }
        let rest = after_any(
            clause,
            "give me|i need|we need|i'll need|i could use|allow|allow me|give us|could i get|could i have|can i get|\
                can i have|\
            i want|i'd like|need|i could do with|we could do with|let me have|may i have",
        )?;
        let (span, target) = around(rest, "for|on|to do|to finish|with")?;
        let more = span.iter().any(|word| word.is_one_of("more|another|extra"));
        let span: Vec<Token> = span.iter().filter(|word| !word.is_one_of("more|extra")).cloned().collect();
        let by = [&[Token::made("by")], &span[..]].concat();
        (more && Shift::read(&by).is_some() && self.is_one(target)).then(|| joined(&["move"], target, &[], &by))
    }

    pub(super) fn given(&self, clause: &[Token]) -> Option<Vec<Token>> {
        if let Some(rest) = after_any(
            clause,
            "set a deadline of|set a due date of|put a deadline of|set the deadline of|set the date of",
        ) && let Some((day, target)) = around(rest, "for|on")
        {
            let read = When::read_after("on", day, self.today);
            let is_only_schedule = read.has_schedule() && read.used.iter().rev().take(day.len()).all(|used| *used);
            return (is_only_schedule && self.is_one(target)).then(|| joined(&["move"], target, &["to"], day));
        }
        let needs = after_any(
            clause,
            "i need until|i need till|i have until|i've got until|we have until|we need until|i've got till",
        );
        let rest = after_any(clause, "give|allow|grant").or(needs)?;
        if let Some((when, target)) = needs
            .or_else(|| after_any(rest, "me until|me till|us until|myself until"))
            .and_then(|rest| around(rest, "for|to do|to finish|with"))
        {
            let read = When::read(when, self.today);
            return (read.covers_all(when) && self.is_one(target)).then(|| joined(&["move"], target, &["to"], when));
        }
        if let Some((target, day)) =
            around(rest, "a deadline of|a due date of|a new deadline of|a new date of|a date of|the date")
        {
            let read = When::read_after("on", day, self.today);
            let is_only_schedule = read.has_schedule() && read.used.iter().rev().take(day.len()).all(|used| *used);
            return (is_only_schedule && self.is_one(target)).then(|| joined(&["move"], target, &["to"], day));
        }
        // "Give X two more days".
        if let Some(more) = (2..rest.len()).find(|at| rest[*at].is_one_of("more|extra")) {
            let (target, number) = rest[..more].split_at(more - 1);
            let by = [&[Token::made("by")], number, &rest[more + 1..]].concat();
            return (Shift::read(&by).is_some() && self.is_one(target)).then(|| joined(&["move"], target, &[], &by));
        }
        let (target, span) = around(rest, "another|an extra|until|till")?;
        if rest[target.len()].is_one_of("until|till") {
            let read = When::read(span, self.today);
            return (read.covers_all(span) && self.is_one(target)).then(|| joined(&["move"], target, &["to"], span));
        }
        let by = [&[Token::made("by"), Token::made("another")], span].concat();
        (Shift::read(&by).is_some() && self.is_one(target)).then(|| joined(&["move"], target, &[], &by))
    }

    /// Recognises "I'd rather do X on Friday", "how about X at 4?".
    pub(super) fn rather(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let phrases = "i'd rather do|i'd rather have|i would rather do|i would rather have|i'd prefer to do|\
            i'd prefer to have|i'd prefer|\
            i would prefer to do|i would prefer|i'd sooner do|how about|what about|can we do|can we have|could we do|\
            could we have|\
            we could do|better do|we should do|i prefer|i'd better do|we'd rather do|we'd rather have|we'd prefer|\
            let's do|let's have|do|have|i'll do|i will do|i want to do|\
            i want|i'd like to do|i'd rather|i would rather";
        let plans = after_any(clause, "i'll|i will|i'm|i am|we're|we are|we'll");
        let rest = after_any(clause, phrases).or(plans)?;
        let rest = before_end(rest, "instead|then").unwrap_or(rest);
        // "I'll run on Saturday" does not move a habit.
        let moved = self.target_then_when(rest)?;
        let target = (1..rest.len()).map(|at| &rest[..at]).rfind(|target| self.is_one(target));
        let repeats = target
            .and_then(|target| self.resolve_named(target, WITH_GOALS).ok())
            .is_some_and(|found| self.all_repeat(&found));
        // "I'm writing on Friday" says nothing of what is written.
        let is_activity = rest[0].lower.ends_with("ing")
            && When::read(&rest[1..], self.today).covers_all(&rest[1..])
            && !self.is_whole_title(&rest[0]);
        (plans.is_none() || !(repeats || is_activity)).then_some(moved)
    }

    fn all_repeat(&self, found: &[Candidate<'_>]) -> bool {
        found.iter().all(|of| self.item(of).is_ok_and(|item| item.recurrence.repeats()))
    }

    /// Recognises "Start parents' evening at 7:15": moves an existing record to another time.
    pub(super) fn begun_at(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let rest = after_any(clause, "start|begin|hold|kick off|open")?;
        let names_time = When::read(rest, self.today).time.is_some();
        self.target_then_when(rest).filter(|_| names_time)
    }

    /// Moves the start date to the end: "From Monday the stand-up is at 10".
    pub(super) fn with_start_last(&self, clause: &[Token]) -> Option<Vec<Token>> {
        after_any(clause, "from|starting|as of|as from|beginning|with effect from")?;
        let lead = (2..clause.len()).take_while(|at| {
            let read = When::read(&clause[..*at], self.today);
            read.covers_all(&clause[..*at]) && read.date.is_some() && read.time.is_none() && read.repeat.is_none()
        });
        let at = lead.last()?;
        let rest = without_marks(&clause[at..]);
        let (Command::Move { target, to: Destination::When(when) } | Command::Place { target, when, .. }) =
            interpret::command(rest, self.today)
        else {
            return None;
        };
        let names_day = When::read_after("at", when, self.today).date.is_some();
        (!names_day && self.is_one(target)).then(|| [rest, without_marks(&clause[..at])].concat())
    }

    /// Moves the place after the verb: "On my list for tomorrow put X".
    pub(super) fn with_place_after_verb(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let (0, length) = vocabulary::place_at(clause)? else { return None };
        let (place, rest) = clause.split_at(length);
        let (when, subject) = around(rest, "put down|write down|jot down|put|add|write|note|jot|stick|pop")?;
        let read = When::read(when, self.today);
        let fits = !subject.is_empty() && (when.iter().all(Token::is_mark) || read.covers_all(when));
        fits.then(|| joined(&["add"], subject, &[], &[place, when].concat()))
    }

    /// Recognises "Tuesday works better for the meeting with Anna".
    pub(super) fn works_better(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let (when, target) = around(
            clause,
            "works better for|is better for|suits me better for|would be better for|would suit me better for|\
                would work better for|\
            is the new date for|is the new time for|is the new date of|is the new day for|is the new deadline for",
        )?;
        let read = When::read_after("at", when, self.today);
        let is_only_schedule =
            read.has_schedule() && read.used.iter().rev().take(when.len()).all(|used| *used) && !read.is_ambiguous;
        (is_only_schedule && self.is_one(target)).then(|| joined(&["move"], target, &["to"], when))
    }

    /// Recognises a due date for an existing record: "get the passport renewed by Friday".
    pub(super) fn got_done(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let rest = after_any(clause, "i want|i need|get|have")?;
        let at = (1..rest.len()).find(|at| !presents(&rest[*at].lower).is_empty() && !rest[*at].quoted)?;
        let (object, when) = (&rest[..at], &rest[at + 1..]);
        let read = When::read(when, self.today);
        let done = presents(&rest[at].lower).into_iter().find_map(|base| {
            let target = [&[Token::made(&base)], object].concat();
            let is_generic = phrases::listed("do|finish|complete|sort", &base) && self.is_one(object);
            self.is_one(&target).then_some(target).or_else(|| is_generic.then(|| object.to_vec()))
        });
        let target = done.filter(|_| read.has_schedule() && read.covers_all(when) && read.repeat.is_none())?;
        Some(joined(&["move"], &target, &["to"], when))
    }

    /// Recognises "Sara's lunch to 1.15pm", "stand-up from now on at 9:15": a record and its new time without a verb.
    pub(super) fn without_verb(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let (target, when) = around(
            clause,
            "to|due on|due by|due|from now on at|from now on on|from now on to|now at|now on|instead at|instead on|\
                not before",
        )
        .filter(|(target, _)| !target.is_empty() && verb_of(target).is_none())?;
        let begins = after_any(target, &vocabulary::TO_DO).or_else(|| after_any(target, &vocabulary::ADDING));
        let read = When::read_after("at", when, self.today);
        let is_only_schedule =
            read.has_schedule() && read.used.iter().all(|used| *used) && read.repeat.is_none() && !read.is_ambiguous;
        // "Lunch from 12:30 to 1:30" gives the start and the end.
        let names_time = When::read(target, self.today).time.is_some();
        (begins.is_none() && is_only_schedule && !names_time && self.is_named(target))
            .then(|| joined(&["move"], target, &["to"], when))
    }

    /// Recognises "X an hour later".
    pub(super) fn shifted(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let at = (1..clause.len()).find(|at| Shift::read(&clause[*at..]).is_some())?;
        let (target, by) = clause.split_at(at);
        (verb_of(target).is_none() && self.is_named(target)).then(|| joined(&["move"], target, &[], by))
    }

    /// Matches an existing record followed by nothing but a day or a time.
    pub(super) fn target_then_when(&self, words: &[Token]) -> Option<Vec<Token>> {
        let (target, when) = (1..words.len()).map(|at| words.split_at(at)).find(|(_, words)| {
            let words = after_any(words, "to").unwrap_or(words);
            let read = When::read(words, self.today);
            Shift::read(words).is_some() || (read.covers_all(words) && read.repeat.is_none() && !read.is_ambiguous)
        })?;
        self.is_named(target).then(|| joined(&["move"], target, &[], when))
    }

    /// Returns the clause without its first word, if the rest is a change: "Can the budget review be moved to Friday?".
    pub(super) fn passive_question(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let rest = after_any(clause, "can|could|should|shall|may|might|must|let")?;
        let (target, _) = around(rest, "be|move|go|wait|happen|start|take")?;
        self.is_one(target).then(|| rest.to_vec())
    }

    /// Recognises "make X a daily habit": X repeats if it exists, else it is a new habit.
    pub(super) fn made_habit(&self, clause: &[Token]) -> Option<Vec<Token>> {
        let rest = after_any(clause, "i want to|i'd like to|i would like to|let's").unwrap_or(clause);
        let rest = after_any(rest, "make|turn|track|add|have|set up|start|keep|log|do")?;
        let (subject, how) =
            around(rest, "into a habit|as a habit|as a routine|as habit|a habit|into a routine|a routine|my habit")?;
        if subject.is_empty() {
            return None;
        }
        if self.is_one(subject) && !how.is_empty() {
            return Some(joined(&["repeat"], subject, &[], how));
        }
        Some(joined(&["new", "habit", ":"], subject, &[], how))
    }
}
