#!/usr/bin/env python3
"""Each .cc of a pure room has a test file: lmtpd/protocol/path.cc → tests/unit/protocol/path_test.cc, storage/batch/x.cc →
tests/unit/storage/batch/x_test.cc. Exceptions, each with its reason: tests/lint/mirror.txt. A reason that begins with "tests/" names the
test that stands in, which must exist."""
import os

import sources

ROOMS = {"lmtpd/protocol": "tests/unit/protocol", "lmtpd/mime": "tests/unit/mime", "lmtpd/config": "tests/unit/config",
         "storage/schema": "tests/unit/schema", "storage/batch": "tests/unit/storage/batch",
         "storage/directory": "tests/unit/storage/directory", "storage": "tests/unit/storage"}


def main():
    known = sources.exceptions("mirror.txt")
    faults = []
    sources_seen = set()
    for path in sources.files(("lmtpd", "storage"), (".cc",)):
        folder = os.path.dirname(path)
        if folder not in ROOMS:
            continue
        sources_seen.add(path)
        test = os.path.join(ROOMS[folder], os.path.basename(path)[:-3] + "_test.cc")
        exists = os.path.exists(os.path.join(sources.root(), test))
        if exists and path in known:
            faults.append(f"tests/lint/mirror.txt: {path} has a test now")
        if not exists and path not in known:
            faults.append(f"{path}: no {test}")
    stand_ins = {reason.split()[0].rstrip(",") for reason in known.values() if reason.startswith("tests/")}
    faults += [f"tests/lint/mirror.txt: {test} does not exist" for test in sorted(stand_ins)
               if not os.path.exists(os.path.join(sources.root(), test))]
    faults += [f"tests/lint/mirror.txt: {path} does not exist" for path in known if path not in sources_seen]
    sources.finish(faults)


main()
