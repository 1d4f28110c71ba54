/* The language model of lesson 10 in plain JavaScript, and a reader that keeps what it knows while a text changes.

   The model is causal, so what was computed for a character holds until something before it changes. Layer after layer
   is computed for several characters at a time, because a layer's weights then stay in the processor's cache. Of the
   last layer a later character needs no more than keys and values: the rest is computed when somebody asks for it. */
import { numbersOf } from "./shared.js";

const SMALL = 1e-5; /* of the norms */
const AT_A_TIME = 8; /* characters */
const STRANGER =
	"?"; /* what the model reads where it does not know a character */

/* The rows of W four by four, side by side, so that a product reads each number of x once for four of them. */
const woven = (W, columns) => {
	const rows = W.length / columns;
	const grouped = new Float32Array(Math.ceil(rows / 4) * 4 * columns);
	for (let row = 0; row < rows; row++)
		for (let i = 0; i < columns; i++)
			grouped[((row >> 2) * columns + i) * 4 + (row & 3)] =
				W[row * columns + i];
	return grouped;
};

/* y = W x + b, for the rows of a woven W from `first` to `last`, both divisible by four. */
const multiplied = (W, b, x, y, first = 0, last = y.length) => {
	const columns = x.length;
	for (let row = first, at = first * columns; row < last; row += 4) {
		let one = 0,
			two = 0,
			three = 0,
			four = 0;
		for (let i = 0; i < columns; i++, at += 4) {
			const value = x[i];
			one += W[at] * value;
			two += W[at + 1] * value;
			three += W[at + 2] * value;
			four += W[at + 3] * value;
		}
		y[row] = one + b[row];
		y[row + 1] = two + b[row + 1];
		y[row + 2] = three + b[row + 2];
		y[row + 3] = four + b[row + 3];
	}
};

const normed = (x, gain, shift, y) => {
	let mean = 0,
		spread = 0;
	for (let i = 0; i < x.length; i++) mean += x[i];
	mean /= x.length;
	for (let i = 0; i < x.length; i++) spread += (x[i] - mean) ** 2;
	const scale = 1 / Math.sqrt(spread / x.length + SMALL);
	for (let i = 0; i < x.length; i++)
		y[i] = (x[i] - mean) * scale * gain[i] + shift[i];
};

const transposed = (W, rows, columns) => {
	const turned = new Float32Array(W.length);
	for (let r = 0; r < rows; r++)
		for (let c = 0; c < columns; c++) turned[c * rows + r] = W[r * columns + c];
	return turned;
};

/* The streams before each layer, the keys and values in it, and of how many characters they are known; and the rows that
   are known to the end. */
const Window = class {
	constructor(model, off, held) {
		const kept = () =>
			Array.from(
				{ length: model.blocks },
				() => new Float32Array(model.length * model.d),
			);
		Object.assign(this, {
			streams: kept(),
			keys: kept(),
			values: kept(),
			rows: [],
			count: 0,
			off,
			held,
		});
	}
	/* Forget all characters but the first. */
	cut(count) {
		this.count = Math.min(this.count, count);
		this.rows.length = Math.min(this.rows.length, this.count);
	}
};

