//! All settings, read once from the environment (and `.env` in the current folder) through envy.
//!
//! All problems are reported at once, each with the variable, the expected value and an example. Sources and topics are
//! not settings: they are rows of the database, and a topic's own values override these settings. Models may also be
//! defined in a file that a setting names: see `catalogue`.

mod error;
mod journal;
mod names;
mod reader;
mod signal;
mod sources;
mod web;

use std::collections::HashSet;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use aha_llm::catalogue::Environment;
use aha_llm::settings::{BudgetSettings, LlmSettings};
use chrono_tz::Tz;
use serde::Deserialize;

pub use error::ConfigError;
pub use journal::JournalSettings;
pub use names::UnknownSetting;
pub use sources::{FetchSettings, SourceSettings};
pub use web::WebSettings;

use aha_core::clock::Clock;
use aha_core::database_url::DatabaseUrl;
use aha_core::ranking::Ranking;
use aha_core::schedule::Schedule;
use aha_core::topic::BudgetTier;
use reader::SettingsReader;

/// The settings of this process.
#[derive(Debug, Clone)]
pub struct Config {
    pub database_url: DatabaseUrl,
    pub schedule: Schedule,
    pub timezone: Tz,
    pub budget_tier: BudgetTier,
    pub budget: BudgetSettings,
    pub llm: LlmSettings,
    pub fetch: FetchSettings,
    pub sources: SourceSettings,
    pub listen: SocketAddr,
    pub web: WebSettings,
    /// Share of a topic's sources in percent; if at least this many cannot be read, the digest is partial.
    pub partial_from_percent: usize,
    /// A topic without a successful run for this long is reported as overdue.
    pub alert_after: Option<Duration>,
    pub log: LogSettings,
    pub output_dir: PathBuf,
    pub journal: JournalSettings,
    pub retention: RetentionSettings,
    /// Weights of the terms of a score (`AHA_RANK_WEIGHTS`, `AHA_NOISE_LIMIT`).
    pub ranking: Ranking,
    pub clock: Clock,
    /// Variables that look like settings but are not.
    pub unknown: Vec<UnknownSetting>,
    /// The file `.env` that was read, if any.
    pub dot_env: Option<PathBuf>,
}

/// Age in days at which rows are removed (`AHA_RETAIN_*_DAYS`); `None` keeps them for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionSettings {
    pub items_days: Option<i64>,
    pub digests_days: Option<i64>,
    pub fetches_days: Option<i64>,
    pub calls_days: Option<i64>,
}

/// Log filter and format (`AHA_LOG*`).
#[derive(Debug, Clone)]
pub struct LogSettings {
    /// A tracing filter: `info`, `aha_radar=debug`. Unset: `info` for the daemon, `error` for a command.
    pub filter: Option<String>,
    pub format: LogFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

/// Settings whose names are shared with other programs.
const SHARED_NAMES: [&str; 9] = [
    "DATABASE_URL",
    "REDDIT_CLIENT_ID",
    "REDDIT_CLIENT_SECRET",
    "REDDIT_CLIENT_SECRET_FILE",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_API_KEY_FILE",
    "GEMINI_API_KEY",
    "GEMINI_API_KEY_FILE",
    "OLLAMA_BASE_URL",
];

/// The raw values of the variables; all are optional.
#[derive(Debug, Default, Deserialize)]
struct Raw {
    database_url: Option<String>,
    aha_schedule: Option<String>,
    aha_timezone: Option<String>,
    aha_budget_tier: Option<String>,
    aha_fetch_allow: Option<String>,
    aha_fetch_host_gap_ms: Option<String>,
    aha_fetch_concurrency: Option<String>,
    aha_fetch_proxy: Option<String>,
    aha_fetch_ca_file: Option<String>,
    aha_alert_hours: Option<String>,
    aha_partial_from: Option<String>,
    aha_sites: Option<String>,
    reddit_client_id: Option<String>,
    reddit_client_secret: Option<String>,
    reddit_client_secret_file: Option<String>,
    aha_signal_url: Option<String>,
    aha_signal_body: Option<String>,
    aha_signal_headers: Option<String>,
    aha_signal_key: Option<String>,
    aha_signal_key_file: Option<String>,
    aha_signal_results: Option<String>,
    aha_signal_related: Option<String>,
    aha_signal_link: Option<String>,
    aha_signal_max_results: Option<String>,
    aha_signal_credits_per_search: Option<String>,
    aha_signal_credits_per_result: Option<String>,
    aha_miniflux_token: Option<String>,
    aha_miniflux_token_file: Option<String>,
    aha_listen: Option<String>,
    aha_log: Option<String>,
    aha_log_format: Option<String>,
    aha_output_dir: Option<String>,
    aha_journal_graph: Option<String>,
    aha_journal_state: Option<String>,
    aha_retain_items_days: Option<String>,
    aha_retain_digests_days: Option<String>,
    aha_retain_fetches_days: Option<String>,
    aha_retain_calls_days: Option<String>,
    aha_rank_weights: Option<String>,
    aha_noise_limit: Option<String>,
    aha_now: Option<String>,
}

impl Config {
    /// Reads `.env` of the current folder (which never overrides the environment) and the environment.
    ///
    /// # Errors
    /// All unusable variables at once.
    pub fn load() -> Result<Self, ConfigError> {
        let dot_env = load_dot_env()?;
        let pairs = environment(std::env::vars_os())?;
        Ok(Self { dot_env, ..Self::from_pairs(pairs.into_iter())? })
    }

