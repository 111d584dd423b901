//! Validates operations: every rule, for every kind, with its error code.

use std::fmt;

use chrono::NaiveDate;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::MAX_OPERATIONS;
use crate::operation::{Action, Operation};
use crate::record::{GoalStatus, Item, Kind, Priority};
use crate::recurrence::Recurrence;
use crate::shape::{Fields, infer_operation_shape, is_bulk_field};
use crate::state::State;
use crate::time_of_day::TimeOfDay;

const MAX_TITLE_CHARS: usize = 500;
const MAX_NOTES_CHARS: usize = 20_000;
const MAX_ITEMS_OF_A_GOAL: usize = 100;

macro_rules! error_codes {
    ($($name:ident = $code:literal: $words:literal,)*) => {
        /// An error in an operation, or in a whole proposal.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $(#[doc = concat!("`", $code, "`")] $name,)* }

        impl ErrorCode {
            /// The code in API answers.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// What the error means and what to do, for a user or a model.
            #[must_use]
            pub const fn in_words(self) -> &'static str {
                match self { $(Self::$name => $words,)* }
            }
        }
    };
}

error_codes! {
    MissingOperations = "missing_operations": "there are no operations; send a list of them",
    TooManyOperations = "too_many_operations": "there are more than 20 operations; send fewer at once",
    InvalidOperations = "invalid_operations": "some operations are invalid, so none is applied; correct or leave out those",
    InvalidOperationObject = "invalid_operation_object": "an operation is a JSON object",
    InvalidKind = "invalid_kind": "kind is one of todo, event, habit, goal",
    InvalidOp = "invalid_op": "there is no such action for this kind",
    BulkOperationsRemoved = "bulk_operations_removed":
        "one operation changes one record, named by id and not by ids or where; write one for each",
    MissingOrInvalidId = "missing_or_invalid_id": "the action needs the whole-numbered id of its record",
    IdNotFound = "id_not_found": "there is no record of that kind with this id",
    InvalidTitle = "invalid_title": "a record needs a title of 1 to 500 characters",
    InvalidNotes = "invalid_notes": "notes are a text of at most 20000 characters",
    InvalidScheduledFor = "invalid_scheduledFor": "scheduledFor is a date as YYYY-MM-DD, or null",
    InvalidTimeOfDay = "invalid_timeOfDay": "timeOfDay is HH:MM, or null",
    InvalidStartTime = "invalid_start_time": "startTime is HH:MM, or null",
    InvalidEndTime = "invalid_end_time": "endTime is HH:MM, or null",
    InvalidTimeRange = "invalid_time_range":
        "an event does not end before it starts; of one that lasts past midnight, the rest is an event of the next day",
    InvalidLocation = "invalid_location": "location is a text of at most 500 characters, or null",
    InvalidLink = "invalid_link": "link is an http or https address of at most 500 characters, or a path that begins with /, or null",
    InvalidPriority = "invalid_priority": "priority is low, medium or high",
    InvalidCompleted = "invalid_completed": "completed is true or false",
    MissingRecurrence = "missing_recurrence": "say how it repeats; {\"type\":\"none\"} for a todo or an event that does not",
    InvalidRecurrence = "invalid_recurrence":
        "recurrence.type is none, daily, weekdays, weekly or every_n_days with intervalDays from 1; a habit repeats; until is a date, not before the first day",
    MissingAnchor = "missing_anchor_for_recurrence": "what repeats needs scheduledFor, the day it begins",
    UseCompleteOccurrence = "use_complete_occurrence_for_repeating": "it repeats: complete one day of it by complete_occurrence",
    InvalidOccurrenceDate = "invalid_occurrenceDate": "occurrenceDate is a day, as YYYY-MM-DD, on which it is due",
    NotRepeating = "not_repeating": "it does not repeat: use complete",
    InvalidStatus = "invalid_status": "status is active, completed or archived",
    InvalidProgress = "invalid_progress": "progress is a number from 0, or null",
    MissingItemId = "missing_item_id": "name a todo or an event by its id",
    MissingChildId = "missing_child_id": "name the goal below this one by its id",
    GoalCycle = "goal_cycle": "a goal cannot stand below itself",
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A normalised operation and its errors.
#[derive(Debug, Clone, Serialize)]
pub struct CheckedOperation {
    pub op: Value,
    pub errors: Vec<ErrorCode>,
    /// `None` if there are errors.
    #[serde(skip)]
    pub operation: Option<Operation>,
}

/// The errors of a proposal as a whole, and the result for each of its operations, in order.
#[derive(Debug, Clone, Serialize)]
pub struct Validation {
    pub errors: Vec<ErrorCode>,
    pub results: Vec<CheckedOperation>,
}

impl Validation {
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns the operations without errors, in order.
    #[must_use]
    pub fn valid(&self) -> Vec<Operation> {
        self.results.iter().filter_map(|result| result.operation.clone()).collect()
    }

    #[must_use]
    pub fn invalid_count(&self) -> usize {
        self.results.iter().filter(|result| result.operation.is_none()).count()
    }
}

/// Normalises and checks each operation against the current records. If there are more than [`MAX_OPERATIONS`], none is
/// checked.
#[must_use]
pub fn validate_proposal(operations: &[Value], state: &State) -> Validation {
    let refused = |code| Validation { errors: vec![code], results: Vec::new() };
    if operations.is_empty() {
        return refused(ErrorCode::MissingOperations);
    }
    if operations.len() > MAX_OPERATIONS {
        return refused(ErrorCode::TooManyOperations);
    }
    let results: Vec<_> = operations.iter().map(|operation| check(operation, state)).collect();
    let invalid = results.iter().any(|result| result.operation.is_none());
    Validation { errors: if invalid { vec![ErrorCode::InvalidOperations] } else { Vec::new() }, results }
}

/// Normalises and checks one operation.
#[must_use]
pub fn check(operation: &Value, state: &State) -> CheckedOperation {
    let Some(fields) = infer_operation_shape(operation) else {
        let errors = vec![ErrorCode::InvalidOperationObject];
        return CheckedOperation { op: operation.clone(), errors, operation: None };
    };
    let mut checker = Checker { fields: &fields, state, errors: Vec::new() };
    checker.check();
    let mut errors = checker.errors;
    let value = Value::Object(fields);
    let operation = errors.is_empty().then(|| serde_json::from_value::<Operation>(value.clone()).ok()).flatten();
    if operation.is_none() && errors.is_empty() {
        errors.push(ErrorCode::InvalidOp);
    }
    CheckedOperation { op: value, errors, operation }
}

struct Checker<'a> {
    fields: &'a Fields,
    state: &'a State,
    errors: Vec<ErrorCode>,
}

