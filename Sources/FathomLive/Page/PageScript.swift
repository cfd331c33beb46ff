/// The program of the page, in parts.
enum PageScript {
  /// What is known: anchors, zones, tags, links.
  static let state = """
    "use strict";
    const $ = id => document.getElementById(id);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const palettes = [["#0b62c4", "#d9480f", "#2b8a3e", "#9c36b5", "#b8860b", "#0c8599", "#c2255c", "#5f3dc4", "#6b7d00", "#7a4b2a"],
      ["#6cb0ff", "#ff9a5c", "#69db7c", "#da77f2", "#ffd43b", "#3bc9db", "#faa2c1", "#b197fc", "#c0eb75", "#d0a98a"]];
    const site = { anchors: [], zones: [] };
    const tags = new Map();
    let links = [], chosen = null, paused = false, following = false, now = 0, ended = false;
    let received = performance.now(), rates = [];
    const lostAfter = 3, trailLength = 150;
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
      Object.assign(tag, { time: data.t, position: data.p, covariance: data.c, status: data.s, other: data.a || null, zones: data.z || [] });
      if (data.trail) tag.trail = data.trail.slice(-trailLength);
      else if (hasPlace(tag)) {
        tag.trail.push([data.p[0], data.p[1]]);
        if (tag.trail.length > trailLength) tag.trail.shift();
      }
    }
    const colourOf = tag => palettes[dark.matches ? 1 : 0][tag.number % palettes[0].length];
    const hasPlace = tag => tag.position && tag.position[0] !== null && tag.position[1] !== null && tag.status !== "relative";
    // Without frames the stream's clock goes on as the wall clock does.
    const age = time => now - time + (ended ? 0 : Math.max(0, (performance.now() - received) / 1000 - 0.6));
    const isLost = tag => age(tag.time) > lostAfter;
    """

