/* How a drawn guess looks: its layers as text, laid out in a width. Nothing here needs a page. */
"use strict";
(() => {
	const { escaped, memory, shown } = course;
	/* Colours follow the reader's theme. Words have a darker vermilion, to be read. */
	const [PAPER, INK, QUIET, LINE, SOFT, GUESS, SAID, TRUTH] = [
		"paper",
		"ink",
		"quiet",
		"line",
		"soft",
		"output",
		"wrong",
		"input",
	].map((name) => `var(--${name})`);

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
				fill: QUIET,
				stroke: PAPER,
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
		const [x, y] = before.at(-1);
		return [
			...before,
			[end, y + ((end - x) / (after[0] - x)) * (after[1] - y)],
		];
	};

	/* What has been said already of what comes out: in the text, and by an earlier guess. */
	const known = ({ given = [], after, at, axis = [], truth }) => {
		if (!after || !memory.kept.guesses[after]) return given;
		const last = given.length ? given.at(-1)[0] : -Infinity;
		return [
			...given,
			...truth.line.filter(([x]) => x > last && x < at && axis.includes(x)),
		];
	};
	const start = ({ drawn }) => {
		const told = drawn.kind === "curve" ? known(drawn) : [];
		return told.length ? Math.round(told.at(-1)[1]) : drawn.start;
	};
	/* Where a guess can lie: on the choices from left to right, or at steps between two ends. */
	const scale = ({ choices, low, high, drawn: { step } }) => {
		const all = [...choices].sort((one, other) => one - other);
		const ends = all.length ? [all[0], all.at(-1)] : [low, high];
		const nearest = (value) =>
			all.length
				? all.reduce((one, other) =>
						Math.abs(other - value) < Math.abs(one - value) ? other : one,
					)
				: Number((Math.round(clamp(value, ...ends) / step) * step).toFixed(6));
		/* Return where a key leads from a guess; undefined for a key that leads nowhere. */
		const afterKey = (key, guess) => {
			const by = {
				ArrowUp: 1,
				ArrowRight: 1,
				ArrowDown: -1,
				ArrowLeft: -1,
				PageUp: 10,
				PageDown: -10,
				Home: -Infinity,
				End: Infinity,
			}[key];
			if (by === undefined) return by;
			return all.length
				? all[clamp(all.indexOf(guess) + by, 0, all.length - 1)]
				: nearest(guess + by * step);
		};
		return { ends, nearest, afterKey };
	};
	/* The sketch of a dip: level at the left, lowest at x, and back at 0; it cannot be lower than x itself. */
	const depth = ({ drawn: { kind, range } }, guess, wanted) =>
		kind === "dip"
			? clamp(wanted ?? 0.6 * range[0], Math.max(guess, range[0]), 0)
			: 0;
	const sketch = (left, lowest, depth) => {
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

	/* A curve or a dip in a width: its box, its scales, what is known, the guess, and the point that moves. */
	const plotted = (prediction, now, width) => {
		const how = prediction.drawn;
		const { axis } = how;
		const dip = how.kind === "dip";
		const height = width < 480 ? 260 : 310;
		const box = { left: 44, right: width - 26, top: 36, bottom: height - 46 };
		const [low, high] = how.range || [prediction.low, prediction.high];
		const spread = how.log ? Math.log : (one) => one;
		const [first, last] = [spread(axis[0]), spread(axis.at(-1))];
		const inset = dip ? 0 : 18;
		const px = (x) =>
			box.left +
			inset +
			((spread(x) - first) / (last - first)) *
				(box.right - box.left - 2 * inset);
		const py = (y) =>
			box.bottom - ((y - low) / (high - low)) * (box.bottom - box.top);
		const at = (points) => points.map(([x, y]) => [px(x), py(y)]);
		const [x, y] = dip
			? [clamp(now.guess, axis[0], axis.at(-1)), now.depth]
			: [how.at, clamp(now.guess, low, high)];
		const told = dip
			? [
					[axis[0], 0],
					[0, 0],
					[high, high],
				]
			: known(how);
		const own = dip
			? sketch(axis[0], x, y)
			: told.length
				? [told.at(-1), [x, y]]
				: [];
		const deep = (top) =>
			low + ((box.bottom - top) / (box.bottom - box.top)) * (high - low);
		const value = (left, top) =>
			dip
				? axis[0] +
					((left - box.left) / (box.right - box.left)) * (axis.at(-1) - axis[0])
				: deep(top);
		const handle = [px(x), py(y)];
		return {
			how,
			dip,
			height,
			box,
			low,
			high,
			px,
			py,
			at,
			x,
			y,
			told,
			own,
			handle,
			deep,
			value,
		};
	};
	const groundOf = ({ how, dip, height, box, low, high, px, py, at, told }) => {
		const steps = dip
			? [-0.4, -0.2, 0, 0.2]
			: [0, 25, 50, 75, 100].map((share) => low + ((high - low) * share) / 100);
		const levels = steps.map(
			(step) =>
				tag("line", {
					x1: box.left,
					x2: box.right,
					y1: py(step),
					y2: py(step),
					stroke: step === 0 ? QUIET : LINE,
					"stroke-width": 1,
				}) +
				words(box.left - 8, py(step) + 4.5, shown(step), {
					"text-anchor": "end",
				}),
		);
		const ticks = how.axis.map((tick) =>
			words(px(tick), box.bottom + 19, shown(tick), {
				"text-anchor": "middle",
				...(tick === how.at && { fill: SAID, "font-weight": 600 }),
			}),
		);
		const names =
			words(8, 19, how.up) +
			words((box.left + box.right) / 2, height - 8, how.across, {
				"text-anchor": "middle",
			});
		const line =
			told.length > 1
				? tag("path", {
						d: path(at(told)),
						fill: "none",
						stroke: QUIET,
						"stroke-width": 2,
					})
				: "";
		const points = dip
			? [words(px(0) - 8, py(0.1), "ReLU", { "text-anchor": "end" })]
			: at(told).map(([cx, cy]) =>
					tag("circle", { cx, cy, r: 4.5, fill: QUIET }),
				);
		return [...levels, ...ticks, names, line, ...points].join("");
	};
	const guessOf = ({ dip, box, at, own, handle: [x] }, told) => {
		const place = dip
			? ""
			: tag("line", {
					x1: x,
					x2: x,
					y1: box.top,
					y2: box.bottom,
					stroke: GUESS,
					"stroke-width": 2,
					"stroke-dasharray": "1 7",
					"stroke-linecap": "round",
				});
		const line = own.length
			? tag("path", {
					d: path(at(own)),
					fill: "none",
					stroke: GUESS,
					"stroke-width": 3,
					"stroke-dasharray": told ? "none" : "7 6",
					"stroke-linecap": "round",
				})
			: "";
		return place + line;
	};
	/* What comes out, as far as it has grown: its line up to `end`, and where its point that was asked for lies. */
	const grown = ({ how, dip, x, high, px, py }, progress) => {
		const { line } = how.truth;
		const begin = dip ? how.axis[0] : line[0][0];
		const far = line.at(-1)[0];
		const end =
			progress === 1
				? far
				: how.log
					? begin * (far / begin) ** progress
					: begin + progress * (far - begin);
		const out = dip
			? line.reduce((one, other) => (other[1] < one[1] ? other : one))
			: line.find(([one]) => one === x);
		return {
			out,
			place: [px(out[0]), py(out[1])],
			end,
			reached: dip ? progress === 1 : out[0] <= end,
			line: upTo(line, end).filter((point) => point[1] <= high),
		};
	};
	/* The shade between the guess and what comes out. */
	const missed = (plot, { reached, place: [x, y] }, progress) => {
		const { how, dip, at, own, handle } = plot;
		const filled = (points, opacity) =>
			tag("path", { d: `${path(points)}Z`, fill: GUESS, opacity });
		if (dip) {
			const below = how.truth.line.filter(([one]) => one <= 0);
			return filled([...at(own), ...at(below).reverse()], 0.16 * progress);
		}
		if (!reached) return "";
		return (
			(own.length ? filled([...at([own[0]]), handle, [x, y]], 0.2) : "") +
			tag("rect", {
				x: x - 9,
				width: 18,
				y: Math.min(y, handle[1]),
				height: Math.abs(y - handle[1]),
				fill: GUESS,
				opacity: 0.2,
			})
		);
	};
	const resultOf = (
		{ how, dip, high, px, py, at },
		{ end, line, reached, place: [cx, cy] },
	) => {
		const dots = how.truth.dots
			.filter(([one, other]) => one <= end && other <= high)
			.map(([one, other]) =>
				tag("circle", {
					cx: px(one),
					cy: py(other),
					r: 3,
					fill: TRUTH,
					opacity: 0.5,
				}),
			);
		const curve =
			line.length > 1
				? tag("path", {
						d: path(at(line)),
						fill: "none",
						stroke: TRUTH,
						"stroke-width": 3,
						"stroke-linejoin": "round",
						"stroke-linecap": "round",
					})
				: "";
		const points = dip
			? []
			: at(line.filter(([one]) => how.axis.includes(one))).map(([cx, cy]) =>
					tag("circle", { cx, cy, r: 4.5, fill: TRUTH }),
				);
		const point = reached
			? tag("circle", {
					cx,
					cy,
					r: 7,
					fill: TRUTH,
					stroke: PAPER,
					"stroke-width": 2,
				})
			: "";
		return [...dots, curve, ...points, point].join("");
	};
	/* A number beside a point, to its right or left, that stays in the box. */
	const beside = ({ box }, x, y, right, fill, text) =>
		words(x, clamp(y, box.top + 8, box.bottom - 4), text, {
			fill,
			"font-weight": 600,
			"font-size": 15,
			"text-anchor": right ? "start" : "end",
		});
	const resultNumber = (plot, { out, place: [x, y] }, guess) => {
		const { how, dip, box, handle } = plot;
		const right = dip ? guess <= out[0] : x < box.left + 90;
		const text = dip ? `x = ${shown(out[0])}` : number(how, out[1]);
		const covered =
			handle[1] < y && y - handle[1] < 36; /* by the reader's number */
		const down = dip ? 24 : covered || (right && y >= handle[1]) ? 18 : -10;
		return beside(plot, x + (right ? 14 : -14), y + down, right, TRUTH, text);
	};
	/* The reader's number stands to the right where there is room, and the one that comes out on the other side. */
	const ownNumber = (plot, now, out, answer) => {
		const { how, dip, box, px, y, handle } = plot;
		const right =
			dip && out && now.guess < answer
				? handle[0] < px(-2)
				: handle[0] < box.right - 72;
		const down = dip ? 22 : out ? (out.out[1] > y ? 16 : -8) : right ? 5 : -14;
		const text = !now.told
			? "?"
			: dip
				? `x = ${shown(now.guess)}`
				: `${shown(now.guess)}${how.unit || ""}`;
		return beside(
			plot,
			handle[0] + (right ? 20 : -18),
			handle[1] + down,
			right,
			SAID,
			text,
		);
	};
	const curve = (prediction, now, width) => {
		const plot = plotted(prediction, now, width);
		const out = now.progress > 0 ? grown(plot, now.progress) : null;
		return {
			...plot,
			ground: groundOf(plot),
			shade: out ? missed(plot, out, now.progress) : "",
			guess: guessOf(plot, now.told),
			result:
				(out ? resultOf(plot, out) : "") +
				(out?.reached ? resultNumber(plot, out, now.guess) : "") +
				ownNumber(plot, now, out, prediction.answer),
		};
	};

	/* A bar in a width that a border parts: its rows and scale, and how one of its rows is drawn. */
	const rowsOf = ({ drawn: how }, guess, width) => {
		const { axis } = how;
		const rows = [
			...(how.known === undefined ? [] : ["known"]),
			"guess",
			"truth",
		];
		const box = { left: 18, right: width - 18 };
		const [low, high] = [axis[0], axis.at(-1)];
		const px = (share) =>
			box.left + ((share - low) / (high - low)) * (box.right - box.left);
		const tall = 40;
		const top = (row) => 32 + rows.indexOf(row) * (tall + 30);
		const share = clamp(guess, low, high);
		const part = (row, right, more) =>
			tag("rect", {
				x: box.left,
				y: top(row),
				width: Math.max(0, right - box.left),
				height: tall,
				rx: 4,
				...more,
			});
		return {
			how,
			box,
			low,
			px,
			tall,
			top,
			share,
			part,
			height: top("truth") + tall + 48,
			handle: [px(share), top("guess") + tall / 2],
			value: (left) =>
				low + ((left - box.left) / (box.right - box.left)) * (high - low),
			halves: (row, border, colour, name) =>
				part(row, box.right, { fill: SOFT, stroke: LINE }) +
				part(row, px(border), { fill: colour, opacity: 0.25 }) +
				words(box.left, top(row) - 8, name, {
					fill: { known: QUIET, guess: SAID, truth: TRUTH }[row],
					"font-weight": row === "known" ? 400 : 600,
				}),
			border: (row, x, stroke) =>
				tag("line", {
					x1: x,
					x2: x,
					y1: top(row) - 4,
					y2: top(row) + tall + 4,
					stroke,
					"stroke-width": 4,
					"stroke-linecap": "round",
				}),
			sides: (row, where, border = where) => {
				const fits = (room, one) => room > 8 * one.length + 22;
				const left =
					border === null
						? how.parts[0]
						: `${how.parts[0]}: ${number(how, border)}`;
				const more = { fill: INK, stroke: "none" };
				const down = top(row) + tall / 2 + 4.5;
				return (
					(fits(px(where) - box.left, left)
						? words(box.left + 10, down, left, more)
						: "") +
					(fits(box.right - px(where), how.parts[1])
						? words(box.right - 10, down, how.parts[1], {
								...more,
								"text-anchor": "end",
							})
						: "")
				);
			},
		};
	};
	const groundOfBar = ({ how, box, px, top, height, halves, sides }) => {
		const above = top(how.known === undefined ? "guess" : "known");
		const ticks = how.axis.map(
			(tick, at) =>
				tag("line", {
					x1: px(tick),
					x2: px(tick),
					y1: above,
					y2: height - 42,
					stroke: LINE,
				}) +
				words(px(tick), height - 26, shown(tick), {
					"text-anchor": at
						? at === how.axis.length - 1
							? "end"
							: "middle"
						: "start",
				}),
		);
		const name = words((box.left + box.right) / 2, height - 7, how.across, {
			"text-anchor": "middle",
		});
		return (
			ticks.join("") +
			name +
			(how.known === undefined
				? ""
				: halves("known", how.known, QUIET, how.known_as) +
					sides("known", how.known))
		);
	};
	/* What comes out, as far as it has grown; at the end with each seed, and the shade between it and the guess. */
	const resultOfBar = (
		{ how, box, low, px, tall, top, part, handle, halves, border, sides },
		progress,
	) => {
		if (!progress)
			return [
				part("truth", box.right, {
					fill: "none",
					stroke: LINE,
					"stroke-dasharray": "4 4",
				}),
				"",
			];
		const end = how.truth.line[0][1];
		const at = low + progress * (end - low);
		const bar =
			halves("truth", at, TRUTH, "the result") + border("truth", px(at), TRUTH);
		if (progress < 1) return [bar, ""];
		const dots = how.truth.dots.map(([, one], place) =>
			tag("circle", {
				cx: px(one),
				cy: top("truth") + tall + 9 + 3 * (place % 2),
				r: 3,
				fill: TRUTH,
				opacity: 0.6,
			}),
		);
		const shade = tag("rect", {
			x: Math.min(px(end), handle[0]),
			width: Math.abs(px(end) - handle[0]),
			y: top("guess"),
			height: top("truth") + tall - top("guess"),
			fill: GUESS,
			opacity: 0.16,
		});
		return [bar + dots.join("") + shade, sides("truth", end)];
	};
	const bar = (prediction, now, width) => {
		const rows = rowsOf(prediction, now.guess, width);
		const { share, handle, halves, border, sides } = rows;
		const name = now.told ? "your guess" : "your guess: ?";
		const [result, names] = resultOfBar(rows, now.progress);
		return {
			...rows,
			ground: groundOfBar(rows),
			shade: "",
			guess:
				halves("guess", share, GUESS, name) + border("guess", handle[0], GUESS),
			result: result + sides("guess", share, now.told ? share : null) + names,
		};
	};

	/* Lay out a drawing in a width; return its height, its layers as text, where the handle is, and which value or depth
     lies at a place. now: {guess, depth, told, progress}; told: whether the guess is placed; progress: of what comes
     out, from 0 to 1. */
	const laidOut = (prediction, now, width) =>
		(prediction.drawn.kind === "bar" ? bar : curve)(
			prediction,
			{ ...now, depth: depth(prediction, now.guess, now.depth) },
			width,
		);

	course.drawing = { clamp, laidOut, number, scale, start };
})();
