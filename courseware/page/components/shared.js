/* What the components share: making elements, colours on the page and in JupyterLab, handles to drag, words read aloud. */

const SVG = "http://www.w3.org/2000/svg";

const filled = (element, attributes, children) => {
	for (const [name, value] of Object.entries(attributes))
		element.setAttribute(name, value);
	element.append(...children);
	return element;
};

/* Return a new element of HTML, or of SVG, with its attributes and what stands inside it. */
export const made = (tag, attributes = {}, ...children) =>
	filled(document.createElement(tag), attributes, children);
export const drawn = (tag, attributes = {}, ...children) =>
	filled(document.createElementNS(SVG, tag), attributes, children);

/* Return the rules that give a component its colours: those of the page, or of JupyterLab's light or dark theme.
   --words-input and --words-output are for words, which need more contrast than lines. */
export const colours = (root) => `
${root} {
  --c-text: var(--text, var(--jp-content-font-color1, #1b1f24)); --c-quiet: var(--quiet, var(--jp-content-font-color2, #545a62));
  --c-line: var(--line, var(--jp-border-color1, #d5dae0)); --c-soft: var(--soft, var(--jp-layout-color2, #f3f5f8));
  --c-paper: var(--paper, var(--jp-layout-color0, #ffffff)); --c-accent: var(--accent, #0072b2); --c-target: var(--target, #8c8c8c);
  --c-input: var(--input, #0072b2); --c-output: var(--output, #d55e00); --c-hidden: var(--hidden, #009e73);
  --c-words-input: var(--link, #00609a); --c-words-output: var(--wrong, #c25400);
  color: var(--c-text);
}
[data-jp-theme-light="false"] ${root} {
  --c-accent: #56b4e9; --c-input: #56b4e9; --c-output: #f28e4b; --c-hidden: #3cc79a; --c-words-input: #7cc4f2; --c-words-output: #f29a52;
}
${root} button { font: inherit; min-height: 2.5rem; padding: 0.35rem 1rem; border: 1px solid var(--c-line); border-radius: 8px; background: var(--c-soft); color: var(--c-text); cursor: pointer; }
${root} button:hover:enabled { border-color: var(--c-accent); }
${root} button:is(:disabled, [aria-disabled="true"]) { color: var(--c-quiet); cursor: default; opacity: 0.7; }
${root} :is(button, [role="slider"]):focus-visible { outline: 3px solid var(--c-accent); outline-offset: 2px; }
${root} .aloud { position: absolute; top: 0; margin: 0; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

/* Bring a reply into the window: of a page, or of JupyterLab. */
export const inView = (element, head) =>
	window.course
		? window.course.inView(element, head)
		: element.scrollIntoView({ block: "nearest" });

/* Return the rules of a component whose handles are knobs in a drawing, with its number in large above it. */
export const played = (root) => `${colours(root)}
${root} { position: relative; max-width: 46rem; line-height: 1.45; }
${root} svg { display: block; width: 100%; user-select: none; -webkit-user-select: none; }
${root} text { font-size: 13px; fill: var(--c-quiet); paint-order: stroke; stroke: var(--c-paper); stroke-width: 4px; stroke-linejoin: round; }
${root} .line { fill: none; stroke: var(--c-input); stroke-width: 3; stroke-linejoin: round; pointer-events: none; }
${root} .knob { cursor: grab; }
${root} .knob:active { cursor: grabbing; }
${root} .knob:focus { outline: none; }
${root} .knob circle { fill: var(--c-input); stroke: var(--c-paper); stroke-width: 2.5; }
${root} .knob .reach { fill: transparent; stroke: none; }
${root} .knob .ring { fill: var(--c-input); fill-opacity: 0; stroke: none; }
${root} .knob:hover .ring { fill-opacity: 0.2; }
${root} .knob:focus-visible .ring { fill-opacity: 0; stroke: var(--c-accent); stroke-width: 3; }
${root}.untouched .knob .ring { fill-opacity: 0.25; }
@media (prefers-reduced-motion: no-preference) {
  ${root}.untouched .knob .ring { animation: c-asks 1.6s ease-in-out infinite; }
  @keyframes c-asks { 50% { fill-opacity: 0.05; } }
}
${root} .head { display: flex; gap: 0.2rem 1.2rem; align-items: center; }
${root} .count { margin: 0; color: var(--c-words-output); }
${root} .count b { display: block; font-size: 2.1rem; line-height: 1.1; font-weight: 600; font-variant-numeric: tabular-nums; }
${root} .count span { font-size: 0.85rem; white-space: nowrap; }
`;

/* Return a number as it is read: with a real minus sign. */
export const shown = (value, decimals) => {
	const text = value.toFixed(decimals);
	return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
};

/* Return a place for words that screen readers speak once a person has paused, with `says(words)` and `end()`. */
export const aloud = (pause = 700) => {
	const element = made("p", { class: "aloud", role: "status" });
	let waiting = 0;
	return {
		element,
		says: (words) => {
			clearTimeout(waiting);
			waiting = setTimeout(() => (element.textContent = words), pause);
		},
		end: () => clearTimeout(waiting),
	};
};

const ARROWS = {
	ArrowLeft: [-1, 0],
	ArrowRight: [1, 0],
	ArrowUp: [0, 1],
	ArrowDown: [0, -1],
};

/* Return a number in large with what it counts, as `played` draws it, and the element whose text is the number. */
export const count = (words) => {
	const number = made("b");
	return [
		made("p", { class: "count" }, number, made("span", {}, words)),
		number,
	];
};

/* Return a handle as `played` draws it: a slider in a drawing that is dragged, or moved with the arrow keys, ten steps at
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

/* The numbers in base64 of a 16-bit float each, as 32-bit floats. */
export const numbersOf = (text) => {
	const letters = atob(text);
	const halves = new Uint16Array(letters.length / 2);
	for (let i = 0; i < halves.length; i++)
		halves[i] =
			letters.charCodeAt(2 * i) | (letters.charCodeAt(2 * i + 1) << 8);
	const bits = new Uint32Array(halves.length);
	for (let i = 0; i < halves.length; i++)
		bits[i] = ((halves[i] & 0x8000) << 16) | ((halves[i] & 0x7fff) << 13);
	const numbers = new Float32Array(bits.buffer);
	for (let i = 0; i < numbers.length; i++)
		numbers[i] *=
			2 ** 112; /* the two kinds count exponents from different places */
	return numbers;
};
