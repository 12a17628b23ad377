// What all parts of the page share: the data, unpacked arrays, elements, colours, words.
const report = (() => {
    "use strict";
    const data = JSON.parse(document.getElementById("data").textContent);
    const repaints = [];

    /** The bytes of a packed array (see html_data.pack), inflated. */
    async function inflate(text) {
        const stream = new DecompressionStream("deflate");
        const writer = stream.writable.getWriter();
        writer.write(Uint8Array.from(atob(text), (each) => each.charCodeAt(0)));
        writer.close();
        const chunks = [];
        const reader = stream.readable.getReader();
        for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
        const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
        let at = 0;
        for (const chunk of chunks) {
            whole.set(chunk, at);
            at += chunk.length;
        }
        return whole;
    }

    /** A packed array as numbers; integers above 2^53 lose their last digits. */
    async function unpack(packed) {
        const planes = await inflate(packed.data);
        const count = packed.length;
        const size = Number(packed.type.slice(1));
        if (size === 1) return planes;
        if (packed.type === "m2") {
            // The bits after the leading one, and the length in bits.
            return Float64Array.from({ length: count }, (_, i) =>
                planes[count + i] ? Math.floor((1 + planes[i] / 256) * 2 ** (planes[count + i] - 1)) : 0,
            );
        }
        if (packed.type[0] === "u") {
            const numbers = new Float64Array(count);
            for (let plane = size - 1; plane >= 0; plane--) {
                for (let i = 0; i < count; i++) numbers[i] = numbers[i] * 256 + planes[plane * count + i];
            }
            return numbers;
        }
        const bytes = new Uint8Array(count * size);
        for (let plane = 0; plane < size; plane++) {
            for (let i = 0; i < count; i++) bytes[i * size + plane] = planes[plane * count + i];
        }
        return packed.type === "f8" ? new Float64Array(bytes.buffer) : new Int32Array(bytes.buffer);
    }

    /** An element. Text is always set as text, so nothing in it is markup. */
    function element(tag, attributes = {}, ...children) {
        const made =
            tag === "svg" || tag === "line"
                ? document.createElementNS("http://www.w3.org/2000/svg", tag)
                : document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) {
            if (name === "onclick") made.addEventListener("click", value);
            else if (value !== null && value !== false) made.setAttribute(name, value);
        }
        made.append(...children);
        return made;
    }

    const count = (number) => number.toLocaleString("en-US", { maximumSignificantDigits: 15 });
    const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

    /** ``step 351``, with epoch and batch where there are epochs. */
    function place(first, last = first) {
        const epochs = data.steps_per_epoch;
        const spell = (step) => (epochs ? `epoch ${Math.floor(step / epochs)}, batch ${step % epochs}` : "");
        if (first === last) return epochs ? `step ${first} (${spell(first)})` : `step ${first}`;
        return epochs ? `steps ${first} to ${last} (from ${spell(first)})` : `steps ${first} to ${last}`;
    }

    return {
        data,
        /** A cell's kind by its number, and in which order they hide each other where many steps share a pixel. */
        kinds: ["equal", "inherited", "origin", "after"],
        rank: [0, 2, 3, 1],
        unpack,
        element,
        count,
        plural,
        place,
        colour: (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim(),
        dark: () => getComputedStyle(document.documentElement).colorScheme === "dark",
        say: (text) => {
            document.getElementById("live").textContent = text;
        },
        /** Calls a function whenever colours or sizes change. */
        onRepaint: (repaint) => repaints.push(repaint),
        repaint: () => repaints.forEach((repaint) => repaint()),
    };
})();
