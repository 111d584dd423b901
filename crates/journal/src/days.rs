//! Reads the requested journal days as blocks with their ancestors.

use std::fmt;
use std::io;

use aha_notes::knowledge::classify::is_code;
use aha_notes::property::EXTRACTED_TO;
use aha_notes::{Document, Format, Graph, NotesError, Page};
use chrono::{Days, NaiveDate};
use thiserror::Error;

/// Why days could not be read.
#[derive(Debug, Error)]
pub enum DaysError {
    #[error("\"{0}\" is no day: write a date as 2026-03-02, two with .. between them, today or yesterday")]
    Range(String),
    #[error("\"{0}\" ends before it begins: write the earlier day before the ..")]
    Order(String),
    #[error("there is no journal page of {0}; `aha-radar journal init` shows where they are looked for")]
    NoDays(String),
    #[error(transparent)]
    Notes(#[from] NotesError),
}

impl DaysError {
    /// Returns whether only one day is affected, which is ignored if there are others: its file is not UTF-8, or was
    /// removed after the folder was listed.
    #[must_use]
    pub fn is_of_one_day(&self) -> bool {
        match self {
            Self::NoDays(_) | Self::Notes(NotesError::NotUtf8(_)) => true,
            Self::Notes(NotesError::Io { source, .. }) => source.kind() == io::ErrorKind::NotFound,
            Self::Range(_) | Self::Order(_) | Self::Notes(_) => false,
        }
    }
}

/// A range of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub first: NaiveDate,
    pub last: NaiveDate,
}

impl Range {
    /// Parses `2026-03-02`, `2026-03-02..2026-03-05`, `today` or `yesterday`.
    ///
    /// # Errors
    /// When the text has none of these forms, or the range ends before it begins.
    pub fn parse(text: &str, today: NaiveDate) -> Result<Self, DaysError> {
        let wrong = || DaysError::Range(text.to_owned());
        let day = |text: &str| match text.trim() {
            "today" => Some(today),
            "yesterday" => today.checked_sub_days(Days::new(1)),
            text => NaiveDate::parse_from_str(text, "%Y-%m-%d").ok(),
        };
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let range = Self { first: day(first).ok_or_else(wrong)?, last: day(last).ok_or_else(wrong)? };
        if range.first <= range.last { Ok(range) } else { Err(DaysError::Order(text.to_owned())) }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last { write!(f, "{}", self.first) } else { write!(f, "{}..{}", self.first, self.last) }
    }
}

/// A journal day with its blocks.
#[derive(Debug, Clone)]
pub struct Day {
    pub page: Page,
    /// Relative to the graph.
    pub file: String,
    pub document: Document,
    ids: Vec<String>,
}

/// A block of a day that may contain knowledge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalBlock {
    pub id: String,
    /// Index among the day's blocks.
    pub index: usize,
    pub text: String,
    /// Texts of the blocks that contain it, the outermost first.
    pub above: Vec<String>,
}

/// Returns the existing days of a range. Without a range, returns the latest day before today. A day that is not UTF-8
/// is ignored.
///
/// # Errors
/// When there are none or all are ignored, or a page cannot be read.
pub fn days(graph: &Graph, range: Option<Range>, today: NaiveDate) -> Result<Vec<Day>, DaysError> {
    Ok(days_and_ignored(graph, range, today)?.0)
}

/// Returns the days as [`days`] does, and the reason of each one that is ignored, the latest first.
///
/// # Errors
/// As [`days`].
pub fn days_and_ignored(
    graph: &Graph,
    range: Option<Range>,
    today: NaiveDate,
) -> Result<(Vec<Day>, Vec<DaysError>), DaysError> {
    let mut pages = graph.days()?;
    if let Some(range) = range {
        pages.retain(|page| page.day.is_some_and(|day| (range.first..=range.last).contains(&day)));
    } else {
        pages.retain(|page| page.day.is_some_and(|day| day < today));
    }
    let (mut found, mut ignored) = (Vec::new(), Vec::new());
    let limit = if range.is_some() { usize::MAX } else { 1 };
    for page in pages.into_iter().rev() {
        match Day::read(graph, page) {
            Ok(day) => found.push(day),
            Err(error) if error.is_of_one_day() => ignored.push(error),
            Err(error) => return Err(error),
        }
        if found.len() == limit {
            break;
        }
    }
    found.reverse();
    let wanted = || range.map_or_else(|| format!("a day before {today}"), |range| range.to_string());
    if found.is_empty() {
        return Err(ignored.into_iter().next().unwrap_or_else(|| DaysError::NoDays(wanted())));
    }
    Ok((found, ignored))
}

