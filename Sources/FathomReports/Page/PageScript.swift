/// The script of the page, which adds zoom and the coordinates under the pointer to its figures,
/// sorts tables, and opens what a link leads to.
///
/// It needs no library and loads nothing; without it the page is complete. Drawings say with
/// `data-panels` where their axes are, see ``GnuplotScript/panels``.
enum PageScript {
  /// The script.
  static let text = """
    for (const svg of document.querySelectorAll("figure svg[data-panels]")) {
      const panels = JSON.parse(svg.dataset.panels), whole = svg.getAttribute("viewBox");
      const make = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
      const mark = make("rect"), text = svg.parentNode.insertBefore(document.createElement("output"), svg.nextSibling);
      let start = null;
      mark.setAttribute("class", "mark");
      svg.append(mark);
      const at = (event) => {
        const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        return [point.x, point.y];
      };
      const frame = (a, b) => {
        const [x, y] = [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
        return [x, y, Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1])];
      };
      const show = (box) => ["x", "y", "width", "height"].forEach((name, i) => mark.setAttribute(name, box[i]));
      const number = (value, span) => value.toFixed(Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(span)))));
      svg.addEventListener("pointermove", (event) => {
        const [x, y] = at(event);
        const panel = panels.find((p) => x >= p[0] && x <= p[0] + p[2] && y >= p[1] && y <= p[1] + p[3]);
        text.value = "Drag to zoom, double-click for all.";
        if (panel) {
          const [left, top, width, height, x0, x1, y0, y1, isLogarithmic] = panel;
          const a = x0 + (x - left) / width * (x1 - x0), share = (top + height - y) / height;
          const b = isLogarithmic ? y0 * (y1 / y0) ** share : y0 + share * (y1 - y0);
          text.value = number(a, x1 - x0) + ", " + number(b, isLogarithmic ? b : y1 - y0);
        }
        if (start) show(frame(start, [x, y]));
      });
      svg.addEventListener("pointerleave", () => { text.value = ""; });
      svg.addEventListener("pointerdown", (event) => {
        if (event.pointerType !== "mouse" || event.button !== 0) return;
        start = at(event);
        svg.setPointerCapture(event.pointerId);
        event.preventDefault();
      });
      svg.addEventListener("pointerup", (event) => {
        if (!start) return;
        const box = frame(start, at(event));
        start = null;
        show([0, 0, 0, 0]);
        if (box[2] > 8 && box[3] > 8) svg.setAttribute("viewBox", box.join(" "));
      });
      svg.addEventListener("dblclick", () => svg.setAttribute("viewBox", whole));
    }
    for (const table of document.querySelectorAll("table")) table.querySelectorAll("thead th").forEach((head, column) => {
      const button = document.createElement("button"), isNumber = head.className === "number";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1, body = table.tBodies[0];
        for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        const value = (row) => isNumber ? parseFloat(row.cells[column].textContent) : row.cells[column].textContent;
        const order = (a, b) => isNumber ? isNaN(a) - isNaN(b) || sign * (a - b) : sign * a.localeCompare(b, "en", { numeric: true });
        const rows = Array.from(body.rows, (row) => [value(row), row]).sort((a, b) => order(a[0], b[0]));
        for (const [, row] of rows) body.append(row);
      });
    });
    const open = (hash) => {
      const place = document.getElementById(hash.slice(1));
      for (let part = place; part; part = part.parentElement) if (part.localName === "details") part.open = true;
      if (place) place.scrollIntoView();
    };
    for (const link of document.querySelectorAll("nav a")) link.addEventListener("click", () => open(link.hash));
    open(location.hash);
    addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
    """
}
