#!/usr/bin/env python3
"""compare_rows.py DUMP_ROWS DATA [ENGINE]: the rows of lmtpd against those that the reference agent wrote for the same 40 messages.

With ENGINE (sqlite, postgresql, mysql): the rows that plain SQL finds in a database of that engine after they were delivered there; without,
those that lmtpd would write. Equal means: parts (key, depth, order, is_header, size, hash, data), header cache (name, value, sortfield,
datefield, hash; for the twelve names that the reference caches), references, envelope. Every exception is listed below with its reason; one that is no longer
needed fails the test too.
"""
import base64
import hashlib
import json
import subprocess
import sys

# Part rows that differ on purpose.
OTHER_PARTS = {
    "08-empty-parts": "an empty part gets a body row of length 0, so that the text comes back exactly",
    "09-part-no-headers": "the reference loses the text of parts without headers",
    "10-closing-no-crlf-missing": "no end boundary: the readers would add one to the part layout, so two rows",
    "32-bare-lf-cr": "bare LF: two rows with their line ends kept",
    "34-digest": "the readers lose the boundaries of the reference's rows; each part of a digest is one leaf here",
    "36-boundary-prefix": "the reference loses the text of parts without headers",
    "37-mbox-from-line": "the reference drops the From line; it is exported from the header row here",
}
NO_REFERENCE = {
    "28-nul-in-body": "the reference agent hangs on NUL",
    "31-long-line": "the reference agent hangs on lines of 64 KiB",
}
# Header values that differ on purpose.
OTHER_HEADERS = {}
OTHER_ENVELOPE = {}
# Rows made from the time of arrival cannot be equal.
SYNTHETIC_DATE = {"21-no-date-no-msgid", "24-no-headers"}


def part(row):
    data = row["data"]
    return (row["part_key"], row["part_depth"], row["part_order"], int(row["is_header"]), row["size"], row["hash"],
            base64.b64decode(data) if data is not None else None)


def same_parts(ours, reference):
    if len(ours) != len(reference):
        return False
    return all(a[:6] == b[:6] and (b[6] is None or a[6] == b[6]) for a, b in zip(map(part, ours), map(part, reference)))


def headers(rows, synthetic_date):
    found = set()
    for row in rows:
        if synthetic_date and row["headername"] == "date":
            continue
        date = row["datefield"][:10] if row["datefield"] else None
        found.add((row["headername"], row["headervalue"], row["sortfield"], date, row["hash"]))
    return found


def compare(name, ours, reference, received):
    """Yields (what, difference) for each difference."""
    for row in ours["parts"]:
        data = base64.b64decode(row["data"])
        if row["size"] != len(data) or row["hash"] != hashlib.sha1(data).hexdigest():
            yield "hash", row
    return_path = len(b"Return-Path: sender@example.org\r\n")
    if (ours["message_size"], ours["rfc_size"]) != (len(received), len(received) + return_path):
        yield "sizes", (ours["message_size"], ours["rfc_size"])
    if not reference.get("stored"):
        return
    if ours["message_size"] != reference["physmessage"]["messagesize"]:
        yield "messagesize", reference["physmessage"]
    if not same_parts(ours["parts"], reference["parts"]):
        yield "parts", [part(row)[:6] for row in ours["parts"]]
    synthetic = name in SYNTHETIC_DATE
    ours_headers, their_headers = headers(ours["headers"], synthetic), headers(reference["headers"], synthetic)
    if ours_headers != their_headers:
        yield "headers", {"only ours": ours_headers - their_headers, "only reference": their_headers - ours_headers}
    if ours["references"] != reference["references"]:
        yield "references", ours["references"]
    if ours["envelope"] != reference["envelope"]:
        yield "envelope", ours["envelope"]


def main():
    dump_rows, data, *engine = sys.argv[1:]
    with open(data + "/dbmail-3.5-postgresql.json", encoding="utf-8") as file:
        reference = json.load(file)
    dump = subprocess.run([dump_rows, data + "/messages", *engine], stdout=subprocess.PIPE, check=True).stdout
    ours = {row["name"]: row for row in map(json.loads, dump.splitlines())}
    failures = []
    if set(ours) != set(reference) or len(ours) != 40:
        failures.append("not the same 40 messages")
    allowed = {("parts", name) for name in OTHER_PARTS} | {("headers", name) for name in OTHER_HEADERS}
    allowed |= {("envelope", name) for name in OTHER_ENVELOPE}
    seen = set()
    for name in sorted(ours):
        if not reference[name].get("stored") and name not in NO_REFERENCE:
            failures.append(f"{name}: no reference")
        with open(f"{data}/messages/{name}.eml", "rb") as file:
            received = file.read()
        for what, difference in compare(name, ours[name], reference[name], received):
            seen.add((what, name))
            if (what, name) not in allowed:
                failures.append(f"{name}: {what} differ: {difference}")
    for what, name in sorted(allowed - seen):
        failures.append(f"{name}: listed as an exception ({what}), but equal")
    print("\n".join(failures) or f"{len(ours)} messages, {len(seen)} listed exceptions")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
