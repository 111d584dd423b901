//! Every setting, read once from the environment (and `.env`) through envy.
//!
//! All that is wrong is said at once, each with the variable, what it wants and an example. Sources and topics are no
//! settings: they live in the database, and a topic's own values beat these. Models may also stand in a file that a
//! setting names: see [`catalogue`].

pub mod catalogue;
mod embed;
mod openai;
mod place;
mod reader;
mod secret;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use chrono_tz::Tz;
use secrecy::SecretString;
use serde::Deserialize;
use thiserror::Error;

use catalogue::Environment;
pub use catalogue::{Catalogue, CatalogueEntry, CatalogueProblem};
pub use embed::{EmbedLimits, EmbedModel, EmbedSettings};
pub use openai::{Effort, OpenAiSettings, TaskSettings};
pub use place::{is_own, without_secrets};
pub use reader::Problem;
use reader::{Reader, number, size};

use crate::clock::Clock;
use crate::domain::budget::{BudgetPolicy, Caps};
use crate::domain::database_url::DatabaseUrl;
use crate::domain::money::MicroCredits;
use crate::domain::ranking::Ranking;
use crate::domain::schedule::Schedule;
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::domain::topic::BudgetTier;
use crate::sources::fetch::Allowed;
use crate::sources::{RedditKey, Sites};

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
    /// A topic without a successful run for so long is said to be overdue.
    pub alert_after: Option<Duration>,
    pub log: LogSettings,
    pub output_dir: PathBuf,
    pub retention: RetentionSettings,
    /// How the terms of a score weigh (`AHA_RANK_WEIGHTS`, `AHA_NOISE_LIMIT`).
    pub ranking: Ranking,
    pub clock: Clock,
}

/// What may be spent (`AHA_BUDGET_*`).
#[derive(Debug, Clone, Copy, Default)]
pub struct BudgetSettings {
    pub caps: Caps,
    pub policy: BudgetPolicy,
}

/// How models are asked (`OPENAI_*`, `AHA_LLM_*`).
#[derive(Debug, Clone)]
pub struct LlmSettings {
    /// Serves the tasks for which the catalogue names no model; where there is neither, `local` does.
    pub openai: Option<OpenAiSettings>,
    /// The models of the file that `AHA_LLM_CONFIG` names.
    pub catalogue: Option<Catalogue>,
    pub egress: Egress,
    /// How each task is asked, whoever is asked: its limits and how much to think.
    pub tasks: BTreeMap<Task, TaskSettings>,
    /// Makes the vectors of texts where the catalogue names no model for them; where there is neither, texts are compared by their words.
    pub embed: Option<EmbedSettings>,
    pub embed_limits: EmbedLimits,
    /// What is set without effect, for `doctor` and the start of a run.
    pub notes: Vec<String>,
    /// Stories in one triage call, 1–50.
    pub triage_batch_size: usize,
    /// Calls under way at a time, 1–256.
    pub concurrency: usize,
    /// In which language summaries are written: a name or a tag; empty for that of the text.
    pub language: String,
    /// A folder with the owner's own prompts, laid out like `prompts/`.
    pub prompts: Option<PathBuf>,
}

impl LlmSettings {
    /// Characters of one story's text that a model of the task is sent; `None` where none is configured.
    #[must_use]
    pub fn max_input_chars(&self, task: Task) -> Option<usize> {
        let of_catalogue = self.catalogue.as_ref().filter(|catalogue| catalogue.serves(task)).map(|_| &self.tasks);
        let tasks = of_catalogue.or_else(|| self.openai.as_ref().map(|openai| &openai.tasks))?;
        tasks.get(&task).map(|settings| settings.max_input_chars)
    }

    /// Whether any model but `local` is configured for a task.
    #[must_use]
    pub fn has_models(&self) -> bool {
        self.openai.is_some() || self.catalogue.as_ref().is_some_and(|catalogue| !catalogue.tasks.is_empty())
    }

    /// Whether any model is configured for vectors, and any are wanted.
    #[must_use]
    pub fn has_vectors(&self) -> bool {
        let of_catalogue = self.catalogue.as_ref().is_some_and(|catalogue| catalogue.embed.is_some());
        self.embed_limits.max_items_per_run > 0 && (of_catalogue || self.embed.is_some())
    }
}

/// Where models may be (`AHA_EGRESS`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Egress {
    #[default]
    Any,
    /// On this machine or a private network alone.
    Local,
}

