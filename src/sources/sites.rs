//! Base URLs of the sites with their own connectors. Read from `AHA_SITES` once; a mirror or a test server can replace
//! the real site.

use std::str::FromStr;

use url::Url;

/// The URL of each site, without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sites {
    /// The search of Hacker News, which returns stories.
    pub hacker_news: String,
    /// The lists of Hacker News, which return ids.
    pub hacker_news_lists: String,
    pub reddit: String,
    /// The API host of Reddit for requests with a token.
    pub reddit_oauth: String,
    pub youtube: String,
    pub github: String,
    pub arxiv: String,
    pub lobsters: String,
}

impl Default for Sites {
    fn default() -> Self {
        Self {
            hacker_news: "https://hn.algolia.com/api/v1".to_owned(),
            hacker_news_lists: "https://hacker-news.firebaseio.com/v0".to_owned(),
            reddit: "https://www.reddit.com".to_owned(),
            reddit_oauth: "https://oauth.reddit.com".to_owned(),
            youtube: "https://www.youtube.com".to_owned(),
            github: "https://github.com".to_owned(),
            arxiv: "https://rss.arxiv.org".to_owned(),
            lobsters: "https://lobste.rs".to_owned(),
        }
    }
}

impl Sites {
    pub const NAMES: [&str; 8] =
        ["hacker_news", "hacker_news_lists", "reddit", "reddit_oauth", "youtube", "github", "arxiv", "lobsters"];

    fn named(&mut self, name: &str) -> Option<&mut String> {
        Some(match name {
            "hacker_news" => &mut self.hacker_news,
            "hacker_news_lists" => &mut self.hacker_news_lists,
            "reddit" => &mut self.reddit,
            "reddit_oauth" => &mut self.reddit_oauth,
            "youtube" => &mut self.youtube,
            "github" => &mut self.github,
            "arxiv" => &mut self.arxiv,
            "lobsters" => &mut self.lobsters,
            _ => return None,
        })
    }
}

impl FromStr for Sites {
    type Err = ();

    /// Parses `NAME=URL` pairs, separated by commas; the other sites keep their default.
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut sites = Self::default();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (name, address) = pair.split_once('=').ok_or(())?;
            let address = address.trim();
            let url = Url::parse(address).map_err(|_| ())?;
            if !matches!(url.scheme(), "http" | "https") || url.query().is_some() {
                return Err(());
            }
            address.trim_end_matches('/').clone_into(sites.named(name.trim()).ok_or(())?);
        }
        Ok(sites)
    }
}

#[cfg(test)]
mod tests {
    use super::Sites;

    #[test]
    fn sites_are_replaced_by_name() {
        let sites: Sites = "reddit = http://127.0.0.1:9/r/, arxiv=http://mirror.example".parse().unwrap();
        assert_eq!(sites.reddit, "http://127.0.0.1:9/r");
        assert_eq!((sites.arxiv.as_str(), sites.github.as_str()), ("http://mirror.example", "https://github.com"));
        let all = Sites::NAMES.map(|name| format!("{name}=http://a")).join(",");
        assert_eq!(all.parse::<Sites>().unwrap().lobsters, "http://a");
        for wrong in ["x=http://a", "reddit", "reddit=ftp://a", "reddit=a"] {
            assert!(wrong.parse::<Sites>().is_err(), "{wrong}");
        }
    }
}
