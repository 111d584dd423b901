use std::collections::BTreeSet;

use aha_core::feedback::{FeedbackKind, PreferenceScore};
use aha_core::time::DAY_MS;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(60 * DAY_MS);
const DECAY: FeedbackDecay = FeedbackDecay { at: NOW, decay_days: 60.0 };

fn example(kind: FeedbackKind, title: &str, day: i64) -> FeedbackExample {
    let event = FeedbackEvent {
        item_id: ItemId::of(&[title]),
        kind,
        title: title.to_owned(),
        source: "The Wire".to_owned(),
        author: None,
        terms: terms_of(title, ""),
        given_at: Timestamp::from_millis(day * DAY_MS),
    };
    FeedbackExample { event, body: None, vector: None }
}

fn profile(examples: &[FeedbackExample]) -> Profile {
    let texts = ["Ferries under sail", "Football transfer rumours", "Lentil soup", "A harbour at night", "Wool prices"];
    let features = texts.iter().map(|title| Arc::new(Features::of(Some(title), ""))).collect();
    Profile::of(examples, &BTreeSet::new(), &Background { features, ..Background::default() }, DECAY)
}

fn lean(profile: &Profile, title: &str, source: &str) -> PreferenceScore {
    compare(profile, title, source).leaning
}

fn compare(profile: &Profile, title: &str, source: &str) -> Comparison {
    let features = Features::of(Some(title), "");
    let id = ItemId::of(&["of the story", title]);
    profile.compare(&[Candidate { id, title, features: &features, vector: None, source, author: None }])
}

/// Returns the leanings of a window's stories for a reader with interests.
fn unusual(profile: &Profile, titles: &[String]) -> Vec<PreferenceScore> {
    profile.unusual(titles.iter().map(|title| compare(profile, title, "Elsewhere")).collect())
}

fn both() -> [FeedbackExample; 2] {
    [
        example(FeedbackKind::Save, "Ferries under sail", 60),
        example(FeedbackKind::Dislike, "Football transfer rumours", 60),
    ]
}

#[test]
fn what_was_liked_is_leant_to_and_what_was_disliked_is_not() {
    let profile = profile(&both());
    let liked = lean(&profile, "A new ferry for Skerrow", "Elsewhere");
    assert!(liked.degree > 0.1, "{liked:?}");
    assert_eq!((liked.liked_stories, liked.saved_stories, liked.disliked_stories), (1, 1, 0));
    assert_eq!(liked.like, ["Ferries under sail"]);
    assert_eq!(liked.because[0].0, "ferries");
    assert_eq!(liked.in_words().as_deref(), Some("like a story you saved"));
    let disliked = lean(&profile, "Transfer of a football star", "Elsewhere");
    assert!(disliked.degree < -0.1 && disliked.disliked_stories == 1, "{disliked:?}");
    assert_eq!(lean(&profile, "Lentil soup", "Elsewhere"), PreferenceScore::default());
    assert_eq!(profile.summary(), "liked: ferries, sail; disliked: football, rumours, transfer");
}

#[test]
fn feedback_fades_without_a_jump() {
    let degree_on = |day| {
        let like = example(FeedbackKind::Like, "Ferries under sail", day);
        let profile = profile(&[like]);
        (lean(&profile, "A new ferry under sail", "Elsewhere").degree, profile.feedback_weight())
    };
    let of_days = [60, 0, -120, -240, -480].map(degree_on);
    assert!(of_days.windows(2).all(|two| two[0].0 > two[1].0 && two[0].1 > two[1].1), "{of_days:?}");
    assert!(of_days[0].1 > 0.8 && of_days[4].1 < 0.01, "{of_days:?}");
    assert!(profile(&[]).feedback_weight() == 0.0);
}

#[test]
fn nothing_is_liked_without_likes_and_nothing_disliked_without_dislikes() {
    let texts = ["Football transfer rumours", "Lentil soup", "Ferries under sail", "Wool prices at the harbour"];
    let degrees_after = |kind| {
        let profile = profile(&[example(kind, "Football transfer rumours", 60)]);
        texts.map(|title| lean(&profile, title, "Elsewhere").degree)
    };
    let (disliked, liked) = (degrees_after(FeedbackKind::Dislike), degrees_after(FeedbackKind::Like));
    let general = profile(&[example(FeedbackKind::Dislike, "Football transfer rumours", 60)]).feedback_weight();
    assert!(general == 0.0, "a dislike leaves the general worth of other stories as it is");
    assert!(disliked[0] < 0.0 && disliked.iter().all(|degree| *degree <= 0.0), "{disliked:?}");
    assert!(liked[0] > 0.0 && liked.iter().all(|degree| *degree >= 0.0), "{liked:?}");
}

