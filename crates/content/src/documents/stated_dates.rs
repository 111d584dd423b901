//! Finds the dates that a document states of itself: "Updated 3 May 2025", "Valid from January 2025", a line that is
//! only a date, front matter, `meta` tags. Dates of what a document tells about are none of them.
//!
//! Input: a sentence of its beginning, or its metadata. Output: dates. Called by the readers of HTML and Markdown and
//! by [`super::status`].

use std::sync::LazyLock;

use regex::Regex;

use super::Date;
use super::dates::{FoundDate, dates};
use crate::markup::Tag;

/// Words for a document, in English, German, French and Spanish.
const DOCUMENT: &str = r"(?:document|version|edition|policy|page|text|list|guide|guidance|handbook|manual|rules?
    |rulebook|regulations?|guidelines?|instructions?|procedures?|notice|plan|circular|memo|memorandum|sheet|schedule
    |timetable|tariff|terms|agreement|directive|standard|draft|report|review|minutes|code|bylaws|charter|brochure
    |leaflet|flyer|handout|booklet|article|specification|contract|form|template|checklist|catalogue|faq|announcement|statute
    |ordinance|decree|decision|resolution|offer|newsletter|letter|survey|log|dokument|bericht|protokoll|rapport
    |documento|informe)";
/// Words before the date of a document.
const STATED: &str = r"(?:date|dated|datum|fecha|stand|as\s+(?:of|at)|status|state|updated?|revised|revision|amended
    |changed?|edit(?:ed)?|modified|review(?:ed)?|approved|adopted|issued?|published|released?|printed|written|created
    |prepared|drafted|posted|collected|compiled|effective|valid|in\s+(?:force|effect)|applicable|appl(?:ies|y)
    |entries(?:\s+up\s+to)?|edition|version|draft|handout|minutes
    |gültig|in\s+kraft|fassung|ausgabe|auflage|aktualisier(?:t|ung)|geändert|änderung|überarbeitet|veröffentlicht
    |beschlossen|erstellt
    |mise?\s+à\s+jour|en\s+vigueur|publiée?|édition|modifiée?|adoptée?|valable
    |actualiza(?:d[oa]|ción)|vigente|en\s+vigor|publicad[oa]|aprobad[oa]|edición|versión|revisad[oa]|modificad[oa]
    |válid[oa])";
/// What stands before these words: the begin of a sentence or of a part of it. "The roof was updated" is of the roof.
const BEFORE: &str = r"(?:^|[,;:.|·(\[–—]\s*|\s-\s+)\W*
    (?:(?:this|the|these|diese[rs]?|der|die|das|ce|cette|le|la|el|est[ae])\s+)?";
const OF_ITSELF: &str = r"(?:(?:is|are|was|were|(?:has|have)\s+been)\s+)?
    (?:(?:first|last|latest|newly|full|date|zuletzt|letzte|dernière|última)\s+(?:of\s+)?){0,2}";

/// Finds the words directly before a date, with the number of an edition at most: "version 3.1 of".
static CLOSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?xi){BEFORE}(?:{DOCUMENT}\s+)?{OF_ITSELF}{STATED}(?:\s+date)?\W{{0,3}}(?:\s*(?:no\.?\s*)?v?\d[\d.]*,?\s*)?
        \s*(?:(?:of|on|in|from|since|at|as|ab|am|vom|von|seit|im|zum|le|du|de|depuis|desde|el|en|del):?\s+){{0,3}}
        (?:the\s+)?\W*$"
    ))
    .ok()
});

/// Those that are said of a document also with a few words between: not "Change your password on", "Updated fees apply".
const DONE: &str = r"(?:dated|updated|revised|amended|changed|edited|modified|reviewed|approved|adopted|issued|published
    |released|printed|written|created|prepared|drafted|posted|collected|compiled|effective|valid|in\s+(?:force|effect)
    |gültig|in\s+kraft|aktualisiert|geändert|überarbeitet|veröffentlicht|beschlossen|erstellt
    |mise?\s+à\s+jour|en\s+vigueur|publiée?|modifiée?|adoptée?|valable
    |actualizad[oa]|vigente|en\s+vigor|publicad[oa]|aprobad[oa]|revisad[oa]|modificad[oa]|válid[oa])";

/// The same with who did it or where between: "adopted by the assembly on".
static NEAR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?xi){BEFORE}(?:{DOCUMENT}\s+)?{OF_ITSELF}{DONE}\s+(?:\p{{L}}+ly\s+)?
        (?:(?:by|at|in|for|under|with|von|vom|durch|im|par|por|en|dans)\s+(?:[^\s,;:()]+\s+){{1,5}}|on\s+)\W*$"
    ))
    .ok()
});

