//! `sentence_vectors`, and the passages to embed.

use async_trait::async_trait;

use super::Database;
use crate::Result;
use crate::search::{PassageText, SentenceStore};
use crate::shared::{PerDatabase, column};

const FIND: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT text_hash, vector FROM sentence_vectors
        WHERE space = $1 AND text_hash IN (SELECT value FROM json_each($2))",
    postgres: "
        SELECT text_hash, vector FROM sentence_vectors
        WHERE space = $1 AND text_hash IN (SELECT json_array_elements_text(CAST(CAST($2 AS text) AS json)))",
});

const INSERT: &str = "
    INSERT INTO sentence_vectors (space, text_hash, vector) VALUES ($1, $2, $3) ON CONFLICT (space, text_hash) DO NOTHING";

const CLEAR: &str = "DELETE FROM sentence_vectors";

const PASSAGES: &str = "
    SELECT p.document_id, p.position, d.name, d.title, p.section, p.text
    FROM document_passages p JOIN documents d ON d.id = p.document_id
    WHERE p.document_id > $1 OR (p.document_id = $1 AND p.position > $2)
    ORDER BY p.document_id, p.position LIMIT $3";

#[async_trait]
impl SentenceStore for Database {
    async fn sentence_vectors(&self, space: &str, hashes: &[String]) -> Result<Vec<(String, Vec<u8>)>> {
        let found = sqlx::query_as(FIND)
            .bind(space)
            .bind(column::to_json(hashes)?)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        Ok(found)
    }

    async fn put_sentence_vectors(&self, space: &str, vectors: &[(String, Vec<u8>)]) -> Result<()> {
        let mut write = self.write("put_sentence_vectors").await?;
        for (hash, vector) in vectors {
            sqlx::query(INSERT).bind(space).bind(hash).bind(vector.as_slice()).execute(write.connection()).await?;
        }
        write.commit().await
    }

    async fn clear_sentence_vectors(&self) -> Result<()> {
        let mut write = self.write("clear_sentence_vectors").await?;
        sqlx::query(CLEAR).execute(write.connection()).await?;
        write.commit().await
    }

    async fn passages_after(&self, after: Option<(&str, i64)>, limit: i64) -> Result<Vec<PassageText>> {
        let (document, position) = after.unwrap_or(("", -1));
        let rows: Vec<(String, i64, String, Option<String>, String, String)> = sqlx::query_as(PASSAGES)
            .bind(document)
            .bind(position)
            .bind(limit)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        let passage = |(document_id, position, name, title, section, text)| PassageText {
            document_id,
            position,
            name,
            title,
            section,
            text,
        };
        Ok(rows.into_iter().map(passage).collect())
    }
}
