//! The `local` space: sparse counts of words, of names and numbers, and of the opening words of a text.
//!
//! Comes in: title and body. Goes out: [`Counts`], stored as JSON in `embeddings.vector`, and from these [`Features`], eight bytes a
//! word, weighted at scoring time by the frequencies of the items they are compared with. On labelled news (ECB+) this mixture
//! joins stories better than small dense models.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::similarity::{LEAD, NAMES, PARTS, WORDS};
use super::tokens::{Token, tokens};
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
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts<'a> {
    #[serde(rename = "w", borrow)]
    words: Part<'a>,
    /// Capitalised inside a sentence, or with a digit.
    #[serde(rename = "n", borrow)]
    names: Part<'a>,
    #[serde(rename = "l", borrow)]
    lead: Part<'a>,
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
        Self::from(&Counts::of(title, body))
    }

    /// # Errors
    /// When the bytes are not what [`Counts::to_bytes`] writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice::<Counts<'_>>(bytes).map(|counts| Self::from(&counts))
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

impl From<&Counts<'_>> for Features {
    fn from(counts: &Counts<'_>) -> Self {
        let mut terms: BTreeMap<Term, [u8; PARTS]> = BTreeMap::new();
        for (part, of_part) in [(WORDS, &counts.words), (NAMES, &counts.names), (LEAD, &counts.lead)] {
            for (term, times) in of_part {
                let counted = &mut terms.entry(Term::of(term)).or_default()[part];
                *counted = counted.saturating_add(u8::try_from(*times).unwrap_or(u8::MAX));
            }
        }
        Self(terms.into_iter().map(|(term, times)| Counted { term, times }).collect())
    }
}

impl Counts<'static> {
    #[must_use]
    pub fn of(title: Option<&str>, body: &str) -> Self {
        let body = cut(body, MAX_BODY_CHARS);
        let title_tokens: Vec<Token<'_>> = tokens(title.unwrap_or("")).collect();
        let body_tokens: Vec<Token<'_>> = tokens(body).collect();
        let named: HashSet<&str> =
            body_tokens.iter().filter(|token| is_name(token)).map(|token| token.term.as_str()).collect();
        let mut counts = Self::default();
        for token in &body_tokens {
            count(&mut counts.words, &token.term);
            if named.contains(token.term.as_str()) && looks_like_name(token.written) {
                count(&mut counts.names, &token.term);
            }
        }
        // In A Title Like This One capitals say nothing: there a name is what the body writes as one.
        let title_case = is_title_case(&title_tokens);
        for token in &title_tokens {
            count(&mut counts.words, &token.term);
            let name = if title_case { named.contains(token.term.as_str()) } else { is_name(token) };
            if name || has_digit(token.written) {
                count(&mut counts.names, &token.term);
            }
        }
        for token in title_tokens.iter().chain(&body_tokens).take(LEAD_WORDS) {
            count(&mut counts.lead, &token.term);
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

fn is_name(token: &Token<'_>) -> bool {
    has_digit(token.written) || (looks_like_name(token.written) && (!token.opens_sentence || is_acronym(token.written)))
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

fn is_title_case(tokens: &[Token<'_>]) -> bool {
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
        let counts = Counts::of(Some("Storm"), "Petronella reached \"Grauhorn\" at 7.");
        assert_eq!(Features::from_bytes(&counts.to_bytes()).ok(), Some(Features::from(&counts)));
    }

    #[test]
    fn a_term_is_counted_in_each_part() {
        let features = Features::of(None, &("Ferry stuck off Skerrow. ".to_owned() + &"more Skerrow ".repeat(300)));
        let times = |term: &str| [WORDS, NAMES, LEAD].map(|part| features.times(Term::of(term), part));
        assert_eq!((times("ferri"), times("skerrow"), times("unsaid")), ([1, 0, 1], [255, 255, 58], [0; 3]));
        assert!(features.has_name("skerrow") && !features.has_name("ferri"));
    }
}
