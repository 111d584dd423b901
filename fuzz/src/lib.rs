//! What has to hold of any bytes, one function a target. The targets try bytes that no test names; the tests try
//! again, with these same functions, all that fuzzing has found worth keeping (`fuzz/learned`).

use aha_content::canonical::canonical_url;
use aha_content::documents::read as read_document;
use aha_content::feed::{MAX_ITEMS, parse, parse_date};
use aha_content::sanitize::sanitize as sanitised;
use aha_llm::ModelRef;
use aha_llm::answer::{object, read as read_answer};
use aha_llm::tasks::{journal, triage};
use aha_notes::{Document, EditError, Format};
use aha_planner::apply::State;
use aha_planner::language::{Selection, Today, asked_parts, read};
use aha_planner::time_of_day::TimeOfDay;
use aha_planner::validate::parse_date as parse_day;
use aha_radar::sources::identity::body_text;
use url::Url;

/// A feed: an answer within its time, no panic, no character that hides.
pub fn parser(bytes: &[u8]) {
    if let Ok(feed) = parse(bytes, Some("text/xml"), Some("https://example.org/feed")) {
        assert!(feed.items.len() <= MAX_ITEMS);
        for item in &feed.items {
            assert!(!body_text(item).contains(|c: char| c.is_control() && c != '\n'));
            assert!(item.title.as_deref().is_none_or(|title| !title.contains(char::is_control)));
        }
    }
}

/// Repair: as long as the text at most times a factor, and without the control characters that XML does not know.
pub fn repair(bytes: &[u8]) {
    let text = text(bytes);
    let (repaired, _) = aha_content::feed::repair(text);
    assert!(repaired.len() <= text.len() * 8 + 64);
    assert!(!repaired.contains(|c: char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{7f}')));
}

/// A date: one of the years that feeds were published in, or none.
pub fn dates(bytes: &[u8]) {
    if let Some(date) = parse_date(text(bytes)) {
        assert!(date.timestamp() >= 365 * 86_400 && date.timestamp() < 253_402_300_800);
    }
}

/// An address: what is canonical is so for good.
pub fn canonical(bytes: &[u8]) {
    let text = text(bytes);
    for text in [text.to_owned(), format!("https://{text}")] {
        if let Some(once) = canonical_url(&text) {
            assert_eq!(canonical_url(&once), Some(once));
        }
    }
}

/// Markup sanitised: nothing that runs, and clean markup is clean.
pub fn sanitizer(bytes: &[u8]) {
    let base = Url::parse("https://example.org/blog/").ok();
    if let Some(clean) = sanitised(text(bytes), base.as_ref()) {
        nothing_runs(&clean);
        // Longer markup is cut.
        if clean.len() < 128 * 1024 {
            assert_eq!(sanitised(&clean, None).unwrap_or_default(), clean);
        }
    }
}

/// A sentence for the planner: read as a plan, a question or talk, without a panic.
pub fn planner(bytes: &[u8]) {
    let (Some(date), Some(time)) = (parse_day("2026-03-11"), TimeOfDay::new(8, 0)) else { return };
    let today = Today::new(date, time);
    let _ = read(text(bytes), &State::default(), today, &Selection::default());
    let _ = asked_parts(text(bytes), today);
}

/// A document of each format but PDF: passages with a section and text, no character that hides.
pub fn documents(bytes: &[u8]) {
    for name in ["a.md", "a.html", "a.txt"] {
        let Ok(document) = read_document(name, bytes) else { continue };
        for passage in &document.passages {
            assert!(!passage.section.is_empty() && !passage.text.is_empty());
            assert!(!passage.text.contains(|c: char| c.is_control() && c != '\n'));
        }
        assert!(document.title.is_none_or(|title| !title.contains(char::is_control)));
    }
}

/// A model's answer: an answer for each of the two stories that were asked about, or one with lines, without a panic.
pub fn answers(bytes: &[u8]) {
    let text = text(bytes);
    let by = ModelRef { provider: "openai".to_owned(), model: "m".to_owned() };
    let _ = object(text, None);
    for (task, prompt, answers) in [(triage::TASK, "triage_v1", 2), (journal::CLASSIFY, "journal_classify_v1", 1)] {
        if let Ok(read) = read_answer(task, prompt, &by, answers, text, None) {
            assert_eq!(read.len(), answers);
        }
    }
}

/// A page of notes: it reads back byte for byte; an edit is refused and changes nothing, or reads back as it was made.
pub fn notes(bytes: &[u8]) {
    const BLOCKS: usize = 8;
    let text = text(bytes);
    for format in [Format::Outline, Format::Markdown] {
        let document = Document::parse(format, text);
        assert_eq!(document.text(), text);
        for block in 0..document.blocks().len().min(BLOCKS) {
            edited(&document, |page| page.replace(block, "High water.", "6650a1"));
            edited(&document, |page| page.add_under(block, "High water.", "6650a1", "\t"));
            edited(&document, |page| page.set_property(block, "source", "tides"));
        }
    }
}

fn edited(document: &Document, edit: impl Fn(&mut Document) -> Result<(), EditError>) {
    let mut page = document.clone();
    match edit(&mut page) {
        Ok(()) => assert_eq!(Document::parse(document.format(), &page.text()).blocks(), page.blocks()),
        Err(_) => assert_eq!(&page, document),
    }
}

fn nothing_runs(clean: &str) {
    let lower = clean.to_ascii_lowercase();
    for tag in
        ["<script", "<style", "<svg", "<math", "<iframe", "<object", "<embed", "<form", "<link", "<meta", "<base"]
    {
        assert!(!lower.contains(tag), "{clean}");
    }
    for tag in lower.split('<').skip(1).filter_map(|tag| tag.split('>').next()) {
        // Names, each with the value behind it.
        let mut parts = tag.split('"');
        while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            if [" href=", " src=", " cite="].iter().any(|address| name.ends_with(address)) {
                assert!(["http:", "https:", "mailto:"].iter().any(|scheme| value.starts_with(scheme)), "{clean}");
            }
        }
    }
}

/// As far as it is text.
fn text(bytes: &[u8]) -> &str {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    std::str::from_utf8(&bytes[..valid]).unwrap_or_default()
}
