//! Operations that add a record, from the words that say what and when.

use chrono::NaiveDate;

use super::clauses::coordinated;
use super::extras::Extras;
use super::guard::means_all;
use super::phrases::{after_any, has_any, listed, without_marks};
use super::repeats::Repeat;
use super::titles::{EMPTY_TITLES, PLANS, is_talk, kind_of, only_pronouns, says_nothing, title, with_location};
use super::tokens::Token;
use super::vocabulary::{begins_with_doing, place_at};
use super::when::When;
use super::{Question, Reader};
use crate::operation::{Action, Operation};
use crate::record::{Kind, Priority};
use crate::recurrence::{Recurrence, Rule};
use crate::time_of_day::TimeOfDay;

impl Reader<'_> {
    /// One record for each thing to do; with several days a week one for each. `certain`: it was asked for.
    pub fn create(
        &self,
        kind: Option<Kind>,
        priority: Option<Priority>,
        subject: &[Token],
        certain: bool,
    ) -> Result<Vec<Operation>, Question> {
        let (subject, extras) = Extras::read(self.sentence, without_marks(subject), kind);
        let subject = &subject[..];
        let kind = kind.or_else(|| kind_of_place(subject));
        let parts = self.parts(subject);
        let mut read: Vec<(Vec<Token>, When)> = parts
            .iter()
            .map(|part| {
                let words = without_place(part);
                let mut when = When::read(&words, self.today);
                pass_over_lead(&words, &mut when);
                (words, when)
            })
            .collect();
        // "call the bank and email Jo tomorrow": the day goes for both.
        if let Some((_, last)) = read.last().cloned()
            && read.len() > 1
            && read[..read.len() - 1].iter().all(|(_, when)| !when.is_said())
        {
            for (_, when) in &mut read {
                (when.date, when.repeat, when.until) = (last.date, last.repeat.clone(), last.until);
            }
        }
        let made: Result<Vec<Vec<Operation>>, Question> =
            read.iter().map(|(words, when)| self.create_one(kind, priority, words, when, certain)).collect();
        let mut made: Vec<Operation> = made?.into_iter().flatten().collect();
        for operation in &mut made {
            extras.put_on(operation);
        }
        Ok(made)
    }

    /// The things to do in one subject: cut where verbs follow one another, and where each has a day of its own.
    fn parts<'t>(&self, subject: &'t [Token]) -> Vec<&'t [Token]> {
        coordinated(subject).into_iter().flat_map(|part| self.by_days(part)).collect()
    }

    /// "mend the fence on Saturday and pump up the tyres on Sunday".
    fn by_days<'t>(&self, part: &'t [Token]) -> Vec<&'t [Token]> {
        let says_both = |words: &[Token]| {
            let words = without_marks(words);
            let when = When::read(words, self.today);
            let named = words.iter().zip(&when.used).filter(|(word, used)| !**used && !word.is_mark()).count();
            let has_title = named >= 2 || words.iter().any(|word| word.quoted);
            (when.date.is_some() || when.time.is_some()) && !when.several && when.repeat.is_none() && has_title
        };
        // "Fair, 14 April, 10:00-16:00, Town Square" is one.
        let completes = |left: &[Token], right: &[Token]| {
            let (left, right) = (When::read(left, self.today), When::read(without_marks(right), self.today));
            left.time.is_none() && right.date.is_none() && right.used.first() == Some(&true)
        };
        let cut = (1..part.len()).find(|at| {
            let (left, right) = (&part[..*at], &part[at + 1..]);
            let joins = part[*at].is_one_of("and|,|then|&");
            joins && says_both(left) && says_both(right) && !(part[*at].is(",") && completes(left, right))
        });
        let Some(at) = cut else { return vec![part] };
        let rest = after_any(without_marks(&part[at + 1..]), "and then|and|then").unwrap_or(&part[at + 1..]);
        std::iter::once(&part[..at]).chain(self.by_days(without_marks(rest))).collect()
    }

    fn create_one(
        &self,
        kind: Option<Kind>,
        priority: Option<Priority>,
        words: &[Token],
        when: &When,
        certain: bool,
    ) -> Result<Vec<Operation>, Question> {
        let mut title = title(self.sentence, words, when);
        self.check_new(&title, words, when, certain)?;
        let takes_place = when.all_day || (when.time.is_some() | when.date.is_some() && is_arranged(words, when));
        let kind = kind.unwrap_or_else(|| if takes_place { Kind::Event } else { kind_of(&title, when) });
        let mut location = None;
        if kind == Kind::Event {
            (title, location) = with_location(&title);
            title = unquoted(&title).to_owned();
        }
        let mut operation = Operation::new(kind, Action::Create, None);
        operation.title = Some(title.clone());
        operation.priority = when.priority.or(priority);
        if kind == Kind::Goal {
            return Ok(vec![operation]);
        }
        operation.location = location.map(Some);
        set_times(&mut operation, when.time, when.end_time);
        let next = |time| if when.repeat.is_some() { self.today.date } else { self.today.next(time) };
        let date = when.date.or_else(|| when.time.map(next));
        if kind == Kind::Event && date.is_none() && when.repeat.is_none() {
            return Err(Question::new(&format!("When is \"{title}\"?"), Vec::new()));
        }
        self.days_of(operation, when, date)
    }

    /// The operation on its day, or for each of the days of the week on which it repeats.
    fn days_of(&self, operation: Operation, when: &When, date: Option<NaiveDate>) -> Result<Vec<Operation>, Question> {
        let Some(mut rules) = when.recurrences(date.unwrap_or(self.today.date)) else {
            return Err(unsupported(when));
        };
        if rules.is_empty() {
            let rule = if operation.kind == Kind::Habit { Rule::Daily } else { Rule::None };
            let day = if operation.kind == Kind::Habit { Some(date.unwrap_or(self.today.date)) } else { date };
            return Ok(vec![on(operation, day, Recurrence::of(rule))]);
        }
        rules.sort_by_key(|(day, _)| *day);
        Ok(rules.into_iter().map(|(day, rule)| on(operation.clone(), Some(day), rule)).collect())
    }

    /// What is too little to make a record of.
    fn check_new(&self, title: &str, words: &[Token], when: &When, certain: bool) -> Result<(), Question> {
        let lower = title.to_lowercase();
        let bare = lower.trim_start_matches("the ").trim_start_matches("a ").trim_start_matches("my ");
        let no_letters = !title.contains(char::is_alphabetic);
        if no_letters || listed(EMPTY_TITLES, bare) || listed(EMPTY_TITLES, &lower) || only_pronouns(words, when) {
            return Err(Question::new("What should be added?", Vec::new()));
        }
        if when.vague {
            return Err(Question::new(&format!("On which day should \"{title}\" be?"), Vec::new()));
        }
        if let Some(day) = when.date.filter(|day| *day < self.today.date) {
            return Err(Question::new(&format!("{day} has passed. On which day should \"{title}\" be?"), Vec::new()));
        }
        if when.several {
            return Err(Question::new(&format!("Which of the days should \"{title}\" be on?"), Vec::new()));
        }
        if super::vocabulary::asked_count(words).is_some_and(|count| count > 1) {
            return Err(Question::new("Records are added one by one. What should be the first?", Vec::new()));
        }
        // "The invoice thing is on Friday" says something of what should be there.
        let kept: Vec<&Token> = words
            .iter()
            .zip(&when.used)
            .filter(|(word, used)| !**used && !word.is_mark())
            .map(|(word, _)| word)
            .collect();
        // "Call the dentist or the vet".
        let either = kept.iter().any(|word| word.is("or"));
        if says_nothing(&kept) || (!certain && (either || is_talk(&kept))) {
            return Err(self.ask_what(title));
        }
        let topic = words.iter().position(|word| word.is(":")).map(|at| &words[..at]).filter(|topic| topic.len() > 1);
        let of_known = !certain && topic.is_some_and(|topic| self.is_one(topic));
        if of_known || self.is_there_already(title, &kept, certain) {
            let text = format!(
                "\"{title}\" is there already, or something like it. Should it be changed, or another be added?"
            );
            return Err(Question::new(&text, self.options_like(title)));
        }
        // "Anna asked if we could do 4pm".
        let of_others = kept.len() > 2
            && !kept[0].quoted
            && !kept[0].is_one_of(super::vocabulary::DOING)
            && kept[1..3].iter().any(|word| word.is_one_of(FINITE));
        if of_others && !certain {
            return Err(self.ask_what(title));
        }
        // "Bins are out", "quit meditating".
        let finite = (1..words.len()).find(|at| words[*at].is_one_of("is|are|was|were|isn't|aren't|have|has"));
        let says_of_known = finite.is_some_and(|at| self.is_one(&words[..at]));
        let ends_known = words[0].is_one_of("quit|stop|pause|resume|skip|restart") && self.is_one(&words[1..]);
        if !certain && (says_of_known || ends_known) {
            return Err(self.ask_what(title));
        }
        let states = !when.used[0]
            && words[0].is_one_of("the|that|this|my|our")
            && has_any(words, "is|are|was|were|should|needs|has|isn't|will");
        if states && !certain {
            return Err(self.ask_what(title));
        }
        // "Swap the two meetings": done to what is there, by a verb that is not known.
        let acts_on_known = !certain
            && kept.len() > 1
            && (!kept[0].is_one_of(super::vocabulary::DOING)
                || kept[0].is_one_of("swap|change|move|archive|switch|make|set|turn|give"))
            && kept[1].is_one_of("the|my|our|both|those|these")
            && self.touches_known(&kept[2..].iter().map(|word| (*word).clone()).collect::<Vec<_>>());
        if acts_on_known {
            return Err(self.ask_what(title));
        }
        if certain || when.is_said() || when.priority.is_some() || words.iter().any(|word| word.quoted) {
            return Ok(());
        }
        self.check_bare(title, words)
    }

    /// A sentence without a command, a day or a priority: something to do where it begins as one does.
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
            || means_all(words)
            || !(begins_with_doing(words) || words.len() <= MAX_BARE_WORDS)
        {
            return Err(self.ask_what(title));
        }
        Ok(())
    }

    /// "Milk tomorrow", where there is "Buy milk": the words of an open record and no others. What was asked for by a command is another
    /// one, unless it is the same to the word.
    fn is_there_already(&self, title: &str, kept: &[&Token], certain: bool) -> bool {
        let words = crate::matching::tokens(title);
        let open = self.state.candidates(self.today.date, false).filter(|one| one.kind != Kind::Goal);
        let named: Vec<_> =
            crate::matching::matches(title, open).into_iter().map(|one| crate::matching::tokens(one.title)).collect();
        let same = named.contains(&words);
        let by_verb = kept.len() > 1 && kept[0].is_one_of(super::vocabulary::DOING);
        same || (!certain && !by_verb && !named.is_empty())
    }

    fn options_like(&self, title: &str) -> Vec<crate::matching::ClarifyOption> {
        crate::matching::ranked_options(title, self.state.candidates(self.today.date, false))
    }

    fn ask_what(&self, title: &str) -> Question {
        let text = format!("What should be done with \"{title}\": add it, or change something that is there?");
        Question::new(&text, self.options_like(title))
    }
}

