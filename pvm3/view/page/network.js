// network.js - hosts as boxes with their tasks in them, and lines between hosts whose tasks send each other messages.
/* global d3 */
import { RECENT } from "./model.js";

const BOX = { width: 220, height: 110, gap: 60 };
const TASK = { size: 16, gap: 4, across: 10, most: 30 };

// Hosts stand in rows, as many as the page is wide.
function place(hosts, width) {
  const across = Math.max(1, Math.floor((width + BOX.gap) / (BOX.width + BOX.gap)));
  return new Map(hosts.map((host, i) => [host.name, {
    ...host,
    x: (i % across) * (BOX.width + BOX.gap) + 1,
    y: Math.floor(i / across) * (BOX.height + BOX.gap) + 1,
  }]));
}

// How many messages went between two hosts, or within one, just now.
function traffic(model) {
  const hostOf = new Map(model.tasks.map((task) => [task.tid, task.host]));
  const counts = new Map();
  for (const { from, to } of model.recentMessages()) {
    const ends = [hostOf.get(from), hostOf.get(to)].sort();
    if (!ends[0] || !ends[1] || ends[0] === ends[1])
      continue;
    const key = ends.join(" ");
    counts.set(key, { key, ends, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

function drawLinks(svg, model, boxes) {
  const middle = (name) => [boxes.get(name).x + BOX.width / 2, boxes.get(name).y + BOX.height / 2];
  const known = traffic(model).filter(({ ends }) => ends.every((name) => boxes.has(name)));
  const links = svg.selectAll("path.link").data(known, ({ key }) => key);
  links.enter().insert("path", "g").attr("class", "link").append("title");
  links.attr("d", ({ ends }) => `M${middle(ends[0])}L${middle(ends[1])}`)
    .attr("stroke-width", ({ count }) => 1 + 2 * Math.log10(count));
  links.select("title").text(({ ends, count }) => `${ends[0]} and ${ends[1]}: ${count} messages in ${RECENT} s`);
  links.exit().remove();
}

function drawTasksOf(group, tasks) {
  const squares = group.selectAll("rect.task").data(tasks.slice(0, TASK.most), (task) => task.tid);
  squares.enter().append("rect").append("title");
  squares.attr("class", (task) => `task ${task.state ?? ""}`)
    .attr("width", TASK.size).attr("height", TASK.size).attr("rx", 3)
    .attr("x", (_, i) => 10 + (i % TASK.across) * (TASK.size + TASK.gap))
    .attr("y", (_, i) => 46 + Math.floor(i / TASK.across) * (TASK.size + TASK.gap));
  squares.select("title").text((task) => `${task.tid} ${task.program}: ${task.state ?? task.kind}`);
  squares.exit().remove();
}

export function drawNetwork(model) {
  const svg = d3.select("#network");
  const boxes = place(model.hosts, svg.node().clientWidth);
  const bottom = Math.max(0, ...[...boxes.values()].map(({ y }) => y + BOX.height));
  svg.attr("height", bottom + 2);
  const groups = svg.selectAll("g").data([...boxes.values()], ({ name }) => name);
  const fresh = groups.enter().append("g");
  fresh.append("rect").attr("class", "host").attr("width", BOX.width).attr("height", BOX.height).attr("rx", 6);
  fresh.append("text").attr("x", 10).attr("y", 20).attr("class", "name");
  fresh.append("text").attr("x", 10).attr("y", 37).attr("class", "soft facts");
  groups.attr("transform", ({ x, y }) => `translate(${x},${y})`);
  groups.select(".name").text(({ name }) => name);
  groups.select(".facts").text(({ arch, processors, load }) =>
    [arch, processors && `${processors} CPUs`, load !== undefined && `load ${load}`].filter(Boolean).join(", "));
  groups.each(function ({ name }) {
    drawTasksOf(d3.select(this), model.tasks.filter((task) => task.host === name));
  });
  groups.exit().remove();
  drawLinks(svg, model, boxes);
}
