/* A curve to follow with a straight line, and then with a line that bends: how far it misses is shaded and is a number.
   data: {x, y: the curve; best: the mean squared error of the best straight line; most: how many bends there may be;
          done: what is said once the line beats that}
   state: {points: the line's ends and bends as [x, y], from left to right; tried: how often it was moved} */
import { aloud, count, drawn, knob, made, played, shown } from "./shared.js";

export const style = `${played(".c-curve")}
.c-curve svg { overflow: visible; }
.c-curve .axis { stroke: var(--c-line); }
.c-curve .target { fill: none; stroke: var(--c-target); stroke-width: 6; stroke-linecap: round; stroke-linejoin: round; }
.c-curve .gap { fill: var(--c-output); fill-opacity: 0.2; }
.c-curve .head { justify-content: space-between; }
.c-curve .does { display: flex; flex-wrap: wrap; gap: 0.5rem; justify-content: flex-end; }
.c-curve .says { margin: 0.3rem 0; min-height: 2.9em; } /* as much as it ever says, so that the curve below it stays */
@media (max-width: 36rem) { .c-curve .says { min-height: 5.8em; } }
`;

const HIGH = 1.5; /* the drawing's edge, and as far as a handle goes */
const STEP = 0.02;
const NEAR = 0.12; /* how near two neighbours may come */
/* What a handle says of its place is all there is to it, so that its number can be computed anew. */
const rounded = (value) => Math.round(value * 100) / 100;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const height = (points, x) => {
	const next = Math.max(
		points.findIndex((point) => point[0] >= x),
		1,
	);
	const [[left, low], [right, high]] = [points[next - 1], points[next]];
	return low + ((high - low) * (x - left)) / (right - left);
};
const copied = ({ points, tried }) => ({
	points: points.map((point) => [...point]),
	tried,
});

