//! Two pictures of a digest, as SVG: the distribution of its scores, and when its stories were published.
//!
//! Input: a digest. Output: SVG, always the same for the same digest and without text from outside. Called by
//! [`super::write_files`].

use std::error::Error;

use aha_core::digest::{Digest, DigestStory};
use aha_core::time::{HOUR_MS, Timestamp};
use plotters::prelude::{
    BLACK, ChartBuilder, Circle, IntoDrawingArea as _, PathElement, RGBColor, Rectangle, SVGBackend, WHITE,
};
use plotters::style::Color as _;

use super::format::Calendar;

const WIDTH: u32 = 720;
const SCORES_HEIGHT: u32 = 300;
const TIMELINE_HEIGHT: u32 = 480;
const MARGIN: u32 = 14;
const X_LABELS: u32 = 42;
const Y_LABELS: u32 = 44;

const FONT: (&str, i32) = ("sans-serif", 17);
const BAR: RGBColor = RGBColor(47, 93, 138);

/// The names of the pictures.
pub(super) const NAMES: [&str; 2] = ["scores", "timeline"];

type Drawn<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A picture and the last part of its file name: `END.scores.svg`.
pub(super) struct Plot {
    pub(super) name: &'static str,
    pub(super) svg: String,
}

/// Returns both pictures; none for a digest without stories.
pub(super) fn plots(digest: &Digest) -> Drawn<Vec<Plot>> {
    if digest.stories.is_empty() {
        return Ok(Vec::new());
    }
    let [scores_name, timeline_name] = NAMES;
    let pictures =
        [Plot { name: scores_name, svg: scores(digest)? }, Plot { name: timeline_name, svg: timeline(digest)? }];
    Ok(pictures.into())
}

/// Draws the number of stories per ten points of score.
fn scores(digest: &Digest) -> Drawn<String> {
    let mut counts = [0_i32; 10];
    for score in digest.stories.iter().filter_map(|story| story.aha_score) {
        counts[usize::from(score / 10).min(9)] += 1;
    }
    let max_count = counts.iter().copied().max().unwrap_or(0).max(4);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, SCORES_HEIGHT)).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption("Scores of the stories shown", FONT)
            .margin(MARGIN)
            .x_label_area_size(X_LABELS)
            .y_label_area_size(Y_LABELS)
            .build_cartesian_2d(0..100, 0..max_count + 1)?;
        chart.configure_mesh().disable_x_mesh().x_labels(11).x_desc("Aha score").y_desc("stories").draw()?;
        let bars = (0..).zip(counts).filter(|(_, count)| *count > 0);
        chart.draw_series(bars.map(|(ten, count): (i32, i32)| {
            let end = if ten == 9 { 100 } else { ten * 10 + 9 };
            Rectangle::new([(ten * 10, 0), (end, count)], BAR.filled())
        }))?;
        root.present()?;
    }
    Ok(svg)
}

/// Draws for each story, by rank from the top, when each member was published within the window.
fn timeline(digest: &Digest) -> Drawn<String> {
    let (head, calendar) = (&digest.head, Calendar::of(&digest.head));
    let hours = head.window_end.hours_since(head.window_start).max(1.0);
    let lowest = i32::try_from(digest.stories.len()).unwrap_or(i32::MAX).max(2);
    let moment = |hour: &f64| calendar.moment(after(head.window_start, *hour));
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (WIDTH, TIMELINE_HEIGHT)).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption("When each story was told", FONT)
            .margin(MARGIN)
            .x_label_area_size(X_LABELS)
            .y_label_area_size(Y_LABELS)
            .build_cartesian_2d(0.0..hours, -lowest - 1..0)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(6)
            .y_label_formatter(&|place: &i32| place.unsigned_abs().to_string())
            .x_label_formatter(&moment)
            .y_desc("rank")
            .draw()?;
        for (place, times) in digest.stories.iter().map(|story| publication_times(head.window_start, hours, story)) {
            chart.draw_series(
                times.windows(2).map(|pair| PathElement::new(vec![(pair[0], place), (pair[1], place)], BAR.mix(0.4))),
            )?;
            chart.draw_series(times.iter().map(|hour| Circle::new((*hour, place), 4, BAR.filled())))?;
        }
        chart.draw_series([PathElement::new(vec![(hours, 0), (hours, -lowest - 1)], BLACK.mix(0.5))])?;
        root.present()?;
    }
    Ok(svg)
}

/// Returns a story's negated rank, and the sorted publication times of its sources in hours after the window's start,
/// clamped to the window.
fn publication_times(start: Timestamp, hours: f64, story: &DigestStory) -> (i32, Vec<f64>) {
    let mut times: Vec<f64> =
        story.sources.iter().map(|source| source.published_at.hours_since(start).clamp(0.0, hours)).collect();
    times.sort_by(f64::total_cmp);
    (-i32::try_from(story.rank).unwrap_or(i32::MAX), times)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "hours of a window in milliseconds")]
fn after(start: Timestamp, hours: f64) -> Timestamp {
    Timestamp::from_millis(start.as_millis().saturating_add((hours * HOUR_MS as f64) as i64))
}
