// The map as a person uses it: keyboard and buttons (map_pointer.js: mouse and fingers). All lead to a cell.
report.Map = class {
    constructor(root, model, onOpen) {
        this.model = model;
        this.onOpen = onOpen;
        this.view = new report.MapView(model.bins);
        this.strip = report.element("canvas", { class: "strip", "aria-hidden": "true" });
        this.cells = report.element("canvas", {
            class: "cells",
            tabindex: "0",
            role: "application",
            "aria-roledescription": "map of differences",
            "aria-label": `${model.rows.length} operations by ${report.plural(report.data.steps, "step")}`,
            "aria-describedby": "map-keys",
        });
        this.readout = report.element("p", { class: "readout", id: "readout" });
        const keys =
            "Arrow keys move, n and p go to the next and previous difference of the row, " +
            "plus and minus zoom, 0 shows all, Enter opens.";
        root.append(
            this._tools(),
            this.strip,
            this.cells,
            this.readout,
            this._legend(),
            report.element("span", { id: "map-keys", class: "unseen" }, keys),
        );
        root.hidden = false;
        this.canvas = new report.MapCanvas(this.cells, this.strip, model, this.view);
        this.canvas.cursor = this._start();
        this._keyboard();
        new report.MapPointer(this);
        this.layout();
        report.onRepaint(() => this.layout());
        let width = root.clientWidth;
        new ResizeObserver(() => {
            if (root.clientWidth !== width) this.layout();
            width = root.clientWidth;
        }).observe(root);
        this.tell(this.canvas.cursor, false);
    }

    /** Moves the cursor to a cell, in view; opens it when asked. */
    go(row, bin, { open = false, say = true } = {}) {
        if (!this.canvas.rows.includes(row)) this._onlyDiffering(false);
        this.canvas.cursor = { row, bin };
        this.view.show(bin);
        this.tell(this.canvas.cursor, say);
        if (open) this.open();
        this.canvas.draw();
    }

    /** Opens the details of the cell under the cursor. */
    open() {
        this.canvas.chosen = this.canvas.cursor;
        this.onOpen(this.canvas.cursor);
        this.canvas.draw();
    }

    layout() {
        const all = this.model.rows.map((_, index) => index);
        this.canvas.layout(this.only.checked ? all.filter((index) => this.model.rows[index].differs) : all);
        this.canvas.draw();
    }

    _start() {
        const first = report.data.cards.find((card) => card.step >= 0 && this.model.rowOf(card.tap) >= 0);
        return first
            ? { row: this.model.rowOf(first.tap), bin: this.model.binOf(first.step) }
            : {
                  row: Math.max(
                      0,
                      this.model.rows.findIndex((row) => row.differs),
                  ),
                  bin: 0,
              };
    }

    _tools() {
        const button = (text, label, onclick, css = "") =>
            report.element("button", { type: "button", title: label, "aria-label": label, class: css, onclick }, text);
        const zoom = (factor) => () => {
            this.view.zoom(factor, this._middle());
            this.canvas.draw();
        };
        this.only = report.element("input", { type: "checkbox", id: "only" });
        this.only.checked = this.model.rows.length > 60 && this.model.rows.some((row) => row.differs);
        this.only.addEventListener("change", () => this._onlyDiffering(this.only.checked));
        const shade = report.element(
            "select",
            { id: "shade" },
            ...[
                ["ulps", "largest ulp"],
                ["elements", "elements"],
                ["kind", "kind only"],
            ].map(([value, text]) => report.element("option", { value }, text)),
        );
        shade.addEventListener("change", () => {
            this.canvas.shadeBy = shade.value;
            this.canvas.draw();
        });
        return report.element(
            "div",
            { class: "map-tools" },
            button("← previous", "Previous difference of this operation", () => this._jump(-1)),
            button("next →", "Next difference of this operation", () => this._jump(1)),
            button("+", "Zoom in", zoom(0.5)),
            button("−", "Zoom out", zoom(2)),
            button("all steps", "Show all steps", () => {
                this.view.all();
                this.canvas.draw();
            }),
            report.element("span", { class: "space" }),
            report.element("label", {}, this.only, "only operations that differ"),
            report.element("label", {}, "shade by", shade),
        );
    }

    _legend() {
        const ramp = (kind, text) =>
            report.element(
                "span",
                {},
                report.element(
                    "span",
                    { class: "ramp", "aria-hidden": "true" },
                    ...[1, 2, 3, 4, 5].map((shade) => report.element("i", { class: `${kind}-${shade}` })),
                ),
                text,
            );
        const equal = report.element(
            "span",
            {},
            report.element("span", { class: "ramp", "aria-hidden": "true" }, report.element("i", { class: "equal" })),
            "equal bytes",
        );
        const legend = report.element(
            "div",
            { class: "legend" },
            equal,
            ramp("origin", "origin: differs on equal inputs"),
            ramp("inherited", "inherited: an input differed"),
        );
        if (this.model.counts[3].some((count) => count)) {
            legend.append(
                report.element(
                    "span",
                    {},
                    report.element(
                        "span",
                        { class: "ramp", "aria-hidden": "true" },
                        report.element("i", { class: "after" }),
                    ),
                    "differs too, not examined: the run had ended",
                ),
            );
        }
        if (this.model.perBin > 1) legend.append(`A column is ${this.model.perBin} steps, and shows the most of them.`);
        if (!this.model.exact) legend.append("Large numbers are rounded here; report.json has them all.");
        return legend;
    }

    _onlyDiffering(only) {
        this.only.checked = only;
        this.layout();
    }

    /** Where zooming holds on to: the cursor when it is in view. */
    _middle() {
        const bin = this.canvas.cursor.bin + 0.5;
        return bin >= this.view.from && bin <= this.view.to ? bin : (this.view.from + this.view.to) / 2;
    }

    _jump(direction) {
        const { row, bin } = this.canvas.cursor;
        const next = this.model.nextDifference(row, bin, direction);
        if (next >= 0) this.go(row, next);
        else
            this.tell(
                this.canvas.cursor,
                true,
                `No ${direction > 0 ? "later" : "earlier"} difference in ${this.model.rows[row].tap.name}. `,
            );
    }

    /** Reads a cell out: on the page, and, when asked, to a screen reader. */
    tell(place, say, before = "") {
        const row = this.model.rows[place.row];
        const first = this.model.firstStep(place.bin);
        const where = report.place(first, this.model.lastStep(place.bin));
        const rest = `${where}: ${report.cellText(this.model, place)}`;
        this.readout.replaceChildren(
            before,
            report.element("span", { class: "tap" }, row.tap.name),
            ` ${row.tap.op ? `= ${row.tap.op}` : ""} · ${rest}`,
        );
        if (say) report.say(`${before}${row.tap.name}, ${rest}`);
    }

    _keyboard() {
        this.cells.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey) return;
            const { row, bin } = this.canvas.cursor;
            const line = this.canvas.rows.indexOf(row);
            const step = event.shiftKey ? 10 : 1;
            const page = Math.max(1, Math.round(this.view.span * 0.9));
            const across = (to) => this.go(row, Math.min(this.model.bins - 1, Math.max(0, to)));
            const along = (to) =>
                this.go(this.canvas.rows[Math.min(this.canvas.rows.length - 1, Math.max(0, to))], bin);
            const redraw = () => this.canvas.draw();
            const keys = {
                ArrowLeft: () => across(bin - step),
                ArrowRight: () => across(bin + step),
                ArrowUp: () => along(line - step),
                ArrowDown: () => along(line + step),
                PageUp: () => across(bin - page),
                PageDown: () => across(bin + page),
                Home: () => across(0),
                End: () => across(this.model.bins - 1),
                n: () => this._jump(1),
                p: () => this._jump(-1),
                "+": () => {
                    this.view.zoom(0.5, this._middle());
                    redraw();
                },
                "-": () => {
                    this.view.zoom(2, this._middle());
                    redraw();
                },
                0: () => {
                    this.view.all();
                    redraw();
                },
                Enter: () => {
                    this.open();
                    document.getElementById("details").focus();
                },
            };
            keys["="] = keys["+"];
            keys["−"] = keys["-"];
            keys[" "] = keys.Enter;
            const action = keys[event.key];
            if (!action) return;
            event.preventDefault();
            action();
        });
    }
};
