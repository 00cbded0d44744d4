#!/usr/bin/env python3
"""An expression with co_await holds only names, moves and plain calls: GCC 12.2 destroys temporaries twice that share a full expression
with a co_await and come from aggregate initialisation, a capturing lambda or ?: of class type (DECISIONS.md)."""
import re

import sources

FORBIDDEN = (
    (re.compile(r"\?[^:;]*:"), "a conditional expression"),
    (re.compile(r"(?:^|[(,=&|!]|return)\s*\[[^\[\]]*\]\s*(?:\([^()]*\))?\s*(?:mutable|noexcept|->|\{)"), "a lambda"),
    (re.compile(r"[\w>]\s*\{"), "a braced initialiser"),
    (re.compile(r"[(,=]\s*\{"), "a braced initialiser"),
)


def statements(text):
    """(position, text) of each full expression that holds a co_await."""
    for match in re.finditer(r"\bco_await\b", text):
        begin = max(text.rfind(mark, 0, match.start()) for mark in ";}") + 1
        opening = text.rfind("{", begin, match.start())
        # The brace of a block or function body begins a statement, that of an initialiser belongs to it.
        while opening > 0 and re.search(r"(\)|\belse|\bdo|\btry|const|noexcept|>|^)\s*$", text[begin:opening]):
            begin = opening + 1
            opening = text.rfind("{", begin, match.start())
        end = text.find(";", match.end())
        yield match.start(), text[begin:end if end >= 0 else len(text)]


def without_block(statement):
    """if (co_await f()) { …: the block's brace is not part of the expression."""
    head = re.match(r"\s*(?:if|while|switch|for)\s*(?:constexpr\s*)?\(", statement)
    if not head:
        return statement
    depth = 0
    for at in range(head.end() - 1, len(statement)):
        depth += {"(": 1, ")": -1}.get(statement[at], 0)
        if depth == 0:
            return statement[:at + 1] if "co_await" in statement[:at] else statement[at + 1:]
    return statement


def main():
    faults = []
    for path in sources.files(("lmtpd", "bench", "tests")):
        if path.startswith("tests/lint/"):
            continue
        text = sources.blanked(sources.read(path))
        for position, statement in statements(text):
            expression = without_block(statement)
            # Structured bindings are fine: auto [a, b] = co_await f();
            expression = re.sub(r"\bauto\s*&{0,2}\s*\[[^\]]*\]", "auto name", expression)
            for forbidden, name in FORBIDDEN:
                if forbidden.search(expression):
                    faults.append(f"{path}:{sources.line_of(text, position)}: {name} in an expression with co_await")
                    break
    sources.finish(faults)


main()
