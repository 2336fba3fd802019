// Tables that sort by any column, keep their headings in sight and fit a phone, and filters that fold away there.
// Without it tables are in the order of the service, scroll inside themselves, and filters are open.

const NARROW = matchMedia("(max-width: 820px)");
const MISSING = /^[–-]?$/;
const NUMBER = /^([+−-]?)\$?([\d,]*\.?\d+)( ?%)?$/;
const sorted = new Map(); // by the name of the table, for those that are fetched again
let order = 0;

/** What a cell is sorted by: null where it says nothing, a number, the text of a moment, or words. */
function valueOf(part) {
  const text = part.textContent.trim();
  if (part.dataset.sort !== undefined) return Number(part.dataset.sort);
  if (MISSING.test(text)) return null;
  const time = part.querySelector("time");
  if (time) return time.getAttribute("datetime");
  const found = NUMBER.exec(text);
  if (!found) return text;
  return Number(found[2].replaceAll(",", "")) * (found[1] && found[1] !== "+" ? -1 : 1);
}

/** The lines of a cell: what it says, and what is below it. */
function lineOf(cell, line) {
  if (line > 0) return cell.querySelectorAll(":scope > .sub")[line - 1] ?? null;
  if (!cell.querySelector(":scope > .sub")) return cell;
  const first = cell.cloneNode(true);
  for (const sub of first.querySelectorAll(":scope > .sub")) sub.remove();
  return first;
}

function compare(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), "en", { numeric: true });
}

