/* Four points of two kinds, and a line with two handles: how many points lie on the side that says so.
   data: {x: the points as [x, y]; y: 0 or 1 for each; ends: where the handles begin; diagonals: whether the points of
   each kind are joined}
   state: {ends; best: the most points that were right so far} */
import { count, knob } from "./knob.js";
import { aloud, drawn, made, shown } from "./shared.js";
import { fits, HIGH, LOW, moved, scored } from "./xor_line.js";

const UNIT = 150; /* of the drawing; its corner is at −0.7, 1.37 */
const STEP = 0.02;

/* A point with its value in it, and beside it a mark to fill: whether it is right. */
const pointOf = ([x, y], value) => {
	const name = value ? "point one" : "point";
	const mark = drawn("text", {
		class: "mark",
		x: x ? 26 : -26,
		y: 5,
		"text-anchor": x ? "start" : "end",
	});
	const diagonal = drawn("path", {
		class: name,
		d: `M${x * UNIT} ${-y * UNIT}L75-75`,
	});
	const point = drawn(
		"g",
		{ transform: `translate(${x * UNIT} ${-y * UNIT})` },
		drawn("circle", { class: name, r: 18 }),
		drawn("text", { class: "value", y: 7, "text-anchor": "middle" }, value),
		mark,
	);
	return { diagonal, point, mark };
};

export const render = (element, data, state, changed) => {
	const start = scored(data, { ends: data.ends, best: 0 });
	let now = start;
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
	const marks = data.x.map((place, index) => {
		const { diagonal, point, mark } = pointOf(place, data.y[index]);
		if (data.diagonals) svg.append(diagonal);
		svg.append(point);
		return mark;
	});

	const draw = () => {
		const [[left, low], [right, high]] = now.ends;
		const [across, up] = [right - left, high - low];
		turned.setAttribute(
			"transform",
			`matrix(${across} ${-up} ${up} ${across} ${left * UNIT} ${-low * UNIT})`,
		);
		fits(data, now.ends).forEach((fit, index) => {
			const mark = marks[index];
			mark.textContent = `${data.x[index].join(", ")} ${fit ? "✓" : "✗"}`;
			mark.classList.toggle("wrong", !fit);
		});
		now.ends.forEach(([x, y], index) => {
			const words = `at ${shown(x, 2)}, ${shown(y, 2)}`;
			knobs[index].put(x * UNIT, -y * UNIT, y, words);
		});
		score.textContent = `${now.right} of ${marks.length}`;
		most.textContent = now.best;
		element.classList.toggle("untouched", now === start);
	};
	const move = (handle, ...place) => {
		now = moved(data, now, handle, place);
		draw();
	};
	const knobs = ["First", "Second"].map((name, handle) =>
		knob(svg, `${name} handle of the line`, LOW, HIGH, {
			moved: (x, y) => move(handle, x / UNIT, -y / UNIT),
			stepped: (right, up) => {
				const [x, y] = now.ends[handle];
				move(handle, x + right * STEP, y + up * STEP);
			},
			released: () => {
				voice.says(
					`${score.textContent} points right: ${marks.map((mark) => mark.textContent).join("; ")}. Best so far: ${now.best}.`,
				);
				changed({ ends: now.ends, best: now.best });
			},
		}),
	);
	svg.append(...knobs);
	const set = (other) => {
		now = other ? scored(data, other) : start;
		draw();
	};
	set(state);
	return { set, end: voice.end };
};
