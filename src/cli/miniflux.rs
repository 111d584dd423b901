//! `aha-radar source import-miniflux`: imports feeds, stars and read marks from Miniflux.

use aha_content::numbers::count;
use anyhow::Result;
use serde::Serialize;

use super::arguments::MinifluxArguments;
use super::exit::Exit;
use super::output;
use crate::config::Config;
use crate::services::database::Absent;
use crate::services::scratch::Scratch;
use crate::services::sources::miniflux::{self, ImportCounts, MinifluxImport, MinifluxImported};

/// What was imported, or would be.
#[derive(Debug, Serialize)]
struct Report {
    dry_run: bool,
    #[serde(flatten)]
    imported: MinifluxImported,
}

pub(super) async fn run(config: Config, arguments: &MinifluxArguments) -> Result<Exit> {
    let reader = miniflux::connect(&config, &arguments.url)?;
    let wanted = MinifluxImport {
        topic: arguments.topic.clone(),
        categories_as_topics: arguments.categories_as_topics,
        stars: arguments.stars.kind(),
        reads: usize::from(arguments.reads),
    };
    let imported = if arguments.dry_run {
        let scratch = Scratch::new()?;
        miniflux::import(&scratch.app(config).await?, &reader, &wanted).await?
    } else {
        miniflux::import(&super::app(config, Absent::Create).await?, &reader, &wanted).await?
    };
    for reason in &imported.left_out {
        output::note(&output::one_safe_text(reason));
    }
    let report = Report { dry_run: arguments.dry_run, imported };
    if arguments.json {
        output::print_json(&report)?;
    } else {
        output::print(&output::one_safe_text(&in_words(&report)))?;
    }
    Ok(if report.imported.left_out.is_empty() { Exit::Ok } else { Exit::Partial })
}

fn in_words(report: &Report) -> String {
    let brought = &report.imported;
    let part = |counts: &ImportCounts, noun: &str| output::added(counts.added, counts.known, noun, &format!("{noun}s"));
    let parts = [part(&brought.sources, "source"), part(&brought.stars, "star"), part(&brought.reads, "read mark")];
    let would = if report.dry_run { "would import (nothing is stored): " } else { "" };
    let left_out = match brought.left_out.len() {
        0 => String::new(),
        n => format!("; {} left out", count(n, "feed", "feeds")),
    };
    format!("{would}{}{left_out}\ntopics: {}", parts.join("; "), brought.topics.join(", "))
}
