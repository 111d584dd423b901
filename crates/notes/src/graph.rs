//! A graph: a folder whose files are pages and journal days.
//!
//! Input: a folder. Output: its pages by name and its days by date, and the path for the file of a new one. Symbolic
//! links and conflict copies are ignored. A folder that Logseq stores as a database is rejected.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use crate::config::{DailyNotes, scalars};
use crate::date_format::DateFormat;
use crate::document::{Document, Format};
use crate::error::NotesError;
use crate::insert::first_indent_unit;
use crate::names::{NameFormat, is_conflict_copy};

/// A page or a journal day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Name used in links.
    pub name: String,
    pub path: PathBuf,
    /// Date of a journal page.
    pub day: Option<NaiveDate>,
}

/// An opened graph.
#[derive(Debug, Clone)]
pub struct Graph {
    root: PathBuf,
    format: Format,
    names: NameFormat,
    pages: PathBuf,
    journals: PathBuf,
    /// Formats of the journal files' names. New files use the first one.
    file_dates: Vec<DateFormat>,
    title_dates: DateFormat,
    unit: String,
}

/// Number of files read to determine a graph's indentation.
const SAMPLED_FILES: usize = 20;
const FOLDERS_DEEP: usize = 12;

impl Graph {
    /// # Errors
    /// When the folder is not a graph, is one in Logseq's database format, or its settings cannot be used.
    pub fn open(root: &Path) -> Result<Self, NotesError> {
        let root = fs::canonicalize(root).map_err(NotesError::io("open", root))?;
        if ["db.sqlite", "logseq/db.sqlite"].iter().any(|name| root.join(name).exists()) {
            return Err(NotesError::DatabaseGraph(root));
        }
        let config = root.join("logseq/config.edn");
        let mut graph = if config.exists() || root.join("journals").is_dir() && !root.join(".obsidian").exists() {
            Self::logseq(root, &config)?
        } else {
            Self::markdown(root)?
        };
        graph.unit = graph.sampled_unit();
        Ok(graph)
    }

    fn logseq(root: PathBuf, path: &Path) -> Result<Self, NotesError> {
        let text = if path.exists() { read_text(path)? } else { String::new() };
        let config = scalars(&text);
        let dates = |key: &str, default: &str| {
            let pattern = config.get(key).map_or(default, String::as_str);
            let problem = format!(":{key} \"{pattern}\" is no date format that is known");
            DateFormat::parse(pattern).ok_or(NotesError::Config { path: path.to_owned(), problem })
        };
        let folder = |key: &str, default: &str| {
            let name = config.get(key).map_or(default, String::as_str);
            let is_inside = !Path::new(name).components().any(|part| !matches!(part, std::path::Component::Normal(_)));
            let problem = format!(":{key} \"{name}\" is no folder of the graph");
            if is_inside { Ok(root.join(name)) } else { Err(NotesError::Config { path: path.to_owned(), problem }) }
        };
        let first = dates("journal/file-name-format", "yyyy_MM_dd")?;
        let others = ["yyyy_MM_dd", "yyyy-MM-dd"].into_iter().filter_map(DateFormat::parse);
        let names = match config.get("file/name-format").map(String::as_str) {
            Some(":triple-lowbar") => NameFormat::TripleLowbar,
            _ => NameFormat::Legacy,
        };
        Ok(Self {
            format: Format::Outline,
            names,
            pages: folder("pages-directory", "pages")?,
            journals: folder("journals-directory", "journals")?,
            file_dates: [first].into_iter().chain(others).collect(),
            title_dates: dates("journal/page-title-format", "MMM do, yyyy")?,
            unit: String::new(),
            root,
        })
    }

    fn markdown(root: PathBuf) -> Result<Self, NotesError> {
        let path = root.join(".obsidian/daily-notes.json");
        let daily: DailyNotes = if path.exists() {
            let problem =
                |error: serde_json::Error| NotesError::Config { path: path.clone(), problem: error.to_string() };
            serde_json::from_str(&read_text(&path)?).map_err(problem)?
        } else {
            DailyNotes::default()
        };
        let pattern = if daily.format.is_empty() { "YYYY-MM-DD" } else { daily.format.as_str() };
        // A pattern may contain folders; the file name is the part after the last slash.
        let pattern = pattern.rsplit('/').next().unwrap_or(pattern);
        let problem = format!("\"{pattern}\" is no date format that is known");
        let dates = DateFormat::parse(pattern).ok_or(NotesError::Config { path: path.clone(), problem })?;
        let default = DateFormat::parse("YYYY-MM-DD").into_iter();
        let journals = if daily.folder.split('/').any(|part| part == "..") {
            root.clone()
        } else {
            root.join(daily.folder.trim_matches('/'))
        };
        let graph = Self {
            format: Format::Markdown,
            names: NameFormat::Folders,
            pages: root.clone(),
            journals,
            file_dates: [dates.clone()].into_iter().chain(default).collect(),
            title_dates: dates,
            unit: String::new(),
            root,
        };
        if !graph.root.join(".obsidian").exists() && Self::files(&graph.root)?.is_empty() {
            return Err(NotesError::NotAGraph(graph.root));
        }
        Ok(graph)
    }

    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Returns the indentation of one level that most of the graph's files use.
    #[must_use]
    pub fn unit(&self) -> &str {
        &self.unit
    }