/// Verbs that say what somebody does or wants.
const FINITE: &str = "can|can't|cannot|could|couldn't|wants|asked|said|says|would|won't|thinks|prefers|suggested|suggests|proposed|might|isn't|\
    doesn't|didn't|has|wouldn't|wasn't|told|moved|knows|thought|called|cancelled";

/// Without quotation marks around the whole.
fn unquoted(title: &str) -> &str {
    let inner = |mark| title.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    let marks = ['\'', '"'];
    marks.into_iter().find_map(|mark| inner(mark).filter(|inner| !inner.contains(mark))).unwrap_or(title)
}

/// "On Monday I need to …", "(jot down) that I must …": what calls for something to do stands behind the day, or once more.
fn pass_over_lead(words: &[Token], when: &mut When) {
    let mut at = 0;
    while at < words.len() {
        let rest = &words[at..];
        let lead =
            || after_any(rest, super::vocabulary::TO_DO).or_else(|| after_any(rest, super::vocabulary::ARRANGED));
        let passed = match (when.used[at] || rest[0].is_mark(), lead()) {
            (true, _) => 1,
            (false, Some(after)) if !after.is_empty() => rest.len() - after.len(),
            _ if at + 1 < words.len() && rest[0].is_one_of("that|to|about") && (at > 0 || lead_follows(&rest[1..])) => {
                1
            }
            _ => break,
        };
        if !rest[0].is_mark() {
            when.used[at..at + passed].fill(true);
        }
        at += passed;
    }
}

