"use strict";
// The events of the stream, its status, and the buttons.

let rates = [], isDisconnected = false;
const source = new EventSource("events" + location.search);

// What the screen reader reads when it has time.
function announce(text) { setText($("announced"), text); }

// The status in a few words, its colour, and what is announced of it, which has no numbers that go on.
function statusNow() {
  if (ended) return ["ended", "gone"];
  if (isDisconnected) return ["connection lost", "gone"];
  if (counts === null) return ["connecting", "wait"];
  if (lookingBack !== null) return [`${(now - lookingBack).toFixed(0)} s ago`, "paused", "looking back"];
  if (paused) return ["paused", "paused"];
  const { lines, used, reason } = counts, first = reason ? `, first reason: ${reason}` : " so far";
  if (used === 0 && lines === 0) {
    const seconds = Math.floor(quiet());
    return [seconds >= lostAfter ? `no line for ${seconds} s` : "no line yet", "wait", "no line yet"];
  }
  if (used === 0) return [`${lines} lines read, 0 usable${first}`, reason ? "gone" : "wait", "0 lines usable" + first];
  if (quiet() > lostAfter) return [`no data for ${Math.floor(quiet())} s`, "gone", "no data"];
  if (idle() > lostAfter) {
    const why = counts.last ? `: ${counts.last}` : "";
    return [`no usable line for ${Math.floor(idle())} s${why}`, "gone", "no usable line" + why];
  }
  return ["live", "live"];
}

function showStatus() {
  const [text, name, said] = statusNow();
  setText($("status"), text);
  setClass($("status"), "pill " + name);
  const kind = said || text;
  if ($("status").dataset.said !== kind) {
    $("status").dataset.said = kind;
    announce(kind);
  }
  setText($("empty"), name === "live" && tags.size === 0 ? "No position yet: ranges come" : "No position yet");
}

function showAll() {
  showStatus();
  showSlider();
  showTags();
  showLinks();
  showResiduals();
  showZones();
  redraw();
}

function setFollow(value) {
  following = value;
  $("follow").setAttribute("aria-pressed", value);
}

function setPaused(value) {
  paused = value;
  $("pause").setAttribute("aria-pressed", value);
  showStatus();
}

$("pause").addEventListener("click", () => setPaused(!paused));
$("follow").addEventListener("click", () => { setFollow(!following); redraw(); });
$("fit").addEventListener("click", () => {
  setFollow(false);
  view.isOwn = false;
  fit();
  redraw();
});

function end() {
  ended = true;
  source.close();
  showStatus();
}

// What a frame and the state for a browser that joins have in common.
function receive(data) {
  if (data.t) now = data.t;
  for (const tag of data.tags) update(tag);
  for (const name of data.gone || []) tags.delete(name);
  if (data.links) {
    links = data.links;
    findResiduals();
  }
  if (data.diagnoses) showDiagnoses(data.diagnoses);
}

source.addEventListener("open", () => { isDisconnected = false; showStatus(); });
source.addEventListener("error", () => { isDisconnected = !ended; showStatus(); });

source.addEventListener("site", event => {
  Object.assign(site, JSON.parse(event.data));
  loadPicture();
  if (!view.isOwn) view.isSet = false;
  redraw();
  showZones();
});

source.addEventListener("state", event => {
  const data = JSON.parse(event.data);
  count(data);
  // Tags that were forgotten while the connection was lost.
  const names = new Set(data.tags.map(tag => tag.n));
  for (const name of tags.keys()) if (!names.has(name)) tags.delete(name);
  receive(data);
  if (data.end) end();
  showAll();
});

source.addEventListener("frame", event => {
  const data = JSON.parse(event.data);
  if (data.news && data.news.length) {
    if (data.old) $("news").replaceChildren();
    addNews(data.news);
  }
  if (data.old) return;
  count(data);
  rates.push([performance.now(), data.r]);
  while (rates.length > 2 && rates[rates.length - 1][0] - rates[0][0] > 3000) rates.shift();
  if (!paused) receive(data);
  if (data.end) end();
  if (!paused) redraw();
});

function showFigures() {
  setText($("clock"), now ? (lookingBack === null ? now : lookingBack).toFixed(1) : "–");
  const first = rates[0], last = rates[rates.length - 1];
  if (first && last && last[0] > first[0]) {
    const rate = idle() > lostAfter ? 0 : (last[1] - first[1]) * 1000 / (last[0] - first[0]);
    setText($("rate"), `${Math.round(rate)}`);
  }
}

setInterval(() => {
  showStatus();
  if (paused) return;
  showFigures();
  showAll();
}, 250);
addEventListener("resize", redraw);
dark.addEventListener("change", redraw);
draw();
