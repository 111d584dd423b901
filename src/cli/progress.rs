//! Progress bars on a terminal; elsewhere nothing is drawn, as the log reports progress.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::pipeline::Stage;
use crate::pipeline::progress::Progress;

#[derive(Debug)]
pub(super) struct Bars {
    bar: ProgressBar,
}

impl Bars {
    /// Draws on standard error if that is a terminal.
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar }
    }

    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bars {
    fn begin(&self, stage: Stage, total: usize) {
        let template = if total > 0 { "{spinner} {msg:13} [{bar:30}] {pos}/{len}" } else { "{spinner} {msg:13}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("━╸ "));
        }
        self.bar.set_length(u64::try_from(total).unwrap_or(u64::MAX));
        self.bar.set_position(0);
        self.bar.set_message(stage.as_str());
    }

    fn step(&self) {
        self.bar.inc(1);
    }

    fn end(&self, stage: Stage, summary: &str) {
        self.bar.println(format!("  {:13} {summary}", stage.as_str()));
    }
}
