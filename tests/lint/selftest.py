#!/usr/bin/env python3
"""Each lint finds what it is for and accepts what is fine: small trees with one fault each."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# lint, files, a part of the expected fault; None: clean
CASES = [
    ("layers", {"lmtpd/protocol/a.cc": '#include "lmtpd/mime/decomposer.h"\n'}, 'lmtpd/protocol may not include "lmtpd/mime/decomposer.h"'),
    ("layers", {"lmtpd/protocol/a.cc": "#include <boost/asio.hpp>\n"}, "may not include <boost/asio.hpp> (asio)"),
    ("layers", {"storage/mysql/a.h": '#include "storage/postgresql/errors.h"\n'}, "may not include"),
    ("layers", {"storage/a.h": '#include "lmtpd/delivery/queue.h"\n'}, "may not include"),
    ("layers", {"storage/a.h": "#include <unknown/x.h>\n"}, "is in no group"),
    ("layers", {"lmtpd/newroom/a.h": "#include <vector>\n"}, "is in no room"),
    ("layers", {"storage/registry.cc": '#include "storage/mysql/driver.h"\n', "storage/x.cc": "#include <vector>\n"}, None),
    ("layers", {"lmtpd/mime/a.cc": '#include <gmime/gmime.h>\n#include "storage/reassembly.h"\n#include "lmtpd/mime/b.h"\n'}, None),
    ("headers", {"storage/a.h": "struct A;\n"}, "no #pragma once"),
    ("headers", {"storage/a.h": "#pragma once\n", "storage/a.cc": '#include <vector>\n#include "storage/a.h"\n'}, "the first include"),
    ("headers", {"storage/a.h": "#pragma once\n", "storage/a.cc": '#include "storage/a.h"\n'}, None),
    ("mirror", {"lmtpd/protocol/a.cc": ""}, "no tests/unit/protocol/a_test.cc"),
    ("mirror", {"lmtpd/protocol/a.cc": "", "tests/unit/protocol/a_test.cc": ""}, None),
    ("mirror", {"lmtpd/protocol/a.cc": "", "tests/lint/mirror.txt": "lmtpd/protocol/a.cc: tests/unit/x.cc\n"}, "tests/unit/x.cc does not exist"),
    ("mirror", {"tests/lint/mirror.txt": "lmtpd/protocol/a.cc: gone\n"}, "does not exist"),
    ("coawait", {"lmtpd/a.cc": "void f() {\n  co_await deliver(Delivery{a, b});\n}\n"}, "a.cc:2: a braced initialiser"),
    ("coawait", {"lmtpd/a.cc": "void f() {\n  co_await g([s] { return s; });\n}\n"}, "a lambda"),
    ("coawait", {"lmtpd/a.cc": "void f() {\n  auto x = c ? co_await a : co_await b;\n}\n"}, "a conditional expression"),
    ("coawait", {"lmtpd/a.cc": "void f() {\n  const V v{co_await x, co_await y};\n}\n"}, "a braced initialiser"),
    ("coawait", {"lmtpd/a.cc": "void f() {\n  co_await deliver(\n      {a, b});\n}\n"}, "a braced initialiser"),
    ("coawait", {"lmtpd/a.cc": "void f() {\n  co_return Reply{co_await x};\n}\n"}, "a braced initialiser"),
    ("coawait", {"lmtpd/a.cc": "task f() {\n  // co_await X{}\n  auto [a, b] = co_await g(std::move(x), y[0]);\n"
                               "  if (a) co_await h();\n  if (co_await i()) {\n    for (auto x : b) { co_await j(x); }\n  }\n"
                               "  switch (a) {\n    case B::c: co_await k(); break;\n  }\n  co_return Reply{a};\n}\n"}, None),
    ("statements", {"lmtpd/a.cc": 'auto s = "SELECT 1 FROM x";\n'}, "SQL outside of statements.h"),
    ("statements", {"storage/sqlite/a.cc": 'auto s = R"(\n  INSERT INTO x VALUES (1))";\n'}, "a.cc:1: SQL outside"),
    ("statements", {"storage/sqlite/a.cc": 'run("COMMIT");\n'}, "SQL outside"),
    ("statements", {"storage/sqlite/statements.h": 'auto s = "SELECT 1";\n', "lmtpd/a.cc": '// "SELECT 1"\nlog("COMMIT was lost");\n'}, None),
    ("statements", {"tests/lint/statements.txt": "lmtpd/a.cc: reason\n", "lmtpd/a.cc": ""}, "holds no SQL"),
    ("names", {"lmtpd/a.cc": 'auto p = "/home/somebody/x";\n'}, "a path of somebody's machine"),
    ("names", {"tests/a.sh": "echo >/tmp/log.$$\n"}, "not made by mktemp"),
    ("names", {"tests/a.sh": "mktemp -d /tmp/x.XXXXXX\n", "lmtpd/a.cc": 'auto u = "sqlite:///tmp/x.db";\n'}, None),
    ("names", {"lmtpd/a.h": "class QueueManager {};\n"}, "a type called QueueManager"),
    ("names", {"lmtpd/a.h": "// class QueueManager\nclass Data {};\ntemplate <class Handler> class Box {};\n"}, None),
]


def run(lint, tree):
    with tempfile.TemporaryDirectory() as root:
        for path, text in tree.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        if lint == "layers":
            os.makedirs(os.path.join(root, "tests/lint"), exist_ok=True)
            shutil.copy(os.path.join(HERE, "layers.txt"), os.path.join(root, "tests/lint/layers.txt"))
        done = subprocess.run([sys.executable, os.path.join(HERE, f"check_{lint}.py"), root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


def main():
    wrong = 0
    for lint, tree, expected in CASES:
        code, output = run(lint, tree)
        good = (code == 0 and output == "clean\n") if expected is None else (code == 1 and expected in output)
        if not good:
            wrong += 1
            print(f"check_{lint}: {list(tree.items())}\n  expected {expected or 'clean'}\n  got ({code}) {output}")
    print(f"{len(CASES)} cases, {wrong} wrong")
    sys.exit(1 if wrong else 0)


main()
