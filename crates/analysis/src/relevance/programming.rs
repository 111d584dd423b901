//! Programming languages and frameworks whose names are other words as well ("Go", "Rust", "Spring", "R"): whether the
//! interests mean them, and whether a text is about programming, without which such a name does not count.
//!
//! Input: the words of clauses; the words of the texts. Output: the [`Sense`] of the clauses, and how far a text has it
//! ([`ProgrammingWords`]). For English texts; of texts without a vector every occurrence counts.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::documents::{Corpus, Document};
use super::word_ids::WordId;
use super::word_vectors::{DIMENSIONS, Vector, WordVectors};
use super::words::set;

/// In which sense the words of a clause are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Sense {
    /// Any.
    #[default]
    Usual,
    /// As names of programming languages.
    Programming,
}

/// The names, with their other senses: where all names of the interests share one, it may be meant.
const NAMES: [(&str, &[&str]); 24] = [
    ("ada", &["person"]),
    ("angular", &["shape"]),
    ("c", &["letter"]),
    ("crystal", &["person", "gem"]),
    ("dart", &["game"]),
    ("elixir", &["drink"]),
    ("elm", &["nature"]),
    ("express", &["train"]),
    ("flask", &["drink"]),
    ("go", &["game"]),
    ("java", &["place", "drink"]),
    ("julia", &["person"]),
    ("pascal", &["person"]),
    ("python", &["nature"]),
    ("r", &["letter"]),
    ("rails", &["train"]),
    ("react", &["speech"]),
    ("ruby", &["person", "gem"]),
    ("rust", &["metal", "nature"]),
    ("scala", &["music"]),
    ("spark", &["fire"]),
    ("spring", &["nature", "water"]),
    ("svelte", &["shape"]),
    ("swift", &["person", "nature", "music"]),
];

/// Words of interests beside which such a name is that of a language.
static BESIDE: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("algorithm algorithms android api apis arduino backend bioinformatics bsd c# c++ clojure code coder coders \
         coding compiler compilers computer computers computing database databases devops django docker emacs \
         embedded erlang firmware flutter fortran frontend git github golang haskell homelab hosting ios javascript \
         kernel kotlin kubernetes linux lisp microcontrollers nim ocaml perl php postgres postgresql programmer \
         programmers programming server servers software sql sqlite statistics typescript unix vim wasm web \
         webassembly zig")
});

/// Words that say of a name within its clause that it is that of a language ("Go developers", "the Rust community").
static WITHIN: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("code coding community compiler compilers conference crates development developer developers ecosystem \
         framework frameworks jobs language libraries library news packages programmer programmers programming \
         releases tooling")
});

/// Words of texts about programming, of which the vector of the sense is made.
const OF_VECTOR: [&str; 12] = [
    "api",
    "code",
    "compiler",
    "developers",
    "github",
    "javascript",
    "libraries",
    "linux",
    "programming",
    "server",
    "software",
    "syntax",
];

/// Words of texts about programming: two of them make one.
static OF_TEXTS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("api app apps async backend benchmark binary browser bug bugs bytecode c++ changelog cli code codebase \
         compile compiled compiler compilers compiles concurrency cpu crate crates css database debugger deploy \
         deployment developer developers docker framework frameworks frontend function functions generics git \
         github html ide interpreter ios iterators javascript json kernel kotlin latency libraries library linker \
         linux macros maintainer maintainers module modules monads node npm package packages parser plugin pointers \
         postgres programmer programmers programming refactoring repository runtime scripting server servers \
         software sql sqlite syntax thread threads toolchain tooling type types typescript unix variables wasm web \
         webassembly")
});

/// Names that a text only has if it writes them so: "go" is a verb, and a letter is none.
const WITH_CAPITALS: [&str; 3] = ["C", "Go", "R"];

/// Returns other names of a language that is written with a capital letter, and words that only its texts have.
pub(super) fn other_names(word: &str) -> &'static [&'static str] {
    match word {
        "Go" => &["golang", "gofmt", "gomod", "goroutine"],
        "R" => &["rstats", "rstudio"],
        _ => &[],
    }
}

/// Whether the words of a clause are a single letter that may name a language.
pub(super) fn is_letter(words: &[&str]) -> bool {
    matches!(words, ["C" | "c" | "R" | "r"])
}

