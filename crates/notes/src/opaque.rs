//! Lines in which nothing is markup: code fences, `#+BEGIN_…` blocks, displayed formulas, front matter.
//!
//! Comes in: lines. Goes out: for each line whether it lies inside such a region, its last line included, its first not. A region that
//! is never closed is none: Logseq reads its first line as text, and an edit must not be swallowed by it.

use std::collections::BTreeSet;

use crate::lines::Line;

/// What a line opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Region {
    Fence { mark: char, length: usize },
    Org(String),
    Formula,
}

impl Region {
    /// What is opened by a line with this content, its bullet and indentation removed.
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

    /// A line that closes it.
    pub(crate) fn closing(&self) -> String {
        match self {
            Self::Fence { mark, length } => mark.to_string().repeat(*length),
            Self::Org(name) => format!("#+END_{name}"),
            Self::Formula => "$$".to_owned(),
        }
    }
}

/// Which regions are known to be closed nowhere further down, so that a hostile file is not searched once a line.
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
            Region::Fence { mark: '`', length } => self.backticks.is_some_and(|least| *length >= least),
            Region::Fence { length, .. } => self.tildes.is_some_and(|least| *length >= least),
            Region::Org(name) => self.names.contains(name),
            Region::Formula => self.formula,
        }
    }

    fn insert(&mut self, region: &Region) {
        let least = |known: Option<usize>, length: usize| Some(known.map_or(length, |least| least.min(length)));
        match region {
            Region::Fence { mark: '`', length } => self.backticks = least(self.backticks, *length),
            Region::Fence { length, .. } => self.tildes = least(self.tildes, *length),
            Region::Org(name) => {
                self.names.insert(name.clone());
            }
            Region::Formula => self.formula = true,
        }
    }
}

/// How many lines the front matter takes, its two `---` included.
pub(crate) fn front_matter(lines: &[Line]) -> usize {
    if lines.first().is_none_or(|line| line.text.trim_end() != "---") {
        return 0;
    }
    let close = lines.iter().skip(1).position(|line| line.text.trim_end() == "---");
    close.map_or(0, |at| at + 2)
}

/// See the module. `content` takes a line's bullet and indentation away.
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