export const render = (element, data, state, changed) => {
	const [first, last] = [data.x[0], data.x[data.x.length - 1]];
	const start = {
		points: [
			[first, 0.5],
			[last, 0.5],
		],
		tried: 0,
	};
	let now = copied(state || start);
	let size = [0, 0];
	let knobs = [];
	const gap = drawn("path", { class: "gap" });
	const target = drawn("path", { class: "target" });
	const line = drawn("path", { class: "line" });
	const [ground, grips] = [drawn("g"), drawn("g")];
	const svg = drawn(
		"svg",
		{ role: "group", "aria-label": "A grey curve, and a line to lay over it" },
		ground,
		gap,
		target,
		line,
		grips,
	);
	const [counted, error] = count("mean squared error");
	const [bend, again] = [
		made("button", { type: "button" }, "+ one bend"),
		made("button", { type: "button" }, "Start again"),
	];
	const says = made("p", { class: "says" });
	const voice = aloud();
	element.append(
		made(
			"div",
			{ class: "head" },
			counted,
			made("div", { class: "does" }, bend, again),
		),
		says,
		svg,
		voice.element,
	);

	const mean = () =>
		data.x.reduce(
			(sum, x, at) => sum + (height(now.points, x) - data.y[at]) ** 2,
			0,
		) / data.x.length;
	const written = (value) => shown(value, value < 0.01 ? 4 : 2);
	const px = (x) => 16 + ((x - first) / (last - first)) * (size[0] - 32);
	const py = (y) => size[1] / 2 - (y / (HIGH + 0.1)) * (size[1] / 2);
	const path = (points) =>
		`M${points.map(([x, y]) => `${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join("L")}`;
	const bends = () => now.points.length - 2;

	const draw = () => {
		const curve = data.x.map((x, at) => [x, data.y[at]]);
		line.setAttribute("d", path(now.points));
		gap.setAttribute("d", `${path([...curve, ...[...now.points].reverse()])}Z`);
		now.points.forEach(([x, y], at) => {
			const inside = at > 0 && at < now.points.length - 1;
			knobs[at].put(
				px(x),
				py(y),
				y,
				`height ${shown(y, 2)}${inside ? ` at x = ${shown(x, 2)}` : ""}`,
			);
		});
		const missed = mean();
		error.textContent = written(missed);
		bend.setAttribute(
			"aria-disabled",
			bends() >= data.most,
		); /* and not disabled: that takes the focus */
		element.classList.toggle("untouched", !now.tried);
		says.textContent = !now.tried
			? "Drag the two ends of the line: how close to the grey curve can you get?"
			: bends() && rounded(missed) < rounded(data.best)
				? `Below ${written(data.best)}: no straight line gets there. ${data.done}`
				: bends()
					? `The best straight line reaches ${written(data.best)}. Drag your line's bends, too: can you get below that?`
					: now.tried > 1
						? `No straight line gets below ${written(data.best)}. Give yours a bend.`
						: "Now the other end.";
		return missed;
	};
	const speak = () =>
		voice.says(`Mean squared error ${error.textContent}. ${says.textContent}`);

	const put = (at, x, y) => {
		const { points } = now;
		const end = at === 0 || at === points.length - 1;
		points[at] = [
			end
				? points[at][0]
				: rounded(clamp(x, points[at - 1][0] + NEAR, points[at + 1][0] - NEAR)),
			rounded(clamp(y, -HIGH, HIGH)),
		];
		draw();
	};
	const told = () => {
		draw();
		speak();
		changed(copied(now));
	};
	/* Handles stay where they are in the page while they move: another number of points alone makes new ones. */
	const grip = () => {
		if (knobs.length === now.points.length) return;
		knobs = now.points.map((_, at) => {
			const label =
				at === 0
					? "Left end of the line"
					: at === now.points.length - 1
						? "Right end of the line"
						: `Bend ${at}`;
			return knob(svg, label, -HIGH, HIGH, {
				moved: (left, top) =>
					put(
						at,
						first + ((left - 16) / (size[0] - 32)) * (last - first),
						(1 - top / (size[1] / 2)) * (HIGH + 0.1),
					),
				stepped: (right, up) =>
					put(
						at,
						now.points[at][0] + right * STEP * 2,
						now.points[at][1] + up * STEP,
					),
				released: () => {
					now.tried += 1;
					told();
				},
			});
		});
		grips.replaceChildren(...knobs);
	};
	const laid = () => {
		const width = Math.round(element.clientWidth);
		if (!width || width === size[0]) return;
		size = [width, clamp(Math.round(width * 0.42), 200, 290)];
		svg.setAttribute("viewBox", `0 0 ${size.join(" ")}`);
		const [axis, top] = [py(0), data.y.indexOf(Math.max(...data.y))];
		ground.replaceChildren(
			drawn("line", { class: "axis", x1: 0, x2: size[0], y1: axis, y2: axis }),
			drawn(
				"text",
				{
					x: px(data.x[top]),
					y: py(data.y[top]) - 14,
					"text-anchor": "middle",
				},
				"the curve",
			),
		);
		target.setAttribute("d", path(data.x.map((x, at) => [x, data.y[at]])));
		draw();
	};

	bend.addEventListener("click", () => {
		const { points } = now;
		if (bends() >= data.most) {
			says.textContent =
				"This line has as many bends as it can have. Drag them.";
			return speak();
		}
		const wide = points.slice(1).map((point, at) => point[0] - points[at][0]);
		const at = wide.indexOf(Math.max(...wide)); /* the first of the widest */
		const x = rounded((points[at][0] + points[at + 1][0]) / 2);
		points.splice(at + 1, 0, [x, rounded(height(points, x))]);
		now.tried += 1;
		grip();
		told();
	});
	again.addEventListener("click", () => {
		now = copied(start);
		grip();
		told();
	});
	const watched = new ResizeObserver(laid);
	grip();
	laid();
	watched.observe(element);
	return {
		set: (other) => {
			now = copied(other || start);
			grip();
			draw();
		},
		end: () => {
			watched.disconnect();
			voice.end();
		},
	};
};
