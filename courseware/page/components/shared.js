/* What the components share: making elements, words read aloud. */

const SVG = "http://www.w3.org/2000/svg";

export const filled = (element, attributes, children) => {
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

/* Bring a reply into the window: of a page, or of JupyterLab. */
export const inView = (element, head) =>
	window.course
		? window.course.inView(element, head)
		: element.scrollIntoView({ block: "nearest" });

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