/// Finds what a document is called, before the date at the end of the sentence: "A flyer for families, June 2026".
static CALLED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!(r"(?xi)^\W*(?:(?:an?|the|this|our)\s+)?{DOCUMENT}\b[^.;:]*,\s*$")).ok());

/// Finds what a line has before its date if it is only a date: nothing, a place or a day of the week.
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\W*(?:\p{L}+,\s+)?$").ok());

/// Finds that there are only names, numbers and words for the date of a document.
static ONLY_STATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?x)^(?:\W*(?:
        (?i:{DOCUMENT}|{STATED}|is|are|was|were|has|have|been|first|last|latest|newly|full|zuletzt|letzte
            |dernière|última|of|on|in|from|since|at|as|ab|am|vom|seit|im|zum|le|du|de|depuis|desde|el|en|del|the|this|these|der|die|das
            |diese[rs]?|for|für|no|nr|and|und)
        |\p{{Lu}}[\p{{L}}\p{{N}}'’&-]*|v?\d[\d.]*)\b)*\W*$"
    ))
    .ok()
});

/// Finds that nothing follows a date but the end of a period that begins with it.
static NOTHING_ELSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?xi)^(?:\s*(?:[-–—]|to|until|till|through|bis|au|al|hasta)\s+(?:(?:zum|the|el)\s+)?
        (?:\d{1,2}(?:st|nd|rd|th|\.)?\s*){0,2}(?:de\s+)?(?:\p{L}{3,10}\.?\s+)?(?:de\s+)?(?:19|20)\d\d)?\W*$",
    )
    .ok()
});

