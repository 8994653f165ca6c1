"""What the measurement of user-level processes prints: tables in the shape of the paper's, with its figures; plots."""

import statistics

import goals_report
import report

BASE = "PVM 3.4.6"
ULPS = "user-level processes"
SEQUENTIAL = "sequential"
TCP, STILL = "TCP, as many bytes", "it stands still"
CALL, JUMP = "call of a function", "Boost.Context"
OWN = {"our fibers, yield": "yield", "our fibers, switch alone": "bare"}

# The tables of the paper: rows, PVM, UPVM. Times are in milliseconds.
PAPER_PARTS = {
    "X": """
        0      1.40  0.12
        1      1.42  0.12
        512    1.61  0.14
        1000   1.85  0.14
        10000  6.55  0.39
        100000 47.36 5.55""",
    "XI": """
        0      2.65   2.80
        1      2.63   2.80
        512    3.35   3.50
        1000   4.01   4.15
        10000  17.06  17.60
        100000 144.70 146.36""",
    "XII": """
        2  2.55  0.26
        4  5.64  0.56
        6  8.42  0.82
        8  11.16 1.15
        10 14.35 1.33
        14 21.50 1.90
        20 32.86 2.87
        24 42.85 3.50""",
    "XIII-interleaved": """
        2  4.82  5.01
        4  9.76  10.27
        6  14.64 15.08
        8  21.75 20.34
        10 26.28 25.59
        14 36.86 35.67
        20 52.88 51.30
        24 64.86 60.88""",
    "XIII-blocks": """
        2  4.82  5.01
        4  7.86  5.19
        6  10.82 6.14
        8  14.01 6.40
        10 17.06 7.21
        14 23.48 7.69
        20 33.66 8.95
        24 41.86 9.73""",
    "XIV": """
        2  2.75 2.79
        3  2.68 2.69
        4  2.63 2.68
        5  2.57 2.67
        6  2.54 2.66
        7  2.50 2.65
        8  2.45 2.59
        9  2.42 2.58
        10 2.38 2.58
        11 2.34 2.56""",
    "XV": """
        2  5.19 5.02
        3  3.84 3.93
        4  4.84 4.96
        5  4.10 4.30
        6  4.75 4.94
        7  4.15 4.32
        8  4.44 4.63
        9  4.11 4.41
        10 4.41 4.63
        11 3.99 4.26""",
    "XVII": """
        300000  270  1100
        500000  470  1320
        1000000 920  1910
        1600000 1400 2550
        2100000 1880 3190
        2900000 2510 4240""",
}
PAPER = {table: {int(row): (float(pvm), float(upvm)) for row, pvm, upvm in map(str.split, text.split("\n")[1:])}
         for table, text in PAPER_PARTS.items()}
PAPER_SEQUENTIAL = 2.79     # Mflops
# Table IX: microseconds, and how many calls of a function that is.
PAPER_SWITCHES = (("paper: ULP", 4.74, 7.30), ("paper: UNIX processes, by pipes", 195.00, 300.46))


def is_rate(unit):
    """Whether more is better."""
    return unit == "Mflops"


def centres(values, unit):
    """What stands for some values: the best one, and the median."""
    return (max if is_rate(unit) else min)(values), statistics.median(values)


def number_words(value):
    """With three digits or more."""
    return f"{value:.{max(0, 3 - len(str(int(value))))}f}"


def pair_words(pair):
    best, middle = map(number_words, pair)
    return f"{best} ({middle})"


def times_better(unit, base, value):
    return value / base if is_rate(unit) else base / value


def paper_words(table, row):
    """The columns of the paper: PVM, UPVM, and how many times better UPVM is."""
    if row not in PAPER[table.name]:
        return ["-"] * 3
    pvm, upvm = PAPER[table.name][row]
    return [f"{pvm:.2f}", f"{upvm:.2f}", f"{times_better(table.unit, pvm, upvm):.2f}"]


def sides_of(found, table):
    return list(dict.fromkeys(side for name, _, side in found.values if name == table.name))


def row_of(found, table, row):
    """{side: its best value and the median}."""
    return {side: centres(found.values[table.name, row, side], table.unit) for side in sides_of(found, table)}


def compared(table):
    """The two sides of the ratio, and what the paper has in their place."""
    return (TCP, STILL, "TCP", "obtrusiveness") if table.name == "XVII" else (BASE, ULPS, "PVM", "UPVM")


