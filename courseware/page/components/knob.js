/* Handles to drag in a drawing, and a number in large above it. */
import { drawn, filled, made } from "./shared.js";

const ARROWS = {
	ArrowLeft: [-1, 0],
	ArrowRight: [1, 0],
	ArrowUp: [0, 1],
	ArrowDown: [0, -1],
};

/* Return a number in large with what it counts, and the element whose text is the number. */
export const count = (words) => {
	const number = made("b");
	return [
		made("p", { class: "count" }, number, made("span", {}, words)),
		number,
	];
};

/* Return a handle: a slider in a drawing that is dragged, or moved with the arrow keys, ten steps at
   once with Shift. low, high: how far its height goes. moved(x, y): where the pointer drags it, in the drawing's own units.
   stepped(right, up): by how many steps of a key. released(): at the end of a drag and after a key. Its `put` moves it to a
   place in the drawing, and says its height and where it is. */
export const knob = (svg, label, low, high, { moved, stepped, released }) => {
	const element = drawn(
		"g",
		{
			class: "knob",
			role: "slider",
			tabindex: 0,
			"aria-label": label,
			"aria-valuemin": low,
			"aria-valuemax": high,
		},
		drawn("circle", { class: "reach", r: 24 }),
		drawn("circle", { class: "ring", r: 17 }),
		drawn("circle", { r: 9 }),
	);
	let [place, offset] = [[0, 0], null];
	element.put = (x, y, height, text) => {
		place = [x, y];
		filled(
			element,
			{
				transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
				"aria-valuenow": height.toFixed(2),
				"aria-valuetext": text,
			},
			[],
		);
	};
	const at = (event) => {
		const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(
			svg.getScreenCTM().inverse(),
		);
		return [point.x, point.y];
	};
	const listeners = {
		pointerdown: (event) => {
			if (event.button) return;
			const [x, y] = at(event);
			offset = [x - place[0], y - place[1]];
			element.setPointerCapture(event.pointerId);
			element.focus({ preventScroll: true });
			event.preventDefault();
		},
		pointermove: (event) => {
			if (!offset) return;
			const [x, y] = at(event);
			moved(x - offset[0], y - offset[1]);
		},
		lostpointercapture: () => {
			if (offset) released();
			offset = null;
		},
		keydown: (event) => {
			const way = ARROWS[event.key];
			if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
			event.preventDefault();
			const steps = event.shiftKey ? 10 : 1;
			stepped(way[0] * steps, way[1] * steps);
			released();
		},
	};
	for (const [name, listener] of Object.entries(listeners))
		element.addEventListener(name, listener);
	/* A finger on a handle does not scroll the page; of a part of a drawing, touch-action does not say so. */
	element.addEventListener("touchstart", (event) => event.preventDefault(), {
		passive: false,
	});
	return element;
};