export const LanguageModel = class {
	/* sizes: [d_model, n_blocks, n_heads, d_ff, seq_len], as in course_lib/model/language_model.py */
	constructor({ sizes, shapes, characters, packed }) {
		[this.d, this.blocks, this.heads, this.units, this.length] = sizes;
		this.characters = characters;
		this.codes = new Map(
			Array.from(characters, (letter, code) => [letter, code]),
		);
		const numbers = numbersOf(packed),
			weights = {};
		let from = 0;
		for (const [name, shape] of shapes) {
			const count = shape.reduce((product, size) => product * size);
			weights[name] = numbers.subarray(from, from + count);
			from += count;
		}
		const part = (name) => [weights[`${name}.weight`], weights[`${name}.bias`]];
		const matrix = (weight, bias) => [woven(weight, this.d), bias];
		[this.embed] = part("embed");
		[this.positions] = part("positions");
		this.last = part("norm");
		[this.readOut] = part("read_out");
		this.out = matrix(
			this.readOut,
			new Float32Array(Math.ceil(characters.length / 4) * 4),
		);
		this.layers = Array.from({ length: this.blocks }, (_, number) => {
			const name = `blocks.${number}`;
			const [down, bias] = part(`${name}.ffn.down`);
			return {
				norm1: part(`${name}.norm1`),
				norm2: part(`${name}.norm2`),
				into: matrix(
					weights[`${name}.attention.in_proj_weight`],
					weights[`${name}.attention.in_proj_bias`],
				),
				out: matrix(...part(`${name}.attention.out_proj`)),
				up: matrix(...part(`${name}.ffn.up`)),
				down: [
					transposed(down, this.d, this.units),
					bias,
				] /* a row for each unit: those at 0 are passed over */,
			};
		});
		const work = (size) => new Float32Array(size);
		this.work = {
			x: work(this.d),
			y: work(this.d),
			packed: work(3 * this.d),
			seen: work(this.length),
		};
	}
	/* Compute what the next characters of a window do, up to the keys and values of the last layer. */
	push(window, codes) {
		const { d, blocks, layers, embed, positions } = this;
		const first = window.count,
			last = first + codes.length;
		for (let place = first; place < last; place++)
			for (
				let i = 0, at = place * d, code = codes[place - first] * d;
				i < d;
				i++, at++
			)
				window.streams[0][at] = embed[code + i] + positions[at];
		for (let number = 0; number < blocks; number++) {
			for (let place = first; place < last; place++) {
				const { x, packed } = this.work;
				normed(this.stream(window, number, place), ...layers[number].norm1, x);
				multiplied(...layers[number].into, x, packed, d);
				window.keys[number].set(packed.subarray(d, 2 * d), place * d);
				window.values[number].set(packed.subarray(2 * d), place * d);
			}
			for (let place = first; number + 1 < blocks && place < last; place++) {
				const hidden = new Float32Array(this.units),
					h = this.stream(window, number + 1, place);
				this.pass(window, number, place, h, hidden, this.work.x);
				window.rows[place] = window.rows[place] || { hidden: [] };
				window.rows[place].hidden[number] = hidden;
			}
		}
		window.count = last;
	}
	stream(window, number, place) {
		return window.streams[number].subarray(
			place * this.d,
			(place + 1) * this.d,
		);
	}
	/* What is known of a character that a window has read: { hidden }, and of a whole row { hidden, input, stream }. */
	row(window, place, whole) {
		const row = window.rows[place];
		if (whole && !row.stream) {
			const [hidden, input, stream] = [this.units, this.d, this.d].map(
				(size) => new Float32Array(size),
			);
			this.pass(window, this.blocks - 1, place, stream, hidden, input);
			row.hidden[this.blocks - 1] = hidden;
			Object.assign(row, { input, stream });
		}
		return row;
	}
	/* Compute one layer at one place whose keys and values are known: the stream h after it, the hidden values, and what
     the FFN reads. */
	pass(window, number, place, h, hidden, input) {
		const { d } = this,
			{ off, held } = window,
			{ x, y, packed } = this.work,
			layer = this.layers[number];
		h.set(this.stream(window, number, place));
		if (!off.includes(`attention ${number + 1}`)) {
			normed(h, ...layer.norm1, x);
			multiplied(...layer.into, x, packed, 0, d);
			this.attend(window.keys[number], window.values[number], place);
			multiplied(...layer.out, x, y);
			for (let i = 0; i < d; i++) h[i] += y[i];
		}
		normed(h, ...layer.norm2, input);
		multiplied(...layer.up, input, hidden);
		const [ffn, unit] = held.split(".").map(Number);
		if (ffn === number + 1) hidden[unit] = 0;
		this.write(...layer.down, hidden);
		if (!off.includes(`ffn ${number + 1}`))
			for (let i = 0; i < d; i++) h[i] += y[i];
	}
	/* Put into x what attention brings to a place, which asks with the first numbers of `packed`. */
	attend(keys, values, place) {
		const { d, heads } = this,
			{ x, packed, seen } = this.work,
			wide = d / heads,
			root = Math.sqrt(wide);
		x.fill(0);
		for (let head = 0; head < heads; head++) {
			const first = head * wide,
				end = first + wide;
			let most = -Infinity,
				sum = 0;
			for (let other = 0; other <= place; other++) {
				let product = 0;
				for (let i = first, at = other * d + first; i < end; i++, at++)
					product += packed[i] * keys[at];
				seen[other] = product / root;
				if (seen[other] > most) most = seen[other];
			}
			for (let other = 0; other <= place; other++)
				sum += seen[other] = Math.exp(seen[other] - most);
			for (let other = 0; other <= place; other++) {
				const share = seen[other] / sum;
				for (let i = first, at = other * d + first; i < end; i++, at++)
					x[i] += share * values[at];
			}
		}
	}
	/* Put ReLU into the hidden values, and what they write into y. */
	write(down, bias, hidden) {
		const { d } = this,
			{ y } = this.work;
		y.set(bias);
		for (let unit = 0, at = 0; unit < hidden.length; unit++, at += d) {
			const value = hidden[unit];
			if (value > 0) for (let i = 0; i < d; i++) y[i] += value * down[at + i];
			else hidden[unit] = 0;
		}
	}
	/* The logits of the character that follows a row; own: { w, bias, v }, one more unit in the last FFN. */
	logits(row, own, off) {
		const { x } = this.work;
		const h = row.stream.slice();
		if (own && !off.includes(`ffn ${this.blocks}`)) {
			const value = Math.max(
				0,
				row.input.reduce((sum, number, i) => sum + number * own.w[i], own.bias),
			);
			for (let i = 0; i < this.d; i++) h[i] += value * own.v[i];
		}
		normed(h, ...this.last, x);
		const logits = new Float32Array(this.out[1].length);
		multiplied(...this.out, x, logits);
		return logits.subarray(0, this.characters.length);
	}
	/* The direction that raises the logit of a character fastest, of length 1, as lesson 10 makes it. */
	toward(code) {
		const { d, readOut } = this,
			count = this.characters.length;
		const v = new Float32Array(d).map((_, i) => {
			let mean = 0;
			for (let other = 0; other < count; other++)
				mean += readOut[other * d + i] / count;
			return (readOut[code * d + i] - mean) * this.last[0][i];
		});
		const size = Math.hypot(...v);
		return v.map((number) => number / size);
	}
};