    fn sampled_unit(&self) -> String {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut paths = Self::files(&self.journals).unwrap_or_default();
        paths.extend(Self::files(&self.pages).unwrap_or_default().into_iter().take(SAMPLED_FILES));
        for path in paths.iter().rev().take(SAMPLED_FILES * 2) {
            let unit = read_text(path).ok().and_then(|text| first_indent_unit(&Document::parse(self.format, &text)));
            if let Some(unit) = unit {
                *counts.entry(unit).or_default() += 1;
            }
        }
        let most_common = counts.into_iter().max_by_key(|(unit, count)| (*count, unit == "\t"));
        most_common.map_or_else(|| "\t".to_owned(), |(unit, _)| unit)
    }

    /// Returns the Markdown files below a folder, sorted.
    fn files(folder: &Path) -> Result<Vec<PathBuf>, NotesError> {
        let mut found = Vec::new();
        collect(folder, FOLDERS_DEEP, &mut found)?;
        found.sort();
        Ok(found)
    }

    fn stem_of(path: &Path) -> String {
        path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the date in a file's name.
    fn day_of(&self, path: &Path) -> Option<NaiveDate> {
        self.dated(path).map(|(day, _)| day)
    }

    /// Returns the date in a file's name, and the place of its format: the graph's own is the first.
    fn dated(&self, path: &Path) -> Option<(NaiveDate, usize)> {
        let stem = Self::stem_of(path);
        let is_there = self.format == Format::Markdown || path.starts_with(&self.journals);
        let mut formats = self.file_dates.iter().filter(|_| is_there).enumerate();
        formats.find_map(|(place, dates)| Some((dates.read(&stem)?, place)))
    }

    /// Returns the day that a link with this name leads to: the name is a day's title or the name of its file, whether
    /// or not the day exists.
    #[must_use]
    pub fn day_named(&self, name: &str) -> Option<NaiveDate> {
        let name = name.trim();
        let name = match self.format {
            Format::Outline => name,
            // A link may name the folders, too.
            Format::Markdown => name.rsplit('/').next().unwrap_or(name),
        };
        [&self.title_dates].into_iter().chain(&self.file_dates).find_map(|dates| dates.read(name))
    }

    /// Returns all journal days, the earliest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn days(&self) -> Result<Vec<Page>, NotesError> {
        let files = if self.journals.is_dir() { Self::files(&self.journals)? } else { Vec::new() };
        let dated = files.into_iter().filter_map(|path| self.dated(&path).map(|(day, place)| (day, place, path)));
        let mut dated: Vec<(NaiveDate, usize, PathBuf)> = dated.collect();
        dated.sort();
        // If there are two files for one day, the one in the graph's own format is used.
        dated.dedup_by_key(|(day, ..)| *day);
        let page = |(day, _, path)| Page { name: self.title_dates.write(day), path, day: Some(day) };
        Ok(dated.into_iter().map(page).collect())
    }

