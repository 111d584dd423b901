//! The language that a text is written in. Called where identity is settled.

use std::borrow::Cow;

use whatlang::{Lang, detect};

/// Fewer characters say too little.
const MIN_CHARS: usize = 60;
/// More are not looked at.
const MAX_CHARS: usize = 2_000;

/// The language of a title and a body as its ISO 639 code, of two letters where there is one: as detected if the text is long
/// and clear enough, else what the source says of itself.
#[must_use]
pub fn language(title: &str, body: &str, declared: Option<&str>) -> Option<String> {
    detected(title, body).or_else(|| declared.and_then(primary))
}

fn detected(title: &str, body: &str) -> Option<String> {
    let text: String = title.chars().chain(['\n']).chain(body.chars()).take(MAX_CHARS).collect();
    if text.chars().count() < MIN_CHARS {
        return None;
    }
    detect(&text).filter(whatlang::Info::is_reliable).map(|found| code(found.lang()).into_owned())
}

/// The first part of a language tag, in lower case, where it can be one.
fn primary(tag: &str) -> Option<String> {
    let part = tag.split(['-', '_']).next().unwrap_or_default().trim();
    let is_code = (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_code.then(|| part.to_ascii_lowercase())
}

fn code(lang: Lang) -> Cow<'static, str> {
    let short = match lang {
        Lang::Epo => "eo",
        Lang::Eng => "en",
        Lang::Rus => "ru",
        Lang::Cmn => "zh",
        Lang::Spa => "es",
        Lang::Por => "pt",
        Lang::Ita => "it",
        Lang::Ben => "bn",
        Lang::Fra => "fr",
        Lang::Deu => "de",
        Lang::Ukr => "uk",
        Lang::Kat => "ka",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Jpn => "ja",
        Lang::Heb => "he",
        Lang::Yid => "yi",
        Lang::Pol => "pl",
        Lang::Amh => "am",
        Lang::Kor => "ko",
        Lang::Nob => "nb",
        Lang::Dan => "da",
        Lang::Swe => "sv",
        Lang::Fin => "fi",
        Lang::Tur => "tr",
        Lang::Nld => "nl",
        Lang::Hun => "hu",
        Lang::Ces => "cs",
        Lang::Ell => "el",
        Lang::Bul => "bg",
        Lang::Bel => "be",
        Lang::Hrv => "hr",
        Lang::Srp => "sr",
        Lang::Ron => "ro",
        Lang::Slv => "sl",
        Lang::Lit => "lt",
        Lang::Lav => "lv",
        Lang::Est => "et",
        Lang::Pes => "fa",
        Lang::Tha => "th",
        Lang::Vie => "vi",
        Lang::Ind => "id",
        Lang::Cat => "ca",
        other => return Cow::Borrowed(other.code()),
    };
    Cow::Borrowed(short)
}

#[cfg(test)]
mod tests {
    use super::language;

    #[test]
    fn clear_texts_are_told_apart() {
        for (text, code) in [
            (
                "The harbour master closed both basins on Tuesday after the storm had torn away the outer moorings.",
                "en",
            ),
            (
                "Der Hafenmeister sperrte am Dienstag beide Becken, nachdem der Sturm die äußeren Leinen zerrissen hatte.",
                "de",
            ),
            ("Le capitaine du port a fermé les deux bassins mardi après que la tempête eut emporté les amarres.", "fr"),
            ("Начальник порта во вторник закрыл оба бассейна после того, как шторм сорвал внешние швартовы.", "ru"),
            (
                "港長は火曜日、嵐で外側の係留索が切れたため、両方の船溜まりを閉鎖した。復旧には数日かかる見込みで、漁船は隣の港を使うよう求められている。",
                "ja",
            ),
        ] {
            assert_eq!(language("", text, Some("xx")).as_deref(), Some(code), "{text}");
        }
    }

    #[test]
    fn short_texts_have_the_language_their_source_says() {
        assert_eq!(language("Storm", "", Some("en-GB")).as_deref(), Some("en"));
        assert_eq!(language("Storm", "", Some("PT_br")).as_deref(), Some("pt"));
        assert_eq!(language("Storm", "", Some("none of these")), None);
        assert_eq!(language("", "", None), None);
    }
}