#[test]
fn feedback_decays_and_later_feedback_counts_in_full() {
    let of = |day| DECAY.weight(&example(FeedbackKind::Like, "Ferries", day).event);
    assert!((of(0) - (-1.0_f64).exp()).abs() < 1e-12 && (of(70) - 1.0).abs() < 1e-12);
    let degree = |day| lean(&profile(&[example(FeedbackKind::Like, "Ferries", day)]), "Ferries at quays", "x").terms;
    assert!(degree(0) < degree(60), "{} {}", degree(0), degree(60));
}

#[test]
fn no_number_of_likes_passes_the_bounds() {
    let examples: Vec<FeedbackExample> = (0..1000).map(|_| example(FeedbackKind::Like, "Ferries", 60)).collect();
    let leaning = lean(&profile(&examples), "Ferries", "the wire");
    assert!(leaning.degree <= 1.0 && leaning.voice <= 1.0 && leaning.voice > 0.99, "{leaning:?}");
}

#[test]
fn a_source_alone_moves_little_and_is_reported() {
    let examples: Vec<FeedbackExample> =
        (0..9).map(|n| example(FeedbackKind::Like, &format!("ferry{n} sails"), 60)).collect();
    let leaning = lean(&profile(&examples), "Lentil soup", "The Wire");
    assert!(leaning.degree > 0.05 && leaning.degree < 0.15, "{leaning:?}");
    assert_eq!(leaning.in_words().as_deref(), Some("from a source you like"));
    assert_eq!(leaning.because[0].0, "The Wire");
}

#[test]
fn what_is_unlearnt_moves_nothing_more() {
    let of = |names: &[&str]| {
        let unlearnt = names.iter().map(|name| unlearnt_name(name)).collect();
        Profile::of(&both(), &unlearnt, &Background::default(), DECAY)
    };
    assert!(of(&[]).knows("Ferry") && of(&[]).knows("the wire") && !of(&[]).knows("soup"));
    let without = of(&["Ferry", "The Wire"]);
    assert!(!without.knows("ferries") && !without.knows("The Wire"));
    assert_eq!(lean(&without, "A ferry", "The Wire"), PreferenceScore::default());
    assert!(of(&["The Wire"]).knows("sail"), "a name of several words is no word");
}

#[test]
fn vectors_count_where_both_have_one() {
    let vector = |numbers: [f32; 2]| DenseVector::from_bytes(&DenseVector::to_bytes(&numbers)).map(Arc::new);
    let texts: Vec<Arc<DenseVector>> =
        (0..10_u8).filter_map(|n| vector([f32::from(n % 2), f32::from((n + 1) % 2)])).collect();
    let baseline = Baseline::of(&texts.iter().map(|vector| &**vector).collect::<Vec<_>>());
    let liked = FeedbackExample { vector: vector([1.0, 0.0]), ..example(FeedbackKind::Like, "Ferries", 60) };
    let background = Background { baseline, ..Background::default() };
    let profile = Profile::of(&[liked], &BTreeSet::new(), &background, DECAY);
    let features = Features::of(Some("Boats"), "");
    let degree = |vector: Option<Arc<DenseVector>>| {
        let candidate = Candidate {
            id: ItemId::of(&["boats"]),
            title: "Boats",
            features: &features,
            vector: vector.as_deref(),
            source: "Elsewhere",
            author: None,
        };
        profile.leaning(&[candidate]).degree
    };
    assert!(degree(vector([1.0, 0.1])) > 0.1 && degree(None) == 0.0);
    assert!(degree(vector([0.0, 1.0])) <= 0.0);
}

#[test]
fn a_dislike_reduces_what_is_like_it_and_not_all_that_is_unlike_the_likes() {
    let vector = |numbers: [f32; 3]| DenseVector::from_bytes(&DenseVector::to_bytes(&numbers)).map(Arc::new);
    let texts: Vec<Arc<DenseVector>> =
        (0..10_u8).filter_map(|n| vector([f32::from(n % 2), f32::from((n + 1) % 2), 0.1])).collect();
    let baseline = Baseline::of(&texts.iter().map(|vector| &**vector).collect::<Vec<_>>());
    let with = |numbers, kind, title| FeedbackExample { vector: vector(numbers), ..example(kind, title, 60) };
    let degrees_after = |dislikes: usize| {
        let mut examples = vec![with([1.0, 0.0, 0.0], FeedbackKind::Like, "Ferries under sail")];
        let dislike = || with([0.0, 1.0, 0.0], FeedbackKind::Dislike, "Football transfer rumours");
        examples.extend((0..dislikes).map(|_| dislike()));
        let background = Background { baseline, ..Background::default() };
        let profile = Profile::of(&examples, &BTreeSet::new(), &background, DECAY);
        [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]].map(|numbers| {
            let (features, vector) = (Features::of(Some("Wool prices"), ""), vector(numbers));
            let (id, title, vector) = (ItemId::of(&["wool"]), "Wool prices", vector.as_deref());
            profile.leaning(&[Candidate { id, title, features: &features, vector, source: "Elsewhere", author: None }])
        })
    };
    let ([near_one, unlike], [near_ten, _]) = (degrees_after(1), degrees_after(10));
    assert!(near_ten.degree < near_one.degree && near_one.degree < 0.0, "{near_one:?} {near_ten:?}");
    assert!(unlike.degree == 0.0, "{unlike:?}");
}

