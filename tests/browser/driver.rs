//! A headless Chromium, driven as a person uses it: through Debian's chromium and chromium-driver.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use thirtyfour::error::WebDriverResult;
use thirtyfour::{By, ChromiumLikeCapabilities as _, DesiredCapabilities, WebDriver, WebElement};
use tokio::runtime::Runtime;

use crate::support::site::Site;

const MISSING: &str =
    "chromium and chromedriver are needed: apt-get install chromium chromium-driver; scripts/test.sh does so as root";
/// How often Chromium is started before that is a failure.
const STARTS: usize = 3;
/// How often chromedriver is started: with `--port=0` it gets a free port of IPv6 and ends when that of IPv4 with the
/// same number is taken, by a server or a connection of another test.
const PORTS: usize = 10;
/// For something to appear on a page.
const WAIT: Duration = Duration::from_mins(1);

/// Whether pages may run their script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    On,
    Off,
}

/// How large the window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    Desktop,
    Phone,
}

impl Window {
    /// Width and height, in pixels of CSS.
    const fn size(self) -> (u32, u32) {
        match self {
            Self::Desktop => (1_000, 1_400),
            Self::Phone => (360, 780),
        }
    }
}

/// A browser with a profile of its own, at the pages of a site; both programs end with the value.
#[derive(Debug)]
pub struct Browser {
    pub script: Script,
    driver: Option<WebDriver>,
    runtime: Runtime,
    _server: Server,
    base: String,
}

/// A chromedriver at a port that it chose itself, ended with the value.
#[derive(Debug)]
struct Server {
    child: Child,
    port: u16,
    /// Kept open, as what it prints later has to go somewhere.
    _output: BufReader<ChildStdout>,
}

impl Server {
    fn start() -> Self {
        let mut failures = Vec::new();
        for _ in 0..PORTS {
            match Self::at_a_free_port() {
                Ok(server) => return server,
                Err(printed) => failures.push(printed),
            }
        }
        panic!("{MISSING}; chromedriver ended without naming its port, and printed: {failures:#?}");
    }

