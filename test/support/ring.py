"""How is it seen that the tasks of a machine go on, whatever others do to it? (the tasks are system/ring.c)"""
from support.puppet import Puppet

ASKED, END = 98, 99


class Ring:
    """A virtual machine in which two tasks pass messages, and a puppet that asks them how far they are.

    elsewhere: how the second task is started otherwise than the first (options of vm.start).
    """

    def __init__(self, vm, **elsewhere):
        self.vm = vm
        self.puppet = Puppet(vm)
        self.second = vm.start("ring", **elsewhere)
        tid = self.second.until("tid ").split()[1]
        self.first = vm.start("ring", tid)
        self.tid = self.first.until("tid ").split()[1]

    def rounds(self):
        assert self.puppet.do("send", self.tid, ASKED, 0) == "0"
        return int(self.puppet.do("recv", self.tid, ASKED).split()[3])

    def goes_on(self):
        """Wait until some more rounds are done."""
        start = self.rounds()
        while self.rounds() < start + 3:
            pass

    def end(self):
        """End both tasks; both have counted the same rounds (but one under way) and found no fault."""
        self.puppet.do("send", self.tid, END, 0)
        counted = [int(task.ended().ok().out.splitlines()[1].split()[1]) for task in (self.first, self.second)]
        assert counted[1] - counted[0] in (0, 1)
        self.puppet.leave()
