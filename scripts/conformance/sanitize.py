"""Stores a folder of feeds, loads what was stored in a browser, and tells what ran and what was asked for.

usage: sanitize.py FOLDER BINARY BROWSER WORK
Called by scripts/conformance/sanitize.sh, which says what is checked.
"""
import html, json, os, pathlib, re, socketserver, sqlite3, subprocess, sys, threading
import xml.sax.saxutils as sax

folder, binary, browser, work = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])

# What looks at the page from within. A nonce lets it run under the policy too.
WATCH = """<script nonce="watch">window.ran = [];
for (const name of ["alert", "confirm", "prompt", "open", "eval", "fetch"]) window[name] = () => ran.push(name);
addEventListener("error", event => { if (event.message) ran.push("error: " + event.message); });
addEventListener("securitypolicyviolation", event => ran.push("blocked: " + event.violatedDirective));</script>"""
TELL = """<script nonce="watch">
const bad = [];
const forbidden = "script,style,link,meta,base,iframe,frame,object,embed,applet,form,input,button,select,textarea,svg,math,video,audio,source,template,noscript,xml";
for (const section of document.querySelectorAll("section.case")) {
  for (const element of section.querySelectorAll("*")) {
    if (element.matches(forbidden)) bad.push(section.id + ": <" + element.localName + ">");
    if (element.namespaceURI !== "http://www.w3.org/1999/xhtml") bad.push(section.id + ": " + element.namespaceURI);
    for (const attribute of element.attributes) {
      if (/^on|^style$|^srcset$|^id$|^class$|^action$|^formaction$/i.test(attribute.name)) bad.push(section.id + ": " + attribute.name);
      if (/^(href|src|cite)$/.test(attribute.name) && !/^(https?|mailto):/i.test(attribute.value)) bad.push(section.id + ": " + attribute.value);
    }
    if (element.localName === "a" && element.rel !== "noopener noreferrer") bad.push(section.id + ": rel " + element.rel);
    if (element.localName === "img" && element.loading !== "lazy") bad.push(section.id + ": loading " + element.loading);
    for (const type of ["click", "mouseover", "focus", "load", "error"]) element.dispatchEvent(new Event(type));
  }
}
setTimeout(() => {
  const result = document.createElement("pre");
  result.id = "result";
  result.textContent = JSON.stringify({ran, bad, cases: document.querySelectorAll("section.case").length});
  document.body.append(result);
}, 1500);</script>"""
POLICY = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-watch'">"""

# What the browser asks for by itself, whatever page it loads; what it asks for on a page without any markup is added.
BROWSERS_OWN = {
    "accounts.google.com", "clients2.google.com", "content-autofill.googleapis.com", "edgedl.me.gvt1.com",
    "optimizationguide-pa.googleapis.com", "redirector.gvt1.com", "update.googleapis.com",
}

asked = []


def host_of(address):
    return re.sub(r"^[a-z]+://", "", address).split("/")[0].split(":")[0]


class Proxy(socketserver.StreamRequestHandler):
    """Writes down what is asked for and answers nothing but that."""

    def handle(self):
        line = self.rfile.readline(65536).decode("latin-1").split(" ")
        if len(line) > 1:
            asked.append(f"{line[0]} {line[1]}")
        self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def stored():
    """The feeds' file names with what is stored of them."""
    # An item that has neither text nor a name is not stored, so each is given an identifier.
    named = work / "feeds"
    named.mkdir()
    for file in folder.iterdir():
        text = re.sub(rb"<(item|entry)>", rb"<\1><guid>item</guid><id>item</id>", file.read_bytes())
        (named / file.name).write_bytes(text)
    outlines = "".join(
        f"<outline text={sax.quoteattr(file.stem)} xmlUrl={sax.quoteattr(str(file))}/>" for file in sorted(named.iterdir())
    )
    (work / "list.opml").write_text(f'<opml version="2.0"><body>{outlines}</body></opml>')
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(work), "DATABASE_URL": f"sqlite://{work}/radar.db",
        "AHA_OUTPUT_DIR": str(work / "digests"),
    }
    command = [binary, "--run-once", "--import", str(work / "list.opml")]
    done = subprocess.run(command, env=environment, cwd=work, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"scripts/conformance/sanitize.sh: the run ended with {done.returncode}:\n{done.stderr[-2000:]}")
    db = sqlite3.connect(work / "radar.db")
    items = db.execute("SELECT count(*) FROM content_items").fetchone()[0]
    failed = db.execute("SELECT count(*) FROM sources WHERE health <> 'ok'").fetchone()[0]
    rows = db.execute(
        "SELECT s.url, i.html FROM content_items i JOIN sources s ON s.id = i.source_id WHERE i.html IS NOT NULL ORDER BY s.url"
    ).fetchall()
    return items, failed, [(pathlib.Path(url).stem, markup) for url, markup in rows]


