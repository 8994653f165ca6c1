// model.js - the hosts and tasks of the last look, and what traced tasks have done. timeline.py says what changes are.

const KEPT_STATES = 4000;       // of a task
const KEPT_MESSAGES = 10000;
const KEPT_LINES = 1000;
export const RECENT = 10;       // seconds for which a message counts as traffic

function keep(list, item, most) {
  list.push(item);
  if (list.length > 1.2 * most)
    list.splice(0, list.length - most);
}

export class Model {
  constructor() {
    this.hosts = [];
    this.tasks = [];
    this.clear();
  }

  clear() {
    this.traced = new Map();    // tid -> { tid, program, states: [{ state, for, time }], waiting }
    this.messages = [];
    this.lines = [];
    this.latest = 0;            // the time of what happened last, or now if a traced task runs
  }

  look({ hosts, tasks, time }) {
    this.hosts = hosts;
    this.tasks = tasks;
    if ([...this.traced.values()].some(({ states }) => states.at(-1) && states.at(-1).state !== "ended"))
      this.latest = Math.max(this.latest, time);
  }

  recentMessages() {
    return this.messages.filter(({ received }) => received >= this.latest - RECENT);
  }

  // What a traced task waits for, in words.
  awaited(tid) {
    return this.traced.get(tid)?.states.at(-1)?.for ?? "";
  }

  task(tid) {
    if (!this.traced.has(tid))
      this.traced.set(tid, { tid, program: "", states: [], waiting: 0 });
    return this.traced.get(tid);
  }

  change(change) {
    this.latest = Math.max(this.latest, change.received ?? change.time ?? 0);
    switch (change.kind) {
    case "task":
      this.task(change.tid).program = change.program?.split("/").pop() ?? "";
      break;
    case "state":
      keep(this.task(change.tid).states, change, KEPT_STATES);
      break;
    case "queue":
      this.task(change.tid).waiting = change.count;
      break;
    case "message":
      keep(this.messages, change, KEPT_MESSAGES);
      break;
    case "output":
      keep(this.lines, change, KEPT_LINES);
      break;
    }
  }
}
