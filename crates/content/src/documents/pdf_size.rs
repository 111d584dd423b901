//! Loads a PDF file unless it unpacks to far more than it is: the crate pdf-extract unpacks streams without a limit.
//!
//! Input: the bytes of a file. Output: the loaded file, without its images, or why it is not read. Called by
//! [`super::pdf`].

use std::borrow::Cow;
use std::cell::Cell;

use memchr::memmem;
use pdf_extract::{Dictionary, Document, LoadOptions, Object, ObjectId, Stream};

use super::unpacked_length::{of_deflate, of_lzw};

const MEGABYTE: usize = 1024 * 1024;
/// Maximum unpacked length of a stream, and of all streams of a file.
const MAX_STREAM_BYTES: usize = 64 * MEGABYTE;
const MAX_FILE_BYTES: usize = 256 * MEGABYTE;
/// Maximum unpacked length of a table of objects. Its entries are larger in memory.
const MAX_TABLE_BYTES: usize = 16 * MEGABYTE;
/// Maximum filters of a stream, and the maximum length of a row of its predictor.
const MAX_FILTERS: usize = 4;
const MAX_ROW_BYTES: i64 = 16 * 1024 * 1024;

/// Maximum entries of a character map: four times those of a font with two-byte codes.
const MAX_MAPPED_CHARACTERS: u64 = 262_144;

const TOO_MANY_CHARACTERS: &str = "a character map of it has more than 262,144 entries";
const TOO_LARGE: &str = "it unpacks to more than 64 MB in one part, or 256 MB in all";

thread_local! {
    /// How far the object streams of the file that this thread loads may still unpack; `None` if they had more. The crate
    /// takes only a function without state.
    static LEFT: Cell<Option<usize>> = const { Cell::new(Some(MAX_FILE_BYTES)) };
}

/// Loads a file.
///
/// # Errors
/// When it is broken, or unpacks to more than the limits.
pub(super) fn load(bytes: &[u8]) -> Result<Document, String> {
    if has_large_table(bytes) {
        return Err(TOO_LARGE.to_owned());
    }
    LEFT.set(Some(MAX_FILE_BYTES));
    let loaded = Document::load_mem_with_options(bytes, LoadOptions::with_filter(admit));
    if LEFT.get().is_none() {
        return Err(TOO_LARGE.to_owned());
    }
    let mut document = loaded.map_err(|error| error.to_string())?;
    if document.is_encrypted() {
        document.decrypt("").map_err(|error| error.to_string())?;
    }
    let mut left = MAX_FILE_BYTES;
    for object in document.objects.values_mut() {
        let Object::Stream(stream) = object else { continue };
        if is_image(stream) {
            // It has no text, and the crate would read it as if it were a page.
            stream.set_plain_content(vec![b' ']);
            continue;
        }
        let length = unpacked_length(stream, left.min(MAX_STREAM_BYTES)).ok_or_else(|| TOO_LARGE.to_owned())?;
        left = left.saturating_sub(length);
        if mapped_characters(stream, length) > MAX_MAPPED_CHARACTERS {
            return Err(TOO_MANY_CHARACTERS.to_owned());
        }
    }
    Ok(document)
}

/// Returns how many characters a stream maps to others, if it is a character map: the crate makes an entry for each,
/// and a range of a few bytes has up to 4,294,967,296.
fn mapped_characters(stream: &Stream, length: usize) -> u64 {
    if length > MAX_TABLE_BYTES {
        return 0;
    }
    let Ok(content) = stream.get_plain_content() else { return 0 };
    let of_kind = |begin: &[u8]| -> u64 {
        let sections = memmem::find_iter(&content, begin).map(|at| &content[at + begin.len()..]);
        sections.map(|section| characters_of(&section[..memmem::find(section, b"end").unwrap_or(section.len())])).sum()
    };
    of_kind(b"beginbfrange").saturating_add(of_kind(b"begincidrange"))
}

