"""Answers that are made to cost a reader time or memory, each by name: status line and headers, then the body in portions."""
import asyncio
import gzip
import itertools
import string
import zlib

MIB = 1024 * 1024
HEAD = '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>t</title><link>http://site.example/</link>'
TAIL = "</channel></rss>"
ZEROS_GIB = 1


def rss(inside, head=HEAD):
    return (head + inside + TAIL).encode()


def item(inside="", number=1):
    return f"<item><guid>{number}</guid><title>title</title>{inside}</item>"


def laughs():
    lols = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "lol"}">' for n in range(12))
    return f'<?xml version="1.0"?><!DOCTYPE rss [{lols}]>' + rss(item("<description>&l11;</description>"), "<rss version='2.0'><channel>").decode()


def external():
    entity = '<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % y SYSTEM "http://127.0.0.1:9/y"> %y;'
    return f"<?xml version='1.0'?><!DOCTYPE rss [{entity}]>" + rss(item("<description>&x;</description>"), "<rss version='2.0'><channel>").decode()


def names(count):
    return itertools.islice(map("".join, itertools.product(string.ascii_letters, repeat=4)), count)


def zeros_gzip():
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    portion = bytes(MIB)
    return b"".join(packer.compress(portion) for _ in range(ZEROS_GIB * 1024)) + packer.flush()


def zeros_zstd():
    """A frame of blocks that each repeat one byte (RFC 8878, 3.1.1.2)."""
    size = 128 * 1024
    block = lambda last: (last | 1 << 1 | size << 3).to_bytes(3, "little") + b"\0"
    return b"\x28\xb5\x2f\xfd" + b"\x00\x58" + block(0) * (ZEROS_GIB * 8192 - 1) + block(1)


def zeros_brotli():
    import brotli

    packer = brotli.Compressor(quality=5, lgwin=22)
    return b"".join(packer.process(bytes(MIB)) for _ in range(ZEROS_GIB * 1024)) + packer.finish()


def layered(times):
    body = rss(item())
    for _ in range(times):
        body = gzip.compress(body)
    return body


BODIES = {
    "billion laughs": laughs,
    "external entities": external,
    "200,000 attributes": lambda: rss("<item" + "".join(f" a{n}='1'" for n in range(200_000)) + "><title>x</title></item>"),
    "1,000,000 namespaces on a tag": lambda: rss("<item" + "".join(f" xmlns:{name}=''" for name in names(1_000_000)) + "><title>x</title></item>"),
    "200,000 attributes in markup": lambda: rss(item("<description><![CDATA[<p" + "".join(f" a{n}=1" for n in range(200_000)) + ">x</p>]]></description>")),
    "100,000 elements deep": lambda: rss(item("<a>" * 100_000 + "</a>" * 100_000)),
    "100,000 elements deep, unclosed": lambda: rss(item("<a>" * 100_000)),
    "markup 100,000 deep": lambda: rss(item("<description><![CDATA[" + "<div>" * 100_000 + "x]]></description>")),
    "formatting never closed": lambda: rss(item("<description><![CDATA[" + "".join(f"<b a{n}>" for n in range(60_000)) + "<p>x" * 60_000 + "]]></description>")),
    "a text of 15 MiB": lambda: rss(item("<description>" + "word " * (3 * MIB) + "</description>")),
    "15 MiB of stray ampersands": lambda: rss(item("<description>" + "& " * (15 * MIB // 2) + "</description>")),
    "15 MiB of opening brackets": lambda: rss(item("<description>" + "<" * (15 * MIB) + "</description>")),
    "2,000,000 references": lambda: rss(item("<description>" + "&#1234;" * 2_000_000 + "</description>")),
    "comment never closed": lambda: rss(item("<description><!--" + "<!-- " * (2 * MIB))),
    "JSON 100,000 deep": lambda: b'{"version":"https://jsonfeed.org/version/1.1","items":' + b"[" * 100_000,
    "JSON of 1,000,000 items": lambda: b'{"version":"https://jsonfeed.org/version/1.1","items":[' + b",".join([b'{"id":"1"}'] * 1_000_000) + b"]}",
    "1,000,000 empty items": lambda: rss("<item/>" * 1_000_000),
    "500,000 items": lambda: rss("".join(f"<item><guid>{name}</guid></item>" for name in names(500_000))),
    "100,000 broken items": lambda: rss("".join(f"<item><title>a & b <{n}</title><guid>{n}</guid></item>" for n in range(100_000))),
    "lone surrogates": lambda: (HEAD + item("<description>&#xD800; &#xDFFF;</description>") + TAIL).encode("utf-16-le") + b"\x00\xd8",
    "NUL and control characters": lambda: rss(item("<description>\0\1\x1b[31m\x7f &#0; &#27;</description>" * 10_000)),
    "bidi controls": lambda: rss(item("<description>" + "\u202e\u2066\u200b" * 500_000 + "</description>")),
    "wrong charset": lambda: rss(item("<description>" + "é" * MIB + "</description>"), HEAD.replace("UTF-8", "utf-16")),
    "years 0 and 99999": lambda: rss("".join(item(f"<pubDate>{date}</pubDate>", n) for n, date in enumerate(["0000-01-01T00:00:00Z", "99999-01-01T00:00:00Z", "Mon, 01 Jan 99999 00:00:00 GMT", "1" * 90]))),
}

ENCODED = {
    "1 GiB of zeros in gzip": ("gzip", zeros_gzip),
    "1 GiB of zeros in zstd": ("zstd", zeros_zstd),
    "1 GiB of zeros in brotli": ("br", zeros_brotli),
    "gzip within gzip, 3 times": ("gzip, gzip, gzip", lambda: layered(3)),
    "gzip within gzip, 100 times": (", ".join(["gzip"] * 100), lambda: layered(100)),
}


async def plain(writer, body, *headers):
    writer.write("\r\n".join(["HTTP/1.1 200 OK", "Content-Type: application/rss+xml", "Connection: close", *headers, "", ""]).encode())
    writer.write(body)
    await writer.drain()


async def slow(writer, _):
    await plain(writer, b"")
    for byte in itertools.cycle(HEAD.encode()):
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(1)


async def endless(writer, _):
    await plain(writer, HEAD.encode())
    while True:
        writer.write(item().encode() * 1000)
        await writer.drain()


async def endless_header(writer, _):
    writer.write(b"HTTP/1.1 200 OK\r\nX-A: ")
    while True:
        writer.write(b"a" * 65536)
        await writer.drain()


def bodies():
    """By name: a body, and what it is said to be encoded by."""
    for name, make in BODIES.items():
        body = make()
        yield name, body if isinstance(body, bytes) else body.encode(), ()
    for name, (kind, make) in ENCODED.items():
        yield name, make(), (f"Content-Encoding: {kind}",)
    for name, length in {"too great": 1_000_000, "too small": 40, "of an exabyte": 10**18}.items():
        yield f"Content-Length {name}", rss(item()), (f"Content-Length: {length}",)


async def changing(writer, count):
    one = lambda n: f"<item><guid>{count}-{n}</guid><title>title {n}</title><description>text {n}</description></item>"
    await plain(writer, rss("".join(map(one, range(100)))))


def behaviours():
    """By name: what is done to the connection at the COUNTth request. A body is made before it is asked for."""
    for name, body, headers in bodies():
        yield name, lambda writer, _, body=body, headers=headers: plain(writer, body, *headers)
    yield from {"endless body": endless, "endless header": endless_header, "1 byte a second": slow, "a guid that changes": changing}.items()