fn is_match(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Returns the dates that a sentence states of its document. A year alone is one only directly after the words for it.
pub(super) fn stated_dates(sentence: &str) -> Vec<Date> {
    let is_stated = |found: &FoundDate| {
        let before = &sentence[..found.place.start];
        is_match(&CLOSE, before) || (!found.is_year && is_match(&NEAR, before))
    };
    dates(sentence).into_iter().filter(is_stated).map(|found| found.date).collect()
}

/// Returns the date of a sentence that is only a date, with a place or what the document is called at most.
pub(super) fn date_alone(sentence: &str) -> Option<Date> {
    let has_no_word = |text: &str| !text.contains(char::is_alphanumeric);
    let is_alone = |found: &FoundDate| {
        let (before, after) = (&sentence[..found.place.start], &sentence[found.place.end..]);
        has_no_word(after)
            && (has_no_word(before) || (!found.is_year && (is_match(&PLACE, before) || is_match(&CALLED, before))))
    };
    dates(sentence).into_iter().find(is_alone).map(|found| found.date)
}

/// Returns the date that a sentence states of its document, if it states nothing else: "Issue 4, January 2026". With a
/// word that says more of it, such as "adopted by the assembly on 12 April", it may answer a question.
#[must_use]
pub fn date_line(sentence: &str) -> Option<Date> {
    let stated = stated_dates(sentence).into_iter().max().or_else(|| date_alone(sentence))?;
    let found = dates(sentence);
    let [FoundDate { place, .. }] = &found[..] else { return None };
    let is_only = is_match(&ONLY_STATED, &sentence[..place.start]) && is_match(&NOTHING_ELSE, &sentence[place.end..]);
    is_only.then_some(stated)
}

/// Returns the newest date of an entry of a document's metadata, if the entry is its date.
fn date_of_entry(key: &str, value: &str) -> Option<Date> {
    const KEYS: [&str; 36] = [
        "articlemodifiedtime",
        "articlepublishedtime",
        "created",
        "createdat",
        "date",
        "datecreated",
        "dated",
        "datemodified",
        "datepublished",
        "dcdate",
        "dcdatecreated",
        "dcdateissued",
        "dcdatemodified",
        "dctermscreated",
        "dctermsdate",
        "dctermsissued",
        "dctermsmodified",
        "effective",
        "effectivedate",
        "issued",
        "lastmod",
        "lastmodified",
        "lastmodifiedat",
        "lastreviewed",
        "lastupdated",
        "modified",
        "ogupdatedtime",
        "publicationdate",
        "publishdate",
        "published",
        "publishedat",
        "reviewed",
        "revised",
        "updated",
        "updatedat",
        "validfrom",
    ];
    let key: String = key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if !KEYS.contains(&key.as_str()) {
        return None;
    }
    let value = &value[..value.floor_char_boundary(VALUE_BYTES)];
    dates(value).into_iter().map(|found| found.date).max()
}

/// How much of front matter or of a page's head is searched for dates, in bytes.
const METADATA_BYTES: usize = 16_384;
/// The same of one entry.
const VALUE_BYTES: usize = 500;

/// Returns the newest date in front matter: lines such as `date: 2025-05-03` (YAML) or `date = 2025-05-03` (TOML).
/// Indented lines are parts of an entry, which may tell of something else, such as an event.
pub(super) fn date_of_front_matter(text: &str) -> Option<Date> {
    let text = &text[..text.floor_char_boundary(METADATA_BYTES)];
    let lines = text.lines().filter(|line| !line.starts_with([' ', '\t', '-']));
    lines.filter_map(|line| line.split_once([':', '='])).filter_map(|(key, value)| date_of_entry(key, value)).max()
}

/// Returns the newest date in the `meta` tags of the head, which the tokenizer skips.
pub(super) fn date_of_head(markup: &str) -> Option<Date> {
    const MAX_ATTRIBUTES: usize = 8;
    let head = &markup[..markup.floor_char_boundary(METADATA_BYTES)];
    let tags = metas(head).into_iter().filter_map(|attributes| {
        let tag = Tag { name: "meta", kind: None, attributes };
        let value = |names: &[&str]| {
            let is_meant = |name: &str| names.iter().any(|other| name.eq_ignore_ascii_case(other));
            tag.attributes(MAX_ATTRIBUTES).find(|(name, _)| is_meant(name)).map(|(_, value)| value)
        };
        date_of_entry(value(&["name", "property", "itemprop", "http-equiv"])?, value(&["content"])?)
    });
    tags.max()
}

/// Returns the attributes of each `meta` tag of a head, but not of those within comments and scripts.
fn metas(head: &str) -> Vec<&str> {
    const TAG: &str = "<meta";
    const SKIPPED: [(&str, &str); 4] =
        [("<!--", "-->"), ("<script", "</script"), ("<style", "</style"), ("<template", "</template")];
    let lower = head.to_ascii_lowercase();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = lower[at..].find('<').map(|next| at + next) {
        let rest = &lower[start..];
        if rest.starts_with("<body") {
            break;
        }
        let skipped = SKIPPED.iter().find(|(begin, _)| rest.starts_with(begin));
        let (begin, end) = if rest.starts_with(TAG) { (TAG, ">") } else { *skipped.unwrap_or(&("<", "")) };
        let inner = start + begin.len();
        let Some(length) = lower[inner..].find(end) else { break };
        if begin == TAG {
            found.push(&head[inner..inner + length]);
        }
        at = inner + length;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(sentence: &str) -> Vec<String> {
        let found = stated_dates(sentence).into_iter().chain(date_alone(sentence));
        found.map(|date| date.to_string()).collect()
    }

    #[test]
    fn a_date_that_is_said_of_the_document_counts() {
        for (sentence, date) in [
            ("Date: 2025-05-03", "2025-05-03"),
            ("Updated: 3 May 2025 · Owner: Ida", "2025-05-03"),
            ("Effective date: 1 March 2025", "2025-03-01"),
            ("Effective 1 March 2025", "2025-03-01"),
            ("Last reviewed in March 2025.", "2025-03-01"),
            ("Version of 3 May 2025", "2025-05-03"),
            ("Version 3.4, in force from 1 May 2025.", "2025-05-01"),
            ("Adopted by the assembly on 12 April 2025.", "2025-04-12"),
            ("Collected by the Office manager, last full edit in November 2024.", "2024-11-01"),
            ("Review written 19 March 2025 by the Platform Lead.", "2025-03-19"),
            ("Entries up to 10 October 2025.", "2025-10-10"),
            ("This policy was last reviewed on 3 May 2025.", "2025-05-03"),
            ("Status: 30 September 2025.", "2025-09-30"),
            ("Edition of 2024", "2024-01-01"),
            ("A flyer for families, June 2026.", "2026-06-01"),
            ("May 2026.", "2026-05-01"),
            ("Vienna, 3 May 2025", "2025-05-03"),
            ("Fassung vom 3. März 2024", "2024-03-03"),
            ("gültig ab 1.1.2025 bis zum 31.12.2027", "2025-01-01"),
            ("Mis à jour le 12 juillet 2022", "2022-07-12"),
            ("Actualizado el 3 de mayo de 2025", "2025-05-03"),
            ("Effective from: 1 June 2025.", "2025-06-01"),
            ("Approved unanimously on 3 May 2025.", "2025-05-03"),
            ("Valid from 1 May 2025 to 30 April 2026.", "2025-05-01"),
            ("Updated: 2025/05/03", "2025-05-03"),
            ("Last review date: 3 May 2025", "2025-05-03"),
        ] {
            assert_eq!(stated(sentence), [date], "{sentence}");
        }
    }

    #[test]
    fn a_date_of_what_the_document_tells_about_does_not_count() {
        for sentence in [
            "The pier was built on 5 May 2027.",
            "The roof was updated on 3 May 2020.",
            "In 2019 the company moved.",
            "In operation since 2 October 2025.",
            "This price sheet ended on 31 December 2025.",
            "Published results from 2019 show this.",
            "The company was founded in 1987 and published its first book in 1990.",
            "Kept because some leave balances from 2023 and 2024 are still being settled.",
            "Valid for subscriptions that were begun in 2025.",
            "Updated fees apply from 1 May 2019 to guests.",
            "In short, updated boats arrived on 3 May 2019.",
            "State of emergency was declared on 3 May 2020.",
            "Review the list on 3 May 2027.",
            "Change your password by 3 May 2027.",
            "Apply by 3 May 2027.",
            "Posted letters from 3 May 2020 were lost.",
            "Printed tickets of 3 May 2020 are void.",
            "Stand at the pier on 3 May 2020.",
            "In effect, the company ended on 3 May 2019.",
            "Review date: 3 May 2030",
        ] {
            assert_eq!(stated(sentence), [""; 0], "{sentence}");
        }
    }

    #[test]
    fn a_line_that_states_only_the_date_of_its_document_is_found() {
        for line in [
            "Updated 2 January 2026",
            "Last reviewed 11 November 2025",
            "Version 3 of 1 October 2025",
            "Issue 6, March 2026",
            "For version 3.2, updated 12 March 2026",
            "Handout of 14 January 2026.",
            "Ashgrove Hospital, leaflet H07, version of 18 June 2025",
            "Valid from 1 May 2025 to 30 April 2026.",
            "Stand: 1. März 2025",
            "Gültig ab 1. August 2025",
            "gültig ab 1.1.2025 bis zum 31.12.2027",
            "Leaflet, May 2025",
        ] {
            assert!(date_line(line).is_some(), "{line}");
        }
        for line in [
            "Adopted by the assembly on 12 April 2025.",
            "Review written 19 March 2025 by the Platform Lead.",
            "Collected by the Office manager, last full edit in November 2024.",
            "Updated: 3 May 2025 · Owner: Ida",
            "The fee is nine euros, valid from 1 May 2025.",
            "Minutes of the committee meeting, 17 February 2026",
            "The pier was built on 5 May 2027.",
        ] {
            assert_eq!(date_line(line), None, "{line}");
        }
    }

    #[test]
    fn only_the_beginning_of_metadata_is_searched() {
        let date = |text: &str| date_of_front_matter(text).map(|date| date.to_string());
        let value = format!("date: 2025-05-03 {}2026-05-03", " ".repeat(VALUE_BYTES));
        assert_eq!(date(&value).as_deref(), Some("2025-05-03"));
        let line = "title: Fees\n";
        let lines = line.repeat(METADATA_BYTES / line.len() + 1);
        assert_eq!(date(&format!("date: 2025-05-03\n{lines}date: 2026-05-03\n")).as_deref(), Some("2025-05-03"));
    }

    #[test]
    fn metadata_has_dates() {
        let front_matter =
            "title: Fees of 2030\nopening: 2031-01-01\nDate: 2025-05-03T10:00:00Z\nupdated: 2025-06-01\n";
        assert_eq!(date_of_front_matter(front_matter).map(|date| date.to_string()).as_deref(), Some("2025-06-01"));
        let toml = "title = \"Fees of 2030\"\ndate = 2025-05-03T10:00:00Z\n";
        assert_eq!(date_of_front_matter(toml).map(|date| date.to_string()).as_deref(), Some("2025-05-03"));
        assert_eq!(
            date_of_front_matter("events:\n  - date: 2030-01-01\n- date: 2030-01-01\n  date: 2031-01-01\n"),
            None
        );
        let head = "<head><META content='2025-05-03' name=\"DCTERMS.modified\"><meta name=date content=2024-01-01>\
                    <meta name='description' content='Fees of 2030'></head><body><meta name=date content=2032-01-01>";
        assert_eq!(date_of_head(head).map(|date| date.to_string()).as_deref(), Some("2025-05-03"));
        for (meta, date) in [
            ("<meta name='DC.date.issued' content=2025-05-03>", Some("2025-05-03")),
            ("<meta property='og:updated_time' content='2025-05-03T10:00:00Z'>", Some("2025-05-03")),
            ("<!-- <meta name=date content=2030-01-01> --><meta name=date content=2025-05-03>", Some("2025-05-03")),
            ("<script>x = '<meta name=date content=2030-01-01>'</script>", None),
            ("<!-- <meta name=date content=2030-01-01>", None),
        ] {
            assert_eq!(date_of_head(meta).map(|date| date.to_string()).as_deref(), date, "{meta}");
        }
        assert_eq!(date_of_head("<p>No head, and <meta without an end"), None);
    }
}
