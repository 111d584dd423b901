//! Builds operations that create records, from the words for their titles and times.

use chrono::NaiveDate;

use super::extras::Extras;
use super::titles::{kind_of, title as title_of, with_location};
use crate::language::clauses::split::split_tasks;
use crate::language::text::numbers::{count, day_ordinal, month, ordinal, weekday};
use crate::language::text::phrases::{self, after_any, has_any, listed, without_marks};
use crate::language::text::tokens::Token;
use crate::language::text::vocabulary::{self, place_at};
use crate::language::values::repeats::{Repeat, YEARLY};
use crate::language::values::when::When;
use crate::language::{Question, Reader};
use crate::operation::{Action, Operation};
use crate::record::{Kind, Priority};
use crate::recurrence::{Recurrence, Rule};
use crate::time_of_day::TimeOfDay;

impl Reader<'_> {
    /// Creates one record for each thing to do, and one for each day of the week on which it repeats. `certain`: the
    /// user asked for it explicitly.
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
                skip_leading_phrase(&words, &mut when, certain);
                when.resolve_half_by_meal(&words);
                let answer = self.selection.date.filter(|_| self.is_only_clause);
                when = answer.and_then(|day| when.answered(&words, day, self.today)).unwrap_or(when);
                (words, when)
            })
            .collect();
        let is_unsupported = |when: &When| matches!(when.repeat, Some(Repeat::Unsupported(_)));
        if let Some((_, when)) = read.iter().find(|(_, when)| is_unsupported(when) && kind != Some(Kind::Goal)) {
            return Err(unsupported(when, self.today.date));
        }
        // In "call the bank and email Jo tomorrow" the day applies to both.
        if let Some((_, last)) = read.last().cloned()
            && read.len() > 1
            && read[..read.len() - 1].iter().all(|(_, when)| !when.has_schedule())
        {
            for (_, when) in &mut read {
                (when.date, when.repeat, when.until) = (last.date, last.repeat.clone(), last.until);
            }
        }
        // In "Lunch on Friday at 1 and coffee at 3" both are on that day.
        for at in 1..read.len() {
            let before = read[at - 1].1.date;
            let when = &mut read[at].1;
            if when.time.is_some() && when.date.is_none() && when.repeat.is_none() {
                when.date = before;
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

    /// Splits a subject into things to do: between verb phrases, and where each part has its own day.
    fn parts<'t>(&self, subject: &'t [Token]) -> Vec<&'t [Token]> {
        split_tasks(subject).into_iter().flat_map(|part| self.by_days(part)).collect()
    }

    /// Splits "mend the fence on Saturday and pump up the tyres on Sunday" into its parts.
    fn by_days<'t>(&self, part: &'t [Token]) -> Vec<&'t [Token]> {
        let is_complete = |words: &[Token]| {
            let words = without_marks(words);
            let when = When::read(words, self.today);
            let named = words.iter().zip(&when.used).filter(|(word, used)| !**used && !word.is_mark()).count();
            let is_event = |word: &Token| phrases::listed(&vocabulary::EVENTS, &word.lower);
            let has_title = named >= 2 || words.iter().any(|word| word.quoted || is_event(word));
            (when.date.is_some() || when.time.is_some()) && !when.is_ambiguous && when.repeat.is_none() && has_title
        };
        // "Fair, 14 April, 10:00-16:00, Town Square" is one thing.
        let completes = |left: &[Token], right: &[Token]| {
            let (left, right) = (When::read(left, self.today), When::read(without_marks(right), self.today));
            left.time.is_none() && right.date.is_none() && right.used.first() == Some(&true)
        };
        let cut = (1..part.len()).find(|at| {
            let (left, right) = (&part[..*at], &part[at + 1..]);
            let joins = part[*at].is_one_of("and|,|then|&");
            joins && is_complete(left) && is_complete(right) && !(part[*at].is(",") && completes(left, right))
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
        let of_doing = |when: &When| {
            let first = words.iter().zip(&when.used).find(|(word, used)| !**used && !word.is_mark());
            first.is_some_and(|(word, _)| vocabulary::begins_with_task_verb(std::slice::from_ref(word)))
        };
        let appointed = when.is_appointment();
        let shorter = when.without_duration().filter(|when| {
            let is_todo = matches!(kind, Some(Kind::Todo | Kind::Habit));
            is_todo
                || (kind.is_none()
                    && of_doing(when)
                    && !appointed
                    && kind_of(&title_of(self.sentence, words, when), when) != Kind::Event)
        });
        let when = shorter.as_ref().unwrap_or(when);
        // A goal has no date, so words of time stay in its title.
        let none = When::without_schedule(words);
        let keeps_schedule_words = kind == Some(Kind::Goal) && when.priority.is_none() && priority.is_none();
        let mut title = title_of(self.sentence, words, if keeps_schedule_words { &none } else { when });
        if let Some(changed) = self.changed_instead(&title, words, when) {
            return changed.map(|operation| vec![operation]);
        }
        self.check_new(&title, words, when, certain)?;
        let takes_place = when.all_day || (when.time.is_some() | when.date.is_some() && is_arranged(words, when));
        let kind = kind.unwrap_or_else(|| if takes_place { Kind::Event } else { kind_of(&title, when) });
        let mut location = None;
        if kind == Kind::Event {
            (title, location) = with_location(&title);
            title = unquoted(&title).to_owned();
            title =
                title.strip_prefix("another ").or_else(|| title.strip_prefix("Another ")).unwrap_or(&title).to_owned();
            if let Some(place) =
                location_after_schedule(words, when).map(|place| self.text(place)).filter(|_| location.is_none())
                && let Some(rest) = title.strip_suffix(&place).filter(|rest| rest.len() > 2)
            {
                title = rest.trim_end_matches([',', ' ', '-', '–', '(']).to_owned();
                location = Some(place);
            }
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
        // "A weekly call with Bob" does not name the day of the week.
        if kind == Kind::Event && when.repeat == Some(Repeat::Rule(Rule::Weekly)) && date.is_none() {
            return Err(Question::new(&format!("On which day of the week is \"{title}\"?"), Vec::new()));
        }
        self.days_of(operation, when, date)
    }

    /// Returns the operation for its day, or one for each day of the week on which it repeats.
    fn days_of(&self, operation: Operation, when: &When, date: Option<NaiveDate>) -> Result<Vec<Operation>, Question> {
        let Some(mut rules) = when.recurrences(date.unwrap_or(self.today.date)) else {
            return Err(unsupported(when, self.today.date));
        };
        if rules.is_empty() {
            let rule = if operation.kind == Kind::Habit { Rule::Daily } else { Rule::None };
            let day = if operation.kind == Kind::Habit { Some(date.unwrap_or(self.today.date)) } else { date };
            return Ok(vec![on(operation, day, Recurrence::of(rule))]);
        }
        // The day of the week of a rule is that of the rule; any other day was written.
        let is_written = when.date.is_some() && !matches!(when.repeat, Some(Repeat::On(_) | Repeat::OnEach(..)));
        for (day, rule) in &mut rules {
            *day = self.first_to_come(*day, *rule, when.time.filter(|_| !is_written));
        }
        rules.sort_by_key(|(day, _)| *day);
        Ok(rules.into_iter().map(|(day, rule)| on(operation.clone(), Some(day), rule)).collect())
    }

    /// Returns the first day from `day` on that the rule has, without one of today whose time has passed: it would be
    /// missed before it is planned.
    fn first_to_come(&self, day: NaiveDate, rule: Recurrence, time: Option<TimeOfDay>) -> NaiveDate {
        let has_passed = day == self.today.date && time.is_some_and(|time| time < self.today.time);
        let from = if has_passed { day.succ_opt().unwrap_or(day) } else { day };
        rule.next_from(day, from).unwrap_or(day)
    }
}

/// Returns the location in "Coffee with Sam, Thursday 4pm, Costa": a name after the day or time and a punctuation mark.
fn location_after_schedule<'t>(words: &'t [Token], when: &When) -> Option<&'t [Token]> {
    const MAX_PLACE_WORDS: usize = 4;
    let end = words.iter().rposition(|word| !word.is_mark())? + 1;
    let words = &words[..end];
    let mark = words.iter().rposition(Token::is_mark).filter(|mark| *mark > 0 && when.used[mark - 1])?;
    let place = &words[mark + 1..];
    let named = place[0].text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()) && !place[0].quoted;
    let unused = when.used[mark + 1..words.len()].iter().all(|used| !used);
    (named && unused && place.len() <= MAX_PLACE_WORDS && words[mark].is_one_of(",|-|–|—|(")).then_some(place)
}

