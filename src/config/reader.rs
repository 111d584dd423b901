//! From the raw values of the variables to the settings. What cannot be used is noted as a problem, and the default
//! takes its place, so that all problems are reported at once.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aha_core::clock::Clock;
use aha_core::database_url::DatabaseUrl;
use aha_core::ranking::Ranking;
use aha_core::schedule::Schedule;
use aha_core::settings::{Reader, number, size};
use aha_core::time::Timestamp;
use aha_core::topic::BudgetTier;
use aha_llm::catalogue::{CatalogueProblem, Environment};
use aha_llm::settings::{self, RawSettings};
use aha_net::secret;
use chrono_tz::Tz;

use super::web::WebSettings;
use super::{Config, ConfigError, LogFormat, LogSettings, Raw, RetentionSettings, journal};

/// One unreadable source of five deserves a note at the top of the digest; one of many does not.
const PARTIAL_FROM_PERCENT: u64 = 20;

/// Reads all settings and collects the problems.
#[derive(Debug, Default)]
pub(super) struct SettingsReader {
    pub(super) variables: Reader,
    /// Problems in the file that `AHA_LLM_CONFIG` names.
    pub(super) catalogue_problems: Vec<CatalogueProblem>,
}

impl SettingsReader {
    pub(super) fn read(
        &mut self,
        mut raw: Raw,
        pairs: &[(String, String)],
        environment: &Environment,
    ) -> Result<Config, ConfigError> {
        let mut of_models: RawSettings = envy::from_iter(pairs.iter().cloned())?;
        let Self { variables, catalogue_problems } = self;
        let budget = settings::budget(variables, &mut of_models);
        let mut llm = settings::read(variables, catalogue_problems, &mut of_models, pairs, environment)?;
        settings::check_prices(variables, catalogue_problems, &budget, &mut llm, pairs);
        self.check_prompts(llm.prompts.as_deref());
        self.check_key_files(environment);
        let sources = self.sources(&mut raw);
        self.priced_search(&budget, sources.search.as_ref());
        let fetch = self.fetch(&mut raw);
        let ranking = self.ranking(raw.aha_rank_weights, raw.aha_noise_limit);
        let web = WebSettings::read(&mut self.variables, envy::from_iter(pairs.iter().cloned())?);
        let log = self.log(raw.aha_log, raw.aha_log_format);
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
                SocketAddr::from(([127, 0, 0, 1], 8080)),
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

    /// Several tasks read the general settings of models, and each reports the same problem.
    pub(super) fn without_repetitions(&mut self) {
        let all = std::mem::take(&mut self.variables.problems);
        for problem in all {
            if !self.variables.problems.contains(&problem) {
                self.variables.problems.push(problem);
            }
        }
    }

    /// A folder that does not exist holds no prompt, so that the built-in ones would be used without a word.
    fn check_prompts(&mut self, folder: Option<&Path>) {
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let (expected, example) = ("the path of a folder with prompts that exists", "/etc/aha-radar/prompts");
            self.variables.problem("AHA_PROMPTS", Some(folder.display().to_string()), expected, example);
        }
    }

    /// A catalogue reads the files of the keys of its own models, and reports their problems itself.
    fn check_key_files(&mut self, environment: &Environment) {
        for name in ["ANTHROPIC_API_KEY", "GEMINI_API_KEY"] {
            let variable = format!("{name}_FILE");
            if environment.referred().contains(&variable) {
                continue;
            }
            let set = |name: &str| environment.get(name).map(str::to_owned);
            secret::of(&mut self.variables, name, set(name), set(&variable));
        }
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
        let expected = "a cron expression of five fields for a date that exists, or an interval of 15 minutes to 30 days \
                        (every 30m, every 6h, every 2d)";
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
    use super::is_filter;

    #[test]
    fn an_invalid_log_level_is_refused() {
        assert!(["info", "off", "warn,aha_radar=debug", "aha_radar[run]=trace"].into_iter().all(is_filter));
        assert!(!["verbos", "info,verbose", "aha_radar"].into_iter().any(is_filter));
    }
}
