/* What both microscopes draw with: a field with a cell for each hidden unit, the bars of what comes next, small parts. */
const SIGNS = { "\n": "↵", "\t": "⇥", " ": "␣" };
export const visible = (words) =>
	words.replace(/[\n\t ]/g, (one) => SIGNS[one]);
export const called = (ffn, unit) => `FFN ${ffn}, unit ${unit}`;
export const percent = (p) =>
	p < 0.01 ? "below 1 %" : `${Math.round(100 * p)} %`;
export const say = (element, words) =>
	element.textContent === words || (element.textContent = words);
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

/* Watch what changes the looks of a component: its canvases' sizes, kept in their `wide` and `high`, and the theme. */
export const watched = (canvases, redraw) => {
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
	return () => {
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

/* Return a colour of CSS as a number for a field's shades, opaque from 0 to 1. */
export const pigment = (colour) => {
	const pen = Object.assign(document.createElement("canvas"), {
		width: 1,
		height: 1,
	}).getContext("2d");
	pen.fillStyle = colour;
	pen.fillRect(0, 0, 1, 1);
	const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
	return (opaque) =>
		((Math.round(255 * opaque) << 24) | (blue << 16) | (green << 8) | red) >>>
		0;
};

/* Make a canvas a field of cells. hover(unit): where the pointer or the arrow keys are, or nowhere. choose(unit): after a
   click or Enter. from(): the unit from which the keys start. Return its `shades`, one for each cell, which
   paint(ground, frames) shows on cells of that colour; frames are [units, colour, width, how opaque]. */
export const field = (canvas, columns, rows, { hover, choose, from }) => {
	const small = Object.assign(document.createElement("canvas"), {
		width: columns,
		height: rows,
	}).getContext("2d");
	const image = small.createImageData(columns, rows),
		count = columns * rows;
	const moves = {
		ArrowLeft: -1,
		ArrowRight: 1,
		ArrowUp: -columns,
		ArrowDown: columns,
	};
	let grid = null,
		wide = 0,
		over = null;
	const at = (place, size, most) =>
		Math.min(most - 1, Math.max(0, Math.floor((place / size) * most)));
	const unitAt = (event) =>
		at(event.offsetY, canvas.high, rows) * columns +
		at(event.offsetX, canvas.wide, columns);
	const cell = (unit) => {
		const step = canvas.wide / columns,
			gap = Math.max(1, step * 0.14),
			high = canvas.high / rows;
		return [
			(unit % columns) * step + gap / 2,
			Math.floor(unit / columns) * high + gap / 2,
			step - gap,
			high - gap,
		];
	};
	canvas.onpointermove = (event) => {
		const unit = unitAt(event);
		if (unit !== over) hover((over = unit));
	};
	canvas.onpointerleave = canvas.onblur = () => hover((over = null));
	canvas.onclick = (event) => choose(unitAt(event));
	canvas.onkeydown = (event) => {
		const unit = from();
		const to =
			{ Home: 0, End: count - 1 }[event.key] ?? unit + moves[event.key];
		if (event.key === "Enter") choose(unit);
		else if (to >= 0 && to < count) hover(to), (over = null);
		else if (!(event.key in moves)) return;
		event.preventDefault();
	};
	return {
		canvas,
		shades: new Uint32Array(image.data.buffer),
		paint(ground, frames) {
			if (!canvas.wide) return;
			const pen = sized(canvas);
			if (wide !== canvas.wide) {
				wide = canvas.wide;
				grid = new Path2D();
				for (let unit = 0; unit < count; unit++) grid.rect(...cell(unit));
			}
			pen.fillStyle = ground;
			pen.fill(grid);
			small.putImageData(image, 0, 0);
			pen.imageSmoothingEnabled = false;
			pen.globalCompositeOperation = "source-atop"; /* on the cells alone */
			pen.drawImage(small.canvas, 0, 0, canvas.wide, canvas.high);
			pen.globalCompositeOperation = "source-over";
			for (const [units, colour, width, opaque = 1] of frames) {
				Object.assign(pen, {
					globalAlpha: opaque,
					strokeStyle: colour,
					lineWidth: width,
				});
				pen.beginPath();
				for (const unit of units) pen.rect(...cell(unit));
				pen.stroke();
			}
			pen.globalAlpha = 1;
		},
	};
};

/* Make a list show what is expected next: the function returned takes [words, p, more …], the likeliest first. A bar
   keeps its words while it moves. more: called with a bar and what follows p. */
export const bars = (
	list,
	count,
	inside = "",
	more = () => {},
	percents = percent,
) => {
	const all = Array.from({ length: count }, () =>
		added(list, "li", `<i></i><b></b><span></span>${inside}`),
	);
	return (next) => {
		const free = all.filter(
			(bar) => !next.some(([words]) => words === bar.words),
		);
		all.forEach((bar) => (bar.hidden = !next.length));
		next.forEach(([words, p, ...others], rank) => {
			let bar = all.find((bar) => bar.words === words);
			if (!bar) {
				bar = free.pop();
				bar.words = words;
				say(bar.children[1], visible(words));
			}
			bar.style.setProperty("--rank", rank);
			bar.style.setProperty("--s", p.toFixed(3));
			say(bar.children[2], percents(p));
			more(bar, ...others);
		});
	};
};

/* Make a row of buttons for the units that fire most strongly: cells are too small for a finger, and say nothing aloud.
   The function returned takes the values of all units; choose(unit). */
export const buttons = (row, count, choose) => {
	const all = Array.from({ length: count }, () => added(row, "button"));
	for (const button of all)
		button.onclick = () => choose(Number(button.textContent));
	return (values = []) => {
		const order = Array.from(values.keys())
			.filter((unit) => values[unit])
			.sort(
				(one, other) =>
					Math.abs(values[other]) - Math.abs(values[one]) || one - other,
			);
		all.forEach((button, rank) => {
			button.hidden = !(rank in order);
			say(button, String(order[rank]));
		});
	};
};
