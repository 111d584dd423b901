"""Serves feeds on loopback, each from a host of its own, and answers 304 where a reader has the current one.

usage: ingest_server.py FOLDER              the files of a folder
       ingest_server.py SOURCES ITEMS       generated ones, the same each time

Prints one line of JSON when it is ready: {"urls": […], "counts": URL}. COUNTS tells how often each status was answered.
"""
import asyncio
import collections
import email.utils
import hashlib
import json
import pathlib
import random
import resource
import sys
import urllib.parse
import xml.sax.saxutils as sax

NEWEST = 1771459200  # 2026-02-19T00:00:00Z
KINDS = {".json": "application/feed+json", ".atom": "application/atom+xml", ".rdf": "application/rdf+xml"}


def host(number):
    """127.0.0.1, 127.0.0.2, …: a host for each source."""
    number += 1
    return f"127.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def files(folder):
    for path in sorted(pathlib.Path(folder).iterdir()):
        if path.is_file():
            yield urllib.parse.quote(path.name), KINDS.get(path.suffix, "application/rss+xml"), path.read_bytes()


def generated(sources, items):
    chance = random.Random(20260219)
    words = ["".join(chance.choices("aeioubdfgklmnprstvz", k=chance.randint(2, 9))) for _ in range(5000)]
    text = lambda low, high: " ".join(chance.choices(words, k=chance.randint(low, high)))
    body = lambda: f"<p>{text(30, 60)}</p><p>{text(10, 30)} <a href='/x'>{text(1, 3)}</a></p>"
    for source in range(sources):
        parts = []
        for item in range(items):
            at = NEWEST - (item * sources + source) * 120
            parts.append(
                f"<item><title>{text(5, 12)}</title><link>https://site{source}.example/{item}</link>"
                f"<guid isPermaLink=\"false\">{source}-{item}</guid><author>{text(2, 2)}</author>"
                f"<pubDate>{email.utils.formatdate(at, usegmt=True)}</pubDate><category>{text(1, 1)}</category>"
                f"<description>{sax.escape(body())}</description></item>"
            )
        head = f"<title>Source {source}</title><link>https://site{source}.example/</link><description>x</description>"
        feed = f'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel>{head}{"".join(parts)}</channel></rss>'
        yield "feed.xml", "application/rss+xml", feed.encode()


class Connection(asyncio.Protocol):
    def __init__(self, answers, counts):
        self.answers, self.counts, self.bytes = answers, counts, b""

    def connection_made(self, transport):
        self.transport = transport
        self.host = transport.get_extra_info("sockname")[0]

    def data_received(self, data):
        self.bytes += data
        while b"\r\n\r\n" in self.bytes:
            head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
            self.transport.write(self.answer(head))

    def answer(self, head):
        target = head.split(b" ", 2)[1]
        if target == b"/counts":
            return _whole(b"200 OK", b"application/json", b'"counts"', json.dumps(self.counts).encode())
        found = self.answers.get((self.host, target.decode()))
        if found is None:
            self.counts["404"] += 1
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        tag, whole = found
        if any(line.lower().startswith(b"if-none-match:") and tag in line for line in head.split(b"\r\n")):
            self.counts["304"] += 1
            return b"HTTP/1.1 304 Not Modified\r\nETag: " + tag + b"\r\n\r\n"
        self.counts["200"] += 1
        return whole


def _whole(status, kind, tag, body):
    head = b"HTTP/1.1 %s\r\nContent-Type: %s\r\nETag: %s\r\nContent-Length: %d\r\n\r\n" % (status, kind, tag, len(body))
    return head + body


async def main(feeds):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    answers, counts, urls, port = {}, collections.Counter(), [], 0
    loop = asyncio.get_running_loop()
    for number, (name, kind, body) in enumerate(feeds):
        tag = b'"' + hashlib.sha256(body).hexdigest()[:16].encode() + b'"'
        answers[host(number), f"/{name}"] = tag, _whole(b"200 OK", kind.encode(), tag, body)
        server = await loop.create_server(lambda: Connection(answers, counts), host(number), port, backlog=512)
        port = server.sockets[0].getsockname()[1]
        urls.append(f"http://{host(number)}:{port}/{name}")
    print(json.dumps({"urls": urls, "counts": f"http://{host(0)}:{port}/counts"}), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    feeds = files(sys.argv[1]) if len(sys.argv) == 2 else generated(*map(int, sys.argv[1:3]))
    asyncio.run(main(feeds))
