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
    let features = Features::of(Some(title), "");
    let id = ItemId::of(&["of the story", title]);
    profile.leaning(&[Candidate { id, title, features: &features, vector: None, source, author: None }])
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
fn words_are_reported_as_texts_write_them() {
    let body = "The ferry to Skerrow&apos;s harbour. Ferry after ferry. <b>aposs</b> contents 1992";
    let one = FeedbackExample { body: Some(body.to_owned()), ..example(FeedbackKind::Like, "Ferry Trouble", 60) };
    let words: Vec<String> = profile(&[one]).learnt().more_of.into_iter().map(|(word, _)| word).collect();
    assert_eq!(words, ["ferry", "Trouble", "Skerrow", "harbour"]);
}
