// Charts: those that a page names are fetched and put into it, where they follow its theme and show their figures; and
// below each is the same as a table. Without this a chart is a picture.
import { enhance } from "./lists.js";

async function fetchPicture(figure) {
  const response = await fetch(figure.dataset.picture, { credentials: "same-origin" });
  if (!response.ok) { figure.textContent = "The picture cannot be had now."; return; }
  const drawn = new DOMParser().parseFromString(await response.text(), "image/svg+xml").documentElement;
  figure.replaceChildren(document.adoptNode(drawn));
}

function cell(kind, text, number = false) {
  const made = document.createElement(kind);
  made.textContent = text;
  if (number) made.className = "number";
  return made;
}

/** A row for each place, a column for each line or part. */
function addTable(figure) {
  const marks = [...figure.querySelectorAll("[data-x]")];
  if (!marks.length) return;
  const names = [...new Set(marks.map((mark) => mark.dataset.name))].filter((name) => name !== "none");
  const rows = new Map();
  for (const { dataset } of marks) rows.set(dataset.x, { ...rows.get(dataset.x), [dataset.name]: dataset.y });
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  const svg = figure.querySelector("svg");
  const title = svg.querySelector("title").textContent;
  head.append(cell("th", svg.dataset.across.split(/[,;]/)[0]), ...names.map((name) => cell("th", name, true)));
  const body = table.createTBody();
  for (const [place, values] of rows) body.insertRow().append(cell("th", place), ...names.map((name) => cell("td", values[name] ?? "–", true)));
  const frame = document.createElement("div");
  frame.className = "scroll";
  for (const [name, value] of [["role", "region"], ["aria-label", `${title}, as a table`], ["tabindex", "0"]]) frame.setAttribute(name, value);
  frame.append(table);
  const twin = document.createElement("details");
  twin.className = "twin";
  twin.append(cell("summary", "Figures of this chart"), frame);
  figure.after(twin);
  enhance(twin.parentElement);
}

for (const figure of document.querySelectorAll(".picture")) {
  if (figure.dataset.picture) await fetchPicture(figure);
  addTable(figure);
}
