//! Reads a document's status from its beginning: its date, and whether another document replaces it.

use std::sync::LazyLock;

use regex::Regex;

use super::dates::dates;
use super::stated_dates::{date_alone, stated_dates};
use super::{Date, Document};
use crate::sentences::sentences;

/// Maximum length of the beginning, in bytes.
const BEGINNING_CHARS: usize = 900;

/// A document's status; see the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DocumentStatus {
    /// The newest date in its metadata, its title or its file name, or stated of the document in its beginning.
    pub dated: Option<Date>,
    /// The document says that it was superseded, withdrawn or archived.
    pub is_replaced: bool,
}

/// Words that are said of a document that no longer applies, and hardly of anything else.
const SUPERSEDED: &str = r"(?:superseded|obsolete|out\s?dated|out\s+of\s+(?:date|force)|repealed
    |no\s+longer\s+(?:valid|in\s+force|applicable|in\s+effect))";
/// The same, and words that are said of things as well.
const GONE: &str = r"(?:superseded|obsolete|out\s?dated|out\s+of\s+(?:date|force)|repealed
    |no\s+longer\s+(?:valid|in\s+force|applicable|in\s+effect)
    |replaced|withdrawn|archived|deprecated|expired)";
/// Words for a document.
const DOCUMENT: &str = r"(?:document|version|edition|policy|page|text|list|guide|guidance|handbook|manual|rules?|rulebook
    |regulations?|guidelines?|instructions?|procedures?|notice|plan|circular|memo|memorandum|sheet|schedule|timetable
    |tariff|terms|agreement|directive|standard|draft|report|minutes|code|bylaws|charter|brochure|leaflet|booklet
    |article|specification|contract|form|template|checklist|catalogue|faq|announcement|statute|ordinance|decree
    |decision|resolution|offer|wiki|repository|repo|project|readme|website)";
/// Words for a document that follow one of [`GONE`]; not those of which an archive has many, such as minutes.
const COPY: &str = r"(?:document|version|edition|policy|guide|handbook|manual)";
const ADVERBS: &str = r"(?:(?:now|since|hereby|already|completely|entirely|wholly|fully|formally|officially)\s+){0,2}";
/// Between the document and the word, which "not" or "never" would turn around.
const IS: &str = r"(?:is|are|was|were|(?:has|have)(?:\s+since|\s+now)?\s+been)\s+";
const LABEL: &str = r"(?:(?:status|state|note|attention|warning)\W+)?";
/// What follows a word that begins a sentence if the sentence is about the document: nothing, a date, its successor.
const END: &str = r"(?:\W*$|[.!;)\]]|\s+[–—-]
    |\W+(?:by|on|since|as\s+of|from|in|(?:19|20)\d\d|(?:please\s+)?(?:see|use))\b)";

static STATUS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?xi)^\W*(?:status|state)\W*[:·|–—-]\W*(?:is\s+|now\s+)?{ADVERBS}{GONE}\b
        |^\W*(?:status\W+)?(?:ersetzt\s+durch|überholt|veraltet|außer\s+kraft|remplacé|abrogé|obsol[eè]te
            |sustituido|derogado)\b",
    ))
    .ok()
});

static REPLACED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?xi)
        ^\W*{LABEL}(?:this|these)\s+\w+(?:\s+\w+)?\s+{IS}{ADVERBS}{SUPERSEDED}\b
        |^\W*{LABEL}(?:this|these)\s+(?:\w+\s+){{0,3}}{DOCUMENT}\s+
            (?:{IS}{ADVERBS}{GONE}\b|no\s+longer\s+appl(?:y|ies){END})
        |^\W*{LABEL}(?:is\s+|now\s+)?{ADVERBS}{GONE}(?:\s+{COPY})?{END}
        |\b(?:this|these)\s+{DOCUMENT}\s+{IS}{ADVERBS}{GONE}\b",
    ))
    .ok()
});

/// Finds the status in a title, such as "Mooring (superseded)" or "Withdrawn: Mooring".
static TITLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(r"(?xi)[(\[]\s*{ADVERBS}{GONE}(?:\s+{COPY})?{END}|^\W*{GONE}(?:\s*[:–—]|\s+{COPY}\b)")).ok()
});

