//! Renders the input of a model: journal blocks and pages as XML, fenced and escaped, with short ids that are valid for
//! one request.
//!
//! A block id has forty characters that mean nothing to a model and cost tokens, so the model sees `b1` instead. An id
//! in its answer that was not assigned is ignored.

mod candidate_page;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use aha_notes::knowledge::terms;
use aha_notes::lines::indent_of;
use aha_notes::{Document, Format};

use crate::days::Day;
use crate::plan::PlannedBlock;
use candidate_page::{CandidatePage, shares};

/// The short ids of one request.
#[derive(Debug, Clone, Default)]
pub struct ShortIds {
    /// Blocks by short id.
    ids: BTreeMap<String, String>,
    /// Short ids by block.
    assigned: HashMap<String, String>,
    prefix: char,
}

impl ShortIds {
    #[must_use]
    pub fn new(prefix: char) -> Self {
        Self { ids: BTreeMap::new(), assigned: HashMap::new(), prefix }
    }

    /// Returns the short id of a block, assigning one on first use.
    pub fn short(&mut self, id: &str) -> String {
        if let Some(short) = self.assigned.get(id) {
            return short.clone();
        }
        let short = format!("{}{}", self.prefix, self.ids.len() + 1);
        self.ids.insert(short.clone(), id.to_owned());
        self.assigned.insert(id.to_owned(), short.clone());
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

/// Reverses [`escaped`] in a model's answer, which may repeat what it was sent as it was escaped. `source` is that text
/// before it was escaped. If it contains an entity itself (`&lt;`), which is sent as `&amp;lt;`, an answer without
/// `&amp;` is not escaped.
#[must_use]
pub fn unescaped(answer: &str, source: &str) -> String {
    let entities = ["&lt;", "&gt;", "&quot;", "&amp;"];
    if entities.iter().any(|entity| source.contains(entity)) && !answer.contains("&amp;") {
        return answer.to_owned();
    }
    // The ampersand is last, so that `&amp;lt;` becomes `&lt;`.
    answer.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Shortens text to `max_chars` characters, and marks what is left out.
fn clipped(text: String, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…\n", text.get(..end).unwrap_or_default()),
        None => text,
    }
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

/// Maximum number of blocks of a part of a day.
const MAX_PART_BLOCKS: usize = 20;
/// Maximum number of characters of a part of several blocks. A model's answer of 4,000 tokens then has room for all of
/// them, in any language.
const MAX_PART_CHARS: usize = 4_000;
/// Maximum number of characters of a part with its context. A longer one is a block that is too long for an answer.
pub const MAX_DAY_CHARS: usize = 16_000;
/// Maximum number of characters of the blocks above a block.
const MAX_ABOVE_CHARS: usize = 1_500;
/// Maximum number of characters of a page's properties.
const MAX_PROPERTY_CHARS: usize = 1_000;

/// Divides a day's blocks into parts, each for one request, so that a long day is answered whole and a retry repeats
/// only what failed.
#[must_use]
pub fn day_parts(day: &Day) -> Vec<Range<usize>> {
    let ids = day.document.ids(&day.page.name);
    let mut drafted = ShortIds::new('b');
    let (mut parts, mut chars): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    for index in 0..day.document.blocks().len() {
        let size = outline(&day.document, &[index], &ids, &mut drafted).chars().count();
        let has_room = |part: &&mut Range<usize>| part.len() < MAX_PART_BLOCKS && chars + size <= MAX_PART_CHARS;
        if let Some(part) = parts.last_mut().filter(has_room) {
            part.end = index + 1;
            chars += size;
        } else {
            parts.push(index..index + 1);
            chars = size;
        }
    }
    parts
}

/// Renders a part of a day for classification, after the blocks that contain its first one, which have no ids.
#[must_use]
pub fn day(day: &Day, part: Range<usize>, short: &mut ShortIds) -> String {
    let properties = properties(day);
    let head = if properties.is_empty() { properties } else { format!("{properties}\n") };
    let above = above(day, part.start);
    let own: Vec<usize> = part.collect();
    let body = outline(&day.document, &own, &day.document.ids(&day.page.name), short);
    format!("<journal date=\"{}\">\n{head}{above}{body}</journal>\n", attribute(&day.page.name))
}

/// Renders a day's page properties.
fn properties(day: &Day) -> String {
    let lines: Vec<String> = day.properties().iter().map(|line| format!("{}\n", escaped(line))).collect();
    clipped(lines.concat(), MAX_PROPERTY_CHARS)
}

/// Renders the blocks that contain a block, as context: without ids, and only the nearest if they are long.
fn above(day: &Day, index: usize) -> String {
    let mut text = String::new();
    for ancestor in day.document.ancestors(index).into_iter().rev() {
        let room = MAX_ABOVE_CHARS.saturating_sub(text.chars().count());
        if room == 0 {
            break;
        }
        let rendered = outline(&day.document, &[ancestor], &[], &mut ShortIds::default());
        text.insert_str(0, &clipped(rendered, room));
    }
    text
}

/// Renders a block after the blocks that contain it.
fn in_context(day: &Day, block: &PlannedBlock, short: &mut ShortIds) -> String {
    let Some(index) = day.document.find(&day.page.name, &block.block) else { return escaped(&block.text) };
    let ids = day.document.ids(&day.page.name);
    format!("{}{}", above(day, index), outline(&day.document, &[index], &ids, short))
}

/// Renders blocks to be reworded.
#[must_use]
pub fn blocks(days: &[Day], blocks: &[&PlannedBlock], short: &mut ShortIds) -> String {
    let mut text = String::from("<blocks>\n");
    for block in blocks {
        let Some(day) = days.iter().find(|day| day.file == block.file) else { continue };
        let context = in_context(day, block, short);
        let id = short.short(&block.block);
        text.extend(["<block id=\"", &id, "\">\n", &properties(day), &context, "</block>\n"]);
    }
    text.push_str("</blocks>\n");
    text
}

/// Renders one piece of knowledge with its candidate pages, in at most `max_chars` characters. The pages share what the
/// knowledge and their names and properties leave; these are always rendered, so they alone may exceed the limit. Of a
/// page that does not fit, the sections that share most terms with the text are rendered, in the page's order, and then
/// `- …`. Only rendered blocks get a short id.
#[must_use]
pub fn integration(
    days: &[Day],
    block: &PlannedBlock,
    pages: &[(&str, &Document)],
    max_chars: usize,
    short: &mut ShortIds,
    targets: &mut ShortIds,
) -> String {
    let mut text = knowledge(days, block, short);
    let mut drafted = targets.clone();
    let pages: Vec<CandidatePage<'_>> =
        pages.iter().map(|(name, document)| CandidatePage::new(name, document, &mut drafted)).collect();
    let fixed = text.chars().count() + PAGES_END.len() + pages.iter().map(CandidatePage::fixed_chars).sum::<usize>();
    let needed: Vec<usize> = pages.iter().map(CandidatePage::block_chars).collect();
    let wanted: BTreeSet<String> = terms(&block.reworded).into_iter().collect();
    for (page, share) in pages.iter().zip(shares(&needed, max_chars.saturating_sub(fixed))) {
        page.render(&wanted, share, targets, &mut text);
    }
    text.push_str(PAGES_END);
    text
}

const PAGES_END: &str = "</candidate_pages>\n";

/// Renders the knowledge, up to where the candidate pages begin.
fn knowledge(days: &[Day], block: &PlannedBlock, short: &mut ShortIds) -> String {
    let context =
        days.iter().find(|day| day.file == block.file).map(|day| in_context(day, block, short)).unwrap_or_default();
    let id = short.short(&block.block);
    format!(
        "<knowledge_blocks>\n<block id=\"{id}\">\n<original_journal_context>\n{context}</original_journal_context>\n\
         <refined_content>{}</refined_content>\n</block>\n</knowledge_blocks>\n<candidate_pages>\n",
        escaped(&block.reworded)
    )
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;

    fn block(reworded: &str) -> PlannedBlock {
        PlannedBlock {
            block: "k1".to_owned(),
            day: NaiveDate::from_ymd_opt(2026, 3, 2).unwrap(),
            page: "Mar 2nd, 2026".to_owned(),
            file: "journals/2026_03_02.md".to_owned(),
            text: reworded.to_owned(),
            above: Vec::new(),
            confidence: 0.9,
            reason: String::new(),
            reworded: reworded.to_owned(),
            apply: true,
            decisions: Vec::new(),
            note: None,
        }
    }

    /// Returns the prompt in at most so many characters, and the short ids of the pages' blocks.
    fn rendered(pages: &[(&str, &Document)], max_chars: usize) -> (String, ShortIds) {
        let (mut short, mut targets) = (ShortIds::new('b'), ShortIds::new('t'));
        let block = block("Tugs pull 65 tonnes against the wind.");
        let text = integration(&[], &block, pages, max_chars, &mut short, &mut targets);
        (text, targets)
    }

    fn section(title: &str, line: &str, count: usize) -> String {
        format!("- {title}\n{}", format!("\t- {line}\n").repeat(count))
    }

    #[test]
    fn a_block_keeps_its_short_id() {
        let mut ids = ShortIds::new('t');
        assert_eq!([ids.short("x"), ids.short("y"), ids.short("x")], ["t1", "t2", "t1"]);
        assert_eq!((ids.block(" t2 "), ids.block("t3")), (Some("y"), None));
    }

    #[test]
    fn escaped_text_is_read_back_from_an_answer() {
        let text = "Vec<T> and &mut T: \"a & b\"";
        assert_eq!(unescaped(&attribute(text), text), text);
        assert_eq!(unescaped(&escaped(text), text), text);
        assert_eq!(unescaped(text, text), text, "a model that does not escape");
        let entity = "Write &lt; for <";
        assert_eq!(unescaped(&escaped(entity), entity), entity);
        assert_eq!(unescaped(entity, entity), entity);
    }

    /// Returns a journal day with this text.
    fn journal_day(text: &str) -> Day {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in [("logseq/config.edn", "{}"), ("journals/2026_03_02.md", text)] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let graph = aha_notes::Graph::open(folder.path()).unwrap();
        crate::days::days(&graph, None, NaiveDate::from_ymd_opt(2026, 3, 3).unwrap()).unwrap().remove(0)
    }

    #[test]
    fn a_long_day_is_divided_and_every_block_is_in_one_part() {
        let lines = |count: usize| (0..count).map(|n| format!("\t- Tug {n} pulls.\n")).collect::<Vec<_>>().concat();
        let of_many = journal_day(&format!("area:: port\n\n- Harbour\n{}", lines(45)));
        let parts = day_parts(&of_many);
        assert_eq!(parts, [0..20, 20..40, 40..46]);
        let mut short = ShortIds::new('b');
        let second = day(&of_many, 20..40, &mut short);
        let head = "<journal date=\"Mar 2nd, 2026\">\narea:: port\n\n- Harbour\n\t- Tug 19 pulls.\n\t  id:: b1\n";
        assert!(second.starts_with(head) && !second.contains("Tug 39"), "{second}");
        assert_eq!((short.block("b20").is_some(), short.block("b21")), (true, None));

        let long = "word ".repeat(300);
        let of_long = journal_day(&format!("- {long}\n").repeat(7));
        let parts = day_parts(&of_long);
        assert_eq!(parts.iter().cloned().flatten().collect::<Vec<_>>(), (0..7).collect::<Vec<_>>());
        for part in parts {
            assert!(day(&of_long, part, &mut ShortIds::new('b')).chars().count() < MAX_PART_CHARS + 100);
        }
    }

    #[test]
    fn long_context_is_shortened_so_that_many_blocks_fit_into_a_request() {
        let long = "word ".repeat(5_000);
        let children = "\t- Tugs pull 65 tonnes.\n".repeat(20);
        let of_long = journal_day(&format!("area:: {long}\n\n- {long}\n{children}"));
        let parts = day_parts(&of_long);
        assert_eq!(parts, [0..1, 1..21]);
        let wanted: Vec<PlannedBlock> = of_long
            .blocks()
            .into_iter()
            .skip(1)
            .map(|found| PlannedBlock { block: found.id, file: of_long.file.clone(), ..block(&found.text) })
            .collect();
        let wanted: Vec<&PlannedBlock> = wanted.iter().collect();
        let text = blocks(std::slice::from_ref(&of_long), &wanted, &mut ShortIds::new('b'));
        assert_eq!(text.matches("- Tugs pull 65 tonnes.").count(), 20);
        assert!(text.chars().count() <= 60_000 && text.contains("…\n\t- Tugs"), "{}", text.chars().count());
    }

    #[test]
    fn pages_that_fit_are_sent_whole() {
        let page = Document::parse(Format::Outline, "tags:: port\n\n- Tugs\n\t- Bollard pull\n- Quays\n");
        let (text, targets) = rendered(&[("Harbour", &page)], 60_000);
        let pages = text.split_once("<candidate_pages>\n").unwrap().1;
        assert_eq!(
            pages,
            "<page name=\"Harbour\">\n<page_properties>\ntags:: port\n</page_properties>\n<existing_blocks>\n\
             <block>\n- Tugs\n  id:: t1\n\t- Bollard pull\n\t  id:: t2\n</block>\n\
             <block>\n- Quays\n  id:: t3\n</block>\n</existing_blocks>\n</page>\n</candidate_pages>\n"
        );
        assert!(targets.block("t3").is_some());
    }

    #[test]
    fn of_a_long_page_the_sections_with_the_texts_words_are_sent_in_order() {
        let filler = |title: &str| section(title, "Gulls nest on the quay", 100);
        let tugs = section("Tugs", "Bollard pull is measured in tonnes", 2);
        let wind = section("Wind", "Gusts come from the west", 1);
        let long = format!("tags:: port\n\n{}{wind}{}{tugs}", filler("Birds"), filler("Nests"));
        let (long, small) = (Document::parse(Format::Outline, &long), Document::parse(Format::Outline, "- Ships\n"));
        let (text, targets) = rendered(&[("Harbour", &long), ("Fleet", &small)], 2_000);
        assert!(text.chars().count() <= 2_000, "{}", text.chars().count());
        assert!(text.contains("<page_properties>\ntags:: port\n") && !text.contains("Gulls"), "{text}");
        let (wind, tugs) = (text.find("- Wind\n  id:: t1\n").unwrap(), text.find("- Tugs\n  id:: t3\n").unwrap());
        assert!(wind < tugs && text.contains("tonnes\n\t  id:: t5\n</block>\n- …\n</existing_blocks>"), "{text}");
        assert!(text.contains("<page name=\"Fleet\">") && text.contains("- Ships\n  id:: t6\n"), "{text}");
        assert_eq!(targets.block("t7"), None, "a block that was not sent cannot be named");
    }

    #[test]
    fn of_a_section_that_is_too_long_its_own_sections_are_chosen() {
        let filler = "Gulls nest on the quay.\n\n".repeat(100);
        let page = format!("# Harbour\n\n## Birds\n\n{filler}## Tugs\n\nTugs pull.\n\n## Nests\n\n{filler}");
        let page = Document::parse(Format::Markdown, &page);
        let (text, _) = rendered(&[("Harbour", &page)], 2_000);
        assert!(text.chars().count() <= 2_000, "{}", text.chars().count());
        assert!(text.contains("# Harbour\n") && text.contains("## Tugs\n") && text.contains("Tugs pull.\n"), "{text}");
        assert!(!text.contains("Gulls") && text.contains("- …\n"), "{text}");
    }

    #[test]
    fn a_page_without_room_keeps_its_name_and_its_properties() {
        let page = Document::parse(Format::Outline, "tags:: port\n\n- Tugs\n");
        let (text, targets) = rendered(&[("Harbour", &page)], 100);
        let head = "<page name=\"Harbour\">\n<page_properties>\ntags:: port\n</page_properties>\n";
        assert!(text.contains(&format!("{head}<existing_blocks>\n- …\n</existing_blocks>\n")), "{text}");
        assert_eq!(targets.block("t1"), None);
    }
}
