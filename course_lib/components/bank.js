/* One word's numbers go through a layer that is wired by hand, and everything behind a number moves with it. One unit of
   the drawing is one pixel, so words keep their size on any screen. How far it has come is a number from 0 to 6.
   data: the layer of course_lib.model.bank; bends, counter, sums, rows: what may be shown; most: how far a number is moved, up
         or down; reach: the lowest and the highest sum that this reaches, which the bars' scale holds; note: words below it;
         question: null or what ./asked.js asks before it shows what the bend does
   state: {cue, bend, word, moved: null or {before, word, feature, by}, guess: null or the letter that was chosen} */
import { asked } from "./asked.js";
import { differs, sent } from "./bank_layer.js";
import { aloud, drawn, inView, made } from "./shared.js";

const STEPS = 6; /* it enters, attention, the FFN asks, the bend, it writes, the sum */
const ASKED = 3; /* as far as it plays while the bend is asked */
const SECONDS = 5.1;
const LEAST = 0.005; /* what is smaller is not written */
const DRAG = 70; /* pixels for 1 */

/* ---- words and measures ---- */
const set = (element, attributes) => {
	for (const [name, value] of Object.entries(attributes)) {
		const text =
			typeof value === "number" ? String(Math.round(value * 100) / 100) : value;
		if (element.getAttribute(name) !== text) element.setAttribute(name, text);
	}
};
const say = (element, text) =>
	element.textContent === text || (element.textContent = text);
const within = (value, low, high) => Math.min(Math.max(value, low), high);
const eased = (share) => share * share * (3 - 2 * share);
const part = (share, from, to) =>
	eased(within((share - from) / (to - from), 0, 1));
const mid = (one, other, share) => one + (other - one) * share;
const between = (one, other, share) =>
	Array.isArray(one)
		? one.map((value, at) => between(value, other[at], share))
		: typeof one === "number"
			? mid(one, other, share)
			: other;
const tiny = (value) => Math.abs(value) < LEAST;
const number = (value) =>
	String(Number(value.toFixed(2)) || 0).replace("-", "−");
const signed = (value) => (value > 0 ? "+" : "") + number(value);
const sign = (value) => (value < 0 ? "below" : "above");
const tint = (value) =>
	tiny(value)
		? ""
		: `fill: color-mix(in srgb, var(--c-${value < 0 ? "input" : "output"}) ${Math.round(12 + 43 * Math.min(Math.abs(value), 1))}%, var(--c-paper))`;

/* Places of everything, for a stage of this width. */
const layout = (wide, { features, rows }, words) => {
	const narrow = wide < 560;
	const [pill, lane, others, label] = narrow
		? [38, 22, 5, 46]
		: [50, 25, 13, 62];
	const left = label + 8 + pill / 2;
	const right =
		wide -
		pill / 2 -
		2 -
		(rows ? 4 * (others + 1) + 6 : 0) -
		(narrow ? 0 : label);
	const across = (share) => left + share * (right - left);
	const [top, size] = narrow ? [84, 17] : [90, wide < 800 ? 20 : 24];
	const below = top + lane * features.length;
	const step = narrow
		? 30
		: 36; /* of a bar, for 1; the longest ones reach over the last lane */
	const zero = below + 1.1 * step;
	const lengths = words.map((word) => word.length * size * 0.56);
	const gap = narrow
		? (wide - 20 - lengths.reduce((one, other) => one + other)) /
			(words.length - 1)
		: size * (wide < 800 ? 1 : 1.5);
	let x = narrow ? 8 : wide < 800 ? 12 : left - pill / 2;
	const sentence = lengths
		.map((length) => [x, (x += length + gap) - gap])
		.map(([from, to]) => ({ x: (from + to) / 2, half: (to - from) / 2 }));
	return {
		wide,
		narrow,
		pill,
		lane,
		others,
		label,
		top,
		below,
		step,
		zero,
		size,
		sentence,
		x: {
			enter: left,
			plus: across(narrow ? 0.17 : 0.16),
			mixed: across(0.31),
			add: across(0.83),
			stream: right,
		},
		units: [across(narrow ? 0.44 : 0.47), across(narrow ? 0.72 : 0.67)],
		bar: narrow ? 26 : 40,
		y: (at) => top + (at + 0.5) * lane,
	};
};

