//! Hacker News: its front page, its newest and best stories, or a search. One request per fetch to the site's search
//! API, which returns whole stories; two for the best stories, because only the site's own lists contain them.

use aha_content::feed::ParsedFeed;
use aha_content::fold::fold_line;
use aha_content::html::{clean_line, decode_entities, html_to_text};
use aha_core::item::{Engagement, NewItem};
use aha_core::source::{Source, Validators};
use aha_core::time::Timestamp;
use async_trait::async_trait;
use serde::Deserialize;
use url::Url;

use super::fetch::{FetchError, Fetcher, Request, Response};
use super::http::{elements, fetch_feed, json, problems_of};
use super::sites::Sites;
use super::{Connector, FetchResult};

/// Maximum number of stories in one fetch.
const STORIES: usize = 50;
/// The site for readers, whatever host answers the requests.
const SITE: &str = "https://news.ycombinator.com";

/// The connector of the kind `hacker_news`; the source's address is `hn:top`, `hn:new`, `hn:best` or `hn:WORDS`.
#[derive(Debug, Clone)]
pub struct HackerNews {
    search: String,
    lists: String,
}

impl HackerNews {
    #[must_use]
    pub fn at(sites: &Sites) -> Self {
        Self { search: sites.hacker_news.clone(), lists: sites.hacker_news_lists.clone() }
    }

    fn address(&self, endpoint: &str, parameters: &[(&str, &str)]) -> Result<String, FetchError> {
        let base = format!("{}/{endpoint}", self.search);
        let hits = STORIES.to_string();
        let all = parameters.iter().copied().chain([("hitsPerPage", hits.as_str())]);
        let url = Url::parse_with_params(&base, all);
        url.map(String::from).map_err(|error| FetchError::BadUrl { url: base, reason: error.to_string() })
    }

    /// Returns a filter for the search with the ids of the best stories.
    async fn best(&self, fetcher: &Fetcher) -> Result<String, FetchError> {
        let url = format!("{}/beststories.json", self.lists);
        let Response::Body { bytes, .. } = fetcher.get(&url, &Validators::default()).await? else {
            return Err(FetchError::NotAFeed { found: "no list of stories".to_owned() });
        };
        let ids: Vec<u64> = json(&bytes)?;
        let ids: Vec<String> = ids.iter().take(STORIES).map(|id| format!("story_{id}")).collect();
        Ok(format!("story,({})", ids.join(",")))
    }
}

#[async_trait]
impl Connector for HackerNews {
    async fn fetch(&self, source: &Source, fetcher: &Fetcher) -> Result<FetchResult, FetchError> {
        let what = source.url.strip_prefix("hn:").unwrap_or(&source.url);
        let (title, url) = match what {
            "top" => ("Hacker News".to_owned(), self.address("search", &[("tags", "front_page")])?),
            "new" => ("Hacker News: new".to_owned(), self.address("search_by_date", &[("tags", "story")])?),
            "best" => {
                let tags = self.best(fetcher).await?;
                ("Hacker News: best".to_owned(), self.address("search", &[("tags", &tags)])?)
            }
            words => {
                let parameters = [("query", words), ("tags", "story")];
                (format!("Hacker News: {words}"), self.address("search_by_date", &parameters)?)
            }
        };
        let request = Request::to(url).if_changed(&source.validators);
        let result = fetch_feed(fetcher, &request, move |page| stories(&page.bytes, title)).await?;
        // The request URL is not the source's address, so a redirect does not move the source.
        Ok(FetchResult { moved_to: None, ..result })
    }
}

/// A story as returned by the search.
#[derive(Debug, Deserialize)]
struct Hit {
    #[serde(rename = "objectID")]
    id: String,
    title: Option<String>,
    url: Option<String>,
    author: Option<String>,
    points: Option<i64>,
    num_comments: Option<i64>,
    story_text: Option<String>,
    created_at_i: Option<i64>,
    #[serde(rename = "_tags", default)]
    tags: Vec<String>,
}

fn stories(bytes: &[u8], title: String) -> Result<ParsedFeed, FetchError> {
    let (hits, lost): (Vec<Hit>, usize) = elements(bytes, "/hits")?;
    Ok(ParsedFeed {
        title: Some(title),
        link: Some(format!("{SITE}/")),
        description: None,
        language: None,
        format: "hacker_news".to_owned(),
        items: hits.into_iter().map(item).collect(),
        problems: problems_of(lost),
        left_out: None,
    })
}

fn item(hit: Hit) -> NewItem {
    let discussion = format!("{SITE}/item?id={}", hit.id);
    let link = hit.url.filter(|url| Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https")));
    let kinds = ["ask_hn", "show_hn", "poll", "job"];
    NewItem {
        guid: Some(discussion.clone()),
        url: Some(link.unwrap_or_else(|| discussion.clone())),
        title: hit.title.map(|title| title_line(&title)).filter(|title| !title.is_empty()),
        body_text: Some(hit.story_text.as_deref().map(html_to_text).unwrap_or_default()),
        content_markup: hit.story_text,
        author: hit.author.map(|name| clean_line(&name)),
        published_at: hit.created_at_i.map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000))),
        categories: hit.tags.into_iter().filter(|tag| kinds.contains(&tag.as_str())).collect(),
        engagement: Engagement { score: hit.points, comments: hit.num_comments, views: None },
        discussion_url: Some(discussion),
        ..NewItem::default()
    }
}

/// Titles are plain text with some character references: without an end tag, `<br>` is a word.
fn title_line(title: &str) -> String {
    if title.contains("</") { clean_line(title) } else { fold_line(&decode_entities(title)) }
}

#[cfg(test)]
mod tests {
    use super::stories;

    #[test]
    fn stories_have_points_comments_and_their_discussion() {
        let answer = include_bytes!("../../tests/data/sources/hacker_news_front_page.json");
        let feed = stories(answer, "Hacker News".to_owned()).unwrap();
        assert_eq!((feed.items.len(), feed.problems.len()), (3, 1), "one entry is broken");
        let story = &feed.items[0];
        assert_eq!((story.engagement.score, story.engagement.comments), (Some(214), Some(87)));
        assert_eq!(story.url.as_deref(), Some("https://ledger.example/2026/btree-pages"));
        assert_eq!(story.discussion_url.as_deref(), Some("https://news.ycombinator.com/item?id=48700001"));
        assert_eq!(story.published_at.unwrap().to_string(), "2026-11-18T06:30:00Z");
        let asked = &feed.items[1];
        assert_eq!(asked.url, asked.discussion_url, "a question has no page of its own");
        assert_eq!(
            (asked.body_text.as_deref(), asked.categories.as_slice()),
            (Some("Small boats.\nWhich one?"), &["ask_hn".to_owned()][..])
        );
        assert!(feed.items[2].engagement.score.is_none() && feed.items[2].title.is_none());
    }

    #[test]
    fn a_title_keeps_the_names_of_elements() {
        let answer = r#"{"hits":[{"objectID":"1","title":"Stop using <br> &amp; <details>"},
            {"objectID":"2","title":"A <b>bold</b> claim"}]}"#;
        let feed = stories(answer.as_bytes(), String::new()).unwrap();
        let titles: Vec<_> = feed.items.iter().map(|item| item.title.as_deref()).collect();
        assert_eq!(titles, [Some("Stop using <br> & <details>"), Some("A bold claim")]);
    }
}
