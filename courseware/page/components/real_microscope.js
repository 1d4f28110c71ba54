/* The microscope on a real model: Python computes what it shows, each time when something is changed.

   data: { sizes: { ffns, units, features, tokens: how many are read at most }, first: the answer to the state at the start }.
   state: { text, kept: a text for comparison, ffn, unit, off: what is switched off, of "ffn,attention,unit", entry: [FFN, feature,
   unit] of a number, value: what it is set to, or null }. FFNs are counted from 1, all else from 0.
   A question is the state with `caret`, the characters before the caret; for the answer see course_lib/real_microscope.py.
   Painted is what the model does as it is: what a change would do is a tick in the bars, so nothing moves under the hand. */
import { added, bars, called, common, field, pigment, say, visible, watched, within } from "./lens.js";
import { aloud, numbersOf, shown } from "./shared.js";

const COLUMNS = 48;
const BARS = 5;
const MOST = 1e6; /* of a number that is set */
const NEAR = 0.05; /* a value this near to 0 is written as 0 */
const SLOW = 4000; /* milliseconds, until it is said that no answer comes */

export const style = `${common(".c-real_microscope")}
.c-real_microscope { position: relative; max-width: 76rem; padding: 4px;
& input[type=number] { width: 5.2em; }
.sheet { border: 1px solid var(--c-line); border-radius: 10px; overflow: hidden; } .sheet:focus-within { outline: 3px solid var(--c-accent); outline-offset: 1px; } & textarea { display: block; width: 100%; font: inherit; font-size: 1.1rem; }
.tokens { display: flex; flex-wrap: wrap; gap: 0.2rem; margin: 0; padding: 0.5rem 0 0; list-style: none; } .tokens li { margin: 0; text-align: center; cursor: pointer; } .tokens b { display: block; min-width: 1.8rem; padding: 0.15rem 0.4rem; border-radius: 5px; font-weight: 400; font-size: 1.1rem; white-space: pre; background: color-mix(in srgb, var(--c-ink) var(--s), var(--c-cell)); } .tokens small { font-size: 0.85rem; color: var(--c-quiet); font-variant-numeric: tabular-nums; } .tokens .at b { box-shadow: inset 0 0 0 2px var(--c-accent); }
.above { --c-ink: var(--c-output); } .below { --c-ink: var(--c-input); } .kept b { font-size: 0.95rem; }
.top, .grid { display: grid; gap: 0.9rem 1.6rem; align-items: start; } .grid { margin-top: 0.9rem; }
@container (min-width: 36rem) { .top { grid-template-columns: 1.6fr 1fr; } .grid { grid-template-columns: 10rem 1fr; } } @container (min-width: 56rem) { .grid { grid-template-columns: 11rem 1fr 12.5rem; } }
.next b { flex: 1; max-width: 5.2rem; overflow: hidden; } .next i { inset: 0 6.6rem 0 6rem; } .next u { position: absolute; inset: 0 auto; left: calc(6rem - 1px + var(--t) * (100% - 12.6rem)); width: 3px; background: var(--c-text); } .next :is(span, small) { min-width: 2.9rem; text-align: right; font-size: 0.92em; white-space: nowrap; } .next span { margin-left: auto; } .heads { display: flex; justify-content: space-between; gap: 0.6rem; } .ifs { white-space: nowrap; }
.ffns { max-width: 14rem; font-size: 0.78rem; line-height: 1; font-variant-numeric: tabular-nums; outline-offset: 2px; margin-top: 0.4rem; } .ffns:focus-visible { outline: 3px solid var(--c-accent); border-radius: 4px; } .ffns div { display: grid; grid-template-columns: 1.4rem 1fr 3.1rem; gap: 0.3rem; align-items: center; height: 0.95rem; cursor: pointer; border-radius: 3px; } .ffns div > :first-child { text-align: right; color: var(--c-quiet); } .ffns i { height: 0.6rem; background: var(--c-hidden); opacity: 0.5; transform: scaleX(var(--s)); transform-origin: left; } .ffns .on { box-shadow: 0 0 0 2px var(--c-accent); } .ffns .on i { opacity: 1; } .ffns div:not(.on, .much) b { visibility: hidden; }
& canvas { width: 100%; aspect-ratio: 1.5; cursor: pointer; margin: 0.4rem 0; } .about { min-height: 1.5em; }
& fieldset { display: grid; gap: 0.2rem; justify-items: start; } & fieldset + fieldset { margin-top: 0.8rem; padding-top: 0.6rem; border-top: 1px solid var(--c-line); } & legend { float: left; padding: 0; font-weight: 600; } & fieldset label { display: flex; align-items: center; gap: 0.4rem; min-height: 2rem; } .status { min-height: 1.5em; }
@container (max-width: 55.9rem) { .hands { grid-column: 1 / -1; display: flex; flex-wrap: wrap; align-items: flex-start; gap: 0.6rem 2.5rem; } & fieldset + fieldset { margin: 0; padding: 0; border: 0; } }
}
`;

