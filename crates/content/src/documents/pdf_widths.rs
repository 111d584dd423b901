//! Writes the widths of glyphs in the one form that the crate pdf-extract reads. It takes a range of glyphs of the same
//! width ("first last width") for an empty one, and then finds spaces within words: the glyphs of the range seem to have
//! no width. Browsers print such files.
//!
//! Input: a loaded file, which is changed. Called by [`super::pdf`].

use pdf_extract::{Dictionary, Document, Object};

/// Maximum number of glyphs of a font: their codes have two bytes.
const MAX_GLYPHS: usize = 65_536;

/// Replaces each range of widths ("first last width") of the file's fonts by a list ("first [width width …]").
pub fn list_widths(document: &mut Document) {
    let listed: Vec<_> = document
        .objects
        .iter()
        .filter_map(|(id, object)| Some((*id, listed(document, widths_of(document, object.as_dict().ok()?)?)?)))
        .collect();
    for (id, widths) in listed {
        if let Some(Ok(font)) = document.objects.get_mut(&id).map(Object::as_dict_mut) {
            font.set("W", widths);
        }
    }
}

/// Returns the widths of a font of which glyphs are numbered; `None` for everything else.
fn widths_of<'d>(document: &'d Document, font: &'d Dictionary) -> Option<&'d [Object]> {
    let subtype = font.get(b"Subtype").and_then(Object::as_name).ok()?;
    let widths = matches!(subtype, b"CIDFontType0" | b"CIDFontType2").then(|| font.get(b"W").ok()).flatten()?;
    resolved(document, widths).as_array().ok().map(Vec::as_slice)
}

/// Returns the widths without ranges; `None` if there are none, or if they are not as they should be.
fn listed(document: &Document, widths: &[Object]) -> Option<Vec<Object>> {
    let (mut listed, mut ranges, mut glyphs) = (Vec::new(), 0, 0);
    let mut rest = widths;
    while let [first, second, more @ ..] = rest {
        let second = resolved(document, second);
        if second.as_array().is_ok() {
            listed.extend([resolved(document, first).clone(), second.clone()]);
            rest = more;
            continue;
        }
        let (width, more) = more.split_first()?;
        let begin = resolved(document, first).as_i64().ok()?;
        let last = second.as_i64().ok()?;
        let count = usize::try_from(last.checked_sub(begin)?.checked_add(1)?).ok()?;
        (ranges, glyphs) = (ranges + 1, count.saturating_add(glyphs));
        if glyphs > MAX_GLYPHS {
            return None;
        }
        listed.extend([Object::Integer(begin), Object::Array(vec![resolved(document, width).clone(); count])]);
        rest = more;
    }
    (ranges > 0).then_some(listed)
}

/// Returns what a reference refers to; everything else as it is.
fn resolved<'d>(document: &'d Document, object: &'d Object) -> &'d Object {
    document.dereference(object).map_or(object, |(_, found)| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(of: &[Object]) -> Option<Vec<Object>> {
        listed(&Document::new(), of)
    }

    #[test]
    fn a_range_becomes_a_list() {
        let number = Object::Integer;
        let list = |numbers: &[i64]| Object::Array(numbers.iter().copied().map(number).collect());
        assert_eq!(
            widths(&[number(3), number(5), number(250), number(10), list(&[100, 200])]),
            Some(vec![number(3), list(&[250, 250, 250]), number(10), list(&[100, 200])])
        );
        assert_eq!(widths(&[number(10), list(&[100, 200])]), None, "there is no range");
        for wrong in [
            vec![number(3), number(5)],
            vec![number(5), number(3), number(250)],
            vec![number(0), number(i64::from(i32::MAX)), number(250)],
            vec![number(3), Object::Null, number(250)],
        ] {
            assert_eq!(widths(&wrong), None, "{wrong:?}");
        }
    }
}
