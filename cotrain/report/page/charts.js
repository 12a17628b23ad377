// Lines over steps: how far apart the sides are, losses and accuracies. Drawn by uPlot.
report.Chart = class {
  /** ``lines``: {label, colour(), dash(), width, shown, values}; ``values`` may hold null. ``logarithmic``: for counts of ulp. */
  constructor(root, { title, note, unit, x, lines, logarithmic = false, height = 220, format = (value) => String(value) }) {
    Object.assign(this, { unit, x, lines, logarithmic, height, format, plot: null, at: null });
    this.box = report.element("div", { class: "chart", tabindex: "0", role: "group", "aria-label": `${title}. Left and right arrow keys read its points.` });
    this.values = report.element("div", { class: "values" });
    root.append(report.element("h3", {}, title), report.element("p", { class: "note" }, note), this.box, this.values);
    this.box.addEventListener("keydown", (event) => this._key(event));
    this.draw();
    report.onRepaint(() => this.draw());
    new ResizeObserver(() => {
      const width = Math.max(200, this.box.clientWidth);
      if (width !== this.plot.width) this.plot.setSize({ width, height });
    }).observe(this.box);
  }

  /** Draws it anew, with the colours and lines of now, and the same steps in view. */
  draw() {
    const { min, max } = this.plot?.scales.x ?? {};
    this.plot?.destroy();
    const data = [this.x, ...this.lines.map((line) => line.values)];
    this.plot = new uPlot(this._options(), data, this.box);
    if (min !== undefined && (min > this.x[0] || max < this.x.at(-1))) this.plot.setScale("x", { min, max });
    this._read(null);
  }

  _options() {
    const [soft, line] = [report.colour("soft"), report.colour("line")];
    const axis = { stroke: soft, font: "11px system-ui, sans-serif", grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 }, gap: 4 };
    const power = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
    const scale = this.logarithmic ? { distr: 3, log: 10, range: (_, least, most) => [(least ?? 1) * 0.7, Math.max((least ?? 1) * 10, (most ?? 1) * 2)] } : {};
    const y = this.logarithmic
      ? { grid: { ...axis.grid, filter: (_, ticks) => ticks.map((tick) => (tick !== null && power(tick) ? tick : null)) }, values: (_, ticks) => ticks.map((tick) => (tick !== null && power(tick) ? report.short(tick) : "")) }
      : { values: (_, ticks) => ticks.map((tick) => report.short(tick)) };
    return {
      width: Math.max(200, this.box.clientWidth),
      height: this.height,
      legend: { show: false },
      scales: { x: { time: false }, y: scale },
      axes: [{ ...axis, size: 30, values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? report.count(tick) : "")) }, { ...axis, size: 52, ...y }],
      cursor: { drag: { x: true, y: false, setScale: true }, points: { size: 6 } },
      hooks: { setCursor: [(plot) => this._read(plot.cursor.idx)] },
      series: [{}, ...this.lines.map((each) => ({
        label: each.label, show: each.shown !== false, stroke: each.colour(), width: each.width ?? 1.5, dash: each.dash?.(), spanGaps: false,
        // A line with many gaps reads better as points.
        ...(report.patchy(each.values) ? { paths: () => null, points: { show: true, size: 4, width: 0, fill: each.colour() } } : { points: { size: 5, fill: each.colour() } }),
      }))],
    };
  }

  _key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -Math.ceil(this.x.length / 20), PageDown: Math.ceil(this.x.length / 20), Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.at = Math.min(this.x.length - 1, Math.max(0, (this.at ?? (by > 0 ? -1 : this.x.length)) + by));
    this.plot.setCursor({ left: this.plot.valToPos(this.x[this.at], "x"), top: this.plot.over.clientHeight / 2 });
    this._read(this.at);
    report.say(this.values.textContent);
  }

  /** The numbers under the cursor; at rest, those of the last point where all have one. */
  _read(index) {
    if ((index ?? null) === null && this.lines.some((line) => line.values.at(-1) === null)) {
      this.values.replaceChildren("Point at the chart, or use the arrow keys, to read its numbers.");
      return;
    }
    const at = index ?? this.x.length - 1;
    if (index !== null && index !== undefined) this.at = index;
    const shown = this.lines.filter((line) => line.shown !== false);
    const numbers = shown.map((line) => report.element("span", {}, ...(line.key ? [report.element("span", { class: `key ${line.key}`, "aria-hidden": "true" })] : []), `${line.label} `, report.element("b", {}, line.values[at] === null ? "–" : this.format(line.values[at]))));
    this.values.replaceChildren(report.element("span", {}, `${this.unit} `, report.element("b", {}, report.count(this.x[at]))), " ", ...numbers.flatMap((each) => [each, " "]));
  }
};

/** A number short enough for an axis. */
report.short = (value) => {
  if (value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e4)) return String(Number(value.toPrecision(4)));
  const unit = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([size]) => Math.abs(value) >= size && Math.abs(value) < 1e15);
  return unit ? `${Number((value / unit[0]).toPrecision(3))}${unit[1]}` : value.toExponential(0).replace("+", "");
};