impl Day {
    fn read(graph: &Graph, page: Page) -> Result<Self, DaysError> {
        let document = graph.read(&page.path)?;
        let file = page.path.strip_prefix(graph.root()).unwrap_or(&page.path).to_string_lossy().into_owned();
        let ids = document.ids(&page.name);
        Ok(Self { page, file, document, ids })
    }

    /// Returns the blocks with text from which nothing has been extracted yet. A block that is only code is none.
    #[must_use]
    pub fn blocks(&self) -> Vec<JournalBlock> {
        let text_of = |index: usize| self.document.block_text(index);
        let blocks = self.ids.iter().enumerate().filter_map(|(index, id)| {
            let text = text_of(index);
            let is_done = self.document.property(index, EXTRACTED_TO).is_some();
            let is_heading = self.document.format() == Format::Markdown && self.document.is_heading(index);
            let above = self.document.ancestors(index).into_iter().map(text_of).collect();
            let is_no_text = text.is_empty() || is_code(&text) || self.document.is_indented_code(index);
            (!is_no_text && !is_done && !is_heading).then(|| JournalBlock { id: id.clone(), index, text, above })
        });
        blocks.collect()
    }

    /// Returns the day's page properties, one line each.
    #[must_use]
    pub fn properties(&self) -> Vec<String> {
        let properties = self.document.page_properties();
        properties.into_iter().map(|property| format!("{}:: {}", property.key, property.value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_read_as_people_write_it() {
        let day = |d| NaiveDate::from_ymd_opt(2026, 3, d).unwrap();
        let read = |text| Range::parse(text, day(10)).ok();
        assert_eq!(read("2026-03-02"), Some(Range { first: day(2), last: day(2) }));
        assert_eq!(read("2026-03-02..yesterday"), Some(Range { first: day(2), last: day(9) }));
        assert_eq!(read("today").map(|range| range.to_string()).as_deref(), Some("2026-03-10"));
        for wrong in ["2026-03-05..2026-03-02", "2026-02-30", "soon", "", ".."] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        let said = Range::parse("2026-03-05..2026-03-02", day(10)).unwrap_err().to_string();
        assert!(said.contains("ends before it begins") && !said.contains("is no day"), "{said}");
    }

    #[test]
    fn code_is_no_text_of_a_day() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".obsidian")).unwrap();
        let text =
            "Said\n\n```sql\nSELECT 1; -- why\n```\n\n    indented code\n\nRun:\n```\nls\n```\n\n- Item\n\n    more\n";
        std::fs::write(folder.path().join("2026-03-02.md"), text).unwrap();
        let graph = Graph::open(folder.path()).unwrap();
        let found = days(&graph, None, NaiveDate::from_ymd_opt(2026, 3, 3).unwrap()).unwrap();
        let texts: Vec<String> = found[0].blocks().into_iter().map(|block| block.text).collect();
        assert_eq!(texts, ["Said", "Run:\n```\nls\n```", "Item\n\n  more"]);
    }

    #[test]
    fn a_day_that_is_not_utf_8_is_ignored_if_there_are_others() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &[u8]| {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("logseq/config.edn", b"{}");
        for day in ["journals/2026_03_01.md", "journals/2026_03_02.md"] {
            write(day, b"- Said\n");
        }
        write("journals/2026_03_03.md", b"- Caf\xe9\n");
        let graph = Graph::open(folder.path()).unwrap();
        let today = NaiveDate::from_ymd_opt(2026, 3, 4).unwrap();
        let read = |range: Option<&str>| {
            let range = range.map(|range| Range::parse(range, today).unwrap());
            days(&graph, range, today).map(|days| days.into_iter().map(|day| day.file).collect::<Vec<_>>())
        };
        let (first, second) = ("journals/2026_03_01.md".to_owned(), "journals/2026_03_02.md".to_owned());
        assert_eq!(read(Some("2026-03-01..2026-03-03")).unwrap(), [first, second.clone()]);
        assert_eq!(read(None).unwrap(), [second]);
        for range in [Range::parse("2026-03-01..2026-03-03", today).ok(), None] {
            let (_, ignored) = days_and_ignored(&graph, range, today).unwrap();
            let [reason] = &ignored[..] else { panic!("{ignored:?}") };
            assert!(reason.to_string().contains("2026_03_03.md is not UTF-8"), "{reason}");
        }
        let readable = Range::parse("2026-03-01..2026-03-02", today).ok();
        assert!(days_and_ignored(&graph, readable, today).unwrap().1.is_empty());
        let named = read(Some("2026-03-03")).unwrap_err();
        assert!(matches!(named, DaysError::Notes(NotesError::NotUtf8(_))), "{named}");
        assert!(matches!(read(Some("2026-03-04")), Err(DaysError::NoDays(_))));
    }
}
