//! `search_entries` and, on SQLite, `search_index`.

use std::collections::{BTreeSet, HashMap, HashSet};

use aha_content::index_terms::{IndexTerms, pieces};
use aha_content::stems::SearchTerms;
use aha_core::ids::SourceId;
use aha_core::item::ItemMetadata;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::{Connection, Database};
use crate::search::{
    Entry, EntryContent, EntryVector, MAX_FREQUENCY, SearchHit, SearchQuery, SearchStore, VectorsVersion,
};
use crate::shared::{PerDatabase, column};
use crate::{IdentifiedItem, Result, StoreError};

const FIND: &str = super::statement(PerDatabase {
    sqlite: include_str!("find_entries.sqlite.sql"),
    postgres: include_str!("find_entries.postgres.sql"),
});

const HITS: &str = super::statement(PerDatabase {
    sqlite: include_str!("search_hits.sqlite.sql"),
    postgres: include_str!("search_hits.postgres.sql"),
});

const NEWEST: &str = super::statement(PerDatabase {
    sqlite: include_str!("newest_entries.sqlite.sql"),
    postgres: include_str!("newest_entries.postgres.sql"),
});

const KEEP: &str = super::statement(PerDatabase {
    sqlite: include_str!("keep_entries.sqlite.sql"),
    postgres: include_str!("keep_entries.postgres.sql"),
});

/// The newest id alone does not show every change: a changed item's vector takes the place of the earlier one.
const VECTORS_VERSION: &str = "
    SELECT coalesce((SELECT max(id) FROM search_entries), 0) AS newest,
        (SELECT count(*) FROM embeddings WHERE space = $1) AS vectors,
        (SELECT max(finished_at) FROM runs) AS run_finished,
        (SELECT max(read_at) FROM documents) AS document_read";

const ENTRY_VECTORS: &str = "
    SELECT e.id, v.vector, p.section, p.text FROM search_entries e
    LEFT JOIN embeddings v ON v.item_id = e.item_id AND v.space = $1
    LEFT JOIN document_passages p ON p.document_id = e.document_id AND p.position = e.position
    WHERE e.id > $2 AND (v.vector IS NOT NULL OR p.text IS NOT NULL) ORDER BY e.id LIMIT $3";

/// On Postgres counted only up to a limit: the exact count of a word that occurs in half of all texts is not worth
/// computing.
const FREQUENCIES: &str = super::statement(PerDatabase {
    sqlite: "SELECT term, min(doc, $2) AS entries FROM search_terms WHERE term IN (SELECT value FROM json_each($1)) ORDER BY term",
    postgres: "
        SELECT w.term, (SELECT count(*) FROM (
            SELECT 1 FROM search_entries e WHERE e.terms @@ CAST(quote_literal(w.term) AS tsquery) LIMIT $2) AS counted) AS entries
        FROM json_array_elements_text(CAST(CAST($1 AS text) AS json)) AS w (term) ORDER BY w.term",
});

const COUNT_ENTRIES: &str = "SELECT count(*) FROM search_entries";

/// 3 is the version of the terms that [`IndexTerms`] makes: to be increased, here and in the inserts, when the terms of
/// a text change, so that `search` reports the entries of earlier versions until they are indexed again.
const OLDEST_MISSING: &str = "
    SELECT min(o.arrived_at) FROM (
        SELECT min(i.fetched_at) AS arrived_at FROM content_items i
        WHERE i.deleted_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM search_entries e WHERE e.item_id = i.id AND e.terms_version = 3)
        UNION ALL
        SELECT min(d.read_at) AS arrived_at FROM documents d JOIN document_passages p ON p.document_id = d.id
        WHERE NOT EXISTS (SELECT 1 FROM search_entries e
                          WHERE e.document_id = p.document_id AND e.position = p.position AND e.terms_version = 3)) o";

