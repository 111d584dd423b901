//! All settings, read once from the environment (and `.env`) through envy.
//!
//! All problems are reported at once, each with the variable, the expected value and an example. Sources and topics are
//! not settings: they are rows of the database, and a topic's own values override these settings. Models may also be
//! defined in a file that a setting names: see [`catalogue`].

mod error;
mod journal;
mod names;
mod signal;
mod sources;
mod web;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use aha_core::settings::{Reader, number, size};
use aha_llm::catalogue::{CatalogueProblem, Environment};
use aha_llm::settings::{self, BudgetSettings, LlmSettings, RawSettings};
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
use aha_core::time::Timestamp;
use aha_core::topic::BudgetTier;

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

/// One unreadable source of five deserves a note at the top of the digest; one of many does not.
const PARTIAL_FROM_PERCENT: u64 = 20;

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
    /// Reads `.env` (which never overrides the environment) and the environment.
    ///
    /// # Errors
    /// All unusable variables at once.
    pub fn load() -> Result<Self, ConfigError> {
        let dot_env = match dotenvy::dotenv() {
            Ok(path) => Some(path),
            Err(error) if error.not_found() => None,
            Err(dotenvy::Error::LineParse(..)) => return Err(ConfigError::DotEnvLine { after: last_readable() }),
            Err(error) => return Err(ConfigError::DotEnv(error)),
        };
        let pairs = environment(std::env::vars_os())?;
        Ok(Self { dot_env, ..Self::from_pairs(pairs.into_iter())? })
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

/// Returns the last variable of `.env` before the line that cannot be read.
fn last_readable() -> Option<String> {
    dotenvy::dotenv_iter().ok()?.map_while(Result::ok).last().map(|(name, _)| name)
}

/// Reads all settings and collects the problems.
#[derive(Debug, Default)]
struct SettingsReader {
    variables: Reader,
    /// Problems in the file that `AHA_LLM_CONFIG` names.
    catalogue_problems: Vec<CatalogueProblem>,
}

impl SettingsReader {
    fn read(
        &mut self,
        mut raw: Raw,
        pairs: &[(String, String)],
        environment: &Environment,
    ) -> Result<Config, ConfigError> {
        let mut of_models: RawSettings = envy::from_iter(pairs.iter().cloned())?;
        let Self { variables, catalogue_problems } = self;
        let budget = settings::budget(variables, &mut of_models);
        let mut llm = settings::read(variables, catalogue_problems, &mut of_models, pairs, environment)?;
        settings::check_prices(variables, catalogue_problems, &budget, &mut llm);
        let sources = self.sources(&mut raw);
        self.priced_search(&budget, sources.search.as_ref());
        let fetch = self.fetch(&mut raw);
        let ranking = self.ranking(raw.aha_rank_weights, raw.aha_noise_limit);
        let web = WebSettings::read(&mut self.variables, envy::from_iter(pairs.iter().cloned())?);
        let log = self.log(raw.aha_log, raw.aha_log_format);
        let loopback = SocketAddr::from(([127, 0, 0, 1], 8080));
        Ok(Config {
            database_url: DatabaseUrl::new(raw.database_url.unwrap_or_else(|| "sqlite://aha-radar.db".to_owned())),
            schedule: self.schedule(raw.aha_schedule),
            timezone: self.variables.or(
                raw.aha_timezone,
                ("AHA_TIMEZONE", "an IANA time zone", "Europe/Berlin"),
                Tz::UTC,
                |t| t.parse().ok(),
            ),
            budget_tier: self.variables.or(
                raw.aha_budget_tier,
                ("AHA_BUDGET_TIER", "low, normal or high", "normal"),
                BudgetTier::Normal,
                |text| text.parse().ok(),
            ),
            budget,
            llm,
            fetch,
            sources,
            listen: self.variables.or(
                raw.aha_listen,
                ("AHA_LISTEN", "an address and port", "127.0.0.1:8080"),
                loopback,
                |text| text.parse().ok(),
            ),
            web,
            partial_from_percent: self.partial_from(raw.aha_partial_from),
            alert_after: self.alert(raw.aha_alert_hours),
            log,
            retention: RetentionSettings {
                items_days: self.days(raw.aha_retain_items_days, "AHA_RETAIN_ITEMS_DAYS", 60, 400),
                digests_days: self.days(raw.aha_retain_digests_days, "AHA_RETAIN_DIGESTS_DAYS", 7, 0),
                fetches_days: self.days(raw.aha_retain_fetches_days, "AHA_RETAIN_FETCHES_DAYS", 7, 90),
                calls_days: self.days(raw.aha_retain_calls_days, "AHA_RETAIN_CALLS_DAYS", 62, 400),
            },
            ranking,
            journal: journal::read(raw.aha_journal_graph, raw.aha_journal_state, environment),
            output_dir: raw.aha_output_dir.map_or_else(|| PathBuf::from("digests"), PathBuf::from),
            clock: self.variables.or(
                raw.aha_now,
                ("AHA_NOW", "an RFC 3339 time", "2026-11-19T07:00:00Z"),
                Clock::system(),
                |text| Timestamp::parse_rfc3339(text).ok().map(Clock::pinned),
            ),
            unknown: Vec::new(),
            dot_env: None,
        })
    }

    fn ranking(&mut self, weights: Option<String>, limit: Option<String>) -> Ranking {
        let expected = "weights as NAME=NUMBER, separated by commas, with the names and ranges of .env.example";
        let mut ranking = self.variables.or(
            weights,
            ("AHA_RANK_WEIGHTS", expected, "heuristic=6,novelty=3"),
            Ranking::default(),
            |t| Ranking::parse(t).ok(),
        );
        let limits = ("AHA_NOISE_LIMIT", "a number from 0.5 to 1", "0.9");
        if let Some(limit) =
            self.variables.maybe(limit, limits, |t| t.parse().ok().filter(|limit| (0.5..=1.0).contains(limit)))
        {
            ranking.noise_limit = limit;
        }
        ranking
    }

    fn schedule(&mut self, text: Option<String>) -> Schedule {
        let expected = "a cron expression of five fields or an interval (every 30m, every 6h, every 2d)";
        self.variables
            .or(text, ("AHA_SCHEDULE", expected, "0 7 * * *"), Schedule::daily_at_seven(), |t| Schedule::parse(t).ok())
    }

    fn partial_from(&mut self, text: Option<String>) -> usize {
        let expected = ("AHA_PARTIAL_FROM", "percent of a topic's sources from 0 to 100", "20");
        let percent = |text: &str| number(0, 100)(text.trim_end_matches('%').trim_end());
        size(self.variables.or(text, expected, PARTIAL_FROM_PERCENT, percent))
    }

    fn alert(&mut self, text: Option<String>) -> Option<Duration> {
        let expected = ("AHA_ALERT_HOURS", "hours from 1 to 8760, or 0 for no alert", "36");
        let hours = self.variables.or(text, expected, 0, number(0, 8760));
        (hours > 0).then(|| Duration::from_hours(hours))
    }

    fn log(&mut self, filter: Option<String>, format: Option<String>) -> LogSettings {
        let expected = "a level (error, warn, info, debug, trace, off) or target=level, separated by commas";
        let filter = self
            .variables
            .or(filter, ("AHA_LOG", expected, "info"), None, |text| is_filter(text).then(|| Some(text.to_owned())));
        let format =
            self.variables.or(format, ("AHA_LOG_FORMAT", "text or json", "text"), LogFormat::Text, |text| match text {
                "text" => Some(LogFormat::Text),
                "json" => Some(LogFormat::Json),
                _ => None,
            });
        LogSettings { filter, format }
    }

    /// Parses a number of days of at least `min`; 0 means for ever.
    fn days(&mut self, text: Option<String>, variable: &str, min: u64, default: u64) -> Option<i64> {
        let expected =
            "0 to keep all, or a number of days (items 60 or more, digests and fetches 7, calls 62) up to 36500";
        let days = self.variables.or(text, (variable, expected, "400"), default, |text| {
            text.parse().ok().filter(|days| *days == 0 || (min..=36_500).contains(days))
        });
        i64::try_from(days).ok().filter(|days| *days > 0)
    }
}

/// A bare word has to be a level: as the name of a target it would silence all other targets.
fn is_filter(text: &str) -> bool {
    let is_level = |word: &str| word.trim().parse::<tracing_subscriber::filter::LevelFilter>().is_ok();
    let words = text.split(',').filter(|word| !word.trim().is_empty());
    tracing_subscriber::EnvFilter::try_new(text).is_ok()
        && words.into_iter().all(|word| word.contains('=') || word.contains('[') || is_level(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_log_level_is_refused() {
        assert!(["info", "off", "warn,aha_radar=debug", "aha_radar[run]=trace"].into_iter().all(is_filter));
        assert!(!["verbos", "info,verbose", "aha_radar"].into_iter().any(is_filter));
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
