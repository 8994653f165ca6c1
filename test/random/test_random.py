"""Do tasks that make random steps observe the same with ours as with 3.4.6? (compare.py)"""
import compare
import pytest

PROGRAMS, MORE_PROGRAMS = 20, 1000      # of each part
PARTS = range(4)


@pytest.mark.parametrize("part", PARTS)
def test_random_programs_observe_what_they_observe_with_stock(part, long_run, record_property):
    count = MORE_PROGRAMS if long_run else PROGRAMS
    with compare.stock_and_ours() as comparison:
        for seed in range(part * count, (part + 1) * count):
            comparison.compare(seed)
    record_property(f"random programs, part {part}, unsteady", len(comparison.unsteady))
    record_property(f"random programs, part {part}, with each step", comparison.counts())
    assert not comparison.differing, str(comparison)
    assert comparison.compared > len(comparison.unsteady), str(comparison)


def with_fault(tasks, steps):
    """Answers of a system that is wrong about sends of a task that has made a send buffer before."""
    made, seen = set(), []
    for task, words in steps:
        if words.startswith("initsend"):
            made.add(task)
        wrong = task in made and words.startswith("send")
        seen.append((task, words, "wrong" if wrong else "right"))
    return seen


def test_a_difference_is_found_and_shrunk_to_what_it_needs():
    comparison = compare.Comparison(lambda tasks, steps: [(*step, "right") for step in steps], with_fault)
    for seed in range(20):
        comparison.compare(seed)
    assert comparison.compared == 20 and comparison.differing
    for _, wanted, got in comparison.differing:
        (first, made, _), (second, sent, right) = (step for step in wanted if not step[1].startswith(compare.KEPT))
        assert first == second and made.startswith("initsend") and sent.startswith("send")
        assert right == "right" and (second, sent, "wrong") in got


def test_a_difference_that_does_not_come_again_is_told_as_it_was():
    answers = iter([[(0, "send 0 1", "wrong")]])
    right = [(0, "send 0 1", "right")]
    comparison = compare.Comparison(lambda tasks, steps: right, lambda tasks, steps: next(answers, right))
    comparison.compare(0)
    assert comparison.differing == [(0, right, [(0, "send 0 1", "wrong")])]
    assert comparison.tally == {"send": 1}


def test_a_program_that_is_unsteady_is_not_compared():
    answers = iter(range(1000))
    comparison = compare.Comparison(lambda tasks, steps: next(answers), with_fault)
    comparison.compare(0)
    assert (comparison.compared, comparison.unsteady, comparison.differing) == (0, [0], [])
