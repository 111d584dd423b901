use std::io::Write as _;
use std::process::Stdio;

use crate::NOW;
use crate::driver::{Browser, Script};
use crate::support::radar::{Radar, finish};
use crate::support::site::Site;

fn in_and_out(script: Script) {
    let mut radar = Radar::at(NOW).with("AHA_PUBLIC_URL", "http://localhost/");
    let mut command = radar.command(&["user", "password", "owner"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"correct horse").unwrap();
    finish(child).exits(0);
    radar.ok(&["init"]);
    let site = Site::start(&mut radar);
    let browser = Browser::open(&site, script);
    browser.go("/topics");
    assert_eq!(browser.path(), "/sign-in?next=%2Ftopics");
    browser.fill("input[name=name]", "owner");
    browser.fill("input[name=password]", "wrong horse");
    browser.press("Sign in");
    browser.sees("password");
    assert_eq!(browser.count("[role=alert]"), 1);
    browser.fill("input[name=password]", "correct horse");
    browser.press("Sign in");
    browser.sees("Signed in as owner");
    assert_eq!(browser.path(), "/topics");
    browser.press("Sign out");
    browser.wait_until("the page to sign in", || browser.path().starts_with("/sign-in"));
    browser.go("/settings");
    assert_eq!(browser.path(), "/sign-in?next=%2Fsettings");
}

#[test]
fn one_signs_in_and_out() {
    in_and_out(Script::On);
}

#[test]
fn one_signs_in_and_out_without_a_script() {
    in_and_out(Script::Off);
}
