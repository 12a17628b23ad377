// Lines over steps or epochs, drawn by uPlot; the numbers under the pointer, or under the arrow keys, in words.
report.Chart = class {
    /** ``lines``: {label, colour(), dash(), width, key, shown, values}; a null among the values is a gap. */
    constructor(
        root,
        { title, note, unit, x, lines, logarithmic = false, height = 220, format = (value) => String(value) },
    ) {
        Object.assign(this, { unit, x, lines, logarithmic, height, format, plot: null, at: null });
        this.box = report.element("div", {
            class: "chart",
            tabindex: "0",
            role: "group",
            "aria-label": `${title}. Left and right arrow keys read its points.`,
        });
        this.values = report.element("div", { class: "values" });
        root.append(
            report.element("h3", {}, title),
            report.element("p", { class: "note" }, note),
            this.box,
            this.values,
        );
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
        const axis = {
            stroke: soft,
            font: "11px system-ui, sans-serif",
            grid: { stroke: line, width: 1 },
            ticks: { stroke: line, width: 1, size: 4 },
            gap: 4,
        };
        const power = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
        const scale = this.logarithmic
            ? {
                  distr: 3,
                  log: 10,
                  range: (_, least, most) => [(least ?? 1) * 0.7, Math.max((least ?? 1) * 10, (most ?? 1) * 2)],
              }
            : {};
        const y = this.logarithmic
            ? {
                  grid: {
                      ...axis.grid,
                      filter: (_, ticks) => ticks.map((tick) => (tick !== null && power(tick) ? tick : null)),
                  },
                  values: (_, ticks) => ticks.map((tick) => (tick !== null && power(tick) ? report.short(tick) : "")),
              }
            : { values: (_, ticks) => ticks.map((tick) => report.short(tick)) };
        return {
            width: Math.max(200, this.box.clientWidth),
            height: this.height,
            legend: { show: false },
            scales: { x: { time: false }, y: scale },
            axes: [
                {
                    ...axis,
                    size: 30,
                    values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? report.count(tick) : "")),
                },
                { ...axis, size: 52, ...y },
            ],
            cursor: { drag: { x: true, y: false, setScale: true }, points: { size: 6 } },
            hooks: { setCursor: [(plot) => this._read(plot.cursor.idx)] },
            series: [
                {},
                ...this.lines.map((each) => ({
                    label: each.label,
                    show: each.shown !== false,
                    stroke: each.colour(),
                    width: each.width ?? 1.5,
                    dash: each.dash?.(),
                    spanGaps: false,
                    // A line with many gaps reads better as points.
                    ...(report.patchy(each.values)
                        ? { paths: () => null, points: { show: true, size: 4, width: 0, fill: each.colour() } }
                        : { points: { size: 5, fill: each.colour() } }),
                })),
            ],
        };
    }

    _key(event) {
        const by = {
            ArrowLeft: -1,
            ArrowRight: 1,
            PageUp: -Math.ceil(this.x.length / 20),
            PageDown: Math.ceil(this.x.length / 20),
            Home: -Infinity,
            End: Infinity,
        }[event.key];
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
        const numbers = shown.map((line) =>
            report.element(
                "span",
                {},
                ...(line.key ? [report.element("span", { class: `key ${line.key}`, "aria-hidden": "true" })] : []),
                `${line.label} `,
                report.element("b", {}, line.values[at] === null ? "–" : this.format(line.values[at])),
            ),
        );
        this.values.replaceChildren(
            report.element("span", {}, `${this.unit} `, report.element("b", {}, report.count(this.x[at]))),
            " ",
            ...numbers.flatMap((each) => [each, " "]),
        );
    }
};

/** A number short enough for an axis. */
report.short = (value) => {
    if (value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e4)) return String(Number(value.toPrecision(4)));
    const unit = [
        [1e12, "T"],
        [1e9, "G"],
        [1e6, "M"],
        [1e3, "k"],
    ].find(([size]) => Math.abs(value) >= size && Math.abs(value) < 1e15);
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
