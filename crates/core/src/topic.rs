//! A topic: the reader's interests, rules, schedule and sizes.

use std::fmt;
use std::str::FromStr;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ids::TopicId;
use super::shell;
use super::time::Timestamp;

/// The topic that the first import creates.
pub const DEFAULT_TOPIC: &str = "default";

/// How much a run may consider and summarise; also the quality of the models used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum BudgetTier {
    Low,
    #[default]
    Normal,
    High,
}

impl BudgetTier {
    pub const ALL: [Self; 3] = [Self::Low, Self::Normal, Self::High];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

impl FromStr for BudgetTier {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "low" => Ok(Self::Low),
            "normal" => Ok(Self::Normal),
            "high" => Ok(Self::High),
            _ => Err(()),
        }
    }
}

/// How much a digest shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DigestSizes {
    /// Maximum number of stories in the top section.
    pub top: usize,
    /// Maximum number of stories in the scan section.
    pub scan: usize,
    /// Stories with a lower final score are not shown, 0 to 100.
    pub at_least: u8,
}

impl Default for DigestSizes {
    /// Ten and twenty stories; noise (a score up to 20) is not shown.
    fn default() -> Self {
        Self { top: 10, scan: 20, at_least: 21 }
    }
}

/// A topic as stored. `None` means the value from the environment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Topic {
    pub id: TopicId,
    pub name: String,
    /// Cron expression or interval (`every 6h`).
    pub schedule: Option<String>,
    /// IANA zone.
    pub timezone: Option<String>,
    /// The user's description of what matters, free text.
    pub interests: String,
    pub rules: Vec<Rule>,
    pub budget_tier: Option<BudgetTier>,
    /// Share of the daily and the monthly budget, 1–100; `None`: whatever is left.
    pub budget_share_percent: Option<u8>,
    /// 0–100: determines how many stories a run may consider.
    pub depth: u8,
    /// After this many hours a story has lost 63 % of the points that decay takes.
    pub decay_hours: f64,
    pub sizes: DigestSizes,
    /// A cursor run has read everything before this time.
    pub cursor_end: Option<Timestamp>,
    pub next_run_at: Option<Timestamp>,
}

impl Topic {
    /// Returns a new topic of that name: values from the environment, depth 50, decay 48 h.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            id: TopicId::of(&[name]),
            name: name.to_owned(),
            schedule: None,
            timezone: None,
            interests: String::new(),
            rules: Vec::new(),
            budget_tier: None,
            budget_share_percent: None,
            depth: 50,
            decay_hours: 48.0,
            sizes: DigestSizes::default(),
            cursor_end: None,
            next_run_at: None,
        }
    }
}

/// Returns the option that selects a topic in a shell command; empty for the default topic.
#[must_use]
pub fn topic_option(topic: &str) -> String {
    let word = shell::word(topic);
    match topic {
        DEFAULT_TOPIC => String::new(),
        plain if plain == word && !plain.starts_with('-') => format!(" --topic {plain}"),
        _ => format!(" --topic={word}"),
    }
}

/// What happens to an item that a rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// The item is not judged and not shown.
    Mute,
    /// The final score of its story is multiplied by [`BOOST`].
    Boost,
}

impl RuleAction {
    /// Returns the word with which a rule is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mute => "mute",
            Self::Boost => "boost",
        }
    }
}

/// Factor of a boost rule on a final score.
pub const BOOST: f64 = 1.5;

/// The field that a rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleField {
    /// Title and body, at word boundaries.
    Word,
    /// The source's name or URL.
    Source,
    Author,
}

/// A user's rule, written `word:PATTERN`, `source:PATTERN` or `author:PATTERN`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    pub action: RuleAction,
    pub field: RuleField,
    /// A regular expression, matched in linear time, ignoring case.
    pub pattern: String,
}

#[derive(Debug, Error)]
pub enum RuleError {
    #[error("a rule is word:PATTERN, source:PATTERN or author:PATTERN; got {0:?}")]
    BadForm(String),
    #[error("the pattern {pattern:?} of a rule is not a regular expression: {source}")]
    BadPattern { pattern: String, source: Box<regex::Error> },
}

/// Size limit of a rule's compiled pattern, in bytes.
const PATTERN_BYTES: usize = 1 << 20;

impl Rule {
    /// Parses `field:pattern` and checks the pattern.
    ///
    /// # Errors
    /// When the field is unknown or the pattern does not compile.
    pub fn parse(action: RuleAction, text: &str) -> Result<Self, RuleError> {
        let bad = || RuleError::BadForm(text.to_owned());
        let (field, pattern) = text.split_once(':').ok_or_else(bad)?;
        let field = match field.trim() {
            "word" => RuleField::Word,
            "source" => RuleField::Source,
            "author" => RuleField::Author,
            _ => return Err(bad()),
        };
        let rule = Self { action, field, pattern: pattern.trim().to_owned() };
        if rule.pattern.is_empty() {
            return Err(bad());
        }
        rule.compile()?;
        Ok(rule)
    }

    /// Compiles the pattern.
    ///
    /// # Errors
    /// When the pattern does not compile.
    pub fn compile(&self) -> Result<Regex, RuleError> {
        let pattern = match self.field {
            // No part of a longer word, also where the pattern begins or ends with a sign, as "C++" does.
            RuleField::Word => format!(r"\b{{start-half}}(?:{})\b{{end-half}}", self.pattern),
            RuleField::Source | RuleField::Author => self.pattern.clone(),
        };
        RegexBuilder::new(&pattern)
            .case_insensitive(true)
            .size_limit(PATTERN_BYTES)
            .build()
            .map_err(|source| RuleError::BadPattern { pattern: self.pattern.clone(), source: Box::new(source) })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let action = self.action.as_str();
        let field = match self.field {
            RuleField::Word => "word",
            RuleField::Source => "source",
            RuleField::Author => "author",
        };
        write!(f, "{action} {field}:{}", self.pattern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_no_part_of_a_longer_one() {
        let matches = |pattern: &str, text: &str| {
            Rule::parse(RuleAction::Mute, &format!("word:{pattern}")).unwrap().compile().unwrap().is_match(text)
        };
        for (pattern, text) in [("sport", "Sport today"), (r"C\+\+", "C++ is old"), (r"\.NET", "the .NET runtime")] {
            assert!(matches(pattern, text), "{pattern}: {text}");
        }
        for (pattern, text) in [("sport", "Transport"), ("sport", "sports"), (r"C\+\+", "ABC++"), (r"\.NET", "ASP.NET")]
        {
            assert!(!matches(pattern, text), "{pattern}: {text}");
        }
    }
}