/// Oldest first, as items are stored: searches treat the entries inserted last as the newest.
const MISSING_ITEMS: &str = "
    SELECT i.id, i.title, i.body_text, i.metadata_json FROM content_items i
    WHERE i.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM search_entries e WHERE e.item_id = i.id)
    ORDER BY i.item_time, i.id LIMIT $1";

const MISSING_PASSAGES: &str = "
    SELECT p.document_id, p.position, p.section, p.text, d.title, d.language
    FROM document_passages p JOIN documents d ON d.id = p.document_id
    WHERE NOT EXISTS (SELECT 1 FROM search_entries e WHERE e.document_id = p.document_id AND e.position = p.position)
    ORDER BY p.document_id, p.position LIMIT $1";

/// Inserts entries of items, given as a list of arrays of id and terms. On SQLite, existing entries keep their ids.
const INSERT_ITEMS: &str = super::statement(PerDatabase {
    sqlite: "
        INSERT INTO search_entries (item_id, terms_version) SELECT w.value ->> 0, 3 FROM json_each($1) w
        WHERE true ON CONFLICT (item_id) DO UPDATE SET terms_version = excluded.terms_version",
    postgres: "
        INSERT INTO search_entries (item_id, terms, terms_version)
        SELECT w.value ->> 0, CAST(w.value ->> 1 AS tsvector), 3
        FROM json_array_elements(CAST(CAST($1 AS text) AS json)) AS w (value)
        ON CONFLICT (item_id) DO UPDATE SET terms = excluded.terms, terms_version = excluded.terms_version",
});

const INSERT_PASSAGES: &str = super::statement(PerDatabase {
    sqlite: "
        INSERT INTO search_entries (document_id, position, terms_version)
        SELECT w.value ->> 0, w.value ->> 2, 3 FROM json_each($1) w
        WHERE true ON CONFLICT DO NOTHING",
    postgres: "
        INSERT INTO search_entries (document_id, position, terms, terms_version)
        SELECT w.value ->> 0, CAST(w.value ->> 2 AS bigint), CAST(w.value ->> 1 AS tsvector), 3
        FROM json_array_elements(CAST(CAST($1 AS text) AS json)) AS w (value)
        ON CONFLICT DO NOTHING",
});

/// On SQLite the terms are in a separate table; on Postgres the entry contains them. `$2` contains all terms, and the
/// arrays of `$1` end with where the title's terms begin in it, and the lengths of title and body, in bytes: of a blob,
/// `substr` takes bytes without reading what comes before. In ascending order of ids, as FTS5 writes out what it has
/// when an id is lower than the one before.
const INSERT_TERMS: Option<&str> = terms_of(PerDatabase {
    sqlite: "
        INSERT OR REPLACE INTO search_index (rowid, title, body)
        SELECT f.id, CAST(substr($2, f.start, f.title) AS TEXT), CAST(substr($2, f.start + f.title, f.body) AS TEXT)
        FROM (SELECT e.id, w.value ->> 3 AS start, w.value ->> 4 AS title, w.value ->> 5 AS body
              FROM json_each($1) w JOIN search_entries e ON e.item_id = w.value ->> 0 ORDER BY e.id) f",
    postgres: "",
});

const INSERT_TERMS_OF_PASSAGES: Option<&str> = terms_of(PerDatabase {
    sqlite: "
        INSERT OR REPLACE INTO search_index (rowid, title, body)
        SELECT f.id, CAST(substr($2, f.start, f.title) AS TEXT), CAST(substr($2, f.start + f.title, f.body) AS TEXT)
        FROM (SELECT e.id, w.value ->> 3 AS start, w.value ->> 4 AS title, w.value ->> 5 AS body
              FROM json_each($1) w
              JOIN search_entries e ON e.document_id = w.value ->> 0 AND e.position = w.value ->> 2 ORDER BY e.id) f",
    postgres: "",
});

const CLEAR_TERMS: Option<&str> =
    terms_of(PerDatabase { sqlite: "INSERT INTO search_index (search_index) VALUES ('delete-all')", postgres: "" });

const CLEAR_ENTRIES: &str = "DELETE FROM search_entries";

