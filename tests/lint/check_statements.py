#!/usr/bin/env python3
"""No SQL text outside storage/<engine>/statements.h and schema/. Exceptions, each with its reason: tests/lint/statements.txt."""
import re

import sources

SQL = re.compile(r"""\s*(?:
    SELECT\s | INSERT\s+(?:INTO|IGNORE|OR)\b | UPDATE\s+[{\w]+\s+SET\b | UPDATE\s*$ | DELETE\s+FROM\b | REPLACE\s+INTO\b |
    (?:CREATE|DROP|ALTER)\s+(?:UNIQUE\s+)?(?:TABLE|INDEX|VIEW|SEQUENCE|TRIGGER|DATABASE)\b | TRUNCATE\s | WITH\s+\w+\s+AS\b |
    BEGIN(?:\s+(?:IMMEDIATE|TRANSACTION|ISOLATION|WORK)\b|\s*;|$) | START\s+TRANSACTION | COMMIT\s*;?$ | ROLLBACK\s*;?$ | SAVEPOINT\s |
    SET\s+(?:LOCAL|SESSION|NAMES|TRANSACTION|GLOBAL)\b | PRAGMA\s | SHOW\s+\w | VALUES\s*\( | FROM\s+[{\w]+\s+WHERE\b
    )""", re.VERBOSE)
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<plain>(?:\\.|[^"\\\n])*)"', re.DOTALL)


def main():
    known = sources.exceptions("statements.txt")
    faults = []
    used = set()
    for path in sources.files(("lmtpd", "storage")):
        if re.fullmatch(r"storage/\w+/statements\.h", path):
            continue
        text = sources.read(path)
        for literal in LITERAL.finditer(text):
            content = literal.group("raw") or literal.group("plain") or ""
            if not SQL.match(content):
                continue
            used.add(path)
            if path not in known:
                faults.append(f"{path}:{sources.line_of(text, literal.start())}: SQL outside of statements.h: {content.strip()[:60]}")
    faults += [f"tests/lint/statements.txt: {path} holds no SQL (any more)" for path in known if path not in used]
    sources.finish(faults)


main()
