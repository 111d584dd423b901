//! `aha-radar assistant`, `todo` and `agenda`: shows and changes planner items.

use aha_core::ids::BatchId;
use aha_planner::language::{Reading, Selection, assumed_days, read};
use aha_planner::operation::{Action, Operation};
use aha_planner::record::{Item, Kind};
use aha_planner::recurrence::Recurrence;
use aha_planner::repair::due_day;
use anyhow::{Result, anyhow};
use chrono::NaiveDate;
use serde_json::{Value, json};

use super::arguments::{AgendaArguments, AssistantArguments, TodoCommand};
use super::exit::{Exit, UsageError};
use super::output;
use crate::app::App;
use crate::assistant::{self, Answer, Decision, Message};
use crate::services::planner::{self, Apply, UndoOutcome};

/// Without an end date an agenda covers a week.
const DEFAULT_DAYS: u64 = 6;

pub(super) async fn run(app: &App, arguments: AssistantArguments) -> Result<Exit> {
    let message = Message {
        text: arguments.message,
        mode: arguments.mode.into(),
        selection: Selection {
            ids: arguments.select,
            date: arguments.date,
            priority: arguments.priority.map(Into::into),
        },
        ..Message::default()
    };
    let answer = assistant::answer(app, &message, |_| {}).await?;
    let operations: Vec<Value> = answer.operations.iter().map(|checked| checked.op.clone()).collect();
    let is_due = arguments.apply && answer.decision == Decision::Plan && !operations.is_empty();
    let applied = if is_due && may_be_applied(&answer) {
        Some(apply(app, operations, Some(answer.version)).await?)
    } else {
        None
    };
    if arguments.json {
        let mut shown = serde_json::to_value(&answer)?;
        shown["applied"] = json!(applied);
        output::print_json(&shown)?;
        return Ok(Exit::Ok);
    }
    show(&answer, applied.as_ref(), &message.selection)?;
    Ok(Exit::Ok)
}

/// Returns whether the operations may be applied without showing them first. If a part of the sentence was not
/// understood, only additions may: that part could be meant to take back a change.
fn may_be_applied(answer: &Answer) -> bool {
    answer.not_planned.is_none() || answer.operations.iter().all(|checked| checked.op["action"] == "create")
}

/// Prints the answer and what to do next. `applied` is the response to applying it, `selected` are the answers to
/// earlier questions.
fn show(answer: &Answer, applied: Option<&Value>, selected: &Selection) -> Result<()> {
    for warning in &answer.warnings {
        output::note(&output::one_safe_text(warning));
    }
    output::print(&output::one_safe_text(&answer.text))?;
    for option in &answer.options {
        let day = option.scheduled_for.map(|day| format!(", {day}")).unwrap_or_default();
        output::print(&output::one_safe_text(&format!("  #{} {} ({}{day})", option.id, option.title, option.kind)))?;
    }
    if !answer.options.is_empty() {
        output::note(&format!("repeat the command with {}--select ID, or be more precise", options(selected)));
    } else if let Some(applied) = applied {
        output::note(if applied["batchId"].is_null() {
            "nothing was changed: it is so already"
        } else {
            "applied; `aha-radar todo undo` reverts it"
        });
    } else if answer.decision == Decision::Clarify {
        output::note(
            "nothing is changed; answer by repeating the command with a more precise sentence, or with \
             --date YYYY-MM-DD if it asked for the day",
        );
    } else if answer.decision == Decision::Plan && !may_be_applied(answer) {
        output::note(
            "nothing is changed yet, since a part was not understood; repeat the command with --apply and only the \
             other part",
        );
    } else if answer.decision == Decision::Plan && !answer.operations.is_empty() {
        output::note("nothing is changed yet; repeat the command with --apply");
    }
    Ok(())
}

/// Returns the options that give these answers, each followed by a space.
fn options(selected: &Selection) -> String {
    let ids = selected.ids.iter().map(|id| format!("--select {id} "));
    let date = selected.date.map(|day| format!("--date {day} "));
    let priority = selected.priority.map(|priority| format!("--priority {} ", priority.as_str()));
    ids.chain(date).chain(priority).collect()
}

/// Applies operations, or returns why they cannot be applied.
async fn apply(app: &App, operations: Vec<Value>, version: Option<i64>) -> Result<Value> {
    match planner::apply(app, operations, version, None).await? {
        Apply::Done { response, .. } => Ok(serde_json::from_str(&response)?),
        Apply::Invalid(validation) => {
            let why: Vec<&str> =
                validation.results.iter().flat_map(|result| result.errors.iter().map(|code| code.in_words())).collect();
            Err(UsageError(format!("nothing was changed: {}", why.join("; "))).into())
        }
        Apply::Changed { .. } => Err(anyhow!("the records were changed meanwhile; repeat the command")),
        Apply::KeyReused | Apply::InFlight => Err(anyhow!("another program is changing the same records; try again")),
    }
}

