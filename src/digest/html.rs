//! The digest as one self-contained HTML page: no script, no external resource (`templates/digest.html`).
//!
//! Input: a digest. Output: HTML; askama escapes every value. Called by `digest::render`.

use aha_content::numbers::count;
use aha_core::digest::Digest;
use askama::Template;

use super::files::plot_name;
use super::header::{is_quiet, reasons};
use super::quote::Quote;
use super::view::{Page, Source, Story};

/// Sources shown under a story before the rest is collapsed.
const SOURCES_SHOWN: usize = 3;

#[derive(Template)]
#[template(path = "digest.html")]
struct DigestPage<'a> {
    page: Page,
    /// The number of items per outcome, as key, number and description; the strip under the header.
    flow: Vec<(&'static str, usize, &'static str)>,
    quiet: bool,
    /// Pictures next to the page: file name and description.
    pictures: Vec<(String, &'static str)>,
    /// The web pages' address, for links to feedback.
    site: Option<&'a str>,
}

pub(super) fn render(digest: &Digest, site: Option<&str>, stem: &str) -> askama::Result<String> {
    let (quiet, pictures) = (is_quiet(digest), pictures(digest, stem));
    DigestPage { page: Page::of(digest), flow: flow(digest), quiet, pictures, site }.render()
}

/// Returns the number of items per outcome, as key, number and description.
pub(crate) fn flow(digest: &Digest) -> Vec<(&'static str, usize, &'static str)> {
    let mut flow: Vec<_> = reasons(&digest.skipped).collect();
    let shown = digest.head.items.saturating_sub(digest.skipped.total());
    if shown > 0 && !flow.is_empty() {
        flow.insert(0, ("shown", shown, "shown"));
    }
    flow
}

fn pictures(digest: &Digest, stem: &str) -> Vec<(String, &'static str)> {
    let of_stories = [("scores", "the scores"), ("timeline", "when each story was told")];
    let shown = of_stories.into_iter().filter(|_| !digest.stories.is_empty());
    shown.map(|(name, words)| (plot_name(stem, name), words)).collect()
}

/// Values that the template derives from a story.
impl Story {
    pub(crate) fn sources_shown(&self) -> &[Source] {
        &self.sources[..self.sources.len().min(SOURCES_SHOWN)]
    }

    pub(crate) fn sources_folded(&self) -> &[Source] {
        &self.sources[self.sources.len().min(SOURCES_SHOWN)..]
    }

    /// Formats `2 points · why it matters · 1 caveat`: what expands; `None` if nothing does.
    pub(crate) fn folded(&self) -> Option<String> {
        let some = |n: usize, one: &str, many: &str| (n > 0).then(|| count(n, one, many));
        let parts: Vec<String> = [
            some(self.points.len(), "point", "points"),
            (!self.matters.is_empty()).then(|| "why it matters".to_owned()),
            some(self.caveats.len(), "caveat", "caveats"),
            some(self.followups.len(), "follow-up", "follow-ups"),
            some(self.sources_folded().len(), "more source", "more sources"),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!parts.is_empty()).then(|| parts.join(" · "))
    }

    /// Returns the collapsed lists with their headings.
    pub(crate) fn lists(&self) -> impl Iterator<Item = (&'static str, &Vec<String>)> {
        [("Why it matters", &self.matters), ("Caveats", &self.caveats), ("Follow up", &self.followups)]
            .into_iter()
            .filter(|(_, lines)| !lines.is_empty())
    }

    /// Returns the name of a score's band, of four.
    pub(crate) fn band(&self) -> &'static str {
        match self.score {
            None => "none",
            Some(0..=20) => "noise",
            Some(21..=50) => "mild",
            Some(51..=80) => "worth",
            Some(81..) => "rare",
        }
    }
}

impl Quote {
    /// Returns the CSS class: a quotation, or a sentence about the story.
    pub(crate) fn class(&self) -> &'static str {
        if self.verbatim { "quote" } else { "told" }
    }
}
