//! Changes brought into the files of a graph: the page first, then the journal's link to it.
//!
//! A change that is there already is not made again, so an apply that was killed is simply done again. Where another program changes a file in
//! between, the file is read again and the change made to what it says now.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use aha_core::failpoint;
use chrono::NaiveDate;

use crate::change::{Change, Origin, new_page};
use crate::document::Document;
use crate::error::NotesError;
use crate::graph::Graph;
use crate::replace_file::{content, is_quiet, replace};
use crate::state::{Record, Set, State, Wrote, hash, is_done, tag};

/// What became of a change.
#[derive(Debug)]
pub enum Outcome {
    Written { block: String },
    AlreadyThere { block: String },
    Failed(NotesError),
}

/// What an apply did.
#[derive(Debug)]
pub struct Applied {
    /// One a change, in their order.
    pub outcomes: Vec<Outcome>,
    /// Where it is kept for [`crate::undo`]; `None` where nothing was written.
    pub set: Option<PathBuf>,
    /// Files that another program still wrote to while they were replaced, and where that is kept.
    pub written_late: Vec<(String, PathBuf)>,
}

/// A file as it is and as it would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Relative to the graph.
    pub file: String,
    pub before: String,
    pub after: String,
}

/// A change that cannot be made, by its index, and why.
pub type NotMade = (usize, NotesError);

/// How often a file that another program changes meanwhile is read again.
const ATTEMPTS: usize = 25;

/// Makes the changes. `protected`: today, whose page is not written.
///
/// # Errors
/// When the state folder cannot be used; what is wrong with one change is its outcome.
pub fn apply(
    graph: &Graph,
    state: &State,
    changes: &[Change],
    protected: Option<NaiveDate>,
) -> Result<Applied, NotesError> {
    let set = state.new_set()?;
    let mut writer = Writer { graph, state, set, own: HashMap::new() };
    let mut outcomes = Vec::with_capacity(changes.len());
    for change in changes {
        outcomes.push(writer.make(change, protected).unwrap_or_else(Outcome::Failed));
    }
    let set = writer.set.finish();
    let written_late = state.written_late()?;
    Ok(Applied { outcomes, set, written_late })
}

struct Writer<'a> {
    graph: &'a Graph,
    state: &'a State,
    set: Set,
    /// Hashes of what was written here, which need not be waited for.
    own: HashMap<PathBuf, String>,
}

impl Writer<'_> {
    fn make(&mut self, change: &Change, protected: Option<NaiveDate>) -> Result<Outcome, NotesError> {
        let origin = origin_file(self.graph, change, protected)?;
        let page = self.graph.page(&change.page)?;
        // Whether the journal can take its link is known before the page is written.
        if let Some((origin, file)) = &origin {
            change.link_in(&mut self.graph.read(file)?, origin, "")?;
        }
        let unit = self.graph.unit().to_owned();
        let mut block = String::new();
        let is_new = self.edit(&page.path, |document| {
            let written = change.write_to(document, &unit)?;
            block.clone_from(&written.block);
            let text = change.text.clone();
            Ok(written.is_new.then_some(match change.action {
                crate::Action::Replace => Wrote::Replacement { id: written.block },
                _ => Wrote::Block { id: written.block, text },
            }))
        })?;
        failpoint::hit("notes.page_written");
        let is_linked = match &origin {
            None => false,
            Some((origin, file)) => {
                let link = self.graph.link(&page.name, &block);
                self.edit(file, |document| {
                    Ok(change.link_in(document, origin, &link)?.then(|| Wrote::Link { link: link.clone() }))
                })?
            }
        };
        failpoint::hit("notes.journal_written");
        Ok(if is_new || is_linked { Outcome::Written { block } } else { Outcome::AlreadyThere { block } })
    }

    /// Reads, edits and replaces a file until no other program interferes. Whether anything changed.
    fn edit(
        &mut self,
        path: &Path,
        mut edit: impl FnMut(&mut Document) -> Result<Option<Wrote>, NotesError>,
    ) -> Result<bool, NotesError> {
        for _ in 0..ATTEMPTS {
            let base = content(path)?;
            let is_own = base.as_ref().is_some_and(|base| self.own.get(path) == Some(&hash(base)));
            if !is_own && !is_quiet(path, &self.state.probe())? {
                break;
            }
            let base = if is_own { base } else { content(path)? };
            let mut document = parse(self.graph, path, base.as_deref())?;
            let Some(wrote) = edit(&mut document)? else { return Ok(false) };
            if self.replace(path, base.as_deref(), document.text().as_bytes(), wrote)? {
                return Ok(true);
            }
        }
        Err(NotesError::Busy(path.to_owned()))
    }

    fn replace(&mut self, path: &Path, base: Option<&[u8]>, new: &[u8], wrote: Wrote) -> Result<bool, NotesError> {
        let folder = path.parent().unwrap_or(self.graph.root());
        fs::create_dir_all(folder).map_err(NotesError::io("create", folder))?;
        let record = Record { file: relative(self.graph, path), base: base.map(hash), new: hash(new), wrote };
        let recorded = self.set.record(&record, base)?;
        let replaced = replace(path, base, new, &tag(&recorded), &recorded.with_extension("kept"))?;
        if is_done(replaced) {
            self.own.insert(path.to_owned(), hash(new));
        } else {
            Set::withdraw(&recorded);
        }
        Ok(is_done(replaced))
    }
}

