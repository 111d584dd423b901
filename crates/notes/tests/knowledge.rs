//! What the rules find of labelled days, in figures: `cargo test -p aha-notes --test knowledge -- --nocapture`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failed test is the report, and figures are printed"
)]

use aha_notes::knowledge::classify::{MIN_CONFIDENCE, is_code};
use aha_notes::knowledge::pages::{links, links_without_embeds};
use aha_notes::knowledge::{PageIndex, Placement, judge, reword};
use aha_notes::{Document, Format};

struct Labelled {
    day: u32,
    text: String,
    /// What it stands below.
    above: Vec<String>,
    is_knowledge: bool,
    page: Option<String>,
}

fn labelled() -> Vec<Labelled> {
    let (mut day, mut found, mut above) = (0, Vec::new(), Vec::<String>::new());
    for line in include_str!("data/days.txt").lines().filter(|line| !line.starts_with('#')) {
        if let Some(date) = line.strip_prefix("= ") {
            day = date[8..].parse::<u32>().unwrap();
            continue;
        }
        let content = line.trim_start_matches('\t');
        let depth = line.len() - content.len();
        let (text, page) =
            content[2..].rsplit_once(" @ ").map_or((&content[2..], None), |(text, page)| (text, Some(page)));
        above.truncate(depth);
        let page = page.filter(|page| *page != "?").map(str::to_owned);
        found.push(Labelled {
            day,
            text: text.to_owned(),
            above: above.clone(),
            is_knowledge: content.starts_with('!'),
            page,
        });
        above.push(text.to_owned());
    }
    found
}

fn index() -> PageIndex {
    let text = include_str!("data/pages.txt");
    let pages = text.split("\n= ").skip(1).map(|page| page.split_once('\n').unwrap_or((page, "")));
    PageIndex::of(pages.map(|(name, text)| (name.to_owned(), Document::parse(Format::Outline, text))).collect())
}

fn ratio(part: usize, whole: usize) -> f64 {
    f64::from(u32::try_from(part).unwrap()) / f64::from(u32::try_from(whole.max(1)).unwrap())
}

/// Precision and recall of what is taken for knowledge.
fn measured(of: &[&Labelled], name: &str, says: bool) -> (f64, f64) {
    let taken = |one: &&&Labelled| judge(&one.text).confidence >= MIN_CONFIDENCE;
    let found = of.iter().filter(taken).count();
    let right = of.iter().filter(taken).filter(|one| one.is_knowledge).count();
    let all = of.iter().filter(|one| one.is_knowledge).count();
    let (precision, recall) = (ratio(right, found), ratio(right, all));
    println!(
        "{name}: {} blocks, {all} with knowledge; precision {precision:.3} ({right}/{found}), recall {recall:.3} ({right}/{all})",
        of.len()
    );
    for one in of.iter().filter(|one| says && taken(one) != one.is_knowledge) {
        println!(
            "  {} {:.2} {} {:?}",
            if one.is_knowledge { "missed" } else { "wrong" },
            judge(&one.text).confidence,
            one.text,
            judge(&one.text).reasons
        );
    }
    (precision, recall)
}

#[test]
fn the_rules_find_most_knowledge_of_days_that_they_were_not_written_by() {
    let all = labelled();
    let odd: Vec<&Labelled> = all.iter().filter(|one| one.day % 2 == 1).collect();
    let even: Vec<&Labelled> = all.iter().filter(|one| one.day % 2 == 0).collect();
    measured(&odd, "days with an odd number", true);
    let (precision, recall) = measured(&even, "days with an even number", false);
    measured(&all.iter().collect::<Vec<_>>(), "all sixty days", false);
    assert!(precision > 0.6 && recall > 0.6, "{precision} {recall}");
}

#[test]
fn a_label_says_that_a_statement_lasts_wherever_its_sentence_begins() {
    for text in [
        "Met with Ana today. Decision: we use SQLite and not Postgres because it needs no server",
        "Met with Ana today\nDecision: we use SQLite and not Postgres because it needs no server",
        "**Decision:** we use SQLite because it needs no server",
        "Insight: guests ask for the quiet berth first",
        "Learned: readers of a WAL block no writer",
        "**Learned**: readers of a WAL block no writer",
    ] {
        let judged = judge(text);
        assert!(judged.confidence >= MIN_CONFIDENCE, "{text}: {judged:?}");
        let signs = ["a decision", "says that it was learned"];
        assert!(judged.reasons.iter().any(|reason| signs.contains(reason)), "{text}: {judged:?}");
    }
    assert!(judge("Met with Ana today. We talked about decisions at lunch").confidence < MIN_CONFIDENCE);
}

