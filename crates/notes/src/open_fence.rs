//! Finds code fences of plain Markdown that are never closed. What is added below one becomes part of its code.
//!
//! Such a fence reaches to the end of the list item that contains it, else to the end of the file. The parser reads
//! what is in it as blocks, as [`crate::opaque`] says, so edits ask here before they insert lines.

use crate::lines::{Line, indent_of};
use crate::markdown;
use crate::opaque::{Region, front_matter};

/// A fence that is not closed: its line, and the line that ends its list item, or the number of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenFence {
    pub(crate) line: usize,
    end: usize,
}

impl OpenFence {
    /// Returns whether lines that are inserted before the line `at` would be in the fence.
    pub(crate) fn contains(&self, at: usize) -> bool {
        (self.line + 1..=self.end).contains(&at)
    }
}

/// Returns the fences that are not closed, in order.
pub(crate) fn open_fences(lines: &[Line]) -> Vec<OpenFence> {
    let (mut found, mut at) = (Vec::new(), front_matter(lines));
    // Columns of the contents of the list items that contain the line.
    let mut items: Vec<usize> = Vec::new();
    while let Some(line) = lines.get(at) {
        let opened = if line.is_blank() { None } else { fence_of(&line.text, &mut items) };
        at += 1;
        let Some(region) = opened else { continue };
        let item = items.last().copied().unwrap_or_default();
        let is_end = |line: &Line| region.is_closed_by(&line.text) || !line.is_blank() && column(&line.text) < item;
        let start = at - 1;
        let end = lines.iter().skip(at).position(is_end).map_or(lines.len(), |length| at + length);
        let is_closed = lines.get(end).is_some_and(|line| column(&line.text) >= item);
        found.extend((!is_closed).then_some(OpenFence { line: start, end }));
        at = if is_closed { end + 1 } else { end };
    }
    found
}

/// Returns the fence that a line opens, and updates the list items that contain it.
fn fence_of(text: &str, items: &mut Vec<usize>) -> Option<Region> {
    let own = column(text);
    while items.last().is_some_and(|item| *item > own) {
        items.pop();
    }
    let content = markdown::content(text);
    let width = text.len() - indent_of(text).len() - content.len();
    if width > 0 {
        items.push(own + width);
    }
    let is_code_by_indentation = width == 0 && own >= items.last().copied().unwrap_or_default() + 4;
    Region::opened_by(content).filter(|region| matches!(region, Region::Fence { .. }) && !is_code_by_indentation)
}

/// Returns the column at which a line's text begins. A tab leads to the next multiple of 4.
fn column(text: &str) -> usize {
    let advance = |column: usize, c| if c == '\t' { column / 4 * 4 + 4 } else { column + 1 };
    indent_of(text).chars().fold(0, advance)
}

#[cfg(test)]
mod tests {
    use super::open_fences;
    use crate::lines::split;

    #[test]
    fn a_fence_is_open_until_its_own_mark_or_the_end_of_its_item() {
        for (text, expected) in [
            ("Text\n```sh\nls", vec![(1, 3)]),
            ("````\n```sh\nls\n```\n", vec![(0, 4)]),
            ("````\n```sh\nls\n````\nText", vec![]),
            ("~~~\n```\n~~~\n", vec![]),
            ("```\n~~~\n", vec![(0, 2)]),
            ("   ```\nls\n", vec![(0, 2)]),
            ("    ```\nls\n", vec![]),
            ("``` never closed, with a `tick` in it\n", vec![]),
            ("---\na: |\n  ```\n---\nText\n", vec![]),
            ("- ```sh\n  ls\n- next\n", vec![(0, 2)]),
            ("- a\n\n  ```sh\n  ls\n\n  ```\n- next\n", vec![]),
            ("\t- a\n\t\t```sh\n\t\tls\n\t- b\n", vec![(1, 3)]),
            ("- a\n  ```\n- b\n```\nls\n", vec![(1, 2), (3, 5)]),
        ] {
            let found: Vec<(usize, usize)> =
                open_fences(&split(text)).iter().map(|fence| (fence.line, fence.end)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
