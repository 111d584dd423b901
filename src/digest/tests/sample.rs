//! Two sample digests: one with every element, hostile text included, and one of a quiet day.

use aha_core::digest::{
    Cost, Digest, DigestHead, DigestStatus, DigestStory, Label, ScoreDebug, Section, Since, Skipped, SourceReport,
    StoryCost, StorySource,
};
use aha_core::ids::{ClusterId, DigestId, DigestItemId, ItemId, RunId, SourceId};
use aha_core::run::RunMode;
use aha_core::summary::Summary;
use aha_core::time::Timestamp;

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

pub(crate) fn source(name: &str) -> StorySource {
    StorySource {
        item_id: ItemId::of(&[name]),
        name: name.to_owned(),
        url: Some(format!("https://{}.example/post", name.to_lowercase().replace(' ', "-"))),
        title: format!("As {name} tells it"),
        published_at: at("2026-11-18T08:10:00Z"),
        dated: true,
        copy: false,
        late: false,
        also_from: Vec::new(),
    }
}

fn story(rank: usize, section: Section, label: Option<Label>, title: &str, score: Option<u8>) -> DigestStory {
    DigestStory {
        id: DigestItemId::of(&["sample", &rank.to_string()]),
        rank,
        section,
        label,
        title: title.to_owned(),
        url: Some(format!("https://news.example/{rank}")),
        aha_score: score,
        final_score: f64::from(score.unwrap_or(40)),
        percentile: u8::try_from(100 - rank.min(90) * 4).unwrap_or(0),
        reason: "told by 2 sources; matches 'sqlite'".to_owned(),
        since: None,
        published_at: at("2026-11-18T09:30:00Z"),
        read_before: None,
        author: None,
        teaser: false,
        excerpt: String::new(),
        triage: None,
        summary: None,
        kept_summary: None,
        entities: None,
        sources: vec![source("Planet Rust")],
        discussions: Vec::new(),
        cluster_id: ClusterId::of(&["sample", &rank.to_string()]),
        state: if score.is_some() { "judged" } else { "failed" }.to_owned(),
        cost: StoryCost::default(),
        score_debug: ScoreDebug::default(),
    }
}

fn summary() -> Summary {
    Summary {
        schema_version: "deep_summary_v1".to_owned(),
        prompt_id: "deep_summary_v1".to_owned(),
        provider: "local".to_owned(),
        model: "local".to_owned(),
        one_liner:
            "“The new planner looks at whole joins at once, and picks a better order for one query in five.” — LWN"
                .to_owned(),
        bullets: vec![
            "“Old databases are read without conversion.” — Planet Rust".to_owned(),
            "“Benchmarks follow next week.” — The Daily Compiler".to_owned(),
        ],
        why_it_matters: vec!["Matches your interests: sqlite, query planners.".to_owned()],
        risks_or_caveats: vec!["The numbers come from the project itself.".to_owned()],
        suggested_followups: vec!["Read the release notes.".to_owned()],
    }
}

fn well_told() -> DigestStory {
    let mut daily = source("The Daily Compiler");
    daily.published_at = at("2026-11-18T11:00:00Z");
    daily.also_from = vec!["Lobsters".to_owned(), "Hacker News".to_owned()];
    let mut mirror = source("Mirror of LWN");
    mirror.copy = true;
    let mut undated = source("Small Notes");
    undated.dated = false;
    DigestStory {
        reason: "told by 4 sources in 3 hours; matches 'sqlite'; first post of Small Notes in 41 days".to_owned(),
        author: Some("Ada Example".to_owned()),
        summary: Some(summary()),
        sources: vec![source("LWN"), source("Planet Rust"), daily, mirror, undated],
        discussions: vec!["https://news.ycombinator.com/item?id=1&x=2".to_owned()],
        ..story(
            1,
            Section::Top,
            Some(Label::ToldBySeveral),
            "SQLite replaces its query planner after twenty years",
            Some(87),
        )
    }
}

