/* The picture, as SVG. Each part makes its elements in the groups of the drawing, and returns what draws a scene: the
   layout, what is shown, the state, the row of the word that is followed, and how far each step is. */
import { bar, beneath, mid, part } from "./bank_layout.js";
import { number, question, signed, sum, tiny } from "./bank_words.js";
import { drawn } from "./shared.js";

const set = (element, attributes) => {
	for (const [name, value] of Object.entries(attributes)) {
		const text =
			typeof value === "number" ? String(Math.round(value * 100) / 100) : value;
		if (element.getAttribute(name) !== text) element.setAttribute(name, text);
	}
};
export const say = (element, text) => {
	if (element.textContent !== text) element.textContent = text;
};
const into = (parent, tag, name = "", ...inside) =>
	parent.appendChild(drawn(tag, { class: name }, ...inside));
const to = (x, y) => `translate(${x} ${y})`;
const seen = (visible) => (visible ? "visible" : "hidden");
const sign = (value) => (value < 0 ? "below" : "above");
const tint = (value) =>
	tiny(value)
		? ""
		: `fill: color-mix(in srgb, var(--c-${value < 0 ? "input" : "output"}) ${Math.round(12 + 43 * Math.min(Math.abs(value), 1))}%, var(--c-paper))`;
const pressed = (svg, name, act) => {
	const group = into(svg, "g", name);
	set(group, { role: "button", tabindex: "0" });
	group.addEventListener("click", act);
	group.addEventListener("keydown", (event) => {
		if (event.key !== "Enter" && event.key !== " ") return;
		event.preventDefault();
		act();
	});
	return group;
};

/* The lanes of the stream, with the names of its features and what each column holds. */
const lanesOf = ({ ground }, { data: { features } }) => {
	const lanes = features.map((name) => [
		into(ground, "line", "lane"),
		into(ground, "text", "name", name),
		into(ground, "text", "name after", name),
	]);
	const titles = Object.entries({
		enter: "what enters",
		mixed: "after attention",
		stream: "after the layer",
	}).map(([column, title]) => [
		column,
		into(ground, "text", `title ${column}`, title),
	]);
	const ffn = into(ground, "text", "title ffn", "the FFN asks");
	return ({ wide, narrow, pill, label, top, zero, left, x, y }) => {
		lanes.forEach(([lane, before, after], feature) => {
			const height = y(feature);
			set(lane, { x1: x.enter, x2: x.stream, y1: height, y2: height });
			set(before, { x: x.enter - pill / 2 - 8, y: height });
			set(after, { x: wide - label + 6, y: height });
		});
		const shifts = {
			enter: -pill / 2 - 46,
			mixed: -pill / 2,
			stream: pill / 2,
		};
		for (const [column, title] of titles)
			set(title, { x: x[column] + (narrow ? shifts[column] : 0), y: top - 10 });
		set(ffn, { x: left - 10, y: zero - 9 });
	};
};

/* The words of the sentence, and where the one that is followed looks. */
const sentenceOf = ({ svg, lines }, played, words) => {
	const looks = words.map(() => into(lines, "path", "look"));
	const trunk = into(lines, "path", "trunk");
	const buttons = words.map((word, index) => {
		const group = pressed(svg, `word${index === 1 ? " asks" : ""}`, () =>
			played.follow(index),
		);
		const [box, under] = [into(group, "rect"), into(group, "line")];
		return [group, box, under, into(group, "text", "", word)];
	});
	return ({ size, words, x, y, top, shown, state, row, attends }) => {
		buttons.forEach(([group, box, under, text], word) => {
			const { x: middle, half } = words[word];
			set(group, {
				transform: to(middle, size),
				"aria-pressed": String(word === state.word),
				"aria-label": `Follow “${shown.words[word]}”, word ${word + 1}`,
			});
			set(box, {
				x: -half - 7,
				y: -size * 0.85,
				width: 2 * half + 14,
				height: size * 1.7,
				rx: 9,
			});
			set(under, { x1: -half, x2: half, y1: size * 0.7, y2: size * 0.7 });
			set(text, { "font-size": size });
			say(text, shown.words[word]);
			const base = size * 1.8;
			set(looks[word], {
				d: `M${middle} ${base}C${middle} ${base + 24} ${x.plus} ${base + 6} ${x.plus} ${top - 4}`,
				"stroke-width": Math.max(0.7, 9 * row.weights[word]),
				pathLength: "1",
				"stroke-dashoffset": 1 - part(attends, 0, 0.6),
			});
		});
		const low = row.brought.findLastIndex((value) => !tiny(value));
		set(trunk, {
			d: `M${x.plus} ${top - 4}V${mid(top - 4, y(Math.max(low, 0)), part(attends, 0.4, 0.7))}`,
			visibility: seen(attends > 0.4),
		});
	};
};

