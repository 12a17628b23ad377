// The map under a mouse or fingers.
report.MapPointer = class {
    constructor(map) {
        Object.assign(this, { map, canvas: map.canvas, view: map.view, fingers: new Map(), moved: 0 });
        const cells = map.cells;
        cells.addEventListener("pointerdown", (event) => this._down(event));
        cells.addEventListener("pointermove", (event) =>
            this.fingers.has(event.pointerId) ? this._drag(event) : this._read(event),
        );
        cells.addEventListener("pointerup", (event) => this._up(event));
        cells.addEventListener("pointercancel", (event) => this.fingers.delete(event.pointerId));
        cells.addEventListener("pointerleave", () => this.fingers.size || map.tell(map.canvas.cursor, false));
        cells.addEventListener("wheel", (event) => this._wheel(event), { passive: false });
        this._strip(map.strip);
    }

    _at(event) {
        const box = this.map.cells.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    }

    /** The bin under an x of the cells, with its fraction. */
    _bin(x) {
        return this.view.from + ((x - this.canvas.left) / this.canvas.width) * this.view.span;
    }

    _read(event) {
        const place = this.canvas.hit(...this._at(event));
        if (place.row !== null && place.bin !== null) this.map.tell(place, false);
    }

    _down(event) {
        this.fingers.set(event.pointerId, this._at(event));
        this.moved = 0;
        this.map.cells.setPointerCapture(event.pointerId);
    }

    /** One finger moves the steps, two zoom. */
    _drag(event) {
        const [x, y] = this._at(event);
        const before = this.fingers.get(event.pointerId);
        if (this.fingers.size === 2) {
            const [other] = [...this.fingers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
            const spread = Math.max(20, Math.abs(before[0] - other[0])) / Math.max(20, Math.abs(x - other[0]));
            this.view.zoom(spread, this._bin((x + other[0]) / 2));
        } else {
            this.view.pan(((before[0] - x) / this.canvas.width) * this.view.span);
        }
        this.moved += Math.abs(x - before[0]) + Math.abs(y - before[1]);
        this.fingers.set(event.pointerId, [x, y]);
        this.canvas.draw();
    }

    _up(event) {
        const place = this.canvas.hit(...this._at(event));
        const clicked = this.fingers.delete(event.pointerId) && this.moved < 5;
        if (clicked && place.row !== null && place.bin !== null) {
            this.map.go(place.row, this._nearest(place), { open: true, say: false });
        }
    }

    /** Without a key the wheel is the page's. */
    _wheel(event) {
        if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
        event.preventDefault();
        this.view.zoom(1.0015 ** (event.deltaY || event.deltaX), this._bin(this._at(event)[0]));
        this.canvas.draw();
    }

    /** A cell narrower than a finger or a mouse's tip is also hit beside it. */
    _nearest({ row, bin }) {
        const { model } = this.map;
        const reach = Math.ceil((4 * this.view.span) / this.canvas.width);
        if (reach <= 1 || model.rows[row].kinds[bin]) return bin;
        const found = [-1, 1]
            .map((direction) => model.nextDifference(row, bin, direction))
            .filter((each) => each >= 0 && Math.abs(each - bin) <= reach);
        return found.sort((a, b) => Math.abs(a - bin) - Math.abs(b - bin))[0] ?? bin;
    }

    /** Dragging on the strip chooses steps; dragging what is chosen moves it. */
    _strip(strip) {
        const { model } = this.map;
        let start = null;
        const binAt = (event) => {
            const x = event.clientX - strip.getBoundingClientRect().left - this.canvas.left;
            return (x / this.canvas.width) * model.bins;
        };
        strip.addEventListener("pointerdown", (event) => {
            const bin = binAt(event);
            const inside = this.view.span < model.bins && bin > this.view.from && bin < this.view.to;
            start = { bin, grip: inside ? bin - this.view.from : null };
            strip.setPointerCapture(event.pointerId);
        });
        strip.addEventListener("pointermove", (event) => {
            if (!start) return;
            if (start.grip !== null) this.view.pan(binAt(event) - start.grip - this.view.from);
            else this.view.set(...[start.bin, binAt(event)].sort((a, b) => a - b));
            this.canvas.draw();
        });
        const end = () => (start = null);
        strip.addEventListener("pointerup", end);
        strip.addEventListener("pointercancel", end);
    }
};