fn returning() -> DigestStory {
    DigestStory {
        since: Some(Since {
            delivered_at: at("2026-11-14T06:00:00Z"),
            sources_before: 1,
            new_sources: vec!["LWN".to_owned(), "Heise".to_owned()],
        }),
        excerpt: "The harbour pilots went on strike on Saturday; by Tuesday forty ships lay at anchor.".to_owned(),
        sources: vec![source("LWN"), source("Heise")],
        ..story(2, Section::Top, Some(Label::YourWords), "Harbour strike: forty ships wait", Some(64))
    }
}

fn hostile() -> DigestStory {
    let evil =
        "<script>alert('x')</script> \u{1b}[31mred\u{1b}[0m ](http://evil.example) **bold** \u{202e}txt.exe & `code`";
    let mut told = source(evil);
    told.url = Some("javascript:alert(1)".to_owned());
    told.title = evil.to_owned();
    DigestStory {
        url: Some("javascript:alert(document.cookie)//`".to_owned()),
        author: Some(evil.to_owned()),
        reason: evil.to_owned(),
        excerpt: format!("{evil}\n# not a heading\u{7}"),
        teaser: true,
        sources: vec![told],
        discussions: vec!["data:text/html,<script>".to_owned()],
        ..story(3, Section::Top, None, evil, None)
    }
}

fn scan() -> Vec<DigestStory> {
    let long = "A title that goes on and on, past every edge, for the author of it could not decide what to leave out";
    let mut untitled = story(6, Section::Scan, Some(Label::RareVoices), "(No title)", Some(33));
    "(No title)".clone_into(&mut untitled.sources[0].title);
    "Tide tables for the winter are out.".clone_into(&mut untitled.excerpt);
    let mut unjudged = story(7, Section::Scan, None, "日本語の題名はここに", None);
    "skipped_budget".clone_into(&mut unjudged.state);
    unjudged.sources = vec![source("Heise")];
    let mut long = story(4, Section::Scan, Some(Label::RareVoices), long, Some(58));
    long.sources = vec![source("Small Notes"), source("LWN")];
    vec![long, story(5, Section::Scan, None, "Rust 1.99 is out", Some(51)), untitled, unjudged]
}

fn report(name: &str, status: &str, error: Option<&str>) -> SourceReport {
    SourceReport {
        id: SourceId::of(&[name]),
        name: name.to_owned(),
        url: format!("https://{name}.example/feed"),
        items: 9,
        late: 0,
        shown: 1,
        status: status.parse().unwrap(),
        error: error.map(str::to_owned),
    }
}

fn head(status: DigestStatus, items: usize) -> DigestHead {
    DigestHead {
        id: DigestId::of(&["sample"]),
        run_id: RunId::of(&["sample"]),
        topic: "default".to_owned(),
        mode: RunMode::Cursor,
        window_start: at("2026-11-18T06:00:00Z"),
        window_end: at("2026-11-19T06:00:00Z"),
        timezone: "Europe/Berlin".to_owned(),
        status,
        items,
        sources: if items == 0 { 0 } else { 15 },
        reading_minutes: if items == 0 { 0 } else { 4 },
    }
}

/// Three top stories, four to scan, two sources that could not be read.
pub(crate) fn full() -> Digest {
    let mut stories = vec![well_told(), returning(), hostile()];
    stories.extend(scan());
    Digest {
        head: head(DigestStatus::Partial, 218),
        stories,
        sources: vec![
            report("LWN", "ok", None),
            report(
                "Old\u{1b}[5m Forge",
                "timeout",
                Some("no first byte within 30 s;\nit will be asked again next time"),
            ),
            report("Busy_Blog", "waiting", None),
        ],
        skipped: Skipped {
            folded: 112,
            muted: 20,
            already_delivered: 31,
            ranked_lower: 48,
            below_minimum: 0,
            not_considered: 0,
        },
        cost: Cost::default(),
    }
}

pub(crate) fn quiet() -> Digest {
    Digest {
        head: head(DigestStatus::Quiet, 0),
        stories: Vec::new(),
        sources: vec![report("LWN", "ok", None)],
        skipped: Skipped::default(),
        cost: Cost::default(),
    }
}
