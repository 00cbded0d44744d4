#!/usr/bin/env python3
"""read_back.py DUMP_ROWS GMIME_ROUNDTRIP DATA [ENGINE]: an oracle of its own reads the rows of lmtpd as DBMail's readers do.

For the 40 golden messages, with ENGINE (sqlite, postgresql, mysql) after they were stored in a database of that engine, and without ENGINE
for generated ones too (which round_trip_test.cc stores on every engine): storage::reassemble agrees with the oracle, the export is what was received, and the
reassembled text is the received text wherever it can be: always, unless there is no blank line after the header. With GMime's
parse and serialisation behind it, which the readers do too, at least 33 golden messages are served exactly as received: all but those whose
difference is GMime's own doing and no layout can change.
"""
import base64
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle"))
sys.dont_write_bytecode = True
from reader import reassemble, to_crlf  # noqa: E402

RANDOM_MESSAGES = 3000
RETURN_PATH = b"Return-Path: sender@example.org\r\n"

# Served differently by DBMail whatever the rows are.
READERS_CHANGE = {
    "10-closing-no-crlf-missing": "a line end is added to an unterminated multipart",
    "13-encoded-words": "a blank line is added after a header without one",
    "25-headers-only": "a blank line is added after a header without one",
    "28-nul-in-body": "the NUL is 0x80",
    "32-bare-lf-cr": "bare LF becomes CRLF",
    "35-no-boundary-param": "a line end is added to a multipart without boundary",
    "37-mbox-from-line": "the From line is dropped",
}


def dump(*command):
    for line in subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.splitlines():
        row = json.loads(line)
        for part in row["parts"]:
            part["data"] = base64.b64decode(part["data"])
        for key in ("received", "reassembled", "exported"):
            row[key] = base64.b64decode(row[key])
        yield row


def round_trip(program, texts):
    """The served text of each, CRLF."""
    given = b"".join(b"%d\n%s" % (len(text), text) for text in texts)
    out = subprocess.run([program], input=given, capture_output=True, check=True).stdout
    served = []
    while out:
        length, out = out.split(b"\n", 1)
        served.append(to_crlf(out[:int(length)]))
        out = out[int(length):]
    return served


def check(row):
    """Yields what is wrong."""
    kept = row["received"].replace(b"\0", b"\x80")
    text = reassemble(row["parts"])
    if text != row["reassembled"]:
        yield "storage::reassemble and the oracle disagree"
    if row["exported"] != RETURN_PATH + kept:
        yield "the export is not what was received"
    separated = re.search(rb"(^|\n)\r?\n", kept)
    if separated and to_crlf(text) != RETURN_PATH + to_crlf(kept):
        yield "the reassembled text is not the received text"


def main():
    dump_rows, gmime_roundtrip, data, *engine = sys.argv[1:]
    golden = list(dump(dump_rows, data + "/messages", *engine))
    generated = [] if engine else list(dump(dump_rows, "--random", str(RANDOM_MESSAGES)))
    failures = [f"{row['name']}: {what}" for row in golden + generated for what in check(row)]
    if len(golden) != 40 or len(generated) != (0 if engine else RANDOM_MESSAGES):
        failures.append("messages are missing")
    served = round_trip(gmime_roundtrip, [row["reassembled"] for row in golden])
    exact = {row["name"] for row, text in zip(golden, served) if text == RETURN_PATH + row["received"]}
    for name in {row["name"] for row in golden} - exact - set(READERS_CHANGE):
        failures.append(f"{name}: not served as received")
    if len(exact) < 33:
        failures.append(f"only {len(exact)} of 40 golden messages are served as received")
    print("\n".join(failures) or f"{len(golden) + len(generated)} messages read back; {len(exact)} of 40 golden ones served exactly")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