export const render = (element, data, given, changed) => {
	const { features, counter, rows } = data;
	const calm = matchMedia("(prefers-reduced-motion: reduce)");
	const start = {
		cue: data.cues[0],
		bend: data.bends[0],
		word: data.words[data.cues[0]].length - 1,
		moved: null,
		guess: null,
	};
	let state = { ...start, ...given };
	let feature = features.indexOf("bank");
	let before = "attention";
	let at = 0;
	let [pinned, pointed, touched] = [null, null, false];
	let [frame, glide] = [0, 0];
	let way, plain, seen, place, high;
	const open = () => !data.question || state.guess in data.question.options;
	const goal = () => (open() ? STEPS : ASKED);
	const units = data.b1.map((_, unit) => unit);
	const words = data.words[state.cue];
	/* Return what a unit adds up: [feature, value, weight] for each weight that is not zero. */
	const terms = (row, unit) =>
		features
			.map((name, at) => [name, row[at], data.W1[at][unit]])
			.filter(([, , weight]) => weight);
	const question = (unit) =>
		`${terms(data.W1, unit)
			.map(([name]) => name)
			.join(" and ")}?`;

	/* ---- what it is made of ---- */
	const svg = drawn("svg", {
		role: "group",
		"aria-label": "One word on its way through a transformer layer",
	});
	const group = (name) =>
		svg.appendChild(drawn("g", { class: name, "aria-hidden": "true" }));
	const into = (parent, tag, name, ...inside) =>
		parent.appendChild(drawn(tag, { class: name }, ...inside));
	const ground = group("ground");
	const lanes = features.map(() => into(ground, "line", "lane"));
	const names = [0, 1].map(() =>
		features.map((name) => into(ground, "text", "name", name)),
	);
	const titles = ["what enters", "after attention", "after the layer"].map(
		(title) => into(ground, "text", "title", title),
	);
	const ffn = into(ground, "text", "title ffn", "the FFN asks");
	const lines = group("lines");
	const looks = words.map(() => into(lines, "path", "look"));
	const trunk = into(lines, "path", "trunk");
	const line = (weight) =>
		weight
			? lines.appendChild(
					drawn("path", { class: `weight ${sign(weight)}`, pathLength: "1" }),
				)
			: null;
	const reads = units.map((unit) =>
		features.map((_, at) => line(data.W1[at][unit])),
	);
	const writes = units.map((unit) =>
		features.map((_, at) => line(data.W2[unit][at])),
	);
	const barred = group("bars");
	const axis = into(barred, "line", "zero");
	const bars = units.map(() => ({
		ghost: into(barred, "rect", "ghost"),
		bar: into(barred, "rect", "bar"),
		value: into(barred, "text", "value"),
	}));
	const small = units.map(() =>
		counter ? words.map(() => into(barred, "rect", "bar small")) : [],
	);
	const sweep = into(barred, "line", "sweep");
	const off = into(barred, "text", "counter");
	const cells = group("cells");
	const pills = (name) =>
		features.map(() => {
			const one = into(cells, "g", `number ${name}`);
			return {
				group: one,
				box: into(one, "rect", ""),
				value: into(one, "text", ""),
			};
		});
	const [covered, entering, mixed, leaving] = [
		"empty",
		"enter",
		"mixed",
		"stream",
	].map(pills);
	const others = rows
		? words.map(() => features.map(() => into(cells, "rect", "other")))
		: [];
	const marks = rows ? words.map(() => into(cells, "text", "mark")) : [];
	const pluses = [0, 1].map(() =>
		features.map(() => {
			const one = into(cells, "g", "plus");
			return {
				group: one,
				circle: into(one, "circle", ""),
				cross: into(one, "path", ""),
				value: into(one, "text", ""),
			};
		}),
	);
	const pressed = (name, act) => {
		const one = svg.appendChild(
			drawn("g", { class: name, role: "button", tabindex: "0" }),
		);
		one.addEventListener("click", act);
		one.addEventListener("keydown", (event) => {
			if (event.key !== "Enter" && event.key !== " ") return;
			event.preventDefault();
			act();
		});
		return one;
	};
	const told = words.map((word, at) => {
		const one = pressed(`word${at === 1 ? " asks" : ""}`, () => follow(at));
		return {
			group: one,
			box: into(one, "rect", ""),
			under: into(one, "line", ""),
			text: into(one, "text", "", word),
		};
	});
	const asks = units.map((unit) => {
		const one = pressed("unit", () => point(unit, true));
		for (const [event, to] of [
			["pointerenter", unit],
			["pointerleave", null],
			["focus", unit],
			["blur", null],
		])
			one.addEventListener(event, () => point(to));
		return {
			group: one,
			box: into(one, "rect", ""),
			lines: [into(one, "text", ""), into(one, "text", "")],
		};
	});

	const button = (name, act, ...inside) => {
		const one = made("button", { type: "button", class: name }, ...inside);
		one.addEventListener("click", act);
		return one;
	};
	const own = Math.random().toString(36).slice(2);
	const choice = (name, title, values, act) => {
		const inputs = values.map(([value]) =>
			made("input", { type: "radio", name: `${name}-${own}`, value }),
		);
		inputs.forEach((input) =>
			input.addEventListener("change", () => act(input.value)),
		);
		const labels = values.map(([, text], at) =>
			made("label", {}, inputs[at], made("span", {}, text)),
		);
		const field = made(
			"fieldset",
			{ class: name },
			made("legend", {}, title),
			made("span", { class: "choices" }, ...labels),
		);
		return {
			field,
			show: (value) =>
				inputs.forEach((input) => (input.checked = input.value === value)),
		};
	};
	const playing = button("play", () => toggle(), "▶ Play");
	const cues = choice(
		"cue",
		"sentence with",
		data.cues.map((cue) => [cue, cue]),
		(cue) => change({ cue }),
	);
	const bends = choice(
		"bend",
		"bend",
		data.bends.map((bend) => [bend, bend]),
		(bend) => change({ bend }),
	);
	const wheres = choice(
		"where",
		"where",
		[
			["attention", "before attention"],
			["FFN", "after attention"],
		],
		(value) => pick(feature, value),
	);
	const select = made(
		"select",
		{ "aria-label": "Which number to move" },
		...features.map((name, at) => made("option", { value: at }, name)),
	);
	const slider = made("input", {
		type: "range",
		min: -data.most,
		max: data.most,
		step: 0.05,
	});
	const output = made("output");
	const unbend = () => {
		change({ bend: state.bend === "none" ? data.bends[0] : "none" }, false);
		play(ASKED);
	};
	const bendless = button("bendless", unbend);
	const without = made(
		"p",
		{ class: "reply", hidden: "" },
		data.question?.unbent || "",
	);
	const card =
		data.question &&
		asked(
			data.question,
			(guess) => answered(guess),
			made("div", {}, bendless, without),
		);
	const back = button("back", () => (shift(0), slider.focus()), "↺");
	set(back, {
		"aria-label": "Put the number back",
		title: "Put the number back",
	});
	select.addEventListener("change", () => pick(Number(select.value), before));
	slider.addEventListener("input", () => shift(Number(slider.value)));
	const said = made("p", { class: "said" });
	const voice = aloud();
	const stage = made("div", { class: "stage" }, svg);
	const move = made(
		"div",
		{},
		made("span", {}, "move"),
		select,
		slider,
		output,
		back,
	);
	element.append(
		stage,
		made(
			"div",
			{ class: "plays" },
			playing,
			button("step", () => step(), "Step"),
		),
		...(card ? [card.element] : []),
		said,
		made(
			"div",
			{ class: "does" },
			cues.field,
			bends.field,
			move,
			...(rows ? [wheres.field] : []),
		),
		made("p", { class: "note" }, data.note),
		voice.element,
	);

	/* ---- what moves it ---- */
	const halt = () => {
		cancelAnimationFrame(frame);
		frame = 0;
	};
	const show = (to) => {
		halt();
		at = to;
		draw();
	};
	const play = (from, to = goal()) => {
		touched = true;
		if (calm.matches) {
			show(to);
			return speak();
		}
		halt();
		at = from;
		let last = performance.now();
		const tick = (now) => {
			at = Math.min(
				at + (Math.max(now - last, 0) / 1000) * (STEPS / SECONDS),
				to,
			);
			last = now;
			frame = at < to ? requestAnimationFrame(tick) : 0;
			draw();
			if (!frame) speak();
		};
		frame = requestAnimationFrame(tick);
		draw();
	};
	const toggle = () => (frame ? show(at) : play(at >= goal() ? 0 : at));
	const step = () => {
		const from = at >= goal() ? 0 : Math.floor(at);
		play(Math.max(from, at % goal()), from + 1);
	};
	/* Take the state as it now is; what is shown glides there, unless a hand is moving it. */
	const take = (moving) => {
		way = sent(data, state);
		plain = state.moved ? sent(data, { ...state, moved: null }) : way;
		cancelAnimationFrame(glide);
		const from = seen;
		if (!moving || !from || calm.matches) {
			seen = way;
			return draw();
		}
		const begun = performance.now();
		const tick = (now) => {
			const share = within((now - begun) / 350, 0, 1);
			seen =
				share < 1
					? Object.fromEntries(
							Object.keys(way).map((name) => [
								name,
								between(from[name], way[name], eased(share)),
							]),
						)
					: way;
			draw();
			if (share < 1) glide = requestAnimationFrame(tick);
		};
		glide = requestAnimationFrame(tick);
	};
	const change = (what, moving = true) => {
		touched = true;
		state = { ...state, ...what };
		if (!frame && at < goal()) at = goal();
		take(moving);
		speak();
		changed(state);
	};
	const answered = (guess) => {
		state = { ...state, guess };
		draw();
		roomy();
		changed(state);
		play(Math.min(at, ASKED));
		bendless.focus({ preventScroll: true });
		inView(
			element,
			said.offsetTop + said.offsetHeight,
		); /* the picture goes on; the note below it need not show */
	};
	const follow = (word) => {
		pinned = pointed = null;
		feature = data.x[state.cue][word].findIndex((value) => value !== 0);
		change({ word, moved: null }, false);
		play(0);
	};
	const pick = (other, where) => {
		const same = other === feature && where === before;
		[feature, before] = [other, where];
		if (!same && state.moved) change({ moved: null });
		else draw();
	};
	const shift = (by) =>
		change(
			{ moved: by ? { before, word: state.word, feature, by } : null },
			!by,
		);
	const drags = (numbers, where) =>
		numbers.forEach(({ group }, at) => {
			group.classList.add("drags");
			into(group, "text", "grip", "↕");
			group.addEventListener("touchstart", (event) => event.preventDefault(), {
				passive: false,
			}); /* no scrolling */
			group.addEventListener("pointerdown", (event) => {
				event.preventDefault();
				group.setPointerCapture(event.pointerId);
				pick(at, where);
				const [from, by] = [event.clientY, state.moved ? state.moved.by : 0];
				const move = (event) =>
					shift(
						within(
							Math.round((by + (from - event.clientY) / DRAG) * 20) / 20,
							-data.most,
							data.most,
						),
					);
				group.addEventListener("pointermove", move);
				group.addEventListener(
					"lostpointercapture",
					() => group.removeEventListener("pointermove", move),
					{ once: true },
				);
			});
		});
	drags(entering, "attention");
	if (rows) drags(mixed, "FFN");
	const point = (unit, pin) => {
		if (pin) pinned = pinned === unit ? null : unit;
		pointed = unit === null ? pinned : unit;
		draw();
		speak();
	};

	/* ---- what it says ---- */
	const listed = (row) =>
		features
			.map((name, at) => (tiny(row[at]) ? "" : `${name} ${number(row[at])}`))
			.filter(Boolean)
			.join(", ") || "nothing";
	const sum = (unit) => {
		const found = terms(way.mixed[state.word], unit);
		const [asked, hidden] = [
			way.asked[state.word][unit],
			way.hidden[state.word][unit],
		];
		if (data.sums) {
			const added = found
				.map(([, value, weight]) => `${number(value)} · ${number(weight)}`)
				.join(" + ")
				.replaceAll("+ −", "− ");
			const shift = data.b1[unit];
			return `“${question(unit)}” ${added} ${shift < 0 ? "−" : "+"} ${number(Math.abs(shift))} = ${number(asked)}${open() ? ` → ${number(hidden)}` : ""}`;
		}
		const after = open()
			? `, and the bend${state.bend === "none" ? ", switched off," : ""} leaves ${number(hidden)}`
			: "";
		return `“${question(unit)}” ${found.map(([name, value]) => `${name} ${number(value)}`).join(" + ")}, minus a threshold, gives ${number(asked)}${after}`;
	};
	const sentence = () => {
		const { word, bend, moved } = state;
		const name = `“${way.words[word]}”`;
		if (pointed !== null && at > 2) return `${sum(pointed)}.`;
		if (moved) {
			const moves = differs(way.stream, plain.stream);
			const count = moves.filter(Boolean).length;
			const which = !rows
				? ""
				: count === moves.length
					? " Every row of the stream moves."
					: ` ${count} of ${moves.length} rows of the stream ${count === 1 ? "moves" : "move"}.`;
			const where = !rows
				? ""
				: moved.before === "FFN"
					? " after attention"
					: " before attention";
			return `In the row of ${name}, ${features[moved.feature]} is moved by ${signed(moved.by)}${where}.${which}${open() ? ` ${name} leaves with ${listed(way.stream[word])}.` : ""}`;
		}
		const [asked, hidden] = [way.asked[word], way.hidden[word]];
		const most = Math.max(...way.weights[word]);
		const alike = most - Math.min(...way.weights[word]) < LEAST;
		const looks = alike
			? "looks at all words equally"
			: `gives ${Math.round(100 * most)} % of its attention to “${way.words[way.weights[word].indexOf(most)]}”`;
		const all = way.hidden.flat();
		const count = counter
			? ` Over all five words, ${all.filter((value) => value === 0).length} of ${all.length} units are off.`
			: "";
		const unbent = bend === "none" && hidden.some((value) => value < 0);
		const writes = `${unbent ? "Without a bend, a sum below zero writes as well. " : ""}Each unit writes its value times ${number(Math.max(...data.W2.flat()))}, its output weight`;
		return [
			`${name} enters the layer as eight numbers: ${listed(way.x[word])}.`,
			`Attention: ${name} ${looks}. What attention brings is added to the row, which now holds ${listed(way.mixed[word])}.`,
			`The FFN (short for feed-forward network) asks two questions. Each question adds up two numbers of the row and subtracts a threshold: ${units.map((unit) => `“${question(unit)}” ${unit ? "" : "comes "}to ${number(asked[unit])}`).join(", ")}.`,
			bend === "none"
				? `No bend: both sums stay as they are.${count}`
				: `The bend, ${bend}: ${units.map((unit) => `${number(asked[unit])} → ${number(hidden[unit])}`).join(" and ")}.${count}`,
			`${writes}: ${listed(way.added[word])}.`,
			`${writes}. That is added to the row: ${name} leaves the layer with ${listed(way.stream[word])}.`,
		][within(Math.ceil(at) - 1, 0, 5)];
	};
	const speak = () => voice.says(sentence());

	/* ---- its picture ---- */
	/* Where the card lies over the picture, what is below it begins below the card as well. */
	const roomy = () => {
		if (!card) return;
		const { element } = card;
		said.style.minHeight = element.matches(".over")
			? `${element.offsetTop + element.offsetHeight - said.offsetTop}px`
			: "";
	};
	const thick = (weight) => Math.abs(weight) * (place.narrow ? 2 : 2.5);
	const laid = () => {
		const wide = Math.round(stage.clientWidth);
		if (!wide || (place && wide === place.wide)) return;
		place = layout(wide, data, words);
		const { x, y, pill, lane, top, narrow, zero } = place;
		high = 0;
		svg.classList.toggle("narrow", narrow);
		lanes.forEach((line, at) =>
			set(line, { x1: x.enter, x2: x.stream, y1: y(at), y2: y(at) }),
		);
		names[0].forEach((text, at) =>
			set(text, { x: x.enter - pill / 2 - 8, y: y(at), "text-anchor": "end" }),
		);
		names[1].forEach((text, at) =>
			set(text, {
				x: wide - place.label + 6,
				y: y(at),
				"text-anchor": "start",
				visibility: narrow ? "hidden" : "visible",
			}),
		);
		const anchors = narrow
			? ["start", "start", "end"]
			: ["middle", "middle", "middle"];
		const shift = narrow ? [-pill / 2 - 46, -pill / 2, pill / 2] : [0, 0, 0];
		["enter", "mixed", "stream"].forEach((name, at) =>
			set(titles[at], {
				x: x[name] + shift[at],
				y: top - 10,
				"text-anchor": anchors[at],
			}),
		);
		const left = place.units[0] - place.bar;
		set(ffn, { x: left - 10, y: zero - 9, "text-anchor": "end" });
		set(off, { x: left - 10, y: zero + 11, "text-anchor": "end" });
		set(axis, { x1: left, x2: place.units[1] + place.bar, y1: zero, y2: zero });
		for (const one of [covered, entering, mixed, leaving])
			for (const { box } of one)
				set(box, {
					x: -pill / 2,
					y: -lane / 2 + 2,
					width: pill,
					height: lane - 4,
					rx: 6,
				});
		for (const grip of svg.querySelectorAll(".grip"))
			set(grip, { x: pill / 2 - 7 });
		covered.forEach(({ group }, at) =>
			set(group, { transform: `translate(${x.stream} ${y(at)})` }),
		);
		pluses.forEach((all, which) =>
			all.forEach(({ group, circle, cross, value }, at) => {
				set(group, {
					transform: `translate(${which ? x.add : x.plus} ${y(at)})`,
				});
				set(circle, { r: narrow ? 6 : 8 });
				set(cross, { d: narrow ? "M-3 0h6M0-3v6" : "M-4.5 0h9M0-4.5v9" });
				set(value, {
					x: which ? -10 : 14,
					y: -10,
					"text-anchor": which ? "end" : "start",
				});
			}),
		);
		told.forEach(({ group, box, under, text }, at) => {
			const { x, half } = place.sentence[at];
			set(group, { transform: `translate(${x} ${place.size})` });
			set(box, {
				x: -half - 7,
				y: -place.size * 0.85,
				width: 2 * half + 14,
				height: place.size * 1.7,
				rx: 9,
			});
			set(under, {
				x1: -half,
				x2: half,
				y1: place.size * 0.7,
				y2: place.size * 0.7,
			});
			set(text, { "font-size": place.size });
		});
		const half = (place.units[1] - place.units[0]) / 2 - 3;
		asks.forEach(({ group, box, lines }, unit) => {
			const over = data.reach[1] * place.step + 20;
			set(group, { transform: `translate(${place.units[unit]} ${zero})` });
			set(box, { x: -half, y: -over, width: 2 * half, rx: 10 });
			const words = question(unit).split(" ");
			const folded = (place.folded = half < 58);
			say(
				lines[0],
				folded ? `${words.slice(0, 2).join(" ")} ` : words.join(" "),
			);
			say(lines[1], folded ? words[2] : "");
		});
		units.forEach((unit) =>
			features.forEach((_, at) => {
				const [read, write, to] = [
					reads[unit][at],
					writes[unit][at],
					place.units[unit],
				];
				const from = x.mixed + pill / 2;
				if (read)
					set(read, {
						d: `M${from} ${y(at)}C${mid(from, to, 0.75)} ${y(at)} ${to} ${mid(y(at), zero, 0.3)} ${to} ${zero}`,
						"stroke-width": thick(data.W1[at][unit]),
					});
				const side = to + place.bar / 2 + 3;
				if (write)
					set(write, {
						d: `M${side} ${zero - 8}C${mid(side, x.add, 0.35)} ${zero - 52} ${x.add} ${mid(zero, y(at), 0.35)} ${x.add} ${y(at) + 8}`,
						"stroke-width": thick(data.W2[unit][at]),
					});
			}),
		);
		if (card) {
			const free = wide - place.units[1] - half - 12; /* beside the units */
			card.element.classList.toggle("over", free > 205);
			element.style.setProperty("--card", `${Math.min(free, 304)}px`);
			element.style.setProperty("--zero", `${zero}px`);
		}
		draw();
		roomy();
	};
	const pill = ({ group, box, value }, left, high, amount, opacity) => {
		set(group, {
			transform: `translate(${left.toFixed(1)} ${high.toFixed(1)})`,
			opacity,
			visibility: opacity ? "visible" : "hidden",
		});
		group.classList.toggle("none", tiny(amount));
		set(box, { style: tint(amount) });
		say(value, opacity ? number(amount) : "");
	};
	const draw = () => {
		if (!place || !seen) return;
		const { x, y, zero, step } = place;
		const { word, moved } = state;
		const f = Array.from({ length: STEPS }, (_, step) =>
			within(at - step, 0, 1),
		);
		const home = place.sentence[word];

		/* the words, and where the followed one looks */
		told.forEach(({ group, text }, at) => {
			say(text, seen.words[at]);
			set(group, {
				"aria-pressed": String(at === word),
				"aria-label": `Follow “${seen.words[at]}”, word ${at + 1}`,
			});
		});
		svg.classList.toggle("rests", !frame && at > 0);
		const brought = seen.brought[word];
		looks.forEach((path, at) => {
			const [from, base] = [place.sentence[at], place.size * 1.8];
			set(path, {
				d: `M${from.x} ${base}C${from.x} ${base + 24} ${x.plus} ${base + 6} ${x.plus} ${place.top - 4}`,
				"stroke-width": Math.max(0.7, 9 * seen.weights[word][at]),
				pathLength: "1",
				"stroke-dashoffset": 1 - part(f[1], 0, 0.6),
			});
		});
		const low = Math.max(
			0,
			...brought.map((value, at) => (tiny(value) ? 0 : at)),
		);
		set(trunk, {
			d: `M${x.plus} ${place.top - 4}V${mid(place.top - 4, y(low), part(f[1], 0.4, 0.7))}`,
			visibility: f[1] > 0.4 ? "visible" : "hidden",
		});

		/* the row: it enters, goes on along the stream, and leaves */
		features.forEach((_, at) => {
			const out = part(f[0], at * 0.05, 0.6 + at * 0.05);
			pill(
				entering[at],
				mid(home.x, x.enter, out),
				mid(place.size, y(at), out),
				seen.x[word][at],
				out,
			);
			const along = mid(x.enter, x.mixed, part(f[1], 0.5, 1));
			pill(
				mixed[at],
				along,
				y(at),
				(along > x.plus ? seen.mixed : seen.x)[word][at],
				f[1] > 0.5 ? 1 : 0,
			);
			const leaves = mid(x.mixed, x.stream, part(f[5], 0, 1));
			pill(
				leaving[at],
				leaves,
				y(at),
				(leaves > x.add ? seen.stream : seen.mixed)[word][at],
				f[5] > 0 ? 1 : 0,
			);
			say(covered[at].value, open() ? "" : "?");
			for (const [pills, where] of [
				[entering, "attention"],
				[mixed, "FFN"],
			])
				pills[at].group.classList.toggle(
					"moved",
					Boolean(moved && moved.feature === at && moved.before === where),
				);
			[
				[brought, f[1] > 0.6],
				[seen.added[word], f[4] > 0.7],
			].forEach(([amounts, ready], which) => {
				const { group, value } = pluses[which][at];
				const here = ready && !tiny(amounts[at]);
				set(group, { opacity: here ? 1 : 0 });
				say(
					value,
					here && !(place.narrow && !which) ? signed(amounts[at]) : "",
				);
			});
		});

		/* the units, their questions below the lowest bar */
		const lowest =
			Math.max(0.2, ...seen.asked[word].map((value) => -value)) * step + 32;
		const tall = Math.ceil(zero + lowest + (place.folded ? 26 : 12));
		if (tall > high) {
			/* It grows with the lowest bar, and never shrinks under a hand. */
			high = tall;
			set(svg, {
				viewBox: `0 0 ${place.wide} ${high}`,
				width: place.wide,
				height: high,
			});
			for (const { box } of asks)
				set(box, { height: high - zero - Number(box.getAttribute("y")) - 2 });
		}
		asks.forEach(({ group, lines }, unit) => {
			lines.forEach((line, at) => set(line, { y: lowest + 15 * at }));
			set(group, {
				"aria-label": at > 2 ? sum(unit) : `“${question(unit)}”`,
				"aria-pressed": String(pinned === unit),
			});
			group.classList.toggle("pointed", pointed === unit);
			const middle = place.units[unit];
			const [asked, hidden] = [seen.asked[word][unit], seen.hidden[word][unit]];
			const rise = part(f[2], 0.45, 1);
			const bent = part(f[3], 0.1 + 0.45 * unit, 0.55 + 0.45 * unit);
			const now = mid(asked, hidden, bent) * rise;
			const box = (left, width, value, least) => ({
				x: left,
				width,
				y: zero - Math.max(value * step, 0),
				height: Math.max(Math.abs(value) * step, least),
			});
			const kind = (value, after) =>
				bent > 0.5 && tiny(after) ? "dead" : sign(value);
			const { bar, ghost, value } = bars[unit];
			set(bar, {
				...box(middle - place.bar / 2, place.bar, now, 2),
				class: `bar ${kind(now, hidden)}`,
				visibility: f[2] > 0.4 ? "visible" : "hidden",
			});
			set(ghost, {
				...box(middle - place.bar / 2, place.bar, asked, 2),
				visibility: bent > 0 && !tiny(asked - hidden) ? "visible" : "hidden",
			});
			set(value, {
				x: middle,
				y: zero - now * step + (now >= 0 ? -9 : 11),
				visibility: rise > 0.3 ? "visible" : "hidden",
			});
			say(value, number(bent > 0.5 ? hidden : asked));
			const faint = pointed !== null && pointed !== unit;
			features.forEach((_, at) => {
				const [read, write] = [reads[unit][at], writes[unit][at]];
				if (read)
					set(read, {
						"stroke-dashoffset": 1 - part(f[2], 0, 0.6),
						opacity: faint ? 0.15 : tiny(seen.mixed[word][at]) ? 0.35 : 1,
					});
				if (write)
					set(write, {
						"stroke-dashoffset": 1 - part(f[4], 0, 0.8),
						opacity: faint || tiny(hidden) ? 0.15 : 1,
						visibility: f[4] > 0 ? "visible" : "hidden",
					});
			});
			small[unit].forEach((one, at) => {
				const high =
					mid(seen.asked[at][unit], seen.hidden[at][unit], bent) * rise;
				const left =
					middle + place.bar / 2 + 4 + (at - (at > word ? 1 : 0)) * 6.5;
				set(one, {
					...box(left, 5, high, 1.5),
					class: `bar small ${kind(high, seen.hidden[at][unit])}`,
					visibility:
						f[2] > 0.4 && at !== word && !place.narrow ? "visible" : "hidden",
				});
			});
		});
		const swept = mid(
			place.units[0] - place.bar,
			place.units[1] + place.bar * 1.4,
			part(f[3], 0, 1),
		);
		set(sweep, {
			x1: swept,
			x2: swept,
			y1: zero - data.reach[1] * step,
			y2: zero - data.reach[0] * step,
			opacity: f[3] > 0 && f[3] < 1 ? 1 : 0,
		});
		const all = way.hidden.flat();
		say(
			off,
			counter && f[3] > 0
				? `${Math.round(all.filter((value) => value === 0).length * part(f[3], 0.1, 1))} of ${all.length} units off`
				: "",
		);

		/* the other rows, beside it */
		const moves = rows && moved ? differs(way.stream, plain.stream) : null;
		const beside = (at) =>
			x.stream +
			place.pill / 2 +
			5 +
			(at - (at > word ? 1 : 0)) * (place.others + 1);
		others.forEach((column, at) =>
			column.forEach((cell, feature) =>
				set(cell, {
					x: beside(at),
					y: y(feature) - place.lane / 2 + 3,
					width: place.others,
					height: place.lane - 6,
					rx: 2,
					opacity: at === word ? 0 : part(f[5], 0.6, 1),
					style: tint(seen.stream[at][feature]),
				}),
			),
		);
		marks.forEach((mark, at) => {
			set(mark, {
				x: at === word ? x.stream : beside(at) + (place.others + 1) / 2,
				y: place.below + 12,
				class: `mark ${moves?.[at] ? "moves" : ""}`,
				opacity: moves && f[5] > 0.9 ? 1 : 0,
			});
			say(mark, moves ? (moves[at] ? "↕" : "=") : "");
		});

		/* around it */
		const by = moved ? moved.by : 0;
		if (Number(slider.value) !== by) slider.value = by;
		say(output, signed(by));
		set(slider, {
			"aria-valuetext": signed(by),
			"aria-label": `Move ${features[feature]} in the row of “${seen.words[word]}”`,
		});
		select.value = feature;
		back.disabled = !by;
		cues.show(state.cue);
		cues.field.disabled =
			!open(); /* what is asked is asked of the sentence that is shown */
		bends.show(state.bend);
		wheres.show(before);
		bends.field.hidden = !open();
		say(
			bendless,
			state.bend === "none" ? "Put the bend back" : "Take the bend away",
		);
		if (card) {
			const fits =
				!moved && state.cue === start.cue && state.word === start.word;
			card.show(open() && state.guess, fits);
			const bent = !fits || state.bend !== "none";
			if (without.hidden !== bent) {
				without.hidden = bent;
				roomy();
			}
		}
		say(playing, frame ? "❚❚ Pause" : at >= goal() ? "↻ Replay" : "▶ Play");
		say(said, sentence());
	};

	take();
	const watched = new ResizeObserver(laid);
	watched.observe(stage);
	laid();
	const whole = () => show(goal());
	addEventListener("beforeprint", whole);
	const near = new IntersectionObserver(
		(entries) => {
			if (!entries.some((entry) => entry.isIntersecting)) return;
			near.disconnect();
			if (!touched) play(0);
		},
		{ threshold: 0.5 },
	);
	if (calm.matches || (card && open())) whole();
	else near.observe(svg);
	return {
		/* A change of the bend, or its being open now, plays from there; any other glides. */
		set: (other) => {
			const { bend, guess } = state;
			state = { ...start, ...other };
			if (state.moved) ({ feature, before } = state.moved);
			take(true);
			if (state.bend !== bend || state.guess !== guess)
				play(Math.min(at, ASKED));
		},
		end: () => {
			halt();
			cancelAnimationFrame(glide);
			removeEventListener("beforeprint", whole);
			watched.disconnect();
			near.disconnect();
			voice.end();
		},
	};
};