/* Reads a text that changes, and keeps what still holds. A text longer than the model's windows is read as
   course_lib/model/reading.py does: windows overlap by half, and each gives the rows of its second half. */
export const Reader = class {
	constructor(model) {
		Object.assign(this, {
			model,
			half: model.length / 2,
			codes: [],
			windows: [],
			off: [],
			held: "",
		});
	}
	/* Take a text, and forget what depends on a character that has changed; the model reads strangers as "?", an emoji as two. */
	set(text) {
		const before = this.codes,
			codes = text
				.split("")
				.map(
					(letter) =>
						this.model.codes.get(letter) ?? this.model.codes.get(STRANGER),
				);
		let same = 0;
		while (
			same < Math.min(codes.length, before.length) &&
			codes[same] === before[same]
		)
			same++;
		this.codes = codes;
		this.windows = this.windows.filter(
			(_one, number) => number * this.half < same || number === 0,
		);
		for (const [number, window] of this.windows.entries())
			window.cut(same - number * this.half);
	}
	switch(off, held) {
		if (off.join() === this.off.join() && held === this.held) return;
		Object.assign(this, { off, held, windows: [] });
	}
	/* Compute until all is known, or this many milliseconds are over; return how many characters are known. */
	read(milliseconds = Infinity) {
		const end = performance.now() + milliseconds;
		const { codes, half, model, windows } = this;
		for (let number = 0; ; number++) {
			const from = number * half,
				until = Math.min(from + model.length, codes.length);
			const window = windows[number] || new Window(model, this.off, this.held);
			windows[number] = window;
			while (window.count < until - from) {
				const known = from + window.count;
				if (performance.now() > end)
					return number ? Math.max(known, from + half) : known;
				model.push(
					window,
					codes.slice(known, Math.min(known + AT_A_TIME, until)),
				);
			}
			if (until === codes.length) return until;
		}
	}
	row(place, whole = true) {
		const number = Math.max(0, Math.floor(place / this.half) - 1);
		return this.model.row(
			this.windows[number],
			place - number * this.half,
			whole,
		);
	}
	/* The values of all units of an FFN at a place. */
	hidden(place, ffn) {
		return this.row(place, ffn === this.model.blocks).hidden[ffn - 1];
	}
	logits(place, own) {
		return this.model.logits(this.row(place), own, this.off);
	}
};
