//! `aha-radar noise`: scores how likely headlines are noise, one per line. It needs no database.

use aha_analysis::noise;
use anyhow::Result;
use serde_json::json;

use super::arguments::NoiseArguments;
use super::exit::Exit;
use super::{lines, output};

pub(super) fn run(arguments: &NoiseArguments) -> Result<Exit> {
    let mut input = lines::open(&arguments.input)?;
    while let Some(headline) = lines::next(&mut *input)? {
        let likely = noise::score(&headline);
        if arguments.json {
            output::print(&json!({ "headline": headline, "noise": likely }).to_string())?;
        } else {
            output::print(&format!("{likely:.3}  {}", output::one_safe_text(&headline)))?;
        }
    }
    Ok(Exit::Ok)
}
