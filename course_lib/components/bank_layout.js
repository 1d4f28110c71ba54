/* Where everything lies in the picture, for a stage of a width. One unit is one pixel. */

export const within = (value, low, high) =>
	Math.min(Math.max(value, low), high);
export const eased = (share) => share * share * (3 - 2 * share);
/* Return how far it is from one time to another, eased. */
export const part = (share, from, to) =>
	eased(within((share - from) / (to - from), 0, 1));
export const mid = (from, to, share) => from + (to - from) * share;

/* Return the middle and half the width of each word, one after the other. */
const spread = (words, { wide, narrow, size, first }) => {
	const lengths = words.map((word) => word.length * size * 0.56);
	const sum = lengths.reduce((before, length) => before + length);
	const gap = narrow
		? (wide - 20 - sum) / (words.length - 1)
		: size * (wide < 800 ? 1 : 1.5);
	let from = first;
	return lengths.map((length) => {
		const half = length / 2;
		const x = from + half;
		from += length + gap;
		return { x, half };
	});
};

export const layout = (wide, { features, rows, reach }, words) => {
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
	const first = narrow ? 8 : wide < 800 ? 12 : left - pill / 2;
	const units = [across(narrow ? 0.44 : 0.47), across(narrow ? 0.72 : 0.67)];
	const bar = narrow ? 26 : 40;
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
		words: spread(words, { wide, narrow, size, first }),
		x: {
			enter: left,
			plus: across(narrow ? 0.17 : 0.16),
			mixed: across(0.31),
			add: across(0.83),
			stream: right,
		},
		units,
		half: (units[1] - units[0]) / 2 - 3 /* of a unit's button */,
		bar,
		left: units[0] - bar,
		right: units[1] + bar,
		high: zero - reach[1] * step /* the highest and the lowest end of a bar */,
		low: zero - reach[0] * step,
		y: (feature) => top + (feature + 0.5) * lane,
	};
};

/* Return the measures of a bar: at least so high, so that a bar of 0 is a line. */
export const bar = ({ zero, step }, x, width, value, least) => ({
	x,
	width,
	y: zero - Math.max(value * step, 0),
	height: Math.max(Math.abs(value) * step, least),
});
/* Return how far below zero the questions stand, below the lowest bar. */
export const beneath = (step, asked) =>
	Math.max(0.2, ...asked.map((value) => -value)) * step + 32;
