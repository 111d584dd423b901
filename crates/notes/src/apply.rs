//! Applies changes to the files of a graph: first to the page, then to the journal day that gets a link to it.
//!
//! A change that is already present is not made again, so an apply that was killed can simply be repeated. If another
//! program changes a file meanwhile, the file is read again and the change is made to its new content.
//!
//! Replacements are made last, those of a page from its end to its beginning. The id of a block without one in the file
//! is derived from its text and the texts above it, so that a replacement before the other changes would hide their
//! targets.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use aha_core::failpoint;
use chrono::NaiveDate;

use crate::change::{Action, Change, Origin, new_page};
use crate::document::Document;
use crate::error::NotesError;
use crate::graph::{Graph, Page};
use crate::replace_file::{content, replace, wait_until_quiet};
use crate::state::{Record, Set, State, WriteKind, hash, is_done, tag};

/// Result of one change.
#[derive(Debug)]
pub enum Outcome {
    Written { block: String },
    AlreadyThere { block: String },
    Failed(NotesError),
}

/// Result of an apply.
#[derive(Debug)]
pub struct Applied {
    /// One outcome per change, in the order of the changes.
    pub outcomes: Vec<Outcome>,
    /// Folder of the records for `crate::undo`. `None` if nothing was written.
    pub set: Option<PathBuf>,
    /// Files that another program wrote to while they were replaced, with the path of the saved text.
    pub written_late: Vec<(String, PathBuf)>,
}

/// A file before and after the changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Relative to the graph.
    pub file: String,
    pub before: String,
    pub after: String,
}

/// A change that cannot be made: its index and the reason.
pub type FailedChange = (usize, NotesError);

/// How often a file is read again while another program keeps changing it.
const ATTEMPTS: usize = 25;

/// Applies the changes. `protected` is today: changes from its page are refused.
///
/// # Errors
/// When the state folder cannot be used. An error in one change is reported as its outcome.
pub fn apply(
    graph: &Graph,
    state: &State,
    changes: &[Change],
    protected: Option<NaiveDate>,
) -> Result<Applied, NotesError> {
    let set = state.new_set()?;
    let mut pages = Pages { graph, found: HashMap::new() };
    let ordered = ordered(&mut pages, changes);
    let mut writer = Writer { graph, state, set, pages, own_writes: HashMap::new() };
    let mut outcomes = Vec::with_capacity(changes.len());
    for (index, change) in ordered {
        outcomes.push((index, writer.make(change, protected).unwrap_or_else(Outcome::Failed)));
    }
    outcomes.sort_by_key(|(index, _)| *index);
    let outcomes = outcomes.into_iter().map(|(_, outcome)| outcome).collect();
    let set = writer.set.finish();
    let written_late = state.written_late()?;
    Ok(Applied { outcomes, set, written_late })
}

/// The pages of the changes, each looked up once: finding a page by its title reads every file.
struct Pages<'a> {
    graph: &'a Graph,
    found: HashMap<String, Page>,
}

impl Pages<'_> {
    fn page(&mut self, name: &str) -> Result<Page, NotesError> {
        if let Some(known) = self.found.get(name) {
            return Ok(known.clone());
        }
        let page = self.graph.page(name)?;
        self.found.insert(name.to_owned(), page.clone());
        Ok(page)
    }
}

/// Returns the changes with their indexes, in the order in which they are made.
fn ordered<'a>(pages: &mut Pages<'_>, changes: &'a [Change]) -> Vec<(usize, &'a Change)> {
    let graph = pages.graph;
    let mut place = |change: &Change| {
        let document = graph.read(&pages.page(&change.page).ok()?.path).ok()?;
        document.find(&change.page, change.target.as_deref()?)
    };
    let mut ordered: Vec<(usize, &Change)> = changes.iter().enumerate().collect();
    ordered.sort_by_cached_key(|(_, change)| (change.action == Action::Replace).then(|| Reverse(place(change))));
    ordered
}

struct Writer<'a> {
    graph: &'a Graph,
    state: &'a State,
    set: Set,
    pages: Pages<'a>,
    /// Hashes of files written by this apply. There is no need to wait until these are quiet.
    own_writes: HashMap<PathBuf, String>,
}

