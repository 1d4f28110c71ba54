/* What the microscope keeps, what a press or a key does to it, and what it says: for the state see microscope.js. */
import { called, percent, taken, visible, within } from "./lens.js";
import { FIRES, Specimen, UNITS } from "./specimen.js";

export const MOST = 240; /* characters of a text */
const AT_ONCE = 6; /* milliseconds of computing, until the next frame */
export const PRESETS = {
	class: "class Bank:\n    def close(self):\n        self",
	docstring: 'def read(path):\n    """Return the text of a file.\n',
	comment: "total = 0\nfor one in values:  # all of them\n    total",
	"my text": "",
};
export const PARTS = ["ffn", "attention"].flatMap((kind) =>
	[1, 2, 3].map((number) => `${kind} ${number}`),
);
const labelOf = (part) => part.replace("ffn", "FFN");

export const State = class {
	constructor() {
		const text = PRESETS.class;
		this.now = { text, ffn: 2, unit: 473, off: "", held: "", own: 0 };
		Object.assign(this, {
			place: text.length - 1 /* the character whose row is shown */,
			specimen: null,
			known: 0 /* characters */,
			pointed: null /* [FFN, unit] */,
			/* What is asked: { key: of which unit; question, or null; isNamed: whether the unit is; wants: how the card begins;
			   picked: an answer; text, for which the reply holds; reply; sure: how well the right answer fits, once it is picked;
			   ringed: the character that the reply speaks of, or -1 } */
			guess: {},
		});
	}
	/* Take what is given, and makes sense. at: before which character the caret is. */
	take(given) {
		const { now } = this;
		const { text } = now;
		taken(now, given, 3, UNITS, PARTS);
		now.text = now.text.slice(0, MOST);
		const last = now.text.length - 1;
		this.place = within(
			given.at,
			-1,
			last,
			text === now.text ? this.place : last,
		);
		now.own = within(given.own, 0, 40, now.own);
		if ("held" in given)
			now.held = /^[123]\.\d+$/.test(given.held) ? given.held : "";
		this.known = 0;
		if (this.specimen) this.specimen.set(now);
	}
	load(trained) {
		this.specimen = new Specimen(trained);
		this.specimen.set(this.now);
	}
	/* Compute for a while, and return whether all is known: then something is asked. */
	read() {
		const { guess, now, specimen } = this,
			{ ffn, unit, text } = now,
			key = `${ffn}.${unit}`;
		this.known = specimen.reader.read(AT_ONCE);
		if (this.known < text.length) return false;
		const isSame = guess.question && guess.key === key;
		if (isSame && guess.text === text) return true;
		Object.assign(guess, { text, ringed: -1, reply: "" });
		if (isSame && guess.sure) guess.reply = "✓ Correct.";
		else guess.picked = null;
		if (isSame) return true;
		const question = specimen.question(ffn, unit);
		const isNamed = unit in specimen.trained.names[ffn - 1];
		const wants = question
			? "This unit is waiting for …"
			: isNamed
				? "In this text nobody could tell what this unit is waiting for: type another."
				: "None of our contexts fits this unit well.";
		Object.assign(guess, { key, question, isNamed, wants, sure: "" });
		return true;
	}
	/* Reply to an answer, and ring the place that speaks against it, or against the neighbour of the right one. */
	pick(picked) {
		const { guess, now, specimen } = this,
			{ name, right, wrong } = guess.question,
			{ ffn, unit, text } = now;
		const isRight = picked === right,
			judged = isRight ? wrong[0] : picked;
		const { at, value } = specimen.against(judged, ffn, unit),
			end = `the end of “${visible(text.slice(Math.max(0, at - 5), at + 1))}”`;
		const why =
			at < 0
				? isRight
					? ""
					: "Nothing in this text speaks against it. Try another text."
				: value < FIRES
					? `“${judged[0]}” fits ${end}, where the unit is silent.`
					: `The unit is at ${value.toFixed(2)} at ${end}, which “${judged[0]}” does not fit.`;
		Object.assign(guess, {
			picked,
			text,
			ringed: at,
			reply: `${isRight ? "✓ Correct" : "✗ Not yet"}. ${why}`,
			sure: "",
		});
		if (!isRight) return;
		const { besides } = specimen.against(right, ffn, unit),
			context = name[0].replace(/'.*'/, visible);
		guess.sure = `${called(ffn, unit)} fits “${context}” with an F1 of ${name[1].toFixed(2)} on text that was not used to find it. F1 is 1 without misses and false alarms. In your text it fits ${besides ? `all but ${besides} of the` : "all"} painted characters.`;
	}

	/* The character whose row is shown; none before the model is there. And the unit that paints. */
	get at() {
		return this.specimen ? Math.min(this.place, this.known - 1) : -1;
	}
	get lit() {
		return this.pointed || [this.now.ffn, this.now.unit];
	}
	/* The character with a ring, or -1: it is in the text as the model reads it. */
	get ringed() {
		const { off, held } = this.now;
		return this.pointed || off || held ? -1 : this.guess.ringed;
	}
	strength(place) {
		return this.specimen && place < this.known
			? this.specimen.strength(place, ...this.lit)
			: 0;
	}
	strengths(ffn) {
		const length = this.at < 0 ? 0 : UNITS;
		return Array.from({ length }, (_, unit) =>
			this.specimen.strength(this.at, ffn, unit),
		);
	}
	/* The units of an FFN that have names. */
	named(ffn) {
		return this.specimen
			? Object.keys(this.specimen.trained.names[ffn - 1])
			: [];
	}
	/* Of the units that are pointed at and chosen, those in an FFN. */
	unitsIn(ffn) {
		const { now, pointed } = this;
		return [pointed || [], [now.ffn, now.unit]].map(([number, unit]) =>
			number === ffn ? [unit] : [],
		);
	}
	expected(count = 5) {
		return this.at < 0 ? [] : this.specimen.likely(this.at, count);
	}

	/* ---- what is said */

	get atZero() {
		const { ffn, unit, held } = this.now;
		return `${called(...(held || `${ffn}.${unit}`).split("."))} at 0`;
	}
	get labels() {
		return [...PARTS.map(labelOf), this.atZero];
	}
	get about() {
		const { at, lit } = this;
		return `${called(...lit)}${at < 0 ? "" : ` is ${this.strength(at).toFixed(2)} here`}`;
	}
	/* What the unit that paints does in the text. */
	get fires() {
		const { known, lit, now, specimen } = this,
			{ text } = now;
		const { length } = Array(known)
			.fill()
			.filter((_, place) => this.strength(place) >= FIRES);
		return `${called(...lit)} fires at ${length} of ${text.length} characters${text.includes("\n") ? ", counting the line break at the end of each line" : ""}.${specimen.knows(text) ? "" : " The model knows only plain ASCII, so it reads “?” in place of every other character."}`;
	}
	get after() {
		const { at, now } = this;
		return at < 0
			? ""
			: ` after “${visible(now.text[at])}”, character ${at + 1}`;
	}
	/* What the model goes on to write, as it is and with what is changed: [name, the line so far, what it writes]. */
	get lines() {
		const { now, specimen } = this,
			{ text, off, held, own } = now;
		const changes = off
			.split(",")
			.map((part) => part && `${labelOf(part)} off`);
		changes.push(held && this.atZero, own && "with our own unit");
		return [
			["as it is", specimen.asItIs],
			[changes.filter(Boolean).join(", "), specimen.reader],
		]
			.filter(([name]) => text && name)
			.map(([name, reader]) => [
				name,
				text.split("\n").pop().trimStart(),
				specimen.written(reader).replace("\n", "↵"),
			]);
	}
	aloud(lines) {
		const next = this.expected(3)
			.map(([letter, p]) => `${visible(letter)} ${percent(p)}`)
			.join(", ");
		return `${this.fires} The model expects ${next || "nothing yet"}. It writes ${lines.map(([name, , words]) => `${words}, ${name}`).join("; ")}.`;
	}
};
