//! The one way to the outside for sources: a URL and what is known of it go in; a body, "not modified" or a [`FetchError`]
//! comes out. Called by the connectors. Addresses are checked at every hop, hosts are asked politely, bodies are capped.

mod error;
mod freshness;
mod hop;
mod politeness;
mod request;

use std::sync::Arc;
use std::time::Duration;

use aha_core::clock::Clock;
use aha_core::failpoint;
use aha_core::source::Validators;
use async_trait::async_trait;
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::Instant;
use url::{Host, Url};

pub use error::{FetchError, shown};
pub use freshness::Freshness;
pub use request::Request;

use aha_net::address::{self, AddressRules, Allowed, CheckedResolver, Lookup, SystemLookup, host_key};
use politeness::Politeness;

/// A resolver that takes longer is not waited for where nothing is to be read anyway.
const MAX_RESOLVING: Duration = Duration::from_secs(5);
/// The next request to a host comes a gap after the last one, or not for long; an open connection takes memory on both sides.
const IDLE_SLACK: Duration = Duration::from_millis(50);

/// How the fetcher behaves; the defaults are those of a considerate reader.
#[derive(Debug, Clone)]
pub struct FetchConfig {
    /// Exceptions from the address rules.
    pub allow: Vec<Allowed>,
    /// Least time between two requests to a host; zero for none.
    pub host_gap: Duration,
    /// Requests under way at once, over all hosts.
    pub concurrency: usize,
    pub connect_timeout: Duration,
    /// Longest silence while an answer is awaited or arrives.
    pub idle_timeout: Duration,
    /// Longest time for a fetch with its redirects, without the waiting for one's turn.
    pub total_timeout: Duration,
    /// Counted after decompression.
    pub max_body_bytes: usize,
    pub max_redirects: usize,
    pub user_agent: String,
    /// Finds the addresses of names.
    pub lookup: Arc<dyn Lookup>,
    /// The proxy that all requests go through, as a URL; it may hold a password.
    pub proxy: Option<SecretString>,
    /// Trusted besides the usual ones.
    pub certificates: Vec<reqwest::Certificate>,
}

impl Default for FetchConfig {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            host_gap: Duration::from_secs(1),
            concurrency: 8,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(20),
            total_timeout: Duration::from_mins(1),
            max_body_bytes: 16 * 1024 * 1024,
            max_redirects: 5,
            user_agent: concat!("aha-radar/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")")
                .to_owned(),
            lookup: Arc::new(SystemLookup),
            proxy: None,
            certificates: Vec::new(),
        }
    }
}

/// What a fetch brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// The validators sent still hold.
    NotModified {
        final_url: String,
        /// The new address, where nothing but permanent redirects led to it.
        permanent_url: Option<String>,
        etag: Option<String>,
        last_modified: Option<String>,
        freshness: Freshness,
    },
    Body {
        bytes: Vec<u8>,
        content_type: Option<String>,
        final_url: String,
        permanent_url: Option<String>,
        etag: Option<String>,
        last_modified: Option<String>,
        status: u16,
        freshness: Freshness,
    },
}

/// Says where redirects may be followed to, beside the address rules.
#[async_trait]
pub trait Guide: Send + Sync {
    /// # Errors
    /// Why not.
    async fn may_follow(&self, url: &Url) -> Result<(), FetchError>;
}

struct Anywhere;

#[async_trait]
impl Guide for Anywhere {
    async fn may_follow(&self, _url: &Url) -> Result<(), FetchError> {
        Ok(())
    }
}

/// Fetches politely and carefully. Cheap to share behind an `Arc`; one a process, so that politeness holds.
#[derive(Debug)]
pub struct Fetcher {
    client: reqwest::Client,
    rules: AddressRules,
    resolver: CheckedResolver,
    politeness: Politeness,
    config: FetchConfig,
}

impl Fetcher {
    /// # Errors
    /// When TLS cannot be set up on this machine.
    pub fn new(config: FetchConfig) -> Result<Self, FetchError> {
        let rules = AddressRules::new(config.allow.clone());
        let resolver = CheckedResolver::by(rules.clone(), Arc::clone(&config.lookup));
        let client = client(&config, &resolver)
            .map_err(|error| FetchError::Tls { host: "any host".to_owned(), reason: hop::root_cause(&error) })?;
        let politeness = Politeness::new(config.host_gap, config.concurrency);
        Ok(Self { client, rules, resolver, politeness, config })
    }

    /// The cap that also holds for local files.
    #[must_use]
    pub const fn max_body_bytes(&self) -> usize {
        self.config.max_body_bytes
    }

    /// Fetches `url`, following redirects. Validators are sent only to the URL that gave them.
    pub async fn get(&self, url: &str, validators: &Validators) -> Result<Response, FetchError> {
        self.ask(&Request::to(url).if_changed(validators)).await
    }

