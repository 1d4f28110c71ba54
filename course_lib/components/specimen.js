/* What the microscope asks of the model: the numbers of a text, with parts of the model switched off or added, and what
   a unit with a name may be asked about it. */
import { LanguageModel, Reader } from "./language_model.js";

export const UNITS = 512;
/* Of a unit's large value: from here on it is painted, as in the lesson's figures, and with a thicker line. */
export const FIRES = 0.05;
export const STRONGLY = 1 / 3;
const WRONG = 3; /* answers of a question */
const WRITTEN = 16; /* characters */

export const Specimen = class {
	/* trained: what course_lib/microscope.py hands over. */
	constructor(trained) {
		this.trained = trained;
		const model = new LanguageModel(trained);
		[this.reader, this.asItIs] = [new Reader(model), new Reader(model)];
		this.push = model.toward(model.codes.get(trained.own.writes));
		this.knows = (text) =>
			Array.from(text).every((letter) => model.codes.has(letter));
	}
	/* Take the state of the microscope. */
	set({ text, off, held, own }) {
		this.text = text;
		this.reader.switch(off.split(",").filter(Boolean), held);
		this.own = own && {
			...this.trained.own,
			v: this.push.map((number) => own * number),
		};
		this.reader.set(text);
	}
	/* How strongly a unit fires at a character; 1 is its large value. */
	strength(place, ffn, unit, reader = this.reader) {
		return (
			reader.hidden(place, ffn)[unit] /
			Math.max(this.trained.tops[ffn - 1][unit], 1e-9)
		);
	}
	/* The likeliest characters after one, with their probabilities. */
	likely(place, count, reader = this.reader) {
		const { characters } = reader.model,
			logits = reader.logits(place, reader === this.reader && this.own);
		const most = Math.max(...logits);
		const p = Array.from(logits, (logit) => Math.exp(logit - most));
		const sum = p.reduce((all, value) => all + value);
		return Array.from(p.keys())
			.sort((code, other) => p[other] - p[code] || code - other)
			.slice(0, count)
			.map((code) => [characters[code], p[code] / sum]);
	}
	/* What the model goes on to write, always the likeliest character, to the end of the line: as it is, or changed. */
	written(reader) {
		let { text } = this;
		while (
			text.length < this.text.length + WRITTEN &&
			(text === this.text || !text.endsWith("\n"))
		) {
			reader.set(text);
			reader.read();
			text += this.likely(text.length - 1, 1, reader)[0][0];
		}
		reader.set(this.text);
		reader.read();
		return text.slice(this.text.length);
	}
	/* Where the text speaks against an answer, or -1: there the answer fits and the unit is silent, or the other way round.
	   An answer is [its words, the pattern of a text up to its character, the context that it names]. */
	against([, pattern], ffn, unit) {
		const { text, asItIs } = this,
			ends = new RegExp(`(?:${pattern})$`);
		asItIs.set(text);
		asItIs.read();
		const values = Array.from(text, (_, place) =>
			this.strength(place, ffn, unit, asItIs),
		);
		const fits = values.map((_, place) => ends.test(text.slice(0, place + 1)));
		const without = (least) =>
			values.map((value, place) => value >= least && !fits[place]);
		const silent = fits.findIndex((fit, place) => fit && values[place] < FIRES);
		const at = silent < 0 ? without(STRONGLY).indexOf(true) : silent;
		return {
			at,
			value: values[at],
			most: Math.max(...values),
			besides: without(FIRES).filter(Boolean).length,
		};
	}
	/* A question of a unit that has a name, where the text speaks for it and against at least three other answers: those next
	   to it are the wrong ones. */
	question(ffn, unit) {
		const { names, waits } = this.trained,
			name = names[ffn - 1][unit],
			right = waits.find(([, , context]) => name && context === name[0]);
		const { at, most } = right ? this.against(right, ffn, unit) : {};
		if (!(at < 0 && most >= STRONGLY)) return null;
		const far = (answer) =>
			Math.abs(waits.indexOf(answer) - waits.indexOf(right));
		const wrong = waits
			.filter(
				(answer) => answer !== right && this.against(answer, ffn, unit).at >= 0,
			)
			.sort((answer, other) => far(answer) - far(other))
			.slice(0, WRONG);
		const choices = waits.filter(
			(answer) => answer === right || wrong.includes(answer),
		);
		return wrong.length < WRONG ? null : { name, right, wrong, choices };
	}
	/* The next unit with another name that can be asked for in this text, or else the first that has a name. */
	another(ffn, unit) {
		const { names } = this.trained,
			[name] = names[ffn - 1][unit] || [];
		const named = names.flatMap((units, number) =>
			Object.entries(units).map(([other, [called]]) => ({
				ffn: number + 1,
				unit: Number(other),
				called,
			})),
		);
		const isLater = (one) => one.ffn * UNITS + one.unit > ffn * UNITS + unit;
		return (
			named
				.filter(isLater)
				.concat(named)
				.find(
					(one) => one.called !== name && this.question(one.ffn, one.unit),
				) || named[0]
		);
	}
};
