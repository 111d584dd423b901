//! Progress reports of a run, for display.

use super::Stage;

/// Receives the run's progress; the terminal draws bars, a log writes lines.
pub trait Progress: Send + Sync + std::fmt::Debug {
    /// A stage begins with `total` steps; 0 if the number is unknown.
    fn begin(&self, stage: Stage, total: usize);
    fn step(&self);
    fn end(&self, stage: Stage, summary: &str);
}

/// Ignores all progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _stage: Stage, _total: usize) {}
    fn step(&self) {}
    fn end(&self, _stage: Stage, _summary: &str) {}
}
