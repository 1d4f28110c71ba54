/* Guesses that are drawn: a point or a border to move, whose place is what the field below holds; what comes out grows
   over it once the guess is made. */
"use strict";
(() => {
	const { all, escaped, memory, same, shown } = course;
	const SECONDS = 1.5;
	/* Colours follow the reader's theme. Words have a darker vermilion, to be read. */
	const c = Object.fromEntries(
		Object.entries({
			paper: "paper",
			ink: "ink",
			quiet: "quiet",
			line: "line",
			soft: "soft",
			guess: "output",
			said: "wrong",
			truth: "input",
		}).map(([name, variable]) => [name, `var(--${variable})`]),
	);

	const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
	const tag = (name, attributes, inside = "") =>
		`<${name} ${Object.entries(attributes)
			.map(
				([key, value]) =>
					`${key}="${typeof value === "number" ? +value.toFixed(2) : value}"`,
			)
			.join(" ")}>${inside}</${name}>`;
	const words = (x, y, text, more = {}) =>
		tag(
			"text",
			{
				x,
				y,
				fill: c.quiet,
				stroke: c.paper,
				"stroke-width": 4,
				"stroke-linejoin": "round",
				"paint-order": "stroke",
				"font-size": 13,
				...more,
			},
			escaped(text),
		);
	const path = (points) =>
		`M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
	const number = (how, value) =>
		shown(Number(value.toFixed(how.decimals))) + (how.unit || "");
	/* Points of a line up to a place on its way from left to right. */
	const upTo = (line, end) => {
		const before = line.filter(([x]) => x <= end);
		const after = line.find(([x]) => x > end);
		if (!before.length || !after) return before;
		const [x, y] = before[before.length - 1];
		return [
			...before,
			[end, y + ((end - x) / (after[0] - x)) * (after[1] - y)],
		];
	};

	/* What has been said already of what comes out: in the text, and by an earlier guess. */
	const known = ({ given = [], after, at, axis = [], truth }) => {
		if (!after || !memory.kept.guesses[after]) return given;
		const last = given.length ? given[given.length - 1][0] : -Infinity;
		return [
			...given,
			...truth.line.filter(([x]) => x > last && x < at && axis.includes(x)),
		];
	};
	const places = (asked) =>
		asked.choices.length
			? [...asked.choices].sort((one, other) => one - other)
			: null;
	const ends = (asked) =>
		places(asked)
			? [places(asked)[0], places(asked).at(-1)]
			: [asked.low, asked.high];
	const start = (asked) => {
		const told = asked.drawn.kind === "curve" ? known(asked.drawn) : [];
		return told.length
			? Math.round(told[told.length - 1][1])
			: asked.drawn.start;
	};
	/* The sketch of a dip: level at the left, lowest at x, and back at 0; it cannot be lower than x itself. */
	const deepest = (asked, x) => Math.max(x, asked.drawn.range[0]);
	const sketch = (asked, lowest, depth) => {
		const [left] = asked.drawn.axis;
		const smooth = (share) => share * share * (3 - 2 * share);
		return Array.from({ length: 81 }, (_, at) => left - (left * at) / 80).map(
			(x) => [
				x,
				x <= lowest
					? depth * smooth((x - left) / (lowest - left))
					: lowest < 0
						? depth * (1 - smooth((x - lowest) / -lowest))
						: 0,
			],
		);
	};

	/* Lay out a drawing in a width; return its height, its layers as text, and where the handle is.
     now: {guess, depth, told, progress}; told: whether the guess is placed; progress: of what comes out, from 0 to 1. */
	const curve = (asked, now, width) => {
		const how = asked.drawn;
		const { axis, truth } = how;
		const height = width < 480 ? 260 : 310;
		const box = { left: 44, right: width - 26, top: 36, bottom: height - 46 };
		const [low, high] = how.range || [asked.low, asked.high];
		const spread = how.log ? Math.log : (one) => one;
		const [first, last] = [spread(axis[0]), spread(axis[axis.length - 1])];
		const inset = how.kind === "dip" ? 0 : 18;
		const px = (x) =>
			box.left +
			inset +
			((spread(x) - first) / (last - first)) *
				(box.right - box.left - 2 * inset);
		const py = (y) =>
			box.bottom - ((y - low) / (high - low)) * (box.bottom - box.top);
		const at = (points) => points.map(([x, y]) => [px(x), py(y)]);
		const dip = how.kind === "dip";
		const [x, y] = dip
			? [clamp(now.guess, axis[0], axis[axis.length - 1]), now.depth]
			: [how.at, clamp(now.guess, low, high)];
		const handle = [px(x), py(y)];

		const steps = dip
			? [-0.4, -0.2, 0, 0.2]
			: [0, 25, 50, 75, 100].map((share) => low + ((high - low) * share) / 100);
		let ground = steps
			.map(
				(step) =>
					tag("line", {
						x1: box.left,
						x2: box.right,
						y1: py(step),
						y2: py(step),
						stroke: step === 0 ? c.quiet : c.line,
						"stroke-width": 1,
					}) +
					words(box.left - 8, py(step) + 4.5, shown(step), {
						"text-anchor": "end",
					}),
			)
			.join("");
		ground += axis
			.map((tick) =>
				words(px(tick), box.bottom + 19, shown(tick), {
					"text-anchor": "middle",
					...(tick === how.at && { fill: c.said, "font-weight": 600 }),
				}),
			)
			.join("");
		ground +=
			words(8, 19, how.up) +
			words((box.left + box.right) / 2, height - 8, how.across, {
				"text-anchor": "middle",
			});
		const told = dip
			? [
					[axis[0], 0],
					[0, 0],
					[high, high],
				]
			: known(how);
		if (told.length > 1)
			ground += tag("path", {
				d: path(at(told)),
				fill: "none",
				stroke: c.quiet,
				"stroke-width": 2,
			});
		if (dip)
			ground += words(px(0) - 8, py(0.1), "ReLU", { "text-anchor": "end" });
		else
			ground += at(told)
				.map(([cx, cy]) => tag("circle", { cx, cy, r: 4.5, fill: c.quiet }))
				.join("");

		const own = dip
			? sketch(asked, x, y)
			: told.length
				? [told[told.length - 1], [x, y]]
				: [];
		let labels = "";
		let guess = dip
			? ""
			: tag("line", {
					x1: handle[0],
					x2: handle[0],
					y1: box.top,
					y2: box.bottom,
					stroke: c.guess,
					"stroke-width": 2,
					"stroke-dasharray": "1 7",
					"stroke-linecap": "round",
				});
		if (own.length)
			guess += tag("path", {
				d: path(at(own)),
				fill: "none",
				stroke: c.guess,
				"stroke-width": 3,
				"stroke-dasharray": now.told ? "none" : "7 6",
				"stroke-linecap": "round",
			});

		let result = "";
		let shade = "";
		if (now.progress > 0) {
			const begin = dip ? axis[0] : truth.line[0][0];
			const far = truth.line[truth.line.length - 1][0];
			const end =
				now.progress === 1
					? far
					: how.log
						? begin * (far / begin) ** now.progress
						: begin + now.progress * (far - begin);
			const line = upTo(truth.line, end).filter((point) => point[1] <= high);
			const gap = dip
				? [...at(own), ...at(truth.line.filter(([one]) => one <= 0)).reverse()]
				: null;
			const out = dip
				? truth.line.reduce((one, other) => (other[1] < one[1] ? other : one))
				: truth.line.find(([one]) => one === x);
			const [ox, oy] = [px(out[0]), py(out[1])];
			const reached = dip ? now.progress === 1 : out[0] <= end;
			if (dip)
				shade = tag("path", {
					d: `${path(gap)}Z`,
					fill: c.guess,
					opacity: 0.16 * now.progress,
				});
			else if (reached && own.length)
				shade = tag("path", {
					d: `${path([...at([own[0]]), handle, [ox, oy]])}Z`,
					fill: c.guess,
					opacity: 0.2,
				});
			if (!dip && reached)
				shade += tag("rect", {
					x: ox - 9,
					width: 18,
					y: Math.min(oy, handle[1]),
					height: Math.abs(oy - handle[1]),
					fill: c.guess,
					opacity: 0.2,
				});
			result += truth.dots
				.filter(([one, other]) => one <= end && other <= high)
				.map(([one, other]) =>
					tag("circle", {
						cx: px(one),
						cy: py(other),
						r: 3,
						fill: c.truth,
						opacity: 0.5,
					}),
				)
				.join("");
			if (line.length > 1)
				result += tag("path", {
					d: path(at(line)),
					fill: "none",
					stroke: c.truth,
					"stroke-width": 3,
					"stroke-linejoin": "round",
					"stroke-linecap": "round",
				});
			if (!dip)
				result += at(line.filter(([one]) => axis.includes(one)))
					.map(([cx, cy]) => tag("circle", { cx, cy, r: 4.5, fill: c.truth }))
					.join("");
			if (reached) {
				result += tag("circle", {
					cx: ox,
					cy: oy,
					r: 7,
					fill: c.truth,
					stroke: c.paper,
					"stroke-width": 2,
				});
				const right = dip ? now.guess <= out[0] : ox < box.left + 90;
				const text = dip ? `x = ${shown(out[0])}` : number(how, out[1]);
				const covered =
					handle[1] < oy && oy - handle[1] < 36; /* by the reader's number */
				const down = dip
					? 24
					: covered || (right && oy >= handle[1])
						? 18
						: -10;
				labels += words(
					ox + (right ? 14 : -14),
					clamp(oy + down, box.top + 8, box.bottom - 4),
					text,
					{
						fill: c.truth,
						"font-weight": 600,
						"font-size": 15,
						"text-anchor": right ? "start" : "end",
					},
				);
			}
		}
		/* The reader's number stands to the right where there is room, and the one that comes out on the other side. */
		const right =
			dip && now.progress > 0 && now.guess < asked.answer
				? handle[0] < px(-2)
				: handle[0] < box.right - 72;
		const away = dip
			? 22
			: now.progress > 0
				? truth.line.find(([one]) => one === x)[1] > y
					? 16
					: -8
				: right
					? 5
					: -14;
		const label = !now.told
			? "?"
			: dip
				? `x = ${shown(now.guess)}`
				: `${shown(now.guess)}${how.unit || ""}`;
		labels += words(
			handle[0] + (right ? 20 : -18),
			clamp(handle[1] + away, box.top + 8, box.bottom - 4),
			label,
			{
				fill: c.said,
				"font-weight": 600,
				"font-size": 15,
				"text-anchor": right ? "start" : "end",
			},
		);
		const value = (left, top) =>
			dip
				? axis[0] +
					((left - box.left) / (box.right - box.left)) *
						(axis[axis.length - 1] - axis[0])
				: low + ((box.bottom - top) / (box.bottom - box.top)) * (high - low);
		const deep = (top) =>
			low + ((box.bottom - top) / (box.bottom - box.top)) * (high - low);
		return {
			height,
			ground,
			shade,
			guess,
			result: result + labels,
			handle,
			value,
			deep,
		};
	};

	const bar = (asked, now, width) => {
		const how = asked.drawn;
		const { axis, truth } = how;
		const rows = [
			...(how.known === undefined ? [] : ["known"]),
			"guess",
			"truth",
		];
		const box = { left: 18, right: width - 18 };
		const [low, high] = [axis[0], axis[axis.length - 1]];
		const px = (share) =>
			box.left + ((share - low) / (high - low)) * (box.right - box.left);
		const tall = 40;
		const top = (row) => 32 + rows.indexOf(row) * (tall + 30);
		const height = top("truth") + tall + 48;
		const share = clamp(now.guess, low, high);
		const handle = [px(share), top("guess") + tall / 2];
		const halves = (row, border, colour, name) =>
			tag("rect", {
				x: box.left,
				y: top(row),
				width: box.right - box.left,
				height: tall,
				rx: 4,
				fill: c.soft,
				stroke: c.line,
			}) +
			tag("rect", {
				x: box.left,
				y: top(row),
				width: Math.max(0, px(border) - box.left),
				height: tall,
				rx: 4,
				fill: colour,
				opacity: 0.25,
			}) +
			words(box.left, top(row) - 8, name, {
				fill: { known: c.quiet, guess: c.said, truth: c.truth }[row],
				"font-weight": row === "known" ? 400 : 600,
			});
		const sides = (row, where, border = where) => {
			const fits = (room, one) => room > 8 * one.length + 22;
			const left =
				border === null
					? how.parts[0]
					: `${how.parts[0]}: ${number(how, border)}`;
			const more = { fill: c.ink, stroke: "none" };
			return (
				(fits(px(where) - box.left, left)
					? words(box.left + 10, top(row) + tall / 2 + 4.5, left, more)
					: "") +
				(fits(box.right - px(where), how.parts[1])
					? words(box.right - 10, top(row) + tall / 2 + 4.5, how.parts[1], {
							...more,
							"text-anchor": "end",
						})
					: "")
			);
		};
		let ground = axis
			.map(
				(tick, at) =>
					tag("line", {
						x1: px(tick),
						x2: px(tick),
						y1: top(rows[0]),
						y2: height - 42,
						stroke: c.line,
					}) +
					words(px(tick), height - 26, shown(tick), {
						"text-anchor": at
							? at === axis.length - 1
								? "end"
								: "middle"
							: "start",
					}),
			)
			.join("");
		ground += words((box.left + box.right) / 2, height - 7, how.across, {
			"text-anchor": "middle",
		});
		if (how.known !== undefined)
			ground +=
				halves("known", how.known, c.quiet, how.known_as) +
				sides("known", how.known);
		let guess = halves(
			"guess",
			share,
			c.guess,
			now.told ? "your guess" : "your guess: ?",
		);
		let names = sides("guess", share, now.told ? share : null);
		guess += tag("line", {
			x1: handle[0],
			x2: handle[0],
			y1: top("guess") - 4,
			y2: top("guess") + tall + 4,
			stroke: c.guess,
			"stroke-width": 4,
			"stroke-linecap": "round",
		});
		let result = tag("rect", {
			x: box.left,
			y: top("truth"),
			width: box.right - box.left,
			height: tall,
			rx: 4,
			fill: "none",
			stroke: c.line,
			"stroke-dasharray": "4 4",
		});
		let shade = "";
		if (now.progress > 0) {
			const border = truth.line[0][1];
			const grown = low + now.progress * (border - low);
			result = halves("truth", grown, c.truth, "the result");
			result += tag("line", {
				x1: px(grown),
				x2: px(grown),
				y1: top("truth") - 4,
				y2: top("truth") + tall + 4,
				stroke: c.truth,
				"stroke-width": 4,
				"stroke-linecap": "round",
			});
			if (now.progress === 1) {
				result += truth.dots
					.map(([, one], at) =>
						tag("circle", {
							cx: px(one),
							cy: top("truth") + tall + 9 + 3 * (at % 2),
							r: 3,
							fill: c.truth,
							opacity: 0.6,
						}),
					)
					.join("");
				names += sides("truth", border);
				shade = tag("rect", {
					x: Math.min(px(border), handle[0]),
					width: Math.abs(px(border) - handle[0]),
					y: top("guess"),
					height: top("truth") + tall - top("guess"),
					fill: c.guess,
					opacity: 0.16,
				});
			}
		}
		const value = (left) =>
			low + ((left - box.left) / (box.right - box.left)) * (high - low);
		return {
			height,
			ground,
			shade: "",
			guess,
			result: result + shade + names,
			handle,
			value,
		};
	};
	const laidOut = (asked, ...rest) =>
		(asked.drawn.kind === "bar" ? bar : curve)(asked, ...rest);
	const depthOf = (asked, guess, depth) =>
		asked.drawn.kind === "dip"
			? clamp(depth ?? 0.6 * asked.drawn.range[0], deepest(asked, guess), 0)
			: 0;

	const KNOB = {
		up: '<path d="M-3.5 -2 L0 -5.5 L3.5 -2 M-3.5 2 L0 5.5 L3.5 2" />',
		across: '<path d="M-2 -3.5 L-5.5 0 L-2 3.5 M2 -3.5 L5.5 0 L2 3.5" />',
	};

	course.drawGuess = (form, asked) => {
		const how = asked.drawn;
		const id = form.dataset.prediction;
		const place = form.querySelector(".drawn");
		const choices = places(asked);
		const [low, high] = ends(asked);
		place.innerHTML = `<svg role="group" aria-label="Draw your guess"><g class="still" aria-hidden="true"></g>
      <g class="handle" role="slider" tabindex="0" aria-label="${escaped(how.said)}" aria-valuemin="${low}" aria-valuemax="${high}">
      <circle class="reach" r="24"/><circle class="ring" r="17"/><circle class="knob" r="12"/>${KNOB[how.kind === "curve" ? "up" : "across"]}</g></svg><p class="legend"></p>`;
		const svg = place.querySelector("svg");
		const still = svg.querySelector(".still");
		const handle = svg.querySelector(".handle");
		const legend = place.querySelector(".legend");
		svg.style.touchAction = how.kind === "curve" ? "pan-x pan-y" : "pan-y";
		handle.style.touchAction = "none";
		const now = { guess: start(asked), depth: null, told: false, progress: 0 };
		let spot = null;

		const draw = () => {
			const width = Math.min(Math.floor(place.clientWidth), 640);
			if (!width) return;
			if (!now.told) now.guess = start(asked);
			spot = laidOut(
				asked,
				{ ...now, depth: depthOf(asked, now.guess, now.depth) },
				width,
			);
			svg.setAttribute("viewBox", `0 0 ${width} ${spot.height}`);
			svg.setAttribute("width", width);
			svg.setAttribute("height", spot.height);
			still.innerHTML = spot.ground + spot.shade + spot.guess + spot.result;
			handle.setAttribute(
				"transform",
				`translate(${spot.handle.map((one) => one.toFixed(1)).join(" ")})`,
			);
			handle.setAttribute("aria-valuenow", clamp(now.guess, low, high));
			handle.setAttribute(
				"aria-valuetext",
				now.told ? `${shown(now.guess)}${how.unit || ""}` : "not drawn yet",
			);
			place.classList.toggle("waiting", !now.told);
		};
		const tell = () => {
			const mark = (name, words) => `<span class="${name}">${words}</span>`;
			if (!now.progress) {
				legend.textContent =
					`Drag the ${how.kind === "bar" ? "border" : "point"}, or use the arrow keys or the ${choices ? "buttons" : "field"} below.` +
					(how.kind === "dip"
						? " Only its place from left to right counts; how deep it lies is up to you."
						: "");
				return;
			}
			const values =
				how.kind === "curve"
					? ` ${how.truth.line.map(([x, y]) => `${number(how, y)} with ${shown(x)}`).join(", ")} ${how.across}`
					: "";
			legend.innerHTML =
				mark("own", "your guess") +
				mark("true", escaped(`${how.came}${values ? ":" : ""}${values}`)) +
				(how.dots ? mark("seed", `each small dot: ${escaped(how.dots)}`) : "");
		};

		/* Take a value from the pointer or a key, into the drawing and into the field. */
		const place_ = (value) => {
			if (choices)
				now.guess = choices.reduce((one, other) =>
					Math.abs(other - value) < Math.abs(one - value) ? other : one,
				);
			else
				now.guess = Number(
					(Math.round(clamp(value, low, high) / how.step) * how.step).toFixed(
						6,
					),
				);
			now.told = true;
			if (choices)
				for (const one of all("input", form))
					one.checked = same(JSON.parse(one.value), now.guess);
			else form.querySelector("input").value = String(now.guess);
			draw();
		};
		const follow = (event) => {
			const bounds = svg.getBoundingClientRect();
			const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
			if (how.kind === "dip") now.depth = spot.deep(y);
			place_(spot.value(x, y));
		};
		svg.addEventListener("pointerdown", (event) => {
			if (event.button || !spot) return;
			const on = event.target.closest(".handle");
			if (event.pointerType === "touch" && !on && how.kind === "curve")
				return; /* a finger there scrolls the page */
			event.preventDefault();
			handle.focus({ preventScroll: true });
			svg.setPointerCapture(event.pointerId);
			follow(event);
			svg.addEventListener("pointermove", follow);
			svg.addEventListener(
				"lostpointercapture",
				() => svg.removeEventListener("pointermove", follow),
				{ once: true },
			);
		});
		handle.addEventListener("touchstart", (event) => event.preventDefault(), {
			passive: false,
		}); /* no scrolling */
		handle.addEventListener("keydown", (event) => {
			if (event.key === "Enter") return form.requestSubmit();
			const at = choices ? choices.indexOf(now.guess) : now.guess;
			const step = choices ? 1 : how.step;
			const last = choices ? choices.length - 1 : high;
			const first = choices ? 0 : low;
			const to = {
				ArrowUp: at + step,
				ArrowRight: at + step,
				ArrowDown: at - step,
				ArrowLeft: at - step,
				PageUp: at + 10 * step,
				PageDown: at - 10 * step,
				Home: first,
				End: last,
			}[event.key];
			if (to === undefined) return;
			event.preventDefault();
			place_(choices ? choices[clamp(to, first, last)] : to);
		});
		/* What is typed or chosen below moves the point, too. */
		form.addEventListener("input", () => {
			try {
				const field = form.querySelector(choices ? "input:checked" : "input");
				const value = choices
					? JSON.parse(field.value)
					: course.typed(asked, field.value);
				if (!Number.isFinite(value) || (!choices && !field.value.trim()))
					return;
				now.guess = value;
				now.told = true;
				draw();
			} catch (fault) {
				if (!(fault instanceof course.Fault))
					throw fault; /* half a number: the point waits */
			}
		});
		const grow = () => {
			const begun = performance.now();
			const step = (time) => {
				const share = clamp((time - begun) / (1000 * SECONDS), 0, 1);
				now.progress = share < 1 ? Math.max(share * (2 - share), 1e-3) : 1;
				draw();
				if (share < 1) requestAnimationFrame(step);
			};
			requestAnimationFrame(step);
		};
		form.addEventListener("guessed", (event) => {
			const { guess, again } = event.detail;
			const kept = memory.kept.guesses[id] || {};
			if (again) now.depth = kept.depth ?? null;
			else if (
				how.kind === "dip" &&
				now.depth !== null &&
				kept.depth === undefined
			)
				memory.remember((all) => (all.guesses[id].depth = now.depth));
			now.guess = guess;
			now.told = true;
			if (now.progress) return draw();
			if (again || matchMedia("(prefers-reduced-motion: reduce)").matches) {
				now.progress = 1;
				draw();
			} else {
				now.progress = 1e-3;
				grow();
			}
			tell();
		});
		document.addEventListener(
			"refreshed",
			draw,
		); /* an earlier guess may have made more known */
		new ResizeObserver(draw).observe(place);
		tell();
		draw();
	};
})();