/* A line for each weight that is not zero: what the units read, and what they write. */
const weightsOf = ({ lines }, { data: { features, W1, W2 } }) => {
	const line = (weight) => {
		if (!weight) return null;
		const path = into(lines, "path", `weight ${sign(weight)}`);
		set(path, { pathLength: "1" });
		return path;
	};
	const reads = W2.map((_, unit) => W1.map((row) => line(row[unit])));
	const writes = W2.map((row) => row.map(line));
	return ({ narrow, pill, zero, units, bar, x, y, ...scene }) => {
		const { row, pointed, asks, writes: writing } = scene;
		const thick = (weight) => Math.abs(weight) * (narrow ? 2 : 2.5);
		units.forEach((end, unit) => {
			const faint = pointed !== null && pointed !== unit;
			features.forEach((_, feature) => {
				const [read, write] = [reads[unit][feature], writes[unit][feature]];
				const [from, side] = [x.mixed + pill / 2, end + bar / 2 + 3];
				const high = y(feature);
				if (read)
					set(read, {
						d: `M${from} ${high}C${mid(from, end, 0.75)} ${high} ${end} ${mid(high, zero, 0.3)} ${end} ${zero}`,
						"stroke-width": thick(W1[feature][unit]),
						"stroke-dashoffset": 1 - part(asks, 0, 0.6),
						opacity: faint ? 0.15 : tiny(row.mixed[feature]) ? 0.35 : 1,
					});
				if (write)
					set(write, {
						d: `M${side} ${zero - 8}C${mid(side, x.add, 0.35)} ${zero - 52} ${x.add} ${mid(zero, high, 0.35)} ${x.add} ${high + 8}`,
						"stroke-width": thick(W2[unit][feature]),
						"stroke-dashoffset": 1 - part(writing, 0, 0.8),
						opacity: faint || tiny(row.hidden[unit]) ? 0.15 : 1,
						visibility: seen(writing > 0),
					});
			});
		});
	};
};

/* A unit's value: a bar for the word that is followed, and small ones for the others. */
const unitOf = ({ bars }, { data: { counter } }, words, unit) => {
	const ghost = into(bars, "rect", "ghost");
	const column = into(bars, "rect");
	const text = into(bars, "text", "value");
	const small = counter ? words.map(() => into(bars, "rect")) : [];
	return (scene) => {
		const { zero, step, shown, narrow, state, asks, bends } = scene;
		const middle = scene.units[unit];
		const rise = part(asks, 0.45, 1);
		const bent = part(bends, 0.1 + 0.45 * unit, 0.55 + 0.45 * unit);
		const draw = (rect, name, word, x, width, least, visible) => {
			const hidden = shown.hidden[word][unit];
			const now = mid(shown.asked[word][unit], hidden, bent) * rise;
			const kind = bent > 0.5 && tiny(hidden) ? "dead" : sign(now);
			set(rect, {
				...bar(scene, x, width, now, least),
				class: `${name} ${kind}`,
				visibility: seen(asks > 0.4 && visible),
			});
			return now;
		};
		const { word } = state;
		const left = middle - scene.bar / 2;
		const now = draw(column, "bar", word, left, scene.bar, 2, true);
		const [asked, hidden] = [scene.row.asked[unit], scene.row.hidden[unit]];
		set(ghost, {
			...bar(scene, left, scene.bar, asked, 2),
			visibility: seen(bent > 0 && !tiny(asked - hidden)),
		});
		set(text, {
			x: middle,
			y: zero - now * step + (now >= 0 ? -9 : 11),
			visibility: seen(rise > 0.3),
		});
		say(text, number(bent > 0.5 ? hidden : asked));
		small.forEach((rect, other) => {
			const x = left + scene.bar + 4 + (other - (other > word ? 1 : 0)) * 6.5;
			draw(rect, "bar small", other, x, 5, 1.5, other !== word && !narrow);
		});
	};
};

/* All units' bars, what sweeps over them as they bend, and how many are off. */
const barsOf = (groups, played, words) => {
	const { bars } = groups;
	const axis = into(bars, "line", "zero");
	const units = played.data.b1.map((_, unit) =>
		unitOf(groups, played, words, unit),
	);
	const sweep = into(bars, "line", "sweep");
	const off = into(bars, "text", "counter");
	return (scene) => {
		const { left, right, zero, bends } = scene;
		set(axis, { x1: left, x2: right, y1: zero, y2: zero });
		for (const draw of units) draw(scene);
		const swept = mid(left, right + 0.4 * scene.bar, part(bends, 0, 1));
		set(sweep, {
			x1: swept,
			x2: swept,
			y1: scene.high,
			y2: scene.low,
			opacity: bends > 0 && bends < 1 ? 1 : 0,
		});
		const all = played.values.hidden.flat();
		const zeros = all.filter((value) => value === 0).length;
		const count = Math.round(zeros * part(bends, 0.1, 1));
		set(off, { x: left - 10, y: zero + 11 });
		const counts = played.data.counter && bends > 0;
		say(off, counts ? `${count} of ${all.length} units off` : "");
	};
};

