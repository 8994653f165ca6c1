// lists.js - tasks, messages that wait, and output, as text.
/* global d3 */

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

export function drawTasks(model) {
  drawRows("tasks", model.tasks, (task) => [
    task.tid, task.program, task.host, task.kind, task.state,
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