    /// Sends a request, following redirects.
    pub async fn ask(&self, request: &Request) -> Result<Response, FetchError> {
        self.ask_where(request, &Anywhere).await
    }

    /// The same, going only where `guide` lets it.
    pub async fn ask_where(&self, request: &Request, guide: &dyn Guide) -> Result<Response, FetchError> {
        let mut chain = Chain::start(&request.url, self.config.max_redirects)?;
        let mut left = self.config.total_timeout;
        loop {
            let host = self.check(&chain.url)?;
            if self.config.proxy.is_some() {
                self.check_for_proxy(&chain.url).await?;
            }
            let turn = self.politeness.turn(&host).await;
            let began = Instant::now();
            let hop = tokio::time::timeout(left, Box::pin(self.hop(&chain, request))).await;
            drop(turn);
            left = left.saturating_sub(began.elapsed());
            match hop.map_err(|_| FetchError::Timeout { host, seconds: self.config.total_timeout.as_secs() })?? {
                Hop::Done(response) => return Ok(response),
                Hop::Redirect { .. } if request.body.is_some() => {
                    let reason = "it answers something posted, which is sent nowhere else".to_owned();
                    return Err(FetchError::BadRedirect { url: shown(&chain.url), reason });
                }
                Hop::Redirect { location, permanent } => {
                    chain.follow(&location, permanent)?;
                    guide.may_follow(&chain.url).await?;
                }
            }
        }
    }

    /// Whether an address may be asked, as far as can be told without resolving its name.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn may_ask(&self, url: &str) -> Result<(), FetchError> {
        let chain = Chain::start(url, self.config.max_redirects)?;
        self.check(&chain.url).map(|_| ())
    }

    /// Looks up the name in an address. Nothing is sent there.
    ///
    /// # Errors
    /// `dns` for a name without an address, or why it is refused.
    pub async fn resolve(&self, url: &str) -> Result<(), FetchError> {
        let chain = Chain::start(url, self.config.max_redirects)?;
        let host = self.check(&chain.url)?;
        let resolving = tokio::time::timeout(MAX_RESOLVING, self.check_for_proxy(&chain.url));
        resolving.await.unwrap_or_else(|_| Err(FetchError::Dns { host, reason: "no answer in time".to_owned() }))
    }

    /// The host to be polite to, if it may be asked at all.
    fn check(&self, url: &Url) -> Result<String, FetchError> {
        let refuse = |reason: &str| FetchError::BadUrl { url: shown(url), reason: reason.to_owned() };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refuse("its scheme is neither http nor https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse("it holds a user name or password"));
        }
        if url.port().is_some_and(address::is_bad_port) {
            return Err(refuse("its port is one of another service"));
        }
        let host = url.host().ok_or_else(|| refuse("it names no host"))?;
        let address = match host {
            Host::Ipv4(v4) => v4.into(),
            Host::Ipv6(v6) => v6.into(),
            Host::Domain(name) => {
                let key = host_key(name);
                return match address::special_name(&key) {
                    Some(there) if !self.rules.excepts(&key) && !self.rules.permits(there) => {
                        Err(FetchError::refused(&key, there))
                    }
                    _ => Ok(key),
                };
            }
        };
        if self.rules.permits(address) {
            Ok(address.to_string())
        } else {
            Err(FetchError::refused(&address.to_string(), address))
        }
    }

    /// A proxy resolves names by itself, so they are resolved here first. It has to keep to the same rules.
    async fn check_for_proxy(&self, url: &Url) -> Result<(), FetchError> {
        match url.host() {
            Some(Host::Domain(name)) => self.resolver.checked(name).await.map(|_| ()).map_err(FetchError::from),
            _ => Ok(()),
        }
    }

    async fn hop(&self, chain: &Chain, request: &Request) -> Result<Hop, FetchError> {
        let url = &chain.url;
        let conditions = hop::conditions(url, &request.validators);
        let conditional = !conditions.is_empty();
        failpoint::hit("fetch.before_send");
        let sent = self.prepare(chain, request).headers(conditions).send().await;
        let response = sent.map_err(|error| hop::classify(&error, url, &self.config))?;
        failpoint::hit("fetch.after_send");
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let freshness = Freshness::of(&headers, Clock::system().wall());
        match status {
            200..=299 => {
                let bytes = hop::body(response, url, &self.config).await?;
                let text = |name| hop::header_text(&headers, name);
                Ok(Hop::Done(Response::Body {
                    bytes,
                    content_type: text("content-type"),
                    final_url: url.to_string(),
                    permanent_url: chain.permanent_url(),
                    etag: text("etag"),
                    last_modified: text("last-modified"),
                    status,
                    freshness,
                }))
            }
            304 if conditional => Ok(Hop::Done(not_modified(chain, &headers, freshness))),
            301 | 302 | 303 | 307 | 308 => redirect(url, status, &headers),
            _ => Err(hop::refusal(url, status, &headers)),
        }
    }

    /// The request for this hop. Keys are for the origin it began at.
    fn prepare(&self, chain: &Chain, request: &Request) -> reqwest::RequestBuilder {
        let builder = match &request.body {
            Some((kind, body)) => {
                self.client.post(chain.url.clone()).header(reqwest::header::CONTENT_TYPE, *kind).body(body.clone())
            }
            None => self.client.get(chain.url.clone()),
        };
        let builder = builder.header(reqwest::header::ACCEPT, hop::ACCEPT);
        if !chain.is_at_its_origin() {
            return builder;
        }
        let builder = builder.headers(request.headers.clone());
        match &request.login {
            Some((name, password)) => builder.basic_auth(name, Some(password.expose_secret())),
            None => builder,
        }
    }
}

