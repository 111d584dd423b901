//! Classifies terms: those that identify a subject, and those that only identify the form of a text.

use std::cell::RefCell;
use std::fmt;
use std::hash::BuildHasher as _;
use std::sync::LazyLock;

use rustc_hash::{FxBuildHasher, FxHashSet};
use serde::de::{Deserialize, Deserializer, Visitor};

use super::tokens::compared;

/// A normalised word, represented by a hash of 30 bits and its [`Kind`]. It is stable across runs and machines, so that
/// stored counts remain valid. Of a million different words, one in two thousand collides with another, rare one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

impl Term {
    #[must_use]
    pub fn of(text: &str) -> Self {
        // FNV-1a with 64 bits, folded.
        let hash = text
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let folded = u32::try_from((hash ^ (hash >> 32)) & 0xffff_fffc).unwrap_or(0);
        Self(folded | Kind::of(text) as u32)
    }

    /// Returns the term of a word as written; `None` for a stop word.
    #[must_use]
    pub fn of_word(written: &str) -> Option<Self> {
        TERM_CACHE.with_borrow_mut(|cached| cached.term(written))
    }

    /// Returns the little-endian bytes.
    pub(crate) const fn to_bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    pub(crate) const fn from_bytes(bytes: [u8; 4]) -> Self {
        Self(u32::from_le_bytes(bytes))
    }

    /// Returns up to 32 leading bits of the sort order.
    pub(crate) const fn first_bits(self, bits: u32) -> usize {
        (self.0 >> (u32::BITS - bits)) as usize
    }

    pub(crate) const fn kind(self) -> Kind {
        match self.0 & 3 {
            1 => Kind::Form,
            2 => Kind::Number,
            _ => Kind::Subject,
        }
    }
}

thread_local! {
    static TERM_CACHE: RefCell<TermCache> = RefCell::new(TermCache(vec![CachedTerm::default(); CACHED_WORDS]));
}

/// Size of each thread's term cache, and the maximum length of a cached word, in bytes: most words of a text are a few
/// frequent ones.
const CACHED_WORDS: usize = 16_384;
const MAX_CACHED_BYTES: usize = 23;

/// A direct-mapped cache of terms: a word replaces the previous one in its slot.
struct TermCache(Vec<CachedTerm>);

#[derive(Clone, Default)]
struct CachedTerm {
    bytes: [u8; MAX_CACHED_BYTES],
    /// 0 for an empty slot.
    length: u8,
    term: Option<Term>,
}

impl TermCache {
    fn term(&mut self, written: &str) -> Option<Term> {
        let hash = usize::try_from(FxBuildHasher.hash_one(written) >> 32).unwrap_or(0);
        let length = u8::try_from(written.len()).unwrap_or(u8::MAX);
        let Some(cached) = self.0.get_mut(hash % CACHED_WORDS).filter(|_| written.len() <= MAX_CACHED_BYTES) else {
            return of_compared(written);
        };
        if cached.length != length || cached.bytes[..written.len()] != *written.as_bytes() {
            cached.bytes[..written.len()].copy_from_slice(written.as_bytes());
            (cached.length, cached.term) = (length, of_compared(written));
        }
        cached.term
    }
}

fn of_compared(written: &str) -> Option<Term> {
    compared(written).map(|term| Term::of(&term))
}

impl<'de> Deserialize<'de> for Term {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TermVisitor)
    }
}

struct TermVisitor;

impl Visitor<'_> for TermVisitor {
    type Value = Term;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a term")
    }

    fn visit_str<E>(self, text: &str) -> Result<Term, E> {
        Ok(Term::of(text))
    }
}

/// What a term is evidence of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// A subject.
    #[default]
    Subject,
    /// The form of a publication, or its date: "daily discussion", "release", "May".
    Form,
    /// A number, a version, a time of day.
    Number,
}

static FORMS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| FORM_WORDS.iter().copied().collect());

/// Stems of words that name a form of publication, sorted.
const FORM_WORDS: &[&str] = &[
    "announc",
    "april",
    "articl",
    "august",
    "bug",
    "bugfix",
    "changelog",
    "comment",
    "daili",
    "day",
    "decemb",
    "digest",
    "discuss",
    "edit",
    "episod",
    "faq",
    "februari",
    "fix",
    "friday",
    "full",
    "hour",
    "improv",
    "issu",
    "januari",
    "juli",
    "june",
    "latest",
    "link",
    "live",
    "march",
    "minor",
    "monday",
    "month",
    "monthli",
    "morn",
    "new",
    "newslett",
    "note",
    "novemb",
    "octob",
    "open",
    "part",
    "patch",
    "perform",
    "podcast",
    "post",
    "read",
    "releas",
    "roundup",
    "saturday",
    "septemb",
    "seri",
    "subscrib",
    "sunday",
    "thread",
    "thursday",
    "today",
    "tuesday",
    "updat",
    "version",
    "video",
    "wednesday",
    "week",
    "weekend",
    "weekli",
    "year",
];

impl Kind {
    #[must_use]
    pub fn of(term: &str) -> Self {
        if term.bytes().any(|byte| byte.is_ascii_digit()) {
            Self::Number
        } else if FORMS.contains(term) {
            Self::Form
        } else {
            Self::Subject
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::snowball_stem;
    use super::*;

    #[test]
    fn form_words_are_sorted_stems() {
        assert!(FORM_WORDS.is_sorted());
        for word in FORM_WORDS {
            assert_eq!(Kind::of(word), Kind::Form);
        }
        for word in ["release", "discussion", "daily", "changelog", "weekly", "september"] {
            assert_eq!(Kind::of(&snowball_stem(word)), Kind::Form, "{word}");
        }
    }

    #[test]
    fn a_term_knows_its_kind() {
        let terms = ["v1.2.3", "releas", "ferri"].map(Term::of);
        assert_eq!(terms.map(Term::kind), [Kind::Number, Kind::Form, Kind::Subject]);
        assert_eq!(terms[2], Term::of("ferri"));
        assert_ne!(terms[2], Term::of("ferry"));
    }

    #[test]
    fn versions_and_dates_are_numbers() {
        let kinds = ["v1.2.3", "2026", "12th", "ferri"].map(Kind::of);
        assert_eq!(kinds, [Kind::Number, Kind::Number, Kind::Number, Kind::Subject]);
    }
}
