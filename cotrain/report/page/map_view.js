// The map's numbers, and which part of them is in view.
report.MapModel = class {
    /** All cells, a row per operation and a bin of steps per column. */
    static async load() {
        const map = report.data.map;
        const [kinds, elements, ulps] = await Promise.all([map.kinds, map.elements, map.ulps].map(report.unpack));
        return new report.MapModel(map, kinds, elements, ulps);
    }

    constructor(map, kinds, elements, ulps) {
        this.bins = map.bins;
        this.perBin = map.steps_per_bin;
        this.firstBin = map.first_bin;
        this.exactBelow = map.exact_below;
        this.exact = map.exact_below >= 2 ** 53;
        this.counts = report.kinds.map(() => new Uint16Array(this.bins)); // by kind: operations per bin
        this.mostElements = 0;
        this.mostUlps = 0;
        let next = 0;
        this.rows = report.data.taps.map((tap, index) => {
            const row = {
                tap,
                kinds: kinds.subarray(index * this.bins, (index + 1) * this.bins),
                elements: new Float64Array(this.bins),
                ulps: new Float64Array(this.bins),
                differs: false,
            };
            for (let bin = 0; bin < this.bins; bin++) {
                if (!row.kinds[bin]) continue;
                row.differs = true;
                row.elements[bin] = elements[next];
                row.ulps[bin] = ulps[next++];
                this.mostElements = Math.max(this.mostElements, row.elements[bin]);
                this.mostUlps = Math.max(this.mostUlps, row.ulps[bin]);
                this.counts[row.kinds[bin]][bin]++;
            }
            return row;
        });
    }

    /** The first step of a bin that the run has. */
    firstStep(bin) {
        return Math.max(report.data.first_step, (this.firstBin + bin) * this.perBin);
    }

    /** The last step of a bin that the run has. */
    lastStep(bin) {
        const end = report.data.first_step + report.data.steps;
        return Math.min(end, (this.firstBin + bin + 1) * this.perBin) - 1;
    }

    binOf(step) {
        return Math.floor(step / this.perBin) - this.firstBin;
    }

    rowOf(tap) {
        return this.rows.findIndex((row) => row.tap.name === tap);
    }

    /** The nearest differing bin of a row after (or, with direction -1, before) a bin; -1 for none. */
    nextDifference(row, bin, direction) {
        const kinds = this.rows[row].kinds;
        for (let at = bin + direction; at >= 0 && at < this.bins; at += direction) if (kinds[at]) return at;
        return -1;
    }

    /** Shade 1 to 5 of a number on a logarithmic scale that ends at ``most``. */
    static shade(value, most) {
        return value > 0 && most > 0 ? 1 + Math.floor(4.999 * (Math.log2(value + 1) / Math.log2(most + 1))) : 1;
    }
};

report.MapView = class {
    /** The part of the bins in view, from ``from`` to ``to`` (fractions are fine). */
    constructor(bins) {
        this.bins = bins;
        this.least = Math.min(bins, 8);
        this.all();
    }

    get span() {
        return this.to - this.from;
    }

    all() {
        this.set(0, this.bins);
    }

    set(from, to) {
        let span = Math.min(this.bins, Math.max(this.least, to - from));
        let begin = (from + to) / 2 - span / 2;
        if (span < 200) [begin, span] = [Math.round(begin), Math.round(span)]; // no half columns where one can see them
        this.from = Math.min(this.bins - span, Math.max(0, begin));
        this.to = this.from + span;
    }

    zoom(factor, around) {
        const part = (around - this.from) / this.span;
        const span = Math.min(this.bins, Math.max(this.least, this.span * factor));
        this.set(around - part * span, around + (1 - part) * span);
    }

    pan(bins) {
        const shift = Math.min(this.bins - this.to, Math.max(-this.from, bins));
        this.from += shift;
        this.to += shift;
    }

    /** Pans as little as is needed to have a bin in view. */
    show(bin) {
        if (bin < this.from) this.pan(bin - this.from);
        else if (bin + 1 > this.to) this.pan(bin + 1 - this.to);
    }
};
