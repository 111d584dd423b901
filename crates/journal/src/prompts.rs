//! Renders the input of a model: journal blocks and pages as XML, fenced and escaped, with short ids that are valid for
//! one request.
//!
//! A block id has forty characters that mean nothing to a model and cost tokens, so the model sees `b1` instead. An id
//! in its answer that was not assigned is ignored.

use std::collections::BTreeMap;

use aha_notes::lines::indent_of;
use aha_notes::{Document, Format};

use crate::days::Day;
use crate::plan::PlannedBlock;

/// The short ids of one request.
#[derive(Debug, Clone, Default)]
pub struct ShortIds {
    ids: BTreeMap<String, String>,
    prefix: char,
}

impl ShortIds {
    #[must_use]
    pub fn new(prefix: char) -> Self {
        Self { ids: BTreeMap::new(), prefix }
    }

    /// Returns the short id of a block, assigning one on first use.
    pub fn short(&mut self, id: &str) -> String {
        if let Some((short, _)) = self.ids.iter().find(|(_, known)| *known == id) {
            return short.clone();
        }
        let short = format!("{}{}", self.prefix, self.ids.len() + 1);
        self.ids.insert(short.clone(), id.to_owned());
        short
    }

    /// Returns the block with a short id, `None` for an id that was not assigned.
    #[must_use]
    pub fn block(&self, short: &str) -> Option<&str> {
        self.ids.get(short.trim()).map(String::as_str)
    }
}

/// Escapes text so that it cannot close its enclosing tag.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn attribute(text: &str) -> String {
    escaped(text).replace('"', "&quot;").replace(['\n', '\r'], " ")
}

/// Describes the graph's indentation.
#[must_use]
pub fn indent_style(unit: &str) -> String {
    if unit.starts_with('\t') {
        "a tab character per level".to_owned()
    } else {
        format!("{} spaces per level", unit.len())
    }
}

/// Renders blocks of a document, each with its short id. The file's own `id::` and `extracted-to::` lines are omitted.
fn outline(document: &Document, indexes: &[usize], ids: &[String], short: &mut ShortIds) -> String {
    let mut text = String::new();
    for index in indexes {
        let Some(block) = document.blocks().get(*index) else { continue };
        let first = document.line(block.lines.start);
        let indent = if document.format() == Format::Outline {
            format!("{}  ", indent_of(first))
        } else {
            " ".repeat(block.marker)
        };
        for (at, line) in document.block_lines(*index).into_iter().enumerate() {
            let is_id = line.trim_start().starts_with("id:: ") || line.trim_start().starts_with("extracted-to:: ");
            if !is_id {
                text.push_str(&escaped(line));
                text.push('\n');
            }
            if let (0, Some(id)) = (at, ids.get(*index)) {
                text.extend([indent.as_str(), "id:: ", &short.short(id), "\n"]);
            }
        }
    }
    text
}

/// Renders a whole day, for classification.
#[must_use]
pub fn day(day: &Day, short: &mut ShortIds) -> String {
    let all: Vec<usize> = (0..day.document.blocks().len()).collect();
    let properties: Vec<String> = day.properties().iter().map(|line| escaped(line)).collect();
    let head = if properties.is_empty() { String::new() } else { format!("{}\n\n", properties.join("\n")) };
    let body = outline(&day.document, &all, &day.document.ids(&day.page.name), short);
    format!("<journal date=\"{}\">\n{head}{body}</journal>\n", attribute(&day.page.name))
}

/// Renders a block after the blocks that contain it.
fn in_context(day: &Day, block: &PlannedBlock, short: &mut ShortIds) -> String {
    let Some(index) = day.document.find(&day.page.name, &block.block) else { return escaped(&block.text) };
    let ids = day.document.ids(&day.page.name);
    // Only the block itself gets an id; its ancestors are context.
    let above = outline(&day.document, &day.document.ancestors(index), &[], short);
    format!("{above}{}", outline(&day.document, &[index], &ids, short))
}

/// Renders blocks to be reworded.
#[must_use]
pub fn blocks(days: &[Day], blocks: &[&PlannedBlock], short: &mut ShortIds) -> String {
    let mut text = String::from("<blocks>\n");
    for block in blocks {
        let Some(day) = days.iter().find(|day| day.file == block.file) else { continue };
        let properties = day.properties().into_iter().map(|line| format!("{}\n", escaped(&line))).collect::<Vec<_>>();
        let context = in_context(day, block, short);
        let id = short.short(&block.block);
        text.extend(["<block id=\"", &id, "\">\n", &properties.concat(), &context, "</block>\n"]);
    }
    text.push_str("</blocks>\n");
    text
}

/// Renders one piece of knowledge with its candidate pages.
#[must_use]
pub fn integration(
    days: &[Day],
    block: &PlannedBlock,
    pages: &[(&str, &Document)],
    short: &mut ShortIds,
    targets: &mut ShortIds,
) -> String {
    let context =
        days.iter().find(|day| day.file == block.file).map(|day| in_context(day, block, short)).unwrap_or_default();
    let id = short.short(&block.block);
    let mut text = format!(
        "<knowledge_blocks>\n<block id=\"{id}\">\n<original_journal_context>\n{context}</original_journal_context>\n<refined_content>{}</refined_content>\n</block>\n</knowledge_blocks>\n<candidate_pages>\n",
        escaped(&block.reworded)
    );
    for (name, document) in pages {
        let properties = document
            .page_properties()
            .into_iter()
            .map(|known| format!("{}:: {}\n", escaped(&known.key), escaped(&known.value)));
        let properties: Vec<String> = properties.collect();
        let ids = document.ids(name);
        text.extend([
            "<page name=\"",
            &attribute(name),
            "\">\n<page_properties>\n",
            &properties.concat(),
            "</page_properties>\n<existing_blocks>\n",
        ]);
        for root in document.children(None) {
            let end = document.blocks().get(root).map_or(0, |block| block.end);
            let section: Vec<usize> = (root..document.blocks().len())
                .take_while(|index| document.blocks()[*index].lines.start < end)
                .collect();
            text.extend(["<block>\n", &outline(document, &section, &ids, targets), "</block>\n"]);
        }
        text.push_str("</existing_blocks>\n</page>\n");
    }
    text.push_str("</candidate_pages>\n");
    text
}
