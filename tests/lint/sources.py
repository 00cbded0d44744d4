"""What all lints share: the files of the tree and how a lint reports. Every lint is called as: check_x.py ROOT."""
import os
import re
import sys

FOLDERS = ("lmtpd", "storage", "schema", "cmake", "conf", "tests", "bench")


def root():
    return os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ".")


def files(folders=FOLDERS, suffixes=(".h", ".cc")):
    """Paths below ROOT, sorted, of the files with these endings in these folders."""
    found = []
    for folder in folders:
        for where, names, entries in os.walk(os.path.join(root(), folder)):
            names[:] = [name for name in names if name not in ("build", "__pycache__")]
            found += [os.path.relpath(os.path.join(where, entry), root()) for entry in entries if entry.endswith(suffixes)]
    return sorted(found)


def read(path):
    with open(os.path.join(root(), path), encoding="utf-8", errors="replace") as file:
        return file.read()


def blanked(text):
    """Comments and the insides of literals replaced by blanks; the line numbers stay."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def exceptions(name):
    """The reasoned exceptions of a lint: lines "path: reason" of tests/lint/NAME; a missing file means none."""
    known = {}
    path = os.path.join(root(), "tests", "lint", name)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    where, _, reason = line.partition(":")
                    known[where.strip()] = reason.strip()
    return known


def finish(faults):
    for fault in faults:
        print(fault)
    print(f"{len(faults)} fault(s)" if faults else "clean")
    sys.exit(1 if faults else 0)
