"use strict";
// Looking back: the positions of the session so far, which the program keeps, at the time of the slider.

// The time of the stream that is shown; null for the present.
let lookingBack = null;
// The positions by tag, each in order of time: [time, x, y, z, sigma, status]; null before they are loaded.
let past = null, loadedUntil = 0, isLoading = false;
// Longer gaps of a tag are not shown as if it stood still.
const longestGap = 60, trailSeconds = 30;

async function loadHistory() {
  if (isLoading) return;
  isLoading = true;
  loadedUntil = now;
  try {
    const answer = await fetch("history" + location.search);
    if (answer.ok) readHistory(await answer.json());
  } catch {
    setSliderText("not available");
  }
  isLoading = false;
  showAll();
}

function readHistory(data) {
  past = new Map();
  for (const [tag, milliseconds, x, y, z, sigma, status] of data.rows) {
    const name = data.names[tag], time = milliseconds / 1000;
    if (!past.has(name)) past.set(name, []);
    past.get(name).push([time, x, y, z, sigma, data.statuses[status]]);
  }
  for (const rows of past.values()) rows.sort((a, b) => a[0] - b[0]);
}

// The number of rows up to `time`.
function countUntil(rows, time) {
  let low = 0, high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle][0] <= time) low = middle + 1; else high = middle;
  }
  return low;
}

function tagsAt(time) {
  const found = [];
  let number = tags.size;
  for (const [name, rows] of past || []) {
    const known = tags.get(name), end = countUntil(rows, time);
    number += known ? 0 : 1;
    if (end === 0 || time - rows[end - 1][0] > longestGap) continue;
    const [at, x, y, z, sigma, status] = rows[end - 1];
    const begin = Math.max(countUntil(rows, time - trailSeconds), end - trailLength);
    found.push({
      name, number: known ? known.number : number, time: at, position: [x, y, z], sigma, status, zones: [],
      trail: rows.slice(begin, end).map(row => [row[1], row[2]]),
    });
  }
  return found;
}

// The tags as they are shown: at present, or at the time of the slider.
const shownTags = () => lookingBack === null ? [...tags.values()] : tagsAt(lookingBack);
const shownTag = name => lookingBack === null ? tags.get(name) : tagsAt(lookingBack).find(t => t.name === name);

function setSliderText(text) {
  $("slider-text").textContent = text;
  $("slider").setAttribute("aria-valuetext", text);
}

// Moves the ends of the slider on.
function showSlider() {
  const first = counts ? counts.first : undefined;
  $("time").hidden = first === undefined || first === null || now - first < 5;
  if ($("time").hidden) return;
  const slider = $("slider");
  slider.min = first.toFixed(1);
  slider.max = now.toFixed(1);
  if (lookingBack === null) slider.value = slider.max;
  $("live").disabled = lookingBack === null;
  if (lookingBack === null) setSliderText("now");
  else setSliderText((now - lookingBack).toFixed(1) + " s ago");
}

function lookBack(time) {
  lookingBack = time;
  if (time !== null && (past === null || time > loadedUntil)) loadHistory();
  showAll();
}

$("slider").addEventListener("input", () => {
  const value = Number($("slider").value);
  lookBack(value >= Number($("slider").max) - 0.05 ? null : value);
});
$("live").addEventListener("click", () => {
  past = null;
  lookBack(null);
});
