//! What an owner wants to be told about, and how.

use std::fmt;
use std::str::FromStr;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ids::TopicId;
use super::time::Timestamp;

/// The topic that the first import makes.
pub const DEFAULT_TOPIC: &str = "default";

/// How much a run may consider and summarise; also the quality of model asked for.
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
    /// Stories of the top section, at most.
    pub top: usize,
    /// Stories of the scan section, at most.
    pub scan: usize,
    /// A story whose final score is lower is not shown, 0 to 100.
    pub at_least: u8,
}

impl Default for DigestSizes {
    /// Ten and twenty; noise (a score up to 20) is not shown.
    fn default() -> Self {
        Self { top: 10, scan: 20, at_least: 21 }
    }
}

/// A topic as stored. `None` means "as the environment says".
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Topic {
    pub id: TopicId,
    pub name: String,
    /// Cron expression or interval (`every 6h`).
    pub schedule: Option<String>,
    /// IANA zone.
    pub timezone: Option<String>,
    /// The owner's words for what matters, free text.
    pub interests: String,
    pub rules: Vec<Rule>,
    pub budget_tier: Option<BudgetTier>,
    /// Of the daily and the monthly budget, 1–100; `None`: as much as is left.
    pub budget_share_percent: Option<u8>,
    /// 0–100: how many stories a run may consider.
    pub depth: u8,
    /// After this many hours a story has lost 63 % of the points that decay takes.
    pub decay_hours: f64,
    pub sizes: DigestSizes,
    /// Everything before it has been read by a cursor run.
    pub cursor_end: Option<Timestamp>,
    pub next_run_at: Option<Timestamp>,
}

impl Topic {
    /// A topic of that name as it is made: everything as the environment says, depth 50, decay 48 h.
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

/// What has to be added to a command for a shell, so that it is about that topic: nothing for the default one.
#[must_use]
pub fn topic_option(topic: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    match topic {
        DEFAULT_TOPIC => String::new(),
        plain if plain.chars().all(is_plain) && !plain.starts_with('-') => format!(" --topic {plain}"),
        other => format!(" --topic='{}'", other.replace('\'', r"'\''")),
    }
}

/// What to do with an item that a rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// The item is not judged and not shown.
    Mute,
    /// Its story's final score is multiplied by [`BOOST`].
    Boost,
}

/// What a boost rule multiplies a final score by.
pub const BOOST: f64 = 1.5;

/// What a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleField {
    /// Title and body, at word borders.
    Word,
    /// The source's name or URL.
    Source,
    Author,
}

/// A rule of the owner's, written `word:PATTERN`, `source:PATTERN` or `author:PATTERN`.
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

/// A rule's compiled pattern may take this many bytes.
const PATTERN_BYTES: usize = 1 << 20;

impl Rule {
    /// Reads `field:pattern` and checks the pattern.
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

    /// # Errors
    /// When the pattern does not compile.
    pub fn compile(&self) -> Result<Regex, RuleError> {
        let pattern = match self.field {
            RuleField::Word => format!(r"\b(?:{})\b", self.pattern),
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
        let action = match self.action {
            RuleAction::Mute => "mute",
            RuleAction::Boost => "boost",
        };
        let field = match self.field {
            RuleField::Word => "word",
            RuleField::Source => "source",
            RuleField::Author => "author",
        };
        write!(f, "{action} {field}:{}", self.pattern)
    }
}
