// spacetime.js - a bar for each traced task that shows what it does, and a line for each message.
/* global d3 */

const ROW = 24, BAR = 14, LABEL = 170, AXIS = 24;   // pixels
const MOST = 2000;      // messages that are drawn at once, the latest

// The bars of a task within the time that is shown. Of those that end at the same pixel one is enough.
function barsOf(task, row, scale) {
  const [from, to] = scale.domain();
  let last = -1;
  return task.states
    .map((state, i) => ({ ...state, row, end: task.states[i + 1]?.time ?? to }))
    .filter(({ state, time, end }) => {
      const pixel = Math.floor(scale(end));
      const seen = state !== "ended" && end > from && time < to && pixel > last;
      last = seen ? pixel : last;
      return seen;
    });
}

function drawAxis(svg, seconds, scale, height) {
  const before = d3.scale.linear().domain([-seconds, 0]).range(scale.range());
  const axis = d3.svg.axis().scale(before).ticks(6).tickSize(-height).tickFormat((time) => `${time} s`);
  svg.select(".axis").attr("transform", `translate(0,${height})`).call(axis);
}

function drawLabels(svg, tasks) {
  const labels = svg.select(".labels").selectAll("text").data(tasks, (task) => task.tid);
  labels.enter().append("text").attr("x", 0);
  labels.attr("y", (_, row) => row * ROW + BAR).text(({ tid, program }) => `${tid} ${program}`);
  labels.exit().remove();
}

function drawBars(svg, bars, scale) {
  const [from, to] = scale.domain();
  const begin = ({ time }) => scale(Math.max(time, from));
  const drawn = svg.select(".bars").selectAll("rect").data(bars);
  drawn.enter().append("rect").attr("height", BAR).append("title");
  drawn.attr("class", ({ state }) => state).attr("y", ({ row }) => row * ROW + 2).attr("x", begin)
    .attr("width", (bar) => Math.max(0.5, scale(Math.min(bar.end, to)) - begin(bar)));
  drawn.select("title").text((bar) =>
    `${bar.tid} ${bar.state}${bar.for ? ` for ${bar.for}` : ""}, ${((bar.end - bar.time) * 1e3).toFixed(2)} ms`);
  drawn.exit().remove();
}

function drawMessages(svg, messages, rows, scale) {
  const middle = (tid) => rows.get(tid) * ROW + 2 + BAR / 2;
  const drawn = svg.select(".messages").selectAll("line").data(messages.slice(-MOST));
  drawn.enter().append("line").attr("class", "message").append("title");
  drawn.attr("x1", ({ sent }) => scale(sent)).attr("x2", ({ received }) => scale(received))
    .attr("y1", ({ from }) => middle(from)).attr("y2", ({ to }) => middle(to));
  drawn.select("title").text(({ from, to, tag, bytes }) => `${from} to ${to}, tag ${tag}, ${bytes} bytes`);
  drawn.exit().remove();
}

export function drawSpacetime(model, seconds) {
  const to = model.latest, from = to - seconds;
  const tasks = [...model.traced.values()].filter(({ states }) =>
    states.length && !(states[states.length - 1].state === "ended" && states[states.length - 1].time < from));
  const rows = new Map(tasks.map(({ tid }, row) => [tid, row]));
  const svg = d3.select("#spacetime");
  const height = tasks.length * ROW;
  document.getElementById("untraced").hidden = tasks.length > 0;
  svg.attr("height", tasks.length ? height + AXIS : 0);
  if (svg.select("g").empty())
    for (const name of ["axis", "labels", "bars", "messages"])
      svg.append("g").attr("class", name);
  const scale = d3.scale.linear().domain([from, to]).range([LABEL, svg.node().clientWidth - 16]);
  drawAxis(svg, seconds, scale, height);
  drawLabels(svg, tasks);
  drawBars(svg, tasks.flatMap((task, row) => barsOf(task, row, scale)), scale);
  drawMessages(svg, model.messages.filter((message) =>
    message.sent >= from && rows.has(message.from) && rows.has(message.to)), rows, scale);
}
