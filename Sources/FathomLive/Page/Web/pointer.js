"use strict";
// Moving the plan and pointing at tags: with a mouse, with fingers, with the keyboard.

// The pointers that are down, and where the first one began: its pixels, and the middle of the plan.
const pointers = new Map();
let hold = null;
// The tag whose numbers are shown beside it; null for none.
let pointed = null;

// The tag within `reach` pixels of a point that is nearest to it; null without one.
function tagNear(x, y, reach) {
  let nearest = null, least = reach;
  for (const tag of shownTags()) {
    if (!hasPlace(tag)) continue;
    const [u, v] = place(tag.position), distance = Math.hypot(u - x, v - y);
    if (distance <= least) [nearest, least] = [tag.name, distance];
  }
  return nearest;
}

// The numbers of a tag, a line each.
function numbers(tag) {
  const [x, y, z] = tag.position || [], sigma = sigmaOf(tag);
  const place = [["x", x], ["y", y], ["z", z]].filter(([, v]) => fixed(v, 2) !== "");
  const lines = [`${tag.name}: ${statusOf(tag)}`];
  if (place.length) lines.push(place.map(([name, v]) => `${name} ${fixed(v, 2)} m`).join(", "));
  if (sigma !== null) lines.push(`± ${fixed(sigma, 2)} m`);
  lines.push(`age ${fixed(ageOf(tag), 1)} s`);
  const anchors = lookingBack === null ? links.filter(link => link.tag === tag.name).length : 0;
  if (anchors) lines.push(anchors === 1 ? "1 anchor" : `${anchors} anchors`);
  if (tag.zones.length) lines.push("in " + tag.zones.join(", "));
  return lines;
}

function showTip(all) {
  const tip = $("tip"), tag = pointed === null ? undefined : all.find(other => other.name === pointed);
  tip.hidden = tag === undefined;
  if (!tag) return;
  tip.textContent = numbers(tag).join("\n");
  const [x, y] = place(tag.position), width = tip.offsetWidth, height = tip.offsetHeight;
  const left = x + 16 + width < canvas.clientWidth ? x + 16 : x - 16 - width;
  const top = Math.min(Math.max(y - height / 2, 4), canvas.clientHeight - height - 4);
  tip.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
}

function point(name) {
  if (pointed === name) return;
  pointed = name;
  redraw();
}

function pinch(event, before) {
  const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
  const was = Math.hypot(before[0] - other[0], before[1] - other[1]);
  const is = Math.hypot(event.offsetX - other[0], event.offsetY - other[1]);
  if (was > 0) zoom(is / was);
}

// Zooms by `factor` around the middle, or around the point (x, y) in pixels.
function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
  const right = (x - canvas.clientWidth / 2) / view.scale, up = (canvas.clientHeight / 2 - y) / view.scale;
  view.scale *= factor;
  view.isOwn = true;
  if (following) return;
  view.x += right * (1 - 1 / factor);
  view.y += up * (1 - 1 / factor);
}

const distanceHeld = event => Math.hypot(event.offsetX - hold.x, event.offsetY - hold.y);

canvas.addEventListener("pointerdown", event => {
  pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
  hold = { x: event.offsetX, y: event.offsetY, viewX: view.x, viewY: view.y, isTap: pointers.size === 1 };
  canvas.setPointerCapture(event.pointerId);
});

canvas.addEventListener("pointermove", event => {
  const before = pointers.get(event.pointerId);
  if (!before) {
    if (event.pointerType === "mouse") point(tagNear(event.offsetX, event.offsetY, 14));
    return;
  }
  if (pointers.size === 2) {
    pinch(event, before);
  } else if (hold && pointers.size === 1) {
    if (distanceHeld(event) > 4) {
      hold.isTap = false;
      setFollow(false);
    }
    if (!hold.isTap) {
      view.x = hold.viewX - (event.offsetX - hold.x) / view.scale;
      view.y = hold.viewY + (event.offsetY - hold.y) / view.scale;
      view.isOwn = true;
    }
  }
  pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
  redraw();
});

canvas.addEventListener("pointerup", event => {
  pointers.delete(event.pointerId);
  if (hold && hold.isTap) {
    // A finger is wider than the tip of a mouse pointer.
    const name = tagNear(event.offsetX, event.offsetY, event.pointerType === "mouse" ? 14 : 26);
    point(name);
    if (name !== null) choose(name);
  }
  hold = null;
});
canvas.addEventListener("pointercancel", event => { pointers.delete(event.pointerId); hold = null; });
canvas.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") point(null); });

canvas.addEventListener("wheel", event => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
  redraw();
}, { passive: false });

// Chooses the tag `step` places after the chosen one, in the order of the table.
function step(by) {
  const names = shownTags().sort(byName).map(tag => tag.name);
  if (!names.length) return;
  const next = names[(names.indexOf(chosen) + by + names.length) % names.length];
  point(next);
  choose(next);
  announce(numbers(shownTag(next)).join(", "));
}

canvas.addEventListener("keydown", event => {
  const far = 0.1 * Math.min(canvas.clientWidth, canvas.clientHeight) / view.scale;
  const moves = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] };
  const move = moves[event.key];
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (move) {
    setFollow(false);
    Object.assign(view, { x: view.x + move[0], y: view.y + move[1], isOwn: true });
  } else if (event.key === "+" || event.key === "=") {
    zoom(1.25);
  } else if (event.key === "-") {
    zoom(0.8);
  } else if (event.key === "n" || event.key === "p") {
    step(event.key === "n" ? 1 : -1);
  } else if (event.key === "Escape") {
    point(null);
  } else {
    return;
  }
  event.preventDefault();
  redraw();
});
