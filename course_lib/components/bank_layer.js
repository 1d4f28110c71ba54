/* The layer of course_lib.model.bank, computed anew for whatever a reader moves. */

const dot = (one, other) =>
	one.reduce((sum, value, at) => sum + value * other[at], 0);
const times = (row, matrix) =>
	matrix[0].map((_, column) =>
		dot(
			row,
			matrix.map((line) => line[column]),
		),
	);
const plus = (one, other) => one.map((value, at) => value + other[at]);
/* A series whose terms are all positive: erf(x) = 2/√π · e^(−x²) · Σ 2ⁿ x^(2n+1) / (1 · 3 · … · (2n+1)). */
const erf = (x) => {
	if (Math.abs(x) > 6) return Math.sign(x);
	let [term, sum] = [x, x];
	for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++)
		sum += term *= (2 * x * x) / (2 * n + 1);
	return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
};
const BENDS = {
	ReLU: (z) => Math.max(z, 0),
	GELU: (z) => (z * (1 + erf(z / Math.SQRT2))) / 2,
	none: (z) => z,
};
const softmax = (scores) => {
	const found = scores.map((score) => Math.exp(score - Math.max(...scores)));
	const sum = found.reduce((one, other) => one + other, 0);
	return found.map((one) => one / sum);
};
/* Return what the layer makes of each word of a sentence: see bank.js for what it is given. */
export const sent = (layer, { cue, bend, moved }) => {
	const nudged = (rows, place) =>
		rows.map((row, word) =>
			row.map(
				(value, at) =>
					value +
					(moved &&
					moved.before === place &&
					moved.word === word &&
					moved.feature === at
						? moved.by
						: 0),
			),
		);
	const x = nudged(layer.x[cue], "attention");
	const weights = x.map((row) =>
		softmax(
			x.map(
				(other) =>
					layer.sharpness * dot(row, layer.asks) * dot(other, layer.answers),
			),
		),
	);
	const values = x.map((row) =>
		row.map((value, at) => value * layer.brought[at]),
	);
	const brought = weights.map((share) => times(share, values));
	const mixed = nudged(
		x.map((row, word) => plus(row, brought[word])),
		"FFN",
	);
	const asked = mixed.map((row) => plus(times(row, layer.W1), layer.b1));
	const hidden = asked.map((row) => row.map(BENDS[bend]));
	const added = hidden.map((row) => times(row, layer.W2));
	return {
		words: layer.words[cue],
		x,
		weights,
		brought,
		mixed,
		asked,
		hidden,
		added,
		stream: mixed.map((row, word) => plus(row, added[word])),
	};
};
/* Return for each row whether any of its numbers differs. */
export const differs = (rows, others) =>
	rows.map((row, word) =>
		row.some((value, at) => Math.abs(value - others[word][at]) > 1e-9),
	);
