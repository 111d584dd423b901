//! The `local` space: sparse counts of words, of names and numbers, and of the opening words of a text.
//!
//! Comes in: title and body. Goes out: [`Counts`], stored as JSON in `embeddings.vector`, and from these [`Features`], eight bytes a
//! word, weighted at scoring time by the frequencies of the items they are compared with. On labelled news (ECB+) this mixture
//! joins stories better than small dense models.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;

use rustc_hash::FxHashSet;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::similarity::{LEAD, NAMES, PARTS, WORDS};
use super::tokens::{Token, compared, tokens_as};
use super::vocabulary::Term;

/// Names the preprocessing and the parts of this space; a change of either is a new name.
pub const LOCAL_SPACE: &str = "local-sparse-v1";

/// Characters of a body that count.
const MAX_BODY_CHARS: usize = 8_000;

/// Words of title and body that form the opening.
const LEAD_WORDS: usize = 60;

/// How often each term stands in a part.
type Part<'a> = BTreeMap<Cow<'a, str>, u32>;

/// What is compared of a text, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Counts<'a> {
    #[serde(rename = "w")]
    words: Part<'a>,
    /// Capitalised inside a sentence, or with a digit.
    #[serde(rename = "n")]
    names: Part<'a>,
    #[serde(rename = "l")]
    lead: Part<'a>,
}

/// [`Counts`] as they are read: what is compared needs no words.
#[derive(Deserialize)]
struct Stored {
    #[serde(rename = "w", deserialize_with = "times_by_term")]
    words: Vec<(Term, u8)>,
    #[serde(rename = "n", deserialize_with = "times_by_term")]
    names: Vec<(Term, u8)>,
    #[serde(rename = "l", deserialize_with = "times_by_term")]
    lead: Vec<(Term, u8)>,
}

/// What is compared of a text, by rising term.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Features(Box<[Counted]>);

/// How often a term stands in each part of a text; 255 times and more are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) term: Term,
    pub(super) times: [u8; PARTS],
}

impl Features {
    #[must_use]
    pub fn of(title: Option<&str>, body: &str) -> Self {
        let counted =
            |said: Said<Term>| Counted { term: said.term, times: [1, u8::from(said.is_name), u8::from(said.is_lead)] };
        Self::added_up(said(title, body, Term::of_word).map(counted).collect())
    }

    /// # Errors
    /// When the bytes are not what [`Counts::to_bytes`] writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let Stored { words, names, lead } = serde_json::from_slice(bytes)?;
        let of_part = |part: usize, terms: Vec<(Term, u8)>| {
            terms.into_iter().map(move |(term, times)| {
                let mut counted = Counted { term, times: [0; PARTS] };
                counted.times[part] = times;
                counted
            })
        };
        let counted = of_part(WORDS, words).chain(of_part(NAMES, names)).chain(of_part(LEAD, lead));
        Ok(Self::added_up(counted.collect()))
    }

    fn added_up(mut counted: Vec<Counted>) -> Self {
        counted.sort_unstable_by_key(|counted| counted.term);
        counted.dedup_by(|next, sum| {
            let is_same = next.term == sum.term;
            if is_same {
                sum.times = [0, 1, 2].map(|part| sum.times[part].saturating_add(next.times[part]));
            }
            is_same
        });
        Self(counted.into_boxed_slice())
    }

    pub(super) fn terms(&self) -> &[Counted] {
        &self.0
    }

    /// Those among the words.
    pub(super) fn words(&self) -> impl Iterator<Item = Term> {
        self.0.iter().filter(|counted| counted.times[WORDS] > 0).map(|counted| counted.term)
    }

    /// Words in all.
    pub(super) fn length(&self) -> usize {
        self.0.iter().map(|counted| usize::from(counted.times[WORDS])).sum()
    }

    pub(super) fn times(&self, term: Term, part: usize) -> u8 {
        let found = self.0.binary_search_by_key(&term, |counted| counted.term);
        found.ok().and_then(|place| self.0.get(place)).map_or(0, |counted| counted.times[part])
    }

    #[must_use]
    pub fn has_name(&self, term: &str) -> bool {
        self.times(Term::of(term), NAMES) > 0
    }

    /// The bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.0)
    }
}

/// A word of a text, and the parts in which it counts besides the words.
struct Said<T> {
    term: T,
    is_name: bool,
    is_lead: bool,
}