  /// The plan, drawn on a canvas.
  static let plan = """
    const canvas = $("canvas"), context = canvas.getContext("2d");
    const view = { x: 0, y: 0, scale: 40, isSet: false, isOwn: false };
    const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    function bounds() {
      const points = site.anchors.map(a => a.p).concat(site.zones.flatMap(z => z.c));
      for (const tag of tags.values()) if (hasPlace(tag) && !isLost(tag)) points.push(tag.position);
      const finite = points.filter(p => isFinite(p[0]) && isFinite(p[1]));
      if (!finite.length) return null;
      const xs = finite.map(p => p[0]), ys = finite.map(p => p[1]);
      return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    }
    function fit() {
      const box = bounds();
      if (!box) return;
      const width = Math.max(box[2] - box[0], 1), height = Math.max(box[3] - box[1], 1);
      const margin = Math.min(60, canvas.clientWidth / 7);
      view.scale = Math.max(1e-3, Math.min((canvas.clientWidth - 2 * margin) / width, (canvas.clientHeight - 2 * margin) / height));
      view.x = (box[0] + box[2]) / 2; view.y = (box[1] + box[3]) / 2; view.isSet = true;
    }
    const place = p => [canvas.clientWidth / 2 + (p[0] - view.x) * view.scale, canvas.clientHeight / 2 - (p[1] - view.y) * view.scale];
    function gridStep() {
      const raw = 70 / view.scale, power = Math.pow(10, Math.floor(Math.log10(raw)));
      return [1, 2, 5, 10].find(f => f * power >= raw) * power;
    }
    function grid(width, height) {
      const step = gridStep(), decimals = Math.max(0, -Math.floor(Math.log10(step)));
      context.strokeStyle = css("--grid"); context.fillStyle = css("--faint"); context.lineWidth = 1;
      context.font = "11px system-ui, sans-serif";
      const left = view.x - width / 2 / view.scale, right = view.x + width / 2 / view.scale;
      const low = view.y - height / 2 / view.scale, high = view.y + height / 2 / view.scale;
      context.textAlign = "center"; context.textBaseline = "bottom";
      for (let k = Math.ceil(left / step); k * step <= right; k++) {
        const [x] = place([k * step, 0]);
        context.beginPath(); context.moveTo(x, 0); context.lineTo(x, height); context.stroke();
        if (x > 40 && x < width - 60) context.fillText((k * step).toFixed(decimals), x, height - 4);
      }
      context.textAlign = "left"; context.textBaseline = "middle";
      for (let k = Math.ceil(low / step); k * step <= high; k++) {
        const [, y] = place([0, k * step]);
        context.beginPath(); context.moveTo(0, y); context.lineTo(width, y); context.stroke();
        if (y > 14 && y < height - 24) context.fillText((k * step).toFixed(decimals), 4, y);
      }
      context.textBaseline = "top"; context.fillText("y m", 4, 2);
      context.textAlign = "left"; context.textBaseline = "bottom"; context.fillText("x m", 4, height - 4);
    }
    function ellipse(tag) {
      const [xx, xy, yy] = tag.covariance || [];
      if (!(xx > 0) || !(yy > 0)) return;
      const mean = (xx + yy) / 2, half = Math.hypot((xx - yy) / 2, xy), angle = 0.5 * Math.atan2(2 * xy, xx - yy);
      const [x, y] = place(tag.position), factor = Math.sqrt(5.991) * view.scale;
      const a = Math.min(4e3, factor * Math.sqrt(mean + half)), b = Math.min(4e3, factor * Math.sqrt(Math.max(mean - half, 0)));
      context.beginPath(); context.ellipse(x, y, Math.max(a, 2), Math.max(b, 2), -angle, 0, 7); context.stroke();
      context.globalAlpha *= 0.15; context.fill(); context.globalAlpha /= 0.15;
    }
    function label(text, x, y, colour, taken) {
      context.font = "12px system-ui, sans-serif";
      const width = context.measureText(text).width;
      for (const [dx, dy] of [[9, -9], [9, 13], [-9 - width, -9], [-9 - width, 13], [-width / 2, -18], [-width / 2, 26]]) {
        const box = [x + dx, y + dy - 8, x + dx + width, y + dy + 8];
        if (taken.some(o => o[0] < box[2] && box[0] < o[2] && o[1] < box[3] && box[1] < o[3])) continue;
        taken.push(box);
        context.textAlign = "left"; context.textBaseline = "middle";
        context.lineWidth = 3; context.strokeStyle = css("--plan"); context.strokeText(text, box[0], y + dy);
        context.fillStyle = colour; context.fillText(text, box[0], y + dy);
        return;
      }
    }
    function draw() {
      const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
        if (!view.isOwn) view.isSet = false;
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      if (following) {
        const tag = tags.get(chosen);
        if (tag && hasPlace(tag)) { view.x = tag.position[0]; view.y = tag.position[1]; view.isSet = true; }
      }
      if (!view.isSet) fit();
      grid(width, height);
      const lit = new Set();
      for (const tag of tags.values()) if (!isLost(tag)) for (const zone of tag.zones) lit.add(zone);
      const taken = [];
      for (const zone of site.zones) {
        context.beginPath(); zone.c.forEach((c, i) => context[i ? "lineTo" : "moveTo"](...place(c))); context.closePath();
        context.fillStyle = css(lit.has(zone.n) ? "--lit" : "--zone"); context.fill();
        context.lineWidth = 1; context.strokeStyle = css(lit.has(zone.n) ? "--good" : "--faint"); context.stroke();
        const xs = zone.c.map(c => c[0]), ys = zone.c.map(c => c[1]);
        const [x, y] = place([Math.min(...xs), Math.max(...ys)]);
        label(zone.n, x - 4, y + 4, css("--soft"), taken);
      }
      const all = [...tags.values()].filter(hasPlace), isCrowded = all.length > 30;
      for (const tag of all) {
        context.strokeStyle = isLost(tag) ? css("--faint") : colourOf(tag); context.lineJoin = "round";
        context.lineWidth = 1.5; context.globalAlpha = isCrowded ? 0.35 : 0.6;
        context.beginPath(); tag.trail.forEach((p, i) => context[i ? "lineTo" : "moveTo"](...place(p))); context.stroke();
        context.globalAlpha = 1;
      }
      for (const anchor of site.anchors) {
        const [x, y] = place(anchor.p);
        context.fillStyle = css("--ink"); context.beginPath();
        context.moveTo(x, y - 6); context.lineTo(x + 6, y + 5); context.lineTo(x - 6, y + 5); context.closePath(); context.fill();
        taken.push([x - 6, y - 6, x + 6, y + 6]);
        if (site.anchors.length <= 60) label(anchor.n, x, y, css("--soft"), taken);
      }
      for (const tag of all) {
        const colour = isLost(tag) ? css("--faint") : colourOf(tag);
        context.strokeStyle = context.fillStyle = colour; context.lineWidth = 1.2;
        if (!isLost(tag)) ellipse(tag);
        const [x, y] = place(tag.position);
        if (tag.other && tag.other[0] !== null) {
          const [u, v] = place(tag.other);
          context.setLineDash([4, 4]); context.beginPath(); context.moveTo(x, y); context.lineTo(u, v); context.stroke(); context.setLineDash([]);
          context.beginPath(); context.arc(u, v, 5, 0, 7); context.stroke();
        }
        context.beginPath(); context.arc(x, y, isCrowded ? 3.5 : 5.5, 0, 7); context.fill();
        if (tag.name === chosen) { context.lineWidth = 2; context.beginPath(); context.arc(x, y, 9, 0, 7); context.stroke(); }
        taken.push([x - 6, y - 6, x + 6, y + 6]);
        if (!isCrowded || tag.name === chosen) label(tag.name, x, y, colour, taken);
      }
      $("empty").hidden = all.length > 0;
    }
    let hold = null;
    const pointers = new Map();
    canvas.addEventListener("pointerdown", e => { pointers.set(e.pointerId, [e.offsetX, e.offsetY]); hold = [e.offsetX, e.offsetY, view.x, view.y]; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener("pointermove", e => {
      if (!pointers.has(e.pointerId)) return;
      const before = pointers.get(e.pointerId);
      if (pointers.size === 2) {
        const [other] = [...pointers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
        const was = Math.hypot(before[0] - other[0], before[1] - other[1]), is = Math.hypot(e.offsetX - other[0], e.offsetY - other[1]);
        if (was > 0) { view.scale *= is / was; view.isOwn = true; }
      } else if (hold && pointers.size === 1) {
        view.x = hold[2] - (e.offsetX - hold[0]) / view.scale; view.y = hold[3] + (e.offsetY - hold[1]) / view.scale;
        view.isOwn = true; if (Math.hypot(e.offsetX - hold[0], e.offsetY - hold[1]) > 4) setFollow(false);
      }
      pointers.set(e.pointerId, [e.offsetX, e.offsetY]); draw();
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, e => { pointers.delete(e.pointerId); hold = null; });
    canvas.addEventListener("wheel", e => {
      e.preventDefault();
      const factor = Math.exp(-e.deltaY * 0.0015), x = (e.offsetX - canvas.clientWidth / 2) / view.scale, y = (canvas.clientHeight / 2 - e.offsetY) / view.scale;
      view.scale *= factor; view.isOwn = true;
      if (!following) { view.x += x * (1 - 1 / factor); view.y += y * (1 - 1 / factor); }
      draw();
    }, { passive: false });
    """

