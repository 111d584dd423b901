use aha_core::digest::Section;
use aha_core::ids::{DigestId, DigestItemId};
use aha_core::time::Timestamp;

use super::*;
use crate::services::preview::StoryPlace;

fn story(before: (usize, f64), after: (usize, f64)) -> PreviewedStory {
    let place = |(rank, score): (usize, f64)| StoryPlace { rank, section: Section::Top, score, members: 1 };
    PreviewedStory {
        id: DigestItemId::of(&["preview"]),
        title: "A ferry".to_owned(),
        source: "The Quay".to_owned(),
        before: Some(place(before)),
        after: Some(place(after)),
    }
}

#[test]
fn a_score_that_changes_against_the_rank_is_not_shown() {
    assert_eq!(differences(&story((2, 71.4), (1, 58.4))), None);
    assert_eq!(differences(&story((1, 58.4), (2, 71.4))), None);
    assert_eq!(differences(&story((2, 58.4), (1, 71.4))).as_deref(), Some("score 58 → 71"));
    assert_eq!(differences(&story((1, 71.4), (2, 58.4))).as_deref(), Some("score 71 → 58"));
    assert_eq!(differences(&story((1, 71.4), (1, 58.4))).as_deref(), Some("score 71 → 58"));
    assert_eq!(places(&story((2, 71.4), (1, 58.4))), "no. 2 → 1");
}

#[test]
fn the_heading_of_a_group_has_the_number_of_its_stories() {
    let preview = ChangePreview {
        digest: DigestId::of(&["preview"]),
        window_end: Timestamp::from_millis(0),
        entering: vec![story((1, 60.0), (1, 60.0))],
        leaving: Vec::new(),
        rising: (0..12).map(|_| story((2, 60.0), (1, 70.0))).collect(),
        falling: Vec::new(),
        retold: Vec::new(),
        unchanged: 0,
    };
    let found = groups(&preview);
    let headings: Vec<(&str, usize)> = found.iter().map(|group| (group.heading.as_str(), group.more)).collect();
    assert_eq!(headings, [("Would enter: 1 story", 0), ("Would go up: 12 stories", 4)]);
}
