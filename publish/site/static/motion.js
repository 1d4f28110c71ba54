/* A step of a slider as a movement: numbers of a drawing go from one state to the next where both have the same form,
   and curves whose points differ in number go at every x from one height to the other. Only places and sizes move. Words, colours and the cells of a picture change at once: nothing stands between them. */
"use strict";
(() => {
	const MOVES = /^(d|points|transform|[xyr]|[xy][12]|[cr][xy]|width|height)$/;
	const found = new WeakMap();
	/* Tell for each gap of a form whether its number is a place or a size. */
	const moves = (pieces) => {
		if (!found.has(pieces)) {
			let attribute = "";
			const one = pieces.map((piece) => {
				if (piece.includes('"'))
					attribute = /([\w-]+)="[^"]*$/.exec(piece)?.[1] || "";
				return MOVES.test(attribute);
			});
			found.set(
				pieces,
				pieces.some((piece) => piece.includes('class="cells"'))
					? pieces.map(() => false)
					: one,
			);
		}
		return found.get(pieces);
	};
	const written = (pieces, numbers) =>
		pieces
			.slice(1)
			.reduce((text, piece, gap) => text + numbers[gap] + piece, pieces[0]);

	/* Curves: a line is written as its start and the steps from there; only lines that go to the right are curves. */
	const CURVE = / d="(M[-\d. ]+l[-\d. ]+)"/g;
	const points = (written) => {
		const [[x, y], steps] = written
			.slice(1)
			.split("l")
			.map((part) => part.trim().split(/ +/).map(Number));
		const found = [[x, y]];
		for (let at = 0; at < steps.length; at += 2) {
			const [left, high] = found[found.length - 1];
			found.push([left + steps[at], high + steps[at + 1]]);
		}
		return found;
	};
	const height = (curve, x) => {
		const after = curve.findIndex((point) => point[0] >= x);
		if (after <= 0) return after ? curve[curve.length - 1][1] : curve[0][1];
		const [[left, low], [right, high]] = [curve[after - 1], curve[after]];
		return right > left
			? low + ((x - left) / (right - left)) * (high - low)
			: high;
	};
	/* Return [x, height before, height after] for every x of two curves, or null where they do not cover the same. */
	const between = (one, other) => {
		const rises = (curve) =>
			curve.every((point, at) => !at || point[0] >= curve[at - 1][0]);
		const ends = [one, other].map((curve) => [
			curve[0][0],
			curve[curve.length - 1][0],
		]);
		const apart =
			Math.abs(ends[0][0] - ends[1][0]) + Math.abs(ends[0][1] - ends[1][1]);
		if (!rises(one) || !rises(other) || apart > 1) return null;
		const across = [
			...new Set([...one, ...other].map((point) => point[0])),
		].sort((left, right) => left - right);
		return across.map((x) => [x, height(one, x), height(other, x)]);
	};
	const drawn = (rows, share) => {
		const now = rows.map(([x, before, after]) => [
			x,
			before + share * (after - before),
		]);
		const steps = now
			.slice(1)
			.flatMap(([x, y], at) => [x - now[at][0], y - now[at][1]]);
		return `M${now[0].map((number) => number.toFixed(2)).join(" ")}l${steps.map((step) => step.toFixed(2)).join(" ")}`;
	};
	const curves = (from, to) => {
		const [before, after] = [from, to].map((state) =>
			Array.from(state.text.matchAll(CURVE), (found) => points(found[1])),
		);
		if (!after.length || before.length !== after.length) return null;
		if (from.text.replace(CURVE, "") !== to.text.replace(CURVE, ""))
			return null;
		const pairs = after.map((curve, at) => between(before[at], curve));
		if (pairs.includes(null)) return null;
		return (share) => {
			let at = 0;
			return share >= 1
				? to
				: {
						text: to.text.replace(
							CURVE,
							() => ` d="${drawn(pairs[at++], share)}"`,
						),
					};
		};
	};

	course.motion = {
		/* Return what is drawn at a place of a layer: its form, its numbers, and all of it as text. */
		state(part, place) {
			if (part.texts) return { text: part.texts[place] };
			const [form, ...numbers] = part.filled[place].split(" ");
			return { form, numbers, text: written(part.forms[form], numbers) };
		},
		/* Return the way from one state to another, share of the way -> state; null where there is none. */
		way(part, from, to) {
			if (!from || from.text === to.text) return null;
			if (!from.numbers || from.form !== to.form) return curves(from, to);
			const pieces = part.forms[to.form];
			const between = to.numbers.map(
				(number, gap) => moves(pieces)[gap] && number !== from.numbers[gap],
			);
			if (!between.some(Boolean)) return null;
			return (share) => {
				if (share >= 1) return to;
				const numbers = to.numbers.map((number, gap) => {
					const start = Number(from.numbers[gap]);
					return between[gap]
						? (start + share * (number - start)).toFixed(2)
						: number;
				});
				return { form: to.form, numbers, text: written(pieces, numbers) };
			};
		},
	};
})();
