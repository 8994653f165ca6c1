"""Was the machine busy with something else while it was measured?"""

import os
import resource
import time

BUSY = 0.1  # of the processors' time, from which on figures tell of something else
MOMENT = 2  # seconds, for a look before the start


def _busy_seconds():
    """Processor time that all processes have used since the start of the system, and what a hypervisor took."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _waiting, hard, soft, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + hard + soft + steal) / os.sysconf("SC_CLK_TCK")


def _own_seconds():
    """What this process has used, and those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


class Others:
    """Which part of the processors' time others have taken since this was made."""

    def __init__(self):
        self.start = (time.monotonic(), _busy_seconds(), _own_seconds())

    def share(self):
        passed, busy, own = (now - then for now, then in
                             zip((time.monotonic(), _busy_seconds(), _own_seconds()), self.start))
        return max(0.0, busy - own) / (passed * os.cpu_count()) if passed else 0.0


def others_now():
    """The same of a moment in which nothing is measured."""
    others = Others()
    time.sleep(MOMENT)
    return others.share()


def warning(share, when):
    """What a reader of the figures has to know, or nothing."""
    if share <= BUSY:
        return ""
    return (f"TOO BUSY TO MEASURE: others used {share * 100:.0f} % of the processors {when}; "
            "do not compare these figures with others")
