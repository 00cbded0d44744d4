#!/usr/bin/env python3
"""No path of somebody's machine in the tree, no temporary file with a predictable name, no type that is called after what it is not.
Exceptions, each with its reason: tests/lint/names.txt."""
import os
import re

import sources

# An example in a URI ("sqlite:///tmp/x.db", "unix:/tmp/x.sock") names nobody's machine.
HOME = re.compile(r"(?<![\w.$}/:])/(?:home|root|Users|mnt|work)/")
TEMPORARY = re.compile(r"(?<![\w.$}/:])/(?:var/)?tmp/")
UNPREDICTABLE = re.compile(r"mktemp|mkdtemp|mkstemp|XXXXXX")
TYPE = re.compile(r"\b(?:class|struct)\s+(\w*(?:Manager|Helper|Utils?|Handler|Info|(?<=\w)Data))\b(?!\s*>)(?!\s*[,>])")
TEXT = (".h", ".cc", ".py", ".sh", ".sql", ".cmake", ".txt", ".toml", ".md", ".json", ".service", ".socket", ".cf", ".lmtp")
TOP = ("CMakeLists.txt", "CMakePresets.json", "README.md", "DECISIONS.md", "check", "quickstart", ".ci/run", "tests/support/servers")


def paths():
    top = [path for path in TOP if os.path.exists(os.path.join(sources.root(), path))]
    return [path for path in sources.files(suffixes=TEXT) + top if not path.startswith(("tests/lint/", "tests/golden/data/"))]


def main():
    known = sources.exceptions("names.txt")
    faults = []
    for path in paths():
        if path in known:
            continue
        text = sources.read(path)
        for number, line in enumerate(text.splitlines(), 1):
            if HOME.search(line):
                faults.append(f"{path}:{number}: a path of somebody's machine")
            if TEMPORARY.search(line) and not UNPREDICTABLE.search(line):
                faults.append(f"{path}:{number}: a temporary path that is not made by mktemp")
        if path.endswith((".h", ".cc")):
            for match in TYPE.finditer(sources.blanked(text)):
                faults.append(f"{path}:{sources.line_of(text, match.start())}: a type called {match.group(1)}")
    sources.finish(faults)


main()
