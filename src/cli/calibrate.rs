//! `aha-radar calibrate`: measures clustering on labelled stories, and tunes its thresholds on them.

use std::path::Path;

use aha_analysis::static_model::Weights;
use aha_analysis::stories::agreement::{Agreement, Score};
use aha_analysis::stories::calibration::{STANDARD_ERROR, Tuned};
use aha_analysis::text::space::{Space as _, mixture};
use aha_core::ids::ClusterId;
use aha_core::thresholds::Thresholds;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::arguments::CalibrateArguments;
use super::exit::{Exit, UsageError};
use super::labelled::read;
use super::output;
use crate::config::Config;
use crate::services::calibration::{Measured, ThresholdStore, measure};

pub(super) async fn run(config: Config, arguments: CalibrateArguments) -> Result<Exit> {
    let weights = match &config.llm.embed_model_dir {
        Some(folder) => Some(Weights::load(folder).await.map_err(|error| UsageError(error.to_string()))?),
        None => None,
    };
    let dense = weights.as_ref().map(|weights| weights.id().to_owned());
    let space = mixture(dense.as_deref());
    let kept = ThresholdStore::open(&config, arguments.tune).await?;
    let known = kept.load(dense.as_deref()).await?;
    let measuring = tokio::task::spawn_blocking(move || {
        let labelled = read(&arguments.input, arguments.seed, weights.as_ref())?;
        let (measured, assignments) = measure(&labelled.documents, &labelled.stories, space, known, arguments.tune);
        if let Some(path) = &arguments.assignments {
            write(path, &arguments.input, &labelled.ids, &assignments)?;
        }
        anyhow::Ok((measured, arguments))
    });
    let (measured, arguments) = measuring.await.context("the measuring thread ended early")??;
    if arguments.tune {
        kept.save(&measured.space, &measured.tuned_thresholds(config.clock.now())).await?;
    }
    let origin = measured.origin(known);
    if arguments.json {
        output::print_json(&Report(&measured).as_json(origin))?;
    } else {
        output::print(&Report(&measured).as_table(origin))?;
    }
    Ok(Exit::Ok)
}

fn write(path: &Path, input: &Path, ids: &[String], assignments: &[Option<ClusterId>]) -> Result<()> {
    if path.canonicalize().is_ok_and(|path| input.canonicalize().is_ok_and(|input| input == path)) {
        return Err(UsageError("--assignments names the input itself; name another file".to_owned()).into());
    }
    let line = |(id, cluster): (&String, &Option<ClusterId>)| format!("{}\n", json!({ "id": id, "cluster": cluster }));
    let lines: String = ids.iter().zip(assignments).map(line).collect();
    std::fs::write(path, lines).with_context(|| format!("{} cannot be written", path.display()))
}

/// The renderings of a measurement.
struct Report<'m>(&'m Measured);

impl Report<'_> {
    fn as_json(&self, origin: &str) -> Value {
        let mut thresholds = figures(self.0.thresholds);
        thresholds["origin"] = json!(origin);
        let mut value = json!({
            "space": self.0.space,
            "thresholds": thresholds,
            "pair_among_documents": self.0.pair_among_documents(),
        });
        if let Some(tuned) = &self.0.tuned {
            value["tuning"] = json!({
                "found": figures(tuned.found),
                "found_f1": tuned.found_f1,
                "shipped_f1": tuned.shipped_f1,
                "standard_error": STANDARD_ERROR,
                "is_certain": tuned.is_certain(),
                "shipped": figures(Thresholds::shipped(&self.0.space)),
                "kept": self.kept(tuned),
            });
        }
        if let (Value::Object(all), Ok(Value::Object(agreement))) = (&mut value, serde_json::to_value(self.0.agreement))
        {
            all.extend(agreement);
        }
        value
    }

    fn as_table(&self, origin: &str) -> String {
        let Agreement { documents, stories, clusters, bcubed, pairwise } = self.0.agreement;
        let Thresholds { pair, group, split, .. } = self.0.thresholds;
        let mut table = output::table(&["", "precision", "recall", "F1"]);
        for (name, score) in [("B³", bcubed), ("pairwise", pairwise)] {
            let Score { precision, recall, f1 } = score;
            table.add_row(vec![name.to_owned(), digits(precision), digits(recall), digits(f1)]);
        }
        let among = self.0.pair_among_documents();
        let kept = self.0.tuned.map(|tuned| format!("\n{}", self.kept(&tuned))).unwrap_or_default();
        format!(
            "{documents} documents, {stories} labelled stories, {clusters} found\n\n{table}\n\n\
             {}, thresholds {origin}: pair {pair} ({among:.3} among so many documents), group {group}, \
             split {split}{kept}",
            self.0.space
        )
    }

    /// Describes which thresholds are kept after tuning, and why.
    fn kept(&self, tuned: &Tuned) -> String {
        let Tuned { found, found_f1, shipped_f1 } = *tuned;
        let space = &self.0.space;
        let shipped = Thresholds::shipped(space);
        if found == shipped {
            return format!(
                "No better thresholds found: the shipped ones reach B³ F1 {shipped_f1:.4} on this input (mean with the \
                 neighbouring thresholds); they are in use."
            );
        }
        let chance = if tuned.is_certain() {
            String::new()
        } else {
            format!(
                " A difference below {STANDARD_ERROR} may be chance: measure them on other stories before you rely on \
                 them."
            )
        };
        format!(
            "Better thresholds found and stored: {} reach B³ F1 {found_f1:.4} on this input, the shipped {} reach \
             {shipped_f1:.4} (means with the neighbouring thresholds).{chance} To return to the shipped ones: \
             DELETE FROM clustering_thresholds WHERE space = '{space}'",
            named(found),
            named(shipped),
        )
    }
}

/// The thresholds as JSON. The key `crowd` is the name of the column of `clustering_thresholds`; scripts read both, so
/// they keep their name, while printed text and code say "group".
fn figures(Thresholds { pair, group, split, .. }: Thresholds) -> Value {
    json!({ "pair": pair, "crowd": group, "split": split })
}

fn named(Thresholds { pair, group, split, .. }: Thresholds) -> String {
    format!("pair {pair}, group {group}, split {split}")
}

fn digits(share: f64) -> String {
    format!("{share:.4}")
}
