//! Feeds made for a test.

use serde_json::{Value, json};

/// An entry of a feed.
#[derive(Debug, Clone)]
pub struct Post {
    pub id: String,
    pub title: String,
    pub text: String,
    /// RFC 3339; none is a post without a date.
    pub published: Option<String>,
    pub url: String,
}

impl Post {
    /// A post about something that no other post is about.
    pub fn about_nothing_else(id: &str, published: &str) -> Self {
        Self::new(id, &unlike_any_other(id, 5), &unlike_any_other(&format!("text of {id}"), 40), published)
    }

    pub fn new(id: &str, title: &str, text: &str, published: &str) -> Self {
        Self {
            id: id.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            published: Some(published.to_owned()),
            url: format!("https://posts.example/{id}"),
        }
    }

    pub fn undated(self) -> Self {
        Self { published: None, ..self }
    }

    pub fn at_url(self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self }
    }

    pub fn named(self, id: &str) -> Self {
        Self { id: id.to_owned(), ..self }
    }

    fn to_json(&self) -> Value {
        let mut item = json!({ "id": self.id, "url": self.url, "title": self.title, "content_text": self.text });
        if let Some(published) = &self.published {
            item["date_published"] = json!(published);
        }
        item
    }
}

/// A JSON feed.
pub fn feed(title: &str, posts: &[Post]) -> String {
    let items: Vec<Value> = posts.iter().map(Post::to_json).collect();
    json!({ "version": "https://jsonfeed.org/version/1.1", "title": title, "items": items }).to_string()
}

/// Random numbers that are the same for the same seed (`SplitMix64`, Steele et al. 2014).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// Invented words that are always the same for a key and hardly ever those of another key.
pub fn unlike_any_other(key: &str, words: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ko", "ri", "lun", "ves", "tam", "dor", "fi", "gul", "pex", "mo", "sha", "ner", "zi", "wol", "qua"];
    let seed = key
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mut random = Random(seed);
    let mut syllable = || usize::try_from(random.below(16)).unwrap();
    let word = |_| (0..4).map(|_| SYLLABLES[syllable()]).collect::<String>();
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}
