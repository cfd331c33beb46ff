"use strict";
// The tables and lists beside the plan.

// More rows than these are not read, and cost time.
const mostRows = 200;
const mostOfOneKind = 3;

const setText = (element, text) => { if (element.textContent !== text) element.textContent = text; };
const setClass = (element, name) => { if (element.className !== name) element.className = name; };

// Fills the table with rows {key, texts, className, title}; rows with a known key stay, so that focus and
// selection do. Columns without any text are hidden.
function fill(table, rows, makeRow, fillRow) {
  const body = table.tBodies[0], old = new Map([...body.rows].map(row => [row.dataset.key, row]));
  rows.forEach((data, index) => {
    let row = old.get(data.key);
    if (!row) {
      row = makeRow();
      row.dataset.key = data.key;
    }
    old.delete(data.key);
    if (body.rows[index] !== row) body.insertBefore(row, body.rows[index] || null);
    setClass(row, data.className);
    fillRow(row, data);
  });
  for (const row of old.values()) row.remove();
  table.hidden = rows.length === 0;
  hideEmptyColumns(table, rows);
}

function hideEmptyColumns(table, rows) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const isEmpty = rows.length > 0 && rows.every(row => row.texts[column] === "");
    head.hidden = isEmpty;
    for (const row of table.tBodies[0].rows) row.cells[column].hidden = isEmpty;
  });
}

// A row of the columns of `table`, whose first cell is its header with `first`.
function makeRow(table, first) {
  const row = document.createElement("tr");
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const cell = document.createElement(column ? "td" : "th");
    if (!column) cell.scope = "row";
    cell.className = head.classList.contains("n") ? "n" : "";
    cell.append(column ? document.createElement("span") : first());
    row.append(cell);
  });
  return row;
}

function fillCells(row, texts, from) {
  for (let column = from; column < texts.length; column++) {
    setText(row.cells[column].firstChild, texts[column]);
  }
}

function makeTagRow() {
  const row = makeRow($("tags"), () => {
    const button = document.createElement("button"), mark = document.createElement("i");
    button.type = "button";
    mark.className = "dot";
    button.className = "name";
    button.append(mark, document.createElement("span"));
    return button;
  });
  return row;
}

function fillTagRow(row, { tag, texts }) {
  const button = row.cells[0].firstChild, colour = colourOf(tag);
  if (button.dataset.colour !== colour) {
    button.dataset.colour = colour;
    button.firstChild.style.background = colour;
  }
  button.title = tag.name;
  setText(button.lastChild, short(tag.name));
  button.setAttribute("aria-pressed", tag.name === chosen);
  fillCells(row, texts, 1);
  setClass(row.cells[1].firstChild, texts[1]);
}

function tagRows() {
  const wanted = $("search").hidden ? "" : $("search").value.trim().toLowerCase();
  const found = shownTags().filter(tag => tag.name.toLowerCase().includes(wanted)).sort(byName);
  $("tag-count").textContent = countText(found.length, shownTags().length);
  return found.slice(0, mostRows).map(tag => {
    const [x, y, z] = tag.position || [];
    const seconds = fixed(ageOf(tag), 1), status = statusOf(tag);
    const texts = [tag.name, status, fixed(x, 2), fixed(y, 2), fixed(z, 2), fixed(sigmaOf(tag), 2), seconds];
    const className = (tag.name === chosen ? "chosen " : "") + (isLost(tag) ? "lost" : "");
    return { key: tag.name, tag, texts, className: className.trim() };
  });
}

function countText(found, all) {
  if (all <= 1) return "";
  const shown = Math.min(found, mostRows);
  return shown === all ? `${all}` : `${shown} of ${all}`;
}

function showTags() {
  $("search").hidden = tags.size <= 20;
  fill($("tags"), tagRows(), makeTagRow, fillTagRow);
  // One of the buttons is in the order of the tab key; the arrow keys move between them.
  const rows = [...$("tags").tBodies[0].rows], current = rows.find(row => row.dataset.key === chosen) || rows[0];
  for (const row of rows) row.cells[0].firstChild.tabIndex = row === current ? 0 : -1;
}

function makeLinkRow() {
  const name = () => {
    const span = document.createElement("span");
    span.className = "name";
    return span;
  };
  const row = makeRow($("links"), name);
  row.cells[1].firstChild.className = "name";
  return row;
}

function fillLinkRow(row, { link, texts }) {
  fillCells(row, texts, 0);
  row.cells[0].firstChild.title = link.tag;
  row.cells[1].firstChild.title = link.anchor;
  setClass(row.cells[8].firstChild, texts[8]);
}

