"use strict";
// The plan, drawn on a canvas.

const canvas = $("canvas"), context = canvas.getContext("2d");
// The middle of the plan in metres, and pixels per metre; `isOwn` once the user has moved it.
const view = { x: 0, y: 0, scale: 40, isSet: false, isOwn: false };
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const place = p => [
  canvas.clientWidth / 2 + (p[0] - view.x) * view.scale,
  canvas.clientHeight / 2 - (p[1] - view.y) * view.scale,
];

function bounds() {
  const points = site.anchors.map(a => a.p).concat(site.zones.flatMap(z => z.c));
  for (const tag of shownTags()) if (hasPlace(tag) && !isLost(tag)) points.push(tag.position);
  let finite = points.filter(p => p[0] !== null && p[1] !== null && isFinite(p[0]) && isFinite(p[1]));
  if (!finite.length) finite = pictureCorners();
  if (!finite.length) return null;
  const xs = finite.map(p => p[0]), ys = finite.map(p => p[1]);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function fit() {
  const box = bounds();
  if (!box) return;
  const width = Math.max(box[2] - box[0], 1), height = Math.max(box[3] - box[1], 1);
  const margin = Math.min(60, canvas.clientWidth / 7);
  const across = (canvas.clientWidth - 2 * margin) / width, along = (canvas.clientHeight - 2 * margin) / height;
  view.scale = Math.max(1e-3, Math.min(across, along));
  view.x = (box[0] + box[2]) / 2;
  view.y = (box[1] + box[3]) / 2;
  view.isSet = true;
}

// The picture of the floor plan.
let picture = null;

function loadPicture() {
  if (!site.plan || picture) return;
  const image = new Image();
  image.addEventListener("load", () => { picture = image; redraw(); });
  image.src = "picture" + location.search;
}

// The lower left and the upper right corner of the picture, in metres; none without it.
function pictureCorners() {
  if (!picture || !site.plan) return [];
  const [x, y] = site.plan.origin, scale = site.plan.scale;
  return [[x, y], [x + picture.naturalWidth * scale, y + picture.naturalHeight * scale]];
}

function drawPicture() {
  const [low, high] = pictureCorners();
  if (!low) return;
  const [left, bottom] = place(low), [right, top] = place(high);
  context.globalAlpha = Number(css("--picture"));
  context.drawImage(picture, left, top, right - left, bottom - top);
  context.globalAlpha = 1;
}

function gridStep() {
  const raw = 70 / view.scale, power = Math.pow(10, Math.floor(Math.log10(raw)));
  return [1, 2, 5, 10].find(f => f * power >= raw) * power;
}

function line(x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

// Writes text that can be read on lines and pictures.
function write(text, x, y, colour) {
  context.lineWidth = 3;
  context.strokeStyle = css("--plan");
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

function drawGrid(width, height) {
  const step = gridStep();
  context.strokeStyle = css("--grid");
  context.lineWidth = 1;
  const left = view.x - width / 2 / view.scale, right = view.x + width / 2 / view.scale;
  const low = view.y - height / 2 / view.scale, high = view.y + height / 2 / view.scale;
  const across = multiples(step, left, right), up = multiples(step, low, high);
  for (const x of across) line(place([x, 0])[0], 0, place([x, 0])[0], height);
  for (const y of up) line(0, place([0, y])[1], width, place([0, y])[1]);
  drawAxes(step, across, up, width, height);
}

// The multiples of `step` from `low` to `high`.
function multiples(step, low, high) {
  const first = Math.ceil(low / step), count = Math.max(0, Math.floor(high / step) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}

function drawAxes(step, across, up, width, height) {
  const decimals = Math.max(0, -Math.floor(Math.log10(step))), colour = css("--faint");
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "bottom";
  for (const value of across) {
    const [x] = place([value, 0]);
    if (x > 40 && x < width - 30) write(value.toFixed(decimals), x, height - 4, colour);
  }
  context.textAlign = "left";
  write("x m", 4, height - 4, colour);
  context.textBaseline = "middle";
  for (const value of up) {
    const [, y] = place([0, value]);
    if (y > 20 && y < height - 24) write(value.toFixed(decimals), 4, y, colour);
  }
  context.textBaseline = "top";
  write("y m", 4, 2, colour);
}

// The 95 % ellipse.
function drawEllipse(tag) {
  const [xx, xy, yy] = tag.covariance || [];
  if (!(xx > 0) || !(yy > 0)) return;
  const mean = (xx + yy) / 2, half = Math.hypot((xx - yy) / 2, xy), angle = 0.5 * Math.atan2(2 * xy, xx - yy);
  const [x, y] = place(tag.position), factor = Math.sqrt(5.991) * view.scale;
  const long = Math.min(4e3, factor * Math.sqrt(mean + half));
  const short = Math.min(4e3, factor * Math.sqrt(Math.max(mean - half, 0)));
  context.beginPath();
  context.ellipse(x, y, Math.max(long, 2), Math.max(short, 2), -angle, 0, 7);
  context.stroke();
  context.globalAlpha = 0.15;
  context.fill();
  context.globalAlpha = 1;
}

// Writes a name beside (x, y) where no other is, if there is such a place; rather inside of the plan.
function label(name, x, y, colour, taken) {
  context.font = "12px system-ui, sans-serif";
  const text = short(name), width = context.measureText(text).width;
  const offsets = [[9, -9], [9, 13], [-9 - width, -9], [-9 - width, 13], [-width / 2, -18], [-width / 2, 26]];
  const boxes = offsets.map(([dx, dy]) => [x + dx, y + dy - 8, x + dx + width, y + dy + 8])
    .filter(box => !taken.some(o => o[0] < box[2] && box[0] < o[2] && o[1] < box[3] && box[1] < o[3]));
  const box = boxes.find(b => b[0] >= 0 && b[2] <= canvas.clientWidth) || boxes[0];
  if (!box) return;
  taken.push(box);
  context.textAlign = "left";
  context.textBaseline = "middle";
  write(text, box[0], box[1] + 8, colour);
}

function tracePath(points) {
  context.beginPath();
  points.forEach((p, index) => context[index ? "lineTo" : "moveTo"](...place(p)));
}

function drawZones(all, taken) {
  const lit = new Set(all.filter(tag => !isLost(tag)).flatMap(tag => tag.zones));
  for (const zone of site.zones) {
    tracePath(zone.c);
    context.closePath();
    context.fillStyle = css(lit.has(zone.n) ? "--lit" : "--zone");
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = css(lit.has(zone.n) ? "--good" : "--faint");
    context.stroke();
    const xs = zone.c.map(c => c[0]), ys = zone.c.map(c => c[1]);
    const [x, y] = place([Math.min(...xs), Math.max(...ys)]);
    label(zone.n, x - 4, y + 4, css("--soft"), taken);
  }
}

function drawAnchors(taken) {
  for (const anchor of site.anchors) {
    const [x, y] = place(anchor.p);
    context.fillStyle = css("--ink");
    context.beginPath();
    context.moveTo(x, y - 6);
    context.lineTo(x + 6, y + 5);
    context.lineTo(x - 6, y + 5);
    context.closePath();
    context.fill();
    taken.push([x - 6, y - 6, x + 6, y + 6]);
    if (site.anchors.length <= 60) label(anchor.n, x, y, css("--soft"), taken);
  }
}

const colourShown = tag => isLost(tag) ? css("--faint") : colourOf(tag);

function drawTag(tag, isCrowded, taken) {
  context.strokeStyle = context.fillStyle = colourShown(tag);
  context.lineWidth = 1.2;
  if (!isLost(tag)) drawEllipse(tag);
  const [x, y] = place(tag.position);
  if (tag.other && tag.other[0] !== null) {
    const [u, v] = place(tag.other);
    context.setLineDash([4, 4]);
    line(x, y, u, v);
    context.setLineDash([]);
    context.beginPath();
    context.arc(u, v, 5, 0, 7);
    context.stroke();
  }
  context.beginPath();
  context.arc(x, y, isCrowded ? 3.5 : 5.5, 0, 7);
  context.fill();
  if (tag.name === chosen) {
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x, y, 9, 0, 7);
    context.stroke();
  }
  taken.push([x - 6, y - 6, x + 6, y + 6]);
}

function resize() {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    if (!view.isOwn) view.isSet = false;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

function draw() {
  resize();
  context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  const all = shownTags().filter(hasPlace), isCrowded = all.length > 30, taken = [];
  const followed = following ? all.find(tag => tag.name === chosen) : undefined;
  if (followed) Object.assign(view, { x: followed.position[0], y: followed.position[1], isSet: true });
  if (!view.isSet) fit();
  drawPicture();
  drawGrid(canvas.clientWidth, canvas.clientHeight);
  drawZones(all, taken);
  for (const tag of all) {
    context.strokeStyle = colourShown(tag);
    context.lineJoin = "round";
    context.lineWidth = 1.5;
    context.globalAlpha = isCrowded ? 0.35 : 0.6;
    tracePath(tag.trail);
    context.stroke();
    context.globalAlpha = 1;
  }
  drawAnchors(taken);
  for (const tag of all) drawTag(tag, isCrowded, taken);
  for (const tag of all) {
    if (!isCrowded || tag.name === chosen) label(tag.name, ...place(tag.position), colourShown(tag), taken);
  }
  $("empty").hidden = all.length > 0;
  showTip(all);
}

let isDrawDue = false;
function redraw() {
  if (isDrawDue) return;
  isDrawDue = true;
  requestAnimationFrame(() => { isDrawDue = false; draw(); });
}
