/* The language model of lesson 10, running in plain JavaScript: type, and see what its units do and what it expects.
   It is causal, so what was computed for a character holds as long as nothing before it changes: a new text is computed
   from the first changed character on.

   data: { link } is the address, up to the component's id, to which links lead. The model comes with it, or with data.weights: a script
   that hands it over, loaded when somebody touches the component, or at once where data.eager says so.
   state: { text, ffn, unit, off, held, own, find }, flat, so that it fits an address. FFNs are counted from 1, units
   from 0. off: sub-layers that write nothing, such as "attention 1,ffn 2". held: a unit held at 0, such as "1.356".
   own: the length of the column that our own unit writes. find: a context, whose five best units are marked. An address also says at which
   character the caret is. */
import { colours } from "./shared.js";

const SMALL = 1e-5; /* of the norms */
const UNITS = 512, COLUMNS = 32;
const MOST = 240; /* characters of a text */
const AT_ONCE = 6; /* milliseconds of computing, until the next frame */
const FIRES = 0.05; /* of a unit's large value: from here on it is painted, as in the lesson's figures */
const BARS = 5, WRITTEN = 16;
const SIGNS = { "\n": "↵", "\t": "⇥", " ": "␣" };
const STRANGER = "?"; /* what the model reads where it does not know a character */
const PRESETS = {
  "a class": "class Bank:\n    def close(self):\n        self",
  "a docstring": 'def read(path):\n    """Return the text of a file.\n',
  "a comment": "total = 0\nfor one in values:  # all of them\n    total",
  "your own": "",
};

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

