//! Names of months, time zones and halves of the day, and the date markers of languages that write dates without names.
//! Called by the date reader.

use std::borrow::Cow;

/// Prefixes of month names, January first, as used in English, German, French, Spanish, Italian, Dutch, Portuguese,
/// Greek, Hungarian, Russian, Polish, Turkish and Scandinavian feeds.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen", "ιαν", "янв", "sty", "oca"],
    &["feb", "fév", "fev", "φεβ", "фев", "lut", "şub"],
    &["mar", "mär", "mrt", "maa", "már", "μάρ", "μαρ", "мар"],
    &["apr", "avr", "abr", "ápr", "απρ", "апр", "kwi", "nis"],
    &["may", "mai", "mei", "mag", "máj", "maj", "μάι", "μαι", "μαϊ", "май", "мая"],
    &["jun", "juin", "giu", "jún", "ιουν", "ιούν", "ιον", "июн", "cze", "haz"],
    &["jul", "juil", "lug", "júl", "ιουλ", "ιούλ", "ιολ", "июл", "lip", "tem"],
    &["aug", "aoû", "ago", "agu", "αύγ", "αυγ", "авг", "sie", "ağu"],
    &["sep", "set", "szep", "σεπ", "сен", "wrz", "eyl"],
    &["oct", "okt", "ott", "out", "οκτ", "окт", "paź", "eki"],
    &["nov", "νοέ", "νοε", "ноя", "lis", "kas"],
    &["dec", "déc", "dic", "dez", "des", "δεκ", "дек", "gru", "ara"],
];

/// Returns the number of a month, 1 to 12, by the first letters of its name.
pub(super) fn month(token: &str) -> Option<u32> {
    let lower = token.to_lowercase();
    let found = MONTHS.iter().position(|starts| starts.iter().any(|start| lower.starts_with(start)))?;
    u32::try_from(found + 1).ok()
}

/// Whether a token says "pm", "p.m." and the like, or "am"; `None` if neither.
pub(super) fn afternoon(token: &str) -> Option<bool> {
    match token.to_ascii_lowercase().as_str() {
        "am" | "a.m" | "a.m." => Some(false),
        "pm" | "p.m" | "p.m." => Some(true),
        _ => None,
    }
}

/// Returns minutes east of Greenwich from `+0200`, `-5:00`, `GMT+2`, `Z` or a zone's name.
pub(super) fn offset(token: &str) -> Option<i64> {
    let token = token.strip_prefix("Etc/").unwrap_or(token);
    let Some(at) = token.find(['+', '-', '−']) else { return named_offset(token) };
    let name = &token[..at];
    if !(name.is_empty() || ["GMT", "UTC", "UT", "Z"].iter().any(|n| name.eq_ignore_ascii_case(n))) {
        return None;
    }
    let sign = if token[at..].starts_with('+') { 1 } else { -1 };
    let digits: String = token[at..].chars().filter(char::is_ascii_digit).collect();
    let number: i64 = digits.get(..digits.len().min(4))?.parse().ok()?;
    let minutes = if digits.len() <= 2 { number * 60 } else { number / 100 * 60 + number % 100 };
    // "+02:00:00" includes seconds, which no current zone has.
    (minutes <= 14 * 60 && matches!(digits.len(), 1..=4 | 6)).then_some(sign * minutes)
}

/// Whether a token is written like an offset from Greenwich that no zone has: `+1600`, `GMT-25:00`.
pub(super) fn is_impossible_offset(token: &str) -> bool {
    let written = token;
    let token = ["GMT", "UTC"].iter().find_map(|name| token.strip_prefix(*name)).unwrap_or(token);
    let has_sign = token.starts_with(['+', '-', '−']);
    let rest = token.trim_start_matches(['+', '-', '−']);
    let is_clock = !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == ':');
    has_sign && is_clock && offset(written).is_none()
}

/// Returns the offset of a named zone in minutes east of Greenwich. `None` for military letters, which have been used
/// both ways.
fn named_offset(name: &str) -> Option<i64> {
    let quarters = match name.to_ascii_uppercase().as_str() {
        "Z" | "UT" | "GMT" | "UTC" | "WET" => 0,
        "BST" | "CET" | "MEZ" | "WEST" => 4,
        "CEST" | "MESZ" | "EET" | "SAST" => 8,
        "EEST" | "MSK" | "TRT" => 12,
        "IRST" => 14,
        "IST" => 22,
        "SGT" | "HKT" | "AWST" => 32,
        "JST" | "KST" => 36,
        "ACST" => 38,
        "AEST" => 40,
        "AEDT" => 44,
        "NZST" => 48,
        "NZDT" => 52,
        "NDT" => -10,
        "BRT" | "ART" | "ADT" => -12,
        "NST" => -14,
        "AST" | "EDT" | "AT" => -16,
        "EST" | "CDT" | "ET" => -20,
        "CST" | "MDT" | "CT" => -24,
        "MST" | "PDT" | "MT" => -28,
        "PST" | "AKDT" | "PT" => -32,
        "AKST" | "AKT" => -36,
        "HST" => -40,
        _ => return None,
    };
    Some(quarters * 15)
}

/// Offset of Korea in minutes east of Greenwich, the only zone where dates have Korean markers.
const KOREA_MINUTES: i64 = 9 * 60;

/// Replaces East Asian date markers with hyphens, colons, "am" and "pm", and hyphens around a month's name with spaces.
/// Also returns the zone that the script implies.
pub(super) fn numbers_and_marks(text: &str) -> (Cow<'_, str>, Option<i64>) {
    if text.is_ascii() {
        return (spaced_month(text).map_or(Cow::Borrowed(text), Cow::Owned), None);
    }
    let is_korean = ["년", "월", "오전", "오후"].iter().any(|mark| text.contains(mark));
    let mut out = text.to_owned();
    for (marks, sign) in [
        (&["오전", "上午", "午前"][..], " am "),
        (&["오후", "下午", "午後"], " pm "),
        (&["年", "년", "月", "월"], "-"),
        (&["日", "일", "秒", "초"], " "),
        (&["時", "时", "시", "点", "分", "분"], ":"),
    ] {
        for mark in marks {
            out = out.replace(mark, sign);
        }
    }
    let out = glued(&out);
    (Cow::Owned(spaced_month(&out).unwrap_or(out)), is_korean.then_some(KOREA_MINUTES))
}

/// Removes spaces between a hyphen or colon and the number after it. A hyphen or colon without a number after it
/// becomes a space.
fn glued(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['-', ':']) {
        let after = rest[at + 1..].trim_start();
        out.push_str(&rest[..at]);
        let before_number = after.starts_with(char::is_alphanumeric);
        out.push_str(if before_number { &rest[at..=at] } else { " " });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Turns "2004-július-13" into "2004 július 13"; `None` for other texts.
fn spaced_month(text: &str) -> Option<String> {
    let (year, rest) = text.split_once('-')?;
    let (name, rest) = rest.split_once('-')?;
    let is_named = name.starts_with(char::is_alphabetic) && month(name).is_some();
    (is_named && year.bytes().all(|b| b.is_ascii_digit())).then(|| format!("{year} {name} {rest}"))
}
