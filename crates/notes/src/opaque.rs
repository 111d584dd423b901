//! Finds lines in which nothing is markup: code fences, `#+BEGIN_…` blocks, displayed formulas, front matter.
//!
//! Input: lines. Output: for each line whether it is inside such a region. A region's last line counts as inside, its
//! first line does not. A region that is never closed is ignored: Logseq reads its first line as text, and an edit must
//! not end up inside it.

use std::collections::BTreeSet;

use crate::lines::{Line, split};

/// A region opened by a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Region {
    Fence { mark: char, length: usize },
    Org(String),
    Formula,
}

impl Region {
    /// Returns the region opened by a line whose bullet and indentation were removed.
    pub(crate) fn opened_by(content: &str) -> Option<Self> {
        let content = content.trim();
        let mark = content.chars().next()?;
        if mark == '`' || mark == '~' {
            let length = content.chars().take_while(|c| *c == mark).count();
            let info = content.get(length..).unwrap_or_default();
            return (length >= 3 && (mark == '~' || !info.contains('`'))).then_some(Self::Fence { mark, length });
        }
        if content == "$$" {
            return Some(Self::Formula);
        }
        let upper = content.get(..8).map(str::to_ascii_uppercase)?;
        let name = content.get(8..)?.split_whitespace().next()?;
        (upper == "#+BEGIN_").then(|| Self::Org(name.to_ascii_uppercase()))
    }

    pub(crate) fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        match self {
            Self::Fence { mark, length } => line.chars().all(|c| c == *mark) && line.chars().count() >= *length,
            Self::Org(name) => {
                line.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("#+END_"))
                    && line.get(6..).is_some_and(|rest| rest.eq_ignore_ascii_case(name))
            }
            Self::Formula => line == "$$",
        }
    }

    /// Returns a line that closes the region.
    pub(crate) fn closing(&self) -> String {
        match self {
            Self::Fence { mark, length } => mark.to_string().repeat(*length),
            Self::Org(name) => format!("#+END_{name}"),
            Self::Formula => "$$".to_owned(),
        }
    }

    /// Returns whether the region contains code, which is no text of its writer.
    fn is_code(&self) -> bool {
        match self {
            Self::Fence { .. } => true,
            Self::Org(name) => ["SRC", "EXAMPLE", "EXPORT", "QUERY"].contains(&name.as_str()),
            Self::Formula => false,
        }
    }
}

/// Regions that are known not to be closed later in the file. This avoids searching a hostile file once per line.
#[derive(Debug, Default)]
struct Unclosed {
    backticks: Option<usize>,
    tildes: Option<usize>,
    names: BTreeSet<String>,
    formula: bool,
}

impl Unclosed {
    fn contains(&self, region: &Region) -> bool {
        match region {
            Region::Fence { mark: '`', length } => self.backticks.is_some_and(|min_length| *length >= min_length),
            Region::Fence { length, .. } => self.tildes.is_some_and(|min_length| *length >= min_length),
            Region::Org(name) => self.names.contains(name),
            Region::Formula => self.formula,
        }
    }

    fn insert(&mut self, region: &Region) {
        let min_length =
            |known: Option<usize>, length: usize| Some(known.map_or(length, |min_length| min_length.min(length)));
        match region {
            Region::Fence { mark: '`', length } => self.backticks = min_length(self.backticks, *length),
            Region::Fence { length, .. } => self.tildes = min_length(self.tildes, *length),
            Region::Org(name) => {
                self.names.insert(name.clone());
            }
            Region::Formula => self.formula = true,
        }
    }
}

/// Returns the number of lines of the front matter, including both `---` lines.
pub(crate) fn front_matter(lines: &[Line]) -> usize {
    if lines.first().is_none_or(|line| line.text.trim_end() != "---") {
        return 0;
    }
    let close = lines.iter().skip(1).position(|line| line.text.trim_end() == "---");
    close.map_or(0, |at| at + 2)
}

/// Returns for each line whether it is inside a region. `content` removes a line's bullet and indentation.
pub(crate) fn interior(lines: &[Line], content: impl Fn(&str) -> &str) -> Vec<bool> {
    let mut inside = vec![false; lines.len()];
    let start = front_matter(lines);
    inside.iter_mut().take(start).for_each(|inside| *inside = true);
    let mut unclosed = Unclosed::default();
    let mut at = start;
    while let Some(line) = lines.get(at) {
        let region = Region::opened_by(content(&line.text)).filter(|region| !unclosed.contains(region));
        at += 1;
        let Some(region) = region else { continue };
        match lines.iter().skip(at).position(|line| region.is_closed_by(&line.text)) {
            Some(length) => {
                inside.iter_mut().skip(at).take(length + 1).for_each(|inside| *inside = true);
                at += length + 1;
            }
            None => unclosed.insert(&region),
        }
    }
    inside
}

/// Returns the lines of a block's text that are not in a code block. The fences of one are part of it.
pub(crate) fn without_code(text: &str) -> Vec<&str> {
    let inside = interior(&split(text), str::trim_start);
    let mut is_code = false;
    let lines = text.lines().enumerate().filter(|(at, line)| {
        if inside.get(*at) != Some(&true) {
            let opens_region = inside.get(at + 1) == Some(&true);
            is_code = opens_region && Region::opened_by(line).is_some_and(|region| region.is_code());
        }
        !is_code
    });
    lines.map(|(_, line)| line).collect()
}
