//! The digest as Markdown (`CommonMark`).
//!
//! Input: a digest. Output: a document in which text from outside is escaped. Called by `digest::render`.

use std::fmt::Write as _;

use aha_core::digest::Digest;

use super::quote::Quote;
use super::sanitise::Link;
use super::view::{Failing, Page, Source, Story};

pub(super) fn render(digest: &Digest) -> String {
    let page = Page::of(digest);
    let mut blocks = head(&page);
    if !page.top.is_empty() {
        blocks.push("## Top stories".to_owned());
    }
    blocks.extend(page.top.iter().flat_map(top_story));
    blocks.extend(scan(&page));
    if !page.failing.is_empty() {
        blocks.push("## Sources that could not be read".to_owned());
        blocks.push(page.failing.iter().map(failing).collect::<Vec<_>>().join("\n"));
    }
    blocks.push("---".to_owned());
    blocks.push(format!("{} · digest {}", escape(&page.cost), page.digest_id));
    blocks.join("\n\n") + "\n"
}

fn head(page: &Page) -> Vec<String> {
    let mut blocks = vec![format!("# {}: {}", escape(&page.topic), page.day), format!("**{}**", escape(&page.header))];
    if !page.reasons.is_empty() {
        blocks.push(escape(&page.reasons.join(" · ")));
    }
    blocks.extend(page.gaps.as_deref().map(|gaps| format!("⚠ {}", escape(gaps))));
    blocks.extend(page.late.as_deref().map(escape));
    blocks.push(escape(&page.window));
    blocks
}

fn top_story(story: &Story) -> Vec<String> {
    let mut blocks = vec![format!("### {}. {}", story.rank, linked(&story.title, &story.link))];
    blocks.extend(story.since.as_deref().map(|since| format!("**{}**", escape(since))));
    let mut facts = vec![format!("**{}**", escape(&story.score_words))];
    facts.extend(story.facts());
    facts.extend(story.author.as_deref().map(|author| format!("by {}", escape(author))));
    facts.extend(story.teaser.then(|| "teaser only".to_owned()));
    blocks.push(facts.join(" · "));
    if !story.reason.is_empty() {
        blocks.push(format!("why: {}", escape(&story.reason)));
    }
    blocks.extend(story.lead.as_ref().map(|lead| format!("> {}", quoted(lead))));
    if !story.points.is_empty() {
        blocks.push(story.points.iter().map(|point| format!("- {}", quoted(point))).collect::<Vec<_>>().join("\n"));
    }
    let lists = [("Why it matters", &story.matters), ("Caveats", &story.caveats), ("Follow up", &story.followups)];
    blocks.extend(lists.into_iter().filter(|(_, lines)| !lines.is_empty()).map(|(name, lines)| bullets(name, lines)));
    blocks.push(sources(story));
    blocks.extend(story.cost_summary.as_deref().map(escape));
    blocks
}

fn bullets(name: &str, lines: &[String]) -> String {
    lines.iter().fold(format!("{name}:\n"), |mut block, line| {
        // Writing to a string cannot fail.
        let _ = write!(block, "\n- {}", escape(line));
        block
    })
}

fn sources(story: &Story) -> String {
    let mut block = "Sources:\n".to_owned();
    for line in story.sources.iter().map(source) {
        let _ = write!(block, "\n- {line}");
    }
    for link in story.discussions.iter().filter(|link| **link != Link::Missing) {
        let _ = write!(block, "\n- discussion: {}", linked(link.host(), link));
    }
    block
}

fn source(source: &Source) -> String {
    let mut line = format!("{}, {}", escape(&source.name), source.time);
    if !source.title.is_empty() || source.link != Link::Missing {
        let title = if source.title.is_empty() { source.link.host() } else { &source.title };
        let _ = write!(line, ": {}", linked(title, &source.link));
    }
    match source.notes().as_slice() {
        [] => line,
        notes => format!("{line} ({})", escape(&notes.join("; "))),
    }
}

fn scan(page: &Page) -> Vec<String> {
    let mut blocks = Vec::new();
    if !page.scan.is_empty() {
        blocks.push("## To scan".to_owned());
    }
    if !page.scan.is_empty() {
        blocks.push(page.scan.iter().map(scan_line).collect::<Vec<_>>().join("\n"));
    }
    blocks
}

fn scan_line(story: &Story) -> String {
    let mut facts = vec![escape(&story.score_words), story.published.clone()];
    facts.push(escape(&story.told_by()));
    facts.push(format!("id {}", story.short_id));
    facts.extend(story.since.as_deref().map(escape));
    format!("- {}\\. {} · {}", story.rank, linked(&story.title, &story.link), facts.join(" · "))
}

fn failing(source: &Failing) -> String {
    let line = format!("- {} — {}", escape(&source.name), escape(&source.kind));
    if source.message.is_empty() { line } else { format!("{line}: {}", escape(&source.message)) }
}

fn quoted(quote: &Quote) -> String {
    let sentence = escape(&quote.marked());
    quote.source.as_deref().map_or(sentence.clone(), |source| format!("{sentence} — {}", escape(source)))
}

/// Formats `title` as a link if the link may be followed, else followed by the address as code.
fn linked(title: &str, link: &Link) -> String {
    match link {
        // Within angle brackets only an angle bracket ends the address, and the URL parser has encoded those.
        Link::Web { href, .. } if href.contains(['(', ')', '<', '>', '\\']) => format!("[{}](<{href}>)", escape(title)),
        Link::Web { href, .. } => format!("[{}]({href})", escape(title)),
        Link::Other(address) => format!("{} {}", escape(title), code(address)).trim_start().to_owned(),
        Link::Missing => escape(title),
    }
}

/// Formats a code span, delimited by more backticks than `text` has in a row.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("{fence}{text}{fence}") } else { format!("{fence} {text} {fence}") }
}

/// Escapes only what Markdown would read as markup, so that the source stays readable.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut before = None;
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    for (at, c) in text.char_indices() {
        let after = text[at + c.len_utf8()..].chars().next();
        let special = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' => true,
            '_' => !(before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)),
            '&' => after.is_some_and(|c| c == '#' || c.is_ascii_alphabetic()) && text[at..].contains(';'),
            // These make a heading or a list only at the beginning.
            '#' | '-' | '+' | '=' => at == 0,
            '.' | ')' => digits > 0 && at == digits && after.is_none_or(char::is_whitespace),
            _ => false,
        };
        if special {
            escaped.push('\\');
        }
        escaped.push(c);
        before = Some(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_markup_is_escaped() {
        for (text, escaped) in [
            ("a](http://evil) *b* <i>", "a\\](http://evil) \\*b\\* \\<i\\>"),
            ("snake_case but _not_ this", "snake_case but \\_not\\_ this"),
            ("R&D, Q&A; &lt;", "R\\&D, Q\\&A; \\&lt;"),
            ("R&D", "R&D"),
            ("# 2.0 - now", "\\# 2.0 - now"),
            ("12. May", "12\\. May"),
            ("1.5 litres", "1.5 litres"),
        ] {
            assert_eq!(escape(text), escaped);
        }
    }

    #[test]
    fn addresses_cannot_leave_their_place() {
        assert_eq!(code("a`b"), "`` a`b ``");
        let link = Link::of(Some("https://example.org/a_(b)?<c>"));
        assert_eq!(linked("t", &link), "[t](<https://example.org/a_(b)?%3Cc%3E>)");
    }
}
