//! Finds a configured model by what the user typed: its full name, its name without the provider, or a prefix of
//! either.

use std::str::FromStr as _;

use aha_core::model::ModelRef;
use aha_core::topic::BudgetTier;

use super::provider::OPENAI_NAME;
use super::router::{Route, Router};
use super::tasks::manual_summary;

impl Router {
    /// Returns the matching model, for a conversation. A full name takes precedence over one without its provider, and
    /// that over a prefix.
    ///
    /// # Errors
    /// Why it cannot be called: no model or several models match, or the match is refused.
    pub fn find(&self, typed: &str) -> Result<Route, String> {
        let typed = typed.trim();
        if typed.is_empty() {
            return Err("the name of the model is empty: write provider/model".to_owned());
        }
        let known = self.names();
        let full_name = ModelRef::from_str(typed).ok();
        if let Some(name) = full_name.as_ref().filter(|name| known.contains(name)) {
            return self.named(name);
        }
        let mut found: Vec<&ModelRef> = known.iter().filter(|name| name.model == typed).collect();
        if found.is_empty() {
            // The server of the settings may be asked for any model.
            if let Some(name) = full_name.as_ref().filter(|name| name.provider == OPENAI_NAME && self.has_settings()) {
                return self.named(name);
            }
            let has_prefix = |name: &&ModelRef| name.to_string().starts_with(typed) || name.model.starts_with(typed);
            found = known.iter().filter(has_prefix).collect();
        }
        match (&found[..], full_name) {
            ([name], _) => self.named(name),
            ([], Some(name)) => self.named(&name),
            ([], None) => Err(format!("no configured model is called {typed:?} or begins so: write provider/model")),
            (ambiguous, _) => {
                let ambiguous: Vec<String> = ambiguous.iter().map(ToString::to_string).collect();
                Err(format!("{typed:?} may be any of {}: write more of the name", ambiguous.join(", ")))
            }
        }
    }

    /// Returns the default model: that of manually submitted texts at the low tier, so that no expensive model is
    /// called by mistake; else the only one of the catalogue.
    ///
    /// # Errors
    /// Why there is none.
    pub fn usual(&self) -> Result<Route, String> {
        let chosen = self.choose(manual_summary::TASK, BudgetTier::Low).into_iter().find(|route| !route.is_local());
        if let Some(route) = chosen {
            return Ok(route);
        }
        let known = self.names();
        match (known.first(), known.len()) {
            (Some(name), 1) => self.named(name),
            (Some(_), _) => {
                Err(format!("{}: name one with --model", self.why_no_model(manual_summary::TASK, BudgetTier::Low)))
            }
            (None, _) => Err(self.why_no_model(manual_summary::TASK, BudgetTier::Low)),
        }
    }
}

#[cfg(test)]
mod tests {
    use aha_core::settings::Reader;

    use super::*;
    use crate::catalogue::Environment;
    use crate::settings::{self, RawSettings};

    fn router(models: &str) -> Router {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), models).unwrap();
        let path = file.path().to_str().unwrap().to_owned();
        let pairs = [("AHA_LLM_CONFIG".to_owned(), path)];
        let mut raw: RawSettings = envy::from_iter(pairs.iter().cloned()).unwrap();
        let environment = Environment::of(&pairs);
        let mut problems = Vec::new();
        let settings = settings::read(&mut Reader::default(), &mut problems, &mut raw, &pairs, &environment).unwrap();
        assert_eq!(problems, []);
        Router::configured(&settings)
    }

    #[test]
    fn a_name_without_its_provider_or_end_is_enough_where_one_model_alone_is_meant() {
        let router = router(
            "endpoint: http://127.0.0.1:9
models:
  openai/gpt-5-mini: {}
  openai/gpt-5: {}
  openai_compatible/gpt-5: {}
  openai_compatible/Qwen/Qwen3-32B: {}
",
        );
        for (typed, name) in [
            ("openai/gpt-5", "openai/gpt-5"),
            ("gpt-5-mini", "openai/gpt-5-mini"),
            ("gpt-5-m", "openai/gpt-5-mini"),
            ("openai/gpt-5-m", "openai/gpt-5-mini"),
            ("Qwen/Qwen3-32B", "openai_compatible/Qwen/Qwen3-32B"),
            ("Qwen/", "openai_compatible/Qwen/Qwen3-32B"),
            ("openai_compatible/gpt", "openai_compatible/gpt-5"),
        ] {
            assert_eq!(router.find(typed).unwrap().model.to_string(), name, "{typed}");
        }
        assert_eq!(
            router.find("gpt-5").unwrap_err(),
            "\"gpt-5\" may be any of openai/gpt-5, openai_compatible/gpt-5: write more of the name"
        );
        assert!(router.find("gpt-6").unwrap_err().contains("write provider/model"));
        assert!(router.find("anthropic/opus").unwrap_err().contains("no model of the catalogue"));
        assert!(router.find(" ").unwrap_err().contains("empty"));
    }

    #[test]
    fn without_a_name_the_low_tier_s_model_is_asked_or_the_only_one() {
        let two = "endpoint: http://127.0.0.1:9\nmodels: { openai/dear: {}, openai/cheap: {} }\n";
        let tasks = "tasks: { manual_summary: { low: openai/cheap, high: openai/dear } }\n";
        assert_eq!(router(&format!("{two}{tasks}")).usual().unwrap().model.to_string(), "openai/cheap");
        assert!(router(two).usual().unwrap_err().contains("--model"));
        let one = "endpoint: http://127.0.0.1:9\nmodels: { openai/only: {} }\n";
        assert_eq!(router(one).usual().unwrap().model.to_string(), "openai/only");
    }
}