impl Checker<'_> {
    fn check(&mut self) {
        let fields = self.fields;
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let (op, action_name) = (text("op").unwrap_or_default(), text("action").unwrap_or_default());
        let names_several = fields.keys().any(|name| is_bulk_field(name));
        if op.starts_with("bulk") || action_name.starts_with("bulk") || names_several {
            return self.report(ErrorCode::BulkOperationsRemoved);
        }
        let Some(kind) = text("kind").and_then(|kind| kind.parse::<Kind>().ok()) else {
            return self.report(ErrorCode::InvalidKind);
        };
        self.check_fields();
        let Some(action) = Action::of(kind, action_name) else {
            return self.report(ErrorCode::InvalidOp);
        };
        match action {
            Action::Create | Action::Update => self.check_contents(kind, action),
            Action::Complete | Action::CompleteOccurrence => self.check_completion(kind, action),
            Action::AddItems => self.check_added_items(),
            Action::RemoveItem => self.check_removed_item(),
            Action::AddChild | Action::RemoveChild => self.check_child(action),
            Action::Delete => {}
        }
        if kind == Kind::Goal || !matches!(action, Action::Create | Action::Update) {
            self.field("recurrence", ErrorCode::InvalidRecurrence, reads::<Recurrence>);
        }
        if action != Action::Create {
            self.check_id(kind, "id", ErrorCode::MissingOrInvalidId);
        }
    }

    fn report(&mut self, code: ErrorCode) {
        if !self.errors.contains(&code) {
            self.errors.push(code);
        }
    }

    fn id(&self, name: &str) -> Option<i64> {
        self.fields.get(name).and_then(Value::as_i64).filter(|id| *id > 0)
    }

    /// Reports `code` if the field exists, is not null, and does not fit.
    fn field(&mut self, name: &str, code: ErrorCode, fits: impl Fn(&Value) -> bool) {
        if self.fields.get(name).is_some_and(|value| !value.is_null() && !fits(value)) {
            self.report(code);
        }
    }

    /// Checks the values of each field, whatever the action.
    fn check_fields(&mut self) {
        self.field("title", ErrorCode::InvalidTitle, |v| is_text(v, MAX_TITLE_CHARS));
        self.field("notes", ErrorCode::InvalidNotes, |v| is_text(v, MAX_NOTES_CHARS));
        self.field("location", ErrorCode::InvalidLocation, |v| is_text(v, MAX_TITLE_CHARS));
        self.field("progressUnit", ErrorCode::InvalidProgress, |v| is_text(v, MAX_TITLE_CHARS));
        self.field("link", ErrorCode::InvalidLink, is_link);
        self.field("scheduledFor", ErrorCode::InvalidScheduledFor, |v| date(v).is_some());
        self.field("timeOfDay", ErrorCode::InvalidTimeOfDay, |v| time(v).is_some());
        self.field("startTime", ErrorCode::InvalidStartTime, |v| time(v).is_some());
        self.field("endTime", ErrorCode::InvalidEndTime, |v| time(v).is_some());
        self.field("priority", ErrorCode::InvalidPriority, reads::<Priority>);
        self.field("completed", ErrorCode::InvalidCompleted, Value::is_boolean);
        self.field("status", ErrorCode::InvalidStatus, reads::<GoalStatus>);
        self.field("occurrenceDate", ErrorCode::InvalidOccurrenceDate, |v| date(v).is_some());
        for name in ["currentProgressValue", "targetProgressValue"] {
            self.field(name, ErrorCode::InvalidProgress, |v| v.as_f64().is_some_and(|n| n.is_finite() && n >= 0.0));
        }
        for name in ["todos", "events"] {
            let is_id_list = |v: &Value| v.as_array().is_some_and(|ids| ids.iter().all(Value::is_i64));
            self.field(name, ErrorCode::MissingItemId, is_id_list);
        }
        for name in ["todoId", "eventId"] {
            self.field(name, ErrorCode::MissingItemId, Value::is_i64);
        }
        self.field("childId", ErrorCode::MissingChildId, Value::is_i64);
        let times = ["startTime", "endTime"].map(|name| self.fields.get(name).and_then(time));
        if let [Some(start), Some(end)] = times
            && end < start
        {
            self.report(ErrorCode::InvalidTimeRange);
        }
    }

    /// Checks the times of an update together with those that the record keeps.
    fn check_times(&mut self, item: &Item) {
        let (start, end) = (self.fields.get("startTime"), self.fields.get("endTime"));
        let merged = |given: Option<&Value>, kept| given.map_or(kept, time);
        if let (Some(start), Some(end)) = (merged(start, item.start_time), merged(end, item.end_time))
            && (self.fields.contains_key("startTime") || self.fields.contains_key("endTime"))
            && end < start
        {
            self.report(ErrorCode::InvalidTimeRange);
        }
    }

    /// What repeats is completed by its days. `item`: the record that is changed, none for a new one.
    fn check_completed(&mut self, item: Option<&Item>) {
        let rule = self.fields.get("recurrence").and_then(|rule| rule.get("type")).and_then(Value::as_str);
        let repeats = match rule {
            Some(rule) => rule != "none",
            None => item.is_some_and(|item| item.recurrence.repeats()),
        };
        if repeats && self.fields.get("completed").and_then(Value::as_bool) == Some(true) {
            self.report(ErrorCode::UseCompleteOccurrence);
        }
    }

    fn check_contents(&mut self, kind: Kind, action: Action) {
        let title = self.fields.get("title");
        let fits = |title: &Value| is_text(title, MAX_TITLE_CHARS) && title.as_str().is_some_and(|t| !t.is_empty());
        if !title.map_or(action == Action::Update, fits) {
            self.report(ErrorCode::InvalidTitle);
        }
        let state = self.state;
        let item = self.id("id").filter(|_| action == Action::Update).and_then(|id| state.item(kind, id));
        if let Some(item) = item {
            self.check_times(item);
        }
        if kind != Kind::Goal {
            self.check_recurrence(kind);
            self.check_completed(item);
        }
    }

    fn check_recurrence(&mut self, kind: Kind) {
        let Some(written) = self.fields.get("recurrence") else {
            return self.report(ErrorCode::MissingRecurrence);
        };
        let Some(rule_name) = written.get("type").and_then(Value::as_str) else {
            let code = if written.is_object() { ErrorCode::MissingRecurrence } else { ErrorCode::InvalidRecurrence };
            return self.report(code);
        };
        let anchor = self.fields.get("scheduledFor").and_then(date);
        if rule_name != "none" && anchor.is_none() {
            self.report(ErrorCode::MissingAnchor);
        }
        let until_fits = |until: &Value| date(until).is_some_and(|until| anchor.is_none_or(|anchor| until >= anchor));
        let fits = written.get("until").is_none_or(until_fits)
            && serde_json::from_value::<Recurrence>(written.clone())
                .is_ok_and(|recurrence| kind != Kind::Habit || recurrence.repeats());
        if !fits {
            self.report(ErrorCode::InvalidRecurrence);
        }
    }

    /// Checks a completion. Only repeating items have occurrences, whatever their kind.
    fn check_completion(&mut self, kind: Kind, action: Action) {
        let day = self.fields.get("occurrenceDate").and_then(date);
        if action == Action::CompleteOccurrence && day.is_none() {
            self.report(ErrorCode::InvalidOccurrenceDate);
        }
        let Some(item) = self.id("id").and_then(|id| self.state.item(kind, id)) else { return };
        match (action, item.recurrence.repeats()) {
            (Action::Complete, true) => self.report(ErrorCode::UseCompleteOccurrence),
            (Action::CompleteOccurrence, false) => self.report(ErrorCode::NotRepeating),
            (Action::CompleteOccurrence, true) => {
                let due = |day| item.scheduled_for.is_some_and(|anchor| item.recurrence.occurs_on(anchor, day));
                // A day that was completed under an earlier rule can still be reopened.
                if day.is_some_and(|day| !due(day) && !item.completed_dates.contains(&day)) {
                    self.report(ErrorCode::InvalidOccurrenceDate);
                }
            }
            _ => {}
        }
    }

    fn check_added_items(&mut self) {
        let mut count = 0;
        for (name, kind) in [("todos", Kind::Todo), ("events", Kind::Event)] {
            let Some(value) = self.fields.get(name).filter(|value| !value.is_null()) else { continue };
            let ids: Option<Vec<i64>> = value.as_array().and_then(|ids| ids.iter().map(Value::as_i64).collect());
            let Some(ids) = ids.filter(|ids| ids.len() <= MAX_ITEMS_OF_A_GOAL) else {
                return self.report(ErrorCode::MissingItemId);
            };
            count += ids.len();
            if ids.iter().any(|id| self.state.item(kind, *id).is_none()) {
                self.report(ErrorCode::IdNotFound);
            }
        }
        if count == 0 {
            self.report(ErrorCode::MissingItemId);
        }
    }

    fn check_removed_item(&mut self) {
        if self.id("todoId").is_some() == self.id("eventId").is_some() {
            self.report(ErrorCode::MissingItemId);
        }
    }

    fn check_child(&mut self, action: Action) {
        self.check_id(Kind::Goal, "childId", ErrorCode::MissingChildId);
        if let (Action::AddChild, Some(parent), Some(child)) = (action, self.id("id"), self.id("childId"))
            && self.state.is_self_or_descendant(parent, child)
        {
            self.report(ErrorCode::GoalCycle);
        }
    }

    fn check_id(&mut self, kind: Kind, name: &str, missing: ErrorCode) {
        match self.id(name) {
            None => self.report(missing),
            Some(id) if !self.state.has(kind, id) => self.report(ErrorCode::IdNotFound),
            Some(_) => {}
        }
    }
}