/// Finds what happens to a thing again and again, or only under a condition: no status of a document.
static OF_THINGS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?xi)^\W*(?:if|when|whenever|unless|until|should|once)\b
        |\b(?:if|when|whenever|unless|until|before|after|once)\s+(?:this|these)\s+{DOCUMENT}\s+{IS}{ADVERBS}
            {GONE}\b
        |\b(?:replaced|archived|withdrawn|expired)\s+(?:regularly|annually|yearly|monthly|weekly|daily)\b
        |\b(?:replaced|archived|withdrawn|expired)\b[^,;]*\b(?:
            (?:every|each)\s+(?:\w+\s+){{0,2}}(?:day|week|month|quarter|year|season|spring|summer|autumn|winter|time
                |morning|evening|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june
                |july|august|september|october|november|december|(?:days|weeks|months|years))\b
            |whenever\b|(?:regularly|annually|yearly|monthly|weekly|daily)\W*$)",
    ))
    .ok()
});

fn is_match(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Whether a sentence says of its document that it no longer applies.
fn says_replaced(sentence: &str) -> bool {
    is_match(&STATUS, sentence) || is_match(&REPLACED, sentence) && !is_match(&OF_THINGS, sentence)
}

/// Reads the status from a document's name, title and beginning, and from the date of its metadata, which its status
/// has already.
#[must_use]
pub fn document_status(name: &str, document: &Document) -> DocumentStatus {
    let mut beginning = String::new();
    // Text before the second heading describes the document; later text describes its subject.
    let first = document.passages.first().map_or("", |passage| passage.section.as_str());
    for passage in document.passages.iter().take_while(|passage| passage.section == first) {
        beginning.push_str(&passage.text);
        beginning.push('\n');
    }
    beginning.truncate(beginning.floor_char_boundary(BEGINNING_CHARS));
    let title = document.title.as_deref().unwrap_or_default();
    let is_replaced = is_match(&TITLE, title);
    let named = dates(title).into_iter().chain(dates(&spaced(name))).map(|found| found.date);
    let mut status = DocumentStatus { dated: named.chain(document.status.dated).max(), is_replaced };
    let mut alone = Vec::new();
    for sentence in beginning.lines().flat_map(sentences) {
        if says_replaced(sentence) {
            status.is_replaced = true;
        } else if !is_about_another(sentence) {
            status.dated = stated_dates(sentence).into_iter().chain(status.dated).max();
            alone.extend(date_alone(sentence));
        }
    }
    alone.sort_unstable();
    alone.dedup();
    // Several are a list of dates, as of meetings.
    if let [date] = alone[..] {
        status.dated = status.dated.max(Some(date));
    }
    status
}

/// Returns a file's name with spaces for its underscores, and for hyphens except those within a date such as 2025-11-20.
fn spaced(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let is_digit = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit);
    let space = |(at, c): (usize, &char)| match c {
        '_' => ' ',
        '-' if !(is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1))) => ' ',
        other => *other,
    };
    characters.iter().enumerate().map(space).collect()
}

