//! One piece of knowledge to write to a page: the edit of the page, and the link added to the journal. It has no I/O:
//! it edits documents in memory.

use std::collections::BTreeSet;

use aha_core::ids::NoteBlockId;
use serde::{Deserialize, Serialize};

use crate::content;
use crate::document::{Document, Format};
use crate::edit::EditError;
use crate::error::NotesError;
use crate::property::EXTRACTED_TO;

/// How the page is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    AddSection,
    AddUnder,
    Replace,
}

impl Action {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AddSection => "add_section",
            Self::AddUnder => "add_under",
            Self::Replace => "replace",
        }
    }
}

/// The journal day that the knowledge comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The day's file, relative to the graph.
    pub file: String,
    /// The day's name.
    pub page: String,
}

/// One change of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Id of the journal block or of another source of the knowledge.
    pub knowledge: String,
    pub origin: Option<Origin>,
    pub page: String,
    pub action: Action,
    /// Id of the page's block to write below or to replace.
    pub target: Option<String>,
    /// Text of the target block when it was chosen. The block is replaced only if it still has this text.
    #[serde(default)]
    pub target_text: Option<String>,
    pub text: String,
}

/// Result of writing to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Id of the block that now contains the knowledge.
    pub block: String,
    pub is_new: bool,
}

impl Change {
    /// Returns the id of the block to write. It depends only on the knowledge, the page, the action and the target.
    #[must_use]
    pub fn block_id(&self) -> String {
        written_id(&self.knowledge, &self.page, self.action, self.target.as_deref())
    }

    /// Writes the knowledge to its page, unless it is already there.
    ///
    /// # Errors
    /// When the target does not exist or has another text, or the edit would change how the rest of the page is parsed.
    pub fn write_to(&self, page: &mut Document, unit: &str) -> Result<Written, NotesError> {
        let id = self.block_id();
        let exists = (0..page.blocks().len()).any(|index| page.explicit_id(index).as_deref() == Some(id.as_str()));
        if exists {
            return Ok(Written { block: id, is_new: false });
        }
        let failed = |source: EditError| NotesError::Edit { page: self.page.clone(), source };
        match self.action {
            Action::AddSection => page.add_section(&self.text, &id, unit).map_err(failed)?,
            Action::AddUnder => {
                let target = self.find_target(page)?;
                page.add_under(target, &self.text, &id, unit).map_err(failed)?;
            }
            Action::Replace => return self.replace_in(page, &id),
        }
        Ok(Written { block: id, is_new: true })
    }

    fn replace_in(&self, page: &mut Document, id: &str) -> Result<Written, NotesError> {
        let target = self.find_target(page)?;
        let block = page.explicit_id(target).unwrap_or_else(|| id.to_owned());
        let expected = content::lines(page.format(), &self.text).map(|lines| lines.join("\n"));
        let present = page.block_text(target);
        if expected.as_deref() == Some(present.as_str()) {
            return Ok(Written { block, is_new: false });
        }
        if self.target_text.as_ref().is_some_and(|expected| *expected != present) {
            return Err(self.no_block());
        }
        page.replace(target, &self.text, id).map_err(|source| NotesError::Edit { page: self.page.clone(), source })?;
        Ok(Written { block, is_new: true })
    }

    fn no_block(&self) -> NotesError {
        NotesError::NoBlock {
            page: self.page.clone(),
            block: match (&self.target_text, &self.target) {
                (Some(text), _) => beginning(text),
                (None, target) => target.clone().unwrap_or_else(|| "(none)".to_owned()),
            },
        }
    }

    /// The text of the journal's block is not known here; the knowledge begins like it, or nearly so.
    pub(crate) fn no_origin(&self, origin: &Origin) -> NotesError {
        NotesError::NoBlock { page: origin.page.clone(), block: beginning(&self.text) }
    }

    fn find_target(&self, page: &Document) -> Result<usize, NotesError> {
        self.target.as_deref().and_then(|id| page.find(&self.page, id)).ok_or_else(|| self.no_block())
    }

    /// Adds a link to the written block to the journal's block, unless it is already there. Returns whether anything
    /// changed.
    ///
    /// # Errors
    /// When the journal's block does not exist, or the edit would change how the rest of the day is parsed.
    pub fn link_in(&self, day: &mut Document, origin: &Origin, link: &str) -> Result<bool, NotesError> {
        let no_block = || self.no_origin(origin);
        let block = day.find(&origin.page, &self.knowledge).ok_or_else(no_block)?;
        let known = day.property(block, EXTRACTED_TO).unwrap_or_default();
        if known.contains(link) {
            return Ok(false);
        }
        let value = if known.is_empty() { link.to_owned() } else { format!("{known}, {link}") };
        let failed = |source| NotesError::Edit { page: origin.page.clone(), source };
        day.set_property(block, EXTRACTED_TO, &value).map_err(failed)?;
        Ok(true)
    }
}

/// Maximum number of characters of a block that a message quotes.
const QUOTED_CHARS: usize = 60;

/// Returns the beginning of a block's first line in quotation marks.
fn beginning(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let quoted: String = line.chars().take(QUOTED_CHARS).collect();
    format!("\"{}{}\"", quoted.trim_end(), if quoted.len() < text.trim().len() { "…" } else { "" })
}

fn written_id(knowledge: &str, page: &str, action: Action, target: Option<&str>) -> String {
    NoteBlockId::of(&[knowledge, &page.to_lowercase(), action.as_str(), target.unwrap_or_default()]).to_string()
}

/// Returns the additions, each with its target, that an earlier apply made of the knowledge to a page. They are found
/// by the ids of their blocks.
#[must_use]
pub fn earlier_additions(page: &Document, name: &str, knowledge: &str) -> Vec<(Action, Option<String>)> {
    let written: BTreeSet<String> = (0..page.blocks().len()).filter_map(|index| page.explicit_id(index)).collect();
    if written.is_empty() {
        return Vec::new();
    }
    let below = page.ids(name).into_iter().map(|target| (Action::AddUnder, Some(target)));
    let additions = [(Action::AddSection, None)].into_iter().chain(below);
    additions
        .filter(|(action, target)| written.contains(&written_id(knowledge, name, *action, target.as_deref())))
        .collect()
}

/// Removes a link, and the property with its last link. Returns whether the link was found.
///
/// # Errors
/// When the link stands within other text, or the edit would change how the rest of the day is parsed.
pub fn unlink(day: &mut Document, link: &str) -> Result<bool, EditError> {
    for index in 0..day.blocks().len() {
        let Some(value) = day.property(index, EXTRACTED_TO).filter(|value| value.contains(link)) else { continue };
        if value == link {
            day.remove_property(index, EXTRACTED_TO)?;
        } else {
            let rest = without_link(&value, link).ok_or(EditError::LinkInText)?;
            day.set_property(index, EXTRACTED_TO, &rest)?;
        }
        return Ok(true);
    }
    Ok(false)
}

/// Returns a list of links without one of them. `None` if no comma separates it from the rest. A page's name may
/// contain a comma, too, so the list is not split.
fn without_link(list: &str, link: &str) -> Option<String> {
    let separated = [format!("{link}, "), format!(", {link}")];
    separated.iter().find(|part| list.contains(part.as_str())).map(|part| list.replacen(part, "", 1))
}

/// Returns an empty document of the format.
#[must_use]
pub fn new_page(format: Format) -> Document {
    Document::parse(format, "")
}
