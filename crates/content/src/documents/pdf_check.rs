//! Finds PDF files that the crate pdf-extract would read without end: it follows forms that use each other, and pages
//! whose parents are themselves, by recursion without a limit, and a full stack ends the process.
//!
//! Input: a loaded file. Output: why it is not read. Called by [`super::pdf`].

use pdf_extract::content::Content;
use pdf_extract::{Dictionary, Document, Object, ObjectId};

use super::pdf_size::unpacked_length;

/// Maximum levels of forms within forms, and of page groups within page groups.
const MAX_DEPTH: usize = 16;
/// Maximum uses of forms in a file: each of sixteen levels that uses the next one twice is 65,535.
const MAX_USES: usize = 20_000;
/// Maximum unpacked length of the content of a page and of a form, whose operations are larger in memory, and of all that
/// is read of a file, with each use of a form.
const MAX_CONTENT_BYTES: usize = 4 * 1024 * 1024;
const MAX_READ_BYTES: usize = 256 * 1024 * 1024;
const TOO_LARGE: &str = "a page of it unpacks to more than 4 MB";

/// Returns why the file cannot be read, if so. `max_pages`: the number of pages that are read.
pub(super) fn problem(document: &Document, max_pages: usize) -> Option<&'static str> {
    let none = Dictionary::new();
    let mut uses = Uses { document, left: MAX_USES, bytes_left: MAX_READ_BYTES };
    document.get_pages().into_values().take(max_pages).find_map(|page| {
        let page_dictionary = document.get_dictionary(page).ok()?;
        let groups = ancestors(document, page_dictionary);
        if groups.len() > MAX_DEPTH {
            return Some("its pages are nested too deeply");
        }
        if !has_small_content(document, page) {
            return Some(TOO_LARGE);
        }
        let resources = groups.iter().find_map(|group| dictionary(document, group, b"Resources"));
        let resources = resources.unwrap_or(&none);
        uses.follow(&document.get_page_content(page).ok()?, resources, 0)
    })
}

fn has_small_content(document: &Document, page: ObjectId) -> bool {
    let streams = document.get_page_contents(page);
    let mut streams = streams.iter().filter_map(|id| document.get_object(*id).and_then(Object::as_stream).ok());
    let left = streams.try_fold(MAX_CONTENT_BYTES, |left, stream| left.checked_sub(unpacked_length(stream, left)?));
    left.is_some()
}

/// Returns the page and the groups that it is in, the innermost first; one more than [`MAX_DEPTH`] at most.
fn ancestors<'d>(document: &'d Document, page: &'d Dictionary) -> Vec<&'d Dictionary> {
    let parent = |group: &&'d Dictionary| dictionary(document, group, b"Parent");
    std::iter::successors(Some(page), parent).take(MAX_DEPTH + 1).collect()
}

fn dictionary<'d>(document: &'d Document, of: &'d Dictionary, key: &[u8]) -> Option<&'d Dictionary> {
    of.get_deref(key, document).and_then(Object::as_dict).ok()
}

struct Uses<'d> {
    document: &'d Document,
    left: usize,
    bytes_left: usize,
}

impl<'d> Uses<'d> {
    /// Follows the forms that a content uses as the crate does: a form without resources has those of its user.
    fn follow(&mut self, content: &[u8], resources: &'d Dictionary, depth: usize) -> Option<&'static str> {
        if depth > MAX_DEPTH {
            return Some("its forms use each other without end");
        }
        let Some(left) = self.bytes_left.checked_sub(content.len()) else {
            return Some("its forms are used too often");
        };
        self.bytes_left = left;
        let forms = dictionary(self.document, resources, b"XObject")?;
        let operations = Content::decode(content).ok()?.operations;
        for operation in operations.iter().filter(|operation| operation.operator == "Do") {
            let Some(left) = self.left.checked_sub(1) else { return Some("its forms are used too often") };
            self.left = left;
            let Some(name) = operation.operands.first().and_then(|name| name.as_name().ok()) else { continue };
            let Ok(form) = forms.get_deref(name, self.document).and_then(Object::as_stream) else { continue };
            let own = dictionary(self.document, &form.dict, b"Resources").unwrap_or(resources);
            if unpacked_length(form, MAX_CONTENT_BYTES).is_none() {
                return Some(TOO_LARGE);
            }
            let Ok(content) = form.get_plain_content() else { continue };
            if let Some(problem) = self.follow(&content, own, depth + 1) {
                return Some(problem);
            }
        }
        None
    }
}
