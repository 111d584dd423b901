//! `todos`, `events`, `habits`, `occurrence_logs`, `goals` and their links: reads all of a user's rows, writes the
//! changed ones.

use std::collections::{BTreeMap, BTreeSet};

use aha_core::time::Timestamp;
use aha_planner::apply::{Key, Record, State};
use aha_planner::record::{Goal, Item, Kind};

use super::Connection;
use crate::shared::column;
use crate::{Result, StoreError};

const ITEMS: &str = "
    SELECT 'todo' AS kind, id, title, notes, scheduled_for, time_of_day, start_time, end_time, location, priority,
           recurrence_json, completed, link, created_at, updated_at
    FROM todos WHERE user_id = $1
    UNION ALL
    SELECT 'event' AS kind, id, title, notes, scheduled_for, time_of_day, start_time, end_time, location, priority,
           recurrence_json, completed, link, created_at, updated_at
    FROM events WHERE user_id = $1
    UNION ALL
    SELECT 'habit' AS kind, id, title, notes, scheduled_for, time_of_day, start_time, end_time, location, priority,
           recurrence_json, completed, link, created_at, updated_at
    FROM habits WHERE user_id = $1";

const LOGS: &str = "SELECT item_id AS a, day AS b FROM occurrence_logs WHERE user_id = $1";

const GOALS: &str = "
    SELECT id, title, notes, status, current_progress_value, target_progress_value, progress_unit, created_at, updated_at
    FROM goals WHERE user_id = $1";

const LINKS: &str = "
    SELECT 'todo' AS kind, goal_id, todo_id AS other_id FROM goal_todo_items WHERE user_id = $1
    UNION ALL
    SELECT 'event' AS kind, goal_id, event_id AS other_id FROM goal_event_items WHERE user_id = $1
    UNION ALL
    SELECT 'goal' AS kind, goal_id, child_id AS other_id FROM goal_hierarchy WHERE user_id = $1";

