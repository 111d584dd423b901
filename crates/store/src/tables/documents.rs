//! `documents` and `document_passages`, with the index entries of the passages.

use aha_content::index_terms::IndexTerms;
use aha_core::ids::{DocumentId, SourceId};
use async_trait::async_trait;

use super::search::{heading, index};
use super::{Connection, Database};
use crate::error::StoreError;
use crate::search::{DocumentStore, Entry, NewDocument};
use crate::shared::column;
use crate::{Lease, Result};

const DOCUMENTS: &str = "SELECT path, content_hash FROM documents WHERE source_id = $1 ORDER BY path";

/// Locks the source's row, so that two processes replace its documents one after the other.
const LOCK_SOURCE: &str = "UPDATE sources SET enabled = enabled WHERE id = $1";

const REMOVE_DOCUMENT: &str = "DELETE FROM documents WHERE id = $1";

const SET_HASH: &str = "UPDATE documents SET content_hash = $3 WHERE source_id = $1 AND path = $2";

const INSERT_DOCUMENT: &str = "
    INSERT INTO documents (id, source_id, path, name, title, content_hash, language, dated_at, is_replaced, read_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

const INSERT_PASSAGE: &str = "
    INSERT INTO document_passages (document_id, position, section, text) VALUES ($1, $2, $3, $4)";

const SHARED_NAMES: &str = "
    SELECT d.name FROM documents d
    WHERE EXISTS (SELECT 1 FROM document_passages p WHERE p.document_id = d.id)
    GROUP BY d.name HAVING count(*) > 1 ORDER BY d.name";

#[async_trait]
impl DocumentStore for Database {
    async fn documents(&self, source: SourceId) -> Result<Vec<(String, String)>> {
        let rows = sqlx::query_as(DOCUMENTS).bind(source.to_string()).fetch_all(&mut *self.reader().await?).await?;
        Ok(rows)
    }

    async fn shared_document_names(&self) -> Result<Vec<String>> {
        Ok(sqlx::query_scalar(SHARED_NAMES).fetch_all(&mut *self.reader().await?).await?)
    }

    async fn replace_documents(
        &self,
        lease: Option<&Lease>,
        source: SourceId,
        read: &[NewDocument],
        removed: &[String],
    ) -> Result<()> {
        let id = |path: &str| DocumentId::of(&[&source.to_string(), path]).to_string();
        // Before the transaction, because it takes as long, and others can write meanwhile.
        let entries: Vec<Vec<Entry>> = read.iter().map(|document| entries(&id(&document.path), document)).collect();
        let mut write = match lease {
            Some(lease) => self.write_fenced("replace_documents", lease).await?,
            None => self.write("replace_documents").await?,
        };
        let locked = sqlx::query(LOCK_SOURCE).bind(source.to_string()).execute(write.connection()).await?;
        if locked.rows_affected() == 0 {
            write.roll_back().await?;
            return Err(StoreError::NotFound { what: "source", id: source.to_string() });
        }
        for path in removed.iter().chain(read.iter().map(|document| &document.path)) {
            sqlx::query(REMOVE_DOCUMENT).bind(id(path)).execute(write.connection()).await?;
        }
        for (document, entries) in read.iter().zip(&entries) {
            insert_document(write.connection(), source, &id(&document.path), document).await?;
            index(write.connection(), entries).await?;
        }
        write.commit().await
    }

    async fn set_document_hashes(
        &self,
        lease: Option<&Lease>,
        source: SourceId,
        hashes: &[(String, String)],
    ) -> Result<()> {
        let mut write = match lease {
            Some(lease) => self.write_fenced("set_document_hashes", lease).await?,
            None => self.write("set_document_hashes").await?,
        };
        for (path, hash) in hashes {
            sqlx::query(SET_HASH)
                .bind(source.to_string())
                .bind(column::text(path))
                .bind(column::text(hash))
                .execute(write.connection())
                .await?;
        }
        write.commit().await
    }
}

async fn insert_document(
    connection: &mut Connection,
    source: SourceId,
    id: &str,
    document: &NewDocument,
) -> Result<()> {
    sqlx::query(INSERT_DOCUMENT)
        .bind(id)
        .bind(source.to_string())
        .bind(column::text(&document.path))
        .bind(column::text(&document.name))
        .bind(column::optional_text(document.title.as_deref()))
        .bind(&document.content_hash)
        .bind(column::optional_text(document.language.as_deref()))
        .bind(document.dated.as_millis())
        .bind(i64::from(document.is_replaced))
        .bind(document.read_at.as_millis())
        .execute(&mut *connection)
        .await?;
    for (position, (section, text)) in document.passages.iter().enumerate() {
        sqlx::query(INSERT_PASSAGE)
            .bind(id)
            .bind(column::count(position))
            .bind(column::text(section))
            .bind(column::text(text))
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Returns the index entries of a document's passages.
fn entries(id: &str, document: &NewDocument) -> Vec<Entry> {
    let entry = |(position, (section, text)): (usize, &(String, String))| {
        let heading = heading(document.title.as_deref(), section);
        let terms = IndexTerms::shared().terms(&heading, text, document.language.as_deref());
        Entry { id: id.to_owned(), position: Some(column::count(position)), terms }
    };
    document.passages.iter().enumerate().map(entry).collect()
}
