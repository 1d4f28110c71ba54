/* What both microscopes have in common: reading a state, the field with a cell for each hidden unit, the bars of what comes
   next, small parts. */
const SIGNS = { "\n": "↵", "\t": "⇥", " ": "␣" };
export const visible = (words) =>
	words.replace(/[\n\t ]/g, (sign) => SIGNS[sign]);
export const called = (ffn, unit) => `FFN ${ffn}, unit ${unit}`;
export const percent = (p) =>
	p < 0.01 ? "below 1 %" : `${Math.round(100 * p)} %`;
export const say = (element, words) => {
	if (element.textContent !== words) element.textContent = words;
};
export const added = (parent, tag, inside = "", classes = "") => {
	const element = Object.assign(document.createElement(tag), {
		className: classes,
	});
	element.innerHTML = inside;
	parent.append(element);
	return element;
};
export const within = (given, low, high, otherwise) => {
	const number = given === "" || given === null ? NaN : Number(given);
	return Number.isInteger(number) && number >= low && number <= high
		? number
		: otherwise;
};
/* Take what is given, and makes sense, into a state of what both know. */
export const taken = (now, given, ffns, units, parts) => {
	now.text = String(given.text ?? now.text);
	now.ffn = within(given.ffn, 1, ffns, now.ffn);
	now.unit = within(given.unit, 0, units - 1, now.unit);
	const off = String(given.off ?? now.off).split(",");
	now.off = parts.filter((name) => off.includes(name)).join();
};

/* The parts of a component, each by its name or the last of its classes. */
export const partsOf = (element) =>
	Object.fromEntries(
		Array.from(element.querySelectorAll("[class], [name]"), (part) => [
			part.name || part.className.split(" ").pop(),
			part,
		]),
	);
export const numberBox = (low, high, name, label = name) =>
	`<label>${label} <input type="number" name="${name}" min="${low}" max="${high}"></label>`;
export const textarea = (rows, label) =>
	`<textarea rows="${rows}" spellcheck="false" autocapitalize="off" autocomplete="off" autocorrect="off" translate="no" aria-label="${label}" name="area"></textarea>`;
/* Put a text into its box, and the caret behind `before` of its characters. */
export const typed = (area, text, before = text.length) => {
	if (area.value === text) return;
	area.value = text;
	area.setSelectionRange(before, before);
};
/* Make checkboxes, one for each name. set(names, labels): tick those; changed(names): a person has done so. */
export const checkboxes = (parent, names, changed, classes) => {
	const boxes = names.map(
		(name) =>
			added(
				parent,
				"label",
				`<input type="checkbox" value="${name}"> <span></span>`,
				classes,
			).firstChild,
	);
	parent.onchange = () =>
		changed(boxes.filter((box) => box.checked).map((box) => box.value));
	return (ticked, labels) => {
		for (const [number, box] of boxes.entries()) {
			box.checked = ticked.includes(box.value);
			say(box.nextElementSibling, labels[number]);
		}
	};
};

/* Return a component's colours by their names. */
export const coloursOf = (element) => {
	const look = getComputedStyle(element);
	return Object.fromEntries(
		"cell text accent input hidden output"
			.split(" ")
			.map((name) => [name, look.getPropertyValue(`--c-${name}`)]),
	);
};
/* Watch what changes the looks of a component: its canvases' sizes, kept in their `wide` and `high`, and the theme; and the
   caret of its text box. */
export const watched = (canvases, redraw, area, moved) => {
	const resized = new ResizeObserver((seen) => {
		for (const { target, contentRect } of seen)
			[target.wide, target.high] = [contentRect.width, contentRect.height];
		redraw();
	});
	const dark = matchMedia("(prefers-color-scheme: dark)");
	const themed = () =>
		requestAnimationFrame(
			redraw,
		); /* JupyterLab hides what it changes until then */
	const theme = new MutationObserver(themed);
	theme.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
	dark.addEventListener("change", themed);
	for (const canvas of canvases) resized.observe(canvas);
	const followed = () => {
		if (document.activeElement === area) moved();
	};
	document.addEventListener("selectionchange", followed);
	return () => {
		document.removeEventListener("selectionchange", followed);
		resized.disconnect();
		theme.disconnect();
		dark.removeEventListener("change", themed);
	};
};

/* Return an empty canvas's pen, which counts in pixels of the page. */
export const sized = (canvas) => {
	const ratio = devicePixelRatio || 1,
		[wide, high] = [canvas.wide || 0, canvas.high || 0];
	const [width, height] = [Math.round(wide * ratio), Math.round(high * ratio)];
	if (canvas.width !== width || canvas.height !== height)
		[canvas.width, canvas.height] = [width, height];
	const pen = canvas.getContext("2d");
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	pen.clearRect(0, 0, wide, high);
	return pen;
};