#[test]
fn words_are_reported_as_texts_write_them() {
    let body = "The ferry to Skerrow&apos;s harbour. Ferry after ferry. <b>aposs</b> contents 1992";
    let one = FeedbackExample { body: Some(body.to_owned()), ..example(FeedbackKind::Like, "Ferry Trouble", 60) };
    let words: Vec<String> = profile(&[one]).learnt().more_of.into_iter().map(|(word, _)| word).collect();
    assert_eq!(words, ["ferry", "Trouble", "Skerrow", "harbour"]);
}

/// Stories that have a word of a liked one in passing, and at last one that resembles it.
fn window() -> Vec<String> {
    let letter = |n: u8| char::from(b'a' + n);
    let in_passing = |n: u8| {
        let words: Vec<String> =
            (0..24).map(|word| format!("qu{}{}{}ko", letter(n / 8), letter(n % 8), letter(word))).collect();
        format!("{} harbour", words.join(" "))
    };
    (0..40).map(in_passing).chain(["Ferries under sail leave the harbour".to_owned()]).collect()
}

#[test]
fn beside_interests_a_story_counts_as_liked_if_it_is_nearer_than_nearly_all_others() {
    let likes = ["Ferries under sail", "Harbour pilots strike"].map(|title| example(FeedbackKind::Like, title, 60));
    let (profile, titles) = (profile(&likes), window());
    let alone = lean(&profile, &titles[0], "Elsewhere");
    assert!(alone.degree > 0.2 && alone.in_words().is_some(), "{alone:?}");
    let leanings = unusual(&profile, &titles);
    let (near, others) = leanings.split_last().unwrap();
    assert!(near.degree > 0.3 && near.in_words().is_some(), "{near:?}");
    assert!(others.iter().all(|other| other.degree < 0.05 && other.in_words().is_none()), "{others:?}");
    assert!(near.because.iter().all(|(_, share)| share.abs() <= near.degree), "{near:?}");
}

#[test]
fn beside_interests_few_likes_count_little_and_none_count_nothing() {
    let degree = |count: usize| {
        let likes: Vec<FeedbackExample> =
            (0..count).map(|_| example(FeedbackKind::Like, "Ferries under sail", 60)).collect();
        unusual(&profile(&likes), &window()).last().unwrap().degree
    };
    let degrees = [0, 1, 2, 10].map(degree);
    assert!(degrees[0] == 0.0 && degrees.is_sorted(), "{degrees:?}");
    assert!(degrees[1] <= 0.5 && degrees[3] > 0.8, "{degrees:?}");
}

#[test]
fn beside_interests_what_is_like_a_disliked_story_sinks() {
    let profile = profile(&[example(FeedbackKind::Dislike, "Ferries under sail", 60)]);
    let leanings = unusual(&profile, &window());
    let (near, others) = leanings.split_last().unwrap();
    assert!(near.degree < -0.1, "{near:?}");
    assert!(others.iter().all(|other| other.degree == 0.0), "{others:?}");
    assert!(unusual(&profile, &[]).is_empty());
}

#[test]
fn a_place_alone_hardly_spreads_a_dislike_until_several_agree_on_it() {
    let degree = |disliked: &[&str], title: &str| {
        let examples: Vec<FeedbackExample> =
            disliked.iter().map(|title| example(FeedbackKind::Dislike, title, 60)).collect();
        lean(&profile(&examples), title, "Elsewhere").degree
    };
    let one = ["Moguls coach leaves Australia"];
    let (place, subject) = (degree(&one, "Australia debates housing"), degree(&one, "Coach debates housing"));
    assert!(subject < -0.5 && place > subject / 2.0 && place < 0.0, "{place} {subject}");
    let several = ["Moguls coach leaves Australia", "Rugby scandal shakes Australia", "Australia wins the regatta"];
    assert!(degree(&several, "Australia debates housing") < place);
}