const fn terms_of(variants: PerDatabase) -> Option<&'static str> {
    let own = super::statement(variants);
    if own.is_empty() { None } else { Some(own) }
}

/// Indexes items, in the transaction that stores them.
pub(super) async fn index_items(connection: &mut Connection, items: &[ToIndex<'_>]) -> Result<()> {
    // If an item occurs twice, its later text is used; one statement cannot insert both.
    let last: HashMap<&str, &IdentifiedItem> = items.iter().map(|(id, item)| (id.as_str(), *item)).collect();
    let mut entries: Vec<Entry> = last.into_iter().map(|(id, item)| entry(id, item)).collect();
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    index(connection, &entries).await
}

/// An item with the id under which it is stored.
pub(super) type ToIndex<'i> = (String, &'i IdentifiedItem);

fn entry(id: &str, item: &IdentifiedItem) -> Entry {
    let (title, language) = (item.title.as_deref().unwrap_or_default(), item.metadata.language.as_deref());
    Entry { id: id.to_owned(), position: None, terms: IndexTerms::shared().terms(title, &item.body_text, language) }
}

/// Indexes entries, which must be all items or all passages.
pub(super) async fn index(connection: &mut Connection, entries: &[Entry]) -> Result<()> {
    let Some(first) = entries.first() else { return Ok(()) };
    let (insert, insert_terms) = match first.position {
        None => (INSERT_ITEMS, INSERT_TERMS),
        Some(_) => (INSERT_PASSAGES, INSERT_TERMS_OF_PASSAGES),
    };
    let Some(insert_terms) = insert_terms else {
        let rows: Vec<_> = entries.iter().map(|e| (&e.id, e.tsvector(), e.position)).collect();
        sqlx::query(insert).bind(column::to_json(&rows)?).execute(connection).await?;
        return Ok(());
    };
    // Terms are bound beside the list, as SQLite parses an element of it once for each field.
    let (mut terms, mut rows) = (String::new(), Vec::with_capacity(entries.len()));
    for Entry { id, position, terms: SearchTerms { title, body } } in entries {
        // Counted from 1.
        rows.push((id, (), position, terms.len() + 1, title.len(), body.len()));
        terms.push_str(title);
        terms.push_str(body);
    }
    let list = column::to_json(&rows)?;
    sqlx::query(insert).bind(&list).execute(&mut *connection).await?;
    sqlx::query(insert_terms).bind(&list).bind(terms.into_bytes()).execute(connection).await?;
    Ok(())
}

struct HitRow {
    id: i64,
    item_id: Option<String>,
    document: Option<String>,
    section: Option<String>,
    title: Option<String>,
    text: Option<String>,
    html: Option<String>,
    url: Option<String>,
    source: Option<String>,
    time: Option<i64>,
    is_replaced: i64,
}

from_row!(HitRow { id, item_id, document, section, title, text, html, url, source, time, is_replaced });

impl TryFrom<HitRow> for SearchHit {
    type Error = StoreError;

    fn try_from(row: HitRow) -> Result<Self> {
        Ok(Self {
            entry: row.id,
            item: column::optional_id("item id", row.item_id.as_deref())?,
            document: row.document,
            section: row.section,
            title: row.title,
            text: row.text.unwrap_or_default(),
            html: row.html,
            url: row.url,
            source: row.source,
            time: Timestamp::from_millis(row.time.unwrap_or_default()),
            is_replaced: row.is_replaced != 0,
        })
    }
}

from_row!(VectorsVersion { newest, vectors, run_finished, document_read });

struct PassageRow {
    document_id: String,
    position: i64,
    section: String,
    text: String,
    title: Option<String>,
    language: Option<String>,
}

from_row!(PassageRow { document_id, position, section, text, title, language });

/// In the words of this database.
fn expression(query: &SearchQuery) -> String {
    if INSERT_TERMS.is_some() { query.fts5() } else { query.tsquery() }
}

