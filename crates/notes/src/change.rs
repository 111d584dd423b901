//! A piece of knowledge that goes to a page: what is written there, and the link that the journal gets. Pure: documents in, documents out.

use aha_core::ids::NoteBlockId;
use serde::{Deserialize, Serialize};

use crate::content;
use crate::document::{Document, Format};
use crate::edit::EditError;
use crate::error::NotesError;

/// What is done to the page.
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

/// Where knowledge comes from: a block of a journal day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The day's file, relative to the graph.
    pub file: String,
    /// The day's name.
    pub page: String,
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The id of the journal's block, or of what else the knowledge is from.
    pub knowledge: String,
    pub origin: Option<Origin>,
    pub page: String,
    pub action: Action,
    /// The block of the page that it goes below or in the place of.
    pub target: Option<String>,
    /// What that block said when it was chosen; it is replaced only if it still does.
    #[serde(default)]
    pub target_text: Option<String>,
    pub text: String,
}

/// What an edit made of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The block that has the knowledge now.
    pub block: String,
    pub is_new: bool,
}

/// The property of the journal's block.
pub const EXTRACTED_TO: &str = "extracted-to";

impl Change {
    /// The id of the block that it writes: the same for the same knowledge, page, action and target.
    #[must_use]
    pub fn block_id(&self) -> String {
        let target = self.target.as_deref().unwrap_or_default();
        NoteBlockId::of(&[&self.knowledge, &self.page.to_lowercase(), self.action.as_str(), target]).to_string()
    }

    /// Writes it to its page, unless it is there.
    ///
    /// # Errors
    /// When its target is gone or says something else, or the page would be read differently.
    pub fn write_to(&self, page: &mut Document, unit: &str) -> Result<Written, NotesError> {
        let id = self.block_id();
        let there = (0..page.blocks().len()).any(|index| page.explicit_id(index).as_deref() == Some(id.as_str()));
        if there {
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
        let wanted = content::lines(page.format(), &self.text).map(|lines| lines.join("\n"));
        let present = page.block_text(target);
        if wanted.as_deref() == Some(present.as_str()) {
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
            block: self.target.clone().unwrap_or_else(|| "(none)".to_owned()),
        }
    }

    fn find_target(&self, page: &Document) -> Result<usize, NotesError> {
        self.target.as_deref().and_then(|id| page.find(&self.page, id)).ok_or_else(|| self.no_block())
    }

    /// Puts a link to the page's block into the journal's, unless it is there. Whether anything changed.
    ///
    /// # Errors
    /// When the journal's block is gone, or its day would be read differently.
    pub fn link_in(&self, day: &mut Document, origin: &Origin, link: &str) -> Result<bool, NotesError> {
        let no_block = || NotesError::NoBlock { page: origin.page.clone(), block: self.knowledge.clone() };
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

/// Takes a link away again; the property goes with the last one. Whether it was there.
///
/// # Errors
/// When the day would be read differently without it.
pub fn unlink(day: &mut Document, link: &str) -> Result<bool, EditError> {
    for index in 0..day.blocks().len() {
        let Some(value) = day.property(index, EXTRACTED_TO).filter(|value| value.contains(link)) else { continue };
        let rest: Vec<&str> = value.split(", ").filter(|part| *part != link).collect();
        if rest.is_empty() {
            day.remove_property(index, EXTRACTED_TO)?;
        } else {
            day.set_property(index, EXTRACTED_TO, &rest.join(", "))?;
        }
        return Ok(true);
    }
    Ok(false)
}

/// How a page of the format begins when it is made.
#[must_use]
pub fn new_page(format: Format) -> Document {
    Document::parse(format, "")
}
