//! Classifies a block as lasting knowledge or not, by its wording.
//!
//! Knowledge is written in the present tense about things, with reasons, conditions and measures. A diary entry
//! describes what its writer did, felt and has to do, and when. Each sign has a weight. The signs for and against are
//! returned with the confidence.

use crate::opaque::without_code;
use crate::property;

/// Likelihood that a block contains lasting knowledge, with the reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// From 0 to 1. At 0.5 and above the block is classified as knowledge.
    pub confidence: f64,
    /// The signs found, the one with the largest weight first.
    pub reasons: Vec<&'static str>,
}

/// Minimum confidence of a block classified as knowledge.
pub const MIN_CONFIDENCE: f64 = 0.5;
const BIAS: f64 = -1.6;

/// A sign: its name, its weight, the maximum count, and the function that counts it.
type Sign = (&'static str, f64, usize, fn(&Text) -> usize);

const SIGNS: [Sign; 17] = [
    ("says that it was learned", 3.2, 1, |text| text.starts_with(&LEARNED)),
    ("a decision", 2.6, 1, |text| usize::from(text.has_label())),
    ("gives a reason or a condition", 1.1, 2, |text| text.count(&REASONS)),
    ("speaks of what always holds", 1.0, 2, |text| text.count(&GENERAL)),
    ("is about things, in the present tense", 1.5, 1, |text| usize::from(text.has_present_verb())),
    ("gives a measure", 0.9, 1, |text| usize::from(text.has_measure())),
    ("names code", 1.1, 1, |text| usize::from(text.raw.contains('`'))),
    ("says how to do something", 1.0, 1, |text| usize::from(text.is_advice())),
    ("explains after a colon or semicolon", 0.6, 1, |text| {
        usize::from(text.raw.contains(": ") || text.raw.contains("; "))
    }),
    ("says a whole sentence", 0.9, 1, |text| usize::from(text.words.len() >= 8)),
    ("is only a few words", -1.8, 1, |text| usize::from(text.words.len() < 5)),
    ("a task", -3.5, 1, |text| usize::from(text.is_task)),
    ("tells what was done", -2.4, 1, |text| usize::from(text.begins_with_past_action())),
    ("speaks of its writer", -1.5, 1, |text| text.count(&FIRST_PERSON).min(1)),
    ("is about a time near the day", -1.6, 2, |text| text.relative_times()),
    ("is told in the past or the future", -1.2, 1, |text| usize::from(text.is_past_or_future())),
    ("asks", -2.0, 1, |text| usize::from(text.raw.trim_end().ends_with('?'))),
];

const LEARNED: [&str; 14] = [
    "learned ",
    "learned:",
    "learnt ",
    "learnt:",
    "til:",
    "til ",
    "today i learned",
    "discovered ",
    "found out ",
    "turns out ",
    "realised ",
    "realized ",
    "good to know",
    "the reason was",
];
/// Labels of lasting statements, at the beginning of a text.
const LABELS: [&str; 9] =
    ["decision:", "decided:", "rule:", "note:", "tip:", "lesson:", "insight:", "takeaway:", "conclusion:"];
/// Those that also count within a text, at the beginning of a sentence or line.
const LABELS_WITHIN: [&str; 4] = ["decision:", "decided:", "lesson:", "takeaway:"];
const REASONS: [&str; 18] = [
    "because",
    "since",
    "so that",
    "so ",
    "otherwise",
    "unless",
    "if ",
    "when ",
    "without",
    "instead",
    "therefore",
    "which",
    "that",
    "before",
    "while",
    "caused by",
    "due to",
    "as long as",
];
const GENERAL: [&str; 17] = [
    "always", "never", "each", "every", "only", "must", "should", "usually", "cannot", "can", "may", "need", "needs",
    "at least", "at most", "not", "all",
];
const FIRST_PERSON: [&str; 10] = ["i", "we", "my", "our", "me", "us", "i'm", "i'll", "we'll", "mine"];
const PRESENT: [&str; 54] = [
    "is", "are", "takes", "allows", "gives", "keeps", "means", "makes", "promises", "replaces", "returns", "reads",
    "needs", "need", "lets", "lose", "loses", "helps", "causes", "builds", "belongs", "nest", "fruit", "fix",
    "connect", "rot", "works", "accepts", "answers", "predict", "predicts", "drops", "runs", "has", "have", "does",
    "do", "leaves", "trades", "shrinks", "begins", "stays", "grows", "keep", "becomes", "turns", "exchange", "survive",
    "contains", "uses", "requires", "supports", "costs", "depends",
];
const PAST_ACTIONS: [&str; 60] = [
    "woke",
    "fed",
    "called",
    "pushed",
    "reviewed",
    "felt",
    "wrote",
    "saw",
    "ran",
    "drove",
    "bought",
    "made",
    "had",
    "went",
    "met",
    "slept",
    "ate",
    "read",
    "reading",
    "watched",
    "cleaned",
    "finished",
    "fixed",
    "deployed",
    "repaired",
    "visited",
    "started",
    "ordered",
    "baked",
    "cooked",
    "tried",
    "forgot",
    "paired",
    "pairing",
    "debugging",
    "working",
    "sowed",
    "sold",
    "sent",
    "got",
    "built",
    "took",
    "cut",
    "swam",
    "left",
    "lost",
    "found",
    "put",
    "set",
    "told",
    "spoke",
    "talked",
    "sat",
    "began",
    "gave",
    "came",
    "was",
    "were",
    "been",
    "rotated",
];
const TIMES: [&str; 36] = [
    "today",
    "tomorrow",
    "yesterday",
    "tonight",
    "this morning",
    "this afternoon",
    "this evening",
    "this week",
    "next week",
    "last week",
    "last year",
    "next year",
    "next month",
    "last month",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mondays",
    "tuesdays",
    "wednesdays",
    "thursdays",
    "fridays",
    "so far",
    "again",
    "finally",
    "in two weeks",
    "by summer",
    "in the evening",
    "all morning",
    "all afternoon",
    "afterwards",
    "next appointment",
];
const TASKS: [&str; 12] =
    ["TODO", "DOING", "DONE", "LATER", "NOW", "WAITING", "WAIT", "IN-PROGRESS", "CANCELED", "CANCELLED", "[ ]", "[x]"];
const UNITS: [&str; 34] = [
    "%", "°", "°c", "m", "cm", "mm", "km", "kg", "g", "l", "ml", "hours", "hour", "days", "years", "minutes",
    "seconds", "bytes", "mb", "gb", "tb", "tonnes", "degrees", "€", "ms", "times", "weeks", "months", "v", "w", "kw",
    "hz", "mg", "ghz",
];

/// A block's text, tokenised once.
struct Text {
    raw: String,
    lower: String,
    /// Its sentences and lines in lower case, without emphasis.
    sentences: Vec<String>,
    words: Vec<String>,
    is_task: bool,
}

impl Text {
    fn of(raw: &str) -> Self {
        let mut lines = without_code(raw);
        lines.retain(|line| property::parse(line).is_none());
        let sentences = lines.iter().flat_map(|line| line.split_inclusive(['.', '!', '?'])).map(plain).collect();
        let text = lines.join(" ");
        let is_task = TASKS.iter().any(|mark| text.starts_with(&format!("{mark} ")));
        let lower = text.to_lowercase();
        let word = |word: &str| {
            word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%' && c != '€' && c != '°').to_owned()
        };
        let words = lower.split_whitespace().map(word).filter(|word| !word.is_empty()).collect();
        Self { raw: text, lower, sentences, words, is_task }
    }

    fn starts_with(&self, starts: &[&str]) -> usize {
        let first = self.sentences.first().map_or("", String::as_str);
        usize::from(starts.iter().any(|start| first.starts_with(start)))
    }

    fn has_label(&self) -> bool {
        let is_within = |sentence: &String| LABELS_WITHIN.iter().any(|label| sentence.starts_with(label));
        self.starts_with(&LABELS) > 0 || self.sentences.iter().any(is_within)
    }

    /// Returns how many of these words or phrases occur in the text.
    fn count(&self, phrases: &[&str]) -> usize {
        let spaced = format!(" {} ", self.words.join(" "));
        phrases.iter().filter(|phrase| spaced.contains(&format!(" {} ", phrase.trim()))).count()
    }

    fn has_present_verb(&self) -> bool {
        self.words.iter().skip(1).any(|word| PRESENT.contains(&word.as_str()))
    }

    fn has_measure(&self) -> bool {
        let number = |word: &str| word.chars().next().is_some_and(|c| c.is_ascii_digit());
        let pairs =
            self.words.windows(2).any(|pair| matches!(pair, [a, b] if number(a) && UNITS.contains(&b.as_str())));
        pairs || self.words.iter().any(|word| number(word) && word.ends_with(['%', '°', '€']))
    }

    fn is_advice(&self) -> bool {
        const ADVICE: [&str; 9] = ["use", "run", "avoid", "prefer", "drop", "subtract", "retry", "to", "when"];
        let begins = self.words.first().is_some_and(|word| ADVICE.contains(&word.as_str()));
        begins || self.lower.contains("; use ") || self.lower.contains("; drop ") || self.lower.contains(", use ")
    }

    fn begins_with_past_action(&self) -> bool {
        let Some(first) = self.words.first() else { return false };
        // In "Toughened glass" or "Archived files" the first word is an adjective if a verb follows.
        let is_past = first.len() > 4 && first.ends_with("ed") && !self.has_present_verb();
        let is_learned = self.starts_with(&LEARNED) > 0;
        !is_learned && (is_past || PAST_ACTIONS.contains(&first.as_str()))
    }

    fn relative_times(&self) -> usize {
        let clock = self.words.iter().filter(|word| {
            let (hour, minute) = word.split_once(':').unwrap_or_default();
            !hour.is_empty()
                && hour.len() <= 2
                && minute.len() == 2
                && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
        });
        let dates = self.words.iter().filter(|word| word.len() == 10 && word.matches('-').count() == 2);
        // A lesson learned today is still valid tomorrow.
        let times = if self.starts_with(&LEARNED) > 0 { 0 } else { self.count(&TIMES) };
        times + clock.count() + dates.count()
    }

    fn is_past_or_future(&self) -> bool {
        let count = self
            .count(&["was", "were", "will", "had", "did", "wants", "want", "went", "came", "got", "said", "agreed"]);
        count > 0 && self.starts_with(&LEARNED) == 0
    }
}

/// Returns a sentence in lower case without the emphasis of its words: `decision: …` for `**Decision:** …`.
fn plain(sentence: &str) -> String {
    sentence.replace("**", "").replace("__", "").trim_start_matches(['*', '_', ' ']).to_lowercase()
}

/// Returns whether a block's text consists of code blocks alone.
#[must_use]
pub fn is_code(text: &str) -> bool {
    without_code(text).iter().all(|line| line.trim().is_empty())
}

/// Classifies a block, apart from its code blocks. `text` is the block's own text, without its descendants.
#[must_use]
pub fn judge(text: &str) -> Judgement {
    let text = Text::of(text);
    let found: Vec<(&'static str, f64)> = SIGNS
        .iter()
        .filter_map(|(name, weight, max_count, count)| {
            let count = u32::try_from(count(&text).min(*max_count)).unwrap_or_default();
            (count > 0).then(|| (*name, weight * f64::from(count)))
        })
        .collect();
    let sum = BIAS + found.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut found = found;
    found.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    Judgement { confidence: 1.0 / (1.0 + (-sum).exp()), reasons: found.into_iter().map(|(name, _)| name).collect() }
}