/* Let a hand move a number up and down. */
const drags = (group, feature, before, played) => {
	group.classList.add("drags");
	const grip = into(group, "text", "grip", "↕");
	group.addEventListener("touchstart", (event) => event.preventDefault(), {
		passive: false,
	}); /* no scrolling */
	group.addEventListener("pointerdown", (down) => {
		down.preventDefault();
		group.setPointerCapture(down.pointerId);
		played.pick(feature, before);
		const by = played.state.moved?.by || 0;
		const move = (event) => played.drag(by, down.clientY - event.clientY);
		group.addEventListener("pointermove", move);
		group.addEventListener(
			"lostpointercapture",
			() => group.removeEventListener("pointermove", move),
			{ once: true },
		);
	});
	return grip;
};

/* The row of the word that is followed: it enters, goes on along the stream, and leaves. */
const rowOf = ({ cells }, played) => {
	const { features, rows } = played.data;
	const pills = (name, before) =>
		features.map((_, feature) => {
			const group = into(cells, "g", `number ${name}`);
			const [box, value] = [into(group, "rect"), into(group, "text")];
			const grip = before && drags(group, feature, before, played);
			return { group, box, value, grip, before };
		});
	const covered = pills("empty");
	const entering = pills("enter", "attention");
	const mixed = pills("mixed", rows && "FFN");
	const leaving = pills("stream");
	return ({ pill, lane, size, words, x, y, row, ...scene }) => {
		const { moved, word } = scene.state;
		const { enters, attends, adds } = scene;
		const draw = (pills, feature, left, top, amount, opacity, words) => {
			const { group, box, value, grip, before } = pills[feature];
			set(group, {
				transform: to(left.toFixed(1), top.toFixed(1)),
				opacity,
				visibility: seen(opacity),
			});
			const isMoved = moved?.feature === feature && moved.before === before;
			group.classList.toggle("moved", isMoved);
			group.classList.toggle("none", tiny(amount));
			set(box, {
				x: -pill / 2,
				y: -lane / 2 + 2,
				width: pill,
				height: lane - 4,
				rx: 6,
				style: tint(amount),
			});
			if (grip) set(grip, { x: pill / 2 - 7 });
			say(value, words ?? (opacity ? number(amount) : ""));
		};
		const along = mid(x.enter, x.mixed, part(attends, 0.5, 1));
		const leaves = mid(x.mixed, x.stream, part(adds, 0, 1));
		const mixing = along > x.plus ? row.mixed : row.x;
		const left = leaves > x.add ? row.stream : row.mixed;
		features.forEach((_, feature) => {
			const height = y(feature);
			const out = part(enters, feature * 0.05, 0.6 + feature * 0.05);
			const from = mid(words[word].x, x.enter, out);
			draw(covered, feature, x.stream, height, 0, 1, played.open ? "" : "?");
			draw(
				entering,
				feature,
				from,
				mid(size, height, out),
				row.x[feature],
				out,
			);
			draw(
				mixed,
				feature,
				along,
				height,
				mixing[feature],
				attends > 0.5 ? 1 : 0,
			);
			draw(leaving, feature, leaves, height, left[feature], adds > 0 ? 1 : 0);
		});
	};
};

/* What attention adds to each number of the row, and what the FFN adds. */
const plusesOf = ({ cells }, { data: { features } }) => {
	const sums = ["plus", "add"].map((column) =>
		features.map(() => {
			const group = into(cells, "g", `plus ${column}`);
			const [circle, cross] = [into(group, "circle"), into(group, "path")];
			return { column, group, circle, cross, value: into(group, "text") };
		}),
	);
	return ({ narrow, x, y, row, attends, writes }) => {
		const added = {
			plus: [row.brought, attends > 0.6, !narrow, 14],
			add: [row.added, writes > 0.7, true, -10],
		};
		for (const signs of sums)
			signs.forEach(({ column, group, circle, cross, value }, feature) => {
				const [amounts, ready, written, beside] = added[column];
				const here = ready && !tiny(amounts[feature]);
				const transform = to(x[column], y(feature));
				set(group, { transform, opacity: here ? 1 : 0 });
				set(circle, { r: narrow ? 6 : 8 });
				set(cross, { d: narrow ? "M-3 0h6M0-3v6" : "M-4.5 0h9M0-4.5v9" });
				set(value, { x: beside, y: -10 });
				say(value, here && written ? signed(amounts[feature]) : "");
			});
	};
};

