"""A model's server that says the same to everything: upstream.py PORT. It speaks chat completions, whole and as a stream, and is
what the proxy of scripts/peers/litellm.sh stands in front of.

The answer is a JSON object, one token a character, cut off where a request allows fewer. The model `busy` wants to be left alone.
"""
import http.server
import json
import sys

ANSWER = '{"colour": "blue", "warm": false}'
INPUT_TOKENS = 11


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.reply(200, {"object": "list", "data": []})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if not self.path.endswith("/chat/completions"):
            return self.reply(404, {"error": {"message": f"{self.path} is not here", "type": "invalid_request_error", "code": None}})
        if asked["model"] == "busy":
            error = {"message": "too many requests", "type": "rate_limit_error", "code": "rate_limit_exceeded"}
            return self.reply(429, {"error": error})
        text = ANSWER[: asked.get("max_completion_tokens") or asked.get("max_tokens") or len(ANSWER)]
        ended = "stop" if text == ANSWER else "length"
        usage = {"prompt_tokens": INPUT_TOKENS, "completion_tokens": len(text), "total_tokens": INPUT_TOKENS + len(text)}
        if not asked.get("stream"):
            choice = {"index": 0, "finish_reason": ended, "message": {"role": "assistant", "content": text}}
            return self.reply(200, self.object("chat.completion", asked, [choice], usage))
        pieces = [({"content": piece}, None) for piece in (text[:9], text[9:])]
        deltas = [({"role": "assistant", "content": ""}, None), *pieces, ({}, ended)]
        events = [
            self.object("chat.completion.chunk", asked, [{"index": 0, "delta": delta, "finish_reason": end}], None)
            for delta, end in deltas
        ]
        if (asked.get("stream_options") or {}).get("include_usage"):
            events.append(self.object("chat.completion.chunk", asked, [], usage))
        lines = [f"data: {json.dumps(event)}\n\n" for event in events] + ["data: [DONE]\n\n"]
        self.send("text/event-stream", 200, "".join(lines).encode())

    def object(self, kind, asked, choices, usage):
        told = {"id": "chatcmpl-1", "object": kind, "created": 1_763_510_400, "model": asked["model"], "choices": choices}
        return told if usage is None else {**told, "usage": usage}

    def reply(self, status, body):
        self.send("application/json", status, json.dumps(body).encode())

    def send(self, kind, status, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Upstream).serve_forever()