    /// Or what it printed before it ended.
    fn at_a_free_port() -> Result<Self, String> {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{MISSING} ({error})"));
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let started = "ChromeDriver was started successfully on port ";
        let mut printed = String::new();
        while output.read_line(&mut printed).is_ok_and(|length| length > 0) {
            let line = printed.lines().last().and_then(|line| line.strip_prefix(started));
            if let Some(port) = line.and_then(|port| port.trim_end_matches('.').parse().ok()) {
                return Ok(Self { child, port, _output: output });
            }
        }
        let _ = child.kill();
        let _ = child.wait();
        Err(printed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    pub fn open(site: &Site, script: Script) -> Self {
        Self::open_in(site, script, Window::Desktop)
    }

    pub fn open_in(site: &Site, script: Script, window: Window) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let base = format!("http://{}", site.address);
        // On a busy machine Chromium may take longer to start than its driver waits.
        let mut failures = Vec::new();
        for _ in 0..STARTS {
            let server = Server::start();
            match runtime.block_on(session(server.port, script, window)) {
                Ok(driver) => return Self { script, driver: Some(driver), runtime, _server: server, base },
                Err(error) => failures.push(format!("{error:?}")),
            }
        }
        panic!("{MISSING}; chromedriver says: {failures:#?}");
    }

    fn driver(&self) -> &WebDriver {
        self.driver.as_ref().unwrap()
    }

    #[track_caller]
    pub fn go(&self, path: &str) {
        let url = format!("{}{path}", self.base);
        self.runtime.block_on(self.driver().goto(url)).unwrap();
    }

    /// The path that is shown, with its query.
    #[track_caller]
    pub fn path(&self) -> String {
        let url = self.runtime.block_on(self.driver().current_url()).unwrap();
        url.as_str().trim_start_matches(&self.base).to_owned()
    }

    /// The text of the page as a person sees it.
    #[track_caller]
    pub fn text(&self) -> String {
        self.runtime.block_on(async { self.driver().find(By::Css("body")).await?.text().await }).unwrap_or_default()
    }

    /// Waits until the page shows a text. Without a script a page that changes by itself has to be loaded again.
    #[track_caller]
    pub fn sees(&self, text: &str) {
        self.wait_until(text, || self.text().contains(text));
    }

    /// The same, loading the page again and again until it does. A page that loads itself again may break off that.
    #[track_caller]
    pub fn sees_after_a_while(&self, text: &str) {
        self.wait_until(text, || {
            let is_loaded = self.script == Script::On || self.runtime.block_on(self.driver().refresh()).is_ok();
            is_loaded && self.text().contains(text)
        });
    }

    /// Waits until a button of feedback is pressed.
    #[track_caller]
    pub fn sees_noted(&self, button: &str) {
        self.wait_until(button, || self.attribute(button, "aria-pressed").as_deref() == Some("true"));
    }

    #[track_caller]
    pub fn wait_until(&self, what: &str, mut is_there: impl FnMut() -> bool) {
        let until = Instant::now() + WAIT;
        while !is_there() {
            assert!(Instant::now() < until, "{what:?} is not on {}:\n{}", self.path(), self.text());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Whether nothing of the page stands beyond the window's width. Only a script can measure that.
    #[track_caller]
    pub fn fits(&self) -> bool {
        if self.script == Script::Off {
            return true;
        }
        let width = async || {
            let script = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth";
            self.driver().execute(script, Vec::new()).await?.convert::<bool>()
        };
        self.runtime.block_on(width()).unwrap()
    }

    /// Elements that a selector finds now.
    #[track_caller]
    pub fn count(&self, css: &str) -> usize {
        self.runtime.block_on(self.driver().find_all(By::Css(css))).unwrap().len()
    }

    #[track_caller]
    pub fn click(&self, css: &str) {
        self.with(css, &async |element| element.click().await);
    }

    /// A button or a link by its words.
    #[track_caller]
    pub fn press(&self, words: &str) {
        let is_it = format!("normalize-space()='{words}'");
        let by =
            || By::XPath(format!("//main//button[{is_it}] | //main//a[{is_it}] | //button[{is_it}] | //a[{is_it}]"));
        self.wait_until(words, || self.runtime.block_on(self.driver().find(by())).is_ok());
        self.runtime.block_on(async { self.driver().find(by()).await?.click().await }).unwrap();
    }

    /// Types into a field, in the place of what stands there.
    #[track_caller]
    pub fn fill(&self, css: &str, text: &str) {
        self.with(css, &async |element| {
            element.clear().await?;
            element.send_keys(text).await
        });
    }

    /// Presses a key of the page's own.
    #[track_caller]
    pub fn key(&self, key: &str) {
        self.with("body", &async |element| element.send_keys(key).await);
    }

    #[track_caller]
    pub fn text_of(&self, css: &str) -> String {
        self.read(css, &async |element| element.text().await)
    }

    #[track_caller]
    pub fn attribute(&self, css: &str, name: &str) -> Option<String> {
        self.read(css, &async |element| element.attr(name.to_owned()).await)
    }

    /// Reads from an element, again if the page was replaced meanwhile.
    #[track_caller]
    fn read<T>(&self, css: &str, read: &impl AsyncFn(&WebElement) -> WebDriverResult<T>) -> T {
        let mut value = None;
        self.wait_until(css, || {
            let found = async { read(&self.driver().find(By::Css(css)).await?).await };
            value = self.runtime.block_on(found).ok();
            value.is_some()
        });
        value.unwrap()
    }

    #[track_caller]
    fn element(&self, css: &str) -> WebElement {
        self.wait_until(css, || self.count(css) > 0);
        self.runtime.block_on(self.driver().find(By::Css(css))).unwrap()
    }

    #[track_caller]
    fn with(&self, css: &str, work: &impl AsyncFn(&WebElement) -> WebDriverResult<()>) {
        let element = self.element(css);
        self.runtime.block_on(work(&element)).unwrap_or_else(|error| panic!("{css} on {}: {error}", self.path()));
    }
}

async fn session(port: u16, script: Script, window: Window) -> WebDriverResult<WebDriver> {
    let mut wanted = DesiredCapabilities::chrome();
    // As root there is no sandbox, in a container little shared memory.
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] {
        wanted.add_arg(argument)?;
    }
    let (width, height) = window.size();
    wanted.add_arg(&format!("--window-size={width},{height}"))?;
    if window == Window::Phone {
        let metrics = serde_json::json!({ "deviceMetrics": { "width": width, "height": height, "pixelRatio": 2.0 } });
        wanted.add_experimental_option("mobileEmulation", metrics)?;
    }
    if script == Script::Off {
        let blocked = serde_json::json!({ "profile.managed_default_content_settings.javascript": 2 });
        wanted.add_experimental_option("prefs", blocked)?;
    }
    aha_net::client::install_crypto_provider();
    WebDriver::new(&format!("http://127.0.0.1:{port}"), wanted).await
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(driver) = self.driver.take() {
            let _ = self.runtime.block_on(driver.quit());
        }
    }
}