def table_rows(found, table):
    base_side, side, *_ = compared(table)
    for row in found.rows(table):
        of = row_of(found, table, row)
        better = [times_better(table.unit, base, value) for base, value in zip(of[base_side], of[side])]
        paper = paper_words(table, row) if table.name in PAPER else []
        yield [str(row), table.what, *map(pair_words, of.values()), pair_words(better), *paper]


def print_one(found, table):
    of_paper = table.name in PAPER
    print(f"\n{'Table ' * of_paper}{table.name}: {table.title}, {table.unit}")
    *_, base, side = compared(table)
    report.print_table(["", "", *sides_of(found, table), "ratio", *[f"paper's {base}", side, "ratio"] * of_paper],
                       [*table_rows(found, table)])
    if (table.name, 1, SEQUENTIAL) in found.values:
        print_kept(found, table)


def print_kept(found, table):
    """The sequential program in one part, and what the most tasks have of the rate of the fewest."""
    alone = centres(found.values[table.name, 1, SEQUENTIAL], table.unit)
    few, many = found.rows(table)[0], found.rows(table)[-1]
    kept = {side: pair_words([value / base for base, value in zip(row_of(found, table, few)[side], pair)])
            for side, pair in row_of(found, table, many).items()}
    paper = PAPER[table.name]
    if few in paper and many in paper:
        kept |= {f"paper's {name}": number_words(value / base)
                 for name, base, value in zip(("PVM", "UPVM"), paper[few], paper[many])}
    print(f"{SEQUENTIAL}, 1 part: {pair_words(alone)}, paper's {PAPER_SEQUENTIAL}")
    print(f"{many} tasks have of the rate of {few}: " + ", ".join(f"{side} {words}" for side, words in kept.items()))


def switch_rows(found):
    """Nanoseconds of each way to switch, how many calls and how many jumps that is; last what the paper has."""
    ways = dict(found.switches)
    ways |= {f"{side}, a message of 0 bytes": [value * 1e3 for value in values]
             for (table, row, side), values in found.values.items() if (table, row) == ("X", 0)}
    pairs = {name: centres(values, "ns") for name, values in ways.items()}
    for name, pair in pairs.items():
        yield [name, "", pair_words(pair), *(
            pair_words([value / base for base, value in zip(pairs[of], pair)]) if of in pairs else "-"
            for of in (CALL, JUMP))]
    for name, cost, calls in PAPER_SWITCHES:
        yield [name, "", f"{cost * 1000:.0f}", f"{calls:.2f}", "-"]


def print_tables(found):
    print(f"Best (median) of {found.scale.rounds} rounds. ratio: how many times better {ULPS} are than {BASE}. The "
          "paper has milliseconds\nwhere ours are microseconds. Processors of the two hosts: "
          f"{' and '.join(map(str, found.processors))}.")
    if found.ways:
        print(f"\nTable IX: a switch between two contexts, ns, and how many calls and jumps of {JUMP} that is")
        report.print_table(["", "", "ns", "calls", "jumps"], [*switch_rows(found)])
    for table in found.tables:
        print_one(found, table)
    print_overhead(found)


def print_overhead(found):
    """Table XVI: what user-level processes cost where all messages are between hosts."""
    of = {side: values for (table, row, side), values in found.values.items() if (table, row) == ("XIII-blocks", 2)}
    if of:
        words = ", ".join(f"{side} {pair_words(centres(of[side], 'us'))}" for side in (BASE, ULPS))
        print(f"\nTable XVI: a ring of 2 on two hosts, us: {words}; the paper's, ms: PVM 4.82, UPVM 5.01")


def draw(found, path):
    """PATH.svg and PATH.png: a panel for each table."""
    panels = []
    for table in found.tables:
        points = {side: [(row, row_of(found, table, row)[side][0]) for row in found.rows(table) if row > 0]
                  for side in sides_of(found, table)}
        base = 10 if table.what == "bytes" else 2
        scale = "unset logscale y" if is_rate(table.unit) else "set logscale y"
        panels.append(goals_report.Curves(f"{table.name}: {table.title}", table.what, f"{table.unit} (best)", points,
                                          base, scale))
    goals_report.draw([], panels, path)
