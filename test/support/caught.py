"""What have the tasks printed that a program caught (pvm_catchout)?"""
import collections


def by_task(lines):
    """The texts of each task, in their order, by the tid in front of them."""
    said = collections.defaultdict(list)
    for line in lines:
        tid, text = line.split(" ", 1)
        said[tid[1:-1]].append(text)
    return said
