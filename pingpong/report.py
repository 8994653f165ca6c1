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

    def longer_percent(self):
        """How much longer the work takes beside the service, in the least disturbed repetitions."""
        return (min(self.column("seconds")) / min(self.column("alone_seconds")) - 1) * 100

    def burnt_percent(self):
        """CPU time beside the work, of the time that the work took."""
        return self.median("cpu_beside_seconds") / self.median("seconds") * 100


def print_tables(cells, scale, request_size):
    base = best_stock_poll(cells["pingpong"])
    print(f"\n{machine_words()}")
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


def plot_data(cells):
    """Two blocks for gnuplot: LABEL MEDIAN MIN MAX, and LABEL P50 P99 LONGER% BURNT%."""
    good = {work: [cell for cell in its_cells if not cell.trouble]
            for work, its_cells in cells.items()}
    lines = ["$pingpong << END"]
    lines += [f'"{cell.system} {cell.label}" {cell.per_message(statistics.median)} '
              f"{cell.per_message(min)} {cell.per_message(max)}" for cell in good["pingpong"]]
    lines += ["END", "$serve << END"]
    lines += [f'"{cell.system} {cell.label}" {cell.median("p50_us")} {cell.median("p99_us")} '
              f"{cell.longer_percent()} {cell.burnt_percent()}"
              for cell in good["serve"]]
    return "\n".join([*lines, "END"])


PLOT = """
set terminal {terminal} size 1000,1500 background rgb "white"
set output "{path}"
set style fill solid 0.6 border
set boxwidth 0.7
set style data histograms
set style histogram clustered gap 1
set xtics rotate by 35 right nomirror
set grid ytics
set bmargin 8
set lmargin 12
set multiplot layout 3,1
set logscale y
set ylabel "microseconds"
set yrange [1:*]
set title "Pingpong: time for a message (median, minimum and maximum; of what finished)"
plot $pingpong using 0:2:xtic(1) with boxes notitle, \\
     "" using 0:2:3:4 with yerrorbars notitle lc black
set title "Compute and serve: from request to answer"
set key outside top center horizontal
plot $serve using 2:xtic(1) title "half of the requests", \\
     "" using 3 title "99 % of the requests"
unset logscale y
set yrange [*:*]
set ylabel "per cent"
set title "Compute and serve: what the service costs"
plot $serve using 4:xtic(1) title "the work takes longer", \\
     "" using 5 title "CPU time beside the work"
unset multiplot
"""


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


def write_plots(cells, folder):
    if any(all(cell.trouble for cell in its_cells) for its_cells in cells.values()):
        print("no plot: nothing was measured", file=sys.stderr)
        return
    draw(plot_data(cells), PLOT, folder / "pingpong")


def write_files(cells, folder):
    for work, its_cells in cells.items():
        path = folder / f"{work}.csv"
        write_csv(path, its_cells)
        print(f"written: {path}")
    write_plots(cells, folder)
