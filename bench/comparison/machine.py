"""What the figures were measured on."""
import os
import platform
import subprocess


def _first(path, key):
    with open(path, encoding="utf-8", errors="replace") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith(key)), "")


def _output(command, folder=None):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    return done.stdout.strip() if done.returncode == 0 else ""


def describe(source, scratch):
    commit = _output(["git", "rev-parse", "--short=12", "HEAD"], source)
    changed = _output(["git", "status", "--porcelain", "--untracked-files=no"], source)
    return {"processor": _first("/proc/cpuinfo", "model name"), "cores": os.cpu_count(), "memory": _first("/proc/meminfo", "MemTotal"),
            "kernel": platform.release(), "file system": _output(["findmnt", "-no", "FSTYPE,OPTIONS", "-T", scratch]),
            "commit": commit + (" with changes" if changed else ""), "compiler": _output(["c++", "--version"]).split("\n")[0],
            "load before": " ".join(f"{x:.2f}" for x in os.getloadavg())}