function sort(frame, column, line, down) {
  const body = frame.querySelector("tbody");
  const keyed = [...body.rows].map((row, at) => {
    const part = lineOf(row.cells[column], line);
    return { row, at, value: part && valueOf(part) };
  });
  keyed.sort((one, other) => {
    if (one.value === null || other.value === null) return (one.value === null) - (other.value === null) || one.at - other.at;
    return compare(one.value, other.value) * (down ? -1 : 1) || one.at - other.at;
  });
  body.append(...keyed.map((each) => each.row));
  for (const [at, head] of headsOf(frame).entries()) {
    if (at === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
    for (const button of head.querySelectorAll("button")) {
      button.classList.toggle("by", at === column && Number(button.dataset.line) === line);
    }
  }
  sorted.set(frame.getAttribute("aria-label"), [column, line, down]);
  const choice = frame.previousElementSibling?.querySelector?.("select[data-sort-by]");
  if (choice) choice.value = `${column} ${line} ${down ? 1 : 0}`;
}

const headsOf = (frame) => [...(frame.querySelector("thead tr:last-child")?.cells ?? [])];

/** Rows that belong together, and cells over several columns, keep their order. */
function isSortable(frame) {
  const table = frame.querySelector("table");
  if (!table || table.tBodies.length !== 1 || table.tBodies[0].rows.length < 2) return false;
  const width = headsOf(frame).length;
  return width > 0 && [...table.tBodies[0].rows].every((row) => row.cells.length === width && !row.querySelector("[colspan], [rowspan]"));
}

function makeSortable(frame) {
  const choices = [];
  for (const [column, head] of headsOf(frame).entries()) {
    const links = [...head.querySelectorAll("a.sorts")];
    if (links.length) { // sorted by the service
      choices.push(...links.map((link) => [link.textContent.trim(), link.href]));
      continue;
    }
    const subs = [...head.querySelectorAll(":scope > .sub")];
    const words = [...head.childNodes].filter((node) => !subs.includes(node));
    const parts = [[words, head, 0], ...subs.map((sub, at) => [[...sub.childNodes], sub, at + 1])];
    for (const [nodes, holder, line] of parts) {
      const name = nodes.map((node) => node.textContent).join("").trim();
      if (!name) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sorts";
      button.dataset.line = line;
      holder.prepend(button);
      button.append(...nodes.filter((node) => !node.querySelector?.(".help")));
      button.addEventListener("click", () => {
        const before = button.classList.contains("by") && head.getAttribute("aria-sort");
        const number = head.classList.contains("number");
        sort(frame, column, line, before ? before === "ascending" : number);
      });
      choices.push([name, column, line]);
    }
  }
  if (choices.length) addChoice(frame, choices);
  if (choices.some(([, , line]) => line !== undefined) && isPart(frame)) sayPart(frame);
  const before = sorted.get(frame.getAttribute("aria-label"));
  if (before) sort(frame, ...before);
}

/** Whether other pages have more rows, or some were left out: the headings sort only those that are here. */
function isPart(frame) {
  const section = frame.closest("section") ?? frame;
  const after = section.nextElementSibling;
  return Boolean(section.querySelector(":scope > .left-out a") || (after?.matches("nav.pager") && after.querySelector("a")));
}

function sayPart(frame) {
  const words = document.createElement("p");
  words.className = "muted sorts-part";
  words.textContent = `There are more rows: headings sort the ${frame.querySelector("tbody").rows.length} shown here.`;
  frame.before(words);
}

/** Where the headings are not to be seen, a list of them. */
function addChoice(frame, choices) {
  const holder = document.createElement("p");
  holder.className = "sort-by";
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.dataset.sortBy = "";
  select.setAttribute("aria-label", `Sort by, in ${frame.getAttribute("aria-label")}`);
  select.append(new Option("as listed", ""));
  for (const [name, column, line] of choices) {
    if (line === undefined) select.append(new Option(name, column));
    else select.append(new Option(`${name} ↑`, `${column} ${line} 0`), new Option(`${name} ↓`, `${column} ${line} 1`));
  }
  select.addEventListener("change", () => {
    if (!select.value) return;
    if (select.value.includes("/")) { location.assign(select.value); return; }
    const [column, line, down] = select.value.split(" ").map(Number);
    sort(frame, column, line, down === 1);
  });
  label.append("Sort by ", select);
  holder.append(label);
  frame.before(holder);
}

/** Each cell with its heading, for rows that are shown one below the other; roles, since they no longer look like rows. */
function nameCells(frame) {
  const table = frame.querySelector("table");
  const heads = headsOf(frame);
  const names = heads.map((head) => {
    const subs = [...head.querySelectorAll(":scope > .sub")];
    return [lineOf(head, 0).textContent.trim(), ...subs.map((sub) => sub.textContent.trim())];
  });
  table.setAttribute("role", "table");
  for (const part of table.querySelectorAll("thead, tbody, tfoot")) part.setAttribute("role", "rowgroup");
  for (const row of table.rows) {
    row.setAttribute("role", "row");
    for (const cell of row.cells) {
      const role = row.parentElement.tagName === "THEAD" ? "columnheader" : cell.tagName === "TH" ? "rowheader" : "cell";
      cell.setAttribute("role", role);
      if (role === "columnheader" || row.cells.length !== heads.length) continue;
      const [name, ...below] = names[cell.cellIndex];
      if (cell === row.cells[0]) { // it names the row: a link or words do so by themselves, a number does not
        if (name && /^[\d.]+$/.test(lineOf(cell, 0).textContent.trim())) cell.dataset.label = name;
        continue;
      }
      if (MISSING.test(cell.textContent.trim())) cell.dataset.missing = "";
      if (name) cell.dataset.label = name;
      for (const [at, sub] of [...cell.querySelectorAll(":scope > .sub")].entries()) if (below[at]) sub.dataset.label = below[at];
    }
  }
}

/** A table that fits its place keeps its headings at the top of the window; on a phone one that does not is stacked. */
function fit(frame) {
  frame.classList.remove("fits", "stacked");
  const wide = frame.querySelector("table").scrollWidth > frame.clientWidth + 1;
  if (!wide) frame.classList.add("fits");
  else if (NARROW.matches && frame.querySelector("thead")) {
    if (!frame.dataset.named) nameCells(frame);
    frame.dataset.named = "yes";
    frame.classList.add("stacked");
  }
}

const widths = new WeakMap();
const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (widths.get(target) === target.clientWidth) continue;
    widths.set(target, target.clientWidth);
    fit(target);
  }
});

function foldFilters(form) {
  const set = [...form.elements].filter((field) => field.matches("input:not([type='hidden']), select:not([name='sort'])") && field.name && field.value).length;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "folds second";
  const fold = (closed) => {
    form.classList.toggle("folded", closed);
    button.setAttribute("aria-expanded", String(!closed));
  };
  button.textContent = set ? `Filters (${set} set)` : "Filters";
  button.addEventListener("click", () => fold(!form.classList.contains("folded")));
  form.prepend(button);
  fold(!form.querySelector('[aria-invalid="true"]'));
}

export function enhance(root) {
  for (const frame of root.querySelectorAll(".scroll:has(> table)")) {
    if (frame.dataset.list) continue;
    frame.dataset.list = String(++order);
    if (isSortable(frame)) makeSortable(frame);
    resized.observe(frame);
  }
  for (const form of root.querySelectorAll("form.panel[method='get']:has(.filters)")) foldFilters(form);
}

enhance(document);
document.addEventListener("refreshed", (event) => enhance(event.target));