pub(super) async fn todo(app: &App, command: Option<TodoCommand>) -> Result<Exit> {
    match command.unwrap_or(TodoCommand::List { all: false, json: false }) {
        TodoCommand::List { all, json } => list(app, all, json).await?,
        TodoCommand::Add { text, json } => add(app, &text, json).await?,
        TodoCommand::Done { wanted, json } => done(app, &wanted, json).await?,
        TodoCommand::Delete { wanted, json } => delete(app, &wanted, json).await?,
        TodoCommand::Undo { batch, json } => undo(app, batch.as_deref(), json).await?,
    }
    Ok(Exit::Ok)
}

async fn list(app: &App, all: bool, as_json: bool) -> Result<()> {
    let state = planner::planner(app).await?.state;
    let today = planner::today(app).await?.date;
    let items = planner::items(&state, Kind::Todo).into_iter().filter(|item| all || item.is_open(today));
    let items: Vec<&Item> = items.collect();
    if as_json {
        return output::print_json(&items);
    }
    if items.is_empty() {
        output::note("nothing to do; add something with `aha-radar todo add \"buy milk tomorrow\"`");
        return Ok(());
    }
    let mut table = output::table(&["id", "when", "how often", "priority", "title"]);
    let day_of = |item: &Item| item.overdue_day(today).or_else(|| item.next_day(today));
    let mut items: Vec<_> = items.into_iter().map(|item| (day_of(item), item)).collect();
    items.sort_by_key(|(day, item)| (day.is_none(), *day, item.time(), item.id));
    for (day, item) in items {
        let day = day.map(|day| day.to_string()).unwrap_or_default();
        let when = item.time().map_or(day.clone(), |time| format!("{day} {time}"));
        let often = if item.recurrence.repeats() { item.recurrence.in_words() } else { String::new() };
        let title = if item.completed { format!("{} (done)", item.title) } else { item.title.clone() };
        let cells = [item.id.to_string(), when, often, item.priority.as_str().to_owned(), title];
        table.add_row(cells.map(|cell| output::one_safe_text(&cell)));
    }
    output::print(&table.to_string())
}

async fn add(app: &App, text: &str, as_json: bool) -> Result<()> {
    const ANSWERING: &str = "repeat the command with the answer in its text";
    let state = planner::planner(app).await?.state;
    let sentence = format!("add a todo: {text}");
    let today = planner::today(app).await?;
    let (operations, question) = match read(&sentence, &state, today, &Selection::default()) {
        Reading::Plan(operations) if !is_addition(&operations) => {
            let why = "that would change what is there; use `aha-radar assistant`, which shows the changes first";
            return Err(UsageError(why.to_owned()).into());
        }
        Reading::Plan(operations) => (operations, None),
        Reading::Clarify(question) if is_addition(&question.understood) => {
            (question.understood, Some(question.question))
        }
        Reading::Clarify(question) => {
            return Err(UsageError(format!("{} Nothing was added; {ANSWERING}.", question.question)).into());
        }
        Reading::Chat => return Err(UsageError("that is nothing to add; say what to do".to_owned()).into()),
    };
    let zone = planner::zone(app).await?;
    if let Some(why) = operations.iter().find_map(|operation| planner::skipped_time(zone, operation, &state)) {
        return Err(UsageError(format!("{why} Nothing was added; {ANSWERING}.")).into());
    }
    let assumed = assumed_days(&sentence, &operations, today);
    report(&apply(app, operations.iter().map(|operation| json!(operation)).collect(), None).await?, as_json)?;
    for note in assumed.iter().chain(&question) {
        output::note(note);
    }
    Ok(())
}

fn is_addition(operations: &[Operation]) -> bool {
    !operations.is_empty() && operations.iter().all(|operation| operation.action == Action::Create)
}

/// Marks todos as done: those with the ids, or the one that the words together name.
async fn done(app: &App, wanted: &[String], as_json: bool) -> Result<()> {
    let state = planner::planner(app).await?.state;
    let today = planner::today(app).await?.date;
    let ids = planner::named_todos(&state, wanted, today)?;
    let operation = |id: &i64| match state.item(Kind::Todo, *id).filter(|item| item.recurrence.repeats()) {
        Some(item) => {
            json!({ "kind": "todo", "action": "complete_occurrence", "id": id, "occurrenceDate": due_day(item, today) })
        }
        None => json!({ "kind": "todo", "action": "complete", "id": id }),
    };
    report(&apply(app, ids.iter().map(operation).collect(), None).await?, as_json)
}

