/* Four points of two kinds, and a line with two handles: how many points lie on the side that says so.
   data: {x: the points as [x, y]; y: 0 or 1 for each; ends: where the handles begin; diagonals: whether the points of
   each kind are joined}
   state: {ends; best: the most points that were right so far} */
import { count, knob } from "./knob.js";
import { aloud, drawn, made, shown } from "./shared.js";

const UNIT = 150; /* of the drawing; its corner is at −0.7, 1.37 */
const STEP = 0.02;
const [LOW, HIGH] = [-0.3, 1.3]; /* as far as a handle goes */
const rounded = (value) =>
	Math.round(Math.min(Math.max(value, LOW), HIGH) * 100) / 100;

export const render = (element, data, state, changed) => {
	const start = { ends: data.ends, best: 0 };
	let now = state || start;
	const turned = drawn(
		"g",
		{},
		drawn("path", { class: "shade", d: "M-1e5-1e5H1e5V0H-1e5" }),
		drawn("path", { class: "line", d: "M-1e5 0H1e5" }),
	);
	const svg = drawn(
		"svg",
		{
			viewBox: "-105 -205 360 260",
			role: "group",
			"aria-label": "Four points, and a line to lay between them",
		},
		turned,
	);
	const [counted, score] = count("points right");
	const [counts, most] = count("best so far");
	const voice = aloud();
	element.append(
		made("div", { class: "head" }, counted, counts),
		svg,
		voice.element,
	);

	const marks = data.x.map(([x, y], at) => {
		const one = data.y[at] ? "point one" : "point";
		const mark = drawn("text", {
			class: "mark",
			x: x ? 26 : -26,
			y: 5,
			"text-anchor": x ? "start" : "end",
		});
		if (data.diagonals)
			svg.append(
				drawn("path", { class: one, d: `M${x * UNIT} ${-y * UNIT}L75-75` }),
			);
		svg.append(
			drawn(
				"g",
				{ transform: `translate(${x * UNIT} ${-y * UNIT})` },
				drawn("circle", { class: one, r: 18 }),
				drawn(
					"text",
					{ class: "value", y: 7, "text-anchor": "middle" },
					data.y[at],
				),
				mark,
			),
		);
		return mark;
	});

	const draw = () => {
		const [[left, low], [right, high]] = now.ends;
		const [across, up] = [right - left, high - low];
		turned.setAttribute(
			"transform",
			`matrix(${across} ${-up} ${up} ${across} ${left * UNIT} ${-low * UNIT})`,
		);
		/* The line says 1 on the left of the way from its first handle to its second. */
		const fits = data.x.map(
			([x, y], at) =>
				across * (y - low) - up * (x - left) > 0 === data.y[at] > 0,
		);
		fits.forEach((fit, at) => {
			marks[at].textContent = `${data.x[at].join(", ")} ${fit ? "✓" : "✗"}`;
			marks[at].classList.toggle("wrong", !fit);
		});
		now.ends.forEach(([x, y], at) =>
			knobs[at].put(
				x * UNIT,
				-y * UNIT,
				y,
				`at ${shown(x, 2)}, ${shown(y, 2)}`,
			),
		);
		score.textContent = `${fits.filter(Boolean).length} of ${fits.length}`;
		now.best = Math.max(now.best, fits.filter(Boolean).length);
		most.textContent = now.best;
		element.classList.toggle("untouched", now === start);
	};
	const move = (at, ...end) => {
		now = {
			...now,
			ends: now.ends.map((old, which) =>
				which === at ? end.map(rounded) : old,
			),
		};
		draw();
	};
	const knobs = ["First", "Second"].map((name, at) =>
		knob(svg, `${name} handle of the line`, LOW, HIGH, {
			moved: (x, y) => move(at, x / UNIT, -y / UNIT),
			stepped: (right, up) =>
				move(at, now.ends[at][0] + right * STEP, now.ends[at][1] + up * STEP),
			released: () => {
				voice.says(
					`${score.textContent} points right: ${marks.map((mark) => mark.textContent).join("; ")}. Best so far: ${now.best}.`,
				);
				changed(now);
			},
		}),
	);
	svg.append(...knobs);
	draw();
	return {
		set: (other) => {
			now = other || start;
			draw();
		},
		end: voice.end,
	};
};
