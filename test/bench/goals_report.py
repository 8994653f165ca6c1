"""Is a goal met? The figures of both sides, the bounds between them, tables, values as CSV, plots."""

import csv
import dataclasses
import math
import statistics

import report

CENTRES = (min, statistics.median)


@dataclasses.dataclass
class Turn:
    """What came of measuring a side once."""

    far: float      # how far the processors were apart
    values: list
    sleeps: list    # of a message, where they were counted


@dataclasses.dataclass
class Figure:
    """What was measured of one side: values of which less is better."""

    goal: int
    name: str
    unit: str = "us"
    turns: list = dataclasses.field(default_factory=list)
    farthest: float = math.inf      # of the turns that count

    def take(self, far, measured):
        """A turn of values, or of pairs of a value and sleeps."""
        pairs = [one if isinstance(one, tuple) else (one,) for one in measured]
        self.turns.append(Turn(far, [pair[0] for pair in pairs], [sleeps for pair in pairs for sleeps in pair[1:]]))

    def counting(self):
        return [turn for turn in self.turns if turn.far <= self.farthest]

    @property
    def values(self):
        return [value for turn in self.counting() for value in turn.values]

    @property
    def sleeps(self):
        return [sleeps for turn in self.counting() for sleeps in turn.sleeps]

    def row(self):
        sleeps = f"{statistics.mean(self.sleeps):.2f}" if self.sleeps else "-"
        return [f"{self.goal}", self.name, *(f"{centre(self.values):.3f}" for centre in CENTRES), self.unit, sleeps,
                f"{len(self.counting())}/{len(self.turns)}", f"{len(self.values)}"]


def choose_turns(figures):
    """Has only those turns count in which the processors were about as near as in a third of the turns of each."""
    near = [sorted(turn.far for turn in figure.turns)[(len(figure.turns) - 1) // 3] for figure in figures]
    for figure in figures:
        figure.farthest = max(max(near), 1.5 * min(near))


@dataclasses.dataclass
class Bound:
    """A figure is to be at most `most` times that of another side, or `most` of its unit when there is none."""

    figure: Figure
    most: float
    base: Figure = None
    words: str = ""

    def used(self):
        """Which part of what is allowed was used, by the minima and by the medians: 1 or less is good."""
        return [centre(self.figure.values) / (self.most * (centre(self.base.values) if self.base else 1))
                for centre in CENTRES]

    def limit(self):
        return f"{self.most:.3g} x {self.base.name}" if self.base else f"{self.most:g} {self.figure.unit}"

    def verdict(self):
        good = [part <= 1 for part in self.used()]
        return {(True, True): "met", (False, False): "MISSED", (True, False): "met by the minima, not by the medians",
                (False, True): "met by the medians, not by the minima"}[tuple(good)]

    def row(self):
        return [f"{self.figure.goal}", f"{self.figure.name}: at most {self.limit()}{self.words and ', ' + self.words}",
                *(f"{part:.2f}" for part in self.used()), self.verdict()]


def print_figures(figures):
    print(f"\n{report.machine_words()}\n")
    report.print_table(["goal", "side", "min", "median", "unit", "sleeps", "turns", "values"],
                       [figure.row() for figure in figures])


def print_bounds(bounds):
    """Of each bound the part of it that was used."""
    print("\nGoals, and which part of what they allow is used, by minima and by medians: 1.00 just meets them.\n")
    report.print_table(["goal", "", "of min", "median", ""], [bound.row() for bound in bounds])


def write_csv(figures, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["goal", "side", "unit", "far", "counts", "value"])
        writer.writerows([figure.goal, figure.name, figure.unit, turn.far, int(turn in figure.counting()), value]
                         for figure in figures for turn in figure.turns for value in turn.values)


BOUNDS_PLOT = """
set title "Part of what each goal allows (bar: by the minima; point: by the medians)"
set logscale x
set xrange [0.01:*]
set yrange [{last}:0.9]
set ytics ({names})
set style fill solid 0.75 noborder
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lw 2
plot $met using (0.01):1:(0.01):2:($1-0.35):($1+0.35) with boxxyerror lc rgb '#009E73' title 'met', \\
     $missed using (0.01):1:(0.01):2:($1-0.35):($1+0.35) with boxxyerror lc rgb '#D55E00' title 'missed', \\
     $met using 3:1 with points pt 7 lc rgb 'black' notitle, $missed using 3:1 with points pt 7 lc rgb 'black' notitle
unset arrow 1
unset logscale
set ytics autofreq
set xrange [*:*]
set yrange [*:*]
"""

CURVE_PLOT = """
set title "{title}"
set xlabel "{xlabel}"
set ylabel "{ylabel}"
set logscale x {base}
{settings}
plot for [i=0:{last}] ${name} index i using 1:2 with linespoints pt 7 ps 0.4 lw 2 title columnheader(1)
unset logscale
unset xlabel
unset ylabel
"""


@dataclasses.dataclass
class Curves:
    """A part of the plot: {name: [(x, y)]}."""

    title: str
    xlabel: str
    ylabel: str
    curves: dict
    base: int = 10      # of the logarithms at the x axis
    settings: str = ""

    def data(self, name):
        lines = [f"${name} << END"]
        for title, points in self.curves.items():
            lines += [f'"{title}"', *(f"{x} {y}" for x, y in points), "", ""]
        return [*lines, "END"]

    def script(self, name):
        return CURVE_PLOT.format(title=self.title, xlabel=self.xlabel, ylabel=self.ylabel, base=self.base,
                                 settings=self.settings, last=len(self.curves) - 1, name=name)


def bound_data(bounds):
    lines = []
    for name, wanted in (("met", True), ("missed", False)):
        lines += [f"${name} << END", *(f"{-place} {' '.join(map(str, bound.used()))}"
                                       for place, bound in enumerate(bounds)
                                       if (bound.verdict() == "met") == wanted), "END"]
    return lines


def draw(bounds, panels, path):
    """PATH.svg and PATH.png: the bounds, and below them the Curves."""
    heights = ([24 * len(bounds) + 100] if bounds else []) + [350] * len(panels)
    if not heights:
        return
    data, script, top = [], "", 1.0
    height = sum(heights)
    parts = []
    if bounds:
        data += bound_data(bounds)
        names = ", ".join(f'"{bound.figure.goal} {bound.figure.name}" {-place}' for place, bound in enumerate(bounds))
        parts.append(BOUNDS_PLOT.format(last=0.1 - len(bounds), names=names))
    for number, panel in enumerate(panels):
        data += panel.data(f"curves{number}")
        parts.append(panel.script(f"curves{number}"))
    for part, pixels in zip(parts, heights):
        share = pixels / height
        script += (f"set tmargin at screen {top - 40 / height:f}\nset bmargin at screen {top - share + 55 / height:f}\n"
                   + part.replace("{", "{{").replace("}", "}}"))
        top -= share
    start = ('set terminal {terminal} size 1200,' + str(height) + ' background rgb "white" noenhanced\n'
             'set output "{path}"\nset multiplot\nset lmargin at screen 0.33\nset rmargin at screen 0.82\n'
             'set grid\nset key outside right top\n')
    report.draw("\n".join(data) + "\n", start + script + "unset multiplot\n", path)
