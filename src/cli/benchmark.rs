//! `aha-radar benchmark`: measures an answering API, ours or another. It needs no database.

use std::env::var_os;
use std::time::Duration;

use aha_benchmark::ground_truth::GroundTruth;
use aha_benchmark::manifest::Manifest;
use aha_benchmark::matching::Thresholds;
use aha_benchmark::report::QuestionResult;
use aha_benchmark::table::table;
use aha_benchmark::{Settings, files, run as measure};
use aha_core::settings::Reader;
use anyhow::{Result, anyhow};
use chrono::DateTime;
use indicatif::ProgressBar;
use secrecy::SecretString;
use url::Url;

use super::arguments::BenchmarkArguments;
use super::exit::{Exit, UsageError};
use super::output;
use crate::config::Config;

pub(super) async fn run(config: &Config, arguments: BenchmarkArguments) -> Result<Exit> {
    let path = &arguments.ground_truth;
    let truth = GroundTruth::load(path).map_err(|error| UsageError(error.to_string()))?;
    let manifest = arguments.manifest.as_deref().map(Manifest::load).transpose();
    let manifest = manifest.map_err(|error| UsageError(error.to_string()))?;
    let settings = settings(config, &arguments)?;
    if arguments.validate_only {
        output::print(&format!("{}: {} questions, no mistake", path.display(), truth.questions.len()))?;
        return Ok(Exit::Ok);
    }
    let unwritable = |error: std::io::Error| {
        let folder = arguments.results_dir.display();
        format!("the report cannot be written to {folder}: {error}; choose another folder with --results-dir")
    };
    files::check_writable(&arguments.results_dir).map_err(|error| UsageError(unwritable(error)))?;
    let bar = ProgressBar::new(truth.questions.len() as u64);
    let progress = |_: &QuestionResult, _: usize, _: usize| bar.inc(1);
    let stop = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    let report = measure(&settings, &truth, manifest.as_ref(), progress, stop).await?;
    bar.finish_and_clear();
    // Neither is lost if the other one cannot be written.
    let printed = if arguments.json {
        output::print_json(&report)
    } else {
        output::print(&output::one_safe_text(&table(&report)))
    };
    let (json, html) = files::write(&report, &arguments.results_dir).map_err(|error| anyhow!(unwritable(error)))?;
    printed?;
    output::note(&format!("written: {} and {}", json.display(), html.display()));
    Ok(match (report.is_interrupted, report.is_passed()) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Ok,
        (false, false) => Exit::Failed,
    })
}

/// The address of the API if none is given, and an example of one.
const DEFAULT_URL: &str = "http://localhost:8080";
/// By the contract.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads the settings, each from its argument or else from its variable. All problems are reported at once.
fn settings(config: &Config, arguments: &BenchmarkArguments) -> Result<Settings, UsageError> {
    let mut reader = Reader::default();
    let api_url = api_url(&mut reader, arguments.api_url.as_ref());
    let (name, text) = given(arguments.timeout, "--timeout", "BENCHMARK_TIMEOUT");
    let timeout = reader.or(text, (name, "a number of seconds above 0", "5"), DEFAULT_TIMEOUT, timeout_of);
    let (name, text) = given(arguments.threshold, "--threshold", "BENCHMARK_THRESHOLD");
    let usual = Thresholds::default();
    let similarity = reader.or(text, (name, "a number from 0 to 1", "0.8"), usual.similarity, share_of);
    let now = DateTime::from_timestamp_millis(config.clock.now().as_millis()).unwrap_or_default();
    let Some(api_url) = api_url.filter(|_| reader.problems.is_empty()) else {
        let problems: Vec<String> = reader.problems.iter().map(ToString::to_string).collect();
        return Err(UsageError(problems.join("\n")));
    };
    Ok(Settings {
        api_url,
        token: variable("BENCHMARK_API_TOKEN").map(SecretString::from),
        timeout,
        thresholds: Thresholds { similarity, ..usual },
        concurrency: arguments.concurrency.max(1),
        ground_truth: arguments.ground_truth.display().to_string(),
        baseline: arguments.baseline.clone(),
        trend: arguments.compare.map(|last| (arguments.results_dir.clone(), last)),
        now,
    })
}

/// Returns the name and the text of a setting: of the argument if it is given, else of the variable.
fn given(argument: Option<impl ToString>, option: &'static str, name: &'static str) -> (&'static str, Option<String>) {
    match argument {
        Some(value) => (option, Some(value.to_string())),
        None => (name, variable(name)),
    }
}

/// Returns the value of a variable. A blank one counts as unset.
fn variable(name: &str) -> Option<String> {
    let value = var_os(name)?.to_string_lossy().into_owned();
    Some(value).filter(|value| !value.trim().is_empty())
}

/// An address that may contain a password or a key is not shown.
fn api_url(reader: &mut Reader, argument: Option<&Url>) -> Option<Url> {
    let (name, text) = given(argument, "--api-url", "BENCHMARK_API_URL");
    let text = text.unwrap_or_else(|| DEFAULT_URL.to_owned());
    let url = text.trim().parse::<Url>().ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    if url.is_none() {
        let shown = if text.contains(['@', '?']) { "…".to_owned() } else { text };
        reader.problem(name, Some(shown), "an http(s) URL, to which /ask is added", DEFAULT_URL);
    }
    url
}

fn timeout_of(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok().filter(|timeout| !timeout.is_zero())
}

fn share_of(text: &str) -> Option<f64> {
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share))
}
