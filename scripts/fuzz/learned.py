"""What fuzzing has learned, packed into one file of text a target: a JSON string a line, a character a byte.

usage: learned.py unpack FILE FOLDER    writes a file for each line, named as libFuzzer names it
       learned.py pack FOLDER FILE      writes a line for each file, the shortest first
"""
import hashlib
import json
import pathlib
import sys


def unpack(packed, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for line in packed.read_text().splitlines():
        data = json.loads(line).encode("latin-1")
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def pack(folder, packed):
    inputs = sorted((path.read_bytes() for path in folder.iterdir()), key=lambda data: (len(data), data))
    packed.write_text("".join(json.dumps(data.decode("latin-1")) + "\n" for data in inputs))
    print(f"{packed}: {len(inputs)} inputs")


if __name__ == "__main__":
    actions = {"unpack": unpack, "pack": pack}
    if len(sys.argv) != 4 or sys.argv[1] not in actions:
        sys.exit(__doc__)
    actions[sys.argv[1]](pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
