//! The listening side: threads of its own, so that tests of every kind and spawned processes can call it.

use std::net::TcpListener as StdListener;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

use super::call::Call;
use super::charges::{Bill, Price};
use super::fault::Fault;
use super::provider::Provider;
use super::script::When;
use super::spec::Specification;
use super::wire;
use crate::support::radar::Radar;

/// The only key that is taken.
pub const KEY: &str = "sk-mock-c0ffee-c0ffee-c0ffee";

/// A model's name; any other is served as well. One that holds `embed` makes embeddings.
pub const MODEL: &str = "gpt-mock";

/// One that makes vectors.
pub const EMBED_MODEL: &str = "text-embedding-mock";

/// A request that followed a redirection to the other host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    pub path: String,
    pub authorization: Option<String>,
    pub bytes: usize,
}

#[derive(Debug, Default)]
struct Shared {
    provider: Mutex<Provider>,
    strays: Mutex<Vec<Stray>>,
    in_flight: AtomicUsize,
}

/// The mock. It ends with the value, and fails the test if a request broke a rule (see `strict`).
#[derive(Debug)]
pub struct OpenAi {
    base: String,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

impl OpenAi {
    pub fn start() -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (here, there) = (listen("127.0.0.1:0"), listen("127.0.0.2:0"));
        let base = format!("http://{}", here.local_addr().unwrap());
        let elsewhere = format!("http://{}", there.local_addr().unwrap());
        let shared = Arc::new(Shared::default());
        runtime.spawn(accept(here, Arc::clone(&shared), move |stream, shared| {
            let elsewhere = elsewhere.clone();
            async move { serve(stream, &shared, &elsewhere).await }
        }));
        runtime.spawn(accept(there, Arc::clone(&shared), |stream, shared| async move {
            stray(stream, &shared).await;
        }));
        Self { base, shared, runtime: Some(runtime) }
    }

    /// The address without a path, as `OPENAI_BASE_URL` takes it.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Points an installation at this provider, with [`MODEL`] at the usual price, for answers alone.
    pub fn serve(&self, radar: Radar) -> Radar {
        let (input, output) = self.provider().usual_price.settings();
        radar
            .with("OPENAI_BASE_URL", self.base())
            .with("OPENAI_API_KEY", KEY)
            .with("OPENAI_MODEL", MODEL)
            .with("OPENAI_CREDITS_PER_1K_INPUT_TOKENS", &input)
            .with("OPENAI_CREDITS_PER_1K_OUTPUT_TOKENS", &output)
            .with("OPENAI_EMBED_MAX_ITEMS_PER_RUN", "0")
    }

    /// Points an installation at this provider for vectors by [`EMBED_MODEL`], besides what is set.
    pub fn serve_vectors(&self, radar: Radar) -> Radar {
        let (input, _) = self.provider().usual_price.settings();
        radar
            .with("OPENAI_BASE_URL", self.base())
            .with("OPENAI_API_KEY", KEY)
            .with("OPENAI_EMBED_MODEL", EMBED_MODEL)
            .with("OPENAI_EMBED_CREDITS_PER_1K_INPUT_TOKENS", &input)
            .with("OPENAI_EMBED_MAX_ITEMS_PER_RUN", "1000")
    }

    /// From now on the calls that fit meet this fault. Of several that fit a call, the one given first is met.
    pub fn fault(&self, when: When, fault: Fault) {
        self.provider().script.add(when, fault);
    }

    /// Of the calls that meet no other fault, so many in a hundred meet one of these.
    pub fn mixture(&self, seed: u64, percent: u64, faults: Vec<Fault>) {
        self.provider().script.mix(seed, percent, faults);
    }

    /// From now on nothing goes wrong.
    pub fn recover(&self) {
        self.provider().script = super::script::Script::default();
    }

    /// Scores stories whose title holds this text.
    pub fn score(&self, title: &str, aha_score: u8) {
        self.provider().scores.push((title.to_owned(), aha_score));
    }

    /// Each answer takes so long, refusals too.
    pub fn latency(&self, latency: Duration) {
        self.provider().latency = latency;
    }