impl FromStr for Egress {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "any" => Ok(Self::Any),
            "local" => Ok(Self::Local),
            _ => Err(()),
        }
    }
}

/// Days after which rows are removed (`AHA_RETAIN_*_DAYS`); `None` keeps them for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionSettings {
    pub items_days: Option<i64>,
    pub digests_days: Option<i64>,
    pub fetches_days: Option<i64>,
    pub calls_days: Option<i64>,
}

/// How sources are asked (`AHA_FETCH_*`).
#[derive(Debug, Clone)]
pub struct FetchSettings {
    /// Hosts and networks excepted from the address rules.
    pub allow: Vec<Allowed>,
    /// Between two requests to one host.
    pub host_gap: Duration,
    /// Sources asked at a time.
    pub concurrency: usize,
    /// The proxy that sources are asked through; its address may hold a password.
    pub proxy: Option<SecretString>,
    /// Trusted besides the usual ones.
    pub certificates: Vec<reqwest::Certificate>,
}

/// Sites with connectors of their own (`AHA_SITES`, `REDDIT_*`).
#[derive(Debug, Clone, Default)]
pub struct SourceSettings {
    pub sites: Sites,
    /// Without it Reddit's public listings are read.
    pub reddit: Option<RedditKey>,
}

/// What is logged, and how (`AHA_LOG*`).
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

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("{}", list(.0, .1))]
    Problems(Vec<Problem>, Vec<CatalogueProblem>),
    #[error("the environment cannot be read: {0}; a variable of ours must be valid UTF-8")]
    Unreadable(#[from] envy::Error),
    #[error("the file .env cannot be read: {0}; each line is NAME=value, with quotes around a value with spaces")]
    DotEnv(#[from] dotenvy::Error),
}

fn list(problems: &[Problem], of_catalogue: &[CatalogueProblem]) -> String {
    let problems = problems.iter().map(Problem::to_string);
    problems.chain(of_catalogue.iter().map(CatalogueProblem::to_string)).collect::<Vec<_>>().join("\n")
}

/// Settings whose names other programs share.
const SHARED: [&str; 9] = [
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

/// The variables as they stand; every one is optional.
#[derive(Debug, Default, Deserialize)]
struct Raw {
    database_url: Option<String>,
    aha_schedule: Option<String>,
    aha_timezone: Option<String>,
    aha_budget_tier: Option<String>,
    aha_budget_run_credits: Option<String>,
    aha_budget_daily_credits: Option<String>,
    aha_budget_monthly_credits: Option<String>,
    aha_budget_policy: Option<String>,
    ollama_base_url: Option<String>,
    aha_egress: Option<String>,
    aha_llm_config: Option<String>,
    aha_llm_concurrency: Option<String>,
    aha_llm_timeout_seconds: Option<String>,
    aha_language: Option<String>,
    aha_prompts: Option<String>,
    aha_triage_batch_size: Option<String>,
    aha_fetch_allow: Option<String>,
    aha_fetch_host_gap_ms: Option<String>,
    aha_fetch_concurrency: Option<String>,
    aha_fetch_proxy: Option<String>,
    aha_fetch_ca_file: Option<String>,
    aha_alert_hours: Option<String>,
    aha_sites: Option<String>,
    reddit_client_id: Option<String>,
    reddit_client_secret: Option<String>,
    reddit_client_secret_file: Option<String>,
    aha_listen: Option<String>,
    aha_log: Option<String>,
    aha_log_format: Option<String>,
    aha_output_dir: Option<String>,
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
        match dotenvy::dotenv() {
            Ok(_) => {}
            Err(error) if error.not_found() => {}
            Err(error) => return Err(error.into()),
        }
        Self::from_pairs(std::env::vars())
    }

    /// # Errors
    /// All unusable variables at once.
    pub fn from_pairs(pairs: impl Iterator<Item = (String, String)>) -> Result<Self, ConfigError> {
        let is_ours = |name: &str| name.starts_with("AHA_") || name.starts_with("OPENAI_") || SHARED.contains(&name);
        let all: Vec<(String, String)> = pairs.filter(|(_, value)| !value.trim().is_empty()).collect();
        let ours: Vec<(String, String)> = all.iter().filter(|(name, _)| is_ours(name)).cloned().collect();
        let raw: Raw = envy::from_iter(ours.iter().cloned())?;
        let mut reader = Reader::default();
        let config = reader.read(raw, &ours, &Environment::of(&all))?;
        if reader.problems.is_empty() && reader.of_catalogue.is_empty() {
            return Ok(config);
        }
        Err(ConfigError::Problems(reader.problems, reader.of_catalogue))
    }
}

impl Reader {
    fn read(
        &mut self,
        mut raw: Raw,
        pairs: &[(String, String)],
        environment: &Environment,
    ) -> Result<Config, ConfigError> {
        let budget = self.budget(&mut raw);
        let mut llm = self.llm(&mut raw, pairs, environment)?;
        self.priced(&budget, &mut llm);
        let sources = self.sources(&mut raw);
        let fetch = self.fetch(&mut raw);
        let ranking = self.ranking(raw.aha_rank_weights, raw.aha_noise_limit);
        let log = self.log(raw.aha_log, raw.aha_log_format);
        let loopback = SocketAddr::from(([127, 0, 0, 1], 8080));
        Ok(Config {
            database_url: DatabaseUrl::new(raw.database_url.unwrap_or_else(|| "sqlite://aha-radar.db".to_owned())),
            schedule: self.schedule(raw.aha_schedule),
            timezone: self.or(raw.aha_timezone, ("AHA_TIMEZONE", "an IANA time zone", "Europe/Berlin"), Tz::UTC, |t| {
                t.parse().ok()
            }),
            budget_tier: self.or(
                raw.aha_budget_tier,
                ("AHA_BUDGET_TIER", "low, normal or high", "normal"),
                BudgetTier::Normal,
                |text| text.parse().ok(),
            ),
            budget,
            llm,
            fetch,
            sources,
            listen: self.or(
                raw.aha_listen,
                ("AHA_LISTEN", "an address and port", "127.0.0.1:8080"),
                loopback,
                |text| text.parse().ok(),
            ),
            alert_after: self.alert(raw.aha_alert_hours),
            log,
            retention: RetentionSettings {
                items_days: self.days(raw.aha_retain_items_days, "AHA_RETAIN_ITEMS_DAYS", 60, 400),
                digests_days: self.days(raw.aha_retain_digests_days, "AHA_RETAIN_DIGESTS_DAYS", 7, 0),
                fetches_days: self.days(raw.aha_retain_fetches_days, "AHA_RETAIN_FETCHES_DAYS", 7, 90),
                calls_days: self.days(raw.aha_retain_calls_days, "AHA_RETAIN_CALLS_DAYS", 62, 400),
            },
            ranking,
            output_dir: raw.aha_output_dir.map_or_else(|| PathBuf::from("digests"), PathBuf::from),
            clock: self.or(
                raw.aha_now,
                ("AHA_NOW", "an RFC 3339 time", "2026-11-19T07:00:00Z"),
                Clock::system(),
                |text| Timestamp::parse_rfc3339(text).ok().map(Clock::pinned),
            ),
        })
    }

    fn budget(&mut self, raw: &mut Raw) -> BudgetSettings {
        let mut cap = |text: &mut Option<String>, name| {
            self.maybe(text.take(), (name, "credits, of at most six decimals", "2.5"), MicroCredits::parse_credits)
        };
        let caps = Caps {
            run: cap(&mut raw.aha_budget_run_credits, "AHA_BUDGET_RUN_CREDITS"),
            day: cap(&mut raw.aha_budget_daily_credits, "AHA_BUDGET_DAILY_CREDITS"),
            month: cap(&mut raw.aha_budget_monthly_credits, "AHA_BUDGET_MONTHLY_CREDITS"),
        };
        let wants = ("AHA_BUDGET_POLICY", "warn, fallback_low or stop", "warn");
        let policy = self.or(raw.aha_budget_policy.take(), wants, BudgetPolicy::default(), |text| text.parse().ok());
        BudgetSettings { caps, policy }
    }

    fn llm(
        &mut self,
        raw: &mut Raw,
        pairs: &[(String, String)],
        environment: &Environment,
    ) -> Result<LlmSettings, ConfigError> {
        let seconds = ("AHA_LLM_TIMEOUT_SECONDS", "seconds from 1 to 3600", "120");
        let timeout = self.maybe(raw.aha_llm_timeout_seconds.take(), seconds, number(1, 3600));
        let is_alone = raw.aha_llm_config.is_none();
        let openai::Section { openai, tasks, embed, embed_limits, notes } =
            openai::read(pairs, timeout, is_alone, self)?;
        let base = ("OLLAMA_BASE_URL", "the http(s) URL of an Ollama server", "http://127.0.0.1:11434");
        let _ = self.maybe(raw.ollama_base_url.take(), base, place::http_url);
        let egress = ("AHA_EGRESS", "any or local", "local");
        let stories = ("AHA_TRIAGE_BATCH_SIZE", "a number of stories from 1 to 50", "10");
        let calls = ("AHA_LLM_CONCURRENCY", "a number of calls from 1 to 256", "4");
        let language = ("AHA_LANGUAGE", "the name or tag of a language", "German");
        Ok(LlmSettings {
            openai,
            catalogue: raw.aha_llm_config.take().and_then(|path| self.catalogue(path.trim(), environment, timeout)),
            egress: self.or(raw.aha_egress.take(), egress, Egress::default(), |text| text.parse().ok()),
            tasks,
            embed,
            embed_limits,
            notes,
            triage_batch_size: size(self.or(raw.aha_triage_batch_size.take(), stories, 10, number(1, 50))),
            concurrency: size(self.or(raw.aha_llm_concurrency.take(), calls, 4, number(1, 256))),
            language: self.or(raw.aha_language.take(), language, String::new(), |text| {
                let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '(' | ')');
                (text.chars().count() <= 40 && text.chars().all(plain)).then(|| text.to_owned())
            }),
            prompts: raw.aha_prompts.take().map(PathBuf::from),
        })
    }

    fn catalogue(&mut self, path: &str, environment: &Environment, timeout: Option<u64>) -> Option<Catalogue> {
        let read = Catalogue::load(Path::new(path), environment, timeout);
        read.map_err(|problems| self.of_catalogue.extend(problems)).ok()
    }

    /// A cap that cannot bite, because a price is not known, is no cap.
    fn priced(&mut self, budget: &BudgetSettings, llm: &mut LlmSettings) {
        if !budget.caps.is_set() {
            return;
        }
        self.of_catalogue.extend(llm.catalogue.iter().flat_map(Catalogue::unpriced));
        let wants = "credits for 1,000 tokens (0 for a server of your own), because a budget is set";
        let tasks = llm.openai.iter().flat_map(|openai| openai.tasks.values());
        if tasks.into_iter().any(|settings| settings.price.is_none()) {
            self.problem("OPENAI_CREDITS_PER_1K_INPUT_TOKENS and _OUTPUT_TOKENS", None, wants, "0.00025");
        }
        if let Some(embed) = llm.embed.take_if(|embed| embed.price.is_none())
            && embed.is_wanted()
        {
            self.problem("OPENAI_EMBED_CREDITS_PER_1K_INPUT_TOKENS", None, wants, "0.00002");
        }
    }

    fn ranking(&mut self, weights: Option<String>, limit: Option<String>) -> Ranking {
        let wants = "weights as NAME=NUMBER, separated by commas, with the names and ranges of .env.example";
        let mut ranking =
            self.or(weights, ("AHA_RANK_WEIGHTS", wants, "ai=0.7,novelty=0.15"), Ranking::default(), |t| {
                Ranking::parse(t).ok()
            });
        let limits = ("AHA_NOISE_LIMIT", "a number from 0.5 to 1", "0.98");
        if let Some(limit) = self.maybe(limit, limits, |t| t.parse().ok().filter(|limit| (0.5..=1.0).contains(limit))) {
            ranking.noise_limit = limit;
        }
        ranking
    }

    fn schedule(&mut self, text: Option<String>) -> Schedule {
        let wants = "a cron expression of five fields or an interval (every 30m, every 6h, every 2d)";
        self.or(text, ("AHA_SCHEDULE", wants, "0 7 * * *"), Schedule::daily_at_seven(), |t| Schedule::parse(t).ok())
    }

    fn fetch(&mut self, raw: &mut Raw) -> FetchSettings {
        let (allow, gap) = (raw.aha_fetch_allow.take(), raw.aha_fetch_host_gap_ms.take());
        let hosts = "host names, addresses or networks, separated by commas";
        let allow =
            self.or(allow, ("AHA_FETCH_ALLOW", hosts, "192.168.1.20,10.1.0.0/16,feeds.lan"), Vec::new(), |text| {
                text.split(',').map(str::trim).filter(|t| !t.is_empty()).map(|t| t.parse().ok()).collect()
            });
        let gap =
            self.or(gap, ("AHA_FETCH_HOST_GAP_MS", "milliseconds from 0 to 600000", "1000"), 1000, number(0, 600_000));
        let concurrency = self.or(
            raw.aha_fetch_concurrency.take(),
            ("AHA_FETCH_CONCURRENCY", "a number of sources from 1 to 256", "8"),
            8,
            number(1, 256),
        );
        let bundle = ("AHA_FETCH_CA_FILE", "the path of a PEM file with certificates", "/etc/ssl/company.pem");
        FetchSettings {
            allow,
            host_gap: Duration::from_millis(gap),
            concurrency: size(concurrency),
            proxy: self.proxy(raw.aha_fetch_proxy.take()),
            certificates: self.or(raw.aha_fetch_ca_file.take(), bundle, Vec::new(), |path| {
                let pem = std::fs::read(path).ok()?;
                reqwest::Certificate::from_pem_bundle(&pem).ok().filter(|found| !found.is_empty())
            }),
        }
    }

    /// Not shown when it cannot be used: it may hold a password.
    fn proxy(&mut self, text: Option<String>) -> Option<SecretString> {
        let text = text?.trim().to_owned();
        if place::http_url(&text).is_none() || reqwest::Proxy::all(&text).is_err() {
            let (wants, example) = ("the http(s) URL of a proxy", "http://proxy.example:3128");
            self.problem("AHA_FETCH_PROXY", Some("…".to_owned()), wants, example);
            return None;
        }
        Some(text.into())
    }

    fn alert(&mut self, text: Option<String>) -> Option<Duration> {
        let wants = ("AHA_ALERT_HOURS", "hours from 1 to 8760, or 0 for no alert", "36");
        let hours = self.or(text, wants, 0, number(0, 8760));
        (hours > 0).then(|| Duration::from_hours(hours))
    }

    fn sources(&mut self, raw: &mut Raw) -> SourceSettings {
        let wants = ("AHA_SITES", "NAME=URL pairs, separated by commas", "lobsters=https://lobsters.example");
        let sites = self.or(raw.aha_sites.take(), wants, Sites::default(), |text| text.parse().ok());
        let (given, file) = (raw.reddit_client_secret.take(), raw.reddit_client_secret_file.take());
        let secret = secret::of(self, "REDDIT_CLIENT_SECRET", given, file);
        let id = raw.reddit_client_id.take().map(|id| id.trim().to_owned());
        if id.is_some() != secret.is_some() && self.problems.is_empty() {
            let missing = if id.is_some() { "REDDIT_CLIENT_SECRET" } else { "REDDIT_CLIENT_ID" };
            self.problem(missing, None, "the other half of the key of your application at Reddit", "…");
        }
        SourceSettings { sites, reddit: id.zip(secret).map(|(id, secret)| RedditKey { id, secret }) }
    }

    fn log(&mut self, filter: Option<String>, format: Option<String>) -> LogSettings {
        let filter = self.or(filter, ("AHA_LOG", "a log filter", "info"), None, |text| {
            tracing_subscriber::EnvFilter::try_new(text).ok().map(|_| Some(text.to_owned()))
        });
        let format = self.or(format, ("AHA_LOG_FORMAT", "text or json", "text"), LogFormat::Text, |text| match text {
            "text" => Some(LogFormat::Text),
            "json" => Some(LogFormat::Json),
            _ => None,
        });
        LogSettings { filter, format }
    }

    /// A number of days from `least` on; 0 for ever.
    fn days(&mut self, text: Option<String>, variable: &str, least: u64, default: u64) -> Option<i64> {
        let wants =
            "0 to keep all, or a number of days (items 60 or more, digests and fetches 7, calls 62) up to 36500";
        let days = self.or(text, (variable, wants, "400"), default, |text| {
            text.parse().ok().filter(|days| *days == 0 || (least..=36_500).contains(days))
        });
        i64::try_from(days).ok().filter(|days| *days > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn everything_wrong_is_said_at_once_with_variable_shape_and_example() {
        let text = load(&[("AHA_TRIAGE_BATCH_SIZE", "99"), ("AHA_TIMEZONE", "Berlin"), ("AHA_NOW", "soon")])
            .unwrap_err()
            .to_string();
        for part in ["AHA_TRIAGE_BATCH_SIZE=\"99\"", "1 to 50", "AHA_TIMEZONE=\"Berlin\"", "Europe/Berlin", "AHA_NOW"] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }

    #[test]
    fn vectors_without_a_price_are_refused_under_a_cap_if_they_were_asked_for() {
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
