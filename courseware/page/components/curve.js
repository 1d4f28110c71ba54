/* A curve to follow with a straight line, and then with a line that bends: how far it misses is shaded and is a number.
   data: {x, y: the curve; best: the mean squared error of the best straight line; most: how many bends there may be;
          done: what is said once the line beats that}
   state: {points: the line's ends and bends as [x, y], from left to right; tried: how often it was moved} */
import {
	bends,
	bent,
	clamp,
	HIGH,
	missed,
	pulled,
	STEP,
	told,
	written,
} from "./curve_line.js";
import { count, knob } from "./knob.js";
import { aloud, drawn, made, shown } from "./shared.js";

const copied = ({ points, tried }) => ({
	points: points.map((point) => [...point]),
	tried,
});

/* The drawing: what it consists of, and where the curve and a line lie in it. */
const pictureOf = (element, data) => {
	const [first, last] = [data.x[0], data.x[data.x.length - 1]];
	const curve = data.x.map((x, at) => [x, data.y[at]]);
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
	let [width, high] = [0, 0];
	const px = (x) => 16 + ((x - first) / (last - first)) * (width - 32);
	const py = (y) => high / 2 - (y / (HIGH + 0.1)) * (high / 2);
	const path = (points) =>
		`M${points.map(([x, y]) => `${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join("L")}`;
	return {
		svg,
		grips,
		ends: [first, last],
		place: ([x, y]) => [px(x), py(y)],
		valueAt: (left, top) => [
			first + ((left - 16) / (width - 32)) * (last - first),
			(1 - top / (high / 2)) * (HIGH + 0.1),
		],
		draw: (points) => {
			line.setAttribute("d", path(points));
			gap.setAttribute("d", `${path([...curve, ...[...points].reverse()])}Z`);
		},
		/* Draw what stands behind the line, and return whether the width is another. */
		resized: () => {
			const now = Math.round(element.clientWidth);
			if (!now || now === width) return false;
			[width, high] = [now, clamp(Math.round(now * 0.42), 200, 290)];
			svg.setAttribute("viewBox", `0 0 ${width} ${high}`);
			const [axis, top] = [py(0), data.y.indexOf(Math.max(...data.y))];
			ground.replaceChildren(
				drawn("line", { class: "axis", x1: 0, x2: width, y1: axis, y2: axis }),
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
			target.setAttribute("d", path(curve));
			return true;
		},
	};
};

export const render = (element, data, state, changed) => {
	const picture = pictureOf(element, data);
	const start = { points: picture.ends.map((x) => [x, 0.5]), tried: 0 };
	let now = copied(state || start);
	let knobs = [];
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
		picture.svg,
		voice.element,
	);

	const draw = () => {
		const { points, tried } = now;
		picture.draw(points);
		points.forEach(([x, y], at) => {
			const inside = at > 0 && at < points.length - 1;
			knobs[at].put(
				...picture.place([x, y]),
				y,
				`height ${shown(y, 2)}${inside ? ` at x = ${shown(x, 2)}` : ""}`,
			);
		});
		error.textContent = written(missed(data, points));
		bend.setAttribute(
			"aria-disabled",
			bends(points) >= data.most,
		); /* and not disabled: that takes the focus */
		element.classList.toggle("untouched", !tried);
		says.textContent = told(data, now);
	};
	const speak = () =>
		voice.says(`Mean squared error ${error.textContent}. ${says.textContent}`);
	const put = (at, x, y) => {
		now.points = pulled(now.points, at, x, y);
		draw();
	};
	const done = () => {
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
			return knob(picture.svg, label, -HIGH, HIGH, {
				moved: (left, top) => put(at, ...picture.valueAt(left, top)),
				stepped: (right, up) => {
					const [x, y] = now.points[at];
					put(at, x + right * STEP * 2, y + up * STEP);
				},
				released: () => {
					now.tried += 1;
					done();
				},
			});
		});
		picture.grips.replaceChildren(...knobs);
	};
	const laid = () => {
		if (picture.resized()) draw();
	};

	bend.addEventListener("click", () => {
		if (bends(now.points) >= data.most) {
			says.textContent =
				"This line has as many bends as it can have. Drag them.";
			return speak();
		}
		now = { points: bent(now.points), tried: now.tried + 1 };
		grip();
		done();
	});
	again.addEventListener("click", () => {
		now = copied(start);
		grip();
		done();
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