#[test]
fn code_says_nothing() {
    let said = "SQLite is a database that locks the file when it writes, because it has one writer.";
    let plain = judge(said);
    assert!(plain.confidence >= MIN_CONFIDENCE);
    for code in [
        format!("```sql\nSELECT 1; -- {said}\n```"),
        format!("~~~~\n{said}\n~~~~"),
        format!("#+BEGIN_SRC sql\n{said}\n#+END_SRC"),
    ] {
        assert!(is_code(&code) && judge(&code).confidence < MIN_CONFIDENCE, "{code}");
        let mixed = format!("{said}\n{code}");
        assert!(!is_code(&mixed) && judge(&mixed) == plain, "{mixed}");
    }
    for text in [format!("#+BEGIN_QUOTE\n{said}\n#+END_QUOTE"), format!("```\n{said}"), format!("`x` {said}")] {
        assert!(!is_code(&text) && judge(&text).confidence >= MIN_CONFIDENCE, "{text}");
    }
}

#[test]
fn most_knowledge_finds_its_page() {
    let index = index();
    let (mut first, mut third, mut of, mut placed) = (0, 0, 0, 0);
    for (parity, name) in [(1, "odd"), (0, "even")] {
        let (mut right, mut near, mut count) = (0, 0, 0);
        for one in labelled().iter().filter(|one| one.day % 2 == parity) {
            let Some(page) = &one.page else { continue };
            let text = reword(&one.text, &one.above);
            let names = links(Format::Outline, &format!("{} {}", one.text, one.above.join(" ")));
            let found = index.candidates(&text, &one.above.join(" "), &names, 10);
            count += 1;
            near += usize::from(found.iter().take(3).any(|found| found.name == *page));
            right += usize::from(found.first().is_some_and(|found| found.name == *page));
            if parity == 1 && found.first().is_none_or(|found| found.name != *page) {
                println!(
                    "  {page}: {:?} {text}",
                    found.iter().take(3).map(|one| format!("{} {:.1}", one.name, one.score)).collect::<Vec<_>>()
                );
            }
            placed +=
                usize::from(found.first().is_some_and(|found| index.placement(found, &text) != Placement::Section));
        }
        println!("days with an {name} number: the page is first for {right} of {count}, among three for {near}");
        (first, third, of) = (first + right, third + near, of + count);
    }
    println!("the page is first for {first} of {of}, among three for {third}; a place on it for {placed}");
    assert!(ratio(third, of) > 0.5, "{third} of {of}");
}

#[test]
fn what_a_page_says_already_is_seen() {
    let index = index();
    let text = "A standby applies the write-ahead log of its primary.";
    let found = index.candidates(text, "", &[], 3);
    assert_eq!(found[0].name, "Postgres");
    assert!(matches!(index.placement(&found[0], text), Placement::Exists(_)));
    assert_eq!(index.search("autovacuum rows", 5)[0].page, "Postgres");
}

#[test]
fn a_number_sign_belongs_to_a_name_in_logseq_and_ends_one_in_plain_markdown() {
    let text = "[[C#]] and [[Rust/Async|futures]], [[Boats#Tugs]], [[#Crews]]";
    assert_eq!(links(Format::Outline, text), ["C#", "Rust/Async|futures", "Boats#Tugs", "#Crews"]);
    assert_eq!(links(Format::Markdown, text), ["C", "Rust/Async", "Boats"]);
}

#[test]
fn an_embedded_file_is_no_link_to_a_new_page() {
    let text = "![[diagram.png]] shows [[Boats]] at #quays";
    assert_eq!(links(Format::Markdown, text), ["diagram.png", "Boats", "quays"]);
    assert_eq!(links_without_embeds(Format::Markdown, text), ["Boats", "quays"]);
}

#[test]
fn a_page_has_the_names_of_its_title_and_its_aliases() {
    let pages = [
        ("JavaScript", Format::Outline, "title:: Java Script\nalias:: JS, [[ECMAScript]]\n\n- Closures\n"),
        ("Übung", Format::Outline, "- Scales\n"),
        ("Boats", Format::Markdown, "---\naliases: [Ships, \"Tug boats\"]\ntags:\n  - port\n---\nText\n"),
        ("Quay", Format::Markdown, "---\naliases:\n  - Berths\n  - \"Landing stages\"\n---\nText\n"),
    ];
    let index = |(name, format, text): (&str, Format, &str)| {
        PageIndex::of(vec![(name.to_owned(), Document::parse(format, text))])
    };
    let named: [&[&str]; 4] = [
        &["javascript", "JS", "ecmascript", "java script"],
        &["übung", "ÜBUNG"],
        &["ships", "Tug Boats"],
        &["berths", "landing stages"],
    ];
    for (page, names) in pages.into_iter().zip(named) {
        for name in names {
            assert!(index(page).pages()[0].is_named(name), "{name}");
        }
        for other in ["port", "", "Text", "aliases"] {
            assert!(!index(page).pages()[0].is_named(other), "{other}");
        }
    }
}
