/* The language model of lesson 10, running in plain JavaScript: type, and see what its units do and what it expects.
   It is causal, so what was computed for a character holds as long as nothing before it changes: a new text is computed
   from the first changed character on.

   data: { link } is the address, up to the component's id, to which links lead. The model comes with it, or with data.weights: a script
   that hands it over, loaded when somebody touches the component, or at once where data.eager says so.
   state: { text, ffn, unit, off, held, own, find }, flat, so that it fits an address. FFNs are counted from 1, units
   from 0. off: sub-layers that write nothing, such as "attention 1,ffn 2". held: a unit held at 0, such as "1.356".
   own: the length of the column that our own unit writes. find: a context, whose five best units are marked. An address also says at which
   character the caret is. */
import { added, bars, called, common, field, percent, pigment, say, sized, visible, watched, within } from "./lens.js";
import { Specimen } from "./language_model.js";

const UNITS = 512, COLUMNS = 32;
const MOST = 240; /* characters of a text */
const AT_ONCE = 6; /* milliseconds of computing, until the next frame */
const GLOWS = 33; /* milliseconds between two pictures of what shines; every frame would cost twice as much */
const FIRES = 0.05; /* of a unit's large value: from here on it is painted, as in the lesson's figures */
const BARS = 5, WRITTEN = 16;
const PRESETS = {
  "a class": "class Bank:\n    def close(self):\n        self",
  "a docstring": 'def read(path):\n    """Return the text of a file.\n',
  "a comment": "total = 0\nfor one in values:  # all of them\n    total",
  "your own": "",
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

export const style = `${common(".c-microscope")}
.c-microscope .link { margin-left: auto; }
.c-microscope .grid { display: grid; gap: 0.9rem 1.6rem; margin-top: 0.8rem; } @container (min-width: 42rem) { .c-microscope .top { grid-template-columns: 1.7fr 1fr; } .c-microscope .three { grid-template-columns: repeat(3, 1fr); } }
.c-microscope .sheet { position: relative; height: 8.9rem; margin-top: 0.5rem; border: 1px solid var(--c-line); border-radius: 10px; background: var(--c-cell); overflow: hidden; } .c-microscope .sheet:focus-within { outline: 3px solid var(--c-accent); outline-offset: 1px; }
.c-microscope .sheet > * { position: absolute; inset: 0; width: 100%; height: 100%; } .c-microscope textarea { font-variant-ligatures: none; letter-spacing: 0; tab-size: 4; white-space: break-spaces; line-break: anywhere; overflow: hidden auto; }
.c-microscope .fields canvas { width: 100%; aspect-ratio: 2; cursor: pointer; } .c-microscope .off canvas { opacity: 0.4; } .c-microscope .fields > :not(.off) small { display: none; }
.c-microscope input[type=range] { display: block; width: 100%; accent-color: var(--c-accent); } .c-microscope .found button { display: flex; width: 100%; justify-content: space-between; margin-top: 0.25rem; } .c-microscope [aria-pressed=true] { box-shadow: inset 0 0 0 2px var(--c-text); }
.c-microscope select { display: block; width: 100%; } .c-microscope .writes { font: 15px/1.6 var(--c-mono); white-space: pre-wrap; overflow-wrap: anywhere; } .c-microscope .writes b { background: color-mix(in srgb, var(--c-accent) 25%, transparent); }
.c-microscope .tools { grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); } .c-microscope .switches { display: grid; grid-template-columns: repeat(3, auto); gap: 0.1rem 0.8rem; justify-content: start; } .c-microscope fieldset label { font-size: 0.92em; white-space: nowrap; }
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

const readable = (name) => name.replace(/'.*'/, (quoted) => visible(quoted)); /* a context */

/* Take what is given, and makes sense, into a state. */
const taken = (now, given, parts) => {
  if ("text" in given) now.text = String(given.text).slice(0, MOST);
  now.ffn = within(given.ffn, 1, 3, now.ffn);
  now.unit = within(given.unit, 0, UNITS - 1, now.unit);
  now.own = within(given.own, 0, 40, now.own);
  if ("off" in given) now.off = String(given.off).split(",").filter((name) => parts.includes(name)).join();
  if ("held" in given) now.held = /^[123]\.\d+$/.test(given.held) ? given.held : "";
  if ("find" in given) now.find = String(given.find);
};

/* Paint a text behind its letters: the more strongly a unit fires, the greener, and the thicker the line below; a frame is
   around the letter `at`. strength(number): of a letter, from 0. */
const paintText = (canvas, area, looks, strength, at) => {
  const pen = sized(canvas);
  pen.font = looks.font;
  const wide = pen.measureText("0").width;
  const from = looks.left, right = area.clientWidth - from;
  let x = from, y = looks.top - area.scrollTop;
  Array.from(area.value).forEach((letter, number) => {
    const plain = letter >= " " && letter <= "~";
    const step = letter === "\t" ? wide * (4 - (Math.round((x - from) / wide) % 4)) : plain || letter === "\n" ? wide : pen.measureText(letter).width;
    if (letter !== "\n" && x + step > right) [x, y] = [from, y + looks.line]; /* as the field breaks it: anywhere */
    const s = Math.min(1, strength(number));
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

/* What shines in a field: each unit lights up at once and goes out slowly. Return whether something still moves. */
const shone = ({ shades }, glow, aims, green, still) => {
  let moving = false;
  for (let unit = 0; unit < glow.length; unit++) {
    const to = aims ? Math.min(1, aims[unit]) : 0;
    const way = to - glow[unit];
    const near = still || Math.abs(way) < 0.02;
    glow[unit] = near ? to : glow[unit] + way * (way > 0 ? 0.75 : 0.36);
    moving = moving || !near;
    shades[unit] = glow[unit] < 0.01 ? 0 : green(0.18 + 0.82 * glow[unit]);
  }
  return moving;
};

/* One microscope: its state `now`, the numbers of its text once the model is loaded, and what it shows. */
const Microscope = class {
  constructor(element, data, changed) {
    Object.assign(this, { element, data, changed, numbers: null, looks: null, pointed: null, known: 0, place: 0, ended: false, asked: false });
    this.now = { text: PRESETS["a class"], ffn: 2, unit: 473, off: "", held: "", own: 0, find: "" };
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.glow = [0, 1, 2].map(() => new Float32Array(UNITS));
    element.innerHTML = BODY;
    this.one = (selector) => element.querySelector(selector);
    const { one } = this;
    Object.assign(this, { area: one("textarea"), paint: one(".sheet canvas"), boxes: [one("[name=ffn]"), one("[name=unit]")], select: one("select"), size: one("[type=range]"), held: one("[name=held]") });
    this.area.maxLength = MOST;
    this.bars = bars(one(".next"), BARS);
    this.fields = this.glow.map((_, number) => this.field(number + 1));
    this.switches = ["attention", "ffn"].flatMap((kind) => [1, 2, 3].map((number) => {
      const words = `${kind === "ffn" ? "FFN" : kind} ${number}`;
      return added(one(".switches"), "label", `<input type="checkbox" value="${kind} ${number}"> ${words}`).firstChild;
    }));
  }
  field(ffn) {
    const canvas = added(this.one(".fields"), "div", `<span class="quiet">FFN ${ffn}<small> · off</small></span><canvas tabindex="0" role="slider" aria-label="Units of FFN ${ffn}" aria-valuenow="0" aria-valuemin="0" aria-valuemax="${UNITS - 1}"></canvas>`).lastChild;
    return field(canvas, COLUMNS, UNITS / COLUMNS, {
      hover: (unit) => this.point(unit === null ? null : [ffn, unit]),
      choose: (unit) => this.alter({ ffn, unit }),
      from: () => (this.pointed && this.pointed[0] === ffn ? this.pointed[1] : this.now.ffn === ffn ? this.now.unit : 0),
    });
  }

  /* ---- the state */

  take(given) {
    taken(this.now, given, this.switches.map((box) => box.value));
  }
  /* Change the state from here, and show it. */
  alter(given) {
    this.take(given);
    this.update();
    this.changed({ ...this.now });
  }
  update() {
    const { area, boxes, held, now, numbers, one } = this;
    if (area.value !== now.text) {
      area.value = now.text;
      area.setSelectionRange(MOST, MOST); /* who comes by the keyboard is at its end */
      this.place = now.text.length - 1;
    }
    [boxes[0].value, boxes[1].value, this.size.value, this.select.value] = [now.ffn, now.unit, now.own, now.find];
    this.switches.forEach((box) => (box.checked = now.off.split(",").includes(box.value)));
    this.fields.forEach(({ canvas }, number) => canvas.parentElement.classList.toggle("off", now.off.includes(`ffn ${number + 1}`)));
    held.checked = now.held !== "";
    say(held.nextElementSibling, `${called(...(now.held || `${now.ffn}.${now.unit}`).split("."))} at 0`);
    say(one(".own"), `Our own unit: i after self, length ${now.own}`);
    this.about();
    if (!numbers) return this.paintText();
    this.found();
    numbers.set(now);
    this.go();
  }

  /* ---- the model */

  load() {
    if (this.asked) return;
    this.asked = true;
    Promise.resolve(this.data.packed ? this.data : loaded(this.data.weights)).then((trained) => this.ready(trained), () => {
      this.asked = false;
      this.one(".said").textContent = "The model could not be loaded. Type once more to try again.";
    });
  }
  ready(trained) {
    if (this.ended) return;
    this.numbers = new Specimen(trained);
    for (const name of Object.keys(trained.found)) this.select.append(new Option(readable(name), name));
    this.update();
  }
  /* Compute for a while, show what is known, and go on in the next frame. */
  go() {
    cancelAnimationFrame(this.frame);
    this.known = this.numbers.reader.read(AT_ONCE);
    this.paintText();
    this.shine();
    this.bars(this.likely(BARS));
    if (this.known < this.now.text.length) this.frame = requestAnimationFrame(() => this.go());
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.told(), 400); /* what is read out may not change with each key */
  }
  /* The character whose row is shown; none before the model is there. */
  get at() {
    return this.numbers ? Math.min(this.place, this.known - 1) : -1;
  }
  get lit() {
    return this.pointed || [this.now.ffn, this.now.unit];
  }
  likely(count) {
    return this.at < 0 ? [] : this.numbers.likely(this.at, count);
  }

  /* ---- drawing */

  recolour() {
    const look = getComputedStyle(this.element), letters = getComputedStyle(this.area);
    const looks = Object.fromEntries(["cell", "hidden", "text", "accent"].map((name) => [name, look.getPropertyValue(`--c-${name}`)]));
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.looks = Object.assign(looks, { green: pigment(looks.hidden), font: `${letters.fontSize} ${letters.fontFamily}`, line: parseFloat(letters.lineHeight), left: parseFloat(letters.paddingLeft), top: parseFloat(letters.paddingTop), dark });
  }
  drawAnew() {
    this.recolour();
    this.paintText();
    this.shine();
  }
  paintText() {
    if (!this.looks || !this.paint.wide) return;
    const { known, lit, numbers } = this;
    paintText(this.paint, this.area, this.looks, (number) => (numbers && number < known ? numbers.strength(number, ...lit) : 0), this.at);
  }
  shine() {
    const { at, numbers } = this;
    this.aims = this.glow.map((_, number) => (at < 0 ? null : numbers.strengths(at, number + 1)));
    this.shining = this.shining || setTimeout(() => this.shineOn(), 0);
  }
  shineOn() {
    this.shining = 0;
    const moving = this.fields.map((field, number) => {
      const found = shone(field, this.glow[number], this.aims[number], this.looks.green, this.still.matches);
      field.paint(this.looks.cell, this.frames(number + 1));
      return found;
    });
    if (moving.includes(true)) this.shining = setTimeout(() => this.shineOn(), GLOWS);
  }
  /* What is framed in a field. */
  frames(ffn) {
    const { looks, now, numbers, pointed } = this, all = [];
    if (numbers) {
      const { names, found } = numbers.trained, best = found[now.find] || [];
      all.push([Object.keys(names[ffn - 1]), looks.text, 1, 0.6], [best.filter(([where]) => where === ffn).map(([, unit]) => unit), looks.accent, 2.5]);
    }
    if (ffn === now.ffn) all.push([[now.unit], looks.text, 2]);
    if (pointed && pointed[0] === ffn) all.push([[pointed[1]], looks.text, 1.5]);
    return all;
  }

  /* ---- what is said */

  about() {
    const [ffn, unit] = this.lit, { at, numbers, one } = this;
    const name = numbers && numbers.trained.names[ffn - 1][unit];
    const value = at < 0 ? "" : ` is ${numbers.strength(at, ffn, unit).toFixed(2)} here`;
    const words = name ? `: fires ${readable(name[0])}, F1 ${name[1].toFixed(2)}` : numbers ? ": fits no context well" : "";
    one(".about").textContent = `${called(ffn, unit)}${value}${words}`;
    const { canvas } = this.fields[ffn - 1];
    canvas.setAttribute("aria-valuenow", unit);
    canvas.setAttribute("aria-valuetext", one(".about").textContent);
  }
  /* Say of the unit that paints what it does here, and where else in the text. */
  count() {
    this.about();
    const { known, lit, now, numbers } = this;
    const fires = Array.from({ length: known }, (_, place) => place).filter((place) => numbers.strength(place, ...lit) >= FIRES);
    this.one(".said").textContent = `${called(...lit)} fires at ${fires.length} of ${now.text.length} characters.${numbers.knows(now.text) ? "" : " The model knows only plain ASCII, so it reads “?” in place of every other character."}`;
  }
  told() {
    const { at, now, numbers, one } = this;
    this.count();
    one(".place").textContent = at < 0 ? "" : ` after “${visible(now.text[at])}”, character ${at + 1}`;
    one(".aloud").textContent = `${one(".said").textContent} The model expects ${at < 0 ? "nothing yet" : this.likely(3).map(([letter, p]) => `${visible(letter)} ${percent(p)}`).join(", ")}.`;
    const lines = one(".writes");
    lines.replaceChildren();
    if (now.text) for (const [name, unit] of numbers.own ? [["without", null], ["with it", numbers.own]] : [["writes", null]]) {
      const line = added(lines, "span", `${name}: `);
      added(line, "span").textContent = now.text.split("\n").pop().trimStart();
      added(line, "b").textContent = `${numbers.written(WRITTEN, unit).replace("\n", "↵")}\n`;
    }
  }
  point(pointed) {
    this.pointed = pointed;
    if (this.numbers) this.count();
    this.paintText();
    this.shine();
  }
  found() {
    const { now, one } = this, rows = this.numbers.trained.found[now.find] || [];
    const list = one(".found");
    if (list.find !== now.find) {
      list.find = now.find;
      list.replaceChildren();
      for (const [ffn, unit, f1] of rows)
        added(list, "button", `<span>${called(ffn, unit)}</span><span>F1 ${f1.toFixed(2)}</span>`).onclick = () => this.alter({ ffn, unit });
    }
    Array.from(list.children).forEach((button, number) => button.setAttribute("aria-pressed", rows[number][0] === now.ffn && rows[number][1] === now.unit));
  }

  /* ---- hands */

  listen() {
    const { area, boxes, held, now, one, select, size, switches } = this;
    for (const [name, text] of Object.entries(PRESETS))
      added(one(".presets"), "button", name).onclick = () => (this.alter({ text }), area.focus());
    switches.forEach((box) => (box.onchange = () => this.alter({ off: switches.filter((one) => one.checked).map((one) => one.value).join() })));
    boxes.forEach((box) => (box.onchange = () => this.alter({ ffn: boxes[0].value, unit: boxes[1].value })));
    area.oninput = () => {
      this.load();
      this.place = area.selectionStart - 1;
      this.alter({ text: area.value });
    };
    area.onscroll = () => this.paintText();
    size.oninput = () => this.alter({ own: size.value });
    held.onchange = () => this.alter({ held: held.checked ? `${now.ffn}.${now.unit}` : "" });
    select.onchange = () => {
      const [best] = this.numbers.trained.found[select.value] || [];
      this.alter({ find: select.value, ...(best && { ffn: best[0], unit: best[1] }) });
    };
    for (const touched of ["focusin", "pointerdown"]) this.element.addEventListener(touched, () => this.load());
  }
  /* Follow the caret. */
  look() {
    const { area } = this;
    if (document.activeElement !== area || area.selectionStart - 1 === this.place) return;
    this.place = area.selectionStart - 1;
    if (this.numbers) this.go(), this.about();
  }
  /* Offer the address of what is shown. */
  link() {
    const { data, one } = this;
    one(".link").hidden = !data.link;
    const address = () => new URL(`${data.link}?${new URLSearchParams({ ...this.now, at: this.place })}`, location.href).href;
    const whole = Object.assign(one(".link a"), { href: data.link, hidden: data.eager, onclick: () => (whole.href = address()) });
    one(".link button").onclick = () => {
      const says = (words) => () => (one(".copied").textContent = words);
      if (!navigator.clipboard) return prompt("The link", address());
      navigator.clipboard.writeText(address()).then(says("Copied."), () => prompt("The link", address()));
    };
  }
  /* Show what an address asks for. */
  linked() {
    const [id, words] = location.hash.slice(1).split("?");
    if (id !== this.element.id || !words) return;
    const given = Object.fromEntries(new URLSearchParams(words));
    this.take(given);
    this.update();
    this.place = within(given.at, -1, this.now.text.length - 1, this.place);
    this.area.setSelectionRange(this.place + 1, this.place + 1);
    if (this.numbers) this.go();
  }
};

export const render = (element, data, state, changed) => {
  const lens = new Microscope(element, data, changed);
  const look = () => lens.look(), linked = () => lens.linked();
  lens.listen();
  lens.link();
  document.addEventListener("selectionchange", look);
  addEventListener("hashchange", linked);
  lens.recolour();
  const unwatch = watched([lens.paint, ...lens.fields.map(({ canvas }) => canvas)], () => lens.drawAnew());
  lens.take(state || {});
  lens.update();
  lens.linked();
  if (data.packed || data.eager) lens.load();
  else lens.one(".said").textContent = "Click or type, and the model is loaded.";
  return {
    set(given) {
      lens.take(given);
      lens.update();
    },
    end() {
      lens.ended = true;
      cancelAnimationFrame(lens.frame);
      clearTimeout(lens.shining);
      clearTimeout(lens.resting);
      unwatch();
      document.removeEventListener("selectionchange", look);
      removeEventListener("hashchange", linked);
    },
  };
};
