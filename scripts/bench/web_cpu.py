#!/usr/bin/env python3
"""Processor time of a request: requests one after the other, and the time that the server (and the processes it names besides, with
their children: Postgres) spent meanwhile, a request. Unlike a wall time it hardly depends on what else the machine does.

usage: web_cpu.py PORT REQUESTS PID[,PID] PATH    `POST /path BODY` for a PATH sends a JSON body
Prints milliseconds of the first process, milliseconds of the others, status and bytes.
"""
import http.client
import os
import sys


def spent_ns(pid):
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat") as line:
                total += int(line.read().split()[0])
        except OSError:
            pass
    return total


def with_children(pids):
    found = set(pids)
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as line:
                parent = int(line.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent in pids[1:]:
            found.add(int(entry))
    return found


def all_spent(pids):
    spent = {}
    for pid in with_children(pids):
        try:
            spent[pid] = spent_ns(pid)
        except OSError:
            pass
    return spent


def main():
    port, requests, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[4]
    pids = [int(pid) for pid in sys.argv[3].split(",")]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def request():
        if path.startswith("POST "):
            _, address, body = path.split(" ", 2)
            connection.request("POST", address, body, {"content-type": "application/json"})
        else:
            connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, len(answer.read())

    for _ in range(2):
        status, size = request()
    before = all_spent(pids)
    for _ in range(requests):
        request()
    after = all_spent(pids)
    ms = {pid: (after[pid] - before.get(pid, 0)) / 1e6 / requests for pid in after}
    others = sum(value for pid, value in ms.items() if pid != pids[0])
    print(f"{ms.get(pids[0], 0.0):.1f} {others:.1f} {status} {size}")


if __name__ == "__main__":
    main()