    /// Returns whether others than this machine can reach a server, so that they have to sign in: it listens on other
    /// than loopback addresses, or a reverse proxy is configured.
    #[must_use]
    pub fn requires_sign_in(&self) -> bool {
        !self.listen.ip().is_loopback() || self.web.public_url.is_some()
    }

    /// Returns an error if there are unknown variables.
    ///
    /// # Errors
    /// When a variable looks like a setting but is not: its intended effect would be missing.
    pub fn without_unknown(self) -> Result<Self, ConfigError> {
        if self.unknown.is_empty() { Ok(self) } else { Err(ConfigError::Problems(vec![], vec![], self.unknown)) }
    }

    /// Reads the settings from name-value pairs.
    ///
    /// # Errors
    /// All unusable variables at once.
    pub fn from_pairs(pairs: impl Iterator<Item = (String, String)>) -> Result<Self, ConfigError> {
        let all: Vec<(String, String)> = pairs.filter(|(_, value)| !value.trim().is_empty()).collect();
        let ours: Vec<(String, String)> = all.iter().filter(|(name, _)| is_ours(name)).cloned().collect();
        let raw: Raw = envy::from_iter(ours.iter().cloned())?;
        let mut reader = SettingsReader::default();
        let environment = Environment::of(&all);
        let mut config = reader.read(raw, &ours, &environment)?;
        reader.without_repetitions();
        let unknown = names::unknown(all.iter().map(|(name, _)| name.as_str()), &environment.referred());
        if reader.variables.problems.is_empty() && reader.catalogue_problems.is_empty() {
            config.unknown = unknown;
            return Ok(config);
        }
        Err(ConfigError::Problems(reader.variables.problems, reader.catalogue_problems, unknown))
    }
}

fn is_ours(name: &str) -> bool {
    name.starts_with("AHA_") || name.starts_with("OPENAI_") || SHARED_NAMES.contains(&name)
}

/// Returns the variables that are text. Those of ours must be; others, such as the name of a folder in Latin-1, do not
/// matter.
fn environment(variables: impl Iterator<Item = (OsString, OsString)>) -> Result<Vec<(String, String)>, ConfigError> {
    let (mut pairs, mut not_text) = (Vec::new(), Vec::new());
    for (name, value) in variables {
        match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) => pairs.push((name, value)),
            (Ok(name), Err(_)) if is_ours(&name) => not_text.push(name),
            _ => {}
        }
    }
    if not_text.is_empty() { Ok(pairs) } else { Err(ConfigError::NotText(not_text)) }
}

/// In the current folder only: a folder above may belong to another user, whose address of a model would get the key.
const DOT_ENV: &str = ".env";

