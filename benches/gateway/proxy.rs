//! What the gateway adds to a call beside what a proxy adds, in one run: both stand in front of the same server, and
//! are asked the same. The proxy is another program; `scripts/bench/overhead.sh` starts it and names it in the
//! environment.

use std::process::ExitCode;
use std::time::Duration;

use aha_radar::app::App;
use url::Url;

use super::calls::{Load, Settings, app, at, bare, with_ledger, without_ledger};
use super::server::{Pace, serve};

/// Ours is to be at most this part of the proxy's.
const MOST: f64 = 1.0 / 20.0;
/// Calls at once, and how many of each way in all.
const LOADS: [(usize, usize); 3] = [(1, 200), (16, 1_600), (64, 3_200)];
/// The ways take turns, so that what else the machine does falls on all of them.
const ROUNDS: usize = 4;

/// Where both are.
pub struct Proxy {
    /// Of its chat completions.
    url: Url,
    key: String,
    /// Where the server is to listen that stands behind it.
    behind: String,
}

/// All times of each way, sorted.
#[derive(Default)]
struct Times {
    plain: Vec<Duration>,
    wire: Vec<Duration>,
    ledger: Vec<Duration>,
    proxy: Vec<Duration>,
}

impl Proxy {
    /// `None` where no proxy is named.
    pub fn of_environment() -> Option<Self> {
        let variable = |name: &str| std::env::var(name).ok();
        let url = variable("AHA_BENCH_PROXY")?.parse().unwrap();
        Some(Self { url, key: variable("AHA_BENCH_PROXY_KEY")?, behind: variable("AHA_BENCH_BEHIND")? })
    }

    /// Prints what each adds at each load. A failure where ours is more than it is to be.
    pub async fn compare(&self, delay: Duration) -> ExitCode {
        let base = serve(&self.behind, Pace::always(delay)).await;
        let folder = tempfile::tempdir().unwrap();
        let app = app(&self.settings(&base, folder.path()), folder.path()).await;
        let ms = delay.as_millis();
        println!(
            "p50 in ms of calls beside the {ms} ms that the server takes; added: beside a bare request; ratio: of what the proxy adds"
        );
        let head = ["at once", "bare", "gateway", "proxy", "gateway adds", "proxy adds", "ratio", "without ledger"];
        println!("{}", head.map(|name| format!("{name:>15}")).concat());
        let (mut first, mut is_good) = (0, true);
        for (at_once, count) in LOADS {
            let load = Load { first, count, at_once, pace: Pace::always(delay) };
            let times = self.times(&app, load).await;
            first += count + 2 * at_once;
            is_good &= times.print(at_once);
        }
        println!("asked: a ratio of at most {MOST}; {}", if is_good { "it is" } else { "IT IS NOT" });
        if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// The same interface as the proxy has, with the proxy's key, so that the same bytes can be sent to both.
    fn settings(&self, base: &str, folder: &std::path::Path) -> Settings {
        let file = folder.join("models.yaml");
        let catalogue = format!(
            "models:\n  openai_compatible/bench:\n    endpoint: {base}/v1\n    api_key: ${{BENCH_KEY}}\n    concurrency: 256\n    \
             prices: {{ input: 0.25, output: 2 }}\ntasks: {{ triage: openai_compatible/bench }}\n"
        );
        std::fs::write(&file, catalogue).unwrap();
        vec![("AHA_LLM_CONFIG", file.display().to_string()), ("BENCH_KEY", self.key.clone())]
    }

    async fn times(&self, app: &App, mut load: Load) -> Times {
        let mut times = Times::default();
        let count = load.count;
        // The first of each way only warms up.
        for round in 0..=ROUNDS {
            load.count = if round == 0 { 2 * load.at_once } else { count / ROUNDS };
            let plain = bare(app, None, load).await;
            let ledger = with_ledger(app, load).await;
            let proxy = bare(app, Some(&self.url), load).await;
            let wire = without_ledger(app, load).await;
            load.first += load.count;
            if round > 0 {
                times.plain.extend(plain);
                times.ledger.extend(ledger);
                times.proxy.extend(proxy);
                times.wire.extend(wire);
            }
        }
        times.sorted()
    }
}

impl Times {
    fn sorted(mut self) -> Self {
        for times in [&mut self.plain, &mut self.wire, &mut self.ledger, &mut self.proxy] {
            times.sort();
        }
        self
    }

    /// A line of the table. Whether ours is as little as it is to be.
    fn print(&self, at_once: usize) -> bool {
        let [plain, wire, ledger, proxy] =
            [&self.plain, &self.wire, &self.ledger, &self.proxy].map(|times| at(times, 50));
        let (ours, theirs) = ((ledger - plain).max(0.0), proxy - plain);
        let ratio = |added: f64| if theirs > 0.0 { added / theirs } else { f64::INFINITY };
        print!("{at_once:15}");
        print!("{}", [plain, ledger, proxy, ours, theirs].map(|ms| format!("{ms:15.3}")).concat());
        println!("{:15.4}{:15.4}", ratio(ours), ratio((wire - plain).max(0.0)));
        ratio(ours) <= MOST
    }
}
