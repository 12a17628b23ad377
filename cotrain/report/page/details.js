// What a cell of the map says, in a line and in full.

/** A cell in words, without its place. */
report.cellText = (model, { row, bin }) => {
    const { kinds, elements, ulps, tap } = model.rows[row];
    if (!kinds[bin]) return "equal bytes";
    if (kinds[bin] === 3) return "differs too, after the operation that ended the run";
    const number = (value) => `${value < model.exactBelow ? "" : "about "}${report.count(value)}`;
    const distance = ulps[bin] ? `, at most ${number(ulps[bin])} ulp apart` : "";
    return `${report.kinds[kinds[bin]]}, ${number(elements[bin])} of ${report.plural(tap.size, "element")}${distance}`;
};

report.Details = class {
    constructor(root, model) {
        Object.assign(this, { root, model, map: null });
        root.addEventListener("keydown", (event) => {
            if (event.key === "Escape") this.close();
        });
    }

    /** Shows a cell; ``place`` is ``{row, bin}``. */
    show(place) {
        const { model, root } = this;
        const { tap, kinds } = model.rows[place.row];
        const [first, last] = [model.firstStep(place.bin), model.lastStep(place.bin)];
        const kind = report.kinds[kinds[place.bin]];
        root.dataset.kind = kind;
        root.replaceChildren(
            report.element("button", { type: "button", class: "close quiet", onclick: () => this.close() }, "close"),
            report.element(
                "h3",
                {},
                report.element("span", { class: "tap" }, tap.name),
                ` at ${first === last ? `step ${first}` : `steps ${first} to ${last}`} `,
                report.element(
                    "span",
                    { class: "chip", "data-outcome": kind },
                    kind === "after" ? "differs too" : kind,
                ),
            ),
            this._facts(place, first, last),
            ...this._others(place),
            ...this._goto(place),
            ...this._card(tap, kind, first, last),
        );
        root.hidden = false;
        // Below a tall map one would not see that it opened; no further than its heading.
        root.querySelector(".lines").scrollIntoView({ block: "nearest" });
    }

    close() {
        this.root.hidden = true;
        this.map.canvas.chosen = null;
        this.map.canvas.draw();
        this.map.cells.focus();
    }

    _facts(place, first, last) {
        const { tap } = this.model.rows[place.row];
        const lines = report.element("dl", { class: "lines" });
        const line = (label, text, css = "") =>
            lines.append(
                report.element("div", {}, report.element("dt", {}, label), report.element("dd", { class: css }, text)),
            );
        line("where", report.place(first, last));
        line("operation", `${tap.op ? `${tap.op}  ` : ""}${tap.type}`, "mono");
        line(last > first ? "at most" : "found", report.cellText(this.model, place));
        for (const [kind, { steps, first: from, last: to, ulp }] of Object.entries(tap.kinds)) {
            const when = from < 0 ? "the first before step 0" : steps > 1 ? `from ${from} to ${to}` : `step ${from}`;
            line(
                `as ${kind}`,
                `in ${report.plural(steps, "step")} of the run (${when})${ulp ? `, at most ${ulp} ulp apart` : ""}`,
            );
        }
        return lines;
    }

    /** The other operations that differ at the same steps, in their order. */
    _others({ row, bin }) {
        const others = this.model.rows
            .map((_, index) => index)
            .filter((index) => index !== row && this.model.rows[index].kinds[bin]);
        if (!others.length) return [];
        const buttons = others.map((index) =>
            this._button(this.model.rows[index].tap.name, this.model.rows[index].kinds[bin], index, bin),
        );
        return [
            report.element("h4", {}, `Differing in the same ${this.model.perBin > 1 ? "steps" : "step"}, in order`),
            report.element("div", { class: "row" }, ...buttons),
        ];
    }

    /** Ways to where this operation first differs. */
    _goto({ row, bin }) {
        const { tap } = this.model.rows[row];
        const buttons = Object.entries(tap.kinds)
            .map(([kind, { first }]) => [kind, first < 0 ? -1 : this.model.binOf(first)])
            .filter(([, at]) => at >= 0 && at !== bin)
            .map(([kind, at]) =>
                this._button(`first ${kind}: step ${tap.kinds[kind].first}`, kind === "origin" ? 2 : 1, row, at),
            );
        return buttons.length
            ? [report.element("h4", {}, "This operation"), report.element("div", { class: "row" }, ...buttons)]
            : [];
    }

    _button(text, kind, row, bin) {
        const mark = report.element("span", { class: `kind ${report.kinds[kind]}`, "aria-hidden": "true" });
        const onclick = () => {
            this.map.go(row, bin, { open: true });
            this.root.focus();
        };
        return report.element("button", { type: "button", onclick }, mark, text);
    }

    /** The divergence card to the bit, where the report has one for this very cell. */
    _card(tap, kind, first, last) {
        const cards = report.data.cards;
        const index = cards.findIndex(
            (card) =>
                card.tap === tap.name && card.step >= first && card.step <= last && card.origin === (kind === "origin"),
        );
        const source =
            index < 0 ? null : document.querySelector(cards.length > 1 ? `#card-${index}` : "#divergence .card");
        if (!source) return [];
        const copy = source.querySelector(".lines").cloneNode(true);
        for (const button of copy.querySelectorAll("button")) button.remove();
        return [
            report.element("div", { class: "nested" }, report.element("h4", {}, "Its first differing element"), copy),
        ];
    }
};
