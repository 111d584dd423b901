//! The digest on a terminal.
//!
//! Input: a digest, what the terminal supports, the path of the HTML file. Output: text. Called by `aha-radar run`,
//! `aha-radar digest` and `aha-radar replay`.

use std::fmt::Write as _;
use std::path::Path;

use aha_content::numbers::count;
use aha_core::digest::Digest;
use anstyle::{AnsiColor, Style};

use super::header::is_quiet;
use super::sanitise::{self, Link};
use super::view::{Page, Source, Story, item_command, search_command, short_id};
use super::wrap::{columns, cut, wrap, wrap_parts};

/// Nothing could be read below this width, so a smaller one is ignored.
const MIN_WIDTH: usize = 24;
/// Longer lines are tiring to read.
const MAX_WIDTH: usize = 100;
/// Column where a story's lines begin, right of its rank.
const INDENT: usize = 4;
/// Columns of a title to scan below which its source and id are on a line of their own.
const MIN_TITLE: usize = 16;
/// Column where a title to scan begins, right of its rank and score.
const SCAN_INDENT: usize = INDENT + 3 + 2;
/// Sources named under a story; the rest are counted.
const SOURCES_NAMED: usize = 4;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const WARN: Style = AnsiColor::Yellow.on_default();
const NEWS: Style = AnsiColor::Green.on_default();
const SCORE: Style = AnsiColor::Cyan.on_default();

/// What the output supports and shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terminal {
    /// In columns.
    pub width: usize,
    /// Without it the text has no escape sequences for style.
    pub colour: bool,
    /// Whether titles are hyperlinks (OSC 8).
    pub hyperlinks: bool,
    /// Whether the address of each story is printed below it.
    pub addresses: bool,
}

impl Terminal {
    /// Text without escape sequences.
    #[must_use]
    pub const fn plain(width: usize) -> Self {
        Self { width, colour: false, hyperlinks: false, addresses: false }
    }
}

/// What the last lines refer to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Footer<'a> {
    /// The path of the whole digest as a page.
    pub html: Option<&'a Path>,
    /// Whether a rank is enough to identify a story of this digest for `aha-radar item`.
    pub is_latest: bool,
}

/// Renders for a person. The footer gives the path of the HTML page.
#[must_use]
pub fn render(digest: &Digest, terminal: Terminal, footer: Footer<'_>) -> String {
    let page = Page::of(digest);
    let mut screen = Screen { width: terminal.width.clamp(MIN_WIDTH, MAX_WIDTH), terminal, text: String::new() };
    screen.head(&page, footer.is_latest, is_quiet(digest));
    for story in &page.top {
        screen.blank();
        screen.story(story);
    }
    if !page.scan.is_empty() {
        screen.blank();
        screen.line(&[(BOLD, "To scan")]);
        let sources: Vec<String> = page.scan.iter().map(|story| screen.told_by(story)).collect();
        let column = sources.iter().map(|source| columns(source)).max().unwrap_or(0);
        page.scan.iter().zip(&sources).for_each(|(story, source)| screen.scan_line(story, source, column));
    }
    screen.failing(&page);
    screen.footer(&page, footer, digest);
    screen.text
}

struct Screen {
    width: usize,
    terminal: Terminal,
    text: String,
}

impl Screen {
    fn head(&mut self, page: &Page, is_latest: bool, is_quiet: bool) {
        self.paragraph(0, BOLD, &format!("{} · {}", page.topic, page.day));
        // What a quiet digest says instead of counts names the window.
        if !is_quiet {
            let newest = if is_latest { ", the newest window" } else { "" };
            self.paragraph(0, DIM, &format!("{}{newest}", page.window));
        }
        self.paragraph(0, Style::new(), &page.header);
        self.parts(0, DIM, &page.reasons);
        self.paragraph(0, WARN, page.gaps.as_deref().unwrap_or_default());
        self.paragraph(0, DIM, page.late.as_deref().unwrap_or_default());
    }

