"""What the measurement of thread tasks prints: tables in the shape of the paper's, with its figures, and plots."""

import statistics

import goals_report
import report

BASE = "PVM 3.4.6"
SEQUENTIAL = "sequential"
MICRO = ("pvm_spawn", "spawn and enlist", "send empty", "receive empty", "send 10,000 ints", "receive 10,000 ints", "pack")

# Seconds in the tables of the paper: with 2, 4, 8, 12 and 16 tasks, in the last two with 4 and 8. Of PM-PVM each
# approach stands under the name that it has here. PM-PVM on LWPs and on Solaris threads (st) are two lines.
PAPER = {
    ("SOR", "messages"): """
        PVM     29.46  28.31  28.44  42.56  47.31
        shared  23.06  20.48  18.63  19.89  20.51
        copied  23.61  20.57  18.84  19.79  20.42
        auto    23.17  20.53  18.61  19.95  20.49
        shared  -      19.89  17.26  16.96  17.12
        copied  -      19.77  17.27  16.57  16.23
        auto    -      19.74  17.26  16.82  16.90""",
    ("SOR", "hybrid"): """
        PVM     29.46  28.31  28.44  42.56  47.31
        shared  21.48  18.70  16.48  17.59  18.19
        copied  21.14  18.33  16.12  17.04  17.19
        auto    21.47  18.66  16.44  17.47  17.88
        shared  -      18.85  15.99  15.50  15.16
        copied  -      15.86  13.79  13.22  13.12
        auto    -      18.85  15.92  15.33  15.25""",
    ("bubble sort", "messages"): """
        PVM     104.76 26.92  14.58  10.78  15.56
        shared  104.17 26.23  13.28  8.98   6.84
        copied  104.15 26.34  13.36  9.10   6.99
        auto    104.17 26.25  13.28  8.96   6.84
        shared  -      26.27  13.27  8.93   6.81
        copied  -      26.33  13.38  9.04   6.98
        auto    -      26.24  13.25  8.95   6.83""",
    ("Gauss", "messages"): """
        PVM     44.50  26.92  24.16  25.35  28.50
        shared  44.11  25.32  22.10  21.27  21.73
        copied  44.28  25.88  23.92  24.86  26.07
        auto    44.18  25.24  22.07  21.56  21.54
        shared  -      25.26  19.23  18.10  17.78
        copied  -      25.87  19.79  19.30  19.92
        auto    -      25.27  19.13  18.24  17.70""",
    ("genes, circuit 1", "hybrid"): """
        PVM     -      14.91  29.53
        shared  -      22.03  39.15
        copied  -      8.69   17.45
        auto    -      14.11  25.54
        shared  -      23.00  40.61
        copied  -      8.71   17.64
        auto    -      15.96  25.84""",
    ("genes, circuit 2", "hybrid"): """
        PVM     -      37.11  74.18
        shared  -      43.13  76.15
        copied  -      30.45  61.54
        auto    -      35.03  69.79
        shared  -      43.68  79.41
        copied  -      30.41  61.29
        auto    -      36.38  70.38""",
}
PAPER_TASKS = (2, 4, 8, 12, 16)

# The tables of the paper, in its order.
TABLES = (("Table 1", "SOR", "messages"), ("Table 2", "SOR", "hybrid"), ("Table 3", "bubble sort", "messages"),
          ("Beside table 3", "bubble sort", "hybrid"), ("Table 4", "Gauss", "messages"),
          ("Beside table 4", "Gauss", "hybrid"), ("Beside table 5", "genes, circuit 1", "messages"),
          ("Beside table 5", "genes, circuit 2", "messages"), ("Table 5", "genes, circuit 1", "hybrid"),
          ("Table 5", "genes, circuit 2", "hybrid"))

# How many times faster than PVM the paper has threads, in the order of MICRO; a word of one way has its figure.
PAPER_MICRO = ("80 to 250", "-", "over 40", "over 25", "shared: 50 x copied", "-", "shared: below 1/4")


def paper_seconds(work, kind, name, tasks):
    """The better one of LWPs and Solaris threads; None if the paper does not have it."""
    column = 1 + PAPER_TASKS.index(tasks) if tasks in PAPER_TASKS else 0
    rows = [line.split() for line in PAPER.get((work, kind), "").split("\n")]
    return min((float(row[column]) for row in rows if row and row[0] == name and 0 < column < len(row)
                and row[column] != "-"), default=None)


def paper_words(work, kind, way, tasks):
    """How many times faster than PVM the paper has it."""
    base, seconds = (paper_seconds(work, kind, name, tasks) for name in ("PVM", way))
    return f" [{base / seconds:.2f}]" if base and seconds else ""


def seconds_words(values, digits=3):
    return f"{min(values):.{digits}f} ({statistics.median(values):.{digits}f})" if values else "-"


def faster_words(base, values):
    """How many times less than the base the values are."""
    if not base or not values:
        return "-"
    least, middle = (figure(base) / figure(values) for figure in (min, statistics.median))
    return f"{least:.2f} ({middle:.2f})"


def sides_of(found, kind):
    """What stands in a table beside PVM 3.4.6."""
    return [side.name for side in found.sides if side.name != BASE and (side.how == "hybrid") == (kind == "hybrid")]


def table_rows(found, work, kind):
    def values(side, tasks):
        return found.seconds.get((side, work, tasks), [])
    tasks = found.scale.tasks
    yield [BASE, "s", seconds_words(values(SEQUENTIAL, 0)), *(seconds_words(values(BASE, count)) for count in tasks)]
    for side in sides_of(found, kind):
        way = side.rpartition(", ")[2]
        yield [side, "s", "", *(seconds_words(values(side, count)) for count in tasks)]
        yield ["", "times", "", *(faster_words(values(BASE, count), values(side, count))
                                  + paper_words(work, kind, way, count) for count in tasks)]


def title_of(work):
    return f"{work.name} ({work.program} {' '.join(map(str, work.numbers))})"


def print_tables(found):
    print(f"Seconds, least (median) of {found.scale.rounds}; \"times\": how many times less than {BASE}, by the "
          "minima (medians) [in the paper].")
    works = {work.name: work for work in found.scale.works}
    for title, name, kind in TABLES:
        if name in works and sides_of(found, kind):
            print(f"\n{title}: {title_of(works[name])}, {kind}")
            report.print_table(["tasks", "", SEQUENTIAL, *map(str, found.scale.tasks)],
                               [*table_rows(found, name, kind)])
    if any(found.micro.values()):
        print_micro(found)


def print_micro(found):
    sides = list(next(iter(found.micro.values())))
    rows = []
    for side in sides:
        values = [found.micro[what][side] for what in MICRO]
        rows.append([side, "us", *(seconds_words(some) for some in values)])
        if side != BASE:
            rows.append(["", "times", *(faster_words(found.micro[what][BASE], some)
                                        for what, some in zip(MICRO, values))])
    print("\nSection 5: microseconds of one task, message or packed int, and what the paper says of threads")
    report.print_table(["side", "", *MICRO], [*rows, ["paper", "times", *PAPER_MICRO]])


def draw(found, path):
    """PATH.svg and PATH.png: a panel for each work."""
    panels = []
    for work in found.scale.works:
        points = {side.name: [(tasks, min(values)) for tasks in found.scale.tasks
                              if (values := found.seconds.get((side.name, work.name, tasks)))] for side in found.sides}
        panels.append(goals_report.Curves(title_of(work), "tasks", "seconds (minimum)",
                                          {side: its for side, its in points.items() if its}, 2, "set logscale y"))
    goals_report.draw([], panels, path)