fn lead_follows(rest: &[Token]) -> bool {
    after_any(rest, super::vocabulary::TO_DO).is_some_and(|rest| !rest.is_empty())
}

/// Whether "there is a", "we have a" stands before it.
fn is_arranged(words: &[Token], when: &When) -> bool {
    (0..words.len()).any(|at| {
        let arranged = after_any(&words[at..], super::vocabulary::ARRANGED).is_some();
        arranged && when.used[at] && when.used[..at].iter().zip(words).all(|(used, word)| *used || word.is_mark())
    })
}

/// A longer sentence that begins with no verb of doing is more likely talk than a task.
const MAX_BARE_WORDS: usize = 6;

/// The question for a rule that cannot be kept.
pub fn unsupported(when: &When) -> Question {
    let said = match &when.repeat {
        Some(Repeat::Unsupported(words)) => words.as_str(),
        _ => "that",
    };
    let text = format!(
        "Repeating \"{said}\" cannot be kept. It can be every day, on weekdays, every week, or every so many days. Which one?"
    );
    Question::new(&text, Vec::new())
}

fn on(mut operation: Operation, day: Option<NaiveDate>, recurrence: Recurrence) -> Operation {
    operation.scheduled_for = day.map(Some);
    operation.recurrence = Some(recurrence);
    operation
}

/// Times as the kind has them.
pub fn set_times(operation: &mut Operation, start: Option<TimeOfDay>, end: Option<TimeOfDay>) {
    if operation.kind == Kind::Event {
        operation.start_time = start.map(Some);
        operation.end_time = end.map(Some);
    } else {
        operation.time_of_day = start.map(Some);
    }
}

/// What stands on the calendar is an event, what stands on the list something to do.
fn kind_of_place(tokens: &[Token]) -> Option<Kind> {
    let (at, length) = place_at(tokens)?;
    let place = &tokens[at..at + length];
    let on_calendar = has_any(place, "calendar|agenda|diary|planner").then_some(Kind::Event);
    on_calendar.or_else(|| has_any(place, "list|todos|tasks|todo-list|to-dos").then_some(Kind::Todo))
}

fn without_place(tokens: &[Token]) -> Vec<Token> {
    match place_at(tokens) {
        Some((at, length)) => tokens[..at].iter().chain(&tokens[at + length..]).cloned().collect(),
        None => tokens.to_vec(),
    }
}
