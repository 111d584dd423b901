#!/usr/bin/env python3
"""A server on loopback that answers requests of OpenAI's Responses API from recorded answers, and keeps those that have none.

usage: recorded.py FOLDER [PORT]

A request is known by the SHA-256 of its messages, of which the first 16 digits name its files: FOLDER/NAME.request.txt holds the instructions
and messages, FOLDER/NAME.answer.json the answer that somebody wrote for it. Without an answer the request is written down and refused with 400, so that a
second run, after the answers were written, is the same for everybody who has the folder. Runs until it is interrupted.
"""
import hashlib
import http.server
import json
import pathlib
import sys


class Recorded(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder = pathlib.Path()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        text = "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in body["input"])
        name = hashlib.sha256(text.encode()).hexdigest()[:16]
        answer = self.folder / f"{name}.answer.json"
        if answer.exists():
            written = json.dumps(json.loads(answer.read_text()))
            self.reply(200, {
                "id": name, "object": "response", "status": "completed", "model": body["model"],
                "output": [{"type": "message", "role": "assistant", "status": "completed",
                            "content": [{"type": "output_text", "text": written, "annotations": []}]}],
                "usage": {"input_tokens": len(text) // 4, "output_tokens": len(written) // 4, "total_tokens": (len(text) + len(written)) // 4},
            })
        else:
            (self.folder / f"{name}.request.txt").write_text(f"[instructions]\n{body.get('instructions', '')}\n\n{text}")
            self.reply(400, {"error": {"message": f"no answer is recorded for {name}", "type": "invalid_request_error"}})

    def reply(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


Recorded.folder = pathlib.Path(sys.argv[1])
Recorded.folder.mkdir(parents=True, exist_ok=True)
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Recorded)
print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
server.serve_forever()
