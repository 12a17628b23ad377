// The page's charts: ulp growth over steps, and the metrics of both sides.
report.palette = [
    ["#0072b2", "#56b4e9"],
    ["#c95000", "#ff8a4c"],
    ["#00805c", "#2ecc9b"],
    ["#a8478a", "#e59ac4"],
    ["#5f4fc9", "#a99cff"],
    ["#7d6200", "#e0c14a"],
    ["#8a3324", "#f0a08c"],
    ["#50565c", "#b9bfc6"],
];

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
        const line = {
            label: row.tap.name,
            slot: 0,
            shown: false,
            values: Array.from(row.ulps, (ulp) => (ulp > 0 ? ulp : null)),
        };
        line.colour = () => report.palette[line.slot % report.palette.length][report.dark() ? 1 : 0];
        line.dash = () => dashes[Math.floor(line.slot / report.palette.length) % dashes.length];
        if (shown.has(row)) take(line, true);
        return line;
    });
    const chart = new report.Chart(root, {
        title: "How far apart: the largest ulp distance in each step",
        note: "Logarithmic. A gap is a step in which the operation is equal. Drag to zoom, double-click to see all.",
        unit: "step",
        x: Array.from({ length: model.bins }, (_, bin) => model.firstStep(bin)),
        lines,
        logarithmic: true,
        height: 260,
        format: (value) => `${report.count(value)} ulp`,
    });
    const keys = report.element("div", { class: "taps", role: "group", "aria-label": "Operations in the chart" });
    const paint = lines.map((line) => {
        const stroke = report.element("line", { x1: 0, x2: 22, y1: 4, y2: 4, "stroke-width": 2.5 });
        const button = report.element(
            "button",
            { type: "button" },
            report.element("svg", { "aria-hidden": "true" }, stroke),
            line.label,
        );
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
    const [at, reference, candidate] = await Promise.all(
        [series.at, series.reference, series.candidate].map(report.unpack),
    );
    const finite = (numbers) => Array.from(numbers, (number) => (Number.isFinite(number) ? number : null));
    const odd = [...reference, ...candidate].filter((number) => !Number.isFinite(number)).length;
    const notes = [`Equal in ${report.count(series.equal)} of ${report.plural(series.count, series.unit)}.`];
    if (series.stride > 1) notes.push(`Every ${series.stride}th is shown.`);
    if (odd) notes.push(`${odd} numbers are not finite and leave a gap.`);
    const [box, x, format] = [
        report.element("div", { class: series.unit === "step" ? "wide" : null }),
        Array.from(at),
        (value) => String(Number(value.toPrecision(9))),
    ];
    root.append(box);
    root.hidden = false;
    const least = reference.reduce((a, b) => Math.min(a, b), Infinity);
    const logarithmic = least > 0 && reference.reduce((a, b) => Math.max(a, b), 0) > 100 * least;
    if (logarithmic) notes.push("Logarithmic.");
    new report.Chart(box, {
        title: series.name,
        note: notes.join(" "),
        unit: series.unit,
        x,
        format,
        height: 190,
        logarithmic,
        lines: [
            {
                label: "reference",
                key: "reference",
                colour: () => `${report.colour("reference")}80`,
                width: 5,
                values: finite(reference),
            },
            {
                label: "candidate",
                key: "candidate",
                colour: () => report.colour("candidate"),
                width: 1.5,
                values: finite(candidate),
            },
        ],
    });
    if (series.equal === series.count) return;
    const apart = finite(reference.map((number, index) => candidate[index] - number));
    if (apart.every((number) => !number)) return;
    new report.Chart(box, {
        title: "candidate − reference",
        note: "",
        unit: series.unit,
        x,
        height: 120,
        format: (value) => value.toExponential(2),
        lines: [{ label: "difference", colour: () => report.colour("bad"), values: apart }],
    });
};