    /// Returns all pages except journal days, sorted by file name.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn pages(&self) -> Result<Vec<Page>, NotesError> {
        let files = if self.pages.is_dir() { Self::files(&self.pages)? } else { Vec::new() };
        let files: Vec<PathBuf> = files.into_iter().filter(|path| self.day_of(path).is_none()).collect();
        let mut stems: BTreeMap<String, usize> = BTreeMap::new();
        for path in &files {
            *stems.entry(Self::stem_of(path).to_lowercase()).or_default() += 1;
        }
        let name = |path: &PathBuf| {
            let stem = Self::stem_of(path);
            let relative = path.strip_prefix(&self.pages).unwrap_or(path).with_extension("");
            let is_unique = stems.get(&stem.to_lowercase()).copied().unwrap_or_default() < 2;
            match self.format {
                Format::Markdown if !is_unique => relative.to_string_lossy().replace('\\', "/"),
                _ => self.names.page_name(&stem),
            }
        };
        Ok(files.iter().map(|path| Page { name: name(path), path: path.clone(), day: None }).collect())
    }

    /// Returns the page with a name, ignoring case. If there is none, returns the path for its new file.
    ///
    /// # Errors
    /// When the name is not allowed for a page, names a journal day or leads through a symbolic link, or the folder
    /// cannot be read.
    pub fn page(&self, name: &str) -> Result<Page, NotesError> {
        match self.find(name)? {
            Some(page) => Ok(page),
            None => self.new_page(name),
        }
    }

    /// Returns the page whose file has the name, else in an outline graph the one with this title.
    fn find(&self, name: &str) -> Result<Option<Page>, NotesError> {
        let name_lower = name.trim().to_lowercase();
        let named = |page: &Page| {
            page.name.to_lowercase() == name_lower
                || self.format == Format::Markdown && self.relative(page).to_lowercase() == name_lower
        };
        let titled = |page: &Page| {
            let document = self.read(&page.path).ok();
            let title = document.and_then(|document| document.page_property("title"));
            title.is_some_and(|title| title.to_lowercase() == name_lower)
        };
        let mut pages = self.pages()?;
        if let Some(at) = pages.iter().position(named) {
            return Ok(Some(pages.swap_remove(at)));
        }
        let found = pages.into_iter().find(|page| self.format == Format::Outline && titled(page));
        Ok(found.map(|page| Page { name: name.trim().to_owned(), ..page }))
    }

    fn new_page(&self, name: &str) -> Result<Page, NotesError> {
        if self.day_named(name).is_some() {
            return Err(NotesError::DayName(name.trim().to_owned()));
        }
        let stem = self.names.file_stem(name).ok_or_else(|| NotesError::PageName(name.to_owned()))?;
        let path = self.pages.join(format!("{stem}.md"));
        if has_symbolic_link(&path, &[&self.pages]) {
            return Err(NotesError::SymbolicLink { page: name.trim().to_owned(), path });
        }
        Ok(Page { name: name.trim().to_owned(), path, day: None })
    }

    /// Returns whether a file, or a folder between it and the graph's own folders, is a symbolic link.
    pub(crate) fn is_behind_link(&self, path: &Path) -> bool {
        has_symbolic_link(path, &[&self.root, &self.pages, &self.journals])
    }

    /// Returns a page's path below the folder of pages, without the extension.
    pub(crate) fn relative(&self, page: &Page) -> String {
        page.path.strip_prefix(&self.pages).unwrap_or(&page.path).with_extension("").to_string_lossy().into_owned()
    }

    /// Reads a file and parses its blocks.
    ///
    /// # Errors
    /// When it cannot be read or is not UTF-8.
    pub fn read(&self, path: &Path) -> Result<Document, NotesError> {
        Ok(Document::parse(self.format, &read_text(path)?))
    }

    /// Returns a link to a block of a page, in the syntax of the graph's program.
    #[must_use]
    pub fn link(&self, page: &str, block: &str) -> String {
        match self.format {
            Format::Outline => format!("[{page}]((({block})))"),
            Format::Markdown => format!("[[{page}#^{block}]]"),
        }
    }
}

/// Returns whether a path or one of its parents up to the `folders`, which are not tested, is a symbolic link.
fn has_symbolic_link(path: &Path, folders: &[&Path]) -> bool {
    path.ancestors().take_while(|part| !folders.contains(part)).any(Path::is_symlink)
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), NotesError> {
    for entry in fs::read_dir(folder).map_err(NotesError::io("list", folder))? {
        let entry = entry.map_err(NotesError::io("list", folder))?;
        let kind = entry.file_type().map_err(NotesError::io("look at", folder))?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_markdown = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
        // Logseq stores its own copies in `logseq/`.
        let is_own = name.starts_with('.') || name == "logseq" || name == "node_modules";
        if kind.is_dir() && depth > 0 && !is_own {
            collect(&path, depth - 1, found)?;
        } else if kind.is_file() && is_markdown && !is_conflict_copy(name.trim_end_matches(".md")) {
            found.push(path);
        }
    }
    Ok(())
}

fn read_text(path: &Path) -> Result<String, NotesError> {
    let bytes = fs::read(path).map_err(NotesError::io("read", path))?;
    String::from_utf8(bytes).map_err(|_| NotesError::NotUtf8(path.to_owned()))
}