  /// The tables beside the plan.
  static let tables = """
    const fixed = (value, digits) => value === null || value === undefined || !isFinite(value) ? "" : value.toFixed(digits);
    function cell(row, text, name) { const td = row.insertCell(); td.textContent = text; if (name) td.className = name; return td; }
    function word(row, text) { const td = row.insertCell(), span = document.createElement("span"); span.textContent = text; span.className = text; td.append(span); }
    function dot(td, colour) { const mark = document.createElement("i"); mark.className = "dot"; mark.style.background = colour; td.prepend(mark); }
    function showTags() {
      const body = document.createElement("tbody");
      for (const tag of [...tags.values()].slice(0, 200)) {
        const row = body.insertRow();
        row.className = (tag.name === chosen ? "chosen " : "") + (isLost(tag) ? "lost" : "");
        row.dataset.tag = tag.name; row.tabIndex = 0;
        dot(cell(row, tag.name), colourOf(tag)); word(row, tag.status);
        const p = tag.position || [];
        for (const value of [p[0], p[1], p[2]]) cell(row, fixed(value, 2), "n");
        const c = tag.covariance;
        cell(row, c && c[0] !== null ? fixed(Math.sqrt(Math.max(0, c[0] + c[2])), 2) : "", "n");
        cell(row, fixed(Math.max(0, age(tag.time)), 1), "n");
      }
      const old = $("tags").tBodies[0], focus = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.tag : null;
      old.replaceWith(body);
      if (focus) for (const row of body.rows) if (row.dataset.tag === focus) row.focus({ preventScroll: true });
      $("tag-count").textContent = tags.size > 1 ? tags.size : "";
    }
    function showLinks() {
      const body = document.createElement("tbody");
      const ofChosen = tags.size > 6 ? links.filter(link => link.tag === chosen) : links;
      const extra = ended ? 0 : Math.max(0, (performance.now() - received) / 1000 - 0.6);
      for (const link of ofChosen) {
        const row = body.insertRow(), lost = link.age + extra > lostAfter;
        if (lost) row.className = "lost";
        row.dataset.link = link.tag + " " + link.anchor;
        cell(row, link.tag); cell(row, link.anchor); cell(row, fixed(link.d, 2), "n"); cell(row, lost ? "" : fixed(link.rate, 1), "n");
        cell(row, link.loss === null ? "" : Math.round(100 * link.loss) + " %", "n"); cell(row, fixed(link.score, 2), "n");
        cell(row, fixed(link.rssi, 0), "n"); cell(row, fixed(link.fp, 0), "n"); word(row, link.use);
      }
      $("links").tBodies[0].replaceWith(body);
      $("link-note").textContent = tags.size > 6 && chosen !== null ? "of " + chosen + "; choose another tag above" : "";
    }
    // Distances and positions of one frame belong together; later the tag has moved on.
    function findResiduals() {
      for (const link of links) {
        const tag = tags.get(link.tag), anchor = site.anchors.find(a => a.n === link.anchor);
        link.residual = null;
        if (!tag || !anchor || !hasPlace(tag) || tag.position[2] === null || link.d === null || link.age > 1) continue;
        const [x, y, z] = tag.position;
        link.residual = link.d - Math.hypot(x - anchor.p[0], y - anchor.p[1], z - anchor.p[2]);
      }
    }
    function showResiduals() {
      const list = $("residuals");
      const rows = links.filter(link => link.tag === chosen && link.residual !== null).map(link => [link.anchor, link.residual]);
      $("residual-section").hidden = rows.length === 0;
      $("residual-tag").textContent = chosen === null ? "" : "of " + chosen + ": distance measured less that to its position";
      list.replaceChildren(...rows.map(([name, value]) => {
        const bar = document.createElement("div"), text = document.createElement("span"), line = document.createElement("i"), fill = document.createElement("b"), number = document.createElement("span");
        bar.className = "bar"; text.textContent = name; number.textContent = (value > 0 ? "+" : "") + value.toFixed(2) + " m"; number.className = "n";
        const half = Math.min(50, Math.abs(value) * 50 / 0.5);
        fill.style.left = (value < 0 ? 50 - half : 50) + "%"; fill.style.width = half + "%";
        line.append(fill); bar.append(text, line, number); return bar;
      }));
    }
    function showZones() {
      $("zone-section").hidden = site.zones.length === 0;
      const inside = new Map();
      for (const tag of tags.values()) if (!isLost(tag)) for (const zone of tag.zones) inside.set(zone, (inside.get(zone) || []).concat(tag.name));
      $("zones").replaceChildren(...site.zones.map(zone => {
        const item = document.createElement("li"), names = inside.get(zone.n) || [];
        item.textContent = zone.n + (names.length ? ": " + names.slice(0, 6).join(", ") + (names.length > 6 ? " …" : "") : "");
        item.dataset.zone = zone.n; if (names.length) item.className = "lit";
        return item;
      }));
    }
    function showDiagnoses(list) {
      $("problems").hidden = list.length === 0;
      $("diagnoses").replaceChildren(...list.map(d => { const item = document.createElement("li"); item.textContent = d.text; item.dataset.code = d.code; return item; }));
    }
    function addNews(list) {
      for (const text of list) { const item = document.createElement("li"); item.textContent = text; $("news").prepend(item); }
      while ($("news").children.length > 60) $("news").lastChild.remove();
    }
    """

