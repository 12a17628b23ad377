// Draws the map and the strip above it.
report.MapCanvas = class {
    constructor(canvas, strip, model, view) {
        Object.assign(this, { canvas, strip, model, view, shadeBy: "ulps", rows: [], cursor: null, chosen: null });
    }

    /** Chooses the rows to show (indices of the model's) and sizes the canvas for them. */
    layout(rows) {
        this.rows = rows;
        const narrow = this.canvas.parentElement.clientWidth < 560;
        this.rowHeight = rows.length <= 90 ? (narrow ? 13 : 15) : Math.max(5, Math.floor(3600 / rows.length));
        this.font = `${narrow ? 9.5 : 11.5}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace`;
        this.top = 20;
        this.bottom = report.data.steps_per_epoch ? 18 : 4;
        this.canvas.style.height = `${this.top + rows.length * this.rowHeight + this.bottom}px`;
        const context = this.canvas.getContext("2d");
        context.font = this.font;
        const widest = Math.max(...rows.map((row) => context.measureText(this.model.rows[row].tap.name).width), 30);
        this.left = Math.ceil(Math.min(widest + 10, this.canvas.clientWidth * 0.36));
    }

    /** Of the cells; a run of few steps does not fill the page. */
    get width() {
        return Math.min(this.canvas.clientWidth - this.left, this.model.bins * 48);
    }

    x(bin) {
        return this.left + ((bin - this.view.from) / this.view.span) * this.width;
    }

    /** The row (of those shown) and bin at a point of the canvas; either may be null. */
    hit(x, y) {
        const bin = Math.floor(this.view.from + ((x - this.left) / this.width) * this.view.span);
        const line = Math.floor((y - this.top) / this.rowHeight);
        return {
            row: line >= 0 && line < this.rows.length ? this.rows[line] : null,
            bin: x >= this.left && x < this.left + this.width && bin >= 0 && bin < this.model.bins ? bin : null,
        };
    }

    draw() {
        const context = this._begin(this.canvas);
        this.colours = {
            cells: report.kinds.map((kind, number) =>
                [1, 2, 3, 4, 5].map((shade) => report.colour(number < 3 ? `${kind}-${shade}` : kind)),
            ),
            ...Object.fromEntries(
                ["equal", "ink", "soft", "line", "focus", "paper"].map((name) => [name, report.colour(name)]),
            ),
        };
        context.font = this.font;
        context.textBaseline = "middle";
        this._labels(context);
        context.save();
        context.beginPath();
        context.rect(this.left, 0, this.width, this.canvas.clientHeight);
        context.clip();
        this._axes(context);
        this.rows.forEach((row, line) => this._row(context, this.model.rows[row], this.top + line * this.rowHeight));
        this._cursor(context, this.chosen, this.colours.ink);
        this._cursor(context, this.cursor, this.colours.focus);
        context.restore();
        this._strip();
    }

    _snap(x) {
        const ratio = window.devicePixelRatio || 1;
        return Math.round(x * ratio) / ratio;
    }

    _begin(canvas) {
        const ratio = window.devicePixelRatio || 1;
        const [width, height] = [canvas.clientWidth, canvas.clientHeight];
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        const context = canvas.getContext("2d");
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        return context;
    }

    _labels(context) {
        if (this.rowHeight < 9) return;
        this.rows.forEach((index, line) => {
            const row = this.model.rows[index];
            context.fillStyle = row.differs || this.cursor?.row === index ? this.colours.ink : this.colours.soft;
            let text = row.tap.name;
            while (text.length > 2 && context.measureText(text).width > this.left - 8) text = `${text.slice(0, -2)}…`;
            context.fillText(text, 0, this.top + (line + 0.5) * this.rowHeight);
        });
    }

    /** Steps above, epochs below, at round numbers. */
    _axes(context) {
        const bottom = this.top + this.rows.length * this.rowHeight;
        const step = (bin) => (bin + this.model.firstBin) * this.model.perBin;
        const ticks = (unit, least, y, label) => {
            const wanted = ((this.view.span * this.model.perBin) / unit) * (least / this.width);
            const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
            const every = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= wanted);
            for (
                let at = Math.ceil(step(this.view.from) / unit / every) * every;
                at * unit < step(this.view.to);
                at += every
            ) {
                const x = this.x((at * unit) / this.model.perBin - this.model.firstBin);
                context.fillStyle = this.colours.line;
                context.fillRect(x, y < this.top ? this.top - 5 : bottom, 1, 5);
                context.fillStyle = this.colours.soft;
                const text = label(at);
                if (x + 3 + context.measureText(text).width < this.left + this.width) context.fillText(text, x + 3, y);
            }
        };
        ticks(1, 76, 9, (at) => report.count(at));
        if (report.data.steps_per_epoch) ticks(report.data.steps_per_epoch, 92, bottom + 10, (at) => `epoch ${at}`);
    }

    _row(context, row, y) {
        const height = this.rowHeight - (this.rowHeight > 7 ? 1 : 0);
        context.fillStyle = this.colours.equal;
        context.fillRect(this.left, y, this.width, height);
        if (!row.differs) return;
        const perBin = this.width / this.view.span;
        const last = Math.min(this.model.bins, Math.ceil(this.view.to));
        if (perBin >= 1) {
            for (let bin = Math.floor(this.view.from); bin < last; bin++) {
                // Edges on whole device pixels: half-covered ones would show as a pattern.
                const [x, end] = [this._snap(this.x(bin)), this._snap(this.x(bin + 1))];
                if (row.kinds[bin])
                    this._cell(context, row, bin, bin + 1, x, y, end - x - (perBin > 6 ? 1 : 0), height);
            }
            return;
        }
        for (let pixel = 0; pixel < this.width; pixel++) {
            const from = Math.floor(this.view.from + (pixel / this.width) * this.view.span);
            const to = Math.min(
                last,
                Math.max(from + 1, Math.floor(this.view.from + ((pixel + 1) / this.width) * this.view.span)),
            );
            // A single differing step must not vanish between two pixels, so that it is drawn wider than it is.
            this._cell(context, row, from, to, this.left + pixel, y, 2, height);
        }
    }

    /** One rectangle for the bins from..to: an origin outweighs what is inherited, the largest number is shown. */
    _cell(context, row, from, to, x, y, width, height) {
        let kind = 0;
        let value = 0;
        const values = row[this.shadeBy === "elements" ? "elements" : "ulps"];
        for (let bin = from; bin < to; bin++) {
            if (report.rank[row.kinds[bin]] > report.rank[kind]) [kind, value] = [row.kinds[bin], 0];
            if (row.kinds[bin] === kind) value = Math.max(value, values[bin]);
        }
        if (!kind) return;
        const most = this.shadeBy === "elements" ? this.model.mostElements : this.model.mostUlps;
        const shade = this.shadeBy === "kind" ? 4 : report.MapModel.shade(value, most);
        context.fillStyle = this.colours.cells[kind][shade - 1];
        context.fillRect(x, y, width, height);
    }

    _cursor(context, place, colour) {
        const line = place ? this.rows.indexOf(place.row) : -1;
        if (line < 0) return;
        const [x, end] = [this.x(place.bin), this.x(place.bin + 1)];
        const width = Math.max(5, end - x);
        context.strokeStyle = colour;
        context.globalAlpha = 0.4;
        context.lineWidth = 1;
        context.strokeRect((x + end) / 2, this.top, 0.01, this.rows.length * this.rowHeight);
        context.globalAlpha = 1;
        context.lineWidth = 2;
        context.strokeRect((x + end - width) / 2, this.top + line * this.rowHeight - 1, width, this.rowHeight + 1);
    }

    /** The whole run in little: how many operations differ, and what part the map shows. */
    _strip() {
        const context = this._begin(this.strip);
        const [width, height] = [this.width, this.strip.clientHeight];
        const { model, view, colours } = this;
        context.fillStyle = colours.equal;
        context.fillRect(this.left, 0, width, height);
        const shown = [1, 3, 2].map((kind) => [model.counts[kind], colours.cells[kind][3]]); // from below
        let most = 1;
        for (let bin = 0; bin < model.bins; bin++)
            most = Math.max(
                most,
                shown.reduce((sum, [counts]) => sum + counts[bin], 0),
            );
        for (let pixel = 0; pixel < width; pixel++) {
            const from = Math.floor((pixel / width) * model.bins);
            const to = Math.max(from + 1, Math.floor(((pixel + 1) / width) * model.bins));
            let y = height;
            for (const [counts, colour] of shown) {
                const number = Math.max(...counts.subarray(from, to));
                const tall = number ? Math.min(y, Math.max(3, (number / most) * height)) : 0;
                context.fillStyle = colour;
                context.fillRect(this.left + pixel, (y -= tall), 1, tall);
            }
        }
        const [from, to] = [view.from, view.to].map((bin) => this.left + (bin / model.bins) * width);
        context.fillStyle = colours.paper;
        context.globalAlpha = 0.72;
        context.fillRect(this.left, 0, from - this.left, height);
        context.fillRect(to, 0, this.left + width - to, height);
        context.globalAlpha = 1;
        context.strokeStyle = colours.soft;
        context.strokeRect(from + 0.5, 0.5, Math.max(2, to - from - 1), height - 1);
    }
};
