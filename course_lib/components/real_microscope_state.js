/* What the microscope on a real model keeps, what a press or a key does to it, and what it says: for the state and the
   answers see real_microscope.js. */
import { called, taken, visible, within } from "./lens.js";
import { numbersOf, shown } from "./shared.js";

const MOST = 1e6; /* of a number that is set */
const NEAR = 0.05; /* a value this near to 0 is written as 0 */
export const PARTS = ["ffn", "attention", "unit"];

export const percent = (p) => (p < 0.01 ? "< 1 %" : `${Math.round(100 * p)} %`);
const written = (value) =>
	Math.abs(value) < NEAR
		? "0"
		: Math.abs(value) < 10
			? shown(value, 1)
			: shown(value, 0).replace(/\B(?=(\d{3})+$)/g, ",");
const bare = (token) => visible(token.trim() || token);
const most = (values) =>
	values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);

export const State = class {
	constructor(sizes) {
		this.now = {
			text: "",
			ffn: 1,
			unit: 0,
			off: "",
			entry: [1, 0, 0],
			value: null,
		};
		Object.assign(this, { sizes, answer: null, pointed: null });
	}
	/* Take what is given, and makes sense. */
	take(given) {
		const { now } = this,
			{ ffns, units, features } = this.sizes;
		taken(now, given, ffns, units, PARTS);
		now.entry = now.entry.map((number, at) =>
			within(
				(given.entry || [])[at],
				Number(!at),
				[ffns, features - 1, units - 1][at],
				number,
			),
		);
		if (!("value" in given)) return;
		const value = given.value ?? "";
		now.value = value !== "" && Math.abs(value) <= MOST ? Number(value) : null;
	}
	/* Take an answer of Python. The full colour is that of the largest value but for the first token's. */
	know(answer) {
		this.answer = answer;
		this.hidden = numbersOf(answer.hidden);
		this.full = most(
			this.hidden.subarray(answer.tokens.length > 1 ? this.sizes.units : 0),
		);
	}
	get lit() {
		return this.pointed ?? this.now.unit;
	}
	get here() {
		return this.row(this.answer.at);
	}
	row(place) {
		const { units } = this.sizes;
		return this.hidden.subarray(place * units, (place + 1) * units);
	}
	shade(value) {
		return Math.min(1, Math.abs(value) / this.full) ** 0.6;
	}
	/* Of each token: its words, the value of the unit, and that as words. */
	get tokens() {
		return this.answer.tokens.map((token, place) => {
			const value = this.row(place)[this.lit];
			return [bare(token), value, written(value)];
		});
	}
	/* Of each FFN: how much it writes, of the row it is added to; how long its bar is; and whether it is one of the longest. */
	get shares() {
		const ratios = this.answer.written;
		const largest = Math.max(...ratios.filter((ratio) => ratio <= 1), 0.5);
		return ratios.map((ratio) => [
			ratio > 2 ? `× ${Math.round(ratio)}` : `${Math.round(100 * ratio)} %`,
			Math.min(1, ratio / largest),
			ratio > 1 || ratio === largest,
		]);
	}

	/* ---- what is said */

	get labels() {
		const { ffn, unit } = this.now;
		return [`FFN ${ffn} off`, `attention ${ffn} off`, `unit ${unit} at 0`];
	}
	get changes() {
		const { off, entry, value } = this.now;
		const changes = this.labels.filter((_, at) =>
			off.split(",").includes(PARTS[at]),
		);
		if (value !== null)
			changes.push(
				`number (${entry[1]}, ${entry[2]}) of FFN ${entry[0]} at ${shown(value, 2).replace(/\.00$/, "")}`,
			);
		return changes.join(" and ");
	}
	get instead() {
		const { instead } = this.answer;
		return instead && this.changes
			? `With ${this.changes} it expects “${visible(instead[0])}” first, with ${percent(instead[1])}.`
			: "";
	}
	get after() {
		const { tokens, at } = this.answer;
		return ` after “${bare(tokens[at])}”`;
	}
	get about() {
		const [token, , words] = this.tokens[this.answer.at];
		return [
			called(this.now.ffn, this.lit),
			` is ${words} at “${token}”${this.pointed === null ? "" : ", where you point"}.`,
		];
	}
	get scale() {
		const { full, here } = this,
			first = most(this.row(0));
		const near = here.filter((value) => Math.abs(value) < NEAR).length,
			zeros = here.filter((value) => value === 0).length;
		return `${here.length.toLocaleString("en")} units: vermilion above 0, blue below; full colour is ${written(full)}, the largest value without the first token${first > full ? ` (there ${written(first)})` : ""}. ${near} lie within ±${NEAR}, ${zeros || "none"} ${zeros > 1 ? "are" : "is"} 0.`;
	}
	get aloud() {
		const values = this.tokens
			.filter(([, , words]) => words !== "0")
			.map(([token, , words]) => `${token} ${words}`)
			.join(", ");
		const next = this.answer.expected
			.slice(0, 3)
			.map(
				([token, p, other]) =>
					`${visible(token)} ${percent(p)}${other === null ? "" : `, then ${percent(other)}`}`,
			)
			.join("; ");
		return `${this.about[0]}: ${values || "it is 0 everywhere"}. The model expects ${next}. ${this.instead}`;
	}
};
