"""What do the numbers say? The tables, the data as CSV, the plots."""

import csv
import dataclasses
import os
import shutil
import statistics
import subprocess
import sys


@dataclasses.dataclass
class Cell:
    """One version on one system, and what came of it."""

    system: str
    version: str
    period_us: int  # None: the version does not sleep
    route: str
    rows: list = dataclasses.field(default_factory=list)  # a dictionary for each repetition
    trouble: str = ""  # what went wrong

    @property
    def label(self):
        words = [self.version]
        if self.period_us is not None:
            words.append(f"{self.period_us // 1000} ms" if self.period_us >= 1000
                         else f"{self.period_us} us")
        if self.route != "default":
            words.append(self.route)
        return " ".join(words)

    def take_output(self, output, work):
        """Keep the lines for programs: '@pingpong NAME=VALUE ...' or '@serve NAME=VALUE ...'."""
        for line in output.splitlines():
            if line.startswith(f"@{work} "):
                self.rows.append(dict(word.split("=", 1) for word in line.split()[1:]))

    def column(self, name):
        return [float(row[name]) for row in self.rows]

    def median(self, name):
        return statistics.median(self.column(name))

    def per_message(self, figure):
        """Microseconds."""
        return figure(self.column("seconds")) / int(self.rows[0]["count"]) * 1e6

    def longer_percent(self):
        """How much longer the work takes beside the service, in the least disturbed repetitions."""
        return (min(self.column("seconds")) / min(self.column("alone_seconds")) - 1) * 100

    def burnt_percent(self):
        """CPU time beside the work, of the time that the work took."""
        return self.median("cpu_beside_seconds") / self.median("seconds") * 100


def print_table(titles, rows):
    """Rows of texts: two words name the cell; a single third word says what went wrong."""
    rows = [titles, *rows]
    names = [max(len(row[i]) for row in rows) for i in range(2)]
    figures = [max(len(row[i]) for row in rows if len(row) > 3) for i in range(2, len(titles))]
    for row in rows:
        words = [word.ljust(width) for word, width in zip(row, names)]
        words += [row[2]] if len(row) == 3 else map(str.rjust, row[2:], figures)
        print("  ".join(words))


def best_stock_poll(cells):
    polls = [cell for cell in cells if cell.system == "stock" and cell.version == "POLL"
             and cell.route == "default" and cell.rows and not cell.trouble]
    return min(polls, key=lambda cell: cell.median("seconds"), default=None)


def trouble_row(cell):
    done = f" ({len(cell.rows)} repetitions done)" if cell.rows else ""
    return [cell.system, cell.label, cell.trouble + done]


def pingpong_row(cell, base):
    seconds = cell.column("seconds")
    mean = statistics.mean(seconds)
    ratio = f"{cell.median('seconds') / base.median('seconds'):.2f}" if base else "-"
    return [cell.system, cell.label, f"{min(seconds):.4f}", f"{statistics.median(seconds):.4f}",
            f"{max(abs(value - mean) for value in seconds):.4f}", f"{cell.per_message(min):.1f}",
            f"{cell.per_message(statistics.median):.1f}", f"{cell.median('sleeps'):.0f}",
            f"{cell.median('cpu_seconds'):.3f}", f"{cell.median('voluntary_switches'):.0f}", ratio]


def serve_row(cell):
    return [cell.system, cell.label, f"{min(cell.column('alone_seconds')):.3f}",
            f"{cell.median('alone_seconds'):.3f}", f"{min(cell.column('seconds')):.3f}",
            f"{cell.median('seconds'):.3f}", f"{cell.longer_percent():+.1f} %",
            f"{cell.median('requests'):.0f}", f"{cell.median('p50_us'):.0f}",
            f"{cell.median('p99_us'):.0f}", f"{cell.median('cpu_beside_seconds'):.3f}",
            f"{cell.burnt_percent():.1f} %", f"{cell.median('sleeps'):.0f}"]


def machine_words():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return (f"{len(os.sched_getaffinity(0))} cores, {models[0] if models else os.uname().machine}, "
            f"Linux {os.uname().release}, load {os.getloadavg()[0]:.1f}")