impl Writer<'_> {
    fn make(&mut self, change: &Change, protected: Option<NaiveDate>) -> Result<Outcome, NotesError> {
        let origin = origin_file(self.graph, change, protected)?;
        let page = self.pages.page(&change.page)?;
        // Checks that the journal block can take the link before the page is written.
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
                Action::Replace => WriteKind::Replacement { id: written.block },
                _ => WriteKind::Block { id: written.block, text },
            }))
        })?;
        failpoint::hit("notes.page_written");
        let is_linked = match &origin {
            None => false,
            Some((origin, file)) => {
                let link = self.graph.link(&page.name, &block);
                let linked = self.edit(file, |document| {
                    Ok(change.link_in(document, origin, &link)?.then(|| WriteKind::Link { link: link.clone() }))
                });
                linked.map_err(|source| if is_new { not_linked(&page, source) } else { source })?
            }
        };
        failpoint::hit("notes.journal_written");
        Ok(if is_new || is_linked { Outcome::Written { block } } else { Outcome::AlreadyThere { block } })
    }

    /// Reads, edits and replaces a file, and repeats that while other programs interfere. Returns whether anything
    /// changed.
    fn edit(
        &mut self,
        path: &Path,
        mut edit: impl FnMut(&mut Document) -> Result<Option<WriteKind>, NotesError>,
    ) -> Result<bool, NotesError> {
        for _ in 0..ATTEMPTS {
            let base = content(path)?;
            let is_own = base.as_ref().is_some_and(|base| self.own_writes.get(path) == Some(&hash(base)));
            if !is_own && !wait_until_quiet(path, &self.state.probe())? {
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

    fn replace(&mut self, path: &Path, base: Option<&[u8]>, new: &[u8], wrote: WriteKind) -> Result<bool, NotesError> {
        let folder = path.parent().unwrap_or(self.graph.root());
        fs::create_dir_all(folder).map_err(NotesError::io("create", folder))?;
        let record = Record { file: relative(self.graph, path), base: base.map(hash), new: hash(new), wrote };
        let recorded = self.set.record(&record, base)?;
        let replaced = replace(path, base, new, &tag(&recorded), &recorded.with_extension("kept"))?;
        if is_done(replaced) {
            self.own_writes.insert(path.to_owned(), hash(new));
        } else {
            Set::discard(&recorded);
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

fn not_linked(page: &Page, source: NotesError) -> NotesError {
    NotesError::NotLinked { page: page.name.clone(), source: Box::new(source) }
}

/// Returns the origin and the file of its journal day. `None` for a change without an origin; an error if the day is
/// `protected` or missing.
fn origin_file<'a>(
    graph: &Graph,
    change: &'a Change,
    protected: Option<NaiveDate>,
) -> Result<Option<(&'a Origin, PathBuf)>, NotesError> {
    let Some(origin) = &change.origin else { return Ok(None) };
    let day = graph.days()?.into_iter().find(|day| relative(graph, &day.path) == origin.file);
    let day = day.ok_or_else(|| change.no_origin(origin))?;
    if protected.is_some() && day.day == protected {
        return Err(NotesError::Today(day.path));
    }
    Ok(Some((origin, day.path)))
}

/// Returns the files as the changes would make them, without writing anything, and the changes that cannot be made.
///
/// # Errors
/// When a file cannot be read.
pub fn preview(graph: &Graph, changes: &[Change]) -> Result<(Vec<Preview>, Vec<FailedChange>), NotesError> {
    let mut files: BTreeMap<PathBuf, (String, Document)> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut pages = Pages { graph, found: HashMap::new() };
    for (index, change) in ordered(&mut pages, changes) {
        if let Err(error) = preview_one(&mut pages, change, &mut files) {
            failures.push((index, error));
        }
    }
    failures.sort_by_key(|(index, _)| *index);
    let edited = files.into_iter().filter(|(_, (before, after))| *before != after.text());
    let previews =
        edited.map(|(path, (before, after))| Preview { file: relative(graph, &path), before, after: after.text() });
    Ok((previews.collect(), failures))
}

fn preview_one(
    pages: &mut Pages<'_>,
    change: &Change,
    files: &mut BTreeMap<PathBuf, (String, Document)>,
) -> Result<(), NotesError> {
    let graph = pages.graph;
    let page = pages.page(&change.page)?;
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
    /// Renders a unified diff.
    #[must_use]
    pub fn diff(&self) -> String {
        let diff = similar::TextDiff::from_lines(&self.before, &self.after);
        diff.unified_diff().context_radius(2).header(&self.file, &self.file).to_string()
    }
}