/// Adds the variables of `.env` to the environment. Returns its path, `None` if there is no such file.
fn load_dot_env() -> Result<Option<PathBuf>, ConfigError> {
    if std::fs::metadata(DOT_ENV).is_ok_and(|found| !found.is_file()) {
        return Ok(None);
    }
    if let Some(setting) = std::fs::read_to_string(DOT_ENV).ok().and_then(|text| unresolved(&text)) {
        return Err(ConfigError::DotEnvVariable { setting });
    }
    match dotenvy::from_path(DOT_ENV) {
        Ok(()) => Ok(Some(whole_path())),
        Err(error) if error.not_found() => Ok(None),
        Err(dotenvy::Error::LineParse(..)) => Err(ConfigError::DotEnvLine { after: last_readable() }),
        Err(error) => Err(ConfigError::DotEnv { path: whole_path(), error }),
    }
}

/// Returns the first setting of an `.env` file whose value names a variable (`$NAME`) that is not set, neither in the
/// environment nor in a line above: it would become empty, as in a password with a dollar sign. In single quotes a
/// dollar sign stands for itself.
fn unresolved(text: &str) -> Option<String> {
    let mut known = HashSet::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name.trim().trim_start_matches("export ").trim();
        let is_set = |variable: &str| known.contains(variable) || std::env::var_os(variable).is_some();
        if variables(value.trim()).into_iter().any(|variable| !is_set(variable)) {
            return Some(name.to_owned());
        }
        known.insert(name);
    }
    None
}

/// Returns the variables that a value names outside of single quotes.
fn variables(value: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut is_quoted, mut before) = (false, ' ');
    for (at, c) in value.char_indices() {
        match c {
            '\'' => is_quoted = !is_quoted,
            '#' if !is_quoted && before.is_whitespace() => break,
            '$' if !is_quoted && before != '\\' => {
                let rest = value.get(at + 1..).unwrap_or_default().trim_start_matches('{');
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                found.extend(rest.get(..end).filter(|name| !name.is_empty()));
            }
            _ => {}
        }
        before = c;
    }
    found
}

/// The path of `.env` with its folder.
fn whole_path() -> PathBuf {
    std::path::absolute(DOT_ENV).unwrap_or_else(|_| DOT_ENV.into())
}

