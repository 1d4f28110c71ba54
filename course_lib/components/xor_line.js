/* The line between the points. data, state: as in xor.js. */

export const LOW = -0.3; /* as far as a handle goes */
export const HIGH = 1.3;
const rounded = (value) =>
	Math.round(Math.min(Math.max(value, LOW), HIGH) * 100) / 100;

/* Return for each point whether it lies on the side that says so: 1 is on the left of the way from handle to handle. */
export const fits = (data, [[left, low], [right, high]]) =>
	data.x.map(
		([x, y], point) =>
			(right - left) * (y - low) - (high - low) * (x - left) > 0 ===
			data.y[point] > 0,
	);
/* Return the state once a handle is moved to a place. */
export const moved = (data, { ends, best }, handle, place) =>
	scored(data, {
		ends: ends.map((end, index) =>
			index === handle ? place.map(rounded) : end,
		),
		best,
	});
/* Return a state that knows the most points that were right. */
export const scored = (data, { ends, best }) => {
	const right = fits(data, ends).filter(Boolean).length;
	return { ends, right, best: Math.max(best, right) };
};
