// view.js - what the server tells, what the user wants, and who draws it.
import { Model } from "./model.js";
import { drawNetwork } from "./network.js";
import { drawSpacetime } from "./spacetime.js";
import { drawOutput, drawQueues, drawTasks } from "./lists.js";

const model = new Model();
const element = (id) => document.getElementById(id);
const say = (text) => { element("status").textContent = text; };
let drawing = false;

function draw() {
  drawing = false;
  drawNetwork(model);
  drawTasks(model);
  drawQueues(model);
  drawOutput(model);
  if (!element("pause").checked)
    drawSpacetime(model, Number(element("window").value));
}

// However much is told at once, the page is drawn once for a frame.
function drawSoon() {
  if (!drawing)
    requestAnimationFrame(draw);
  drawing = true;
}

const stream = new EventSource("stream");
stream.onopen = () => model.clear();
stream.onerror = () => say("the server does not answer");
stream.onmessage = ({ data }) => {
  const told = JSON.parse(data);
  if (told.machine) {
    model.look(told.machine);
    say(`${model.hosts.length} hosts, ${model.tasks.length} tasks`);
  }
  told.changes?.forEach((change) => model.change(change));
  if (told.over) {
    stream.close();
    say("the virtual machine, or pvmview, has ended");
  }
  drawSoon();
};

// The words of a line, as a shell takes them: quotes keep spaces.
function wordsOf(line) {
  return (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
}

async function ask(what, body) {
  const answer = await fetch(what, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok)
    say(await answer.text());
}

element("run").addEventListener("submit", (event) => {
  event.preventDefault();
  ask("run", { words: wordsOf(element("program").value) });
});
element("stop").addEventListener("click", () => ask("stop", {}));
element("window").addEventListener("change", drawSoon);
element("pause").addEventListener("change", drawSoon);
addEventListener("resize", drawSoon);
addEventListener("keydown", (event) => {
  if (event.key === "p" && !event.target.matches("input, select"))
    element("pause").click();
});
