/* A symbol of the lesson's table is marked wherever it stands: in formulas, in the words of figures, in its row.
   The names come from the first column of each table whose head says "symbol"; nothing is listed for a page. */
"use strict";
(() => {
	const { all } = course;
	const PARTS = "msub, mi";
	const shown = (element) => element.textContent.replace(/\s/g, "");
	const symbolsIn = (math) =>
		all(PARTS, math).filter((one) => !one.parentElement.closest("msub"));
	const rows = new Map();
	for (const table of all("main table"))
		if (table.rows[0] && shown(table.rows[0].cells[0]) === "symbol")
			for (const row of Array.from(table.rows).slice(1)) {
				const names = symbolsIn(row.cells[0]).map(shown);
				/* of "h = ReLU(z)" the row is that of h; of "W1, b1" it is that of both */
				const own = all("mo", row.cells[0]).some((one) => shown(one) === "=")
					? names.slice(0, 1)
					: names;
				for (const name of own) if (!rows.has(name)) rows.set(name, row);
			}
	if (!rows.size) return;
	/* P with the name of a part below is the table's P, where the table has no other. */
	const nameOf = (one) => {
		const base = one.localName === "msub" && shown(one.firstElementChild);
		return !rows.has(shown(one)) && rows.has(base) ? base : shown(one);
	};

	/* Return the symbols that a place of the page names. */
	const NO_LETTER = "[^\\p{L}\\p{N}_'’]";
	const named = (target) => {
		const part = target.closest?.("main msub") || target.closest?.("main mi");
		if (part) return [nameOf(part)].filter((name) => rows.has(name));
		const words = target.closest?.("main figure svg:not(.code) text");
		if (words && !words.closest(".folds"))
			return [...rows.keys()].filter((name) => says(words, name));
		const row = target.closest?.("main tr");
		return [...rows.keys()].filter((name) => rows.get(name) === row);
	};
	const says = (words, name) =>
		new RegExp(
			`(^|${NO_LETTER})${name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}($|${NO_LETTER})`,
			"u",
		).test(shown(words));
	const places = (name) => [
		...all("main math")
			.flatMap(symbolsIn)
			.filter((one) => nameOf(one) === name),
		...all("main figure .picture:not(.folds) text").filter((one) =>
			says(one, name),
		),
		rows.get(name),
	];
	const mark = (names) => {
		for (const one of all(".marked")) one.classList.remove("marked");
		for (const one of names.flatMap(places)) one.classList.add("marked");
	};

	let kept = []; /* by a tap or the keyboard: they stay until the next one */
	const keep = (names) => {
		kept = names;
		mark(kept);
	};
	addEventListener("pointerover", (event) => {
		const names = event.pointerType === "mouse" ? named(event.target) : [];
		if (names.length || all(".marked").length)
			mark(names.length ? names : kept);
	});
	addEventListener("click", (event) => {
		const names = named(event.target);
		if (names.length || kept.length)
			keep(names.join() === kept.join() ? [] : names);
	});
	addEventListener("focusin", (event) => keep(named(event.target)));
	addEventListener(
		"keydown",
		(event) => event.key === "Escape" && kept.length && keep([]),
	);
	for (const row of new Set(rows.values())) row.cells[0].tabIndex = 0;
})();
