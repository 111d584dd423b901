//! Removes what repeats on the pages of a printed text: headers and footers, and page numbers. They interrupt the
//! text and answer no question. Called by [`super::printed`].

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;

/// How many lines at the top and at the bottom of a page may be its header or footer.
const EDGE_LINES: usize = 2;
/// Documents with fewer pages have a header if two pages have it, others if [`MIN_PAGES`] have it.
const FEW_PAGES: usize = 5;
/// Minimum number of pages with a line that differs only in a number that counts the pages, such as "Chapter 2 · 17".
const MIN_PAGES: usize = 3;
/// Words beside which a number that counts the pages is the number of a page.
const PAGE_WORDS: [&str; 7] = ["page", "p", "seite", "s", "página", "pagina", "blatt"];

const NUMBERS: &str = r"\s+\d{1,4}(?:\s+(?i:of|von|sur|de|di)\s+|\s*/\s*)\d{1,4}";

/// Finds "Page 3 of 7" alone in a line, or separated from the rest of it.
static MARK: LazyLock<Option<Regex>> =
    LazyLock::new(|| mark(r"(?i:page|seite|página|pagina)", r"\s{2,}|\s*[|·–—]\s*|\s+-\s+"));

/// The same at the edge of a page, where a single space separates it.
static MARK_AT_EDGE: LazyLock<Option<Regex>> =
    LazyLock::new(|| mark(r"(?:Page|PAGE|Seite|SEITE|Página|Pagina)", r"\s+|\s*[|·–—]\s*"));

fn mark(word: &str, separator: &str) -> Option<Regex> {
    Regex::new(&format!(
        r"^(?P<before>.*?)(?:^|{separator})\W*{word}{NUMBERS}\W*$|^\W*{word}{NUMBERS}(?:{separator})(?P<after>.+)$"
    ))
    .ok()
}

/// The pages of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pages {
    /// Each without what repeats.
    pub(super) texts: Vec<String>,
    /// The header of at least half of the pages.
    pub(super) head: Option<String>,
}

#[derive(Debug, Clone, Copy)]
struct Line<'t> {
    /// Without the number of the page.
    text: &'t str,
    /// It has "Page 3 of 7".
    is_marked: bool,
    is_edge: bool,
}

/// What running lines have in common: their words, and by how much a number at their beginning or end exceeds the
/// number of the page, if it is left out.
type Key = (String, Option<i64>);

/// Removes the running lines of all pages. A text of nothing else stays as it is.
pub(super) fn without_running_lines(pages: &[&str]) -> Pages {
    let lines: Vec<Vec<Line<'_>>> = pages.iter().map(|page| lines(page, pages.len() > 1)).collect();
    let (edges, beside) = (running_edges(pages, &lines), running_beside(&lines));
    let is_running = |page: usize, line: &Line<'_>| {
        let is_number = line.is_marked && !has_words(line.text);
        let is_head = line.is_edge && keys(line.text, page).iter().any(|key| edges.contains_key(key));
        is_number || is_head || (!beside.is_empty() && beside.contains(&folded(line.text)))
    };
    let text = |(page, lines): (usize, &Vec<Line<'_>>)| {
        lines.iter().filter(|line| !is_running(page, line)).map(|line| line.text).collect::<Vec<_>>().join("\n")
    };
    let texts: Vec<String> = lines.iter().enumerate().map(text).collect();
    if !texts.iter().any(|text| text.contains(char::is_alphabetic)) {
        return Pages { texts: pages.iter().map(|page| (*page).to_owned()).collect(), head: None };
    }
    Pages { head: head(&lines, &edges, &beside), texts }
}

/// Returns the lines of a page. `has_edges`: the page is one of several.
fn lines(page: &str, has_edges: bool) -> Vec<Line<'_>> {
    let is_written = |line: &str| !line.trim().is_empty();
    let written = page.lines().filter(|line| is_written(line)).count();
    let mut before = 0;
    let lines = page.lines().map(|text| {
        let is_outer = before < EDGE_LINES || before + EDGE_LINES >= written;
        let is_edge = has_edges && is_written(text) && is_outer;
        before += usize::from(is_written(text));
        let rest = beside(&MARK, text).or_else(|| if is_edge { beside(&MARK_AT_EDGE, text) } else { None });
        Line { text: rest.unwrap_or(text), is_marked: rest.is_some(), is_edge }
    });
    lines.collect()
}

/// Returns what a line has beside the number of its page; `None` if it has no such number.
fn beside<'t>(pattern: &LazyLock<Option<Regex>>, line: &'t str) -> Option<&'t str> {
    let found = pattern.as_ref()?.captures(line)?;
    Some(found.name("before").or_else(|| found.name("after")).map_or("", |rest| rest.as_str().trim()))
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Returns the words of a line, separated by single spaces.
fn folded(line: &str) -> String {
    line.split_whitespace().filter(|word| has_words(word)).collect::<Vec<_>>().join(" ")
}

