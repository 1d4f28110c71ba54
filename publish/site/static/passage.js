/* The passage, drawn: one word's numbers go through the layer, and everything behind a number moves with it.
   One unit of the drawing is one pixel, so words keep their size on any screen. How far it has come is a number from 0
   to 6: each step of STEPS takes one. */
"use strict";
(() => {
  const { all, made } = course;
  const numbers = course.passage;
  const STEPS = ["enter", "attention", "ask", "bend", "write", "add"];
  const SECONDS = 5.1;
  const LEAST = 0.005; /* what is smaller is not written */
  const DRAG = 70; /* pixels for 1 */
  const [HIGH, LOW] = [1, 1.5]; /* of a bar that is drawn whole */
  const MOST = 2; /* of a number that is moved, up or down */
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const SVG = "http://www.w3.org/2000/svg";
  const svg = (tag, attributes = {}, inside = "") => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = inside;
    return element;
  };
  const set = (element, attributes) => {
    for (const [name, value] of Object.entries(attributes)) {
      const text = typeof value === "number" ? String(Math.round(value * 100) / 100) : value;
      if (element.getAttribute(name) !== text) element.setAttribute(name, text);
    }
  };
  const say = (element, text) => element.textContent === text || (element.textContent = text);
  const within = (value, low, high) => Math.min(Math.max(value, low), high);
  const eased = (share) => share * share * (3 - 2 * share);
  const part = (share, from, to) => eased(within((share - from) / (to - from), 0, 1));
  const mid = (one, other, share) => one + (other - one) * share;
  const number = (value) => {
    const text = String(Number(value.toFixed(2)));
    return (text === "-0" ? "0" : text).replace("-", "−");
  };
  const signed = (value) => (value > 0 ? "+" : "") + number(value);
  const listed = (row, features) => {
    const found = features.map((name, at) => [name, row[at]]).filter(([, value]) => Math.abs(value) >= LEAST);
    return found.map(([name, value]) => `${name} ${number(value)}`).join(", ") || "nothing";
  };
  const sign = (value) => (value < 0 ? "below" : "above");
  const tint = (value) =>
    Math.abs(value) < LEAST ? "" : `fill: color-mix(in srgb, var(--${value < 0 ? "input" : "output"}) ${Math.round(12 + 43 * Math.min(Math.abs(value), 1))}%, var(--paper))`;

  /* Places of everything, for a stage of this width. */
  const layout = (wide, names, words, rows) => {
    const narrow = wide < 560;
    const [pill, lane, others] = narrow ? [38, 23, 5] : [50, 27, 13];
    const room = rows ? 4 * (others + 1) + 6 : 0;
    const label = narrow ? 46 : 62;
    const left = label + 8 + pill / 2;
    const right = wide - pill / 2 - 2 - room - (narrow ? 0 : label);
    const across = (share) => left + share * (right - left);
    const top = narrow ? 100 : 108;
    const below = top + lane * names;
    const step = narrow ? 40 : 52; /* of a bar, for 1 */
    const zero = below + (narrow ? 74 : 84);
    const size = narrow ? 17 : wide < 800 ? 20 : 24;
    const lengths = words.map((word) => word.length * size * 0.56);
    const gap = narrow ? (wide - 20 - lengths.reduce((one, other) => one + other)) / (words.length - 1) : size * (wide < 800 ? 1 : 1.5);
    let x = narrow ? 8 : wide < 800 ? 12 : left - pill / 2;
    const sentence = lengths.map((length) => [x, (x += length + gap) - gap]).map(([from, to]) => ({ x: (from + to) / 2, half: (to - from) / 2 }));
    return {
      wide, narrow, pill, lane, others, label, top, below, step, zero, size, sentence,
      high: zero + LOW * step + (wide < 800 ? 56 : 46),
      x: { enter: left, plus: across(narrow ? 0.17 : 0.16), mixed: across(0.31), add: across(0.83), stream: right },
      units: [across(narrow ? 0.46 : 0.47), across(narrow ? 0.7 : 0.67)],
      bar: narrow ? 26 : 40,
      y: (at) => top + (at + 0.5) * lane,
    };
  };

  class Passage {
    constructor(figure) {
      const { layer, shows, upto } = JSON.parse(figure.dataset.passage);
      Object.assign(this, { figure, layer, shows });
      this.stage = figure.querySelector(".stage");
      this.asks = upto === null ? null : figure.closest(".asks");
      this.end = this.asks ? upto + 1 : STEPS.length;
      this.state = { cue: layer.cues[0], bend: shows.bends[0], word: layer.words[layer.cues[0]].length - 1, moved: null };
      this.feature = layer.features.indexOf("bank");
      this.before = "attention";
      this.at = 0;
      this.pinned = null;
      this.build();
      this.take();
      new ResizeObserver(() => this.resize()).observe(this.stage);
      this.resize();
      if (this.asks) this.asking();
      if (still.matches) this.show(this.end);
      else this.whenSeen();
      addEventListener("beforeprint", () => this.show(this.end));
    }

    /* ---- what it is made of ---- */
    build() {
      const { layer, shows } = this;
      const words = layer.words[this.state.cue];
      this.svg = svg("svg", { role: "group", "aria-label": "One word on its way through a transformer layer" });
      const group = (name, attributes = {}) => this.svg.appendChild(svg("g", { class: name, "aria-hidden": "true", ...attributes }));
      const each = (count, make) => Array.from({ length: count }, (_, at) => make(at));
      const into = (parent, tag, name, inside = "") => parent.appendChild(svg(tag, { class: name }, inside));
      const size = layer.features.length;

      const ground = group("ground");
      this.lanes = each(size, () => into(ground, "line", "lane"));
      this.names = [0, 1].map(() => layer.features.map((name) => into(ground, "text", "name", name)));
      this.titles = ["what enters", "after attention", "after the layer"].map((title) => into(ground, "text", "title", title));
      this.ffn = into(ground, "text", "title ffn", "the FFN asks");
      const lines = group("lines");
      this.looks = words.map(() => into(lines, "path", "look"));
      this.trunk = into(lines, "path", "trunk");
      this.reads = layer.b1.map((_, unit) => layer.features.map((_, at) => this.line(lines, layer.W1[at][unit])));
      this.writes = layer.b1.map((_, unit) => layer.features.map((_, at) => this.line(lines, layer.W2[unit][at])));
      const bars = group("bars");
      this.axis = into(bars, "line", "zero");
      this.bars = layer.b1.map(() => ({ ghost: into(bars, "rect", "ghost"), bar: into(bars, "rect", "bar"), value: into(bars, "text", "value") }));
      this.small = layer.b1.map(() => (shows.counter ? words.map(() => into(bars, "rect", "bar small")) : []));
      this.sweep = into(bars, "line", "sweep");
      this.counter = into(bars, "text", "counter");
      const cells = group("cells");
      const pill = (name) => {
        const one = cells.appendChild(svg("g", { class: `number ${name}` }));
        return { group: one, box: into(one, "rect", ""), value: into(one, "text", "") };
      };
      this.covered = each(size, () => pill("empty"));
      this.entering = each(size, () => pill("enter"));
      this.mixed = each(size, () => pill("mixed"));
      this.leaving = each(size, () => pill("stream"));
      this.rows = shows.rows ? words.map(() => each(size, () => into(cells, "rect", "other"))) : [];
      this.marks = shows.rows ? words.map(() => into(cells, "text", "mark")) : [];
      const plus = () => {
        const one = cells.appendChild(svg("g", { class: "plus" }));
        into(one, "circle", "");
        into(one, "path", "");
        return { group: one, value: into(one, "text", "") };
      };
      this.pluses = ["plus", "add"].map(() => each(size, plus));
      this.words = words.map((word, at) => {
        const one = this.svg.appendChild(svg("g", { class: "word", role: "button", tabindex: "0" }));
        const made = { group: one, box: into(one, "rect", ""), text: into(one, "text", "", word) };
        this.pressed(one, () => this.follow(at));
        return made;
      });
      this.units = layer.b1.map((_, unit) => {
        const one = this.svg.appendChild(svg("g", { class: "unit", role: "button", tabindex: "0" }));
        const made = { group: one, box: into(one, "rect", ""), lines: [into(one, "text", ""), into(one, "text", "")] };
        for (const [event, to] of [["pointerenter", unit], ["pointerleave", null], ["focus", unit], ["blur", null]])
          one.addEventListener(event, () => this.point(to));
        this.pressed(one, () => this.point(unit, true));
        return made;
      });
      this.stage.append(this.svg);
      this.said = made("p", "", { class: "said" });
      this.aloud = made("p", "", { class: "aloud", role: "status" });
      this.stage.after(this.said, this.bar(), this.aloud);
      this.stage.after(this.buttons);
      this.drags(this.entering, "attention");
      if (shows.rows) this.drags(this.mixed, "FFN");
    }
    line(parent, weight) {
      return weight ? parent.appendChild(svg("path", { class: `weight ${sign(weight)}`, pathLength: "1" })) : null;
    }
    pressed(element, act) {
      element.addEventListener("click", act);
      element.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        act();
      });
    }
    bar() {
      const box = made("div", "", { class: "passage-controls" });
      const button = (name, text, act) => {
        const one = made("button", text, { type: "button", class: name });
        one.addEventListener("click", act);
        return one;
      };
      this.playing = button("play", "Play", () => this.toggle());
      this.next = button("step", "Step", () => this.step());
      const choice = (name, title, values, act) => {
        const field = made("fieldset", "", { class: `control ${name}` });
        field.append(made("legend", title));
        const row = field.appendChild(made("span", "", { class: "segments" }));
        values.forEach(([value, text], at) => {
          const label = row.appendChild(made("label"));
          const input = label.appendChild(made("input", "", { type: "radio", name: `${this.figure.id}-${name}`, value }));
          input.checked = !at;
          input.addEventListener("change", () => act(value));
          label.append(made("span", text));
        });
        return field;
      };
      this.buttons = made("div", "", { class: "play-step" });
      this.buttons.append(this.playing, this.next);
      this.cues = choice("cue", "sentence with", this.layer.cues.map((cue) => [cue, cue]), (cue) => this.change({ cue }));
      this.bends = choice("bend", "bend", this.shows.bends.map((bend) => [bend, bend]), (bend) => this.change({ bend }));
      const move = made("div", "", { class: "control move" });
      const id = `${this.figure.id}-move`;
      this.select = made("select", "", { "aria-label": "Which number to move" });
      this.layer.features.forEach((name, at) => this.select.append(made("option", name, { value: at })));
      this.select.value = this.feature;
      this.select.addEventListener("change", () => this.pick(Number(this.select.value), this.before));
      this.slider = made("input", "", { type: "range", id, min: -MOST, max: MOST, step: 0.05, value: 0 });
      this.slider.addEventListener("input", () => this.shift(Number(this.slider.value)));
      this.output = made("output", "0", { for: id });
      const holder = made("span", "", { class: "slider" });
      holder.append(this.slider, this.output);
      const label = made("label", "move", { for: id });
      move.append(label, this.select, holder);
      this.reset = button("reset unmoved", "↺", () => this.back());
      set(this.reset, { "aria-label": "Put the number back", title: "Put the number back" });
      if (this.shows.rows)
        move.append(choice("where", "where", [["attention", "before attention"], ["FFN", "after attention"]], (before) => this.pick(this.feature, before)));
      move.append(this.reset);
      box.append(this.cues, this.bends, move);
      this.controls = box;
      return box;
    }

    /* ---- what moves it ---- */
    asking() {
      this.said.after(this.asks.querySelector(".quiz"));
      const lift = () => {
        if (this.end === STEPS.length) return;
        this.end = STEPS.length;
        this.asks.classList.add("answered");
        this.open();
        if (still.matches) this.show(this.end);
        else this.play(Math.min(this.at, STEPS.indexOf("bend")));
      };
      this.asks.addEventListener("click", (event) => event.target.closest(".option") && lift());
      if (this.asks.querySelector(".option.right")) {
        this.end = STEPS.length; /* remembered */
        this.asks.classList.add("answered");
      }
      this.open();
    }
    /* What would tell the answer waits for it. */
    open() {
      const shut = this.end < STEPS.length;
      this.bends.hidden = shut;
      for (const { value } of this.covered) say(value, shut ? "?" : "");
      this.draw();
    }
    whenSeen() {
      this.show(0);
      const seen = new IntersectionObserver(
        (entries) => {
          if (!entries.some((entry) => entry.isIntersecting)) return;
          seen.disconnect();
          if (!this.touched) this.play(0);
        },
        { threshold: 0.5 },
      );
      seen.observe(this.svg);
    }
    toggle() {
      if (this.frame) return this.pause();
      if (still.matches) return this.show(this.end);
      this.play(this.at >= this.end ? 0 : this.at);
    }
    play(from, to = this.end) {
      cancelAnimationFrame(this.frame);
      this.touched = true;
      this.at = from;
      let last = performance.now();
      const tick = (now) => {
        this.at = Math.min(this.at + (Math.max(now - last, 0) / 1000) * (STEPS.length / SECONDS), to);
        last = now;
        this.frame = this.at < to ? requestAnimationFrame(tick) : 0;
        this.draw();
        if (!this.frame) this.speak();
      };
      this.frame = requestAnimationFrame(tick);
      this.draw();
    }
    pause() {
      cancelAnimationFrame(this.frame);
      this.frame = 0;
      this.draw();
    }
    step() {
      this.touched = true;
      const from = this.at >= this.end ? 0 : Math.floor(this.at);
      if (!still.matches) return this.play(Math.max(from, this.at % this.end), from + 1);
      this.show(from + 1);
      this.speak();
    }
    show(at) {
      cancelAnimationFrame(this.frame);
      this.frame = 0;
      this.at = at;
      this.draw();
    }
    follow(word) {
      this.touched = true;
      this.pinned = null;
      this.state = { ...this.state, word, moved: null };
      this.pick(this.layer.x[this.state.cue][word].findIndex((value) => value !== 0), this.before, true);
      if (still.matches) {
        this.show(this.end);
        this.speak();
      } else this.play(0);
    }
    change(what) {
      this.touched = true;
      this.state = { ...this.state, ...what };
      if (!this.frame && this.at < this.end) this.at = this.end;
      this.take(!still.matches);
      this.speak();
    }
    pick(feature, before, silent) {
      const same = feature === this.feature && before === this.before;
      this.feature = feature;
      this.before = before;
      this.select.value = feature;
      for (const one of all(".where input", this.controls)) one.checked = one.value === before;
      if (!same || silent) this.state = { ...this.state, moved: null };
      this.take();
    }
    shift(by) {
      this.touched = true;
      const word = this.state.word;
      this.state = { ...this.state, moved: by ? { before: this.before, word, feature: this.feature, by } : null };
      if (!this.frame && this.at < this.end) this.at = this.end;
      this.take();
      this.speak();
    }
    back() {
      this.state = { ...this.state, moved: null };
      this.take(!still.matches);
      this.slider.focus();
      this.speak();
    }
    drags(pills, before) {
      pills.forEach(({ group }, at) => {
        group.classList.add("drags");
        group.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          group.setPointerCapture(event.pointerId);
          if (at !== this.feature || before !== this.before) this.pick(at, before);
          const [from, start] = [event.clientY, this.state.moved ? this.state.moved.by : 0];
          const move = (event) => this.shift(within(Math.round((start + (from - event.clientY) / DRAG) * 20) / 20, -MOST, MOST));
          group.addEventListener("pointermove", move);
          const done = () => group.removeEventListener("pointermove", move);
          for (const end of ["pointerup", "pointercancel"]) group.addEventListener(end, done, { once: true });
        });
      });
    }
    point(unit, pin) {
      if (pin) this.pinned = this.pinned === unit ? null : unit;
      this.pointed = unit === null ? this.pinned : unit;
      this.draw();
      this.speak();
    }

    /* ---- its numbers ---- */
    take(moving) {
      this.way = numbers.way(this.layer, this.state);
      this.plain = this.state.moved ? numbers.way(this.layer, { ...this.state, moved: null }) : this.way;
      cancelAnimationFrame(this.glide);
      const from = this.seen;
      if (!moving || !from) {
        this.seen = this.way;
        return this.draw();
      }
      const begun = performance.now();
      const between = (one, other, share) =>
        Array.isArray(one) ? one.map((value, at) => between(value, other[at], share)) : typeof one === "number" ? mid(one, other, share) : other;
      const tick = (now) => {
        const share = within((now - begun) / 350, 0, 1);
        this.seen = share < 1 ? {} : this.way;
        if (share < 1) for (const name of Object.keys(this.way)) this.seen[name] = between(from[name], this.way[name], eased(share));
        this.draw();
        if (share < 1) this.glide = requestAnimationFrame(tick);
      };
      this.glide = requestAnimationFrame(tick);
    }
    off() {
      const { hidden } = this.way;
      return [hidden.flat().filter((value) => value === 0).length, hidden.flat().length];
    }
    question(unit) {
      return numbers.terms(this.layer, this.way.mixed[0], unit).map(([name]) => name).join(" and ") + "?";
    }
    sum(unit) {
      const { word, bend } = this.state;
      const found = numbers.terms(this.layer, this.way.mixed[word], unit);
      const [asked, hidden] = [this.way.asked[word][unit], this.way.hidden[word][unit]];
      const after = this.end > 3 ? ` → ${number(hidden)}` : "";
      if (this.shows.sums) {
        const terms = found.map(([, value, weight]) => `${number(value)} · ${number(weight)}`).join(" + ").replaceAll("+ −", "− ");
        const shift = this.layer.b1[unit];
        return `“${this.question(unit)}” ${terms} ${shift < 0 ? "−" : "+"} ${number(Math.abs(shift))} = ${number(asked)}${after}`;
      }
      const terms = found.map(([name, value]) => `${name} ${number(value)}`).join(" + ");
      return `“${this.question(unit)}” ${terms}, minus a threshold, gives ${number(asked)}${after && `, and the bend${bend === "none" ? ", switched off," : ""} leaves ${number(hidden)}`}`;
    }
    sentence() {
      const { layer, way } = this;
      const { word, bend, moved } = this.state;
      const name = `“${way.words[word]}”`;
      const has = (rows) => listed(rows[word], layer.features);
      if (this.pointed !== null && this.pointed !== undefined && this.at > 2) return `${this.sum(this.pointed)}.`;
      if (moved) {
        const rows = numbers.differs(way.stream, this.plain.stream);
        const count = rows.filter(Boolean).length;
        const which = !this.shows.rows ? "" : count === rows.length ? " Every row of the stream moves." : ` ${count} of ${rows.length} rows of the stream ${count === 1 ? "moves" : "move"}.`;
        const where = this.shows.rows ? (moved.before === "FFN" ? " after attention" : " before attention") : "";
        const ends = this.end > 5 ? ` ${name} leaves with ${has(way.stream)}.` : "";
        return `In the row of ${name}, ${layer.features[moved.feature]} is moved by ${signed(moved.by)}${where}.${which}${ends}`;
      }
      const asked = layer.b1.map((_, unit) => `“${this.question(unit)}” ${unit ? "" : "comes "}to ${number(way.asked[word][unit])}`).join(", ");
      const bent = layer.b1.map((_, unit) => `${number(way.asked[word][unit])} → ${number(way.hidden[word][unit])}`).join(" and ");
      const most = Math.max(...way.weights[word]);
      const at = way.weights[word].indexOf(most);
      const alike = most - Math.min(...way.weights[word]) < LEAST;
      const looks = alike ? "looks at all words equally" : `gives ${Math.round(100 * most)} % of its attention to “${way.words[at]}”`;
      const [off, units] = this.off();
      const count = this.shows.counter ? ` Over all five words, ${off} of ${units} units are off.` : "";
      const said = [
        `${name} enters the layer as eight numbers: ${has(way.x)}.`,
        `Attention: ${name} ${looks}. What attention brings is added to the row, which now holds ${has(way.mixed)}.`,
        `The FFN (short for feed-forward network) asks two questions. Each question adds up two numbers of the row and subtracts a threshold: ${asked}.`,
        bend === "none" ? `No bend: both sums stay as they are.${count}` : `The bend, ${bend}: ${bent}.${count}`,
        `The units write what they hold: ${has(way.added)}.`,
        `That is added to the row: ${name} leaves the layer with ${has(way.stream)}.`,
      ];
      return said[within(Math.ceil(this.at) - 1, 0, 5)];
    }
    speak() {
      clearTimeout(this.later);
      this.later = setTimeout(() => say(this.aloud, this.sentence()), 400);
    }

    /* ---- its picture ---- */
    resize() {
      const wide = this.stage.clientWidth;
      if (!wide || wide === this.wide) return;
      this.wide = wide;
      const place = (this.place = layout(wide, this.layer.features.length, this.layer.words[this.layer.cues[0]], this.shows.rows));
      const { x, y, pill, lane, top, below, narrow, units, zero } = place;
      set(this.svg, { viewBox: `0 0 ${wide} ${Math.ceil(place.high)}`, width: wide, height: Math.ceil(place.high), class: narrow ? "narrow" : "" });
      this.lanes.forEach((line, at) => set(line, { x1: x.enter, x2: x.stream, y1: y(at), y2: y(at) }));
      this.names[0].forEach((text, at) => set(text, { x: x.enter - pill / 2 - 8, y: y(at), "text-anchor": "end" }));
      this.names[1].forEach((text, at) => set(text, { x: wide - place.label + 6, y: y(at), "text-anchor": "start", visibility: narrow ? "hidden" : "visible" }));
      const anchors = narrow ? ["start", "start", "end"] : ["middle", "middle", "middle"];
      const shift = narrow ? [-pill / 2 - 46, -pill / 2, pill / 2] : [0, 0, 0];
      ["enter", "mixed", "stream"].forEach((name, at) => set(this.titles[at], { x: x[name] + shift[at], y: top - 10, "text-anchor": anchors[at] }));
      set(this.ffn, { x: units[0] - place.bar - 10, y: zero - 9, "text-anchor": "end" });
      set(this.axis, { x1: units[0] - place.bar, x2: units[1] + place.bar, y1: zero, y2: zero });
      for (const pills of [this.covered, this.entering, this.mixed, this.leaving])
        for (const { box } of pills) set(box, { x: -pill / 2, y: -lane / 2 + 2, width: pill, height: lane - 4, rx: 6 });
      this.covered.forEach(({ group }, at) => set(group, { transform: `translate(${x.stream} ${y(at)})` }));
      this.pluses.forEach((pluses, which) =>
        pluses.forEach(({ group, value }, at) => {
          set(group, { transform: `translate(${which ? x.add : x.plus} ${y(at)})` });
          set(group.children[0], { r: narrow ? 6 : 8 });
          set(group.children[1], { d: narrow ? "M-3 0h6M0-3v6" : "M-4.5 0h9M0-4.5v9" });
          set(value, { x: which ? -10 : 14, y: -10, "text-anchor": which ? "end" : "start" });
        }),
      );
      this.words.forEach(({ group, box, text }, at) => {
        const { x, half } = place.sentence[at];
        set(group, { transform: `translate(${x} ${place.size})` });
        set(box, { x: -half - 7, y: -place.size * 0.85, width: 2 * half + 14, height: place.size * 1.7, rx: 9 });
        set(text, { "font-size": place.size });
      });
      this.units.forEach(({ group, box, lines }, unit) => {
        const half = (units[1] - units[0]) / 2 - 3;
        set(group, { transform: `translate(${units[unit]} ${zero})` });
        set(box, { x: -half, y: -1.3 * place.step, width: 2 * half, height: place.high - zero + 1.3 * place.step - 2, rx: 10 });
        const words = this.question(unit).split(" ");
        const folded = half < 58;
        say(lines[0], folded ? words.slice(0, 2).join(" ") : words.join(" "));
        say(lines[1], folded ? words[2] : "");
      });
      this.layer.b1.forEach((_, unit) =>
        this.layer.features.forEach((_, at) => {
          const [read, write] = [this.reads[unit][at], this.writes[unit][at]];
          const [from, to, up] = [x.mixed + pill / 2, units[unit], zero];
          if (read) set(read, { d: `M${from} ${y(at)}C${mid(from, to, 0.75)} ${y(at)} ${to} ${mid(y(at), up, 0.3)} ${to} ${up}`, "stroke-width": this.thick(this.layer.W1[at][unit]) });
          const side = to + place.bar / 2 + 3;
          if (write) set(write, { d: `M${side} ${zero - 8}C${mid(side, x.add, 0.35)} ${zero - 52} ${x.add} ${mid(zero, y(at), 0.35)} ${x.add} ${y(at) + 8}`, "stroke-width": this.thick(this.layer.W2[unit][at]) });
        }),
      );
      this.below = below;
      this.draw();
    }
    thick(weight) {
      return Math.abs(weight) * (this.place.narrow ? 2 : 2.5);
    }
    draw() {
      if (!this.place || !this.seen) return;
      const { place, seen, layer } = this;
      const { x, y, units, zero, step } = place;
      const { word } = this.state;
      const f = STEPS.map((_, at) => within(this.at - at, 0, 1));
      const home = place.sentence[word];

      /* the words, and where the followed one looks */
      this.words.forEach(({ group, text }, at) => {
        say(text, seen.words[at]);
        set(group, { "aria-pressed": String(at === word), "aria-label": `Follow “${seen.words[at]}”, word ${at + 1}` });
      });
      const brought = seen.brought[word];
      const low = Math.max(0, ...brought.map((value, at) => (Math.abs(value) >= LEAST ? at : 0)));
      const grown = part(f[1], 0, 0.6);
      this.looks.forEach((path, at) => {
        const from = place.sentence[at];
        const base = place.size * 1.85;
        set(path, {
          d: `M${from.x} ${base}C${from.x} ${base + 26} ${x.plus} ${base + 6} ${x.plus} ${place.top - 4}`,
          "stroke-width": Math.max(0.7, 9 * seen.weights[word][at]), pathLength: "1",
          "stroke-dashoffset": 1 - grown,
        });
      });
      set(this.trunk, { d: `M${x.plus} ${place.top - 4}V${mid(place.top - 4, y(low), part(f[1], 0.4, 0.7))}`, visibility: f[1] > 0.4 ? "visible" : "hidden" });

      /* the row: it enters, goes on along the stream, and leaves */
      const pill = ({ group, box, value }, left, high, amount, seenness) => {
        set(group, { transform: `translate(${left.toFixed(1)} ${high.toFixed(1)})`, opacity: seenness });
        const style = tint(amount);
        if (box.getAttribute("style") !== style) box.setAttribute("style", style);
        say(value, !seenness || Math.abs(amount) < LEAST ? "" : number(amount));
      };
      layer.features.forEach((_, at) => {
        const out = part(f[0], at * 0.05, 0.6 + at * 0.05);
        pill(this.entering[at], mid(home.x, x.enter, out), mid(place.size, y(at), out), seen.x[word][at], out);
        const along = part(f[1], 0.5, 1);
        const passed = mid(x.enter, x.mixed, along) > x.plus;
        pill(this.mixed[at], mid(x.enter, x.mixed, along), y(at), passed ? seen.mixed[word][at] : seen.x[word][at], f[1] > 0.5 ? 1 : 0);
        const leave = part(f[5], 0, 1);
        const added = mid(x.mixed, x.stream, leave) > x.add;
        pill(this.leaving[at], mid(x.mixed, x.stream, leave), y(at), added ? seen.stream[word][at] : seen.mixed[word][at], f[5] > 0 ? 1 : 0);
        const chosen = this.state.moved && this.state.moved.feature === at;
        this.entering[at].group.classList.toggle("moved", Boolean(chosen && this.state.moved.before === "attention"));
        this.mixed[at].group.classList.toggle("moved", Boolean(chosen && this.state.moved.before === "FFN"));
        [[brought, f[1] > 0.6], [seen.added[word], f[4] > 0.7]].forEach(([amounts, ready], which) => {
          const { group, value } = this.pluses[which][at];
          const here = ready && Math.abs(amounts[at]) >= LEAST;
          set(group, { opacity: here ? 1 : 0 });
          say(value, here && !(place.narrow && !which) ? signed(amounts[at]) : "");
        });
      });

      /* the units, their questions below the lowest bar */
      const pointed = this.pointed ?? null;
      const lowest = Math.max(0.2, ...seen.asked[word].map((value) => -within(value, -LOW, HIGH))) * step + 32;
      for (const { lines } of this.units) lines.forEach((line, at) => set(line, { y: lowest + 15 * at }));
      layer.b1.forEach((_, unit) => {
        const [asked, hidden] = [seen.asked[word][unit], seen.hidden[word][unit]];
        const rise = part(f[2], 0.45, 1);
        const bent = part(f[3], 0.1 + 0.45 * unit, 0.55 + 0.45 * unit);
        const now = mid(asked, hidden, bent) * rise;
        const dead = bent > 0.5 && Math.abs(hidden) < LEAST;
        const box = (value) => {
          const high = within(value, -LOW, HIGH) * step;
          return { x: units[unit] - place.bar / 2, width: place.bar, y: zero - Math.max(high, 0), height: Math.max(Math.abs(high), 2) };
        };
        const { bar, ghost, value } = this.bars[unit];
        set(bar, { ...box(now), class: `bar ${dead ? "dead" : sign(now)}`, visibility: f[2] > 0.4 ? "visible" : "hidden" });
        set(ghost, { ...box(asked), visibility: bent > 0 && Math.abs(asked - hidden) >= LEAST ? "visible" : "hidden" });
        const high = within(now, -LOW, HIGH) * step;
        set(value, { x: units[unit], y: high >= 0 ? zero - high - 9 : zero - high + 11, visibility: rise > 0.3 ? "visible" : "hidden" });
        say(value, number(bent > 0.5 ? hidden : asked));
        const faint = pointed !== null && pointed !== unit;
        layer.features.forEach((_, at) => {
          const [read, write] = [this.reads[unit][at], this.writes[unit][at]];
          if (read) set(read, { "stroke-dashoffset": 1 - part(f[2], 0, 0.6), opacity: faint ? 0.15 : Math.abs(seen.mixed[word][at]) < LEAST ? 0.35 : 1 });
          if (write) set(write, { "stroke-dashoffset": 1 - part(f[4], 0, 0.8), opacity: faint || Math.abs(hidden) < LEAST ? 0.15 : 1, visibility: f[4] > 0 ? "visible" : "hidden" });
        });
        const { group } = this.units[unit];
        set(group, { "aria-label": this.at > 2 ? this.sum(unit) : `“${this.question(unit)}”`, "aria-pressed": String(this.pinned === unit) });
        group.classList.toggle("pointed", pointed === unit);
        this.small[unit].forEach((one, at) => {
          const high = within(mid(seen.asked[at][unit], seen.hidden[at][unit], bent) * rise, -LOW, HIGH) * step;
          const off = bent > 0.5 && Math.abs(seen.hidden[at][unit]) < LEAST;
          const wide = place.narrow ? 3 : 5;
          const left = units[unit] + place.bar / 2 + 4 + (at - (at > word ? 1 : 0)) * (wide + 1.5);
          set(one, { x: left, width: wide, y: zero - Math.max(high, 0), height: Math.max(Math.abs(high), 1.5), class: `bar small ${off ? "dead" : sign(high)}`, visibility: f[2] > 0.4 && at !== word && !place.narrow ? "visible" : "hidden" });
        });
      });
      const sweep = mid(units[0] - place.bar, units[1] + place.bar * 1.4, part(f[3], 0, 1));
      set(this.sweep, { x1: sweep, x2: sweep, y1: zero - 1.4 * step, y2: zero + 1.7 * step, opacity: f[3] > 0 && f[3] < 1 ? 1 : 0 });
      const [off, all] = this.off();
      say(this.counter, this.shows.counter && f[3] > 0 ? `${Math.round(off * part(f[3], 0.1, 1))} of ${all} units off` : "");
      set(this.counter, { x: units[0] - place.bar - 10, y: zero + 11, "text-anchor": "end" });

      /* the other rows, beside it */
      const moves = this.shows.rows && this.state.moved ? numbers.differs(this.way.stream, this.plain.stream) : null;
      const ready = part(f[5], 0.6, 1);
      this.rows.forEach((cells, at) =>
        cells.forEach((cell, feature) => {
          const left = x.stream + place.pill / 2 + 5 + (at - (at > word ? 1 : 0)) * (place.others + 1);
          set(cell, { x: left, y: y(feature) - place.lane / 2 + 3, width: place.others, height: place.lane - 6, rx: 2, opacity: at === word ? 0 : ready });
          const style = tint(seen.stream[at][feature]);
          if (cell.getAttribute("style") !== style) cell.setAttribute("style", style);
        }),
      );
      this.marks.forEach((mark, at) => {
        const left = at === word ? x.stream : x.stream + place.pill / 2 + 5 + (at - (at > word ? 1 : 0) + 0.5) * (place.others + 1);
        set(mark, { x: left, y: this.below + 12, class: `mark ${moves && moves[at] ? "moves" : ""}`, opacity: moves && f[5] > 0.9 ? 1 : 0 });
        say(mark, moves ? (moves[at] ? "↕" : "=") : "");
      });

      /* around it */
      const by = this.state.moved ? this.state.moved.by : 0;
      if (Number(this.slider.value) !== by) this.slider.value = by;
      this.slider.parentElement.style.setProperty("--at", (by + MOST) / (2 * MOST));
      say(this.output, signed(by));
      set(this.slider, { "aria-valuetext": signed(by), "aria-label": `Move ${layer.features[this.feature]} in the row of “${seen.words[word]}”` });
      this.reset.classList.toggle("unmoved", !by);
      say(this.playing, this.frame ? "❚❚ Pause" : this.at >= this.end ? "↻ Replay" : "▶ Play");
      say(this.said, this.sentence());
    }
  }

  course.Passage = Passage;
  course.passages = all(".passage").map((figure) => new Passage(figure));
})();
