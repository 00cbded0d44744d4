"""Plots as SVG and PNG, drawn by gnuplot."""
import os
import shutil
import subprocess


def _quoted(text):
    return '"%s"' % str(text).replace("\\", "\\\\").replace('"', '\\"')


def _draw(path, settings, plot):
    """path without ending. Returns the files made: none where gnuplot is missing."""
    if not shutil.which("gnuplot"):
        return []
    made = []
    for ending, terminal in (("svg", "svg size 960,540 dynamic font 'sans,14' background 'white'"), ("png", "pngcairo size 960,540 font 'sans,12'")):
        out = "%s.%s" % (path, ending)
        script = "\n".join(["set terminal " + terminal, "set output " + _quoted(out), "set encoding utf8", *settings, plot, "unset output"])
        subprocess.run(["gnuplot"], input=script, text=True, check=True, capture_output=True, timeout=120)
        made.append(out)
    return made


def lines(path, title, axes, series):
    """axes: (x, y) titles; series: {name: [(x, y)]}."""
    blocks, parts = [], []
    for number, (name, points) in enumerate(series.items()):
        blocks.append("$data%d << EOD\n%s\nEOD" % (number, "\n".join("%g %g" % point for point in points)))
        parts.append("$data%d using 1:2 with lines lw 2 title %s noenhanced" % (number, _quoted(name)))
    settings = ["set title %s noenhanced" % _quoted(title), "set xlabel " + _quoted(axes[0]), "set ylabel " + _quoted(axes[1]),
                "set key outside below", "set grid", "set yrange [0:*]", *blocks]
    return _draw(path, settings, "plot " + ", ".join(parts))


def bars(path, title, y_title, names, groups, stacked=False):
    """One cluster per name, or one stack; groups: {legend: [value per name, None where there is none]}."""
    missing = "0" if stacked else "?"
    rows = ["%s %s" % (_quoted(name), " ".join(missing if values[i] is None else "%g" % values[i] for values in groups.values()))
            for i, name in enumerate(names)]
    parts = ["$data using %d:xtic(1) title %s noenhanced" % (number + 2, _quoted(name)) for number, name in enumerate(groups)]
    settings = ["set title %s noenhanced" % _quoted(title), "set ylabel " + _quoted(y_title), "set style data histograms",
                *(["set style histogram rowstacked"] if stacked else []),
                "set style fill solid 0.8", "set boxwidth 0.9", "set key outside below", "set grid y", "set yrange [0:*]",
                "set datafile missing '?'", "set xtics rotate by -20 noenhanced", "$data << EOD\n%s\nEOD" % "\n".join(rows)]
    return _draw(path, settings, "plot " + ", ".join(parts))