/// Whether a word of interests that otherwise names nothing is the name of a language by the word after it ("Go
/// developers", "R packages").
pub(super) fn is_name_by_next(words: &[&str], at: usize) -> bool {
    let is_name = WITH_CAPITALS.iter().any(|name| name.eq_ignore_ascii_case(words[at]));
    is_name && words.get(at + 1).is_some_and(|next| WITHIN.contains(next))
}

/// Returns the sense of each clause, given its words: a language is meant by those that say so, and by those of a name
/// alone if other interests are about programming, or are names that have no other sense in common.
pub(super) fn senses(clauses: &[&[String]]) -> Vec<Sense> {
    let is_beside = |word: &String| BESIDE.contains(word.as_str());
    let is_about_programming = clauses.iter().any(|words| words.iter().any(is_beside))
        || have_no_sense_in_common(clauses.iter().filter_map(|words| other_senses(words)));
    let is_language = |words: &[String]| is_about_programming && other_senses(words).is_some() || says_language(words);
    clauses.iter().map(|words| if is_language(words) { Sense::Programming } else { Sense::Usual }).collect()
}

/// Writes the names of languages as texts do: "go" is a verb.
pub(super) fn add_capitals(words: &mut [String]) {
    for word in words {
        if let Some(name) = WITH_CAPITALS.into_iter().find(|name| name.eq_ignore_ascii_case(word)) {
            name.clone_into(word);
        }
    }
}

/// Returns the other senses of a clause that consists of a language's name.
fn other_senses(words: &[String]) -> Option<&'static [&'static str]> {
    let [word] = words else { return None };
    NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, senses)| *senses)
}

/// Whether a clause of several words has a name and says that it is one, or has names without a sense in common ("Ruby
/// on Rails").
fn says_language(words: &[String]) -> bool {
    let (names, others): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| other_senses(std::slice::from_ref(*word)).is_some());
    match (names.len(), others.len()) {
        (0, _) | (1, 0) => false,
        (_, 0) => have_no_sense_in_common(names.iter().filter_map(|name| other_senses(std::slice::from_ref(*name)))),
        _ => others.iter().all(|word| WITHIN.contains(word.as_str())),
    }
}

fn have_no_sense_in_common<'s>(names: impl Iterator<Item = &'s [&'s str]>) -> bool {
    let names: Vec<&[&str]> = names.collect();
    let is_shared = |sense: &&str| names.iter().all(|senses| senses.contains(sense));
    names.first().is_some_and(|first| !first.iter().any(is_shared))
}

/// Returns the vector of the sense.
pub(super) fn vector() -> Vector {
    let (table, mut vector) = (WordVectors::shipped(), [0.0; DIMENSIONS]);
    for rank in OF_VECTOR.iter().filter_map(|word| table.rank(word)) {
        table.add(rank, table.weight(rank), &mut vector);
    }
    vector
}

/// The cosines of the sense and a text from and to which it is about programming, and the number of different words of
/// [`OF_TEXTS`] from which on it is. Chosen on 75 invented items (`docs/RANKING.md`, "Programming languages").
const SIMILARITY: [f64; 2] = [0.1, 0.3];
const WORDS: f64 = 2.0;

/// Which words of the texts are of programming.
#[derive(Debug)]
pub(super) struct ProgrammingWords(Vec<bool>);

impl ProgrammingWords {
    pub(super) fn of(corpus: &Corpus) -> Self {
        Self(corpus.words.iter().map(|word| OF_TEXTS.contains(&*word.text)).collect())
    }

    /// Returns how far a text is about programming, 0 to 1; 1 for a text without a vector. `nearness`: the cosine of
    /// the sense and the text.
    pub(super) fn share(&self, document: &Document, nearness: f64) -> f64 {
        if nearness.abs() <= f64::EPSILON {
            return 1.0;
        }
        let words = document.fields.iter().flatten().filter(|word| self.0[**word as usize]);
        let [from, to] = SIMILARITY;
        let by_vector = ((nearness - from) / (to - from)).clamp(0.0, 1.0);
        by_vector.max((distinct(words) / WORDS).min(1.0))
    }
}

/// Returns the number of different words, which are few.
fn distinct<'w>(words: impl Iterator<Item = &'w WordId>) -> f64 {
    let mut seen: Vec<WordId> = Vec::new();
    for word in words {
        if !seen.contains(word) {
            seen.push(*word);
        }
    }
    f64::from(u32::try_from(seen.len()).unwrap_or(u32::MAX))
}