/// Returns the number of characters of the ranges `<first> <last> target`, where the target may be a list.
fn characters_of(mut rest: &[u8]) -> u64 {
    let mut sum: u64 = 0;
    while let (Some(first), Some(last)) = (code(&mut rest), code(&mut rest)) {
        sum = sum.saturating_add(last.saturating_sub(first)).saturating_add(1);
        rest = rest.trim_ascii_start();
        let end = match rest.first() {
            Some(b'[') => memmem::find(rest, b"]"),
            Some(b'<') => memmem::find(rest, b">"),
            _ => rest.iter().position(u8::is_ascii_whitespace),
        };
        rest = end.and_then(|end| rest.get(end + 1..)).unwrap_or_default();
    }
    sum
}

/// Takes the next code in angle brackets. One that is no number counts as the largest.
fn code(rest: &mut &[u8]) -> Option<u64> {
    let start = memmem::find(rest, b"<")? + 1;
    let end = start + memmem::find(&rest[start..], b">")?;
    let digits: String =
        rest[start..end].iter().filter(|byte| !byte.is_ascii_whitespace()).map(|byte| char::from(*byte)).collect();
    *rest = &rest[end + 1..];
    Some(u64::from_str_radix(&digits, 16).unwrap_or(u64::from(u32::MAX)))
}

/// Keeps an object that is being loaded, unless it is an object stream that is too large, which would be unpacked next.
fn admit(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let Object::Stream(stream) = object else { return Some((id, object.clone())) };
    if stream.dict.has_type(b"ObjStm") {
        let left = LEFT.get()?;
        let length = unpacked_length(stream, left.min(MAX_STREAM_BYTES));
        LEFT.set(length.map(|length| left.saturating_sub(length)));
        length?;
    }
    // Only of objects within object streams, which are no streams, is the result used.
    Some((id, Object::Null))
}

fn is_image(stream: &Stream) -> bool {
    stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image")
}

/// Returns how long a stream is when it is unpacked; `None` if that is more than `limit`.
pub(super) fn unpacked_length(stream: &Stream, limit: usize) -> Option<usize> {
    let Ok(filters) = stream.filters() else { return Some(stream.content.len()) };
    let params = stream.dict.get(b"DecodeParms").and_then(Object::as_dict);
    if filters.len() > MAX_FILTERS || params.is_ok_and(|params| row_length(params) > MAX_ROW_BYTES) {
        return None;
    }
    let mut data = Cow::Borrowed(stream.content.as_slice());
    for (at, filter) in filters.iter().enumerate() {
        let length = match *filter {
            // After the two bytes of a zlib header.
            b"FlateDecode" => of_deflate(data.get(2..).unwrap_or_default(), limit),
            b"LZWDecode" => of_lzw(&data, limit),
            // Four bytes of five, or of a "z".
            b"ASCII85Decode" => data.len() + 3 * memchr::memchr_iter(b'z', &data).count(),
            // The crate does not unpack it.
            _ => return Some(data.len()),
        };
        if length > limit {
            return None;
        }
        if at + 1 == filters.len() {
            return Some(length);
        }
        let mut dictionary = Dictionary::new();
        dictionary.set("Filter", Object::Name(filter.to_vec()));
        let Ok(unpacked) = Stream::new(dictionary, data.into_owned()).decompressed_content() else {
            return Some(length);
        };
        data = Cow::Owned(unpacked);
    }
    Some(data.len())
}

/// Returns the length of a row of the predictor, in bytes.
fn row_length(params: &Dictionary) -> i64 {
    let value = |key: &[u8]| params.get(key).and_then(Object::as_i64).unwrap_or(1).max(1);
    value(b"Columns").saturating_mul(value(b"Colors")).saturating_mul(value(b"BitsPerComponent").max(8)) / 8
}