  /// Events of the stream, and buttons.
  static let events = """
    function setStatus(text, name) { $("status").textContent = text; $("status").className = "pill " + name; }
    function setFollow(value) { following = value; $("follow").setAttribute("aria-pressed", value); }
    function setPaused(value) {
      paused = value; $("pause").setAttribute("aria-pressed", value); $("pause").textContent = value ? "Continue" : "Pause";
      if (!ended) setStatus(value ? "paused" : "live", value ? "paused" : "live");
    }
    $("pause").addEventListener("click", () => setPaused(!paused));
    $("follow").addEventListener("click", () => { setFollow(!following); draw(); });
    $("fit").addEventListener("click", () => { setFollow(false); view.isOwn = false; fit(); draw(); });
    function choose(row) { if (row) { chosen = row.dataset.tag; showTags(); showLinks(); showResiduals(); draw(); } }
    $("tags").addEventListener("click", e => choose(e.target.closest("tbody tr")));
    $("tags").addEventListener("keydown", e => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); choose(e.target.closest("tbody tr")); } });
    let pendingDraw = false;
    function redraw() { if (!pendingDraw) { pendingDraw = true; requestAnimationFrame(() => { pendingDraw = false; draw(); }); } }
    const source = new EventSource("events" + location.search);
    source.addEventListener("open", () => { if (!ended && !paused) setStatus("connected", "wait"); });
    source.addEventListener("error", () => { if (!ended) setStatus("connection lost", "gone"); });
    source.addEventListener("site", e => {
      Object.assign(site, JSON.parse(e.data)); if (!view.isOwn) view.isSet = false; redraw(); showZones();
    });
    source.addEventListener("state", e => {
      const data = JSON.parse(e.data);
      for (const tag of data.trails) update(tag);
      if (data.end) end(); else now = Math.max(now, ...[...tags.values()].map(tag => tag.time));
      redraw(); showTags(); showZones();
    });
    source.addEventListener("frame", e => {
      const data = JSON.parse(e.data);
      if (data.news && data.news.length) addNews(data.news);
      if (data.old) return;
      if (data.t !== now || data.tags.length) received = performance.now();
      rates.push([performance.now(), data.r]);
      while (rates.length > 2 && rates[rates.length - 1][0] - rates[0][0] > 3000) rates.shift();
      if (data.end) end();
      if (paused) return;
      now = data.t;
      for (const tag of data.tags) update(tag);
      if (data.links) { links = data.links; findResiduals(); }
      if (data.diagnoses) showDiagnoses(data.diagnoses);
      redraw();
    });
    function end() { ended = true; setStatus("ended", "gone"); source.close(); }
    setInterval(() => {
      if (paused) return;
      if (!ended && source.readyState === 1 && rates.length) {
        const isSilent = performance.now() - received > 1000 * lostAfter;
        setStatus(isSilent ? "silent" : "live", isSilent ? "wait" : "live");
      }
      $("clock").textContent = now ? now.toFixed(1) : "–";
      const first = rates[0], last = rates[rates.length - 1];
      if (first && last && last[0] > first[0]) $("rate").textContent = Math.round((last[1] - first[1]) * 1000 / (last[0] - first[0]));
      showTags(); showLinks(); showResiduals(); showZones(); redraw();
    }, 250);
    addEventListener("resize", redraw);
    dark.addEventListener("change", redraw);
    draw();
    """
}