/// `None` for all sources.
fn source_list(query: &SearchQuery) -> Result<Option<String>> {
    let ids = |sources: &Vec<SourceId>| sources.iter().map(ToString::to_string).collect::<Vec<_>>();
    query.sources.as_ref().map(|sources| column::to_json(&ids(sources))).transpose()
}

#[async_trait]
impl SearchStore for Database {
    async fn find_entries(&self, query: &SearchQuery) -> Result<Vec<i64>> {
        if query.wanted.is_empty() {
            return Ok(Vec::new());
        }
        Ok(sqlx::query_scalar(FIND)
            .bind(expression(query))
            .bind(source_list(query)?)
            .bind(column::millis(query.since))
            .bind(query.limit)
            .bind(query.max_ranked())
            .fetch_all(&mut *self.reader().await?)
            .await?)
    }

    async fn newest_entries(&self, query: &SearchQuery) -> Result<Vec<i64>> {
        Ok(sqlx::query_scalar(NEWEST)
            .bind(query.unwanted().as_ref().map(expression))
            .bind(source_list(query)?)
            .bind(column::millis(query.since))
            .bind(query.limit)
            .fetch_all(&mut *self.reader().await?)
            .await?)
    }

    async fn keep_entries(&self, entries: &[i64], query: &SearchQuery) -> Result<Vec<i64>> {
        let left: HashSet<i64> = sqlx::query_scalar(KEEP)
            .bind(query.unwanted().as_ref().map(expression))
            .bind(source_list(query)?)
            .bind(column::millis(query.since))
            .bind(column::to_json(entries)?)
            .fetch_all(&mut *self.reader().await?)
            .await?
            .into_iter()
            .collect();
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        Ok(entries.iter().copied().filter(|entry| left.contains(entry)).take(limit).collect())
    }

    async fn search_hits(&self, entries: &[i64], with_html: bool) -> Result<Vec<SearchHit>> {
        let mut rows: Vec<HitRow> = sqlx::query_as(HITS)
            .bind(column::to_json(entries)?)
            .bind(i64::from(with_html))
            .fetch_all(&mut *self.reader().await?)
            .await?;
        let places: HashMap<i64, usize> = entries.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        rows.sort_by_key(|row| places.get(&row.id).copied());
        rows.into_iter().filter(|row| row.text.is_some()).map(SearchHit::try_from).collect()
    }

    async fn vectors_version(&self, space: &str) -> Result<VectorsVersion> {
        Ok(sqlx::query_as(VECTORS_VERSION).bind(space).fetch_one(&mut *self.reader().await?).await?)
    }

    async fn entry_vectors(&self, space: &str, after: i64, limit: i64) -> Result<Vec<EntryVector>> {
        let rows: Vec<(i64, Option<Vec<u8>>, Option<String>, Option<String>)> = sqlx::query_as(ENTRY_VECTORS)
            .bind(space)
            .bind(after)
            .bind(limit)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        let entry = |(entry, vector, section, text): (i64, Option<Vec<u8>>, Option<String>, Option<String>)| {
            let passage =
                || EntryContent::Passage { section: section.unwrap_or_default(), text: text.unwrap_or_default() };
            EntryVector { entry, content: vector.map_or_else(passage, EntryContent::Vector) }
        };
        Ok(rows.into_iter().map(entry).collect())
    }

    async fn term_frequencies(&self, stems: &[String]) -> Result<Vec<(String, i64)>> {
        let pieces: Vec<(&String, Vec<String>)> = stems.iter().map(|stem| (stem, pieces(stem))).collect();
        let terms: BTreeSet<&String> = pieces.iter().flat_map(|(_, pieces)| pieces).collect();
        let rows: Vec<(String, i64)> = sqlx::query_as(FREQUENCIES)
            .bind(column::to_json(&terms)?)
            .bind(MAX_FREQUENCY)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        let counted: HashMap<String, i64> = rows.into_iter().collect();
        let count = |term: &String| counted.get(term).copied().unwrap_or_default();
        let frequency =
            |(stem, pieces): (&String, Vec<String>)| (stem.clone(), pieces.iter().map(count).min().unwrap_or_default());
        let mut frequencies: Vec<(String, i64)> = pieces.into_iter().map(frequency).collect();
        frequencies.retain(|(_, entries)| *entries > 0);
        frequencies.sort();
        Ok(frequencies)
    }

