//! Reports in a folder: checks whether one can be written, writes one, reads one, and lists the latest.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use aha_core::files::write_atomically;

use crate::html::page;
use crate::report::{Report, TrendPoint};

/// Writes `benchmark_<timestamp>.json` and `.html` into a folder, which is created if needed. Never overwrites a
/// report.
///
/// # Errors
/// When they cannot be written, or a thousand reports have the same timestamp.
pub fn write(report: &Report, folder: &Path) -> std::io::Result<(PathBuf, PathBuf)> {
    std::fs::create_dir_all(folder)?;
    let mut text = serde_json::to_string_pretty(report).map_err(std::io::Error::other)?;
    text.push('\n');
    let json = new_file(report, folder)?;
    let html = json.with_extension("html");
    let remove = |_: &std::io::Error| {
        let _ = std::fs::remove_file(&json);
    };
    write_atomically(&json, text.as_bytes()).inspect_err(remove)?;
    write_atomically(&html, page(report).as_bytes())?;
    Ok((json, html))
}

/// Creates an empty file for a report, under a name that neither a report nor a page of one has.
fn new_file(report: &Report, folder: &Path) -> std::io::Result<PathBuf> {
    let stamp = report.timestamp.format("%Y%m%dT%H%M%SZ");
    for number in 1..1_000 {
        let suffix = if number == 1 { String::new() } else { format!("_{number}") };
        let json = folder.join(format!("benchmark_{stamp}{suffix}.json"));
        if json.with_extension("html").exists() {
            continue;
        }
        // Another process may take the name at the same time.
        match File::create_new(&json) {
            Ok(_) => return Ok(json),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other("too many benchmarks of one second"))
}

/// Creates a folder if needed, and writes and removes a file in it.
///
/// # Errors
/// When reports cannot be written to it.
pub fn check_writable(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let probe = folder.join(format!(".benchmark_{}.probe", std::process::id()));
    std::fs::write(&probe, "")?;
    std::fs::remove_file(&probe)
}

/// Reads a stored report.
///
/// # Errors
/// A message when the file cannot be read or is not a report.
pub fn load(path: &Path) -> Result<Report, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{} is no report of a benchmark: {error}", path.display()))
}

/// Returns the last benchmarks of a folder, oldest first. Files that are not reports are skipped.
#[must_use]
pub fn trend(folder: &Path, last: usize) -> Vec<TrendPoint> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).filter(|path| is_report(path)).collect();
    paths.sort();
    let mut points: Vec<TrendPoint> = paths
        .iter()
        .filter_map(|path| {
            let report = load(path).ok()?;
            Some(TrendPoint {
                file: path.file_name()?.to_string_lossy().into_owned(),
                timestamp: report.timestamp,
                accuracy: report.summary.accuracy,
                p95_ms: report.summary.latency.p95,
                citation_coverage: report.summary.citations.coverage,
            })
        })
        .collect();
    points.sort_by(|a, b| (a.timestamp, &a.file).cmp(&(b.timestamp, &b.file)));
    points.split_off(points.len().saturating_sub(last))
}

fn is_report(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.starts_with("benchmark_") && path.extension().is_some_and(|extension| extension == "json")
}
