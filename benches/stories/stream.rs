//! A stream of made-up reports over 30 days, the same for the same size: words by Zipf's law, names, beats of which
//! many stories tell, sources that end every text in the same words, stories of which most have one report and a few
//! very many.

use aha_core::time::DAY_MS;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

pub const DAYS: usize = 30;
const SOURCES: u64 = 200;
const BEATS: usize = 150;
/// Words and names that there are: the commonest is drawn as many times as often as the rarest.
const WORDS: f64 = 60_000.0;
const NAMES: f64 = 150_000.0;
/// Words that every text is full of are left out by `stories::tokens`; a matter is told in rarer ones.
const RARER: f64 = 0.35;

/// What a report says.
#[derive(Debug)]
pub struct Report {
    pub story: usize,
    pub source: u64,
    pub time_ms: i64,
    pub title: String,
    pub text: String,
}

/// What all reports of a story draw from.
#[derive(Debug)]
struct Matter {
    names: Vec<String>,
    numbers: Vec<String>,
    words: Vec<String>,
    /// Terms that other stories of its beat have as well.
    usual: Vec<String>,
}

/// Reports by day. What a story is about is worked out anew for each report, so that a long stream takes little memory.
#[derive(Debug)]
pub struct Stream {
    random: SmallRng,
    /// Time and story of each.
    by_day: Vec<Vec<(i64, usize)>>,
    beats: Vec<Vec<String>>,
    slogans: Vec<String>,
}

impl Stream {
    pub fn new(size: usize) -> Self {
        let mut random = SmallRng::seed_from_u64(7);
        let beats: Vec<Vec<String>> = (0..BEATS).map(|_| beat(&mut random)).collect();
        let slogans =
            (0..SOURCES).map(|_| sentence(&[word(&mut random), word(&mut random), word(&mut random)])).collect();
        let mut by_day = vec![Vec::new(); DAYS];
        let (mut left, mut story) = (size, 0);
        while left > 0 {
            let reports = story_size(&mut random).min(left);
            let begins = random.random_range(0.0..f64::from(u32::try_from(DAYS).unwrap_or(0)));
            for report in 0..reports {
                let later = if report == 0 { 0.0 } else { delay_days(&mut random) };
                let (day, time) = moment(begins + later);
                by_day[day].push((time, story));
            }
            (left, story) = (left - reports, story + 1);
        }
        for day in &mut by_day {
            day.sort_unstable();
        }
        Self { random, by_day, beats, slogans }
    }

    /// The day's reports by time.
    pub fn day(&mut self, day: usize) -> Vec<Report> {
        let planned = std::mem::take(&mut self.by_day[day]);
        planned.into_iter().map(|(time_ms, story)| self.report(time_ms, story)).collect()
    }

    fn report(&mut self, time_ms: i64, story: usize) -> Report {
        let (random, matter) = (&mut self.random, &Matter::of(story, &self.beats));
        let mut title = some(random, &matter.names, 0.4);
        title.extend(some(random, &matter.words, 0.2));
        title.extend((0..3).map(|_| word(random)));
        let mut body = some(random, &matter.names, 0.6);
        body.extend(some(random, &matter.numbers, 0.4));
        body.extend(some(random, &matter.words, 0.4));
        body.extend(some(random, &matter.usual, 0.5));
        body.extend((0..random.random_range(15..50)).map(|_| word(random)));
        body.extend((0..random.random_range(0..3)).map(|_| name(random)));
        shuffle(random, &mut title);
        shuffle(random, &mut body);
        let source = random.random_range(0..SOURCES);
        let slogan = &self.slogans[usize::try_from(source).unwrap_or(0)];
        let text = body.chunks(12).map(sentence).collect::<String>() + slogan;
        Report { story, source, time_ms, title: sentence(&title), text }
    }
}

impl Matter {
    fn of(story: usize, beats: &[Vec<String>]) -> Self {
        let random = &mut SmallRng::seed_from_u64(u64::try_from(story).unwrap_or(0));
        let beat = &beats[random.random_range(0..beats.len())];
        Self {
            names: (0..3).map(|_| name(random)).collect(),
            numbers: (0..2).map(|_| random.random_range(2..2_000).to_string()).collect(),
            words: (0..12).map(|_| rare_word(random)).collect(),
            usual: some(random, beat, 0.4),
        }
    }
}

fn beat(random: &mut SmallRng) -> Vec<String> {
    let mut terms: Vec<String> = (0..24).map(|_| rare_word(random)).collect();
    terms.extend((0..8).map(|_| name(random)));
    terms
}

/// Most reports of a story come within a day, the last after four.
fn delay_days(random: &mut SmallRng) -> f64 {
    (-0.7 * (1.0 - random.random::<f64>()).ln()).min(4.0)
}

#[expect(clippy::cast_possible_truncation, reason = "milliseconds of 34 days")]
fn moment(days: f64) -> (usize, i64) {
    let time = (days * 86_400_000.0) as i64;
    let day = usize::try_from(time / DAY_MS).unwrap_or(0).min(DAYS - 1);
    (day, time.min(i64::try_from(DAYS).unwrap_or(0) * DAY_MS - 1))
}

/// Pareto: two of three stories have one report, one in a hundred has twenty or more, none more than 500.
fn story_size(random: &mut SmallRng) -> usize {
    let size = (1.0 - random.random::<f64>()).powf(-1.0 / 1.5);
    (1..500).take_while(|so_far| f64::from(*so_far) <= size).count()
}

fn some(random: &mut SmallRng, of: &[String], share: f64) -> Vec<String> {
    of.iter().filter(|_| random.random_bool(share)).cloned().collect()
}

fn shuffle(random: &mut SmallRng, words: &mut [String]) {
    for place in (1..words.len()).rev() {
        words.swap(place, random.random_range(0..=place));
    }
}

/// By Zipf's law: a rank is as likely as it is small.
fn word(random: &mut SmallRng) -> String {
    spelled(WORDS.powf(random.random::<f64>()), "")
}

fn rare_word(random: &mut SmallRng) -> String {
    spelled(WORDS.powf(random.random_range(RARER..1.0)), "")
}

fn name(random: &mut SmallRng) -> String {
    spelled(NAMES.powf(random.random_range(RARER..1.0)), "Q")
}

const SYLLABLES: [&str; 40] = [
    "ba", "ko", "du", "fi", "ga", "lo", "mu", "ni", "pa", "ro", "su", "ti", "va", "zo", "bu", "ki", "da", "fo", "gu",
    "li", "ma", "no", "pu", "ri", "sa", "to", "vu", "zi", "bo", "ku", "di", "fa", "go", "lu", "mi", "na", "po", "ru",
    "si", "ta",
];

/// A word for a rank: syllables of its digits, none of them an ending that a stemmer takes off.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank below 150,000")]
fn spelled(rank: f64, opening: &str) -> String {
    let mut left = rank as usize;
    let mut word = opening.to_owned();
    while left > 0 {
        word.push_str(SYLLABLES[left % SYLLABLES.len()]);
        left /= SYLLABLES.len();
    }
    word + "k"
}

/// Begins with what opens a sentence anyway, so that a capital there says nothing.
fn sentence(words: &[String]) -> String {
    format!("The {}. ", words.join(" "))
}
