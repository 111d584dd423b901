//! `sources`, and what the last looks at them were (`fetch_runs`).

use std::collections::HashMap;

use aha_core::ids::{RunId, SourceId, TopicId};
use aha_core::source::{NewSource, Source};
use aha_core::time::Timestamp;
use async_trait::async_trait;
use sqlx::PgConnection;

use super::{PostgresStore, fetches};
use crate::shared::sources::{self as sql, FetchRow, PageNoteRow, SourceRow};
use crate::shared::{column, found};
use crate::{FetchCommit, FetchCounts, FetchRecord, Lease, Result, SourceStore, SourcesAdded};

#[async_trait]
impl SourceStore for PostgresStore {
    async fn add_sources(&self, topic: TopicId, sources: &[NewSource], now: Timestamp) -> Result<SourcesAdded> {
        let mut write = self.write("add_sources").await?;
        // A look that ends now may move a source to one of these addresses.
        write.lock_topic(topic).await?;
        let mut counts = SourcesAdded::default();
        for source in sources {
            if add_source(write.connection(), topic, source, now).await? {
                counts.added += 1;
            } else {
                counts.known += 1;
            }
        }
        write.commit().await?;
        Ok(counts)
    }

    async fn sources(&self, topic: TopicId) -> Result<Vec<Source>> {
        let rows: Vec<SourceRow> =
            sqlx::query_as(sql::SOURCES).bind(topic.to_string()).fetch_all(&mut *self.reader().await?).await?;
        rows.into_iter().map(Source::try_from).collect()
    }

    async fn set_source_enabled(&self, source: SourceId, enabled: bool) -> Result<()> {
        let mut write = self.write("set_source_enabled").await?;
        let saved = sqlx::query(sql::SET_ENABLED)
            .bind(source.to_string())
            .bind(i64::from(enabled))
            .execute(write.connection())
            .await?;
        found(saved.rows_affected(), "source", source)?;
        write.commit().await
    }

    async fn set_source_weight(&self, source: SourceId, weight: f64) -> Result<()> {
        let mut write = self.write("set_source_weight").await?;
        let saved =
            sqlx::query(sql::SET_WEIGHT).bind(source.to_string()).bind(weight).execute(write.connection()).await?;
        found(saved.rows_affected(), "source", source)?;
        write.commit().await
    }

    async fn set_source_full_text(&self, source: SourceId, full_text: bool) -> Result<()> {
        let mut write = self.write("set_source_full_text").await?;
        let saved = sqlx::query(sql::SET_FULL_TEXT)
            .bind(source.to_string())
            .bind(i64::from(full_text))
            .execute(write.connection())
            .await?;
        found(saved.rows_affected(), "source", source)?;
        write.commit().await
    }

    async fn remove_source(&self, source: SourceId) -> Result<()> {
        let mut write = self.write("remove_source").await?;
        let removed = sqlx::query(sql::REMOVE).bind(source.to_string()).execute(write.connection()).await?;
        found(removed.rows_affected(), "source", source)?;
        write.commit().await
    }

    async fn page_notes(&self, source: SourceId) -> Result<HashMap<String, Option<String>>> {
        let rows: Vec<PageNoteRow> =
            sqlx::query_as(sql::PAGE_NOTES).bind(source.to_string()).fetch_all(&mut *self.reader().await?).await?;
        rows.into_iter().map(PageNoteRow::read).collect()
    }

    async fn fetched_sources(&self, run: RunId, from_attempt: i64) -> Result<Vec<SourceId>> {
        let rows: Vec<String> = sqlx::query_scalar(sql::FETCHED)
            .bind(run.to_string())
            .bind(from_attempt)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.iter().map(|id| column::id("source id", id)).collect()
    }

    async fn fetch_outcomes(&self, run: RunId, from_attempt: i64) -> Result<Vec<FetchRecord>> {
        let rows: Vec<FetchRow> = sqlx::query_as(sql::OUTCOMES)
            .bind(run.to_string())
            .bind(from_attempt)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter().map(FetchRecord::try_from).collect()
    }

    async fn commit_fetch(&self, lease: &Lease, fetch: &FetchCommit) -> Result<FetchCounts> {
        fetches::commit(self, lease, fetch).await
    }
}

/// Whether it was new. A known one may have moved since: it keeps the id of its first address.
async fn add_source(connection: &mut PgConnection, topic: TopicId, source: &NewSource, now: Timestamp) -> Result<bool> {
    let topic = topic.to_string();
    let id = SourceId::of(&[&topic, &source.url]).to_string();
    let folder = sql::folder_json(&source.folder)?;
    let inserted = sqlx::query(sql::INSERT)
        .bind(&id)
        .bind(&topic)
        .bind(column::text(&source.kind))
        .bind(column::text(&source.url))
        .bind(column::optional_text(source.title.as_deref()))
        .bind(now.as_millis())
        .bind(source.weight)
        .bind(i64::from(source.full_text))
        .bind(column::optional_text(folder.as_deref()))
        .execute(&mut *connection)
        .await?;
    if inserted.rows_affected() > 0 {
        return Ok(true);
    }
    sqlx::query(sql::COMPLETE)
        .bind(&id)
        .bind(&topic)
        .bind(column::text(&source.url))
        .bind(column::optional_text(source.title.as_deref()))
        .bind(column::optional_text(folder.as_deref()))
        .execute(connection)
        .await?;
    Ok(false)
}