const BODY = `
<div class="top"><div><div class="sheet"><textarea rows="2" spellcheck="false" autocapitalize="off" autocomplete="off" translate="no" aria-label="Your text, in English"></textarea></div>
<ul class="tokens own" translate="no" aria-label="The values of the unit at the tokens"></ul><div class="row"><button type="button" class="keep">Keep this sentence for comparison</button></div><ul class="tokens kept" translate="no" aria-label="The same in the sentence that was kept"></ul></div>
<div><p class="heads"><span>It expects next<span class="quiet place"></span></span><span class="quiet ifs">as it is&ensp;┃ if …</span></p><ol class="next" translate="no" aria-label="What the model expects next"></ol><p class="quiet instead"></p></div></div>
<div class="grid"><div><span class="names">FFNs</span> <span class="quiet">what each writes here, ÷ the row it is added to</span><div class="ffns" tabindex="0" role="slider" aria-orientation="vertical" aria-valuemin="1" aria-label="FFN"></div></div>
<div><p class="about"></p><canvas tabindex="0" role="slider" aria-valuemin="0"></canvas><p class="quiet scale"></p></div>
<div class="hands"><fieldset class="off"><legend>What if …?</legend></fieldset>
<fieldset class="entry"><legend>One number of W<sub>down</sub></legend><label>FFN <input type="number" min="1"></label><label>feature <input type="number" min="0"></label><label>unit <input type="number" min="0"></label><label><span class="was"></span> → <input class="value" type="number" step="any"></label><span class="row"><button type="button">Set to 0</button><button type="button">Put back</button></span></fieldset></div></div>
<p class="quiet status" role="status"></p>`;

const percent = (p) => (p < 0.01 ? "< 1 %" : `${Math.round(100 * p)} %`);
const PARTS = ["ffn", "attention", "unit"];
const written = (value) => (Math.abs(value) < NEAR ? "0" : Math.abs(value) < 10 ? shown(value, 1) : shown(value, 0).replace(/\B(?=(\d{3})+$)/g, ","));
const share = (ratio) => (ratio > 2 ? `× ${Math.round(ratio)}` : `${Math.round(100 * ratio)} %`);
const bare = (token) => visible(token.trim() || token);
const strongest = (numbers) => numbers.reduce((most, one) => Math.max(most, Math.abs(one)), 0);

/* Take what is given, and makes sense, into a state. */
const taken = (now, given, { ffns, units, features }) => {
  for (const name of ["text", "kept"]) if (name in given) now[name] = String(given[name]);
  now.ffn = within(given.ffn, 1, ffns, now.ffn);
  now.unit = within(given.unit, 0, units - 1, now.unit);
  if ("off" in given) now.off = PARTS.filter((part) => String(given.off).split(",").includes(part)).join();
  if ("entry" in given) now.entry = [[1, ffns], [0, features - 1], [0, units - 1]].map((limits, at) => within(given.entry[at], ...limits, now.entry[at]));
  if ("value" in given) now.value = given.value === null || given.value === "" || !(Math.abs(given.value) <= MOST) ? null : Number(given.value);
};