fn client(config: &FetchConfig, resolver: &CheckedResolver) -> reqwest::Result<reqwest::Client> {
    let mut builder = aha_net::client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(config.connect_timeout)
        .read_timeout(config.idle_timeout)
        .pool_max_idle_per_host(1)
        .pool_idle_timeout(config.host_gap + IDLE_SLACK)
        .tls_certs_merge(config.certificates.iter().cloned())
        .user_agent(&config.user_agent);
    let mut trusted = None;
    if let Some(proxy) = &config.proxy {
        let address = proxy.expose_secret();
        trusted = Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
        builder = builder.proxy(reqwest::Proxy::all(address)?);
    }
    builder.dns_resolver(Arc::new(resolver.trusting(trusted))).build()
}

enum Hop {
    Done(Response),
    Redirect { location: String, permanent: bool },
}

fn not_modified(chain: &Chain, headers: &HeaderMap, freshness: Freshness) -> Response {
    Response::NotModified {
        final_url: chain.url.to_string(),
        permanent_url: chain.permanent_url(),
        etag: hop::header_text(headers, "etag"),
        last_modified: hop::header_text(headers, "last-modified"),
        freshness,
    }
}

fn redirect(url: &Url, status: u16, headers: &HeaderMap) -> Result<Hop, FetchError> {
    let location = headers.get(LOCATION).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let location = location.ok_or_else(|| FetchError::BadRedirect {
        url: shown(url),
        reason: format!("the answer {status} names no address"),
    })?;
    Ok(Hop::Redirect { location, permanent: matches!(status, 301 | 308) })
}

/// The way from the URL asked for to the one in hand.
struct Chain {
    url: Url,
    seen: Vec<Url>,
    all_permanent: bool,
    max_redirects: usize,
}

impl Chain {
    fn start(url: &str, max_redirects: usize) -> Result<Self, FetchError> {
        let mut parsed = Url::parse(url)
            .map_err(|error| FetchError::BadUrl { url: without_secrets(url), reason: error.to_string() })?;
        parsed.set_fragment(None);
        Ok(Self { url: parsed, seen: Vec::new(), all_permanent: true, max_redirects })
    }

    fn follow(&mut self, location: &str, permanent: bool) -> Result<(), FetchError> {
        let bad = |reason: String| FetchError::BadRedirect { url: shown(&self.url), reason };
        let mut next = self.url.join(location).map_err(|error| bad(error.to_string()))?;
        if !matches!(next.scheme(), "http" | "https") {
            return Err(bad(format!("its scheme is {}", next.scheme())));
        }
        if !next.username().is_empty() || next.password().is_some() {
            return Err(bad("it holds a user name or password".to_owned()));
        }
        next.set_fragment(None);
        let previous = std::mem::replace(&mut self.url, next);
        self.seen.push(previous);
        self.all_permanent &= permanent;
        if self.seen.len() > self.max_redirects || self.seen.contains(&self.url) {
            return Err(FetchError::RedirectLoop {
                url: self.seen.first().map(shown).unwrap_or_default(),
                limit: self.max_redirects,
            });
        }
        Ok(())
    }

    fn is_at_its_origin(&self) -> bool {
        self.seen.first().is_none_or(|first| first.origin() == self.url.origin())
    }

    fn permanent_url(&self) -> Option<String> {
        (!self.seen.is_empty() && self.all_permanent).then(|| self.url.to_string())
    }
}

/// An address that cannot even be parsed, without what may be a key.
fn without_secrets(url: &str) -> String {
    let bare = url.split(['?', '#']).next().unwrap_or_default();
    match bare.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => bare.to_owned(),
    }
}
