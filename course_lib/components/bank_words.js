/* What the picture says. played: of ./bank_state.js; data: see ./bank.js. */
const LEAST = 0.005; /* what is smaller is not written */
export const tiny = (value) => Math.abs(value) < LEAST;
export const number = (value) =>
	String(Number(value.toFixed(2)) || 0).replace("-", "−");
export const signed = (value) => (value > 0 ? "+" : "") + number(value);

/* Return what a unit adds up of a row: [feature, value, weight] for each weight that is not zero. */
const terms = ({ features, W1 }, unit, row = []) =>
	features
		.map((name, feature) => [name, row[feature], W1[feature][unit]])
		.filter(([, , weight]) => weight);
export const question = (data, unit) =>
	`${terms(data, unit)
		.map(([name]) => name)
		.join(" and ")}?`;
const listed = (features, row) =>
	features
		.map((name, feature) =>
			tiny(row[feature]) ? "" : `${name} ${number(row[feature])}`,
		)
		.filter(Boolean)
		.join(", ") || "nothing";

/* Return how a unit comes to its value in the row that is followed. */
export const sum = ({ data, state, values, open }, unit) => {
	const added = terms(data, unit, values.mixed[state.word]);
	const before = number(values.asked[state.word][unit]);
	const after = number(values.hidden[state.word][unit]);
	const threshold = data.b1[unit];
	if (data.sums)
		return `“${question(data, unit)}” ${added
			.map(([, value, weight]) => `${number(value)} · ${number(weight)}`)
			.join(" + ")
			.replaceAll(
				"+ −",
				"− ",
			)} ${threshold < 0 ? "−" : "+"} ${number(Math.abs(threshold))} = ${before}${open ? ` → ${after}` : ""}`;
	const bent = open
		? `, and the bend${state.bend === "none" ? ", switched off," : ""} leaves ${after}`
		: "";
	return `“${question(data, unit)}” ${added.map(([name, value]) => `${name} ${number(value)}`).join(" + ")}, minus a threshold, gives ${before}${bent}`;
};

const change = ({ data, state, values, moves, open }) => {
	const { word, moved } = state;
	const name = `“${values.words[word]}”`;
	const count = moves.filter(Boolean).length;
	const where =
		moved.before === "FFN" ? " after attention" : " before attention";
	const moving =
		count === moves.length
			? " Every row of the stream moves."
			: ` ${count} of ${moves.length} rows of the stream ${count === 1 ? "moves" : "move"}.`;
	return `In the row of ${name}, ${data.features[moved.feature]} is moved by ${signed(moved.by)}${data.rows ? `${where}.${moving}` : "."}${open ? ` ${name} leaves with ${listed(data.features, values.stream[word])}.` : ""}`;
};

/* Return a sentence for each of the steps. */
const steps = ({ data, state, values }) => {
	const { word, bend } = state;
	const name = `“${values.words[word]}”`;
	const list = (rows) => listed(data.features, rows[word]);
	const [asked, hidden] = [values.asked[word], values.hidden[word]];
	const weights = values.weights[word];
	const most = Math.max(...weights);
	const looks = tiny(most - Math.min(...weights))
		? "looks at all words equally"
		: `gives ${Math.round(100 * most)} % of its attention to “${values.words[weights.indexOf(most)]}”`;
	const units = values.hidden.flat();
	const count = data.counter
		? ` Over all five words, ${units.filter((value) => value === 0).length} of ${units.length} units are off.`
		: "";
	const unbent = bend === "none" && hidden.some((value) => value < 0);
	const writes = `${unbent ? "Without a bend, a sum below zero writes as well. " : ""}Each unit writes its value times ${number(Math.max(...data.W2.flat()))}, its output weight`;
	return [
		`${name} enters the layer as eight numbers: ${list(values.x)}.`,
		`Attention: ${name} ${looks}. What attention brings is added to the row, which now holds ${list(values.mixed)}.`,
		`The FFN (short for feed-forward network) asks two questions. Each question adds up two numbers of the row and subtracts a threshold: ${asked.map((value, unit) => `“${question(data, unit)}” ${unit ? "" : "comes "}to ${number(value)}`).join(", ")}.`,
		bend === "none"
			? `No bend: both sums stay as they are.${count}`
			: `The bend, ${bend}: ${asked.map((value, unit) => `${number(value)} → ${number(hidden[unit])}`).join(" and ")}.${count}`,
		`${writes}: ${list(values.added)}.`,
		`${writes}. That is added to the row: ${name} leaves the layer with ${list(values.stream)}.`,
	];
};

export const sentence = (played) => {
	const { progress, pointed, state } = played;
	if (pointed !== null && progress > 2) return `${sum(played, pointed)}.`;
	if (state.moved) return change(played);
	return steps(played)[Math.max(Math.ceil(progress) - 1, 0)];
};