/// Removes quotation marks around the whole title.
fn unquoted(title: &str) -> &str {
    let inner = |mark| title.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    let marks = ['\'', '"'];
    marks.into_iter().find_map(|mark| inner(mark).filter(|inner| !inner.contains(mark))).unwrap_or(title)
}

/// Skips a phrase such as "I need to" after the day ("On Monday I need to …") or after another such phrase ("(jot down)
/// that I must …").
fn skip_leading_phrase(words: &[Token], when: &mut When, certain: bool) {
    let mut at = 0;
    while at < words.len() {
        let rest = &words[at..];
        let lead = || {
            let having = after_any(rest, vocabulary::HAVING).filter(|_| certain);
            let leads = [after_any(rest, &vocabulary::TO_DO), after_any(rest, &vocabulary::ARRANGED), having];
            leads.into_iter().flatten().min_by_key(|after| after.len())
        };
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
    after_any(rest, &vocabulary::TO_DO).is_some_and(|rest| !rest.is_empty())
}

/// Returns whether "there is a", "we have a" precedes the subject.
fn is_arranged(words: &[Token], when: &When) -> bool {
    (0..words.len()).any(|at| {
        let arranged = after_any(&words[at..], &vocabulary::ARRANGED)
            .or_else(|| after_any(&words[at..], vocabulary::HAVING))
            .is_some()
            && after_any(&words[at..], &vocabulary::TO_DO).is_none();
        arranged && when.used[at] && when.used[..at].iter().zip(words).all(|(used, word)| *used || word.is_mark())
    })
}

/// Returns the question about an unsupported rule, with what can be said instead.
pub fn unsupported(when: &When, today: NaiveDate) -> Question {
    let said = match &when.repeat {
        Some(Repeat::Unsupported(words)) => words.as_str(),
        _ => "that",
    };
    let instead = instead_of(said, when.date.filter(|day| *day >= today));
    let text = format!(
        "Repeating \"{said}\" cannot be kept: a record can repeat every day, on weekdays, every week or every so many \
         days. {instead}"
    );
    Question::new(&text, Vec::new())
}

/// Returns what comes close to an unsupported rule. `next` is its next day, if the sentence contains it.
fn instead_of(said: &str, next: Option<NaiveDate>) -> String {
    let Some(close) = close_rule(said) else {
        return "Add one for each time, such as \"every Monday\" and \"every Thursday\", or \"every day at 8:00\" and \
                \"every day at 20:00\"."
            .to_owned();
    };
    match next {
        Some(day) => format!(
            "Say \"on {day}\" to add the next one alone, and add the one after it later, or say \"{close} from {day}\"."
        ),
        None => format!("Say its next day to add that one alone, and add the one after it later, or say \"{close}\"."),
    }
}

/// Returns the supported rule that is closest to a rule by the month, the quarter or the year.
fn close_rule(said: &str) -> Option<String> {
    let has = |list: &str| said.split(' ').any(|word| listed(list, word));
    let names = |known: fn(&str) -> bool| said.split(' ').any(known);
    if has("odd|even|uneven") {
        let close = if has("week|weeks") { "every 2 weeks" } else { "every 2 days" };
        return Some(close.to_owned());
    }
    if has("week|weekly|day|daily|hour|hours|hourly|minute|minutes|times|thrice") {
        return None;
    }
    if names(|word| weekday(word, true).is_some()) {
        return Some("every 4 weeks".to_owned());
    }
    let yearly = has("year|years|yearly|annually|biannually") || has(YEARLY) || names(|word| month(word).is_some());
    let days = match (yearly, has("quarter|quarterly")) {
        (true, _) => 365,
        (_, true) => 91,
        _ if has("month|months|monthly|bimonthly|bi-monthly") || names(|word| day_ordinal(word).is_some()) => 30,
        _ => return None,
    };
    let words: Vec<&str> = said.split(' ').collect();
    let counted = |pair: &[&str]| {
        let is_unit = matches!(pair[1], "month" | "months" | "quarter" | "quarters" | "year" | "years");
        is_unit.then(|| count(pair[0]).or_else(|| ordinal(pair[0]))).flatten()
    };
    let number = words.windows(2).find_map(counted).unwrap_or(1).max(1);
    let days = if has("twice|biannually") { days / 2 } else { days * number };
    Some(format!("every {days} days"))
}

fn on(mut operation: Operation, day: Option<NaiveDate>, recurrence: Recurrence) -> Operation {
    operation.scheduled_for = day.map(Some);
    operation.recurrence = Some(recurrence);
    operation
}

/// Sets the times in the fields of the record's kind.
pub fn set_times(operation: &mut Operation, start: Option<TimeOfDay>, end: Option<TimeOfDay>) {
    if operation.kind == Kind::Event {
        operation.start_time = start.map(Some);
        operation.end_time = end.map(Some);
    } else {
        operation.time_of_day = start.map(Some);
    }
}

/// Returns the kind by the named place: an event for the calendar, a todo for the list.
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