    async fn search_entries(&self) -> Result<i64> {
        Ok(sqlx::query_scalar(COUNT_ENTRIES).fetch_one(&mut *self.reader().await?).await?)
    }

    async fn oldest_unindexed(&self) -> Result<Option<Timestamp>> {
        let oldest: Option<i64> = sqlx::query_scalar(OLDEST_MISSING).fetch_one(&mut *self.reader().await?).await?;
        Ok(column::optional_time(oldest))
    }

    async fn clear_search(&self) -> Result<()> {
        let mut write = self.write("clear_search").await?;
        if let Some(clear) = CLEAR_TERMS {
            sqlx::query(clear).execute(write.connection()).await?;
        }
        sqlx::query(CLEAR_ENTRIES).execute(write.connection()).await?;
        write.commit().await
    }

    async fn index_missing(&self, limit: i64) -> Result<usize> {
        let missing = Missing::read(&mut *self.reader().await?, limit).await?;
        let (mut items, mut passages) = missing.entries()?;
        let count = items.len() + passages.len();
        if count == 0 {
            return Ok(0);
        }
        let mut write = self.write("index_missing").await?;
        // What was indexed, changed or removed while the terms were computed is left as it is.
        let still_missing = Missing::read(write.connection(), limit).await?;
        let keys = still_missing.keys();
        let is_missing = |entry: &Entry| keys.contains(&(entry.id.as_str(), entry.position));
        items.retain(is_missing);
        passages.retain(is_missing);
        index(write.connection(), &items).await?;
        index(write.connection(), &passages).await?;
        write.commit().await?;
        Ok(count)
    }
}

/// Items and passages that are not indexed. Their terms are computed before the write begins, for which others wait.
struct Missing {
    /// Id, title, text and metadata.
    items: Vec<(String, Option<String>, String, String)>,
    passages: Vec<PassageRow>,
}

impl Missing {
    async fn read(connection: &mut Connection, limit: i64) -> Result<Self> {
        let items = sqlx::query_as(MISSING_ITEMS).bind(limit).fetch_all(&mut *connection).await?;
        let passages = sqlx::query_as(MISSING_PASSAGES).bind(limit).fetch_all(connection).await?;
        Ok(Self { items, passages })
    }

    /// Returns the entries of the items, and those of the passages.
    fn entries(&self) -> Result<(Vec<Entry>, Vec<Entry>)> {
        let mut items = Vec::with_capacity(self.items.len());
        for (id, title, body, metadata) in &self.items {
            let metadata: ItemMetadata = column::json("item's metadata", metadata)?;
            let title = title.as_deref().unwrap_or_default();
            let terms = IndexTerms::shared().terms(title, body, metadata.language.as_deref());
            items.push(Entry { id: id.clone(), position: None, terms });
        }
        let passage = |row: &PassageRow| {
            let heading = heading(row.title.as_deref(), &row.section);
            let terms = IndexTerms::shared().terms(&heading, &row.text, row.language.as_deref());
            Entry { id: row.document_id.clone(), position: Some(row.position), terms }
        };
        Ok((items, self.passages.iter().map(passage).collect()))
    }

    /// Returns the ids of items, and ids of documents with the positions of passages.
    fn keys(&self) -> HashSet<(&str, Option<i64>)> {
        let items = self.items.iter().map(|(id, ..)| (id.as_str(), None));
        items.chain(self.passages.iter().map(|row| (row.document_id.as_str(), Some(row.position)))).collect()
    }
}

/// Document title and section heading; both are searchable.
pub(super) fn heading(title: Option<&str>, section: &str) -> String {
    match title {
        Some(title) if title != section => format!("{title}\n{section}"),
        _ => section.to_owned(),
    }
}
