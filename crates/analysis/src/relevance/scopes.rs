//! Which subjects of a sentence of interests are wanted in the places that are named before them.
//!
//! Input: the wanted subjects of a sentence, in order. Output: for each the places of others that hold for it. A place
//! that heads a list holds for all that follows ("Latin America: politics, trade"). One that belongs to a subject of
//! its own holds for what is like that subject or explains it, but not for the rest of the list: "the war in Ukraine,
//! chess".

use super::coordination::Meaning;
use super::phrases::is_anaphora;
use super::places::PlaceId;

/// A wanted subject.
#[derive(Debug)]
pub(super) struct Subject {
    /// Its words that are no places, in English if possible.
    pub(super) words: Vec<String>,
    pub(super) meaning: Meaning,
    pub(super) places: Vec<PlaceId>,
    /// Whether it tells who the reader is, whose places hold for public affairs and for what is said to follow from them.
    pub(super) is_background: bool,
    /// The index of the subject that it explains: "the Olympics in Italy: skaters, hockey".
    pub(super) explains: Option<usize>,
}

/// Returns the places that each subject has from those before it; none if it names places itself.
pub(super) fn inherited(subjects: &[Subject]) -> Vec<Vec<PlaceId>> {
    let mut inherited: Vec<Vec<PlaceId>> = vec![Vec::new(); subjects.len()];
    for (at, source) in subjects.iter().enumerate().filter(|(_, source)| !source.places.is_empty()) {
        let begins = subjects[..=at].iter().all(|subject| subject.words.is_empty());
        let has_all = begins && !source.is_background;
        let members = if has_all { without_place(subjects, at) } else { group(subjects, at) };
        for member in members {
            for place in &source.places {
                if !inherited[member].contains(place) {
                    inherited[member].push(place.clone());
                }
            }
        }
    }
    inherited
}

/// Returns the subjects after `at` that name no place.
fn without_place(subjects: &[Subject], at: usize) -> Vec<usize> {
    (at + 1..subjects.len()).filter(|of| subjects[*of].places.is_empty()).collect()
}

/// Returns the subjects after `at` without a place that belong to it: those that are like it, explain it or stand for
/// its place ("the country"), and those that are like these or explain them.
fn group(subjects: &[Subject], at: usize) -> Vec<usize> {
    let belongs = |of: usize, to: usize| {
        let subject = &subjects[of];
        subject.explains.is_some_and(|explained| explained == to || is_list_of_places(subjects, to, explained))
            || matches!(&subject.words[..], [word] if is_anaphora(word))
            || if subjects[to].is_background {
                subject.meaning.is_public()
            } else {
                subjects[to].meaning.may_share_place_of(&subject.meaning)
            }
    };
    let mut found = vec![at];
    let mut others = without_place(subjects, at);
    let mut next = 0;
    // What has the place of the reader shares it with nothing else.
    while let Some(&to) = found.get(next).filter(|_| next == 0 || !subjects[at].is_background) {
        let (joined, rest): (Vec<usize>, Vec<usize>) = others.into_iter().partition(|of| belongs(*of, to));
        found.extend(joined);
        others = rest;
        next += 1;
    }
    found.split_off(1)
}

/// Whether the subjects from one to another are places alone: what explains the last of them explains all.
fn is_list_of_places(subjects: &[Subject], from: usize, to: usize) -> bool {
    let is_place = |subject: &Subject| subject.words.is_empty() && !subject.places.is_empty();
    from < to && subjects.get(from..=to).is_some_and(|between| between.iter().all(is_place))
}

#[cfg(test)]
mod tests {
    use super::super::clauses::Interests;

    /// The places of each clause that is wanted.
    fn places(text: &str) -> Vec<String> {
        Interests::parse(text).wanted().map(|clause| clause.place_names().join(" ")).collect()
    }

    #[test]
    fn a_place_of_one_subject_is_not_that_of_another() {
        assert_eq!(
            places("Surveillance and privacy, the nuclear talks with Iran, comics and picture books. No sport."),
            ["", "", "iran", "", ""]
        );
        assert_eq!(places("Wind power in Scotland, chess and cooking")[1..], ["", ""]);
        assert_eq!(places("the war in Ukraine, gardening, jazz"), ["ukraine", "", ""]);
        assert_eq!(places("Japanese design and art, programming and maths"), ["japan", "japan", "", ""]);
        assert_eq!(places("Tischtennis, Wahlen in Frankreich, Schach und Kochen"), ["", "france", "", ""]);
        assert_eq!(places("food in Japan and chess"), ["japan", ""]);
        assert_eq!(places("programming, Japan, jazz"), ["", "japan", ""]);
    }

    #[test]
    fn each_subject_has_the_place_of_what_it_is_like() {
        let text = "Künstliche Intelligenz und ihre Folgen für die Arbeit, Wahlen und Wirtschaft in Afrika, japanische \
                    Gestaltung und Kunst";
        assert_eq!(places(text), ["", "", "africa", "africa", "", "japan"], "the place is in the English wording");
        assert_eq!(places("Australian economy, wages, house prices and insurance"), ["australia"; 4]);
        assert_eq!(places("African politics, elections and economies"), ["africa"; 3]);
    }

    #[test]
    fn a_place_that_heads_a_list_is_that_of_the_list() {
        assert_eq!(places("I follow Latin America, politics, chess"), ["latin america"; 3]);
        assert_eq!(places("In Africa, health and schools"), ["africa"; 3]);
        assert_eq!(places("I live in Sydney: chess, property"), ["sydney"; 2]);
    }

    #[test]
    fn what_explains_a_subject_has_its_place() {
        assert_eq!(places("the Olympics in Italy: snowboards, chess"), ["italy"; 3]);
        assert_eq!(places("the war in Ukraine (chess, drones), jazz"), ["ukraine", "ukraine", "ukraine", ""]);
        assert_eq!(places("chess and what Peru and Chile do: tides, jazz")[3..], ["peru chile"; 2]);
        assert_eq!(places("Peruvian politics, especially chess and jazz, gardening"), ["peru", "peru", "peru", ""]);
    }
}
