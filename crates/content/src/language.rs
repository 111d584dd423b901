//! Detects the language of a text. Called where item identity is determined.

use std::borrow::Cow;

use whatlang::{Detector, Info, Lang, detect};

/// A shorter text is not reliable evidence.
const MIN_CHARS: usize = 60;
/// Longer texts are cut: more characters add time but little certainty.
const MAX_CHARS: usize = 600;

/// In a document with fewer texts, each is compared with all languages.
const MIN_TEXTS: usize = 4;
/// How many texts at a document's start determine its main language, and how many characters of each are used.
const SAMPLE_TEXTS: usize = 10;
const SAMPLE_CHARS: usize = 100;
/// After this many consecutive texts without a detected language, detection stops for the rest of a document that has
/// no main language.
const MAX_FAILURES: usize = 4;
/// The most frequent other languages, which the main language is compared with.
const RIVALS: [Lang; 8] = [Lang::Eng, Lang::Deu, Lang::Fra, Lang::Spa, Lang::Por, Lang::Nld, Lang::Rus, Lang::Ukr];
/// The same if the main language is English: a text in a related language is closer to one of these than to English.
const RIVALS_OF_ENGLISH: [Lang; 3] = [Lang::Deu, Lang::Fra, Lang::Spa];
/// Characters that usually suffice to confirm the main language.
const CONFIRMING_CHARS: usize = 240;

/// The languages of one document's texts. Most texts are in the main language: confirming it takes a tenth of the time
/// of a comparison with all languages, which is the fallback.
#[derive(Debug)]
pub struct Languages {
    main: Option<(Lang, Detector)>,
    failures: usize,
}

impl Languages {
    /// Determines the main language from texts, given as titles and bodies.
    #[must_use]
    pub fn of<'t>(texts: impl ExactSizeIterator<Item = (&'t str, &'t str)>) -> Self {
        if texts.len() < MIN_TEXTS {
            return Self { main: None, failures: 0 };
        }
        let parts = texts.take(SAMPLE_TEXTS).map(|(title, body)| start(title, body, SAMPLE_CHARS).chain(['\n']));
        let sample: String = parts.flatten().collect();
        let main = detect(&sample).filter(Info::is_reliable).map(|found| {
            let rivals = if found.lang() == Lang::Eng { &RIVALS_OF_ENGLISH[..] } else { &RIVALS[..] };
            let allowlist = rivals.iter().copied().chain([found.lang()]).collect();
            (found.lang(), Detector::with_allowlist(allowlist))
        });
        // If the combined sample has no clear language, few single texts will: one more is tried.
        let failures = if main.is_none() { MAX_FAILURES - 1 } else { 0 };
        Self { main, failures }
    }

    /// Returns the language of a title and a body as an ISO 639 code, with two letters if there is one. It is the
    /// detected language if the text is long and clear enough, otherwise the one that the source declares.
    #[must_use]
    pub fn language(&mut self, title: &str, body: &str, declared: Option<&str>) -> Option<String> {
        let text: String = start(title, body, MAX_CHARS).collect();
        let found = if text.chars().nth(MIN_CHARS - 1).is_some() { self.detected(&text) } else { None };
        found.map(|lang| code(lang).into_owned()).or_else(|| declared.and_then(primary))
    }

    fn detected(&mut self, text: &str) -> Option<Lang> {
        let confirming = text.char_indices().nth(CONFIRMING_CHARS).map_or(text, |(end, _)| &text[..end]);
        if let Some((main, detector)) = &self.main
            && detector.detect(confirming).is_some_and(|found| found.lang() == *main && found.is_reliable())
        {
            return Some(*main);
        }
        if self.main.is_none() && self.failures >= MAX_FAILURES {
            return None;
        }
        let found = detect(text).filter(Info::is_reliable);
        self.failures = if found.is_some() { 0 } else { self.failures + 1 };
        found.map(|found| found.lang())
    }
}

fn start(title: &str, body: &str, chars: usize) -> impl Iterator<Item = char> {
    title.chars().chain(['\n']).chain(body.chars()).take(chars)
}

/// Returns the primary subtag of a language tag in lower case; `None` if it is not two or three ASCII letters.
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
    use super::Languages;

    fn language(title: &str, body: &str, declared: Option<&str>) -> Option<String> {
        Languages::of([(title, body)].into_iter()).language(title, body, declared)
    }

    const CLEAR: [(&str, &str); 8] = [
        ("The harbour master closed both basins on Tuesday after the storm had torn away the outer moorings.", "en"),
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
        (
            "Hamnkaptenen stängde båda bassängerna i tisdags efter att stormen hade slitit loss de yttre förtöjningarna.",
            "sv",
        ),
        ("Liman başkanı, fırtınanın dış halatları koparmasının ardından salı günü her iki havuzu da kapattı.", "tr"),
        ("Kapitan portu zamknął we wtorek oba baseny po tym, jak sztorm zerwał zewnętrzne cumy statków.", "pl"),
    ];

    #[test]
    fn clear_texts_are_distinguished() {
        for (text, code) in CLEAR {
            assert_eq!(language("", text, Some("xx")).as_deref(), Some(code), "{text}");
        }
    }

    #[test]
    fn a_document_s_texts_need_not_be_in_its_main_language() {
        let others = CLEAR.iter().copied().skip(1);
        let texts: Vec<_> = std::iter::repeat_n(CLEAR[0], 10).chain(others).chain([CLEAR[0]]).collect();
        let mut languages = Languages::of(texts.iter().map(|(text, _)| ("", *text)));
        assert!(languages.main.as_ref().is_some_and(|(main, _)| *main == whatlang::Lang::Eng));
        for (text, code) in texts {
            assert_eq!(languages.language("", text, None).as_deref(), Some(code), "{text}");
        }
    }

    #[test]
    fn texts_without_a_language_are_not_all_looked_at() {
        let nothing = "0x3f 0x41 kzt vqx 17:32 zzgk 0x3f qqp wxz 0x41 kzt vqx 17:32 zzgk 0x3f qqp wxz".to_owned();
        let mut languages = Languages::of(std::iter::repeat_n(("", nothing.as_str()), 20));
        for _ in 0..20 {
            assert_eq!(languages.language("", &nothing, Some("en")).as_deref(), Some("en"));
        }
        assert_eq!(languages.failures, super::MAX_FAILURES);
    }

    #[test]
    fn short_texts_have_the_language_their_source_says() {
        assert_eq!(language("Storm", "", Some("en-GB")).as_deref(), Some("en"));
        assert_eq!(language("Storm", "", Some("PT_br")).as_deref(), Some("pt"));
        assert_eq!(language("Storm", "", Some("none of these")), None);
        assert_eq!(language("", "", None), None);
    }
}
