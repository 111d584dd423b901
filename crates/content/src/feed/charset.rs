//! Decodes bytes. Input: a document as served; output: UTF-8 text whose XML declaration, if any, agrees. Called by the
//! parser.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

/// Returns the document as text, and a description of what had to be guessed.
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> (Cow<'a, str>, Option<String>) {
    if let Some(text) = utf32(bytes) {
        return (Cow::Owned(declare_utf8(text)), None);
    }
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return finish(encoding, &bytes[length..], None);
    }
    if let Some(encoding) = utf16_without_bom(bytes) {
        return finish(encoding, bytes, None);
    }
    // UTF-16 and UTF-32 were recognised above, so a declaration of these is wrong here.
    let is_possible = |encoding: &&'static Encoding| encoding.is_ascii_compatible() || *encoding == ISO_2022_JP;
    let declared = declared_in_document(bytes).filter(is_possible);
    let served = content_type.and_then(charset_of).filter(is_possible);
    let utf8 = std::str::from_utf8(bytes).ok();
    // Text in an encoding of several bytes may be valid UTF-8 by chance, but then of letters below U+0800.
    let is_utf8 = |encoding: &'static Encoding| {
        let is_no_chance = |text: &str| encoding.is_single_byte() || text.chars().any(|c| c >= '\u{800}');
        utf8.is_some_and(|text| !text.is_ascii() && is_no_chance(text))
    };
    match (declared.or(served), utf8) {
        (Some(encoding), Some(text)) if encoding == UTF_8 => finish_text(text.into(), None),
        // Non-ASCII bytes that are valid UTF-8 throughout are UTF-8, even if another encoding is declared.
        (Some(encoding), _) if encoding != UTF_8 && !is_utf8(encoding) => finish(encoding, bytes, None),
        (None, Some(text)) => finish_text(text.into(), None),
        (Some(wrong), Some(text)) => {
            finish_text(text.into(), Some(format!("declared as {} but written in UTF-8", wrong.name())))
        }
        (Some(_), None) if mostly_utf8(bytes) => (
            Cow::Owned(declare_utf8(patch_utf8(bytes))),
            Some("some bytes are not UTF-8 and were read as windows-1252".to_owned()),
        ),
        (_, None) => {
            let encoding = served.filter(|e| *e != UTF_8).unwrap_or_else(|| detect(bytes));
            finish(encoding, bytes, Some(format!("not UTF-8, and not told otherwise; read as {}", encoding.name())))
        }
    }
}

fn finish<'a>(encoding: &'static Encoding, bytes: &'a [u8], problem: Option<String>) -> (Cow<'a, str>, Option<String>) {
    finish_text(encoding.decode_without_bom_handling(bytes).0, problem)
}

fn finish_text(text: Cow<'_, str>, problem: Option<String>) -> (Cow<'_, str>, Option<String>) {
    let says_otherwise = label_in_document(text.as_bytes()).is_some_and(|label| !label.eq_ignore_ascii_case("utf-8"));
    if says_otherwise { (Cow::Owned(declare_utf8(text.into_owned())), problem) } else { (text, problem) }
}

/// Returns the document with an XML declaration, if it has one, that names UTF-8.
fn declare_utf8(text: String) -> String {
    let Some(start) = text.find("<?xml").filter(|at| text[..*at].trim().is_empty()) else { return text };
    let Some(end) = text[start..].find("?>") else { return text };
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{}", &text[start + end + 2..])
}

/// Returns the encoding that the XML declaration names. UTF-16 is taken as UTF-8, since the declaration was readable
/// byte by byte.
fn declared_in_document(bytes: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label_in_document(bytes)?.as_bytes())?;
    Some(if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding })
}

fn label_in_document(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(512)];
    let head = String::from_utf8_lossy(head);
    let declaration = head.trim_start().strip_prefix("<?xml")?;
    let declaration = declaration.split_once("?>").map_or(declaration, |(d, _)| d);
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split(quote).next().map(|label| label.trim().to_owned())
}

fn charset_of(content_type: &str) -> Option<&'static Encoding> {
    let parameter = content_type.split(';').skip(1).find_map(|p| {
        let (name, value) = p.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    })?;
    Encoding::for_label(parameter.trim().trim_matches(['"', '\'']).as_bytes())
}

fn utf16_without_bom(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [b'<', 0, second, 0, ..] if *second != 0 => Some(UTF_16LE),
        [0, b'<', 0, second, ..] if *second != 0 => Some(UTF_16BE),
        _ => None,
    }
}

fn utf32(bytes: &[u8]) -> Option<String> {
    let big = match bytes {
        [0, 0, 0xFE, 0xFF, ..] | [0, 0, 0, b'<', ..] => true,
        [0xFF, 0xFE, 0, 0, ..] | [b'<', 0, 0, 0, ..] => false,
        _ => return None,
    };
    let read = |c: &[u8]| {
        let four = [c[0], c[1], c[2], c[3]];
        let code = if big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) };
        char::from_u32(code).unwrap_or('\u{FFFD}')
    };
    Some(bytes.chunks_exact(4).map(read).filter(|c| *c != '\u{FEFF}').collect())
}

fn detect(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// Returns whether most non-ASCII characters are well-formed UTF-8.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > bad
}

fn patch_utf8(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&encoding_rs::WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::decode;

    fn text(bytes: &[u8], content_type: Option<&str>) -> String {
        decode(bytes, content_type).0.into_owned()
    }

    #[test]
    fn every_way_to_name_a_charset_is_honoured() {
        assert_eq!(text(b"\xEF\xBB\xBF<a>\xC3\xA9", None), "<a>é");
        assert_eq!(text(b"\xFF\xFE<\0a\0", None), "<a");
        assert_eq!(text(b"<\0?\0x\0", None), "<?x");
        assert!(
            text(b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xE9", None).ends_with("encoding=\"UTF-8\"?><a>é")
        );
        assert_eq!(
            text(b"<?xml version='1.0' encoding='utf-16'?><a/>", None),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a/>"
        );
        assert_eq!(text(b"<a>\xE9", Some("text/xml; charset=ISO-8859-1")), "<a>é");
        assert_eq!(text("<a>é".as_bytes(), Some("text/xml; charset=\"utf-8\"")), "<a>é");
    }

    #[test]
    fn wrong_declarations_are_seen_through() {
        let (found, problem) = decode("<?xml version='1.0' encoding='latin1'?><a>é — ü".as_bytes(), None);
        assert!(found.ends_with("<a>é — ü") && problem.is_some());
        for declared in ["gb2312", "gbk", "big5", "shift_jis", "euc-kr"] {
            let feed = format!("<?xml version='1.0' encoding='{declared}'?><a>港口新闻");
            let (found, problem) = decode(feed.as_bytes(), None);
            assert!(found.ends_with("<a>港口新闻") && problem.is_some(), "{declared}: {found}");
        }
        let gbk = encoding_rs::GBK.encode("<?xml version='1.0' encoding='gbk'?><a>港口新闻").0.into_owned();
        assert!(text(&gbk, None).ends_with("<a>港口新闻"));
        let (found, problem) = decode(b"<?xml version='1.0' encoding='utf-8'?><a>\xC3\xA9\xC3\xA9 \x92", None);
        assert!(found.ends_with("éé ’") && problem.is_some());
        let cyrillic = encoding_rs::WINDOWS_1251.encode("<a>Новости дня: всё хорошо, спасибо").0.into_owned();
        assert_eq!(text(&cyrillic, None), "<a>Новости дня: всё хорошо, спасибо");
    }
}
