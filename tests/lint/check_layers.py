#!/usr/bin/env python3
"""Every #include against tests/lint/layers.txt: no room includes what is not its business."""
import os
import re

import sources

# The C and C++ standard headers without a slash or dot are recognised by their form; these are the C ones that have a dot.
C_STANDARD = {"assert.h", "ctype.h", "errno.h", "float.h", "inttypes.h", "limits.h", "locale.h", "math.h", "setjmp.h", "signal.h",
              "stdarg.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "time.h", "wchar.h", "wctype.h"}


def pattern(glob):
    text = re.escape(glob).replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return re.compile(text + "$")


def read_layers():
    groups, rooms = {}, {}
    for line in sources.read("tests/lint/layers.txt").splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("group "):
            name, _, globs = line[6:].partition("=")
            groups[name.strip()] = [pattern(glob) for glob in globs.split()]
        elif line.startswith("room "):
            path, own, libraries = line[5:].split(":")
            rooms[path.strip()] = ([pattern(glob) for glob in own.split()], libraries.split())
    return groups, rooms


def room_of(path, rooms):
    fitting = [room for room in rooms if path == room or path.startswith(room + "/")]
    return max(fitting, key=len, default=None)


def fault_of(path, kind, header, groups, rooms):
    room = room_of(path, rooms)
    if room is None:
        return "is in no room of tests/lint/layers.txt"
    own, libraries = rooms[room]
    if kind == '"':
        if os.path.dirname(header) == os.path.dirname(path) or any(allowed.match(header) for allowed in own):
            return None
        return f'may not include "{header}"'
    if header in C_STANDARD or re.fullmatch(r"[a-z_0-9]+", header):
        return None
    group = next((name for name, globs in groups.items() if any(glob.match(header) for glob in globs)), None)
    if group is None:
        return f"includes <{header}>, which is in no group of tests/lint/layers.txt"
    return None if group in libraries else f"may not include <{header}> ({group})"


def main():
    groups, rooms = read_layers()
    faults = []
    for path in sources.files(("lmtpd", "storage")):
        for number, line in enumerate(sources.read(path).splitlines(), 1):
            include = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            fault = include and fault_of(path, include.group(1), include.group(2), groups, rooms)
            if fault:
                faults.append(f"{path}:{number}: {room_of(path, rooms)} {fault}")
    sources.finish(faults)


main()