const LanguageModel = class {
  /* sizes: [d_model, n_blocks, n_heads, d_ff, seq_len], as in course_lib/model/language_model.py */
  constructor({ sizes, shapes, characters, packed }) {
    [this.d, this.blocks, this.heads, this.units, this.length] = sizes;
    this.characters = characters;
    const numbers = unpacked(packed), found = {};
    let from = 0;
    for (const [name, shape] of shapes) found[name] = numbers.subarray(from, (from += shape.reduce((product, one) => product * one, 1)));
    const part = (name) => [found[`${name}.weight`], found[`${name}.bias`]];
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
        into: [found[`${name}.attention.in_proj_weight`], found[`${name}.attention.in_proj_bias`]],
        out: part(`${name}.attention.out_proj`),
        up: part(`${name}.ffn.up`),
        down: [transposed(down, this.d, this.units), bias], /* a row for each unit: those at 0 are passed over */
      };
    });
    this.work = { x: new Float32Array(this.d), y: new Float32Array(this.d), packed: new Float32Array(3 * this.d), seen: new Float32Array(this.length) };
  }
  window() {
    const size = this.length * this.d;
    const kept = () => Array.from({ length: this.blocks }, () => new Float32Array(size));
    return { keys: kept(), values: kept(), rows: [] };
  }
  /* Compute the next row of a window: what a character does in all blocks, seen from those before it. */
  push(window, code, off, held) {
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
      if (!off.includes(`attention ${number + 1}`)) for (let i = 0; i < d; i++) h[i] += y[i];
      input = number === this.blocks - 1 ? new Float32Array(d) : x;
      normed(h, ...layer.norm2, input);
      const active = new Float32Array(units);
      multiplied(...layer.up, input, active);
      const [down, bias] = layer.down;
      y.set(bias);
      for (let unit = 0, at = 0; unit < units; unit++, at += d) {
        const value = active[unit];
        if (!(value > 0) || held === `${number + 1}.${unit}`) {
          active[unit] = 0;
          continue;
        }
        for (let i = 0; i < d; i++) y[i] += value * down[at + i];
      }
      if (!off.includes(`ffn ${number + 1}`)) for (let i = 0; i < d; i++) h[i] += y[i];
      hidden.push(active);
    });
    window.rows.push({ hidden, input, stream: h });
  }
  /* The logits of the character that follows a row; own: { w, bias, v }, one more unit in the last FFN. */
  logits(row, own, off) {
    const { x } = this.work;
    const h = row.stream.slice();
    if (own && !off.includes(`ffn ${this.blocks}`)) {
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
};

/* Reads a text that changes, and keeps what still holds. A text longer than the model's windows is read as
   course_lib/model/reading.py does: windows overlap by half, and each gives the rows of its second half. */
const Reader = class {
  constructor(model) {
    Object.assign(this, { model, half: model.length / 2, codes: [], windows: [], off: [], held: "" });
  }
  /* Take a text, and forget what depends on a character that has changed; the model reads strangers as "?". */
  set(text) {
    const { characters } = this.model, before = this.codes;
    const codes = Array.from(text, (one) => characters.indexOf(characters.includes(one) ? one : STRANGER));
    let same = 0;
    while (same < Math.min(codes.length, before.length) && codes[same] === before[same]) same++;
    this.codes = codes;
    this.windows = this.windows.filter((one, number) => number * this.half < same || number === 0);
    this.windows.forEach((one, number) => (one.rows.length = Math.min(one.rows.length, same - number * this.half)));
  }
  switch(off, held) {
    if (off.join() === this.off.join() && held === this.held) return;
    Object.assign(this, { off, held, windows: [] });
  }
  /* Compute until all is known, or this many milliseconds are over; return how many characters are known. */
  read(milliseconds = Infinity) {
    const end = performance.now() + milliseconds;
    const { codes, half, model, windows } = this;
    let place = 0;
    while (place < codes.length && this.row(place)) place++;
    for (; place < codes.length; place++) {
      const number = this.numberOf(place);
      windows[number] = windows[number] || model.window();
      while (windows[number].rows.length <= place - number * half) {
        if (performance.now() > end) return place;
        model.push(windows[number], codes[number * half + windows[number].rows.length], this.off, this.held);
      }
    }
    return codes.length;
  }
  numberOf(place) {
    return Math.max(0, Math.floor(place / this.half) - 1);
  }
  row(place) {
    const number = this.numberOf(place);
    return this.windows[number] && this.windows[number].rows[place - number * this.half];
  }
  logits(place, own) {
    return this.model.logits(this.row(place), own, this.off);
  }
};

/* What a script of weights hands over, once for all that ask for it. */
const scripts = {};
const loaded = (address) => (scripts[address] = scripts[address] || new Promise((resolve, reject) => {
  const script = Object.assign(document.createElement("script"), { src: address });
  script.addEventListener("weights", (event) => resolve(event.detail));
  script.addEventListener("error", () => {
    delete scripts[address]; /* the next touch tries again */
    reject(new Error(address));
  });
  document.head.append(script);
}));

export const style = `${colours(".c-microscope")}
.c-microscope { --c-cell: color-mix(in srgb, var(--c-text) 9%, var(--c-paper)); --c-mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; container-type: inline-size; line-height: 1.5; }
.c-microscope * { box-sizing: border-box; } .c-microscope :is(p, ol, fieldset) { margin: 0; padding: 0; border: 0; min-width: 0; } .c-microscope canvas { display: block; }
.c-microscope :is(input, select) { font: inherit; color: inherit; } .c-microscope :is(select, input[type=number]) { background: var(--c-paper); border: 1px solid var(--c-line); border-radius: 8px; padding: 0.25em 0.5em; } .c-microscope button { min-height: 2rem; padding: 0.1em 0.7em; font-size: 0.92em; }
.c-microscope :is(input, select, canvas):focus-visible { outline: 3px solid var(--c-accent); outline-offset: 2px; }
.c-microscope .row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.6rem; } .c-microscope .quiet { color: var(--c-quiet); font-size: 0.92em; } .c-microscope .link { margin-left: auto; }
.c-microscope .grid { display: grid; gap: 0.9rem 1.6rem; margin-top: 0.8rem; } @container (min-width: 42rem) { .c-microscope .top { grid-template-columns: 1.7fr 1fr; } .c-microscope .three { grid-template-columns: repeat(3, 1fr); } }
.c-microscope .sheet { position: relative; height: 8.9rem; margin-top: 0.5rem; border: 1px solid var(--c-line); border-radius: 10px; background: var(--c-cell); overflow: hidden; } .c-microscope .sheet:focus-within { outline: 3px solid var(--c-accent); outline-offset: 1px; }
.c-microscope .sheet > * { position: absolute; inset: 0; width: 100%; height: 100%; } .c-microscope textarea { margin: 0; padding: 0.6rem 0.9rem; border: 0; resize: none; background: none; color: inherit; caret-color: var(--c-accent); outline: 0; font: 17px/1.8 var(--c-mono); font-variant-ligatures: none; letter-spacing: 0; tab-size: 4; white-space: break-spaces; line-break: anywhere; overflow: hidden auto; }
.c-microscope .next { position: relative; list-style: none; height: 8.75rem; margin-top: 0.5rem; contain: strict; font-variant-numeric: tabular-nums; }
.c-microscope .next li { position: absolute; inset: 0 0 auto; height: 1.55rem; margin: 0; padding: 0 0.7rem; display: flex; justify-content: space-between; align-items: center; border-radius: 5px; overflow: hidden; background: var(--c-cell); contain: strict; transform: translateY(calc(var(--rank) * 1.75rem)); } .c-microscope [hidden] { display: none !important; } .c-microscope .next b { font: 600 16px var(--c-mono); } .c-microscope .next :is(b, span) { position: relative; }
.c-microscope .next i { position: absolute; inset: 0; background: color-mix(in srgb, var(--c-accent) 40%, transparent); transform: scaleX(var(--s)); transform-origin: left; }
.c-microscope .fields canvas { width: 100%; aspect-ratio: 2; cursor: pointer; } .c-microscope .off canvas { opacity: 0.4; } .c-microscope .fields > :not(.off) small { display: none; }
.c-microscope input[type=number] { width: 4.6em; } .c-microscope input[type=range] { display: block; width: 100%; accent-color: var(--c-accent); } .c-microscope .found button { display: flex; width: 100%; justify-content: space-between; margin-top: 0.25rem; } .c-microscope [aria-pressed=true] { box-shadow: inset 0 0 0 2px var(--c-text); }
.c-microscope select { display: block; width: 100%; } .c-microscope .writes { font: 15px/1.6 var(--c-mono); white-space: pre-wrap; overflow-wrap: anywhere; } .c-microscope .writes b { background: color-mix(in srgb, var(--c-accent) 25%, transparent); }
.c-microscope .tools { grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); } .c-microscope .switches { display: grid; grid-template-columns: repeat(3, auto); gap: 0.1rem 0.8rem; justify-content: start; } .c-microscope fieldset label { font-size: 0.92em; white-space: nowrap; }
@media (prefers-reduced-motion: no-preference) { .c-microscope .next :is(li, i) { transition: transform 0.2s; } }
`;

const BODY = `
<div class="grid top"><div><div class="row presets"></div><div class="sheet"><canvas></canvas><textarea rows="3" spellcheck="false" autocapitalize="off" autocomplete="off" autocorrect="off" translate="no" aria-label="Your text"></textarea></div><p class="quiet said"></p><p class="aloud" role="status"></p></div>
<div><p>It expects next<span class="quiet place"></span></p><ol class="next" translate="no" aria-hidden="true"></ol></div></div>
<div class="row"><label>FFN <input type="number" name="ffn" min="1" max="3"></label><label>unit <input type="number" name="unit" min="0" max="511"></label><span class="about" aria-live="polite"></span><span class="row link"><a>Open in a whole window</a><span class="quiet copied" role="status"></span><button type="button">Copy link</button></span></div>
<div class="grid three fields" translate="no"></div>
<p class="quiet">Point at a cell, and its unit paints the text. Click to keep it. A framed cell fits a context of lesson 10: its F1 is above 0.8 in both parts of a text, A and B. F1 is 1 without misses and false alarms.</p>
<div class="grid tools"><div><label>Find units for … <span class="quiet">best first in part A, F1 in part B</span><select><option value="">a context</option></select></label><div class="found" translate="no"></div></div>
<fieldset><legend>Switch off</legend><div class="switches"></div><label><input type="checkbox" name="held"> <span></span></label></fieldset>
<div><label><span class="own"></span><input type="range" min="0" max="40"></label><p class="writes" translate="no"></p></div></div>`;

const added = (parent, tag, inside = "", classes = "") => {
  const element = Object.assign(document.createElement(tag), { className: classes });
  element.innerHTML = inside;
  parent.append(element);
  return element;
};
const visible = (one) => SIGNS[one] || one;
const readable = (name) => name.replace(/'.*'/, (quoted) => quoted.replaceAll(" ", SIGNS[" "])); /* a context */
const say = (element, words) => element.textContent === words || (element.textContent = words);
const percent = (p) => (p < 0.01 ? "below 1 %" : `${Math.round(100 * p)} %`);
const called = (ffn, unit) => `FFN ${ffn}, unit ${unit}`;
const within = (given, low, high, otherwise) => {
  const number = given === "" || given === null ? NaN : Number(given);
  return Number.isInteger(number) && number >= low && number <= high ? number : otherwise;
};

export const render = (element, data, state, changed) => {
  const one = (selector) => element.querySelector(selector);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const glow = [0, 1, 2].map(() => new Float32Array(UNITS));
  const now = { text: PRESETS["a class"], ffn: 2, unit: 473, off: "", held: "", own: 0, find: "" };
  let trained = null, reader = null, looks = null, pointed = null, known = 0, place = 0;
  let frame = 0, shining = 0, resting = 0, ended = false, asked = false;

  element.innerHTML = BODY;
  const area = one("textarea"), paint = one(".sheet canvas"), boxes = [one("[name=ffn]"), one("[name=unit]")];
  const select = one("select"), size = one("[type=range]"), held = one("[name=held]");
  area.maxLength = MOST;
  for (const [name, text] of Object.entries(PRESETS))
    added(one(".presets"), "button", name).onclick = () => (alter({ text }), area.focus());
  const fields = glow.map((_, number) => {
    const field = added(one(".fields"), "div", `<span class="quiet">FFN ${number + 1}<small> · off</small></span><canvas tabindex="0" role="slider" aria-label="Units of FFN ${number + 1}" aria-valuenow="0" aria-valuemin="0" aria-valuemax="${UNITS - 1}"></canvas>`);
    return field.lastChild;
  });
  const switches = ["attention", "ffn"].flatMap((kind) => glow.map((_, number) => {
    const name = `${kind} ${number + 1}`;
    const box = added(one(".switches"), "label", `<input type="checkbox" value="${name}"> ${kind === "ffn" ? "FFN" : kind} ${number + 1}`).firstChild;
    box.onchange = () => alter({ off: switches.filter((one) => one.checked).map((one) => one.value).join() });
    return box;
  }));
  const bars = Array.from({ length: BARS }, () => added(one(".next"), "li", "<i></i><b></b><span></span>"));

  /* ---- the state */

  const take = (given) => {
    if ("text" in given) now.text = String(given.text).slice(0, MOST);
    now.ffn = within(given.ffn, 1, 3, now.ffn);
    now.unit = within(given.unit, 0, UNITS - 1, now.unit);
    now.own = within(given.own, 0, 40, now.own);
    if ("off" in given) now.off = String(given.off).split(",").filter((name) => switches.some((box) => box.value === name)).join();
    if ("held" in given) now.held = /^[123]\.\d+$/.test(given.held) ? given.held : "";
    if ("find" in given) now.find = String(given.find);
  };
  /* Change the state from here, and show it. */
  const alter = (given) => {
    take(given);
    update();
    changed({ ...now });
  };
  const update = () => {
    if (area.value !== now.text) {
      area.value = now.text;
      area.setSelectionRange(MOST, MOST); /* who comes by the keyboard is at its end */
      place = now.text.length - 1;
    }
    [boxes[0].value, boxes[1].value, size.value, select.value] = [now.ffn, now.unit, now.own, now.find];
    switches.forEach((box) => (box.checked = now.off.split(",").includes(box.value)));
    fields.forEach((field, number) => field.parentElement.classList.toggle("off", now.off.includes(`ffn ${number + 1}`)));
    held.checked = now.held !== "";
    say(held.nextElementSibling, `${called(...(now.held || `${now.ffn}.${now.unit}`).split("."))} at 0`);
    say(one(".own"), `Our own unit: i after self, length ${now.own}`);
    about();
    if (!reader) return paintText();
    found();
    reader.switch(now.off.split(",").filter(Boolean), now.held);
    own = now.own ? { ...trained.own, v: push.map((one) => now.own * one) } : null;
    reader.set(now.text);
    go();
  };
  let own = null, push = null;

  /* ---- the model */

  const load = () => {
    if (asked) return;
    asked = true;
    Promise.resolve(data.packed ? data : loaded(data.weights)).then(ready, () => {
      asked = false;
      one(".said").textContent = "The model could not be loaded. Type once more to try again.";
    });
  };
  const ready = (given) => {
    if (ended) return;
    trained = given;
    reader = new Reader(new LanguageModel(trained));
    push = reader.model.toward(reader.model.characters.indexOf(trained.own.writes));
    for (const name of Object.keys(trained.found)) select.append(new Option(readable(name), name));
    update();
  };
  /* Compute for a while, show what is known, and go on in the next frame. */
  const go = () => {
    cancelAnimationFrame(frame);
    known = reader.read(AT_ONCE);
    details();
    if (known < now.text.length) frame = requestAnimationFrame(go);
    clearTimeout(resting);
    resting = setTimeout(told, 400); /* what is read out may not change with each key */
  };
  const strength = (at, ffn, unit) => reader.row(at).hidden[ffn - 1][unit] / Math.max(trained.tops[ffn - 1][unit], 1e-9);
  const chosen = () => Math.min(place, known - 1);
  const likely = (at, unit) => {
    const logits = reader.logits(at, unit);
    const most = Math.max(...logits);
    const p = Array.from(logits, (one) => Math.exp(one - most));
    const sum = p.reduce((all, one) => all + one, 0);
    const order = p.map((_, code) => code).sort((one, other) => p[other] - p[one] || one - other);
    return order.slice(0, BARS).map((code) => [reader.model.characters[code], p[code] / sum]);
  };
  /* What the model goes on to write, always the likeliest character, to the end of the line. */
  const written = (unit) => {
    let text = now.text;
    while (text.length < now.text.length + WRITTEN && (text === now.text || !text.endsWith("\n"))) {
      reader.set(text);
      reader.read();
      text += likely(text.length - 1, unit)[0][0];
    }
    reader.set(now.text);
    reader.read();
    return text.slice(now.text.length);
  };
  const details = () => {
    paintText();
    shine();
    const at = chosen();
    const next = at < 0 ? [] : likely(at, own);
    const free = bars.filter((bar) => !next.some(([letter]) => letter === bar.letter));
    bars.forEach((bar) => (bar.hidden = !next.length));
    next.forEach(([letter, p], rank) => {
      let bar = bars.find((bar) => bar.letter === letter);
      if (!bar) {
        bar = free.pop();
        bar.letter = letter;
        say(bar.children[1], visible(letter));
      }
      bar.style.setProperty("--rank", rank);
      bar.style.setProperty("--s", p.toFixed(3));
      say(bar.lastChild, percent(p));
    });
  };
  /* Say of the unit that paints what it does here, and where else in the text. */
  const count = () => {
    about();
    const [ffn, unit] = pointed || [now.ffn, now.unit];
    const fires = Array.from({ length: known }, (_, place) => place).filter((place) => strength(place, ffn, unit) >= FIRES);
    const strangers = Array.from(now.text).some((one) => !reader.model.characters.includes(one));
    one(".said").textContent = `${called(ffn, unit)} fires at ${fires.length} of ${now.text.length} characters.${strangers ? ` The model knows only plain ASCII, so it reads “${STRANGER}” in place of every other character.` : ""}`;
  };
  const told = () => {
    const at = chosen();
    count();
    one(".place").textContent = at < 0 ? "" : ` after “${visible(now.text[at])}”, character ${at + 1}`;
    one(".aloud").textContent = `${one(".said").textContent} The model expects ${at < 0 ? "nothing yet" : likely(at, own).slice(0, 3).map(([letter, p]) => `${visible(letter)} ${percent(p)}`).join(", ")}.`;
    const lines = one(".writes");
    lines.replaceChildren();
    if (now.text) for (const [name, unit] of own ? [["without", null], ["with it", own]] : [["writes", null]]) {
      const line = added(lines, "span", `${name}: `);
      added(line, "span").textContent = now.text.split("\n").pop().trimStart();
      added(line, "b").textContent = `${written(unit).replace("\n", "↵")}\n`;
    }
  };

  /* ---- drawing */

  const recolour = () => {
    const look = getComputedStyle(element), letters = getComputedStyle(area);
    looks = Object.fromEntries(["cell", "hidden", "text", "accent"].map((name) => [name, look.getPropertyValue(`--c-${name}`)]));
    Object.assign(looks, { font: `${letters.fontSize} ${letters.fontFamily}`, line: parseFloat(letters.lineHeight), left: parseFloat(letters.paddingLeft), top: parseFloat(letters.paddingTop), dark: dark.matches });
  };
  const sized = (canvas) => {
    const ratio = devicePixelRatio || 1, [wide, high] = [canvas.wide || 0, canvas.high || 0];
    const [width, height] = [Math.round(wide * ratio), Math.round(high * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    return pen;
  };
  /* Paint the text behind the letters: the more strongly a unit fires, the greener, and the thicker the line below. */
  const paintText = () => {
    if (!looks || !paint.wide) return;
    const pen = sized(paint), [ffn, unit] = pointed || [now.ffn, now.unit];
    pen.font = looks.font;
    const wide = pen.measureText("0").width;
    const from = looks.left, right = area.clientWidth - from, at = reader ? chosen() : -1;
    let x = from, y = looks.top - area.scrollTop;
    Array.from(now.text).forEach((letter, number) => {
      const plain = letter >= " " && letter <= "~";
      const step = letter === "\t" ? wide * (4 - (Math.round((x - from) / wide) % 4)) : plain || letter === "\n" ? wide : pen.measureText(letter).width;
      if (letter !== "\n" && x + step > right) [x, y] = [from, y + looks.line]; /* as the field breaks it: anywhere */
      const s = number < known ? Math.min(1, strength(number, ffn, unit)) : 0;
      if (s >= FIRES) {
        pen.fillStyle = looks.hidden;
        pen.globalAlpha = s * (looks.dark ? 0.45 : 0.6);
        pen.fillRect(x, y + 2, step, looks.line - 4);
        pen.globalAlpha = 1;
        const bar = s < 1 / 3 ? 1.5 : s < 2 / 3 ? 3 : 4.5;
        pen.fillRect(x, y + looks.line - 2 - bar, step, bar);
      }
      if (number === at) {
        pen.strokeStyle = looks.accent;
        pen.lineWidth = 2;
        pen.strokeRect(x, y + 2, step, looks.line - 4);
      }
      x += step;
      if (letter === "\n") [x, y] = [from, y + looks.line];
    });
  };
  /* Each unit is a cell, which lights up at once and goes out slowly. */
  const shine = () => {
    shining = shining || requestAnimationFrame(() => {
      shining = 0;
      let moving = false;
      const at = reader ? chosen() : -1;
      fields.forEach((field, number) => {
        const row = glow[number];
        for (let unit = 0; unit < UNITS; unit++) {
          const to = at < 0 ? 0 : Math.min(1, strength(at, number + 1, unit));
          const way = to - row[unit];
          const near = still.matches || Math.abs(way) < 0.02;
          row[unit] = near ? to : row[unit] + way * (way > 0 ? 0.5 : 0.2);
          moving = moving || !near;
        }
        if (field.wide) fill(field, number);
      });
      if (moving) shine();
    });
  };
  const fill = (field, number) => {
    const pen = sized(field), step = field.wide / COLUMNS, gap = Math.max(1, step * 0.14), high = field.high / (UNITS / COLUMNS);
    const corner = (unit) => [(unit % COLUMNS) * step + gap / 2, Math.floor(unit / COLUMNS) * high + gap / 2];
    const cell = (unit) => [...corner(unit), step - gap, high - gap];
    if (field.grid !== field.wide) {
      field.grid = field.wide;
      field.cells = new Path2D();
      for (let unit = 0; unit < UNITS; unit++) field.cells.rect(...cell(unit));
    }
    pen.fillStyle = looks.cell;
    pen.fill(field.cells);
    pen.fillStyle = looks.hidden;
    for (let unit = 0; unit < UNITS; unit++) {
      if (glow[number][unit] < 0.01) continue;
      pen.globalAlpha = 0.18 + 0.82 * glow[number][unit];
      pen.fillRect(...cell(unit));
    }
    const frame = (unit, colour, width, alpha = 1) => {
      pen.globalAlpha = alpha;
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.strokeRect(...cell(unit));
    };
    if (trained) {
      for (const unit of Object.keys(trained.names[number])) frame(Number(unit), looks.text, 1, 0.6);
      for (const [ffn, unit] of trained.found[now.find] || []) if (ffn === number + 1) frame(unit, looks.accent, 2.5);
    }
    if (number + 1 === now.ffn) frame(now.unit, looks.text, 2);
    if (pointed && pointed[0] === number + 1) frame(pointed[1], looks.text, 1.5);
    pen.globalAlpha = 1;
  };

  /* ---- what is said of units */

  const about = () => {
    const [ffn, unit] = pointed || [now.ffn, now.unit], at = reader ? chosen() : -1;
    const name = trained && trained.names[ffn - 1][unit];
    const value = at < 0 ? "" : ` is ${strength(at, ffn, unit).toFixed(2)} here`;
    const words = name ? `: fires ${readable(name[0])}, F1 ${name[1].toFixed(2)}` : trained ? ": fits no context well" : "";
    one(".about").textContent = `${called(ffn, unit)}${value}${words}`;
    const field = fields[ffn - 1];
    field.setAttribute("aria-valuenow", unit);
    field.setAttribute("aria-valuetext", one(".about").textContent);
  };
  const point = (ffn, unit) => {
    pointed = ffn ? [ffn, unit] : null;
    if (reader) count();
    paintText();
    shine();
  };
  const pin = (ffn, unit) => alter({ ffn, unit });
  const found = () => {
    const rows = trained.found[now.find] || [];
    const list = one(".found");
    if (list.find !== now.find) {
      list.find = now.find;
      list.replaceChildren();
      for (const [ffn, unit, f1] of rows)
        added(list, "button", `<span>${called(ffn, unit)}</span><span>F1 ${f1.toFixed(2)}</span>`).onclick = () => pin(ffn, unit);
    }
    Array.from(list.children).forEach((button, number) => button.setAttribute("aria-pressed", rows[number][0] === now.ffn && rows[number][1] === now.unit));
  };

  /* ---- hands */

  const cellAt = (field, event) => {
    const at = (place, size, count) => Math.min(count - 1, Math.max(0, Math.floor((place / size) * count)));
    return at(event.offsetY, field.high, UNITS / COLUMNS) * COLUMNS + at(event.offsetX, field.wide, COLUMNS);
  };
  const MOVES = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS };
  fields.forEach((field, number) => {
    const ffn = number + 1;
    field.onpointermove = (event) => {
      const unit = cellAt(field, event);
      if (!pointed || pointed[0] !== ffn || pointed[1] !== unit) point(ffn, unit);
    };
    field.onpointerleave = field.onblur = () => point();
    field.onclick = (event) => pin(ffn, cellAt(field, event));
    field.onkeydown = (event) => {
      const unit = pointed && pointed[0] === ffn ? pointed[1] : now.ffn === ffn ? now.unit : 0;
      const to = { Home: 0, End: UNITS - 1 }[event.key] ?? unit + MOVES[event.key];
      if (event.key === "Enter") pin(ffn, unit);
      else if (to >= 0 && to < UNITS) point(ffn, to);
      else if (!(event.key in MOVES)) return;
      event.preventDefault();
    };
  });
  boxes.forEach((box) => (box.onchange = () => alter({ ffn: boxes[0].value, unit: boxes[1].value })));
  area.oninput = () => {
    load();
    place = area.selectionStart - 1;
    alter({ text: area.value });
  };
  area.onscroll = paintText;
  size.oninput = () => alter({ own: size.value });
  held.onchange = () => alter({ held: held.checked ? `${now.ffn}.${now.unit}` : "" });
  select.onchange = () => {
    const [best] = trained.found[select.value] || [];
    alter({ find: select.value, ...(best && { ffn: best[0], unit: best[1] }) });
  };
  const look = () => {
    if (document.activeElement !== area || area.selectionStart - 1 === place) return;
    place = area.selectionStart - 1;
    if (reader) go(), about();
  };
  one(".link").hidden = !data.link;
  const linkTo = () => new URL(`${data.link}?${new URLSearchParams({ ...now, at: place })}`, location.href).href;
  const whole = Object.assign(one(".link a"), { href: data.link, hidden: data.eager, onclick: () => (whole.href = linkTo()) });
  one(".link button").onclick = () => {
    const address = linkTo();
    const says = (words) => () => (one(".copied").textContent = words);
    if (!navigator.clipboard) return prompt("The link", address);
    navigator.clipboard.writeText(address).then(says("Copied."), () => prompt("The link", address));
  };
  /* What an address asks for. */
  const linked = () => {
    const [id, words] = location.hash.slice(1).split("?");
    if (id !== element.id || !words) return;
    const given = Object.fromEntries(new URLSearchParams(words));
    take(given);
    update();
    place = within(given.at, -1, now.text.length - 1, place);
    area.setSelectionRange(place + 1, place + 1);
    if (reader) go();
  };

  const resized = new ResizeObserver((seen) => {
    for (const { target, contentRect } of seen) [target.wide, target.high] = [contentRect.width, contentRect.height];
    drawnAnew();
  });
  const drawnAnew = () => (recolour(), paintText(), shine());
  const themed = () => requestAnimationFrame(drawnAnew); /* JupyterLab hides what it changes until then */
  const theme = new MutationObserver(themed);
  theme.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  dark.addEventListener("change", themed);
  document.addEventListener("selectionchange", look);
  addEventListener("hashchange", linked);
  for (const touched of ["focusin", "pointerdown"]) element.addEventListener(touched, load);
  recolour();
  for (const canvas of [paint, ...fields]) resized.observe(canvas);
  take(state || {});
  update();
  linked();
  if (data.packed || data.eager) load();
  else one(".said").textContent = "Click or type, and the model is loaded.";

  return {
    set(given) {
      take(given);
      update();
    },
    end() {
      ended = true;
      cancelAnimationFrame(frame);
      cancelAnimationFrame(shining);
      clearTimeout(resting);
      resized.disconnect();
      theme.disconnect();
      dark.removeEventListener("change", themed);
      document.removeEventListener("selectionchange", look);
      removeEventListener("hashchange", linked);
    },
  };
};