/// Whether a sentence is about another document, as in "This edition replaces the one of January 2025".
fn is_about_another(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    ["replaces", "supersedes", "ersetzt", "remplace", "sustituye"].iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::super::{DocumentError, read};

    fn document_status(name: &str, text: &str) -> Result<(Option<String>, bool), DocumentError> {
        let status = read(name, text.as_bytes())?.status;
        Ok((status.dated.map(|date| date.to_string()), status.is_replaced))
    }

    #[test]
    fn a_file_name_holds_a_date_in_any_form() {
        for (name, date) in [
            ("2025-11-20-minutes.md", "2025-11-20"),
            ("minutes_2025-11-20.md", "2025-11-20"),
            ("minutes-20-November-2025.md", "2025-11-20"),
            ("fees-2026.md", "2026-01-01"),
        ] {
            assert_eq!(document_status(name, "# Minutes\n\nText."), Ok((Some(date.to_owned()), false)), "{name}");
        }
    }

    #[test]
    fn a_document_says_since_when_it_holds() {
        let current = "# Mooring (2025)\n\nVersion 3, in force from 1 March 2025. This edition replaces the one of May 2026.\n\n\
                       ## Lines\n\nThe pier was built on 5 May 2027.";
        assert_eq!(document_status("mooring.md", current), Ok((Some("2025-03-01".to_owned()), false)));
        assert_eq!(
            document_status("mooring-2021.md", "# Mooring\n\n## Lines\n\nTwo."),
            Ok((Some("2021-01-01".to_owned()), false))
        );
    }

    #[test]
    fn a_date_of_what_a_document_tells_about_is_not_its_date() {
        let rules = "# Mooring (2023)\n\nVersion 2, in force from 1 March 2023.\n\n\
                     > Status: replaced by \"Mooring (2025)\". Kept because some berths of 2024 are not settled.";
        assert_eq!(document_status("m.md", rules), Ok((Some("2023-03-01".to_owned()), true)));
        let history = "# The pier\n\nThe pier was built in 1987. A storm took half of it on 5 May 2019.";
        assert_eq!(document_status("pier.md", history), Ok((None, false)));
    }

    #[test]
    fn a_line_that_is_only_a_date_dates_a_document_unless_there_are_several() {
        let letter = "Vienna, 3 May 2025\n\nDear Ida,\n\nthe pier opens on 4 June 2026.";
        assert_eq!(document_status("letter.txt", letter), Ok((Some("2025-05-03".to_owned()), false)));
        let meetings = "# Meetings\n\nWe meet on these days.\n\n- 3 May 2030\n- 4 June 2030";
        assert_eq!(document_status("meetings.md", meetings), Ok((None, false)));
    }

    #[test]
    fn metadata_dates_a_document() {
        let front_matter = "---\ntitle: Fees\ndate: 2025-05-03\n---\n# Fees\n\nSince 2019 a night costs nine euros.";
        assert_eq!(document_status("fees.md", front_matter), Ok((Some("2025-05-03".to_owned()), false)));
        let toml = "+++\ntitle = \"Fees\"\ndate = 2025-05-03\n+++\n# Fees\n\nSince 2019 a night costs nine euros.";
        assert_eq!(document_status("fees.md", toml), Ok((Some("2025-05-03".to_owned()), false)));
        let page = "<html><head><meta name='last-modified' content='2025-05-03'></head><body><p>Nine euros.</p>";
        assert_eq!(document_status("fees.html", page), Ok((Some("2025-05-03".to_owned()), false)));
    }

    #[test]
    fn a_document_says_that_it_was_replaced() {
        for status in [
            "> Status: superseded on 1 April 2025 by \"Mooring (2025)\".",
            "Status: replaced by the rules of 2025.",
            "This document has been withdrawn.",
            "This edition has since been superseded by another.",
            "This price list is now superseded.",
            "Obsolete since May 2024.",
            "Archived (2024)",
            "Expired.",
            "Note: superseded, see the rules of 2025.",
            "This document has been completely replaced by the rules of 2025.",
            "**Superseded edition**",
            "Superseded edition, see the rules of 2025.",
            "This policy is no longer in force.",
            "These rules are no longer in force.",
            "No longer in force since 1 May 2024.",
            "Withdrawn on 1 May 2024",
            "Status: withdrawn on 1 May 2024.",
            "This guide was officially withdrawn on 1 May 2024.",
            "This policy no longer applies.",
            "This repository is archived.",
            "This website was archived in 2024.",
            "This policy was replaced by the rules of 2025, which are reviewed every year.",
            "This list was replaced by the weekly list.",
        ] {
            let text = format!("# Mooring\n\nVersion 1, valid from June 2022.\n\n{status}\n\n## Lines\n\nTwo.");
            let (dated, is_replaced) = document_status("m.md", &text).unwrap();
            assert!(is_replaced, "{status}");
            assert_eq!(dated.as_deref(), Some("2022-06-01"));
        }
        for status in [
            "Status: current. Replaces \"Mooring (2022)\".",
            "Lamps are replaced by the keeper every May.",
            "Replaced by the keeper every May.",
            "This lamp is replaced by the keeper every May.",
            "This list is replaced by the keeper every May.",
            "This pump was replaced in 2024.",
            "If this notice is withdrawn, the pier is closed.",
            "The edition of 2019 has been withdrawn.",
            "Archived minutes from 2019 are in the cellar.",
            "This policy has never been replaced.",
            "The pier stays closed until this notice is withdrawn.",
            "These discounts no longer apply to members.",
            "This policy no longer applies to members.",
            "This list is replaced weekly by the keeper.",
            "Expired vouchers are not accepted at the till.",
            "Expired, torn or stained vouchers are not accepted.",
            "Replaced the north pump with a Kestrel.",
            "Warning: expired vouchers are not accepted.",
            "This policy is not superseded by the law of the land.",
            "This document has superseded the older one.",
        ] {
            assert!(!document_status("m.md", &format!("# Mooring\n\n{status}")).unwrap().1, "{status}");
        }
    }

    #[test]
    fn a_title_says_that_a_document_was_replaced() {
        for (title, is_replaced) in [
            ("Mooring (superseded)", true),
            ("Mooring [withdrawn on 1 May 2024]", true),
            ("Withdrawn: Mooring", true),
            ("Superseded edition of the mooring rules", true),
            ("Mooring", false),
            ("Expired vouchers", false),
            ("Mooring (lines replaced by chains)", false),
            ("Kestrel (deprecated methods)", false),
            ("Mooring (withdrawn)", true),
            ("Mooring (superseded by the rules of 2025)", true),
        ] {
            let text = format!("# {title}\n\nTwo lines.");
            assert_eq!(document_status("m.md", &text).unwrap().1, is_replaced, "{title}");
        }
    }
}