/// Returns the last variable of `.env` before the line that cannot be read.
fn last_readable() -> Option<String> {
    dotenvy::from_path_iter(DOT_ENV).ok()?.map_while(Result::ok).last().map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dollar_sign_before_what_is_no_variable_is_found() {
        for (text, setting) in [
            ("A=1\nKEY=abc$QwErTy8", Some("KEY")),
            ("DATABASE_URL=\"postgres://me:pa${sword}1@db/aha\"", Some("DATABASE_URL")),
            ("export KEY = $nothing_of_this_name", Some("KEY")),
            ("KEY='abc$QwErTy8'", None),
            ("KEY=abc\\$QwErTy8", None),
            ("# KEY=$QwErTy8\nKEY=a # $QwErTy8", None),
            ("DIR=/data\nKEY=$DIR/a and $PATH", None),
            ("KEY=5$ and $5x\nno line", Some("KEY")),
            ("KEY=5$", None),
        ] {
            assert_eq!(unresolved(text).as_deref(), setting, "{text}");
        }
    }

    fn load(pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_pairs(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())))
    }

    #[test]
    fn nothing_set_is_a_working_configuration() {
        let config = load(&[]).unwrap();
        assert_eq!(config.database_url.as_str(), "sqlite://aha-radar.db");
        assert_eq!(config.llm.triage_batch_size, 10);
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    }

    #[test]
    fn all_problems_are_reported_at_once_with_variable_expected_value_and_example() {
        let text = load(&[("AHA_TRIAGE_BATCH_SIZE", "99"), ("AHA_TIMEZONE", "Berlin"), ("AHA_NOW", "soon")])
            .unwrap_err()
            .to_string();
        for part in ["AHA_TRIAGE_BATCH_SIZE=\"99\"", "1 to 50", "AHA_TIMEZONE=\"Berlin\"", "Europe/Berlin", "AHA_NOW"] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }

    #[test]
    fn a_variable_that_several_tasks_read_is_reported_once() {
        let name = "OPENAI_CREDITS_PER_1K_INPUT_TOKENS";
        let text = load(&[("OPENAI_API_KEY", "k"), ("OPENAI_MODEL", "m"), (name, "a")]).unwrap_err().to_string();
        assert_eq!(text.matches(&format!("{name}=\"a\"")).count(), 1, "{text}");
    }

    #[test]
    fn only_the_price_that_is_missing_under_a_cap_is_asked_for() {
        let (input, output) = ("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", "OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS");
        let capped = [("OPENAI_API_KEY", "k"), ("OPENAI_MODEL", "m"), ("AHA_BUDGET_DAILY_CREDITS", "1")];
        let asks = |text: &str, name: &str| text.contains(&format!("{name} is not set"));
        let text = load(&capped).unwrap_err().to_string();
        assert!(asks(&text, input) && asks(&text, output) && text.contains(&format!("{output}=0.002")), "{text}");
        let text = load(&[&capped[..], &[(input, "1")]].concat()).unwrap_err().to_string();
        assert!(!asks(&text, input) && asks(&text, output), "{text}");
    }

    #[test]
    fn a_key_s_file_that_cannot_be_read_is_reported_once_beside_a_catalogue() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "models:\n  anthropic/claude: {}\ntasks: { triage: anthropic/claude }\n").unwrap();
        let catalogue = ("AHA_LLM_CONFIG", file.path().to_str().unwrap());
        let text = load(&[catalogue, ("ANTHROPIC_API_KEY_FILE", "/no/such/file")]).unwrap_err().to_string();
        assert!(text.contains("ANTHROPIC_API_KEY_FILE expects") && !text.contains("cannot be used"), "{text}");
        let pairs = [catalogue, ("ANTHROPIC_API_KEY", "k"), ("GEMINI_API_KEY_FILE", "/no/such/file")];
        let text = load(&pairs).unwrap_err().to_string();
        assert!(text.starts_with("GEMINI_API_KEY_FILE=\"/no/such/file\" cannot be used"), "{text}");
    }

    #[test]
    fn a_token_and_a_folder_that_cannot_be_used_are_named_as_they_were_given() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "short").unwrap();
        let text = load(&[("AHA_API_TOKEN_FILE", file.path().to_str().unwrap())]).unwrap_err().to_string();
        assert!(text.starts_with("AHA_API_TOKEN_FILE=") && !text.contains("short"), "{text}");
        for variable in ["ANTHROPIC_API_KEY_FILE", "GEMINI_API_KEY_FILE", "OPENAI_API_KEY_FILE"] {
            let text = load(&[(variable, "/no/such/file")]).unwrap_err().to_string();
            assert!(text.starts_with(&format!("{variable}=\"/no/such/file\" cannot be used")), "{text}");
        }
        assert!(load(&[("GEMINI_API_KEY_FILE", "/no/such/file"), ("GEMINI_API_KEY", "k")]).is_ok());
        let text = load(&[("AHA_PROMPTS", "/no/such/folder")]).unwrap_err().to_string();
        assert!(text.contains("AHA_PROMPTS=\"/no/such/folder\""), "{text}");
        let text = load(&[("AHA_SITES", "nosuch=https://a.example")]).unwrap_err().to_string();
        assert!(text.contains("hacker_news_lists") && text.contains("lobsters"), "{text}");
        let text = load(&[("AHA_SCHEDULE", "every 5m")]).unwrap_err().to_string();
        assert!(text.contains("15 minutes to 30 days"), "{text}");
    }

    #[test]
    fn configured_vectors_without_a_price_are_refused_under_a_cap() {
        let judged = [
            ("OPENAI_API_KEY", "k"),
            ("OPENAI_TRIAGE_MODEL", "m"),
            ("AHA_BUDGET_DAILY_CREDITS", "1"),
            ("OPENAI_TRIAGE_CREDITS_PER_1K_INPUT_TOKENS", "1"),
        ];
        let text = load(&[&judged[..], &[("OPENAI_EMBED_MODEL", "e")]].concat()).unwrap_err().to_string();
        assert!(text.contains("OPENAI_EMBED_CREDITS_PER_1K_INPUT_TOKENS"), "{text}");
        let text = load(&judged).unwrap_err().to_string();
        assert!(!text.contains("EMBED"), "{text}");
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        assert!(load(&[("AHA_TIMEZONE", " ")]).is_ok());
    }
}
