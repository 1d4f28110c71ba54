/* The language model of lesson 10 in plain JavaScript. It is causal, so what was computed for a character holds as long
   as nothing before it changes: a new text is computed from the first changed character on. */
"use strict";
(() => {
  const course = (window.course = window.course || {});
  const SMALL = 1e-5; /* of the norms */

  /* The numbers in base64 of a 16-bit float each, as 32-bit floats. */
  const unpacked = (text) => {
    const letters = atob(text);
    const halves = new Uint16Array(letters.length / 2);
    for (let i = 0; i < halves.length; i++) halves[i] = letters.charCodeAt(2 * i) | (letters.charCodeAt(2 * i + 1) << 8);
    const bits = new Uint32Array(halves.length);
    for (let i = 0; i < halves.length; i++) bits[i] = ((halves[i] & 0x8000) << 16) | ((halves[i] & 0x7fff) << 13);
    const numbers = new Float32Array(bits.buffer);
    for (let i = 0; i < numbers.length; i++) numbers[i] *= 2 ** 112; /* the two kinds count exponents from different places */
    return numbers;
  };

  /* Return the arrays by name: shapes has the names and shapes in the order in which the numbers lie. */
  const arrays = (shapes, numbers) => {
    const found = {};
    let from = 0;
    for (const [name, shape] of shapes) {
      const size = shape.reduce((product, one) => product * one, 1);
      found[name] = numbers.subarray(from, (from += size));
    }
    return found;
  };

  /* y = W x + b, with W row by row; four sums at a time keep the processor busy. */
  const multiplied = (W, b, x, y) => {
    const n = x.length;
    for (let row = 0, at = 0; row < y.length; row++, at += n) {
      let one = 0, two = 0, three = 0, four = 0;
      for (let i = 0; i < n; i += 4) {
        one += W[at + i] * x[i];
        two += W[at + i + 1] * x[i + 1];
        three += W[at + i + 2] * x[i + 2];
        four += W[at + i + 3] * x[i + 3];
      }
      y[row] = one + two + three + four + (b ? b[row] : 0);
    }
  };

  const normed = (x, gain, shift, y) => {
    let mean = 0, spread = 0;
    for (const one of x) mean += one;
    mean /= x.length;
    for (const one of x) spread += (one - mean) ** 2;
    const scale = 1 / Math.sqrt(spread / x.length + SMALL);
    for (let i = 0; i < x.length; i++) y[i] = (x[i] - mean) * scale * gain[i] + shift[i];
  };

  const transposed = (W, rows, columns) => {
    const turned = new Float32Array(W.length);
    for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) turned[c * rows + r] = W[r * columns + c];
    return turned;
  };

  class LanguageModel {
    /* sizes: [d_model, n_blocks, n_heads, d_ff, seq_len], as in course_lib/model/language_model.py */
    constructor({ sizes, shapes, characters }, packed) {
      [this.d, this.blocks, this.heads, this.units, this.length] = sizes;
      this.characters = characters;
      const all = arrays(shapes, unpacked(packed));
      const part = (name) => [all[`${name}.weight`], all[`${name}.bias`]];
      [this.embed] = part("embed");
      [this.positions] = part("positions");
      this.last = part("norm");
      [this.readOut] = part("read_out");
      this.layers = Array.from({ length: this.blocks }, (_, number) => {
        const name = `blocks.${number}`;
        const [down, bias] = part(`${name}.ffn.down`);
        return {
          norm1: part(`${name}.norm1`),
          norm2: part(`${name}.norm2`),
          into: [all[`${name}.attention.in_proj_weight`], all[`${name}.attention.in_proj_bias`]],
          out: part(`${name}.attention.out_proj`),
          up: part(`${name}.ffn.up`),
          down: [transposed(down, this.d, this.units), bias], /* a row for each unit: those at 0 are passed over */
        };
      });
      this.work = { x: new Float32Array(this.d), y: new Float32Array(this.d), packed: new Float32Array(3 * this.d), seen: new Float32Array(this.length) };
    }
    /* The codes of a text; −1 for a character that the model does not know. */
    encoded(text) {
      return Array.from(text, (one) => this.characters.indexOf(one));
    }
    window() {
      const size = this.length * this.d;
      const kept = () => Array.from({ length: this.blocks }, () => new Float32Array(size));
      return { keys: kept(), values: kept(), rows: [] };
    }
    /* Compute the next row of a window: what a character does in all blocks, seen from those before it. */
    push(window, code, off) {
      const { d, units, heads } = this;
      const { x, y, packed, seen } = this.work;
      const place = window.rows.length;
      const wide = d / heads;
      const h = new Float32Array(d);
      for (let i = 0; i < d; i++) h[i] = this.embed[code * d + i] + this.positions[place * d + i];
      const hidden = [];
      let input = null;
      this.layers.forEach((layer, number) => {
        normed(h, ...layer.norm1, x);
        multiplied(...layer.into, x, packed);
        const keys = window.keys[number], values = window.values[number];
        keys.set(packed.subarray(d, 2 * d), place * d);
        values.set(packed.subarray(2 * d), place * d);
        x.fill(0);
        for (let head = 0; head < heads; head++) {
          const first = head * wide;
          let most = -Infinity, sum = 0;
          for (let other = 0; other <= place; other++) {
            let score = 0;
            for (let i = first, at = other * d + first; i < first + wide; i++, at++) score += packed[i] * keys[at];
            seen[other] = score / Math.sqrt(wide);
            if (seen[other] > most) most = seen[other];
          }
          for (let other = 0; other <= place; other++) sum += seen[other] = Math.exp(seen[other] - most);
          for (let other = 0; other <= place; other++) {
            const share = seen[other] / sum;
            for (let i = first, at = other * d + first; i < first + wide; i++, at++) x[i] += share * values[at];
          }
        }
        multiplied(...layer.out, x, y);
        for (let i = 0; i < d; i++) h[i] += y[i];
        input = number === this.blocks - 1 ? new Float32Array(d) : x;
        normed(h, ...layer.norm2, input);
        const active = new Float32Array(units);
        multiplied(...layer.up, input, active);
        const [down, bias] = layer.down;
        y.set(bias);
        for (let unit = 0, at = 0; unit < units; unit++, at += d) {
          const value = active[unit];
          if (!(value > 0)) {
            active[unit] = 0;
            continue;
          }
          for (let i = 0; i < d; i++) y[i] += value * down[at + i];
        }
        if (!off[number]) for (let i = 0; i < d; i++) h[i] += y[i];
        hidden.push(active);
      });
      window.rows.push({ code, hidden, input, stream: h });
    }
    /* The logits of the character that follows a row; own: { w, bias, v }, one more unit in the last FFN. */
    logits(row, own, off = []) {
      const { x } = this.work;
      const h = row.stream.slice();
      if (own && !off[this.blocks - 1]) {
        const value = this.ownValue(row, own);
        for (let i = 0; i < this.d; i++) h[i] += value * own.v[i];
      }
      normed(h, ...this.last, x);
      const found = new Float32Array(this.characters.length);
      multiplied(this.readOut, null, x, found);
      return found;
    }
    /* The hidden value of a unit of one's own. */
    ownValue(row, { w, bias }) {
      return Math.max(0, row.input.reduce((sum, one, i) => sum + one * w[i], bias));
    }
    /* The direction that raises the logit of a character fastest, of length 1, as lesson 10 makes it. */
    toward(code) {
      const { d, readOut } = this;
      const count = this.characters.length;
      const v = new Float32Array(d);
      for (let i = 0; i < d; i++) {
        let mean = 0;
        for (let one = 0; one < count; one++) mean += readOut[one * d + i] / count;
        v[i] = (readOut[code * d + i] - mean) * this.last[0][i];
      }
      const size = Math.hypot(...v);
      return v.map((one) => one / size);
    }
  }

  /* Reads a text that changes, and keeps what still holds. A text longer than the model's windows is read as
     course_lib/model/reading.py does: windows overlap by half, and each gives the rows of its second half. */
  class Reader {
    constructor(model) {
      this.model = model;
      this.off = Array(model.blocks).fill(false); /* FFNs that write nothing */
      this.set([]);
    }
    /* Take codes as the text, and forget what depends on a character that has changed. */
    set(codes) {
      const before = this.codes || [];
      let same = 0;
      while (same < Math.min(codes.length, before.length) && codes[same] === before[same]) same++;
      this.codes = codes;
      this.windows = (this.windows || []).filter((one, number) => number * this.half < same || number === 0);
      this.windows.forEach((one, number) => (one.rows.length = Math.min(one.rows.length, same - number * this.half)));
    }
    get half() {
      return this.model.length / 2;
    }
    switch(number, off) {
      this.off[number] = off;
      this.windows = [];
    }
    /* Compute until all is known, or this many milliseconds are over; return how many characters are known. */
    read(milliseconds = Infinity) {
      const end = performance.now() + milliseconds;
      const { codes, half, model, windows } = this;
      for (let place = this.known(); place < codes.length; place++) {
        const number = this.numberOf(place);
        windows[number] = windows[number] || model.window();
        while (windows[number].rows.length <= place - number * half) {
          if (performance.now() > end) return this.known();
          model.push(windows[number], codes[number * half + windows[number].rows.length], this.off);
        }
      }
      return codes.length;
    }
    numberOf(place) {
      return Math.max(0, Math.floor(place / this.half) - 1);
    }
    known() {
      let place = 0;
      while (place < this.codes.length && this.row(place)) place++;
      return place;
    }
    row(place) {
      const number = this.numberOf(place);
      return this.windows[number] && this.windows[number].rows[place - number * this.half];
    }
  }

  /* What the script of the weights calls. */
  const weights = (about, packed) => {
    course.trained = { ...about, model: new LanguageModel(about, packed) };
  };

  Object.assign(course, { Reader, weights });
})();
