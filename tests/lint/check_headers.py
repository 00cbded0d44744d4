#!/usr/bin/env python3
"""Each header compiles alone. A header with a .cc of its name is proven by that .cc including it first; the others are compiled alone by the
target lint_headers (tests/lint/CMakeLists.txt), which uses the same rule. Every header says #pragma once."""
import os
import re

import sources


def main():
    faults = []
    for path in sources.files(("lmtpd", "storage", "tests", "bench"), (".h",)):
        if "#pragma once" not in sources.read(path):
            faults.append(f"{path}: no #pragma once")
        source = path[:-2] + ".cc"
        if not os.path.exists(os.path.join(sources.root(), source)):
            continue
        first = re.search(r'#\s*include\s*[<"]([^>"]+)[>"]', sources.read(source))
        if first is None or first.group(1) != path:
            faults.append(f'{source}: the first include must be "{path}"')
    sources.finish(faults)


main()
