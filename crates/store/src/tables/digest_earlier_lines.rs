//! Lines of stories that a digest leaves out, or that it had before it was made again and shows no longer.
//!
//! The id of a line is computed from its digest and its story, so such a line is found by computing the ids of the
//! stories of the digest's window again. Input: an id or its first digits. Output: the line that shows the story now,
//! or else what is still known of the story. Searches print the ids of the stories that are left out.

use std::collections::BTreeSet;

use aha_core::digest::{Digest, DigestHead, DigestStory, ScoreDebug, Section, StoryCost, StorySource};
use aha_core::ids::{ClusterId, DigestId, DigestItemId, ItemId, TopicId};
use aha_core::item::{Item, TimeBasis, first_words};
use aha_core::time::DAY_MS;

use super::super::{Database, id_list};
use super::rows::newest_lines;
use crate::shared::{PerDatabase, column};
use crate::{DigestItemRecord, DigestStore as _, Result, SourceStore as _, StoryStore as _};

/// The state of a story that its digest does not show.
const NOT_SHOWN: &str = "not_shown";

/// Why such a story has no score.
const WHY: &str = "The digest left this story out, or was made again and shows this story no longer";

/// Digests that are searched, the newest first.
const DIGESTS: i64 = 60;

/// Digits that digests show of an id. Fewer would fit stories by chance that no digest ever showed.
const MIN_DIGITS: usize = 6;

/// A run takes items from at most seven days before its window, of sources that it catches up.
const CATCH_UP_MS: i64 = 7 * DAY_MS;

/// Maximum length of the opening of the text, in characters.
const EXCERPT_CHARS: usize = 280;

const STORIES_OF_WINDOWS: &str = "
    SELECT DISTINCT d.id AS digest, c.id AS part, coalesce(c.merged_into, c.id) AS story
    FROM (SELECT id, topic_id, window_start, window_end, created_at FROM digests
          ORDER BY window_end DESC, created_at DESC, window_start DESC, id LIMIT $1) AS d
    JOIN content_items i ON i.item_time >= d.window_start - $2 AND i.item_time < d.window_end
    JOIN cluster_items m ON m.topic_id = d.topic_id AND m.item_id = i.id
    JOIN clusters c ON c.id = m.cluster_id";

/// The stories of these items in the windows of digests, those first whose window the item is in, newest first.
const STORIES_OF_ITEMS: &str = super::super::statement(PerDatabase {
    sqlite: "
        SELECT i.id AS item, d.id AS digest, coalesce(c.merged_into, c.id) AS story
        FROM (SELECT id, topic_id, window_start, window_end, created_at FROM digests
              ORDER BY window_end DESC, created_at DESC, window_start DESC, id LIMIT $1) AS d
        JOIN content_items i ON i.item_time >= d.window_start - $2 AND i.item_time < d.window_end
        JOIN cluster_items m ON m.topic_id = d.topic_id AND m.item_id = i.id
        JOIN clusters c ON c.id = m.cluster_id
        WHERE i.deleted_at IS NULL AND i.id IN (SELECT value FROM json_each($3))
          AND (CAST($4 AS BIGINT) = 1 OR d.topic_id IN (SELECT value FROM json_each($5)))
        ORDER BY CASE WHEN i.item_time >= d.window_start THEN 0 ELSE 1 END, d.window_end DESC, d.created_at DESC, d.id",
    postgres: "
        SELECT i.id AS item, d.id AS digest, coalesce(c.merged_into, c.id) AS story
        FROM (SELECT id, topic_id, window_start, window_end, created_at FROM digests
              ORDER BY window_end DESC, created_at DESC, window_start DESC, id LIMIT $1) AS d
        JOIN content_items i ON i.item_time >= d.window_start - $2 AND i.item_time < d.window_end
        JOIN cluster_items m ON m.topic_id = d.topic_id AND m.item_id = i.id
        JOIN clusters c ON c.id = m.cluster_id
        WHERE i.deleted_at IS NULL AND i.id = ANY($3) AND (CAST($4 AS BIGINT) = 1 OR d.topic_id = ANY($5))
        ORDER BY CASE WHEN i.item_time >= d.window_start THEN 0 ELSE 1 END, d.window_end DESC, d.created_at DESC, d.id",
});

/// The line of the story in digest `$2`, else in the newest digest that shows it.
const SHOWN_NOW: &str = "
    SELECT i.id FROM digest_items i JOIN digests d ON d.id = i.digest_id
    WHERE i.cluster_id IN (SELECT CAST($1 AS TEXT) UNION ALL SELECT id FROM clusters WHERE merged_into = $1)
    ORDER BY CASE WHEN d.id = $2 THEN 0 ELSE 1 END, d.window_end DESC, d.created_at DESC, i.id LIMIT 1";

const MEMBERS: &str = "
    SELECT i.id FROM cluster_items m JOIN content_items i ON i.id = m.item_id
    WHERE m.cluster_id IN (SELECT CAST($1 AS TEXT) UNION ALL SELECT id FROM clusters WHERE merged_into = $1)
      AND i.deleted_at IS NULL AND i.item_time < $2
    ORDER BY i.item_time, i.id";

const TOPIC: &str = "SELECT topic_id FROM digests WHERE id = $1";

/// A line that a digest may have had, and its story as of now.
struct EarlierLine {
    id: DigestItemId,
    digest: DigestId,
    story: ClusterId,
}

