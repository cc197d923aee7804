"use strict";
// What the page does beyond being read: charts are enlarged and pointed at, tables are sorted, a live page follows its run.
// Everything is drawn without it.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const kept = new Map(); // what a reader has chosen, by chart: it outlives the parts of a live page
  const letter = 7.2, space = 8;

  const make = (name, attrs, text) => {
    const e = document.createElementNS(SVG, name);
    for (const k in attrs) e.setAttribute(k, attrs[k]);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const button = (text, label, act) => {
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = text;
    if (label) b.setAttribute("aria-label", label);
    b.addEventListener("click", act);
    return b;
  };

  // exact writes seconds as the rest of the page does: 0.25s, 12.3s, 1m8.4s, 24m14s, 3h5m, 2d.
  const exact = (s) => {
    if (s < 0) return "-" + exact(-s);
    const cut = (v, digits) => String(+v.toFixed(digits));
    if (s < 60) return cut(s, s < 10 ? 2 : 1) + "s";
    const unit = s < 600 ? 0.1 : s < 3600 ? 1 : s < 86400 ? 60 : 3600;
    s = Math.round(s / unit) * unit;
    const parts = [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]];
    let out = "";
    for (const [n, name] of parts) {
      const v = n === 1 ? +s.toFixed(1) : Math.floor(s / n + 1e-9);
      if (v > 0) out += v + name;
      s -= n === 1 ? 0 : v * n;
    }
    return out || "0s";
  };
  const steps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400];
  const stepOf = (length, most) => {
    let s = steps.find((s) => length / s <= most) || 86400;
    while (length / s > most) s *= 2;
    return s;
  };

  // A Chart is a drawing along time of which a part [from, to] of the width is shown.
  class Chart {
    constructor(figure) {
      this.figure = figure;
      this.kind = figure.dataset.chart;
      this.svg = figure.querySelector("svg.plot");
      this.box = figure.querySelector(".box");
      this.from = 0;
      this.to = 1;
      this.items = [...this.svg.querySelectorAll("rect")].filter((r) => r.firstElementChild && r.firstElementChild.localName === "title");
      this.detail = document.createElement("p");
      this.detail.className = "detail";
      this.detail.setAttribute("aria-live", "polite");
      this.tools = document.createElement("div");
      this.tools.className = "tools";
      this.gather();
      this.addTools();
      this.box.before(this.tools);
      this.pointing();
      this.keys();
      new ResizeObserver(() => this.draw()).observe(this.svg);
      const before = kept.get(this.kind);
      if (before) this.show(before.from, before.to);
    }

    // gather remembers every place that is a share of the width.
    gather() {
      this.places = [];
      for (const e of this.svg.querySelectorAll("rect, line, use")) {
        if (e.closest("defs, .ticks")) continue;
        for (const name of ["x", "x1", "x2", "width"]) {
          const v = e.getAttribute(name);
          if (v && v.endsWith("%") && !(name !== "x" && v === "100%" && e.getAttribute(name === "x2" ? "x1" : "x") === "0")) {
            this.places.push({ e, name, v: parseFloat(v) / 100, length: name === "width" });
          }
        }
      }
      this.labelled = this.items.filter((r) => r.dataset.label);
      this.ticks = this.svg.querySelector(".ticks");
      this.start = parseFloat(this.ticks.dataset.from);
      this.end = parseFloat(this.ticks.dataset.to);
    }

    addTools() {
      this.tools.append(
        button("−", "Show more time", () => this.zoom(2)),
        button("+", "Enlarge", () => this.zoom(0.5)),
        button("←", "Earlier", () => this.pan(-0.3)),
        button("→", "Later", () => this.pan(0.3)),
        button("All", "Show all of the run", () => this.show(0, 1)),
        this.detail,
      );
      this.detail.textContent = "Point at a mark, or use the arrow keys. + and − enlarge, 0 shows all.";
    }

    show(from, to) {
      const wide = Math.min(1, Math.max(to - from, 0.002));
      this.from = Math.min(Math.max(0, from), 1 - wide);
      this.to = this.from + wide;
      kept.set(this.kind, { from: this.from, to: this.to });
      this.draw();
    }

    zoom(factor, at = 0.5) {
      const wide = Math.min(1, Math.max((this.to - this.from) * factor, 0.002));
      const hold = this.from + (this.to - this.from) * at;
      this.show(hold - wide * at, hold + wide * (1 - at));
    }

    pan(by) {
      const d = (this.to - this.from) * by;
      this.show(this.from + d, this.to + d);
    }

    place(v) { return (v - this.from) / (this.to - this.from); }

    draw(width) {
      const wide = this.to - this.from;
      if (!this.whole || wide < 1) {
        for (const p of this.places) p.e.setAttribute(p.name, (100 * (p.length ? p.v / wide : this.place(p.v))).toFixed(4) + "%");
      }
      this.whole = wide === 1;
      this.svg.classList.toggle("part-of", wide < 1);
      const w = width || this.svg.getBoundingClientRect().width;
      if (w === 0) return;
      this.drawTicks(w);
      this.drawLabels(w);
    }

    drawTicks(w) {
      const length = (this.end - this.start) * (this.to - this.from), first = this.start + (this.end - this.start) * this.from;
      const step = stepOf(length, Math.max(3, Math.floor(w / 110)));
      const d = this.ticks.dataset, made = [];
      for (let t = Math.ceil(first / step - 1e-9) * step; t <= first + length * (1 + 1e-9); t += step) {
        const at = (t - first) / length, x = (100 * at).toFixed(3) + "%";
        if (d.top) made.push(make("line", { class: "gridline", x1: x, x2: x, y1: d.top, y2: d.bottom }));
        made.push(make("text", { class: "tick", x, y: d.text, "text-anchor": at < 0.04 ? "start" : at > 0.96 ? "end" : "middle" }, exact(t)));
      }
      this.ticks.replaceChildren(...made);
    }

    // drawLabels writes into each mark the first of its labels that has room in what is seen of it.
    drawLabels(w) {
      const made = [];
      for (const r of this.labelled) {
        const x = parseFloat(r.getAttribute("x")) / 100 * w, left = Math.max(0, x), right = Math.min(w, x + parseFloat(r.getAttribute("width")) / 100 * w);
        if (right - left < 12) continue;
        const text = r.dataset.label.split("\n").find((l) => [...l].length * letter + space <= right - left);
        if (!text) continue;
        made.push(make("text", { class: r.dataset.look || "in", x: (100 * (left + right) / 2 / w).toFixed(3) + "%", y: r.dataset.y }, text));
      }
      for (const g of this.svg.querySelectorAll(".labels")) g.replaceChildren();
      const last = [...this.svg.querySelectorAll(".labels")].pop();
      if (last) last.append(...made);
    }

    tell(item) {
      if (this.cursor) this.cursor.classList.remove("cursor");
      this.cursor = item;
      if (!item) return;
      item.classList.add("cursor");
      this.detail.textContent = item.firstElementChild.textContent;
    }

    pointing() {
      const svg = this.svg;
      svg.addEventListener("pointerover", (e) => {
        const t = e.target.firstElementChild;
        if (t && t.localName === "title" && e.target !== svg) this.detail.textContent = t.textContent;
      });
      svg.addEventListener("wheel", (e) => {
        if (!e.ctrlKey) return;
        e.preventDefault();
        const box = svg.getBoundingClientRect();
        this.zoom(e.deltaY > 0 ? 1.25 : 0.8, (e.clientX - box.left) / box.width);
      }, { passive: false });
      let last = null;
      svg.addEventListener("pointerdown", (e) => {
        if (e.pointerType === "mouse" && e.button === 0 && this.to - this.from < 1) last = e.clientX;
      });
      svg.addEventListener("pointermove", (e) => {
        if (last === null || e.buttons === 0) { last = null; return; }
        this.pan((last - e.clientX) / svg.getBoundingClientRect().width);
        last = e.clientX;
      });
    }

    keys() {
      const act = {
        "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), "0": () => this.show(0, 1),
        ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), ArrowDown: () => this.row(1), ArrowUp: () => this.row(-1),
      };
      this.box.addEventListener("keydown", (e) => {
        if (e.ctrlKey || e.metaKey || e.altKey || !act[e.key]) return;
        act[e.key]();
        e.preventDefault();
      });
    }

    // order is that in which arrows go: from row to row in the Gantt chart, along the width elsewhere.
    order() {
      const n = (r, a) => parseFloat(r.getAttribute(a));
      return this.sorted || (this.sorted = this.items
        .map((r) => ({ r, y: this.kind === "gantt" ? n(r, "y") : 0, x: n(r, "x") / 100 * (this.to - this.from) + this.from }))
        .sort((a, b) => a.y - b.y || a.x - b.x));
    }

    step(by) {
      const all = this.order();
      if (!all.length) return;
      this.at = this.at === undefined ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(0, this.at + by), all.length - 1);
      this.go(all);
    }

    row(by) {
      const all = this.order();
      if (this.kind !== "gantt" || this.at === undefined) return this.step(by);
      const here = all[this.at];
      let best = -1, y = null;
      for (let i = this.at; i >= 0 && i < all.length; i += by) {
        if (all[i].y === here.y) continue;
        if (y === null) y = all[i].y;
        if (all[i].y !== y) break;
        if (best < 0 || Math.abs(all[i].x - here.x) < Math.abs(all[best].x - here.x)) best = i;
      }
      if (best >= 0) this.at = best;
      this.go(all);
    }

    go(all) {
      const to = all[this.at];
      if (to.x < this.from || to.x > this.to) {
        const wide = this.to - this.from;
        this.show(to.x - wide * 0.1, to.x + wide * 0.9);
      }
      this.tell(to.r);
      const r = to.r.getBoundingClientRect(), b = this.box.getBoundingClientRect();
      if (r.left < b.left + 100 || r.left > b.right - 20) this.box.scrollLeft += r.left - b.left - 140;
    }
  }

  // switching keeps the choice between jobs and fragments over the updates of a live page.
  const switching = (figure) => {
    const toggle = figure.querySelector("input.fragments");
    if (!toggle) return;
    toggle.checked = kept.get("fragments") === true;
    toggle.addEventListener("change", () => kept.set("fragments", toggle.checked));
  };

  // sortable makes headings of a table buttons that sort by it; unknown values come last.
  const sortable = (table) => {
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    const first = [...body.rows];
    const value = (row, i) => {
      const c = row.cells[i];
      return c.dataset.v !== undefined ? parseFloat(c.dataset.v) : heads[i].classList.contains("number") ? null : c.textContent;
    };
    const sort = (i, way) => {
      const rows = first.map((row) => ({ row, v: value(row, i) }));
      rows.sort((a, b) => {
        if (a.v === null || b.v === null) return (a.v === null) - (b.v === null);
        return way * (typeof a.v === "string" ? a.v.localeCompare(b.v) : a.v - b.v);
      });
      body.append(...rows.map((r) => r.row));
      heads.forEach((h, k) => k === i ? h.setAttribute("aria-sort", way > 0 ? "ascending" : "descending") : h.removeAttribute("aria-sort"));
      kept.set("sort", { i, way });
    };
    heads.forEach((head, i) => {
      const b = button(head.textContent, "", () => {
        const now = head.getAttribute("aria-sort");
        sort(i, now ? (now === "ascending" ? -1 : 1) : head.classList.contains("number") ? -1 : 1);
      });
      head.replaceChildren(b);
    });
    const before = kept.get("sort");
    if (before) sort(before.i, before.way);
  };

  let charts = [];
  const start = (main) => {
    charts = [...main.querySelectorAll("figure[data-chart]")].filter((f) => f.querySelector("svg.plot .ticks")).map((f) => new Chart(f));
    main.querySelectorAll("figure").forEach(switching);
    main.querySelectorAll("table[data-sort]").forEach(sortable);
  };

  // On paper all of a run is shown, as wide as a page, and nothing is folded.
  let shut = [], seen = [];
  addEventListener("beforeprint", () => {
    shut = [...document.querySelectorAll("details:not([open])")];
    shut.forEach((d) => { d.open = true; });
    seen = charts.map((c) => [c, c.from, c.to]);
    for (const [c] of seen) {
      c.show(0, 1);
      c.draw(560);
    }
  });
  addEventListener("afterprint", () => {
    shut.forEach((d) => { d.open = false; });
    for (const [c, from, to] of seen) c.show(from, to);
  });

  // A live page asks for its newest content, and takes it over where it has changed.
  const follow = (main, every) => {
    let tag = "";
    const ask = async () => {
      try {
        const answer = await fetch("main", { cache: "no-store", headers: tag ? { "If-None-Match": tag } : {} });
        if (answer.ok && answer.status !== 304) {
          tag = answer.headers.get("ETag") || "";
          const open = [...main.querySelectorAll("details[open] > summary")].map((s) => s.textContent);
          const scrolls = [...main.querySelectorAll(".box")].map((b) => b.scrollLeft);
          main.innerHTML = await answer.text();
          main.querySelectorAll("details > summary").forEach((s) => { s.parentElement.open = open.includes(s.textContent); });
          main.querySelectorAll(".box").forEach((b, i) => { b.scrollLeft = scrolls[i] || 0; });
          document.title = [...main.querySelectorAll("h1, header .state")].map((e) => e.textContent).join(": ") + " · ParaTimer";
          start(main);
        }
      } catch (e) {
        // The server may be away for a moment; what is shown stays.
      }
      if (main.querySelector("[data-over=true]") === null) setTimeout(ask, every * 1000);
    };
    setTimeout(ask, every * 1000);
  };

  const main = document.getElementById("main");
  start(main);
  const every = parseFloat(document.documentElement.dataset.every);
  if (every > 0) follow(main, every);
})();