fn parse(graph: &Graph, path: &Path, bytes: Option<&[u8]>) -> Result<Document, NotesError> {
    let Some(bytes) = bytes else { return Ok(new_page(graph.format())) };
    let text = std::str::from_utf8(bytes).map_err(|_| NotesError::NotUtf8(path.to_owned()))?;
    Ok(Document::parse(graph.format(), text))
}

pub(crate) fn relative(graph: &Graph, path: &Path) -> String {
    path.strip_prefix(graph.root()).unwrap_or(path).to_string_lossy().into_owned()
}

/// The file of the journal's day, unless it is today's.
fn origin_file<'a>(
    graph: &Graph,
    change: &'a Change,
    protected: Option<NaiveDate>,
) -> Result<Option<(&'a Origin, PathBuf)>, NotesError> {
    let Some(origin) = &change.origin else { return Ok(None) };
    let day = graph.days()?.into_iter().find(|day| relative(graph, &day.path) == origin.file);
    let missing = || NotesError::NoBlock { page: origin.page.clone(), block: change.knowledge.clone() };
    let day = day.ok_or_else(missing)?;
    if protected.is_some() && day.day == protected {
        return Err(NotesError::Today(day.path));
    }
    Ok(Some((origin, day.path)))
}

/// The files as they would be after the changes; nothing is written. What cannot be made is said in its place.
///
/// # Errors
/// When a file cannot be read.
pub fn preview(graph: &Graph, changes: &[Change]) -> Result<(Vec<Preview>, Vec<NotMade>), NotesError> {
    let mut files: BTreeMap<PathBuf, (String, Document)> = BTreeMap::new();
    let mut failures = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        if let Err(error) = preview_one(graph, change, &mut files) {
            failures.push((index, error));
        }
    }
    let edited = files.into_iter().filter(|(_, (before, after))| *before != after.text());
    let previews =
        edited.map(|(path, (before, after))| Preview { file: relative(graph, &path), before, after: after.text() });
    Ok((previews.collect(), failures))
}

fn preview_one(
    graph: &Graph,
    change: &Change,
    files: &mut BTreeMap<PathBuf, (String, Document)>,
) -> Result<(), NotesError> {
    let page = graph.page(&change.page)?;
    let origin = origin_file(graph, change, None)?;
    let load = |path: &Path, files: &BTreeMap<PathBuf, (String, Document)>| match files.get(path) {
        Some(known) => Ok(known.clone()),
        None => parse(graph, path, content(path)?.as_deref()).map(|document| (document.text(), document)),
    };
    let (before, mut document) = load(&page.path, files)?;
    let written = change.write_to(&mut document, graph.unit())?;
    let day = match &origin {
        Some((origin, path)) => {
            let (before, mut day) = load(path, files)?;
            change.link_in(&mut day, origin, &graph.link(&page.name, &written.block))?;
            Some((path.clone(), (before, day)))
        }
        None => None,
    };
    files.insert(page.path, (before, document));
    files.extend(day);
    Ok(())
}

impl Preview {
    /// As a unified diff.
    #[must_use]
    pub fn diff(&self) -> String {
        let diff = similar::TextDiff::from_lines(&self.before, &self.after);
        diff.unified_diff().context_radius(2).header(&self.file, &self.file).to_string()
    }
}
