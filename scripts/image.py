"""What scripts/image.sh does in Python.

    image.py bundle IMAGE.json ROOT DATA BUNDLE [NAME=VALUE]... -- [ARGUMENT]...
        writes BUNDLE/config.json: how `docker run --read-only --cap-drop ALL --security-opt no-new-privileges -v DATA:/data` would start
        the image (its user, environment, working folder, entry point; ARGUMENTs in place of its command), in the host's network.
    image.py model FOLDER DELAY_SECONDS
        serves OpenAI's Responses API on loopback, each answer that much later. Writes FOLDER/address, and FOLDER/asked at the first request.
    image.py settled CALLS.json
        holds `aha-radar calls --json` against what it has to say after the stop: paid calls, none of them open or of unknown cost.
"""
import http.server
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "ranking"))
from responses_mock import response, smallest  # noqa: E402

OUTPUT_TOKENS = 60


def bundle(image, root, data, folder, *rest):
    cut = rest.index("--")
    settings, arguments = rest[:cut], rest[cut + 1:]
    config = json.loads(pathlib.Path(image).read_text())["OCIv1"]["config"]
    path = pathlib.Path(folder) / "config.json"
    path.unlink(missing_ok=True)
    subprocess.run(["runc", "spec"], cwd=folder, check=True)
    spec = json.loads(path.read_text())
    user, _, group = config["User"].partition(":")
    spec["root"] = {"path": root, "readonly": True}
    spec["hostname"] = "aha-radar"
    spec["process"].update({
        "terminal": False,
        "args": config["Entrypoint"] + (list(arguments) or config["Cmd"]),
        "env": config["Env"] + list(settings),
        "cwd": config["WorkingDir"],
        "user": {"uid": int(user), "gid": int(group)},
        "capabilities": {kind: [] for kind in spec["process"]["capabilities"]},
        "noNewPrivileges": True,
    })
    volumes = list(config["Volumes"])
    if volumes != ["/data"]:
        sys.exit(f"the image's volumes are {volumes}, not /data alone")
    bind = {"type": "bind", "options": ["rbind", "rw", "nosuid", "nodev"]}
    # No memory is mounted at /tmp: `docker run --read-only` does not, either.
    spec["mounts"].append(bind | {"destination": "/data", "source": data})
    spec["linux"]["namespaces"] = [kind for kind in spec["linux"]["namespaces"] if kind["type"] != "network"]
    path.write_text(json.dumps(spec, indent=1))


def model(folder, delay):
    folder, delay = pathlib.Path(folder), float(delay)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.path != "/v1/responses":
                return self.say(404, {"error": {"message": "no such path"}})
            (folder / "asked").touch()
            time.sleep(delay)
            request = json.loads(body)
            answer = smallest(request["text"]["format"]["schema"])
            if "results" in answer:
                item = request["text"]["format"]["schema"]["properties"]["results"]["items"]
                text = "\n".join(message["content"] for message in request["input"])
                stories = json.loads(text.rpartition("<stories>")[2].partition("</stories>")[0])
                answer = {"results": [smallest(item) | {"id": story["id"], "aha_score": 50} for story in stories]}
            return self.say(200, response(body, answer, OUTPUT_TOKENS))

        def say(self, status, answer):
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    unfinished = folder / "address.new"
    unfinished.write_text(f"http://127.0.0.1:{server.server_address[1]}")
    unfinished.rename(folder / "address")
    server.serve_forever()


def settled(path):
    calls = [call for call in json.loads(pathlib.Path(path).read_text()) if call["provider"] != "local"]
    states = sorted({call["state"] for call in calls})
    print(f"paid calls: {len(calls)}, states: {', '.join(states) or 'none'}")
    if states != ["ok"] or any(not call["cost_microcredits"] for call in calls):
        sys.exit(f"each paid call has to be settled with its cost: {calls}")


if __name__ == "__main__":
    {"bundle": bundle, "model": model, "settled": settled}[sys.argv[1]](*sys.argv[2:])
