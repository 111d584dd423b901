//! What every sentence that is found for each question is chosen by, and the answer, a question a line as JSON, for
//! `scripts/ask/fit.py`.
//!
//! usage: `ask_features QUESTIONS.json`, a list of texts; the store and the models are those of the settings, as for
//! `aha-radar ask`.

use aha_radar::app::App;
use aha_radar::ask::description::described;
use aha_radar::config::Config;
use aha_store::OpenMode;
use serde_json::json;

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it is an example")]
async fn main() -> Result<(), Failure> {
    let path = std::env::args().nth(1).ok_or("QUESTIONS.json is wanted")?;
    let questions: Vec<String> = serde_json::from_slice(&std::fs::read(path)?)?;
    let config = Config::load()?;
    let store = aha_store::open(config.database_url.as_str(), OpenMode::MustExist).await?;
    let app = App::new(config, store)?;
    for question in questions {
        let (sentences, answer) = described(&app, &question).await?;
        println!("{}", json!({"question": question, "sentences": sentences, "answer": answer}));
    }
    Ok(())
}
