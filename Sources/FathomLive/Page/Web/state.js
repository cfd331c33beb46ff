"use strict";
// What is known of the stream: anchors, zones, tags, links, and how many lines came.

const $ = id => document.getElementById(id);
const site = { anchors: [], zones: [], plan: null };
const tags = new Map();
// Seconds of the stream; without lines they go on as the wall clock does.
let now = 0, links = [], chosen = null, paused = false, following = false, ended = false;
// The counts of the last frame; null before it.
let counts = null, countedAt = 0;
// After so many seconds a link without a range is lost, and a tag without a position.
const lostAfter = 3;
// After so many seconds without a range a tag is lost although positions are predicted.
const unheardAfter = 10;
const trailLength = 150;

const dark = matchMedia("(prefers-color-scheme: dark)");
const palettes = [
  ["#0b62c4", "#d9480f", "#2b8a3e", "#9c36b5", "#b8860b", "#0c8599", "#c2255c", "#5f3dc4", "#6b7d00", "#7a4b2a"],
  ["#6cb0ff", "#ff9a5c", "#69db7c", "#da77f2", "#ffd43b", "#3bc9db", "#faa2c1", "#b197fc", "#c0eb75", "#d0a98a"],
];
const colourOf = tag => palettes[dark.matches ? 1 : 0][tag.number % palettes[0].length];

// Sorts as people count: tag2 before tag10.
const collator = new Intl.Collator("en", { numeric: true });
const byName = (a, b) => collator.compare(a.name, b.name) || (a.name < b.name ? -1 : 1);

function tagOf(name) {
  let tag = tags.get(name);
  if (!tag) {
    tag = { name, number: tags.size, trail: [], zones: [], time: 0, status: "starting" };
    tags.set(name, tag);
    if (chosen === null) chosen = name;
  }
  return tag;
}

function update(data) {
  const tag = tagOf(data.n);
  Object.assign(tag, {
    time: data.t, measured: data.h, position: data.p, covariance: data.c, status: data.s, other: data.a || null,
    zones: data.z || [],
  });
  if (data.k !== undefined) tag.number = data.k;
  if (data.trail) {
    tag.trail = data.trail.slice(-trailLength);
  } else if (hasPlace(tag)) {
    tag.trail.push([data.p[0], data.p[1]]);
    if (tag.trail.length > trailLength) tag.trail.shift();
  }
}

function count(data) {
  if (data.quiet === undefined) return;
  counts = data;
  countedAt = performance.now();
}

const hasPlace = tag =>
  Boolean(tag.position) && tag.position[0] !== null && tag.position[1] !== null && tag.status !== "relative";

// Seconds since the last frame; frames come twice a second at least.
const sinceFrame = () => (performance.now() - countedAt) / 1000;
// Seconds since the last line, and since the last usable one.
const quiet = () => counts.quiet + sinceFrame();
const idle = () => counts.idle + sinceFrame();

// Seconds by which the stream is older than its last range; while the page is paused it stands still.
let pausedExtra = 0;
function extra() {
  if (ended || counts === null) return 0;
  if (paused) return pausedExtra;
  pausedExtra = Math.max(0, idle() - 0.6);
  return pausedExtra;
}

// Seconds since `time` of the stream, at the instant that is shown.
const age = time => lookingBack === null ? now - time + extra() : lookingBack - time;
// Seconds since the last range of a tag.
const ageOf = tag => Math.max(0, age(tag.measured === undefined ? tag.time : tag.measured));
const isLost = tag => age(tag.time) > lostAfter || ageOf(tag) > unheardAfter;
const statusOf = tag => isLost(tag) ? "lost" : tag.status;
// One standard deviation of the position in the plane, in metres; null if unknown.
function sigmaOf(tag) {
  if (tag.sigma !== undefined) return tag.sigma;
  const c = tag.covariance;
  return c && c[0] !== null && c[2] !== null ? Math.sqrt(Math.max(0, c[0] + c[2])) : null;
}

const fixed = (value, digits) =>
  value === null || value === undefined || !isFinite(value) ? "" : value.toFixed(digits);

// The beginning and the end of a name that is long for the screen: names of radios differ at the end.
function short(name) {
  const most = innerWidth <= 820 ? 11 : 16;
  return name.length > most ? name.slice(0, most - 8) + "…" + name.slice(-6) : name;
}

// The differences between the ranges of a frame and the positions of the same frame; later the tag has moved on.
function findResiduals() {
  for (const link of links) {
    const tag = tags.get(link.tag), anchor = site.anchors.find(a => a.n === link.anchor);
    link.residual = null;
    if (!tag || !anchor || !hasPlace(tag) || tag.position[2] === null) continue;
    if (link.d === null || link.age > 1) continue;
    const [x, y, z] = tag.position, [u, v, w] = anchor.p;
    link.residual = link.d - Math.hypot(x - u, y - v, z - w);
  }
}
