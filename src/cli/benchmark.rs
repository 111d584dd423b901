//! `aha-radar benchmark`: measures an answering API, ours or another. It needs no database.

use std::env::var;
use std::time::Duration;

use aha_benchmark::ground_truth::GroundTruth;
use aha_benchmark::manifest::Manifest;
use aha_benchmark::matching::Thresholds;
use aha_benchmark::report::QuestionResult;
use aha_benchmark::table::table;
use aha_benchmark::{Settings, files, run as measure};
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
    let truth = GroundTruth::load(path).map_err(|error| UsageError(format!("{}:\n{error}", path.display())))?;
    let manifest = match &arguments.manifest {
        Some(path) => {
            let loaded = Manifest::load(path);
            Some(loaded.map_err(|error| UsageError(format!("{}:\n{error}", path.display())))?)
        }
        None => None,
    };
    if arguments.validate_only {
        output::print(&format!("{}: {} questions, no mistake", path.display(), truth.questions.len()))?;
        return Ok(Exit::Ok);
    }
    let settings = settings(config, &arguments)?;
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

fn settings(config: &Config, arguments: &BenchmarkArguments) -> Result<Settings, UsageError> {
    let set = |name: &str| var(name).ok().filter(|value| !value.trim().is_empty());
    let url = || set("BENCHMARK_API_URL").unwrap_or_else(|| "http://localhost:8080".to_owned()).parse::<Url>();
    let api_url = match &arguments.api_url {
        Some(url) => url.clone(),
        None => url().map_err(|error| UsageError(format!("BENCHMARK_API_URL expects a URL: {error}")))?,
    };
    if !matches!(api_url.scheme(), "http" | "https") {
        return Err(UsageError("the API's URL must begin with http:// or https://".to_owned()));
    }
    let number = |given: Option<f64>, name: &str, default: f64| match (given, set(name)) {
        (Some(given), _) => Ok(given),
        (None, Some(text)) => text.trim().parse().map_err(|_| UsageError(format!("{name} expects a number"))),
        (None, None) => Ok(default),
    };
    let seconds = number(arguments.timeout, "BENCHMARK_TIMEOUT", 5.0)?;
    let timeout = Duration::try_from_secs_f64(seconds).ok().filter(|timeout| !timeout.is_zero());
    let similarity = number(arguments.threshold, "BENCHMARK_THRESHOLD", Thresholds::default().similarity)?;
    if !(0.0..=1.0).contains(&similarity) {
        return Err(UsageError("the threshold expects a number from 0 to 1".to_owned()));
    }
    let now = DateTime::from_timestamp_millis(config.clock.now().as_millis()).unwrap_or_default();
    Ok(Settings {
        api_url,
        token: set("BENCHMARK_API_TOKEN").map(SecretString::from),
        timeout: timeout.ok_or_else(|| UsageError("the timeout expects more than 0 seconds".to_owned()))?,
        thresholds: Thresholds { similarity, ..Thresholds::default() },
        concurrency: arguments.concurrency.max(1),
        ground_truth: arguments.ground_truth.display().to_string(),
        baseline: arguments.baseline.clone(),
        trend: arguments.compare.map(|last| (arguments.results_dir.clone(), last)),
        now,
    })
}
