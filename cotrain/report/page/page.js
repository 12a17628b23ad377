// Starts the page: theme, tables that sort, buttons that copy, and the figures.
(() => {
    "use strict";
    const root = document.documentElement;
    root.classList.add("scripted");

    const theme = document.getElementById("theme");
    const names = ["system", "dark", "light"];
    let chosen = 0;
    try {
        chosen = Math.max(0, names.indexOf(localStorage.getItem("cotrain-theme")));
    } catch {
        /* a browser that keeps nothing for files */
    }
    function applyTheme() {
        if (chosen) root.dataset.theme = names[chosen];
        else delete root.dataset.theme;
        theme.textContent = `Theme: ${names[chosen]}`;
        report.repaint();
    }
    theme.hidden = false;
    theme.addEventListener("click", () => {
        chosen = (chosen + 1) % names.length;
        try {
            localStorage.setItem("cotrain-theme", names[chosen]);
        } catch {
            /* as above */
        }
        applyTheme();
    });
    applyTheme();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", report.repaint);

    /** Makes the headings of a table buttons that sort its rows. */
    function sortable(table) {
        const heads = [...table.querySelectorAll("th[data-sort]")];
        for (const head of heads) {
            const column = head.cellIndex + (head.parentElement.rowIndex > 0 ? 1 : 0);
            const button = report.element("button", { type: "button" }, ...head.childNodes);
            head.append(button);
            button.addEventListener("click", () => {
                // Numbers begin with the largest, names with the first.
                const firstWay = head.dataset.sort === "number" ? "descending" : "ascending";
                const other = firstWay === "ascending" ? "descending" : "ascending";
                const way = head.getAttribute("aria-sort") === firstWay ? other : firstWay;
                heads.forEach((each) => each.removeAttribute("aria-sort"));
                head.setAttribute("aria-sort", way);
                const sign = way === "ascending" ? 1 : -1;
                const key = (row) => {
                    const cell = row.cells[column];
                    const text = cell.textContent.trim();
                    return head.dataset.sort === "number"
                        ? Number(cell.dataset.value ?? text.replaceAll(",", ""))
                        : text;
                };
                const rows = [...table.tBodies[0].rows].map((row) => [key(row), row]);
                rows.sort(([a], [b]) => sign * (a < b ? -1 : a > b ? 1 : 0));
                table.tBodies[0].append(...rows.map(([, row]) => row));
            });
        }
        table.classList.add("ready");
    }
    document.querySelectorAll("table.sortable").forEach(sortable);

    for (const command of document.querySelectorAll("code.command")) {
        const copy = report.element("button", { type: "button", class: "copy" }, "copy");
        copy.addEventListener("click", async () => {
            try {
                await navigator.clipboard.writeText(command.textContent);
                copy.textContent = "copied";
            } catch {
                getSelection().selectAllChildren(command);
                copy.textContent = "selected";
            }
        });
        command.after(copy);
    }

    /** A box that does not scroll needs no place in the tab order. */
    function tabStops() {
        for (const box of document.querySelectorAll(".scroll"))
            box.tabIndex = box.scrollWidth > box.clientWidth + 1 ? 0 : -1;
    }

    async function figures() {
        const place = document.getElementById("map-root");
        if (place) {
            const model = await report.MapModel.load();
            const details = new report.Details(document.getElementById("details"), model);
            report.map = details.map = new report.Map(place, model, (cell) => details.show(cell));
            report.growth(document.getElementById("growth"), model);
        }
        const series = document.getElementById("series");
        if (series) for (const each of report.data.series) await report.series(series, each);
    }

    new ResizeObserver(tabStops).observe(document.getElementById("main"));
    if (typeof DecompressionStream === "undefined") {
        document
            .getElementById("main")
            .prepend(
                report.element(
                    "p",
                    { class: "note" },
                    "This browser is too old for the figures; the tables have all they need.",
                ),
            );
        root.classList.add("drawn");
    } else {
        figures().finally(() => root.classList.add("drawn"));
    }
})();