/* Say where a slider is. */
export const tell = (slider, number, words) => {
	slider.setAttribute("aria-valuenow", number);
	slider.setAttribute("aria-valuetext", words);
};
/* Return where a key leads from a number, with so many in a row. */
export const stepped = ({ key }, from, row, low, high) =>
	({
		Home: low,
		End: high,
		ArrowLeft: from - 1,
		ArrowRight: from + 1,
		ArrowUp: from - row,
		ArrowDown: from + row,
	})[key];

/* Make a canvas a field of cells. hover(unit): where the pointer or the arrow keys are, or nowhere. choose(unit): after a
   click or Enter. from(): the unit from which the keys start. The function returned paints cells of a colour, each with its
   ink(unit), [colour, how opaque]; frames are [units, colour, width, how opaque]. */
export const field = (canvas, columns, rows, hover, choose, from) => {
	const last = columns * rows - 1;
	let over = null;
	const at = (place, size, most) =>
		Math.min(most - 1, Math.max(0, Math.floor((place / size) * most)));
	const unitAt = (event) =>
		at(event.offsetY, canvas.high, rows) * columns +
		at(event.offsetX, canvas.wide, columns);
	const cell = (unit, gap = Math.max(1, (canvas.wide / columns) * 0.14)) => {
		const wide = canvas.wide / columns,
			high = canvas.high / rows;
		return [
			(unit % columns) * wide + gap / 2,
			Math.floor(unit / columns) * high + gap / 2,
			wide - gap,
			high - gap,
		];
	};
	canvas.setAttribute("aria-valuemax", last);
	canvas.onpointermove = (event) => {
		const unit = unitAt(event);
		if (unit !== over) hover(unit);
		over = unit;
	};
	canvas.onpointerleave = canvas.onblur = () => {
		over = null;
		hover(over);
	};
	canvas.onclick = (event) => choose(unitAt(event));
	canvas.onkeydown = (event) => {
		const to = stepped(event, from(), columns, 0, last);
		if (event.key === "Enter") choose(from());
		else if (to === undefined) return;
		else if (to >= 0 && to <= last) {
			over = null;
			hover(to);
		}
		event.preventDefault();
	};
	return (ground, ink, frames) => {
		if (!canvas.wide) return;
		const pen = sized(canvas);
		pen.fillStyle = ground;
		for (let unit = 0; unit <= last; unit++) pen.fillRect(...cell(unit));
		pen.globalCompositeOperation = "source-atop"; /* on the cells alone */
		for (let unit = 0; unit <= last; unit++) {
			[pen.fillStyle, pen.globalAlpha] = ink(unit);
			pen.fillRect(...cell(unit, 0));
		}
		pen.globalCompositeOperation = "source-over";
		for (const [units, strokeStyle, lineWidth, globalAlpha = 1] of frames) {
			Object.assign(pen, { globalAlpha, strokeStyle, lineWidth });
			pen.beginPath();
			for (const unit of units) pen.rect(...cell(unit));
			pen.stroke();
		}
		pen.globalAlpha = 1;
	};
};

const BARS = 5;
/* Make a list show what is expected next: the function returned takes [words, p, and where something is changed the new p],
   the likeliest first. A bar keeps its words while it moves. */
export const bars = (list, inside = "", percents = percent) => {
	const all = Array.from({ length: BARS }, () =>
		added(list, "li", `<i></i><b></b><span></span>${inside}`),
	);
	return (next) => {
		const free = all.filter(
			(bar) => !next.some(([words]) => words === bar.words),
		);
		for (const bar of all) bar.hidden = !next.length;
		for (const [rank, [words, p, other]] of next.entries()) {
			let bar = all.find((each) => each.words === words);
			if (!bar) {
				bar = free.pop();
				bar.words = words;
			}
			const [, name, chance, changed, tick] = bar.children;
			say(name, visible(words));
			bar.style.setProperty("--rank", rank);
			bar.style.setProperty("--s", p.toFixed(3));
			say(chance, percents(p));
			if (!changed) continue;
			tick.hidden = other === null;
			say(changed, tick.hidden ? "" : percents(other));
			bar.style.setProperty("--t", (other || 0).toFixed(3));
		}
	};
};

/* Make a row of buttons for the units that fire most strongly: cells are too small for a finger, and say nothing aloud.
   The function returned takes the values of all units; choose(unit). */
export const buttons = (row, choose) => {
	const all = Array.from({ length: BARS }, () => added(row, "button"));
	for (const button of all)
		button.onclick = () => choose(Number(button.textContent));
	return (values) => {
		const order = Array.from(values.keys())
			.filter((unit) => values[unit])
			.sort(
				(unit, other) =>
					Math.abs(values[other]) - Math.abs(values[unit]) || unit - other,
			);
		for (const [rank, button] of all.entries()) {
			button.hidden = !(rank in order);
			say(button, String(order[rank]));
		}
	};
};