def print_tables(cells, scale, request_size, warning=""):
    base = best_stock_poll(cells["pingpong"])
    print("\n" + "\n".join(filter(None, [machine_words(), warning])))
    print(f"\nPingpong: P1 sends {scale.count} messages of 10000 bytes, window 64, P2 answers "
          f"each; {scale.repeat} repetitions.")
    print("Seconds, microseconds a message, and the medians of sleeps, P1's CPU seconds and P1's "
          "voluntary switches.")
    print(f"Ratio of the median to that of stock {base.label}, the best period of stock POLL.\n"
          if base else "No ratio: stock POLL was not measured.\n")
    print_table(["system", "version", "min s", "median s", "max dev s", "min us", "median us",
                 "sleeps", "CPU s", "switches", "ratio"],
                [trouble_row(cell) if cell.trouble else pingpong_row(cell, base)
                 for cell in cells["pingpong"]])
    print(f"\nCompute and serve: T1 computes {scale.steps} steps, P2 sends a request of "
          f"{request_size} bytes every millisecond; {scale.serve_repeat} repetitions.")
    print("P1 has one core for all of its threads. The work alone and beside the service; longer: "
          "by the minima; latency from")
    print("request to answer, as P2 sees it; CPU time of P1 beside that of the work. Medians.\n")
    print_table(["system", "version", "alone min s", "median s", "beside min s", "median s",
                 "longer", "requests", "p50 us", "p99 us", "CPU beside s", "of time", "sleeps"],
                [trouble_row(cell) if cell.trouble else serve_row(cell)
                 for cell in cells["serve"]])
    print()


def write_csv(path, cells):
    """A line for each repetition; a cell that failed has a last line with the reason."""
    names = list(dict.fromkeys(name for cell in cells for row in cell.rows for name in row))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["system", "label", *names, "trouble"], restval="")
        writer.writeheader()
        for cell in cells:
            rows = [*cell.rows, {"trouble": cell.trouble}] if cell.trouble else cell.rows
            for row in rows:
                writer.writerow({"system": cell.system, "label": cell.label, **row})


# Colours that people tell apart whatever they see of them, a system's each (Okabe and Ito, 2008).
COLOURS = ("#0072B2", "#D55E00", "#E69F00", "#009E73", "#56B4E9", "#CC79A7")
ROW_PIXELS = 19
LINE_PIXELS = 18  # of a line at the top
PANEL_PIXELS = 100  # of a panel beside its rows: title, axis, gap

PLOT_START = """
set terminal {terminal} size 1150,%(height)d background rgb "white" font ",11" noenhanced
set output "{path}"
set multiplot
%(lines)s
set lmargin at screen 0.25
set rmargin at screen 0.84
set key outside right top Left reverse width 1 samplen 1.5
set grid xtics noytics
set ytics scale 0
set style fill solid 0.75 noborder
set border 3
set xtics nomirror
set format x "%%.0f"
"""

PANEL = """
set tmargin at screen %(top)f
set bmargin at screen %(bottom)f
set yrange [%(last)f:0.9]
set ytics (%(names)s)
%(remarks)s
set title "%(title)s"
%(settings)s
plot %(curves)s
unset label
"""


class Panel:
    """A part of the plot: a row for each cell, from the top, those of a system together in its colour."""

    def __init__(self, title, cells, values, settings, curves, legend=()):
        """`values` makes the numbers of a cell, which stand from column 2 on; `curves` are said of each
        system, in its colour, `legend` once, with what they look like."""
        self.title, self.cells, self.values = title, cells, values
        self.settings, self.curves, self.legend = settings, curves, legend
        self.systems = list(dict.fromkeys(cell.system for cell in cells))
        # A gap stands between two systems.
        self.places = [-number - 0.5 * self.systems.index(cell.system) for number, cell in enumerate(cells)]

    def pixels(self):
        return PANEL_PIXELS + ROW_PIXELS * (0.5 - self.places[-1])

    def data(self, name):
        """A block for each system, named NAME and its number: PLACE and the values of each good cell."""
        for number, system in enumerate(self.systems):
            yield f"${name}{number} << END"
            for place, cell in zip(self.places, self.cells):
                if cell.system == system and not cell.trouble:
                    yield " ".join(map(str, [place, *self.values(cell)]))
            yield "END"

    def good_systems(self):
        return [system for system in self.systems
                if any(cell.system == system and not cell.trouble for cell in self.cells)]

    def script(self, name, top, bottom, colours):
        """The panel between two heights, which are parts of the whole."""
        curves = [f"${name}{self.systems.index(system)} {curve} lc rgb '{colours[system]}' "
                  + (f'title "{system}"' if number == 0 and not self.legend else "notitle")
                  for system in self.good_systems() for number, curve in enumerate(self.curves)]
        rows = list(zip(self.places, self.cells))
        return PANEL % {
            "top": top, "bottom": bottom, "last": self.places[-1] - 0.9, "title": self.title,
            "settings": self.settings, "curves": ", ".join([*curves, *self.legend]),
            "names": ", ".join(f"'{cell.system} {cell.label}' {place}" for place, cell in rows),
            "remarks": "\n".join(f"set label '{cell.trouble.split(':')[0]}' at graph 0.01, first {place}"
                                 for place, cell in rows if cell.trouble)}