/* The rows of the other words as they leave, and which of all rows move with a number. */
const othersOf = ({ cells }, played, words) => {
	const { features, rows } = played.data;
	if (!rows) return () => {};
	const columns = words.map(() =>
		features.map(() => into(cells, "rect", "other")),
	);
	const marks = words.map(() => into(cells, "text"));
	return ({ x, y, pill, lane, others, below, shown, state, adds }) => {
		const { moves } = played;
		columns.forEach((column, word) => {
			const order = word - (word > state.word ? 1 : 0);
			const beside = x.stream + pill / 2 + 5 + order * (others + 1);
			const followed = word === state.word;
			column.forEach((cell, feature) => {
				set(cell, {
					x: beside,
					y: y(feature) - lane / 2 + 3,
					width: others,
					height: lane - 6,
					rx: 2,
					opacity: followed ? 0 : part(adds, 0.6, 1),
					style: tint(shown.stream[word][feature]),
				});
			});
			set(marks[word], {
				x: followed ? x.stream : beside + (others + 1) / 2,
				y: below + 12,
				class: `mark ${moves?.[word] ? "moves" : ""}`,
				opacity: moves && adds > 0.9 ? 1 : 0,
			});
			say(marks[word], moves ? (moves[word] ? "↕" : "=") : "");
		});
	};
};

/* The units' questions, below the lowest bar; the picture is as high as they need. */
const asksOf = ({ svg }, played) => {
	const buttons = played.data.b1.map((_, unit) => {
		const group = pressed(svg, "unit", () => played.point(unit, true));
		for (const [event, pointed] of [
			["pointerenter", unit],
			["pointerleave", null],
			["focus", unit],
			["blur", null],
		])
			group.addEventListener(event, () => played.point(pointed));
		const box = into(group, "rect");
		return { group, box, lines: [into(group, "text"), into(group, "text")] };
	});
	let [width, tall] = [0, 0];
	return ({ wide, zero, step, half, high, units, row }) => {
		const { data, progress, pinned, pointed } = played;
		const folded = half < 58;
		const lowest = beneath(step, row.asked);
		/* It grows with the lowest bar, and never shrinks under a hand. */
		const needed = Math.ceil(zero + lowest + (folded ? 26 : 12));
		tall = Math.max(needed, wide === width ? tall : 0);
		width = wide;
		set(svg, { viewBox: `0 0 ${wide} ${tall}`, width: wide, height: tall });
		const top = high - zero - 20;
		buttons.forEach(({ group, box, lines }, unit) => {
			const asked = question(data, unit);
			const fold = folded ? asked.lastIndexOf(" ") + 1 : asked.length;
			[asked.slice(0, fold), asked.slice(fold)].forEach((text, line) => {
				set(lines[line], { y: lowest + 15 * line });
				say(lines[line], text);
			});
			const height = tall - zero - top - 2;
			set(box, { x: -half, y: top, width: 2 * half, height, rx: 10 });
			set(group, {
				transform: to(units[unit], zero),
				"aria-label": progress > 2 ? sum(played, unit) : `“${asked}”`,
				"aria-pressed": String(pinned === unit),
			});
			group.classList.toggle("pointed", pointed === unit);
		});
	};
};

/* Return the picture of what is played, {svg, draw(layout)}. words: of the sentence. */
export const picture = (played, words) => {
	const svg = drawn("svg", {
		role: "group",
		"aria-label": "One word on its way through a transformer layer",
	});
	const groups = { svg };
	for (const name of ["ground", "lines", "bars", "cells"]) {
		groups[name] = into(svg, "g", name);
		set(groups[name], { "aria-hidden": "true" });
	}
	const parts = [
		lanesOf,
		sentenceOf,
		weightsOf,
		barsOf,
		rowOf,
		plusesOf,
		othersOf,
		asksOf,
	].map((make) => make(groups, played, words));
	const draw = (layout) => {
		const { shown, state, pointed, progress, run } = played;
		const row = {};
		for (const name in shown) row[name] = shown[name][state.word];
		const [enters, attends, asks, bends, writes, adds] = played.steps;
		const steps = { enters, attends, asks, bends, writes, adds };
		svg.classList.toggle("narrow", layout.narrow);
		svg.classList.toggle("rests", !run && progress > 0);
		for (const drawPart of parts)
			drawPart({ ...layout, ...steps, shown, state, pointed, row });
	};
	return { svg, draw };
};
