//! Fences untrusted text for a prompt: JSON in which `<`, `>` and `&` are escaped, so that it cannot close a
//! surrounding tag.

use std::io::Write;

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// Returns a value as JSON without `<`, `>` or `&`; an empty text stays empty.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn fenced(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut json = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut json, Fence))?;
    let json = String::from_utf8(json).map_err(serde_json::Error::custom)?;
    Ok(if json == "\"\"" { String::new() } else { json })
}

/// Also escapes the characters of tags, which occur only within strings.
struct Fence;

const ESCAPES: [(char, &str); 3] = [('<', "\\u003c"), ('>', "\\u003e"), ('&', "\\u0026")];

impl Formatter for Fence {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> std::io::Result<()> {
        for piece in fragment.split_inclusive(ESCAPES.map(|(sign, _)| sign)) {
            let mut escapes = ESCAPES.iter();
            let (text, escape) =
                escapes.find_map(|(sign, escape)| Some((piece.strip_suffix(*sign)?, *escape))).unwrap_or((piece, ""));
            writer.write_all(text.as_bytes())?;
            writer.write_all(escape.as_bytes())?;
        }
        Ok(())
    }
}