const WRITE_TODO: &str = "
    INSERT INTO todos (user_id, id, title, notes, scheduled_for, time_of_day, start_time, end_time, location, priority,
                       recurrence_json, completed, link, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
    ON CONFLICT (user_id, id) DO UPDATE
    SET title = excluded.title, notes = excluded.notes, scheduled_for = excluded.scheduled_for,
        time_of_day = excluded.time_of_day, start_time = excluded.start_time, end_time = excluded.end_time,
        location = excluded.location, priority = excluded.priority, recurrence_json = excluded.recurrence_json,
        completed = excluded.completed, link = excluded.link, updated_at = excluded.updated_at";

const WRITE_EVENT: &str = "
    INSERT INTO events (user_id, id, title, notes, scheduled_for, time_of_day, start_time, end_time, location, priority,
                        recurrence_json, completed, link, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
    ON CONFLICT (user_id, id) DO UPDATE
    SET title = excluded.title, notes = excluded.notes, scheduled_for = excluded.scheduled_for,
        time_of_day = excluded.time_of_day, start_time = excluded.start_time, end_time = excluded.end_time,
        location = excluded.location, priority = excluded.priority, recurrence_json = excluded.recurrence_json,
        completed = excluded.completed, link = excluded.link, updated_at = excluded.updated_at";

const WRITE_HABIT: &str = "
    INSERT INTO habits (user_id, id, title, notes, scheduled_for, time_of_day, start_time, end_time, location, priority,
                        recurrence_json, completed, link, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
    ON CONFLICT (user_id, id) DO UPDATE
    SET title = excluded.title, notes = excluded.notes, scheduled_for = excluded.scheduled_for,
        time_of_day = excluded.time_of_day, start_time = excluded.start_time, end_time = excluded.end_time,
        location = excluded.location, priority = excluded.priority, recurrence_json = excluded.recurrence_json,
        completed = excluded.completed, link = excluded.link, updated_at = excluded.updated_at";

const WRITE_GOAL: &str = "
    INSERT INTO goals (user_id, id, title, notes, status, current_progress_value, target_progress_value, progress_unit,
                       created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (user_id, id) DO UPDATE
    SET title = excluded.title, notes = excluded.notes, status = excluded.status,
        current_progress_value = excluded.current_progress_value,
        target_progress_value = excluded.target_progress_value, progress_unit = excluded.progress_unit,
        updated_at = excluded.updated_at";

const DELETE_TODO: &str = "DELETE FROM todos WHERE user_id = $1 AND id = $2";
const DELETE_EVENT: &str = "DELETE FROM events WHERE user_id = $1 AND id = $2";
const DELETE_HABIT: &str = "DELETE FROM habits WHERE user_id = $1 AND id = $2";
const DELETE_GOAL: &str = "DELETE FROM goals WHERE user_id = $1 AND id = $2";

const LOG: &str = "INSERT INTO occurrence_logs (user_id, item_id, day, kind) VALUES ($1, $2, $3, $4)";
const UNLOG: &str = "DELETE FROM occurrence_logs WHERE user_id = $1 AND item_id = $2 AND day = $3";

/// For each kind of link, the statements that insert and delete one.
const LINK: [(Kind, &str, &str); 3] = [
    (
        Kind::Todo,
        "INSERT INTO goal_todo_items (user_id, goal_id, todo_id) VALUES ($1, $2, $3)",
        "DELETE FROM goal_todo_items WHERE user_id = $1 AND goal_id = $2 AND todo_id = $3",
    ),
    (
        Kind::Event,
        "INSERT INTO goal_event_items (user_id, goal_id, event_id) VALUES ($1, $2, $3)",
        "DELETE FROM goal_event_items WHERE user_id = $1 AND goal_id = $2 AND event_id = $3",
    ),
    (
        Kind::Goal,
        "INSERT INTO goal_hierarchy (user_id, goal_id, child_id) VALUES ($1, $2, $3)",
        "DELETE FROM goal_hierarchy WHERE user_id = $1 AND goal_id = $2 AND child_id = $3",
    ),
];

struct ItemRow {
    kind: String,
    id: i64,
    title: String,
    notes: String,
    scheduled_for: Option<String>,
    time_of_day: Option<String>,
    start_time: Option<String>,
    end_time: Option<String>,
    location: Option<String>,
    priority: String,
    recurrence_json: String,
    completed: i64,
    link: Option<String>,
    created_at: i64,
    updated_at: i64,
}

from_row!(ItemRow {
    kind,
    id,
    title,
    notes,
    scheduled_for,
    time_of_day,
    start_time,
    end_time,
    location,
    priority,
    recurrence_json,
    completed,
    link,
    created_at,
    updated_at
});

impl ItemRow {
    fn into_item(self, days: &mut BTreeMap<i64, BTreeSet<chrono::NaiveDate>>) -> Result<Item> {
        Ok(Item {
            id: self.id,
            kind: column::id("kind of item", &self.kind)?,
            title: self.title,
            notes: self.notes,
            scheduled_for: column::optional_id("day of an item", self.scheduled_for.as_deref())?,
            time_of_day: column::optional_id("time of an item", self.time_of_day.as_deref())?,
            start_time: column::optional_id("time of an item", self.start_time.as_deref())?,
            end_time: column::optional_id("time of an item", self.end_time.as_deref())?,
            location: self.location,
            priority: column::word("priority", &self.priority)?,
            recurrence: column::json("recurrence", &self.recurrence_json)?,
            completed: self.completed != 0,
            completed_dates: days.remove(&self.id).unwrap_or_default(),
            link: self.link,
            created_at: Timestamp::from_millis(self.created_at),
            updated_at: Timestamp::from_millis(self.updated_at),
        })
    }
}

struct GoalRow {
    id: i64,
    title: String,
    notes: String,
    status: String,
    current_progress_value: Option<f64>,
    target_progress_value: Option<f64>,
    progress_unit: Option<String>,
    created_at: i64,
    updated_at: i64,
}

from_row!(GoalRow {
    id,
    title,
    notes,
    status,
    current_progress_value,
    target_progress_value,
    progress_unit,
    created_at,
    updated_at
});

impl TryFrom<GoalRow> for Goal {
    type Error = StoreError;

    fn try_from(row: GoalRow) -> Result<Self> {
        Ok(Self {
            id: row.id,
            title: row.title,
            notes: row.notes,
            status: column::word("status of a goal", &row.status)?,
            current_progress_value: row.current_progress_value,
            target_progress_value: row.target_progress_value,
            progress_unit: row.progress_unit,
            todos: BTreeSet::new(),
            events: BTreeSet::new(),
            children: BTreeSet::new(),
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        })
    }
}

/// Returns all records of a user.
pub(super) async fn read(connection: &mut Connection, user: &str) -> Result<State> {
    let logs: Vec<(i64, String)> = sqlx::query_as(LOGS).bind(user).fetch_all(&mut *connection).await?;
    let mut days: BTreeMap<i64, BTreeSet<chrono::NaiveDate>> = BTreeMap::new();
    for (item, day) in logs {
        days.entry(item).or_default().insert(column::id("day of a log", &day)?);
    }
    let items: Vec<ItemRow> = sqlx::query_as(ITEMS).bind(user).fetch_all(&mut *connection).await?;
    let items = items.into_iter().map(|row| row.into_item(&mut days)).collect::<Result<Vec<_>>>()?;
    let goals: Vec<GoalRow> = sqlx::query_as(GOALS).bind(user).fetch_all(&mut *connection).await?;
    let mut goals =
        goals.into_iter().map(|row| Ok((row.id, row.try_into()?))).collect::<Result<BTreeMap<i64, Goal>>>()?;
    let links: Vec<(String, i64, i64)> = sqlx::query_as(LINKS).bind(user).fetch_all(&mut *connection).await?;
    for (kind, goal, other) in links {
        let Some(goal) = goals.get_mut(&goal) else { continue };
        match kind.as_str() {
            "todo" => goal.todos.insert(other),
            "event" => goal.events.insert(other),
            _ => goal.children.insert(other),
        };
    }
    Ok(State::new(items, goals.into_values().collect()))
}

/// Updates the rows of these keys from `before` to `after`.
pub(super) async fn write(
    connection: &mut Connection,
    user: &str,
    keys: &[Key],
    before: &State,
    after: &State,
) -> Result<()> {
    for (kind, id) in keys {
        match after.record((*kind, *id)) {
            Some(Record::Item(item)) => write_item(connection, user, item).await?,
            Some(Record::Goal(goal)) => write_goal(connection, user, goal).await?,
            None => delete(connection, user, *kind, *id).await?,
        }
        match kind {
            Kind::Goal => write_links(connection, user, *id, before.goal(*id), after.goal(*id)).await?,
            _ => write_logs(connection, user, (*kind, *id), before, after).await?,
        }
    }
    Ok(())
}

async fn write_item(connection: &mut Connection, user: &str, item: &Item) -> Result<()> {
    let statement = match item.kind {
        Kind::Event => WRITE_EVENT,
        Kind::Habit => WRITE_HABIT,
        Kind::Todo | Kind::Goal => WRITE_TODO,
    };
    sqlx::query(statement)
        .bind(user)
        .bind(item.id)
        .bind(column::text(&item.title))
        .bind(column::text(&item.notes))
        .bind(item.scheduled_for.map(|day| day.to_string()))
        .bind(item.time_of_day.map(|time| time.to_string()))
        .bind(item.start_time.map(|time| time.to_string()))
        .bind(item.end_time.map(|time| time.to_string()))
        .bind(column::optional_text(item.location.as_deref()))
        .bind(item.priority.as_str())
        .bind(column::to_json(&item.recurrence)?)
        .bind(i64::from(item.completed))
        .bind(column::optional_text(item.link.as_deref()))
        .bind(item.created_at.as_millis())
        .bind(item.updated_at.as_millis())
        .execute(connection)
        .await?;
    Ok(())
}

async fn write_goal(connection: &mut Connection, user: &str, goal: &Goal) -> Result<()> {
    sqlx::query(WRITE_GOAL)
        .bind(user)
        .bind(goal.id)
        .bind(column::text(&goal.title))
        .bind(column::text(&goal.notes))
        .bind(goal.status.as_str())
        .bind(goal.current_progress_value)
        .bind(goal.target_progress_value)
        .bind(column::optional_text(goal.progress_unit.as_deref()))
        .bind(goal.created_at.as_millis())
        .bind(goal.updated_at.as_millis())
        .execute(connection)
        .await?;
    Ok(())
}

async fn delete(connection: &mut Connection, user: &str, kind: Kind, id: i64) -> Result<()> {
    let statement = match kind {
        Kind::Todo => DELETE_TODO,
        Kind::Event => DELETE_EVENT,
        Kind::Habit => DELETE_HABIT,
        Kind::Goal => DELETE_GOAL,
    };
    sqlx::query(statement).bind(user).bind(id).execute(connection).await?;
    Ok(())
}

async fn write_logs(
    connection: &mut Connection,
    user: &str,
    (kind, id): Key,
    before: &State,
    after: &State,
) -> Result<()> {
    let days = |state: &State| state.item(kind, id).map(|item| item.completed_dates.clone()).unwrap_or_default();
    let (old, new) = (days(before), days(after));
    for removed in old.difference(&new) {
        sqlx::query(UNLOG).bind(user).bind(id).bind(removed.to_string()).execute(&mut *connection).await?;
    }
    for day in new.difference(&old) {
        sqlx::query(LOG)
            .bind(user)
            .bind(id)
            .bind(day.to_string())
            .bind(kind.as_str())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn write_links(
    connection: &mut Connection,
    user: &str,
    id: i64,
    before: Option<&Goal>,
    after: Option<&Goal>,
) -> Result<()> {
    for (kind, link, unlink) in LINK {
        let linked = |goal: Option<&Goal>| {
            let of = |goal: &Goal| match kind {
                Kind::Todo => goal.todos.clone(),
                Kind::Event => goal.events.clone(),
                Kind::Habit | Kind::Goal => goal.children.clone(),
            };
            goal.map(of).unwrap_or_default()
        };
        let (old, new) = (linked(before), linked(after));
        for removed in old.difference(&new) {
            sqlx::query(unlink).bind(user).bind(id).bind(*removed).execute(&mut *connection).await?;
        }
        for added in new.difference(&old) {
            sqlx::query(link).bind(user).bind(id).bind(*added).execute(&mut *connection).await?;
        }
    }
    Ok(())
}
