"""Which functions are public, and in which collision classes are they?"""
import re

from measure import manual

PAGE = "pvm3/man/pvm_threads.7"
# What libpvm3 exports for pvmulp, the console and libmpi_abi, and for a libgpvm3 of ours that asks whether its libpvm3 is ours.
FOR_PVMULP = {"checkpoint_restart", "checkpoint_write", "kernel_accept", "kernel_address",
              "kernel_cancel", "kernel_claim", "kernel_despair", "kernel_enrol", "kernel_enrol_or_stay", "kernel_finish",
              "kernel_finish_claim", "kernel_hope", "kernel_is_enrolled", "kernel_leave", "kernel_post_claim",
              "kernel_post_event", "kernel_post_receive",
              "kernel_post_send", "kernel_probe", "kernel_raise", "kernel_recall", "kernel_receive", "kernel_send",
              "kernel_serve", "kernel_shares_process", "kernel_stand_by", "kernel_test", "kernel_unwatch", "kernel_wait",
              "kernel_wait_any", "kernel_watch", "own_program_arrive", "own_program_await",
              "own_program_call_in", "own_program_carry", "own_program_come_back", "own_program_destination",
              "own_program_end_carrying", "own_program_error", "own_program_fiber", "own_program_flush",
              "own_program_go_home", "own_program_interrupt", "own_program_is_task", "own_program_keep_mask", "own_program_knock",
              "own_program_leave", "own_program_may_move", "own_program_pack", "own_program_park", "own_program_part",
              "own_program_put_off", "own_program_revive", "own_program_run_on", "own_program_set",
              "own_program_stay", "own_program_stays", "own_program_welcome", "printed_write_as_task",
              "region_numbers_ask", "region_numbers_give_back", "stacks_come_from", "stand_in_deliver",
              "stand_in_has_handler"}
# A comment that ends with who may call the function, and the declaration below it.
_TOLD = re.compile(r"/\*((?:(?!\*/)[\s\S])*)\[(?:any|own|list|env|no handler)\](?:\n)? \*/\n"
                   r"(?:int|char|void) [^;]*?\b([Pp]vm\w*)\)?\(")


def of_group_library(top):
    """The names that libgpvm3 exports."""
    lines = (top / "test" / "abi" / "libgpvm3").read_text().splitlines()
    added = re.findall(r"^    (pvm_\w+);", (top / "pvm3" / "groups" / "libgpvm3.map").read_text(), re.MULTILINE)
    return {line.split()[0] for line in lines if not line.startswith("#")} | set(added)


def functions(top):
    """The functions that the headers declare, but for those of the group library."""
    return set(manual.declared(top)) - of_group_library(top)


def without_comment(top):
    """The functions of the headers whose comment does not say what they do and who may call them."""
    told = {name for header in manual.HEADERS for comment, name in _TOLD.findall(manual.header(top, header))
            if len(comment.split()) > 1}
    return set(manual.declared(top)) - told


# The headers with the ranks of locks, those of the kernel first.
RANKS = ("pvm3/ck/base/lock.h", "pvm3/lib/task/lock_ranks.h")


def classes_of_code(top):
    """The collision classes in the order of their locks."""
    ranks = {}
    for header in RANKS:
        for body in re.findall(r"^enum \w*\s*{(.*?)^}", (top / header).read_text(), re.MULTILINE | re.DOTALL):
            rank = -1
            for name, value in re.findall(r"^    LOCK_(\w+)(?: = (\w+))?,", body, re.MULTILINE):
                rank = rank + 1 if not value else int(value) if value.isdigit() else ranks[value.removeprefix("LOCK_")]
                ranks[name] = rank
    marks = {"INNER", "RANKS"}
    return [name.lower() for name in sorted(ranks.keys() - marks, key=ranks.get)]


def classes_of_manual(top):
    """Function to its collision classes, and all classes in order, as pvm_threads(7) has them."""
    text = manual.Page(top / PAGE).part("DESCRIPTION")
    listed, rest = text[text.index(".It Sy"):].split(".El\n")
    classes, order = {}, []
    for part in listed.split(".It Sy ")[1:]:
        order.append(part.split()[0])
        for name in _functions(part):
            classes.setdefault(name, set()).add(order[-1])
    requests, others = rest.split("Of no class are")
    for name in _functions(requests):
        classes.setdefault(name, set()).update(("routes", "inbox"))
    for name in _functions(others.split(".Pp")[0]):
        classes.setdefault(name, set())
    return classes, order


def _functions(text):
    return set(re.findall(r"\bpvm_?\w+", text)) - {"pvmd"}