def load(name, head, cases, port):
    sections = "\n".join(f'<section class="case" id="{html.escape(case)}">{markup}</section>' for case, markup in cases)
    page = work / f"{name}.html"
    page.write_text(f'<!doctype html><html><head><meta charset="utf-8">{head}{WATCH}</head><body>{sections}{TELL}</body></html>')
    asked.clear()
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions", "--no-pings",
        "--disable-domain-reliability", f"--user-data-dir={work}/profile", f"--proxy-server=http://127.0.0.1:{port}",
        "--proxy-bypass-list=<-loopback>", "--virtual-time-budget=10000", "--window-size=1200,20000", "--dump-dom", page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    found = re.search(r'<pre id="result">(.*?)</pre>', done.stdout, re.S)
    if not found:
        sys.exit(f"scripts/conformance/sanitize.sh: the browser gave no result:\n{done.stderr[-2000:]}")
    requests = [request for request in asked if host_of(request.split(" ")[1]) not in BROWSERS_OWN]
    return json.loads(html.unescape(found.group(1))), requests


def main():
    items, failed, cases = stored()
    files = sum(1 for _ in folder.iterdir())
    print(f"{files} feeds, {failed} not read, {items} items stored, {len(cases)} with markup")
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Proxy)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]

    BROWSERS_OWN.update(host_of(request.split(" ")[1]) for request in load("empty", "", [], port)[1])
    named = sorted(host for host in BROWSERS_OWN if any(host in markup for _, markup in cases))
    if named:
        sys.exit(f"scripts/conformance/sanitize.sh: the feeds name hosts that the browser asks by itself, so their requests cannot be told apart: {named}")

    # The watch itself is tried first: on markup as it came it has to find something.
    trap = [("trap", "<img src='x:y' onerror='alert(1)'><script>alert(2)</script><img src='http://images.example/trap.png'>")]
    result, requests = load("trap", "", trap, port)
    if not (result["ran"] and result["bad"] and any("images.example" in request for request in requests)):
        sys.exit(f"scripts/conformance/sanitize.sh: the watch sees nothing where something happens: {result} {requests}")

    images = set()
    for _, markup in cases:
        images.update(html.unescape(src) for src in re.findall(r'<img[^>]*? src="([^"]*)"', markup))
    hosts = {host_of(src) for src in images}
    wrong = False
    for name, head in (("bare", ""), ("policy", POLICY)):
        result, requests = load(name, head, cases, port)
        # Of an encrypted request the proxy sees the host alone.
        of_images = [r for r in requests if r.split(" ")[1] in images or r.startswith("CONNECT ") and host_of(r.split(" ")[1]) in hosts]
        others = [request for request in requests if request not in of_images]
        ran = [what for what in result["ran"] if name == "bare" or not what.startswith("blocked: img-src")]
        print(f"{name}: {result['cases']} cases loaded, {len(ran)} ran, {len(result['bad'])} forbidden parts, "
              f"{len(of_images)} requests for images, {len(others)} others")
        for what in [*ran, *result["bad"], *others]:
            print(f"  {what}")
        wrong |= bool(ran or result["bad"] or others or result["cases"] != len(cases) or (name == "policy" and requests))
    print("FAILED" if wrong else "nothing runs, and nothing but images is asked for; with the policy nothing at all")
    return int(wrong or not cases)


if __name__ == "__main__":
    raise SystemExit(main())
