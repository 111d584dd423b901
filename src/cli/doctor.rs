//! `aha-radar doctor`: shows the settings, what is wrong, and how to fix it.

use anyhow::Result;

use super::arguments::DoctorArguments;
use super::exit::Exit;
use super::listing::hung;
use super::output;
use crate::config::Config;
use crate::services::diagnostics::{self, Level};

/// Columns before the text of a finding.
const INDENT: usize = 18;

pub(super) async fn run(config: Config, arguments: DoctorArguments) -> Result<Exit> {
    let findings = diagnostics::gather(&config).await;
    let is_healthy = findings.iter().all(|finding| finding.level != Level::Wrong);
    if arguments.json {
        output::print_json(&findings)?;
    } else {
        let lines: Vec<String> =
            findings.iter().map(|f| format!("{:5}  {:10} {}", f.level.as_str(), f.what, f.text)).collect();
        output::print(&hung(&output::one_safe_text(&lines.join("\n")), |_| INDENT))?;
    }
    Ok(if is_healthy { Exit::Ok } else { Exit::Failed })
}