/** Whether a line has so many gaps that some of it would not show. */
report.patchy = (values) => {
  let [ends, there] = [0, 0];
  values.forEach((value, at) => {
    there += value !== null;
    ends += value !== null && (values[at + 1] ?? null) === null;
  });
  return ends > 1 && ends * 20 > there;
};

report.palette = [["#0072b2", "#56b4e9"], ["#c95000", "#ff8a4c"], ["#00805c", "#2ecc9b"], ["#a8478a", "#e59ac4"], ["#5f4fc9", "#a99cff"], ["#7d6200", "#e0c14a"], ["#8a3324", "#f0a08c"], ["#50565c", "#b9bfc6"]];

/** The largest ulp distance of each operation over the steps; a button per operation shows and hides its line. */
report.growth = (root, model) => {
  const rows = model.rows.filter((row) => row.ulps.some((ulp) => ulp > 0));
  if (!rows.length) return;
  root.hidden = false;
  const most = (row) => row.ulps.reduce((a, b) => Math.max(a, b), 0) * (row.tap.kinds.origin ? 1e20 : 1);
  const shown = new Set([...rows].sort((a, b) => most(b) - most(a)).slice(0, 5));
  const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
  const taken = []; // which line has which colour; only those shown have one
  const take = (line, wanted) => {
    line.shown = wanted;
    if (wanted) {
      const free = taken.indexOf(null);
      line.slot = free < 0 ? taken.length : free;
    }
    taken[line.slot] = wanted ? line : null;
  };
  const lines = rows.map((row) => {
    const line = { label: row.tap.name, slot: 0, shown: false, values: Array.from(row.ulps, (ulp) => (ulp > 0 ? ulp : null)) };
    line.colour = () => report.palette[line.slot % report.palette.length][report.dark() ? 1 : 0];
    line.dash = () => dashes[Math.floor(line.slot / report.palette.length) % dashes.length];
    if (shown.has(row)) take(line, true);
    return line;
  });
  const chart = new report.Chart(root, {
    title: "How far apart: the largest ulp distance in each step",
    note: "Logarithmic. A gap is a step in which the operation is equal. Drag to zoom, double-click to see all.",
    unit: "step", x: Array.from({ length: model.bins }, (_, bin) => model.firstStep(bin)), lines, logarithmic: true, height: 260,
    format: (value) => `${report.count(value)} ulp`,
  });
  const keys = report.element("div", { class: "taps", role: "group", "aria-label": "Operations in the chart" });
  const paint = lines.map((line) => {
    const stroke = report.element("line", { x1: 0, x2: 22, y1: 4, y2: 4, "stroke-width": 2.5 });
    const button = report.element("button", { type: "button" }, report.element("svg", { "aria-hidden": "true" }, stroke), line.label);
    const colour = () => {
      button.setAttribute("aria-pressed", String(line.shown));
      stroke.setAttribute("stroke", line.shown ? line.colour() : "none");
      stroke.setAttribute("stroke-dasharray", line.dash().join(" "));
    };
    button.addEventListener("click", () => {
      take(line, !line.shown);
      colour();
      chart.draw();
    });
    keys.append(button);
    return colour;
  });
  const repaint = () => paint.forEach((colour) => colour());
  repaint();
  report.onRepaint(repaint);
  root.insertBefore(keys, chart.box);
};

/** A metric of both sides, and their difference where there is one. */
report.series = async (root, series) => {
  if (series.count < 2) return; // the table has it
  const [at, reference, candidate] = await Promise.all([series.at, series.reference, series.candidate].map(report.unpack));
  const finite = (numbers) => Array.from(numbers, (number) => (Number.isFinite(number) ? number : null));
  const odd = [...reference, ...candidate].filter((number) => !Number.isFinite(number)).length;
  const notes = [`Equal in ${report.count(series.equal)} of ${report.plural(series.count, series.unit)}.`];
  if (series.stride > 1) notes.push(`Every ${series.stride}th is shown.`);
  if (odd) notes.push(`${odd} numbers are not finite and leave a gap.`);
  const [box, x, format] = [report.element("div", { class: series.unit === "step" ? "wide" : null }), Array.from(at), (value) => String(Number(value.toPrecision(9)))];
  root.append(box);
  root.hidden = false;
  const least = reference.reduce((a, b) => Math.min(a, b), Infinity);
  const logarithmic = least > 0 && reference.reduce((a, b) => Math.max(a, b), 0) > 100 * least;
  if (logarithmic) notes.push("Logarithmic.");
  new report.Chart(box, {
    title: series.name, note: notes.join(" "), unit: series.unit, x, format, height: 190, logarithmic,
    lines: [
      { label: "reference", key: "reference", colour: () => `${report.colour("reference")}80`, width: 5, values: finite(reference) },
      { label: "candidate", key: "candidate", colour: () => report.colour("candidate"), width: 1.5, values: finite(candidate) },
    ],
  });
  if (series.equal === series.count) return;
  const apart = finite(reference.map((number, index) => candidate[index] - number));
  if (apart.every((number) => !number)) return;
  new report.Chart(box, { title: "candidate − reference", note: "", unit: series.unit, x, height: 120, format: (value) => value.toExponential(2),
    lines: [{ label: "difference", colour: () => report.colour("bad"), values: apart }] });
};
