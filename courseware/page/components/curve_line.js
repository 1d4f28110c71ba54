/* The line that is laid over a curve: how far it misses, and how it bends. points, data: as in curve.js. */
import { shown } from "./shared.js";

export const HIGH = 1.5; /* the drawing's edge, and as far as a handle goes */
export const STEP = 0.02;
const NEAR = 0.12; /* how near two neighbours may come */
/* What a handle says of its place is all there is to it, so that its number can be computed anew. */
const rounded = (value) => Math.round(value * 100) / 100;
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const height = (points, x) => {
	const next = Math.max(
		points.findIndex((point) => point[0] >= x),
		1,
	);
	const [[left, low], [right, high]] = [points[next - 1], points[next]];
	return low + ((high - low) * (x - left)) / (right - left);
};
export const bends = (points) => points.length - 2;
export const written = (value) => shown(value, value < 0.01 ? 4 : 2);

/* Return the mean squared error of a line. */
export const missed = ({ x, y }, points) =>
	x.reduce((sum, one, at) => sum + (height(points, one) - y[at]) ** 2, 0) /
	x.length;
/* Return a line with one bend more, in the middle of the widest part, or of the first of these. */
export const bent = (points) => {
	const wide = points.slice(1).map((point, at) => point[0] - points[at][0]);
	const at = wide.indexOf(Math.max(...wide));
	const x = rounded((points[at][0] + points[at + 1][0]) / 2);
	const added = [x, rounded(height(points, x))];
	return [...points.slice(0, at + 1), added, ...points.slice(at + 1)];
};
/* Return a line with one point elsewhere: an end goes up and down alone, a bend stays between its neighbours. */
export const pulled = (points, at, x, y) => {
	const end = at === 0 || at === points.length - 1;
	const moved = [...points];
	moved[at] = [
		end
			? points[at][0]
			: rounded(clamp(x, points[at - 1][0] + NEAR, points[at + 1][0] - NEAR)),
		rounded(clamp(y, -HIGH, HIGH)),
	];
	return moved;
};
/* Return what is said of a line that was moved so often. */
export const told = (data, { points, tried }) => {
	const error = missed(data, points);
	if (!tried)
		return "Drag the two ends of the line: how close to the grey curve can you get?";
	if (bends(points))
		return rounded(error) < rounded(data.best)
			? `Below ${written(data.best)}: no straight line gets there. ${data.done}`
			: `The best straight line reaches ${written(data.best)}. Drag your line's bends, too: can you get below that?`;
	return tried > 1
		? `No straight line gets below ${written(data.best)}. Give yours a bend.`
		: "Now the other end.";
};