async fn delete(app: &App, wanted: &[String], as_json: bool) -> Result<()> {
    let state = planner::planner(app).await?.state;
    let ids = planner::named_todos(&state, wanted, planner::today(app).await?.date)?;
    let operation = |id: &i64| json!({ "kind": "todo", "action": "delete", "id": id });
    let response = apply(app, ids.iter().map(operation).collect(), None).await?;
    if as_json {
        return report(&response, true);
    }
    // The response contains no deleted record.
    for id in ids {
        let title = state.item(Kind::Todo, id).map_or("", |item| item.title.as_str());
        output::print(&output::one_safe_text(&format!("delete: todo #{id} {title}")))?;
    }
    Ok(())
}

async fn undo(app: &App, batch: Option<&str>, as_json: bool) -> Result<()> {
    let wanted: Option<BatchId> = match batch {
        Some(text) => Some(text.parse().map_err(|_| UsageError(format!("{text:?} is no id of a batch")))?),
        None => None,
    };
    let (batch, outcome) = planner::undo(app, wanted).await?;
    match outcome {
        UndoOutcome::Undone { restored, version } if as_json => {
            output::print_json(&json!({ "batchId": batch, "restored": restored, "version": version }))
        }
        UndoOutcome::Undone { restored: 1, .. } => output::print("undone: 1 record is as before"),
        UndoOutcome::Undone { restored, .. } => output::print(&format!("undone: {restored} records are as before")),
        UndoOutcome::NotFound => Err(UsageError("there is no such batch".to_owned()).into()),
        UndoOutcome::AlreadyUndone => Err(UsageError("that was undone before".to_owned()).into()),
        UndoOutcome::Changed(_) => Err(anyhow!("a record of it was changed since; undo the later change first")),
    }
}

/// Prints what was changed, one line per record, and what was so already.
fn report(response: &Value, as_json: bool) -> Result<()> {
    if as_json {
        return output::print_json(response);
    }
    for result in response["results"].as_array().into_iter().flatten() {
        let kind = result["op"]["kind"].as_str().unwrap_or_default();
        let title = result[kind]["title"].as_str().unwrap_or_default();
        let op = result["op"]["op"].as_str().unwrap_or_default();
        let is_unchanged = result["unchanged"] == json!(true);
        let said = if is_unchanged && op.starts_with("complete") { "already done" } else { op };
        let day = result["op"]["occurrenceDate"].as_str().and_then(|day| day.parse::<NaiveDate>().ok());
        let when = match day {
            Some(day) => format!(" (on {})", day.format("%a %Y-%m-%d")),
            None if op == "create" => planned(&result[kind]),
            None => String::new(),
        };
        output::print(&output::one_safe_text(&format!("{said}: {kind} #{} {title}{when}", result["id"])))?;
    }
    Ok(())
}

/// Returns when a record is planned: " (on Fri 2026-11-20 at 15:00)"; nothing if it has no day.
fn planned(record: &Value) -> String {
    let recurrence: Option<Recurrence> = serde_json::from_value(record["recurrence"].clone()).ok();
    let repeats = recurrence.filter(Recurrence::repeats);
    let Some(day) = record["scheduledFor"].as_str().and_then(|day| day.parse::<NaiveDate>().ok()) else {
        return String::new();
    };
    let preposition = if repeats.is_some() { "from" } else { "on" };
    let time = ["startTime", "timeOfDay"].into_iter().find_map(|name| record[name].as_str());
    let time = time.map(|time| format!(" at {time}")).unwrap_or_default();
    let often = repeats.map(|recurrence| format!(", {}", recurrence.in_words())).unwrap_or_default();
    format!(" ({preposition} {}{time}{often})", day.format("%a %Y-%m-%d"))
}

pub(super) async fn agenda(app: &App, arguments: AgendaArguments) -> Result<Exit> {
    if arguments.ical {
        output::print(&planner::calendar(app).await?)?;
        return Ok(Exit::Ok);
    }
    let from = match arguments.from {
        Some(day) => day,
        None => planner::today(app).await?.date,
    };
    let default = || from.checked_add_days(chrono::Days::new(DEFAULT_DAYS));
    let Some(to) = arguments.to.or_else(default) else {
        return Err(UsageError(format!("--from {from} is too late; name an earlier day, or --to")).into());
    };
    let agenda = planner::agenda(app, from, to).await?;
    if arguments.json {
        output::print_json(&agenda)?;
        return Ok(Exit::Ok);
    }
    if agenda.days.is_empty() {
        output::note(&format!("nothing from {from} to {to}"));
    }
    for one in &agenda.days {
        let time = one.item.time().map_or_else(|| "     ".to_owned(), |time| time.to_string());
        let done = if one.item.completed { " (done)" } else { "" };
        let line = format!(
            "{} {} {time} {} #{} {}{done}",
            one.date.format("%a"),
            one.date,
            one.item.kind,
            one.item.id,
            one.item.title
        );
        output::print(&output::one_safe_text(&line))?;
    }
    Ok(Exit::Ok)
}