fn is_text(value: &Value, max_chars: usize) -> bool {
    value.as_str().is_some_and(|text| text.chars().count() <= max_chars)
}

fn is_link(value: &Value) -> bool {
    let names_a_page = |text: &str| {
        (text.starts_with('/') && !text.starts_with("//"))
            || text.starts_with("https://")
            || text.starts_with("http://")
    };
    is_text(value, MAX_TITLE_CHARS)
        && value.as_str().is_some_and(|text| names_a_page(text) && !text.contains(['\\', ' ']))
}

fn reads<T: serde::de::DeserializeOwned>(value: &Value) -> bool {
    serde_json::from_value::<T>(value.clone()).is_ok()
}

/// Parses a date `YYYY-MM-DD`, in digits only, from 1900 to 9999 minus a margin for date computations.
#[must_use]
pub fn parse_date(text: &str) -> Option<NaiveDate> {
    let form = text.len() == 10
        && text.bytes().enumerate().all(|(at, b)| if matches!(at, 4 | 7) { b == b'-' } else { b.is_ascii_digit() });
    if !form {
        return None;
    }
    let (year, month, day) = (text[..4].parse().ok()?, text[5..7].parse().ok()?, text[8..].parse().ok()?);
    NaiveDate::from_ymd_opt(year, month, day).filter(|_| (1900..=9000).contains(&year))
}

fn date(value: &Value) -> Option<NaiveDate> {
    parse_date(value.as_str()?)
}

fn time(value: &Value) -> Option<TimeOfDay> {
    value.as_str()?.parse().ok()
}
