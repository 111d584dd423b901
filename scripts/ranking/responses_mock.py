"""A server on loopback that speaks OpenAI's Responses API and judges each story by the grade of its best member, for judge.py.

In: requests of the program. A triage request holds, between <stories> and </stories>, a JSON list of {id, title, text, members:
[{title, url, source}]}. Out: `aha_score` by the grade; for other tasks the smallest object that fits the schema asked for; 404 for vectors.
It keeps which items each run asked about and what was wrong with requests. It shares nothing with the program's own tests.
"""
import http.server
import json
import threading

OUTPUT_TOKENS_PER_STORY = 240
"""Told as usage: just under the cap of 250 that the program reserves, so that a budget pays for a known number of stories."""

BYTES_PER_TOKEN = 4
LEAST_TITLE_CHARS = 20
"""A title that was cut off is matched by its beginning if that is at least so long."""


class Catalogue:
    """Which item a member of a story is, by its link, else by its title."""

    def __init__(self, items):
        self.by_link, self.by_title = {}, {}
        for item in items:
            for link in (item.url, item.canonical_url):
                if link:
                    self.by_link.setdefault(link, item.key)
            self.by_title.setdefault(clean(item.title), item.key)

    def find(self, member):
        link, title = member.get("url") or "", clean(member.get("title"))
        if link in self.by_link:
            return self.by_link[link]
        if title and title in self.by_title:
            return self.by_title[title]
        cut = title.rstrip(".…")
        if len(cut) < LEAST_TITLE_CHARS:
            return None
        return next((key for known, key in self.by_title.items() if known.startswith(cut)), None)


def clean(text):
    return " ".join((text or "").split()).casefold()


class Judge:
    """The server. `begin` sets whose grades count from now on and forgets what was asked."""

    def __init__(self, catalogue):
        self.catalogue, self.problems, self.lock = catalogue, [], threading.Lock()
        self.begin("", {}, lambda grade: 0)
        judge = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, answer = judge.answer(self.path, self.headers, body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):
                judge.problem(f"GET {self.path} is no request of ours")
                self.send_error(404)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def base_url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def begin(self, name, grades, score):
        with self.lock:
            self.name, self.grades, self.score, self.asked, self.calls = name, grades, score, [], {}

    def problem(self, what):
        with self.lock:
            self.problems.append(f"{self.name}: {what}")

    def answer(self, path, headers, body):
        if path.endswith("/embeddings"):
            return 404, error("no such model")
        if path != "/v1/responses":
            self.problem(f"POST {path} is no request of ours")
            return 404, error("no such path")
        try:
            request = json.loads(body)
            if headers.get("Authorization") != "Bearer x" or request["model"] != "mock":
                raise ValueError("the key or the model is not the one configured")
            form = request["text"]["format"]
            text = "\n".join(message["content"] for message in request["input"])
            if "Your last answer could not be used" in text:
                self.problem(f"{form['name']}: an answer of the mock was sent back: {text[-400:]}")
            with self.lock:
                self.calls[form["name"]] = self.calls.get(form["name"], 0) + 1
            if form["name"].startswith("triage"):
                results = self.judged(text, form["schema"])
                return 200, response(body, {"results": results}, OUTPUT_TOKENS_PER_STORY * len(results))
            return 200, response(body, smallest(form["schema"]), 60)
        except (KeyError, TypeError, ValueError, IndexError) as wrong:
            self.problem(f"a request cannot be read: {type(wrong).__name__}: {wrong}")
            return 400, error("the request cannot be read")

    def judged(self, text, schema):
        _, _, rest = text.rpartition("<stories>")
        stories, end, _ = rest.partition("</stories>")
        if not end:
            raise ValueError("no stories between <stories> and </stories>")
        stories = json.loads(stories)
        if not stories or len({story["id"] for story in stories}) != len(stories):
            raise ValueError("no stories, or ids that are given twice")
        return [self.verdict(story, schema["properties"]["results"]["items"]) for story in stories]

    def verdict(self, story, schema):
        members = [self.catalogue.find(member) for member in story["members"]]
        for member, key in zip(story["members"], members):
            if key is None:
                self.problem(f"a member is unknown: {member.get('title')} ({member.get('url')})")
        keys = [key for key in members if key is not None]
        if not keys:
            self.problem(f"a story is unknown: {story['title']}")
        with self.lock:
            if keys and keys[0] in {first for first, *_ in self.asked}:
                self.problems.append(f"{self.name}: a story is asked about twice: {story['title']}")
            if keys:
                self.asked.append(keys)
        grade = max((self.grades.get(key, 0.0) for key in keys), default=0.0)
        score = self.score(grade)
        return smallest(schema) | {
            "id": story["id"], "aha_score": score, "reason": f"Its grade is {grade:g}.", "is_relevant": grade > 0, "is_novel": True,
            "categories": [], "should_deep_summarize": score >= 80,
        }


def smallest(schema):
    """The smallest value that fits a schema of the strict subset."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: smallest(part) for name, part in schema.get("properties", {}).items()}
    return {"string": "Said by the mock.", "boolean": False, "array": [], "null": None}.get(kind, schema.get("minimum", 0))


def response(body, answer, output_tokens):
    input_tokens = len(body) // BYTES_PER_TOKEN
    return {
        "id": "resp_mock", "object": "response", "status": "completed", "error": None, "model": "mock",
        "output": [{"type": "message", "id": "msg_mock", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": json.dumps(answer), "annotations": []}]}],
        "usage": {"input_tokens": input_tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": output_tokens,
                  "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": input_tokens + output_tokens},
    }


def error(message):
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