function linkRow(link, namesTag) {
  const isSilent = link.age + extra() > lostAfter;
  const loss = link.loss === null ? "" : Math.round(100 * link.loss) + " %";
  return {
    key: link.tag + "\n" + link.anchor, link, className: isSilent ? "lost" : "",
    texts: [
      namesTag ? short(link.tag) : "", short(link.anchor), fixed(link.d, 2), isSilent ? "" : fixed(link.rate, 1), loss,
      fixed(link.score, 2), fixed(link.rssi, 0), fixed(link.fp, 0), isSilent ? "lost" : link.use,
    ],
  };
}

function showLinks() {
  $("link-section").hidden = lookingBack !== null;
  const isMany = tags.size > 6, listed = isMany ? links.filter(link => link.tag === chosen) : links;
  const sorted = [...listed].sort((a, b) => collator.compare(a.tag, b.tag) || collator.compare(a.anchor, b.anchor));
  const namesTag = new Set(sorted.map(link => link.tag)).size > 1;
  fill($("links"), sorted.map(link => linkRow(link, namesTag)), makeLinkRow, fillLinkRow);
  const note = isMany ? "; choose another tag above" : "";
  setText($("link-note"), sorted.length && !namesTag ? "of " + short(sorted[0].tag) + note : "");
}

function showResiduals() {
  const rows = links.filter(link => link.tag === chosen && link.residual !== null && lookingBack === null)
    .sort((a, b) => collator.compare(a.anchor, b.anchor));
  $("residual-section").hidden = rows.length === 0;
  setText($("residual-tag"), chosen === null ? "" : `of ${short(chosen)}: distance measured less that to its position`);
  $("residuals").replaceChildren(...rows.map(link => residualBar(link.anchor, link.residual)));
}

// A bar to the left or the right of zero, half a metre at most.
function residualBar(name, value) {
  const [bar, text, scale, fillBar, number] = ["div", "span", "i", "b", "span"].map(n => document.createElement(n));
  const half = Math.min(50, Math.abs(value) * 50 / 0.5);
  bar.className = "bar";
  number.className = "n";
  text.textContent = short(name);
  text.title = name;
  number.textContent = (value > 0 ? "+" : "") + value.toFixed(2) + " m";
  fillBar.style.left = (value < 0 ? 50 - half : 50) + "%";
  fillBar.style.width = half + "%";
  scale.append(fillBar);
  bar.append(text, scale, number);
  return bar;
}

function showZones() {
  $("zone-section").hidden = site.zones.length === 0 || lookingBack !== null;
  const inside = new Map(site.zones.map(zone => [zone.n, []]));
  for (const tag of [...tags.values()].sort(byName)) {
    if (!isLost(tag)) for (const zone of tag.zones) if (inside.has(zone)) inside.get(zone).push(tag.name);
  }
  const list = $("zones");
  while (list.children.length > site.zones.length) list.lastChild.remove();
  while (list.children.length < site.zones.length) list.append(document.createElement("li"));
  site.zones.forEach((zone, index) => {
    const names = inside.get(zone.n), item = list.children[index], more = names.length > 6 ? " …" : "";
    setText(item, zone.n + (names.length ? ": " + names.slice(0, 6).map(short).join(", ") + more : ""));
    setClass(item, names.length ? "lit" : "");
  });
}

// The diagnoses as [code, text]; of many of one kind the first ones, and how many more there are.
function diagnosisTexts(found) {
  const byCode = new Map();
  for (const { code, text } of found) byCode.set(code, (byCode.get(code) || []).concat(text));
  return [...byCode].flatMap(([code, texts]) => {
    const more = texts.length - mostOfOneKind, rest = more > 0 ? [`and ${more} more of this kind`] : [];
    return texts.slice(0, mostOfOneKind).concat(rest).map(text => [code, text]);
  });
}

function showDiagnoses(found) {
  $("problems").hidden = found.length === 0;
  const list = $("diagnoses"), texts = diagnosisTexts(found);
  // A list that is made again would be read aloud again.
  if ([...list.children].map(item => item.textContent).join("\n") === texts.map(([, text]) => text).join("\n")) return;
  list.replaceChildren(...texts.map(([code, text]) => {
    const item = document.createElement("li");
    item.textContent = text;
    item.dataset.code = code;
    return item;
  }));
}

function addNews(texts) {
  for (const text of texts) {
    const item = document.createElement("li");
    item.textContent = text;
    $("news").prepend(item);
  }
  while ($("news").children.length > 60) $("news").lastChild.remove();
}

function choose(name) {
  chosen = name;
  showAll();
}

$("tags").addEventListener("click", event => {
  const row = event.target.closest("tbody tr");
  if (row) choose(row.dataset.key);
});

$("tags").addEventListener("keydown", event => {
  const row = event.target.closest("tbody tr");
  const next = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  const other = row && next ? row[next] : null;
  if (!other) return;
  event.preventDefault();
  choose(other.dataset.key);
  other.cells[0].firstChild.focus();
});

$("search").addEventListener("input", showTags);