    /// The first calls are answered when so many have come, however long these take; after a minute they are in any
    /// case.
    pub fn together(&self, calls: usize) {
        self.provider().together = calls;
    }

    /// How many numbers a vector has where the request does not say (64 by default).
    pub fn dimension(&self, dimension: usize) {
        self.provider().dimension = dimension;
    }

    /// What a model costs; all others cost [`Price::USUAL`].
    pub fn price(&self, model: &str, price: Price) {
        self.provider().prices.insert(model.to_owned(), price);
    }

    /// All calls, in the order of arrival.
    pub fn calls(&self) -> Vec<Call> {
        self.provider().calls.clone()
    }

    /// The most requests that were being answered at once.
    pub fn max_in_flight(&self) -> usize {
        self.provider().calls.iter().map(|call| call.in_flight).max().unwrap_or(0)
    }

    pub fn bill(&self) -> Bill {
        self.provider().bill.clone()
    }

    /// What came to the other host.
    pub fn strays(&self) -> Vec<Stray> {
        self.shared.strays.lock().unwrap().clone()
    }

    /// Takes the broken rules away, so that they don't fail the test.
    pub fn take_breaches(&self) -> Vec<String> {
        std::mem::take(&mut self.provider().breaches)
    }

    /// Waits until so many calls have come.
    #[track_caller]
    pub fn wait_for_calls(&self, count: usize) {
        for _ in 0..400 {
            if self.provider().calls.len() >= count {
                return;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("10 s have passed without call {count}");
    }

    /// Fails if a request, or an answer that is meant to be right, does not fit the provider's specification.
    #[track_caller]
    pub fn validate_against(&self, specification: &Path) {
        let problems = Specification::read(specification).problems(&self.calls());
        assert!(problems.is_empty(), "{problems:#?}");
    }

    /// Fails if a request broke a rule.
    #[track_caller]
    pub fn finish(self) {
        let breaches = self.take_breaches();
        assert!(breaches.is_empty(), "requests broke rules of the provider: {breaches:#?}");
    }

    fn provider(&self) -> MutexGuard<'_, Provider> {
        self.shared.provider.lock().unwrap()
    }
}

impl Drop for OpenAi {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
        if !std::thread::panicking() {
            let breaches = self.take_breaches();
            assert!(breaches.is_empty(), "requests broke rules of the provider: {breaches:#?}");
        }
    }
}

fn listen(address: &str) -> StdListener {
    let listener = StdListener::bind(address).unwrap();
    listener.set_nonblocking(true).unwrap();
    listener
}

async fn accept<F: Future<Output = ()> + Send + 'static>(
    listener: StdListener,
    shared: Arc<Shared>,
    serve: impl Fn(TcpStream, Arc<Shared>) -> F,
) {
    let listener = TcpListener::from_std(listener).unwrap();
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, Arc::clone(&shared)));
    }
}

async fn serve(stream: TcpStream, shared: &Shared, elsewhere: &str) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = wire::read(&mut stream).await {
        let in_flight = shared.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        let reply = shared.provider.lock().unwrap().receive(request, in_flight, elsewhere);
        wait_for_the_others(shared).await;
        let is_there = wire::think(&mut stream, &reply).await;
        // Before the answer is sent: whoever has it may call again at once.
        shared.in_flight.fetch_sub(1, Ordering::SeqCst);
        if !is_there || !wire::send(&mut stream, &reply).await {
            return;
        }
    }
}

async fn wait_for_the_others(shared: &Shared) {
    let are_here = || {
        let provider = shared.provider.lock().unwrap();
        provider.calls.len() >= provider.together
    };
    for _ in 0..12_000 {
        if are_here() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn stray(stream: TcpStream, shared: &Shared) {
    let mut stream = BufReader::new(stream);
    if let Some(request) = wire::read(&mut stream).await {
        let authorization = request.headers.get("authorization").cloned();
        shared.strays.lock().unwrap().push(Stray { path: request.path, authorization, bytes: request.body.len() });
        let _ = stream.write_all(b"HTTP/1.1 404 X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await;
    }
}
