// lists.js - tasks, messages that wait, and output, as text.
/* global d3 */
import { RECENT } from "./model.js";

function megabytes(bytes) {
  return bytes === undefined ? "" : `${(bytes / 1e6).toFixed(1)} MB`;
}

// One row for each item; `cells` gives the texts of a row, numbers as objects { number }.
function drawRows(id, items, cells) {
  const rows = d3.select(`#${id} tbody`).selectAll("tr").data(items, (item) => item.tid);
  rows.enter().append("tr");
  rows.exit().remove();
  const columns = rows.order().selectAll("td").data(cells);
  columns.enter().append("td");
  columns.classed("number", (cell) => cell?.number !== undefined).text((cell) => cell?.number ?? cell ?? "");
  return rows;
}

// Messages a second that a traced task has received or sent lately; nothing for others.
function rates(model) {
  const counts = new Map([...model.traced.keys()].map((tid) => [tid, { in: 0, out: 0 }]));
  for (const { from, to } of model.recentMessages()) {
    if (counts.has(from))
      counts.get(from).out++;
    if (counts.has(to))
      counts.get(to).in++;
  }
  return (tid, way) => ({ number: counts.has(tid) ? (counts.get(tid)[way] / RECENT).toFixed(1) : "" });
}

export function drawTasks(model) {
  const rate = rates(model);
  drawRows("tasks", model.tasks, (task) => [
    task.tid, task.program, task.host, task.kind, task.state, model.awaited(task.tid),
    rate(task.tid, "in"), rate(task.tid, "out"),
    { number: task.cpu?.toFixed(1) ?? "" }, { number: megabytes(task.memory) },
  ]);
}

export function drawQueues(model) {
  const waiting = [...model.traced.values()].filter((task) => task.waiting > 0);
  const most = Math.max(1, ...waiting.map((task) => task.waiting));
  drawRows("queues", waiting, (task) => [task.tid, task.program, { number: task.waiting }, ""])
    .select("td:last-child").html("").append("span").attr("class", "bar")
    .style("width", (task) => `${100 * task.waiting / most}%`);
}

export function drawOutput(model) {
  const output = document.getElementById("output");
  const atEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 4;
  const text = model.lines.map(({ tid, text }) => `${tid ? `[${tid}] ` : ""}${text}`).join("\n");
  if (output.textContent === text)
    return;
  output.textContent = text;
  if (atEnd)
    output.scrollTop = output.scrollHeight;
}