BLACK = "lc rgb 'black'"
PALE = "fs solid 0.35 noborder"


def bar(start, end, low, high):
    """A bar between two values, over a part of the height of the row."""
    return f"using (0):1:({start}):({end}):($1{low:+}):($1{high:+}) with boxxyerror"


def make_panels(cells):
    """What there is to be seen of the cells, with the data in columns behind the place of the row."""
    return {
        "pingpong": Panel(
            "Pingpong: time for a message (median; minimum to maximum)", cells["pingpong"],
            lambda cell: map(cell.per_message, (statistics.median, min, max)),
            'set logscale x\nset xrange [1:*]\nset xlabel "microseconds"',
            [bar(1, "$2", -0.38, 0.38), "using 2:1:3:4 with xerrorbars pt 0 lw 2"]),
        "latency": Panel(
            "Compute and serve: from request to answer", cells["serve"],
            lambda cell: (cell.median("p50_us"), cell.median("p99_us")),
            'set xrange [*:*]\nset xlabel "microseconds"',
            ["using 2:1:($3-$2):(0) with vectors nohead lw 2", "using 2:1 with points pt 7 ps 0.9",
             "using 3:1 with points pt 6 lw 2 ps 0.9"],
            [f"keyentry with points pt 7 ps 0.9 {BLACK} title 'median'",
             f"keyentry with points pt 6 lw 2 ps 0.9 {BLACK} title '99th percentile'"]),
        "cost": Panel(
            "Compute and serve: what the service costs", cells["serve"],
            lambda cell: (cell.longer_percent(), cell.burnt_percent()),
            'unset logscale x\nset xlabel "per cent of the time of the work"',
            [bar(0, "$2", 0, 0.4), f"{bar(0, '$3', -0.4, 0)} {PALE}"],
            [f"keyentry with boxes {BLACK} title 'work takes longer'",
             f"keyentry with boxes {BLACK} {PALE} title 'CPU beside it'"]),
    }


def make_plot(cells, lines):
    """The data, and the commands that draw them below some lines of text, with places for {terminal} and {path}."""
    panels = make_panels(cells)
    systems = list(dict.fromkeys(cell.system for its_cells in cells.values() for cell in its_cells))
    colours = {system: COLOURS[number % len(COLOURS)] for number, system in enumerate(systems)}
    head = LINE_PIXELS * (len(lines) + 1)
    height = head + sum(panel.pixels() for panel in panels.values())
    script = PLOT_START % {"height": height, "lines": "\n".join(
        f"set label '{line}' at screen 0.02, screen {1 - LINE_PIXELS * (number + 0.8) / height:f}"
        for number, line in enumerate(lines))}
    top = 1.0 - head / height
    for name, panel in panels.items():
        share = panel.pixels() / height
        script += panel.script(name, top - 35 / height, top - share + 60 / height, colours)
        top -= share
    data = [line for name, panel in panels.items() for line in panel.data(name)]
    return "\n".join(data), script + "unset multiplot\n"


def draw(data, plot, path):
    """Have gnuplot draw PATH.svg and PATH.png: plot has places for {terminal} and {path}."""
    if not shutil.which("gnuplot"):
        print("no plot: gnuplot is not installed (conf/bootstrap installs it)", file=sys.stderr)
        return
    script = data + "".join(plot.format(terminal=terminal, path=f"{path}.{suffix}")
                            for terminal, suffix in (("svg", "svg"), ("pngcairo", "png")))
    result = subprocess.run(["gnuplot"], input=script, text=True, capture_output=True)
    if result.returncode:
        print(f"no plot: gnuplot failed: {result.stderr.strip()}", file=sys.stderr)
    else:
        print(f"written: {path}.svg and .png")


def write_plots(cells, folder, lines):
    if any(all(cell.trouble for cell in its_cells) for its_cells in cells.values()):
        print("no plot: nothing was measured", file=sys.stderr)
        return
    draw(*make_plot(cells, lines), folder / "pingpong")


def write_files(cells, folder, lines=()):
    """lines: what the picture has at its top: where and what was measured."""
    folder.mkdir(parents=True, exist_ok=True)
    for work, its_cells in cells.items():
        path = folder / f"{work}.csv"
        write_csv(path, its_cells)
        print(f"written: {path}")
    write_plots(cells, folder, lines)