    fn story(&mut self, story: &Story) {
        let rank = format!("{:>2}  ", story.rank);
        for (nth, line) in wrap(&story.title, self.width - INDENT).iter().enumerate() {
            let margin = if nth == 0 { rank.clone() } else { " ".repeat(INDENT) };
            let line = self.linked(line, &story.link);
            self.line(&[(DIM, &margin), (BOLD, &line)]);
        }
        self.score(story);
        self.paragraph(INDENT, NEWS, story.since.as_deref().unwrap_or_default());
        if let Some(lead) = &story.lead {
            let source = lead.source.as_deref().map(|source| format!(" — {source}")).unwrap_or_default();
            self.paragraph(INDENT, Style::new(), &format!("{}{source}", lead.marked()));
        }
        if !story.reason.is_empty() {
            self.paragraph(INDENT, Style::new(), &format!("why: {}", story.reason));
        }
        self.parts(INDENT, DIM, &sources(&story.sources));
        self.paragraph(INDENT, DIM, story.cost_summary.as_deref().unwrap_or_default());
        self.address(INDENT, story);
    }

    /// Returns a text as a hyperlink, if the terminal supports them and the address may be followed.
    fn linked(&self, text: &str, link: &Link) -> String {
        // The URL parser has encoded everything else; a control character would end the sequence.
        let is_safe = |href: &&str| href.bytes().all(|byte| byte.is_ascii_graphic());
        match link.href().filter(is_safe).filter(|_| self.terminal.hyperlinks) {
            Some(href) => format!("\u{1b}]8;;{href}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\"),
            None => text.to_owned(),
        }
    }

    /// Writes the address of a story on a line of its own. It is copied rather than read, so it is not broken.
    fn address(&mut self, indent: usize, story: &Story) {
        let address = match &story.link {
            Link::Web { href, .. } => href,
            Link::Other(address) => address,
            Link::Missing => return,
        };
        if self.terminal.addresses {
            self.line(&[(Style::new(), &" ".repeat(indent)), (DIM, address)]);
        }
    }

    fn score(&mut self, story: &Story) {
        let facts = story.facts();
        let margin = " ".repeat(INDENT);
        let Some(score) = story.score else {
            let all: Vec<String> = std::iter::once(story.score_words.clone()).chain(facts).collect();
            return self.parts(INDENT, WARN, &all);
        };
        let (bar, number, beside) = (bar(score), format!(" {score:<3} "), facts.join(" · "));
        let together = INDENT + columns(&bar) + columns(&number) + columns(&beside) <= self.width;
        let beside = if together { beside.as_str() } else { "" };
        self.line(&[(Style::new(), &margin), (SCORE, &bar), (BOLD, &number), (DIM, beside)]);
        if !together {
            self.parts(INDENT, DIM, &facts);
        }
    }

    /// Returns the first source of a story and the number of others.
    fn told_by(&self, story: &Story) -> String {
        let (first, others) = story.first_source();
        let first = cut(first, self.width / 4);
        if others > 0 { format!("{first} +{others}") } else { first }
    }

    fn scan_line(&mut self, story: &Story, source: &str, source_column: usize) {
        let rank = format!("{:>2}  ", story.rank);
        let score = story.score.map_or_else(|| "  –".to_owned(), |score| format!("{score:>3}"));
        let id = format!("  {}", story.short_id);
        let room = self.width.saturating_sub(SCAN_INDENT + 2 + source_column + columns(&id));
        if room < MIN_TITLE {
            let title = self.linked(&cut(&story.title, self.width - SCAN_INDENT), &story.link);
            self.line(&[(DIM, &rank), (SCORE, &score), (Style::new(), &format!("  {title}"))]);
            self.parts(SCAN_INDENT, DIM, &[source.to_owned(), format!("id {}", story.short_id)]);
        } else {
            let title = cut(&story.title, room);
            let gap = " ".repeat(2 + room.saturating_sub(columns(&title)));
            let title = self.linked(&title, &story.link);
            let padded = format!("{source}{}", " ".repeat(source_column.saturating_sub(columns(source))));
            self.line(&[
                (DIM, &rank),
                (SCORE, &score),
                (Style::new(), &format!("  {title}{gap}")),
                (DIM, &padded),
                (DIM, &id),
            ]);
        }
        self.address(SCAN_INDENT, story);
    }

    fn failing(&mut self, page: &Page) {
        if page.failing.is_empty() {
            return;
        }
        self.blank();
        // The first line of a digest that is empty for this reason has the number.
        let heading = if page.all_sources_failed() {
            "Sources that could not be read".to_owned()
        } else {
            format!("{} could not be read", count(page.unread, "source", "sources"))
        };
        self.paragraph(0, WARN, &heading);
        for source in &page.failing {
            let colon = if source.message.is_empty() { "" } else { ": " };
            self.paragraph(INDENT, WARN, &format!("{} — {}{colon}{}", source.name, source.kind, source.message));
        }
    }

    fn footer(&mut self, page: &Page, footer: Footer<'_>, digest: &Digest) {
        self.blank();
        self.paragraph(0, DIM, &page.cost);
        if footer.is_latest && digest.skipped.left_out() > 0 {
            let command = search_command(&digest.head);
            self.paragraph(0, DIM, &format!("{command} lists what is left out too"));
        }
        let mut hints = Vec::new();
        if let Some(story) = digest.stories.first() {
            let command = if footer.is_latest {
                item_command(&story.rank.to_string(), &digest.head.topic)
            } else {
                format!("aha-radar item {}", short_id(&story.id.to_string()))
            };
            hints.push(format!("{command} tells why"));
        }
        let path = footer.html.map(|path| sanitise::text(&path.display().to_string()));
        let page = path.map(|path| format!("the whole digest: {path}"));
        let together: Vec<String> = hints.iter().chain(&page).cloned().collect();
        let together = together.join(" · ");
        if columns(&together) <= self.width {
            return self.paragraph(0, DIM, &together);
        }
        for hint in &hints {
            self.paragraph(0, DIM, hint);
        }
        // A path is copied rather than read, so it gets its own line instead of being broken.
        if let Some(page) = &page {
            self.line(&[(DIM, page)]);
        }
    }

    fn paragraph(&mut self, indent: usize, style: Style, text: &str) {
        for line in wrap(text, self.width - indent) {
            self.line(&[(Style::new(), &" ".repeat(indent)), (style, &line)]);
        }
    }

    fn parts(&mut self, indent: usize, style: Style, parts: &[String]) {
        for line in wrap_parts(parts, self.width - indent) {
            self.line(&[(Style::new(), &" ".repeat(indent)), (style, &line)]);
        }
    }

    fn line(&mut self, parts: &[(Style, &str)]) {
        for (style, text) in parts {
            if self.terminal.colour {
                // Writing to a string cannot fail.
                let _ = write!(self.text, "{style}{text}{style:#}");
            } else {
                self.text.push_str(text);
            }
        }
        self.blank();
    }

    fn blank(&mut self) {
        self.text.push('\n');
    }
}

/// Draws ten cells between two edges, filled in eighths of a cell.
fn bar(score: u8) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = usize::from(score.min(100)) * 80 / 100;
    let filled = format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8]);
    format!("▕{filled:<10}▏")
}

fn sources(sources: &[Source]) -> Vec<String> {
    let mut parts: Vec<String> = sources.iter().take(SOURCES_NAMED).map(source).collect();
    if sources.len() > SOURCES_NAMED {
        parts.push(format!("{} more", sources.len() - SOURCES_NAMED));
    }
    parts
}

fn source(source: &Source) -> String {
    let line = format!("{} {}", source.name, source.time);
    match source.notes().as_slice() {
        [] => line,
        notes => format!("{line} ({})", notes.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_bar_is_as_long_as_its_score() {
        assert_eq!([bar(0), bar(56), bar(100)], ["▕          ▏", "▕█████▌    ▏", "▕██████████▏"]);
        assert_eq!(bar(255), bar(100));
    }
}