/* What an answer says of one FFN: `value(token, unit)`, and the value of the full colour, the largest but for the first token's. */
const unpacked = ({ tokens, hidden }, units) => {
  const numbers = numbersOf(hidden);
  const row = (at) => numbers.subarray(at * units, (at + 1) * units);
  return { tokens, row, value: (at, unit) => numbers[at * units + unit], full: strongest(numbers.subarray(tokens.length > 1 ? units : 0)), first: strongest(row(0)) };
};

const Microscope = class {
  constructor(element, data, changed, ask) {
    Object.assign(this, { element, data, changed, ask, pointed: null, answer: null, voice: aloud() });
    this.now = { text: "", kept: "", ffn: 1, unit: 0, off: "", entry: [1, 0, 0], value: null };
    element.innerHTML = BODY;
    element.append(this.voice.element);
    this.one = (selector) => element.querySelector(selector);
    const { one } = this, { ffns, units, features, tokens } = data.sizes;
    this.area = one("textarea");
    this.bars = bars(one(".next"), BARS, "<small></small><u></u>", (bar, other) => {
      say(bar.children[3], other === null ? "" : percent(other));
      bar.children[4].hidden = other === null;
      bar.style.setProperty("--t", other === null ? 0 : other.toFixed(3));
    }, percent);
    this.ffns = Array.from({ length: ffns }, (_, at) => added(one(".ffns"), "div", `<span>${at + 1}</span><i></i><b></b>`));
    one(".ffns").setAttribute("aria-valuemax", ffns);
    one("canvas").setAttribute("aria-valuemax", units - 1);
    say(one(".names"), `${ffns} FFNs`);
    this.boxes = PARTS.map((part) => added(one(".off"), "label", `<input type="checkbox" value="${part}"> <span></span>`).firstChild);
    this.entry = Array.from(element.querySelectorAll(".entry input"));
    [ffns, features - 1, units - 1].forEach((most, at) => (this.entry[at].max = most));
    this.field = field(one("canvas"), COLUMNS, units / COLUMNS, {
      hover: (unit) => this.point(unit),
      choose: (unit) => this.alter({ unit }, !this.now.off.includes("unit")),
      from: () => this.pointed ?? this.now.unit,
    });
    this.most = tokens;
  }

  /* ---- the state */

  /* Change the state from here, show it, and ask unless what is known is enough. */
  alter(given, known = false) {
    taken(this.now, given, this.data.sizes);
    this.changed({ ...this.now });
    this.controls();
    if (known) this.show();
    else this.request();
  }
  set(given) {
    taken(this.now, given, this.data.sizes);
    this.controls();
    this.request();
  }
  controls() {
    const { area, boxes, entry, now } = this;
    if (area.value !== now.text) {
      area.value = now.text;
      area.setSelectionRange(now.text.length, now.text.length);
    }
    const words = [`FFN ${now.ffn} off`, `attention ${now.ffn} off`, `unit ${now.unit} at 0`];
    boxes.forEach((box, at) => {
      box.checked = now.off.split(",").includes(box.value);
      say(box.nextElementSibling, words[at]);
    });
    now.entry.forEach((number, at) => (entry[at].value = number));
    const changes = words.filter((_, at) => boxes[at].checked);
    if (now.value !== null) changes.push(`number (${now.entry[1]}, ${now.entry[2]}) of FFN ${now.entry[0]} at ${shown(now.value, 2).replace(/\.00$/, "")}`);
    this.changes = changes.join(" and ");
    say(this.one(".keep"), now.kept ? "Keep this one instead" : "Keep this sentence for comparison");
  }

  /* ---- questions and answers */

  /* The characters before the caret, as Python counts them. */
  get caret() {
    return Array.from(this.area.value.slice(0, this.area.selectionStart)).length;
  }
  request() {
    const { now, one } = this;
    if (!this.ask) return say(one(".status"), "Python computes this microscope: run its cell in a notebook.");
    if (!now.text) return this.none();
    const slow = setTimeout(() => say(one(".status"), "No answer yet: another cell may be running. If you have restarted the kernel, run this cell again."), SLOW);
    const done = (words) => {
      clearTimeout(slow);
      if (words !== undefined) say(one(".status"), words);
    };
    this.asked = this.caret;
    this.ask({ ...now, caret: this.caret }).then((answer) => {
      done(answer ? (answer.is_cut ? `Only the first ${this.most} tokens are read.` : "") : undefined);
      if (answer && !this.ended) this.take(answer);
    }, (error) => done(`Python could not answer: ${error.message}`));
  }
  none() {
    this.bars([]);
    this.answer = null;
    for (const list of this.element.querySelectorAll(".tokens")) list.replaceChildren();
    say(this.one(".about"), "Type a text.");
  }
  take(answer) {
    const { units } = this.data.sizes;
    this.answer = answer;
    this.seen = unpacked(answer, units);
    this.kept = answer.kept && unpacked(answer.kept, units);
    this.show();
  }

  /* ---- drawing */

  get unit() {
    return this.pointed ?? this.now.unit;
  }
  show() {
    const { answer, now, one } = this;
    if (!answer) return;
    this.bars(answer.expected);
    say(one(".place"), ` after “${bare(answer.tokens[answer.at])}”`);
    one(".ifs").hidden = !answer.instead;
    say(one(".instead"), answer.instead && this.changes ? `With ${this.changes} it expects “${visible(answer.instead[0])}” first, with ${percent(answer.instead[1])}.` : "");
    say(one(".was"), shown(answer.entry, 2));
    const box = one(".value");
    if (document.activeElement !== box) box.value = now.value ?? Number(answer.entry.toFixed(2));
    const most = Math.max(...answer.written.filter((ratio) => ratio <= 1), 0.5);
    this.ffns.forEach((row, at) => {
      const ratio = answer.written[at];
      row.style.setProperty("--s", Math.min(1, ratio / most).toFixed(3));
      say(row.lastChild, share(ratio));
      row.className = `${at + 1 === now.ffn ? "on" : ""} ${ratio > 1 || ratio === most ? "much" : ""}`;
    });
    const slider = one(".ffns");
    slider.setAttribute("aria-valuenow", now.ffn);
    slider.setAttribute("aria-valuetext", `FFN ${now.ffn} writes ${share(answer.written[now.ffn - 1])} of the row here`);
    this.paint();
    this.tokens();
  }
  paint() {
    const { answer, now, one, pointed, seen } = this;
    if (!answer || !this.looks) return;
    const { above, below, cell, text } = this.looks, { shades } = this.field;
    const row = seen.row(answer.at);
    row.forEach((value, unit) => (shades[unit] = (value > 0 ? above : below)(Math.min(1, Math.abs(value) / seen.full) ** 0.6)));
    this.field.paint(cell, [[[now.unit], text, 2.5], [pointed === null ? [] : [pointed], text, 1.5]]);
    const near = row.filter((value) => Math.abs(value) < NEAR).length, zeros = row.filter((value) => value === 0).length;
    const first = seen.first > seen.full ? ` (there ${written(seen.first)})` : "";
    say(one(".scale"), `${row.length.toLocaleString("en")} units: vermilion above 0, blue below; full colour is ${written(seen.full)}, the largest value without the first token${first}. ${near} lie within ±${NEAR}, ${zeros || "none"} ${zeros > 1 ? "are" : "is"} 0. Point at one or use the arrow keys; click or press Enter to keep it.`);
  }
  /* Paint the tokens with the values of the unit, and say what it does here. */
  tokens() {
    const { answer, kept, now, one, seen, unit } = this;
    if (!answer) return;
    this.list(one(".own"), seen, answer.at);
    if (kept) this.list(one(".kept"), kept, -1);
    else one(".kept").replaceChildren();
    const value = written(seen.value(answer.at, unit));
    one(".about").innerHTML = `<b>${called(now.ffn, unit)}</b> is ${value} at “<span></span>”${this.pointed === null ? "" : ", where you point"}.`;
    one(".about span").textContent = bare(answer.tokens[answer.at]);
    const canvas = one("canvas");
    canvas.setAttribute("aria-label", `Units of FFN ${now.ffn}`);
    canvas.setAttribute("aria-valuenow", unit);
    canvas.setAttribute("aria-valuetext", one(".about").textContent);
    const at = answer.tokens.map((token, place) => [seen.value(place, unit), bare(token)]).filter(([value]) => Math.abs(value) >= NEAR);
    const fires = at.length ? at.map(([value, token]) => `${token} ${written(value)}`).join(", ") : "it is 0 everywhere";
    const expects = answer.expected.slice(0, 3).map(([token, p, other]) => `${visible(token)} ${percent(p)}${other === null ? "" : `, then ${percent(other)}`}`).join("; ");
    this.voice.says(`${called(now.ffn, unit)}: ${fires}. The model expects ${expects}. ${one(".instead").textContent}`);
  }
  list(list, seen, at) {
    while (list.children.length > seen.tokens.length) list.lastChild.remove();
    while (list.children.length < seen.tokens.length) added(list, "li", "<b></b><small></small>");
    seen.tokens.forEach((token, place) => {
      const value = seen.value(place, this.unit), item = list.children[place];
      item.className = `${value > 0 ? "above" : "below"} ${place === at ? "at" : ""}`;
      item.style.setProperty("--s", `${Math.round(60 * Math.min(1, Math.abs(value) / this.seen.full) ** 0.6)}%`);
      say(item.firstChild, bare(token));
      say(item.lastChild, written(value));
    });
  }
  point(unit) {
    this.pointed = unit;
    this.paint();
    this.tokens();
  }
  recolour() {
    const look = getComputedStyle(this.element), colour = (name) => look.getPropertyValue(`--c-${name}`);
    this.looks = { above: pigment(colour("output")), below: pigment(colour("input")), cell: colour("cell"), text: colour("text") };
    this.paint();
  }

  /* ---- hands */

  listen() {
    const { area, boxes, entry, now, one } = this, { ffns } = this.data.sizes;
    area.oninput = () => this.alter({ text: area.value });
    one(".own").onclick = (event) => {
      const item = event.target.closest("li");
      if (!item) return;
      const end = Array.from(area.value).slice(0, this.answer.ends[Array.from(item.parentElement.children).indexOf(item)]).join("").length;
      area.focus();
      area.setSelectionRange(end, end);
    };
    one(".keep").onclick = () => this.alter({ kept: now.text });
    one(".ffns").onclick = (event) => {
      const row = event.target.closest(".ffns > div");
      if (row) this.alter({ ffn: this.ffns.indexOf(row) + 1 });
    };
    one(".ffns").onkeydown = (event) => {
      const to = { ArrowUp: now.ffn - 1, ArrowLeft: now.ffn - 1, ArrowDown: now.ffn + 1, ArrowRight: now.ffn + 1, Home: 1, End: ffns }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.alter({ ffn: to });
    };
    boxes.forEach((box) => (box.onchange = () => this.alter({ off: boxes.filter((one) => one.checked).map((one) => one.value).join() })));
    entry.slice(0, 3).forEach((box) => (box.onchange = () => this.alter({ entry: entry.slice(0, 3).map((one) => one.value), value: null })));
    one(".value").onchange = (event) => this.alter({ value: event.target.value });
    const [zero, back] = this.element.querySelectorAll(".entry button");
    zero.onclick = () => this.alter({ value: 0 });
    back.onclick = () => this.alter({ value: null });
  }
  /* Follow the caret. */
  look() {
    if (document.activeElement === this.area && this.now.text && this.area.value === this.now.text && this.caret !== this.asked) this.request();
  }
};

export const render = (element, data, state, changed, ask) => {
  const lens = new Microscope(element, data, changed, ask);
  const look = () => lens.look();
  taken(lens.now, state, data.sizes);
  lens.controls();
  lens.asked = lens.caret;
  lens.listen();
  lens.recolour();
  lens.take(data.first);
  document.addEventListener("selectionchange", look);
  const unwatch = watched([lens.one("canvas")], () => lens.recolour());
  return {
    set: (given) => lens.set(given),
    end() {
      lens.ended = true;
      lens.voice.end();
      unwatch();
      document.removeEventListener("selectionchange", look);
    },
  };
};