impl Database {
    /// Returns the lines whose ids begin with `prefix`, at most `limit`.
    pub(super) async fn earlier_lines(&self, prefix: &str, limit: i64) -> Result<Vec<DigestItemRecord>> {
        let mut records = Vec::new();
        for line in self.find_earlier(prefix).await?.into_iter().take(usize::try_from(limit).unwrap_or(0)) {
            if let Some(digest) = self.read_earlier(&line).await? {
                let title = digest.stories.into_iter().next().map(|story| story.title).unwrap_or_default();
                records.push(DigestItemRecord { id: line.id, title, window_end: digest.head.window_end });
            }
        }
        Ok(records)
    }

    /// Returns a line by its whole id, with the digest that shows the story, or did so.
    pub(super) async fn earlier_line(&self, id: DigestItemId) -> Result<Option<Digest>> {
        match self.find_earlier(&id.to_string()).await?.first() {
            Some(line) => self.read_earlier(line).await,
            None => Ok(None),
        }
    }

    /// Returns the ids of the items' lines in the newest digests of these topics, or of all if there are none.
    pub(super) async fn unshown_lines(
        &self,
        topics: &[TopicId],
        items: &[ItemId],
    ) -> Result<Vec<(ItemId, DigestItemId)>> {
        let rows: Vec<(String, String, String)> = sqlx::query_as(STORIES_OF_ITEMS)
            .bind(DIGESTS)
            .bind(CATCH_UP_MS)
            .bind(id_list(items)?)
            .bind(i64::from(topics.is_empty()))
            .bind(id_list(topics)?)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        let line = |(item, digest, story): (String, String, String)| {
            (item, DigestItemId::of(&[digest.as_str(), story.as_str()]).to_string())
        };
        newest_lines(rows.into_iter().map(line).collect())
    }

    async fn find_earlier(&self, prefix: &str) -> Result<Vec<EarlierLine>> {
        if prefix.len() < MIN_DIGITS {
            return Ok(Vec::new());
        }
        let rows: Vec<(String, String, String)> = sqlx::query_as(STORIES_OF_WINDOWS)
            .bind(DIGESTS)
            .bind(CATCH_UP_MS)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        let mut found: Vec<EarlierLine> = Vec::new();
        for (digest, part, story) in rows {
            // A story that was merged into another since had the id of its own at that time.
            for of in BTreeSet::from([part.as_str(), story.as_str()]) {
                let id = DigestItemId::of(&[digest.as_str(), of]);
                if id.to_string().starts_with(prefix) && found.iter().all(|line| line.id != id) {
                    let (digest, story) = (column::id("digest", &digest)?, column::id("cluster", &story)?);
                    found.push(EarlierLine { id, digest, story });
                }
            }
        }
        found.sort_by_key(|line| line.id.to_string());
        Ok(found)
    }

    /// Returns the line that shows the story now, with its digest. If none does: what is known of the story; nothing
    /// once retention has removed its items.
    async fn read_earlier(&self, line: &EarlierLine) -> Result<Option<Digest>> {
        let shown: Option<String> = sqlx::query_scalar(SHOWN_NOW)
            .bind(line.story.to_string())
            .bind(line.digest.to_string())
            .fetch_optional(&mut *self.reader().await?)
            .await?;
        if let Some(id) = shown {
            return self.read_line(column::id("digest item", &id)?).await;
        }
        let Some(digest) = self.digest(line.digest).await? else { return Ok(None) };
        let story = self.unscored_story(line, &digest.head).await?;
        Ok(story.map(|story| Digest { stories: vec![story], ..digest }))
    }

    async fn unscored_story(&self, line: &EarlierLine, head: &DigestHead) -> Result<Option<DigestStory>> {
        let mut reader = self.reader().await?;
        let members: Vec<String> = sqlx::query_scalar(MEMBERS)
            .bind(line.story.to_string())
            .bind(head.window_end.as_millis())
            .fetch_all(&mut *reader)
            .await?;
        let topic: String = sqlx::query_scalar(TOPIC).bind(line.digest.to_string()).fetch_one(&mut *reader).await?;
        drop(reader);
        let ids: Vec<ItemId> = members.iter().map(|id| column::id("item", id)).collect::<Result<_>>()?;
        let mut items = Vec::new();
        for (item, _) in self.load_items(column::id("topic", &topic)?, &ids).await? {
            let source = self.source(item.source_id).await?;
            items.push((source.map_or_else(|| "a removed source".to_owned(), |source| source.display_name()), item));
        }
        Ok(unscored(line, &items))
    }
}

fn unscored(line: &EarlierLine, items: &[(String, Item)]) -> Option<DigestStory> {
    let (_, first) = items.first()?;
    Some(DigestStory {
        id: line.id,
        rank: 0,
        section: Section::Scan,
        label: None,
        title: first.display_title(),
        url: first.url.clone(),
        aha_score: None,
        final_score: 0.0,
        percentile: 0,
        reason: WHY.to_owned(),
        since: None,
        published_at: items.iter().map(|(_, item)| item.time).max()?,
        read_before: None,
        author: first.author.clone(),
        teaser: items.iter().all(|(_, item)| item.is_teaser()),
        excerpt: first_words(&first.body_text, EXCERPT_CHARS),
        triage: None,
        summary: None,
        kept_summary: None,
        entities: None,
        sources: items.iter().map(|(name, item)| source(name, item)).collect(),
        discussions: Vec::new(),
        cluster_id: line.story,
        state: NOT_SHOWN.to_owned(),
        cost: StoryCost::default(),
        score_debug: ScoreDebug::default(),
    })
}

fn source(name: &str, item: &Item) -> StorySource {
    StorySource {
        item_id: item.id,
        name: name.to_owned(),
        url: item.url.clone(),
        title: item.display_title(),
        published_at: item.time,
        dated: item.time_basis == TimeBasis::Published,
        copy: item.duplicate_of.is_some(),
        late: false,
        also_from: Vec::new(),
    }
}