/// The words of title and body as `compared` makes them, in order.
fn said<'a, T: Eq + Hash>(
    title: Option<&'a str>,
    body: &'a str,
    compared: fn(&'a str) -> Option<T>,
) -> impl Iterator<Item = Said<T>> {
    let title: Vec<Token<'_, T>> = tokens_as(title.unwrap_or(""), compared).collect();
    let body: Vec<Token<'_, T>> = tokens_as(cut(body, MAX_BODY_CHARS), compared).collect();
    let named: FxHashSet<&T> = body.iter().filter(|token| is_name(token)).map(|token| &token.term).collect();
    // In A Title Like This One capitals say nothing: there a name is what the body writes as one.
    let title_case = is_title_case(&title);
    let is_titles_name = |token: &Token<'_, T>| {
        has_digit(token.written) || if title_case { named.contains(&token.term) } else { is_name(token) }
    };
    let is_bodys_name = |token: &Token<'_, T>| looks_like_name(token.written) && named.contains(&token.term);
    let are_names: Vec<bool> = title.iter().map(is_titles_name).chain(body.iter().map(is_bodys_name)).collect();
    let both = title.into_iter().chain(body).zip(are_names).enumerate();
    both.map(|(place, (token, is_name))| Said { term: token.term, is_name, is_lead: place < LEAD_WORDS })
}

/// Reads an object of terms and how often each is there.
fn times_by_term<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(Term, u8)>, D::Error> {
    deserializer.deserialize_map(TimesByTerm)
}

struct TimesByTerm;

impl<'de> Visitor<'de> for TimesByTerm {
    type Value = Vec<(Term, u8)>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of counts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut terms = Vec::new();
        while let Some((term, times)) = map.next_entry::<Term, u32>()? {
            terms.push((term, u8::try_from(times).unwrap_or(u8::MAX)));
        }
        Ok(terms)
    }
}

impl Counts<'_> {
    #[must_use]
    pub fn of(title: Option<&str>, body: &str) -> Counts<'static> {
        let mut counts = Counts::default();
        for Said { term, is_name, is_lead } in said(title, body, compared) {
            if is_name {
                count(&mut counts.names, &term);
            }
            if is_lead {
                count(&mut counts.lead, &term);
            }
            count(&mut counts.words, &term);
        }
        counts
    }

    /// As stored.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

fn count(part: &mut Part<'static>, term: &str) {
    if let Some(n) = part.get_mut(term) {
        *n += 1;
    } else {
        part.insert(Cow::Owned(term.to_owned()), 1);
    }
}

fn is_name<T>(token: &Token<'_, T>) -> bool {
    let Token { written, opens_sentence, .. } = token;
    looks_like_name(written) && (!opens_sentence || is_acronym(written) || has_digit(written))
}

fn looks_like_name(written: &str) -> bool {
    written.starts_with(char::is_uppercase) || has_digit(written)
}

fn is_acronym(written: &str) -> bool {
    written.chars().nth(1).is_some() && written.chars().all(|c| c.is_uppercase() || c.is_ascii_digit())
}

fn has_digit(written: &str) -> bool {
    written.bytes().any(|b| b.is_ascii_digit())
}

fn is_title_case<T>(tokens: &[Token<'_, T>]) -> bool {
    let capitals = tokens.iter().filter(|t| t.written.starts_with(char::is_uppercase)).count();
    tokens.len() >= 3 && capitals * 10 >= tokens.len() * 7
}

fn cut(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_capitals_inside_a_sentence_and_numbers() {
        let counts =
            Counts::of(Some("Ferry stuck off Skerrow"), "Engines failed. The Marigold Star waits with 214 aboard.");
        let names: Vec<&str> = counts.names.keys().map(|name| &**name).collect();
        assert_eq!(names, ["214", "marigold", "skerrow", "star"]);
    }

    #[test]
    fn a_title_in_capitals_names_only_what_the_body_names() {
        let counts = Counts::of(Some("Why The New Pumps At Aldermane Failed"), "The pumps at Aldermane failed.");
        assert_eq!(counts.names.keys().collect::<Vec<_>>(), ["alderman"]);
    }

    #[test]
    fn what_is_stored_reads_back() {
        let (title, body) = (Some("Storm off Skerrow"), "Petronella reached \"Grauhorn\" at 7. ".repeat(90));
        let stored = Counts::of(title, &body).to_bytes();
        assert_eq!(Features::from_bytes(&stored).ok(), Some(Features::of(title, &body)));
        assert!(Features::from_bytes(br#"{"w":{},"n":[],"l":{}}"#).is_err());
    }

    #[test]
    fn a_term_is_counted_in_each_part() {
        let features = Features::of(None, &("Ferry stuck off Skerrow. ".to_owned() + &"more Skerrow ".repeat(300)));
        let times = |term: &str| [WORDS, NAMES, LEAD].map(|part| features.times(Term::of(term), part));
        assert_eq!((times("ferri"), times("skerrow"), times("unsaid")), ([1, 0, 1], [255, 255, 58], [0; 3]));
        assert!(features.has_name("skerrow") && !features.has_name("ferri"));
    }
}