/// Returns all by which a line of a page may be recognised on others.
fn keys(line: &str, page: usize) -> Vec<Key> {
    let words: Vec<&str> = line.split_whitespace().filter(|word| has_words(word)).collect();
    let page = i64::try_from(page).unwrap_or(i64::MAX);
    let offset = |word: &str| {
        let number = word.trim_matches(|c: char| !c.is_alphanumeric()).parse::<i64>().ok();
        number.map(|number| number.saturating_sub(page))
    };
    let mut keys = Vec::new();
    if let Some((last, others)) = words.split_last() {
        keys.extend(offset(last).map(|offset| (others.join(" "), Some(offset))));
    }
    if let Some((first, others)) = words.split_first() {
        keys.extend(offset(first).map(|offset| (others.join(" "), Some(offset))));
    }
    if line.contains(char::is_alphabetic) {
        keys.push((words.join(" "), None));
    }
    keys
}

/// Returns what stands at the edges of several pages, and of how many. Copies of a page count as one.
fn running_edges(pages: &[&str], lines: &[Vec<Line<'_>>]) -> HashMap<Key, usize> {
    let mut counts: HashMap<Key, usize> = HashMap::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for (page, lines) in lines.iter().enumerate() {
        if !seen.insert(pages[page].trim()) {
            continue;
        }
        let edges = lines.iter().filter(|line| line.is_edge);
        let of_page: HashSet<Key> = edges.flat_map(|line| keys(line.text, page)).collect();
        for key in of_page {
            *counts.entry(key).or_default() += 1;
        }
    }
    let few = if pages.len() < FEW_PAGES { 2 } else { MIN_PAGES };
    counts.retain(|(text, offset), count| {
        let is_number = text.is_empty() || is_page_word(text);
        let needed = if offset.is_some() && !is_number { MIN_PAGES } else { few };
        *count >= needed
    });
    counts
}

/// Returns what stands beside the numbers of several pages, where the text does not show where a page ends.
fn running_beside(lines: &[Vec<Line<'_>>]) -> HashSet<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for line in lines.iter().flatten().filter(|line| line.is_marked && has_words(line.text)) {
        *counts.entry(folded(line.text)).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(text, _)| text).collect()
}

/// Returns the header, which is mostly the title.
fn head(lines: &[Vec<Line<'_>>], edges: &HashMap<Key, usize>, beside: &HashSet<String>) -> Option<String> {
    let is_title = |text: &String| text.contains(char::is_alphabetic) && !is_page_word(text);
    let first = lines
        .iter()
        .enumerate()
        .filter_map(|(page, lines)| lines.iter().find(|line| has_words(line.text)).map(|line| keys(line.text, page)));
    let is_of_most = |key: &Key| edges.get(key).is_some_and(|count| count * 2 >= lines.len());
    let at_edge = first.flatten().filter(is_of_most).map(|(text, _)| text).find(is_title);
    at_edge.or_else(|| lines.iter().flatten().map(|line| folded(line.text)).find(|text| beside.contains(text)))
}

fn is_page_word(text: &str) -> bool {
    PAGE_WORDS.contains(&text.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pages: &[&str]) -> Vec<String> {
        without_running_lines(pages).texts.iter().map(|text| text.trim().to_owned()).collect()
    }

    #[test]
    fn running_heads_and_feet_are_left_out() {
        let pages = [
            "Harbour Rules\n\nThe pier opens at nine.\n\n1",
            "Harbour Rules\n\nDogs are welcome.\n\n2",
            "Harbour Rules\n\nBoats pay nothing.\n\n3",
        ];
        assert_eq!(texts(&pages), ["The pier opens at nine.", "Dogs are welcome.", "Boats pay nothing."]);
        assert_eq!(without_running_lines(&pages).head.as_deref(), Some("Harbour Rules"));
        let fees = ["ten", "six", "two"]
            .map(|fee| format!("Fees of {fee}.\nPaid at the quay.\nEach night.\nNothing for {fee}.\nEnd of {fee}."));
        let pages = [7, 8, 9].map(|number| format!("Fees {number}\n{}", fees[number - 7]));
        assert_eq!(texts(&pages.each_ref().map(String::as_str)), fees);
    }

    #[test]
    fn the_number_of_a_page_is_left_out_and_what_stands_beside_it_once_stays() {
        let text = "QUAY SCHOOL\nIssue 4, January 2026          Page 1 of 3\n\nIt opens.\n\n\
                    QUAY SCHOOL    Page 2 of 3\n\nIt closes.\n\nPage 3 of 3 | QUAY SCHOOL\n\nSee the map on page 2 of 3.";
        let found = without_running_lines(&[text]);
        let lines: Vec<&str> = found.texts[0].lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, ["Issue 4, January 2026", "It opens.", "It closes.", "See the map on page 2 of 3."]);
        assert_eq!(found.head.as_deref(), Some("QUAY SCHOOL"));
        let close = ["Quay School Page 1 of 2\nIt opens.", "Quay School Page 2 of 2\nIt closes."];
        assert_eq!(texts(&close), ["It opens.", "It closes."]);
    }

    #[test]
    fn what_a_page_has_alone_stays() {
        let pages = ["Day 1\nIt opens.\nIt is free.", "Day 2\nIt closes.\nIt costs 45 euros."];
        assert_eq!(texts(&pages), pages);
        let copies = ["It opens.\nIt is free.", "It opens.\nIt is free."];
        assert_eq!(texts(&copies), copies);
        assert_eq!(texts(&["Harbour Rules", "Harbour Rules\n2"]), ["Harbour Rules", "Harbour Rules\n2"]);
        assert!(without_running_lines(&copies).head.is_none());
    }
}