/// Whether a table of objects unpacks to too much. The tables are unpacked before any object is loaded.
fn has_large_table(bytes: &[u8]) -> bool {
    const DICTIONARY_BYTES: usize = 2_048;
    memmem::find_iter(bytes, b"stream").any(|at| {
        let dictionary = &bytes[at.saturating_sub(DICTIONARY_BYTES)..at];
        if dictionary.ends_with(b"end") || memmem::find(dictionary, b"XRef").is_none() {
            return false;
        }
        let content = bytes[at + b"stream".len()..].trim_ascii_start();
        let columns = memmem::rfind(dictionary, b"/Columns").map(|at| &dictionary[at + b"/Columns".len()..]);
        let digits =
            columns.map_or(0, |rest| rest.trim_ascii_start().iter().take_while(|byte| byte.is_ascii_digit()).count());
        // The table may be the object before this one, which may be an image.
        let own = memmem::rfind(dictionary, b"obj").map_or(dictionary, |at| &dictionary[at..]);
        let limit = if memmem::find(own, b"XRef").is_some() { MAX_TABLE_BYTES } else { MAX_STREAM_BYTES };
        // A row of a table is a few bytes.
        digits > 6 || of_deflate(content.get(2..).unwrap_or_default(), limit) > limit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> Object {
        Object::Name(b"FlateDecode".to_vec())
    }

    fn packed(bytes: Vec<u8>) -> Stream {
        let mut stream = Stream::new(Dictionary::new(), bytes);
        stream.compress().unwrap();
        assert!(stream.is_compressed());
        stream
    }

    #[test]
    fn a_stream_is_as_long_as_its_filters_make_it() {
        let stream = packed(vec![b' '; 1_000_000]);
        assert_eq!(unpacked_length(&stream, 1_000_000), Some(1_000_000));
        assert_eq!(unpacked_length(&stream, 999_999), None);
        let mut twice = packed(stream.content);
        twice.dict.set("Filter", Object::Array(vec![name(), name()]));
        assert_eq!(unpacked_length(&twice, 1_000_000), Some(1_000_000));
        assert_eq!(unpacked_length(&twice, 999_999), None);
        let plain = Stream::new(Dictionary::new(), vec![b' '; 9]);
        assert_eq!(unpacked_length(&plain, 0), Some(9));
    }

    #[test]
    fn long_rows_and_many_filters_are_refused() {
        let mut stream = packed(vec![b' '; 1_000]);
        let mut params = Dictionary::new();
        params.set("Columns", 4_000_000_000_i64);
        stream.dict.set("DecodeParms", params);
        assert_eq!(unpacked_length(&stream, 100_000), None);
        let mut many = packed(vec![b' '; 1_000]);
        many.dict.set("Filter", Object::Array(vec![name(), name(), name(), name(), name()]));
        assert_eq!(unpacked_length(&many, 100_000), None);
    }

    #[test]
    fn a_large_table_of_objects_is_found() {
        let table = |length: usize| {
            let stream = packed(vec![0; length]);
            let mut file = b"%PDF-1.5\n1 0 obj << /Type /XRef /Filter /FlateDecode >>\nstream\r\n".to_vec();
            file.extend(stream.content);
            file.extend(b"\nendstream endobj");
            file
        };
        assert!(!has_large_table(&table(100_000)));
        assert!(has_large_table(&table(MAX_TABLE_BYTES + 1)));
        let mut with_image = table(100_000);
        with_image.extend(b"\n2 0 obj << /Subtype /Image /Filter /FlateDecode >>\nstream\n");
        with_image.extend(packed(vec![0; MAX_TABLE_BYTES + 1]).content);
        assert!(!has_large_table(&with_image), "an image is no table");
        assert!(has_large_table(b"<< /Type /XRef /DecodeParms << /Columns 4000000000 >> >> stream\nx"));
    }

    #[test]
    fn the_characters_of_a_map_are_counted() {
        let map = |text: &str| mapped_characters(&Stream::new(Dictionary::new(), text.as_bytes().to_vec()), text.len());
        let ranges = "1 begincodespacerange <0000> <FFFF> endcodespacerange\n2 beginbfrange <0020> <007E> <0020>\n\
                      <0100> <0101> [<0041> <0042>] endbfrange";
        assert_eq!(map(ranges), 95 + 2);
        assert_eq!(map("1 begincidrange <0000> <00FF> 7 endcidrange"), 256);
        assert_eq!(map("1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange"), 1 << 32);
        assert!(map("beginbfrange <10> <zz> 1") > 262_144, "what is no number counts as the largest");
        assert_eq!(map("BT (in the range) Tj <00480065006C006C006F> Tj <0048> Tj ET"), 0);
    }
}
