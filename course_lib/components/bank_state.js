/* What is kept of the picture, and what a press, a key or a hand does to it. It touches no page. */
import { differs, sent } from "./bank_layer.js";
import { eased, mid, within } from "./bank_layout.js";

const STEPS = 6; /* it enters, attention, the FFN asks, the bend, it writes, the sum */
const ASKED = 3; /* as far as it plays while the bend is asked */
const SECONDS = 5.1;
const GLIDE = 350; /* milliseconds */
const DRAG = 70; /* pixels for 1 */

/* Return what is so far on the way from one value, or list or object of values, to another. */
const between = (before, after, share) => {
	if (typeof after === "number") return mid(before, after, share);
	if (typeof after === "string") return after;
	const now = Array.isArray(after) ? [] : {};
	for (const name in after)
		now[name] = between(before[name], after[name], share);
	return now;
};

/* data, given: see bank.js. calm.matches: nothing moves by itself. host: {draw, speak, changed(state)}. */
export const Played = class {
	constructor(data, given, calm, host, clock = performance) {
		const [cue] = data.cues;
		const word = data.words[cue].length - 1;
		this.start = { cue, bend: data.bends[0], word, moved: null, guess: null };
		this.state = { ...this.start, ...given };
		Object.assign(this, { data, calm, clock }, host);
		Object.assign(this, {
			progress: 0,
			touched: false,
			feature: data.features.indexOf("bank") /* the number that is moved */,
			before: "attention",
			pointed: null /* a unit, for now or, where it is pinned, until then */,
			pinned: null,
			run: null /* {to, last}: it goes on along the steps by itself */,
			glide: null /* {from, begun}: it goes to what the layer now makes */,
		});
		this.compute();
	}

	/* Whether it shows what the bend does. */
	get open() {
		const { question } = this.data;
		return !question || this.state.guess in question.options;
	}

	get end() {
		return this.open ? STEPS : ASKED;
	}

	/* How far each step is, from 0 to 1. */
	get steps() {
		return Array.from({ length: STEPS }, (_, step) =>
			within(this.progress - step, 0, 1),
		);
	}

	/* Compute what the layer makes of the state; what is shown glides there, unless a hand is moving it. */
	compute(gliding) {
		const { data, state } = this;
		this.values = sent(data, state);
		const unmoved = sent(data, { ...state, moved: null });
		/* Which rows move, if a number is moved. */
		this.moves = state.moved && differs(this.values.stream, unmoved.stream);
		const glides = gliding && !this.calm.matches;
		this.glide = glides ? { from: this.shown, begun: this.clock.now() } : null;
		if (!glides) this.shown = this.values;
	}

	show(progress) {
		this.run = null;
		this.progress = progress;
		this.draw();
	}

	play(from, to = this.end) {
		this.touched = true;
		if (this.calm.matches) {
			this.show(to);
			return this.speak();
		}
		this.progress = from;
		this.run = { to, last: this.clock.now() };
		this.draw();
	}

	/* Go on by itself, up to this time. */
	tick(time) {
		const { run, glide, values } = this;
		if (run) {
			const seconds = Math.max(time - run.last, 0) / 1000;
			this.progress += seconds * (STEPS / SECONDS);
			run.last = time;
			if (this.progress >= run.to) [this.run, this.progress] = [null, run.to];
		}
		if (glide) {
			const share = within((time - glide.begun) / GLIDE, 0, 1);
			this.shown =
				share < 1 ? between(glide.from, values, eased(share)) : values;
			if (share === 1) this.glide = null;
		}
		this.draw();
		if (run && !this.run) this.speak();
	}

	toggle() {
		if (this.run) this.show(this.progress);
		else this.play(this.progress >= this.end ? 0 : this.progress);
	}

	step() {
		const from = this.progress >= this.end ? 0 : Math.floor(this.progress);
		this.play(Math.max(from, this.progress % this.end), from + 1);
	}

	change(what, gliding = true) {
		this.touched = true;
		this.state = { ...this.state, ...what };
		if (!this.run) this.progress = this.end;
		this.compute(gliding);
		this.draw();
		this.speak();
		this.changed(this.state);
	}

	answer(guess) {
		this.state = { ...this.state, guess };
		this.changed(this.state);
		this.play(Math.min(this.progress, ASKED));
	}

	unbend() {
		const [bend] = this.data.bends;
		this.change({ bend: this.state.bend === "none" ? bend : "none" }, false);
		this.play(ASKED);
	}

	follow(word) {
		this.pinned = this.pointed = null;
		this.feature = this.data.x[this.state.cue][word].findIndex(Boolean);
		this.change({ word, moved: null }, false);
		this.play(0);
	}

	pick(feature, before) {
		const same = feature === this.feature && before === this.before;
		Object.assign(this, { feature, before });
		if (!same && this.state.moved) this.change({ moved: null });
		else this.draw();
	}

	shift(by) {
		const { before, feature, state } = this;
		const moved = by ? { before, word: state.word, feature, by } : null;
		this.change({ moved }, !by);
	}

	/* Move a number, from what it was moved by, by so many pixels. */
	drag(by, pixels) {
		const { most } = this.data;
		this.shift(within(Math.round((by + pixels / DRAG) * 20) / 20, -most, most));
	}

	point(unit, pin) {
		if (pin) this.pinned = this.pinned === unit ? null : unit;
		this.pointed = unit === null ? this.pinned : unit;
		this.draw();
		this.speak();
	}

	/* Take another state. A change of the bend, or its being open now, plays from there; any other glides. */
	set(other) {
		const { bend, guess } = this.state;
		this.state = { ...this.start, ...other };
		const { moved } = this.state;
		if (moved) [this.feature, this.before] = [moved.feature, moved.before];
		this.compute(true);
		this.draw();
		if (this.state.bend !== bend || this.state.guess !== guess)
			this.play(Math.min(this.progress, ASKED));
	}
};
