/* Fields into which one types, and units of lesson 10's model that paint every character by how strongly they fire. */
"use strict";
(() => {
  const { all, decoded, made, memory } = course;
  const MOST = 240; /* characters of a text */
  const AT_ONCE = 24; /* milliseconds of computing, until the next frame */
  const FIRES = 0.05; /* of a unit's large value: from here on it is painted, as in the lesson's figures */
  const SIGNS = { "\n": "↵", "\t": "⇥", " ": "␣" };
  const STRANGER = "?"; /* what the model reads where it does not know a character */
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const shown = (one) => SIGNS[one] || one;
  const percent = (p) => (p < 0.01 ? "below 1 %" : `${Math.round(100 * p)} %`);
  const within = (number, low, high, otherwise) =>
    Number.isInteger(number) && number >= low && number <= high ? number : otherwise;

  let loading = null; /* the weights, once they are asked for */
  const weights = (address) => {
    loading = loading || new Promise((resolve, reject) => {
      const script = made("script", "", { src: address });
      script.addEventListener("load", () => resolve(course.trained));
      script.addEventListener("error", () => {
        loading = null; /* the next key tries again */
        reject(new Error(address));
      });
      document.head.append(script);
    });
    return loading;
  };

  /* One field: what is typed, and the paint behind it. */
  class Typing {
    constructor(box) {
      this.box = box;
      this.area = box.querySelector("textarea");
      this.paint = box.querySelector(".paint");
      this.said = box.querySelector(".said");
      this.list = box.querySelector(".painted-list");
      this.ffn = Number(box.dataset.ffn);
      this.unit = Number(box.dataset.unit);
      this.area.maxLength = MOST;
      this.area.setSelectionRange(MOST, MOST); /* who comes by the keyboard is at its end */
      box.hidden = false;
      this.area.addEventListener("input", () => this.changed());
      for (const touched of ["focusin", "pointerdown"]) box.addEventListener(touched, () => this.load());
    }
    load() {
      if (this.reader || this.asked) return;
      this.asked = true;
      weights(this.box.dataset.weights).then(
        (trained) => {
          this.trained = trained;
          this.reader = new course.Reader(trained.model);
          this.ready();
        },
        () => {
          this.asked = false;
          this.said.textContent = "The model could not be loaded. Type once more to try again.";
        },
      );
    }
    ready() {
      this.changed();
    }
    get text() {
      return this.area.value.slice(0, MOST);
    }
    changed() {
      this.load();
      this.write();
      if (!this.reader) return;
      const known = this.trained.model;
      const letters = this.text.split("");
      const codes = letters.map((one) => known.characters.indexOf(one));
      this.strangers = letters.filter((one, place) => codes[place] < 0);
      this.reader.set(codes.map((code) => (code < 0 ? known.characters.indexOf(STRANGER) : code)));
      this.go();
    }
    /* Compute for a while, paint what is known, and go on in the next frame. */
    go() {
      cancelAnimationFrame(this.frame);
      const known = this.reader.read(AT_ONCE);
      this.draw(known);
      if (known < this.reader.codes.length) this.frame = requestAnimationFrame(() => this.go());
      else this.done();
    }
    /* Put the letters behind the field, in which they are seen: a span each. */
    write() {
      const letters = this.text.split("");
      const spans = Array.from(this.paint.children);
      letters.forEach((letter, place) => {
        const span = spans[place] || this.paint.appendChild(made("span"));
        if (span.textContent !== letter) span.textContent = letter;
        span.classList.toggle("end", letter === "\n");
      });
      spans.slice(letters.length).forEach((span) => span.remove());
    }
    strength(place, ffn = this.ffn, unit = this.unit) {
      const row = this.reader.row(place);
      return row.hidden[ffn - 1][unit - 1] / Math.max(this.trained.tops[ffn - 1][unit - 1], 1e-9);
    }
    draw(known) {
      this.strengths = Array.from({ length: known }, (_, place) => this.strength(place));
      Array.from(this.paint.children).forEach((span, place) => {
        const s = Math.min(1, this.strengths[place] || 0);
        const level = s < FIRES ? 0 : s < 1 / 3 ? 1 : s < 2 / 3 ? 2 : 3;
        span.style.setProperty("--s", level ? s.toFixed(3) : 0);
        span.dataset.level = level;
      });
    }
    done() {
      const text = this.text;
      const fires = this.strengths.map((s, place) => [place, s]).filter(([, s]) => s >= FIRES);
      const stranger = this.strangers[0];
      const unknown = stranger ? ` The model knows only plain ASCII, so it reads “${STRANGER}” in place of every other character.` : "";
      this.tell(`${this.counted(fires.length, text.length)}${unknown}`);
      const items = fires.map(([place, s]) => made("li", `character ${place + 1}, “${shown(text[place])}”: ${Math.min(1, s).toFixed(2)}`));
      this.list.replaceChildren(...(items.length ? items : [made("li", "It fires nowhere in this text.")]));
    }
    counted(fires, of) {
      return `It fires at ${fires} of ${of} character${of === 1 ? "" : "s"}.`;
    }
    /* A line that is read out may not change with each key. */
    tell(words) {
      clearTimeout(this.resting);
      this.resting = setTimeout(() => (this.said.textContent = words), 250);
    }
  }

  /* The same with all units of all FFNs beside it. */
  class Microscope extends Typing {
    constructor(box) {
      super(box);
      this.place = this.text.length - 1;
      this.fields = all("canvas", box);
      this.size = box.querySelector(".own input");
      this.boxes = { ffn: box.querySelector("[name=ffn]"), unit: box.querySelector("[name=unit]") };
      this.about = box.querySelector(".about-unit");
      this.glow = this.fields.map(() => new Float32Array(512));
      for (const name of ["ffn", "unit"])
        this.boxes[name].addEventListener("change", () => {
          const { ffn, unit } = this.boxes;
          this.choose(within(Number(ffn.value), 1, 3, this.ffn), within(Number(unit.value), 1, 512, this.unit));
        });
      document.addEventListener("selectionchange", () => {
        const at = this.area.selectionStart - 1;
        if (document.activeElement === this.area && at !== this.place && !this.pointing) this.look(at);
      });
      this.area.addEventListener("pointerdown", () => (this.pointing = true));
      this.area.addEventListener("pointerup", (event) => this.pointed(event));
      this.area.addEventListener("pointercancel", () => (this.pointing = false));
      this.fields.forEach((field, number) => {
        const at = (event) => this.cell(field, event);
        field.addEventListener("click", (event) => this.choose(number + 1, at(event) + 1));
        field.addEventListener("pointermove", (event) => this.point(number + 1, at(event) + 1));
        field.addEventListener("pointerleave", () => this.point());
        new ResizeObserver(() => this.shine()).observe(field);
      });
      dark.addEventListener("change", () => this.shine());
      this.size.addEventListener("input", () => this.ownUnit());
      all(".off input", box).forEach((input, number) =>
        input.addEventListener("change", () => {
          if (!this.reader) return;
          this.reader.switch(number, input.checked);
          this.fields[number].closest("div").classList.toggle("is-off", input.checked);
          this.go();
        }),
      );
      if (memory.kept.guesses[box.dataset.after]) this.switches();
      all(".to-switches").forEach((button) => button.addEventListener("click", () => {
        this.switches();
        for (let fold = box.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
        box.querySelector(".off input").focus({ preventScroll: true });
        box.scrollIntoView({ block: "start" });
      }));
      box.querySelector(".copy-link").addEventListener("click", (event) => this.copy(event.target));
      const near = new IntersectionObserver(
        (seen) => {
          if (!seen.some((one) => one.isIntersecting)) return;
          near.disconnect();
          this.load();
        },
        { rootMargin: "600px" },
      );
      near.observe(box);
      addEventListener("hashchange", () => this.shared());
      this.write();
      this.shared();
      this.named();
    }
    switches() {
      this.box.querySelector(".off").hidden = false;
    }
    changed() {
      this.place = this.area.selectionStart - 1;
      super.changed();
      this.address();
    }
    ready() {
      if (document.activeElement === this.area) this.place = this.area.selectionStart - 1;
      Typing.prototype.changed.call(this);
    }
    look(place) {
      this.place = place;
      if (this.strengths) this.details();
    }
    /* A click on a character chooses it, and not the place between two. */
    pointed(event) {
      this.pointing = false;
      if (this.area.selectionStart !== this.area.selectionEnd) return;
      const spans = Array.from(this.paint.children);
      const hit = spans.findIndex((span) =>
        Array.from(span.getClientRects()).some(
          (one) => one.left <= event.clientX && event.clientX <= one.right && one.top <= event.clientY && event.clientY <= one.bottom,
        ),
      );
      if (hit >= 0) this.area.setSelectionRange(hit + 1, hit + 1);
      this.look(this.area.selectionStart - 1);
    }
    choose(ffn, unit) {
      [this.ffn, this.unit] = [ffn, unit];
      this.named();
      if (this.reader) {
        this.draw(this.reader.known());
        this.done();
      }
      this.address();
    }
    nameOf(ffn, unit) {
      return this.trained && this.trained.names[ffn - 1][unit];
    }
    named() {
      this.boxes.ffn.value = this.ffn;
      this.boxes.unit.value = this.unit;
      const known = this.nameOf(this.ffn, this.unit);
      this.about.textContent = known ? `${known[0]}, F1 ${known[1].toFixed(2)}` : this.trained ? "no name that holds" : "";
    }
    draw(known) {
      super.draw(known);
      this.details();
    }
    done() {
      super.done();
      this.named();
    }
    counted(fires, of) {
      return `FFN ${this.ffn}, unit ${this.unit} fires at ${fires} of ${of} character${of === 1 ? "" : "s"}.`;
    }
    /* What is seen of the chosen character: all units, the ten strongest, and what comes next. */
    details() {
      const known = this.strengths.length;
      const place = Math.min(this.place, known - 1);
      Array.from(this.paint.children).forEach((span, number) => span.classList.toggle("chosen", number === place));
      const row = place >= 0 ? this.reader.row(place) : null;
      const strengths = this.fields.map((_, number) =>
        row ? row.hidden[number].map((one, unit) => one / Math.max(this.trained.tops[number][unit], 1e-9)) : new Float32Array(512),
      );
      this.wanted = strengths;
      this.shine();
      all(".what-is-chosen", this.box).forEach((one) => (one.textContent = row ? `“${shown(this.text[place])}”, character ${place + 1}` : "no character yet"));
      this.strongest(strengths);
      this.next(row);
    }
    strongest(strengths) {
      const found = [];
      strengths.forEach((row, number) => row.forEach((s, unit) => s > 0 && found.push([s, number + 1, unit + 1])));
      found.sort((one, other) => other[0] - one[0]);
      const rows = all(".strongest button", this.box);
      rows.forEach((button, number) => {
        const one = found[number];
        button.parentElement.hidden = !one;
        if (!one) return;
        const [s, ffn, unit] = one;
        const known = this.nameOf(ffn, unit);
        button.style.setProperty("--s", Math.min(1, s).toFixed(3));
        button.querySelector("b").textContent = `FFN ${ffn}, unit ${unit}`;
        button.querySelector("i").textContent = known ? known[0] : "";
        button.querySelector("span").textContent = s.toFixed(2);
        button.setAttribute("aria-pressed", ffn === this.ffn && unit === this.unit);
        button.onclick = () => this.choose(ffn, unit);
      });
    }
    next(row) {
      const bars = all(".next li", this.box);
      bars.forEach((bar) => (bar.hidden = !row));
      if (!row) return;
      const { model } = this.trained;
      const logits = model.logits(row, this.own, this.reader.off);
      const most = Math.max(...logits);
      const p = Array.from(logits, (one) => Math.exp(one - most));
      const sum = p.reduce((all, one) => all + one, 0);
      const order = p.map((_, code) => code).sort((one, other) => p[other] - p[one]);
      bars.forEach((bar, number) => {
        const code = order[number];
        bar.style.setProperty("--s", (p[code] / sum).toFixed(4));
        bar.querySelector("b").textContent = shown(model.characters[code]);
        bar.querySelector("span").textContent = percent(p[code] / sum);
      });
      this.ownSaid(row);
    }
    /* The unit of section 4, with a column of the length that the slider says. */
    ownUnit() {
      const size = Number(this.size.value);
      this.size.parentElement.style.setProperty("--at", size / this.size.max);
      this.size.nextElementSibling.textContent = size;
      if (!this.trained) return;
      const { model, own } = this.trained;
      const v = model.toward(model.encoded(own.writes)[0]).map((one) => size * one);
      this.own = size ? { w: own.w, bias: own.bias, v } : null;
      this.details();
    }
    ownSaid(row) {
      const value = this.trained.model.ownValue(row, this.trained.own);
      this.box.querySelector(".own-value").textContent = value > 0 ? `At this character our unit's value is ${value.toFixed(2)}.` : "At this character our unit's value is 0.";
    }
    /* The fields: each unit is a cell, which lights up at once and goes out slowly. */
    columns(field) {
      return field.clientWidth > 520 ? 64 : 32;
    }
    cell(field, event) {
      const box = field.getBoundingClientRect();
      const columns = this.columns(field), rows = 512 / columns;
      const at = (share, count) => Math.min(count - 1, Math.max(0, Math.floor(share * count)));
      return at((event.clientY - box.top) / box.height, rows) * columns + at((event.clientX - box.left) / box.width, columns);
    }
    point(ffn, unit) {
      const known = ffn && this.nameOf(ffn, unit);
      const s = ffn && this.wanted ? this.wanted[ffn - 1][unit - 1] : 0;
      this.box.querySelector(".pointed").textContent = ffn ? `FFN ${ffn}, unit ${unit}: ${s.toFixed(2)}${known ? ` · ${known[0]}` : ""}` : "";
    }
    shine() {
      if (this.shining) return;
      this.shining = requestAnimationFrame(() => {
        this.shining = null;
        let moving = false;
        this.fields.forEach((field, number) => {
          const glow = this.glow[number];
          const wanted = this.wanted && this.wanted[number];
          if (wanted)
            for (let unit = 0; unit < 512; unit++) {
              const to = Math.min(1, wanted[unit]);
              const way = to - glow[unit];
              const near = still.matches || Math.abs(way) < 0.01;
              glow[unit] = near ? to : glow[unit] + way * (way > 0 ? 0.5 : 0.14);
              moving = moving || !near;
            }
          this.fill(field, number, glow);
        });
        if (moving) this.shine();
      });
    }
    fill(field, number, glow) {
      const ratio = window.devicePixelRatio || 1;
      const columns = this.columns(field), rows = 512 / columns;
      const wide = field.clientWidth;
      if (!wide) return;
      const step = wide / columns;
      field.style.height = `${step * rows}px`;
      const [width, height] = [Math.round(wide * ratio), Math.round(step * rows * ratio)];
      if (field.width !== width || field.height !== height) [field.width, field.height] = [width, height];
      const pen = field.getContext("2d");
      const look = getComputedStyle(field);
      const [ground, ink, frame] = ["--cell", "--hidden", "--text"].map((name) => look.getPropertyValue(name));
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, wide, step * rows);
      const gap = Math.max(1, step * 0.14), size = step - gap, round = Math.min(2.5, size / 3);
      const box = (unit) => {
        const x = (unit % columns) * step + gap / 2, y = Math.floor(unit / columns) * step + gap / 2;
        pen.beginPath();
        pen.roundRect(x, y, size, size, round);
      };
      for (let unit = 0; unit < 512; unit++) {
        box(unit);
        pen.globalAlpha = 1;
        pen.fillStyle = ground;
        pen.fill();
        if (glow[unit] < 0.01) continue;
        pen.globalAlpha = 0.18 + 0.82 * glow[unit];
        pen.fillStyle = ink;
        pen.fill();
      }
      pen.globalAlpha = 1;
      pen.strokeStyle = frame;
      if (this.trained)
        for (const unit of Object.keys(this.trained.names[number])) {
          pen.lineWidth = 1;
          pen.globalAlpha = 0.5;
          box(Number(unit) - 1);
          pen.stroke();
        }
      if (number + 1 === this.ffn) {
        pen.globalAlpha = 1;
        pen.lineWidth = 2;
        box(this.unit - 1);
        pen.stroke();
      }
    }
    /* The text and the unit stand in the address: that is the link to send. */
    link() {
      return `#${this.box.id}?${new URLSearchParams({ text: this.text, ffn: this.ffn, unit: this.unit })}`;
    }
    address() {
      clearTimeout(this.late);
      this.late = setTimeout(() => {
        try {
          history.replaceState(null, "", this.link());
        } catch {
          /* a page that may not change its address */
        }
      }, 400);
    }
    copy(button) {
      const address = location.href.split("#")[0] + this.link();
      const says = (words) => () => (this.box.querySelector(".copied").textContent = words);
      const byHand = says("Copy it from the address bar.");
      clearTimeout(this.late);
      try {
        history.replaceState(null, "", this.link());
      } catch {
        /* as above */
      }
      if (!navigator.clipboard) return byHand();
      navigator.clipboard.writeText(address).then(says("Copied."), byHand);
      button.blur();
      button.focus();
    }
    shared() {
      const [id, words] = location.hash.slice(1).split(/\?|%3f/i);
      if (decoded(id) !== this.box.id || !words) return;
      const given = new URLSearchParams(words);
      if (given.has("text")) this.area.value = given.get("text").slice(0, MOST);
      this.area.setSelectionRange(MOST, MOST);
      this.place = this.text.length - 1;
      this.ffn = within(Number(given.get("ffn")), 1, 3, this.ffn);
      this.unit = within(Number(given.get("unit")), 1, 512, this.unit);
      for (let fold = this.box.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      this.write();
      this.named();
      if (this.reader) Typing.prototype.changed.call(this);
      this.box.scrollIntoView({ block: "start" });
    }
  }

  course.typing = all(".typing").map((box) => new (box.querySelector("canvas") ? Microscope : Typing)(box));
})();
