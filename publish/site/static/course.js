/* The course in a browser: figures that move, replies to guesses, quizzes, and what this browser remembers.
   No library, nothing from elsewhere; it works from a folder opened as files. */
"use strict";
(() => {
  const course = (window.course = window.course || {});
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const made = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const escaped = (text) => {
    const element = document.createElement("i");
    element.textContent = text;
    return element.innerHTML;
  };
  /* Return a part of an address as it is read; an address made by hand may hold a % that says nothing. */
  const decoded = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  /* ---- what this browser remembers: guesses, answers, and the place of reading ---- */
  const KEY = "ffn-course";
  const blank = () => ({ guesses: {}, quiz: {}, last: null });
  let kept = blank();
  let written = true;
  const named = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value : {});
  /* What was stored may be damaged, or of a former version: what has the right form is taken. */
  const sound = (stored) => {
    const { guesses, quiz, last } = named(stored);
    const made = ([, one]) => ["number", "string", "object"].includes(typeof (named(one).guess ?? undefined));
    const place = /^[\w-]+\.html#/.test(named(last).address) && typeof last.title === "string";
    return {
      guesses: Object.fromEntries(Object.entries(named(guesses)).filter(made)),
      quiz: named(quiz),
      last: place ? last : null,
    };
  };
  const read = () => {
    if (!written) return kept; /* a full browser: what it holds is older than what is known here */
    try {
      kept = sound(JSON.parse(window.localStorage.getItem(KEY) || "{}"));
    } catch {
      /* nothing can be read: it is kept until the page is closed */
    }
    return kept;
  };
  const remember = (change) => {
    read();
    change(kept);
    try {
      window.localStorage.setItem(KEY, JSON.stringify(kept));
      written = true;
    } catch {
      written = false; /* a browser that stores nothing: it is kept until the page is closed */
    }
  };
  const forget = () => {
    kept = blank();
    written = true;
    try {
      window.localStorage.removeItem(KEY);
    } catch {
      /* nothing was stored */
    }
  };

  /* ---- replies to guesses, by the rules of course_lib/guess.py ---- */
  const EXACT = 1e-7;
  const JUDGEMENTS = ["true", "false"];
  class Fault extends Error {}

  /* Write a number with so many significant digits as Python's format code g does: ties go to the even digit. */
  const general = (number, digits) => {
    if (number === 0) return "0";
    const sign = number < 0 ? "-" : "";
    const [mantissa, power] = Math.abs(number).toExponential(90).split("e");
    const all_digits = mantissa.replace(".", "");
    let head = all_digits.slice(0, digits);
    const rest = all_digits.slice(digits);
    let exponent = Number(power);
    const half = "5" + "0".repeat(rest.length - 1);
    if (rest > half || (rest === half && Number(head[digits - 1]) % 2 === 1)) {
      head = String(BigInt(head) + 1n);
      if (head.length > digits) {
        head = head.slice(0, digits);
        exponent += 1;
      }
    }
    if (exponent < -4 || exponent >= digits) {
      const tail = head.slice(1).replace(/0+$/, "");
      const size = String(Math.abs(exponent)).padStart(2, "0");
      return `${sign}${head[0]}${tail ? "." + tail : ""}e${exponent < 0 ? "-" : "+"}${size}`;
    }
    if (exponent < 0) head = "0".repeat(-exponent) + head;
    const before = Math.max(exponent, 0) + 1;
    const tail = head.slice(before).replace(/0+$/, "");
    return sign + head.slice(0, before) + (tail ? "." + tail : "");
  };
  const shown = (guess) => {
    if (typeof guess === "string") return `“${guess}”`;
    if (Array.isArray(guess)) return `(${guess.join(", ")}${guess.length === 1 ? "," : ""})`;
    const written =
      Number.isInteger(guess) && Math.abs(guess) < 1e15
        ? String(guess === 0 ? 0 : guess).replace(/\B(?=(\d{3})+$)/g, ",")
        : general(guess, 4);
    return written.replaceAll("-", "−");
  };
  const folded = (word) => word.trim().toLowerCase();
  const same = (guess, value) => {
    if (typeof value === "string" || typeof guess === "string")
      return typeof value === "string" && typeof guess === "string" && folded(guess) === folded(value);
    if (Array.isArray(value) || Array.isArray(guess))
      return Array.isArray(value) && Array.isArray(guess) && JSON.stringify(guess) === JSON.stringify(value);
    return Math.abs(guess - value) <= EXACT * Math.max(1, Math.abs(value));
  };
  const near = (asked, guess) => {
    const answer = asked.answer;
    if (typeof answer === "string" || asked.kind === "choice" || asked.kind === "shape") return false;
    return Math.abs(guess - answer) <= asked.close * (Math.abs(answer) || 1);
  };
  const distance = (asked, guess, isNear) => {
    if (isNear) return "close";
    const answer = asked.answer;
    const way = guess > answer ? "high" : "low";
    const [small, large] = [Math.abs(guess), Math.abs(answer)].sort((one, two) => one - two);
    const ratio = guess * answer > 0 ? large / small : 0;
    return ratio >= 3 ? `too ${way}, by a factor of ${shown(Number(general(ratio, 2)))}` : `too ${way}`;
  };
  const range = (low, high) => {
    if (low === null) return `at ${shown(high)} or below`;
    return high === null ? `at ${shown(low)} or above` : `between ${shown(low)} and ${shown(high)}`;
  };
  const readNumber = (asked, guess) => {
    if (typeof guess === "string") throw new Fault("Your guess must be a number, without quotes.");
    if (typeof guess !== "number") throw new Fault("Your guess must be a number.");
    if (!Number.isFinite(guess)) throw new Fault("Your guess is not a finite number.");
    const { low, high } = asked;
    const outside = (low !== null && guess < low) || (high !== null && guess > high);
    if (outside && !asked.printed.some((printed) => same(guess, printed)))
      throw new Fault(`It must lie ${range(low, high)}: ${shown(guess)} cannot be. Guess again.`);
    return guess;
  };
  const readWord = (asked, guess) => {
    if (typeof guess !== "string") throw new Fault("Your guess must be a word.");
    if (!guess.trim()) throw new Fault("Your guess is empty: write a word.");
    return guess;
  };
  const readChoice = (asked, guess) => {
    const words = typeof asked.answer === "string";
    const stands = words && asked.printed.length && typeof guess === "number" && Number.isFinite(guess);
    const found = stands ? guess : (words ? readWord : readNumber)(asked, guess);
    const known = [...asked.choices, ...asked.printed, ...asked.replies.map((reply) => reply.guess)];
    if (!known.some((one) => same(found, one)))
      throw new Fault(`Choose one of ${asked.choices.map((one) => JSON.stringify(one)).join(", ")}.`);
    return found;
  };
  const readShape = (asked, guess) => {
    let sizes = Array.isArray(guess) ? guess : [];
    if (typeof guess === "string") {
      const inner = guess.trim().replace(/^[()[\]]+|[()[\]]+$/g, "");
      const parts = inner.toLowerCase().split(/[\s,;x×*]+|\bby\b/).filter(Boolean);
      sizes = parts.every((part) => /^\d+$/.test(part)) ? parts.map(Number) : [];
    }
    if (!sizes.length || !sizes.every(Number.isInteger))
      throw new Fault("Write the shape as whole numbers: (4, 5) for two axes, (4,) for one.");
    return sizes;
  };
  const READ = { number: readNumber, word: readWord, choice: readChoice, shape: readShape };
  const replyToClaims = (asked, guess) => {
    const letters = Object.keys(asked.claims);
    const judged = {};
    for (const letter of letters) {
      if (!guess || guess[letter] === undefined) throw new Fault(`Claim ${letter} is missing: judge it too.`);
      judged[letter] = folded(String(guess[letter]));
      if (!JUDGEMENTS.includes(judged[letter]))
        throw new Fault(`Judge claim ${letter} by one of the words 'true' and 'false'.`);
    }
    const missed = letters.filter((letter) => judged[letter] !== asked.claims[letter].answer);
    const count = letters.length - missed.length;
    const sentences = [`You judged ${count} of ${letters.length} as the evidence does.`];
    for (const letter of missed) {
      const claim = asked.claims[letter];
      sentences.push(`${letter} is ${claim.answer}: ${claim.replies[judged[letter]]}`);
    }
    if (!missed.length) sentences.push(asked.right);
    return { html: sentences.join(" "), near: missed.length <= Math.floor(letters.length / 4) };
  };
  /* Return {html, near} for an honest guess, and {fault} for one that is none. */
  course.reply = (asked, guess) => {
    try {
      if (asked.kind === "claims") return replyToClaims(asked, guess);
      const found = READ[asked.kind](asked, guess);
      const exact = [asked.answer, ...asked.printed].some((value) => same(found, value));
      const says = (asked.replies.find((reply) => same(found, reply.guess)) || { says: "" }).says;
      const isNear = exact || near(asked, found);
      let lead = `You guessed ${shown(found)}; it is ${shown(asked.answer)}`;
      if (exact) lead = `You guessed ${shown(found)}, and so it is.`;
      else if (typeof asked.answer === "string" || asked.kind === "shape") lead += ".";
      else lead += `: ${distance(asked, found, isNear)}.`;
      return { html: [escaped(lead), exact ? "" : says, asked.right].filter(Boolean).join(" "), near: isNear };
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      return { fault: fault.message };
    }
  };
  course.shown = shown;

  /* What was typed into a text field, as a number where one is asked for: 1,000 and −4, and what a cell would compute
     of numbers, such as 2/3, 6*6 + 6 or 2**10, by Python's order of + - * / ** and brackets. */
  const NO_NUMBER = "Your guess must be a number, in digits, with a point before decimals and without a unit.";
  course.typed = (asked, text) => {
    if (asked.kind !== "number") return text;
    const tidy = text.trim().replace(/^['"‘“]|['"’”]$/g, "").replace(/[−–]/g, "-").replaceAll("×", "*");
    const plain = /^[-+]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(tidy) ? tidy.replaceAll(",", "") : tidy.replace(/(\d)_(?=\d)/g, "$1");
    const parts = plain.length > 80 ? [] : plain.match(/(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\*\*|\S/g) || [];
    const next = (...signs) => signs.includes(parts[0]) && parts.shift();
    const inner = () => {
      const part = parts.shift();
      const found = part === "(" ? sum() : /^\.?\d/.test(part) ? Number(part) : NaN;
      if (Number.isNaN(found) || (part === "(" && !next(")"))) throw new Fault(NO_NUMBER);
      return found;
    };
    const signed = () => (next("-") ? -signed() : next("+") ? signed() : power());
    const power = () => {
      const base = inner();
      return next("**") ? base ** signed() : base;
    };
    const product = () => {
      let found = signed();
      for (let by; (by = next("*", "/")); ) found = by === "*" ? found * signed() : found / signed();
      return found;
    };
    const sum = () => {
      let found = product();
      for (let by; (by = next("+", "-")); ) found = by === "+" ? found + product() : found - product();
      return found;
    };
    const found = sum();
    if (parts.length) throw new Fault(NO_NUMBER);
    return found;
  };

  const boxed = (status, html, letter = "") => {
    const word = course.verdicts[status];
    return `<div class="verdict ${status.replace(" ", "-")}"><p><strong>${word}${letter ? `, ${letter}:` : "."}</strong> ${html}</p></div>`;
  };
  const asText = (guess) =>
    guess && typeof guess === "object" && !Array.isArray(guess)
      ? Object.entries(guess).map((pair) => pair.join(" ")).join(", ")
      : shown(guess).replace(/^“|”$/g, "");

  const guessForm = (form, asked) => {
    const id = form.dataset.prediction;
    const reply = form.querySelector(".reply");
    const take = () => {
      if (asked.kind === "claims") {
        const judged = {};
        for (const letter of Object.keys(asked.claims)) {
          const chosen = form.querySelector(`input[name="${form.id}-${letter}"]:checked`);
          if (chosen) judged[letter] = chosen.value;
        }
        return judged;
      }
      if (asked.kind === "choice") {
        const chosen = form.querySelector("input:checked");
        if (!chosen) throw new Fault(`Choose one of ${asked.choices.map(shown).join(", ")}.`);
        return JSON.parse(chosen.value);
      }
      const text = form.querySelector("input").value;
      if (!text.trim()) throw new Fault("Write your guess into the field first.");
      return course.typed(asked, text);
    };
    const fill = (guess) => {
      if (asked.kind === "claims") {
        for (const letter of Object.keys(asked.claims))
          all(`input[name="${form.id}-${letter}"]`, form).forEach((one) => (one.checked = one.value === guess[letter]));
      } else if (asked.kind === "choice") {
        all("input", form).forEach((one) => (one.checked = same(JSON.parse(one.value), guess)));
      } else {
        form.querySelector("input").value = Array.isArray(guess) ? shown(guess) : String(guess);
      }
    };
    const say = (guess) => {
      const found = course.reply(asked, guess);
      if (found.fault) {
        reply.innerHTML = boxed("not yet", escaped(found.fault));
        return null;
      }
      let html = found.html;
      const first = kept.guesses[id];
      if (first && JSON.stringify(first.guess) !== JSON.stringify(guess))
        html += escaped(` (Your first guess, ${asText(first.guess)}, is the one that is kept.)`);
      reply.innerHTML = boxed("guessed", html);
      return found;
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      try {
        const guess = take();
        read();
        const found = say(guess);
        if (!found) return;
        remember((now) => {
          now.guesses[id] = now.guesses[id] || { guess, near: found.near };
        });
        openExperiments();
        refreshLive();
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        reply.innerHTML = boxed("not yet", escaped(fault.message));
      }
    });
    form.hidden = false;
    if (!kept.guesses[id]) return;
    const { guess } = kept.guesses[id];
    if (course.reply(asked, guess).fault) {
      remember((now) => delete now.guesses[id]); /* a former version of the course asked for something else */
      return;
    }
    fill(guess);
    say(guess);
  };
  const openExperiments = () => {
    for (const fold of all("details.experiment"))
      if (fold.dataset.for.split(" ").every((id) => kept.guesses[id])) fold.open = true;
  };

  /* ---- quizzes ---- */
  const questionBox = (box, question, count) => {
    const id = box.dataset.question;
    const reply = box.querySelector(".reply");
    const mark = (place) => {
      const option = question.options[place];
      const status = option.right ? "correct" : "not yet";
      reply.innerHTML = boxed(status, option.reason, option.letter);
      const button = box.querySelector(`[data-option="${place}"]`);
      button.classList.add(option.right ? "right" : "wrong");
      button.querySelector("b").textContent = `${course.verdicts[status][0]} ${option.letter}`;
    };
    all(".option", box).forEach((button, place) =>
      button.addEventListener("click", () => {
        mark(place);
        if (question.options[place].right) remember((now) => (now.quiz[id] = true));
        count();
        refreshLive();
      }),
    );
    box.classList.add("live-question");
    if (kept.quiz[id]) mark(question.options.findIndex((option) => option.right));
  };
  const scores = [];
  const quizBox = (box, questions) => {
    const ids = all(".question", box).map((one) => one.dataset.question);
    const count = () => {
      const right = ids.filter((id) => kept.quiz[id]).length;
      box.querySelector(".score").innerHTML = `<strong>Your score:</strong> ${right} of ${ids.length}.`;
    };
    all(".question", box).forEach((one) => questionBox(one, questions[one.dataset.question], count));
    scores.push(count);
    count();
  };

  /* ---- figures that move: one group of the drawing for each layer of the recording ---- */
  const recordings = {};
  const unpacked = (text) => {
    const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  };
  course.recording = async (id, data) => {
    const packed = typeof data === "string";
    if (packed && !window.DecompressionStream) {
      /* an old browser: the figure stands still, as without scripts */
      for (const controls of all(`[data-recording="${id}"] .controls`)) controls.hidden = true;
      return;
    }
    recordings[id] = packed ? await unpacked(data) : data;
    document.dispatchEvent(new CustomEvent("recorded", { detail: id }));
  };
  const looked = (part, at, sizes) => {
    let place = 0;
    for (const axis of part.dims) place = place * sizes[axis] + at[axis];
    return part.table[place];
  };
  const filled = (part, place) => {
    if (part.texts) return part.texts[place];
    const [form, ...numbers] = part.filled[place].split(" ");
    const pieces = part.forms[form];
    let text = pieces[0];
    for (let gap = 0; gap < numbers.length; gap++) text += numbers[gap] + pieces[gap + 1];
    return text;
  };
  course.state = (data, at) => {
    const sizes = data.controls.map((control) => control.values.length);
    const layers = data.layers.map((layer) => [looked(layer, at, sizes), layer]);
    const told = filled(data.captions, looked(data.captions, at, sizes)).split("\n");
    return { layers, message: told[0], data: told[1] || "" };
  };
  /* A long page is painted again with each step of a slider, unless what is out of sight is left out. That is done at
     the first touch, with the height that each part has now, so that nothing moves. */
  const calm = () => {
    if (navigator.userAgent.includes("Firefox/")) return; /* there the key Tab never comes to what rests */
    if (!CSS.supports("overflow-clip-margin", "3rem")) return; /* pictures may be wider than the part that they stand in */
    const parts = all("main > *").filter((part) => !part.style.contentVisibility && !part.querySelector(".player"));
    const still = parts.filter((part) => !part.matches(".player"));
    const inside = (part) => {
      const look = getComputedStyle(part);
      const around = [look.paddingTop, look.paddingBottom, look.borderTopWidth, look.borderBottomWidth];
      return part.getBoundingClientRect().height - around.reduce((sum, one) => sum + parseFloat(one), 0);
    };
    const heights = still.map(inside);
    still.forEach((part, number) => {
      part.style.containIntrinsicHeight = `auto ${heights[number]}px`;
      part.style.overflowClipMargin = "3rem";
      part.style.contentVisibility = "auto";
    });
  };
  course.calm = calm;
  class Player {
    constructor(figure) {
      this.figure = figure;
      this.id = figure.dataset.recording;
      this.svg = figure.querySelector("svg");
      this.inputs = all("[data-control]", figure);
      this.aloud = figure.querySelector(".aloud");
      this.groups = null;
      this.wanted = null;
      figure.querySelector(".controls").hidden = false;
      for (const input of this.inputs) input.addEventListener("input", () => this.moved());
      figure.querySelector(".reset").addEventListener("click", () => this.reset());
      document.addEventListener("recorded", (event) => event.detail === this.id && this.ready());
      const near = new IntersectionObserver(
        (seen) => {
          if (seen.some((one) => one.isIntersecting)) {
            near.disconnect();
            this.load();
          }
        },
        { rootMargin: "800px" },
      );
      near.observe(figure);
      for (const touched of ["focusin", "pointerdown"])
        figure.addEventListener(touched, () => {
          this.load();
          calm();
        });
      addEventListener("hashchange", () => this.shared());
      this.shared();
    }
    load() {
      if (this.asked) return;
      this.asked = true;
      const script = made("script", "", { src: `recordings/${this.id}.js` });
      script.addEventListener("error", () => (this.asked = false)); /* the next touch tries again */
      document.head.append(script);
    }
    ready() {
      this.data = recordings[this.id];
      const drawn = Array.from((this.svg.querySelector(":scope > .whole") || this.svg).children);
      this.groups = drawn.slice(-this.data.layers.length || drawn.length);
      this.last = this.data.layers.map(() => -1);
      if (this.wanted) this.showNamed(this.wanted);
      else if (this.early) this.moved();
      else if (this.at().some((place, number) => place !== this.data.controls[number].start)) this.draw(this.at());
    }
    at() {
      const names = [...new Set(this.inputs.map((input) => input.dataset.control))];
      return names.map((name) => {
        const own = this.inputs.filter((input) => input.dataset.control === name);
        return Number((own.find((input) => input.type === "range" || input.checked) || own[0]).value);
      });
    }
    moved() {
      this.wanted = null;
      this.early = !this.data;
      this.load();
      this.show();
      clearTimeout(this.rest);
      this.rest = setTimeout(() => {
        if (!this.data) return;
        this.aloud.textContent = this.message || "";
        this.address();
      }, 400);
    }
    show() {
      if (!this.data || this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.draw(this.at());
      });
    }
    draw(at) {
      const state = course.state(this.data, at);
      state.layers.forEach(([place, layer], number) => {
        if (this.last[number] === place) return;
        this.last[number] = place;
        this.groups[number].innerHTML = filled(layer, place);
      });
      this.data.controls.forEach((control, number) => {
        if (control.kind !== "range") return;
        const input = this.inputs.find((one) => one.dataset.control === control.name);
        input.setAttribute("aria-valuetext", control.values[at[number]]);
        input.nextElementSibling.textContent = control.values[at[number]];
      });
      this.message = state.message;
      this.svg.setAttribute("aria-label", [state.message, state.data].filter(Boolean).join(" "));
      this.figure.querySelector(".said").textContent = state.message;
      const numbers = this.figure.querySelector(".numbers");
      if (numbers) {
        numbers.hidden = !state.data;
        numbers.querySelector("p").textContent = state.data;
      }
    }
    take(at) {
      this.data.controls.forEach((control, number) => {
        const own = this.inputs.filter((input) => input.dataset.control === control.name);
        if (control.kind === "range") own[0].value = at[number];
        else own.forEach((input) => (input.checked = Number(input.value) === at[number]));
      });
      this.draw(this.at());
    }
    /* Show the state with these values by name, at once or when the recording has come. */
    showNamed(wanted) {
      this.wanted = wanted;
      if (!this.data) return this.load();
      const at = this.data.controls.map((control) => {
        const place = control.values.indexOf(wanted.get(control.name));
        return place < 0 ? control.start : place;
      });
      this.take(at);
    }
    reset() {
      if (!this.data) return;
      this.take(this.data.controls.map((control) => control.start));
      this.aloud.textContent = this.message;
      this.address();
    }
    /* The state stands in the address, so that a picture can be shared. */
    address() {
      const at = this.at();
      const words = this.data.controls.map(
        (control, number) => `${encodeURIComponent(control.name)}=${encodeURIComponent(control.values[at[number]])}`,
      );
      try {
        history.replaceState(null, "", `#${this.figure.id}?${words.join("&")}`);
      } catch {
        /* a page that may not change its address */
      }
    }
    shared() {
      const [id, words] = location.hash.slice(1).split(/\?|%3f/i);
      if (decoded(id) !== this.figure.id || !words) return;
      this.showNamed(new URLSearchParams(words));
      for (let fold = this.figure.closest("details"); fold; fold = fold.parentElement.closest("details"))
        fold.open = true;
      this.figure.scrollIntoView({ block: "center" });
    }
  }

  /* ---- tables made of what is remembered ---- */
  const stage = (lesson) => {
    const guesses = lesson.parts.filter((part) => part.guess);
    const guessed = guesses.filter((part) => kept.guesses[part.id]);
    const solved = lesson.quiz.filter((id) => kept.quiz[id]);
    const next = guesses.find((part) => !kept.guesses[part.id]);
    const total = guesses.length + lesson.quiz.length;
    const open = total - guessed.length - solved.length;
    return {
      lesson, next, open,
      guesses: `${guessed.length} of ${guesses.length}`,
      quiz: `${solved.length} of ${lesson.quiz.length}`,
      coded: lesson.parts.length - guesses.length,
      begun: open < total,
      left: 5 * Math.ceil((lesson.minutes * open) / total / 5),
    };
  };
  const linked = (lesson) => `<a href="${lesson.address}">${escaped(lesson.heading)}</a>`;
  const wayOn = (stages) => {
    const begun = Math.max(0, ...stages.map((one, place) => (one.begun ? place : 0)));
    const ahead = [...stages.slice(begun), ...stages.slice(0, begun)].find((one) => one.open);
    if (!ahead) return "<strong>Every guess is made and every question is answered.</strong>";
    const what = ahead.next ? ahead.next.title : "the quiz";
    return `<strong>Continue here:</strong> ${linked(ahead.lesson)}, <em>${escaped(what)}</em>.`;
  };
  const tables = {
    progress(name) {
      const stages = course.lessons.map(stage);
      if (name) {
        const one = stages.find((each) => each.lesson.name === name);
        const done = `${one.guesses} guesses and ${one.quiz} questions of the quiz done on this page.`;
        return `<p><strong>${escaped(one.lesson.heading)}:</strong> ${done} ${wayOn(stages)}</p>`;
      }
      const rows = stages.map(
        (one) =>
          `<tr><th scope="row">${linked(one.lesson)}</th><td>${one.guesses}</td><td>${one.quiz}</td>` +
          `<td>${one.open ? escaped(one.next ? one.next.title : "the quiz") : "✓ done"}</td><td>${one.coded}</td></tr>`,
      );
      return (
        '<div class="table" tabindex="0" role="region" aria-label="Your progress"><table><thead><tr><th scope="col">lesson</th><th scope="col">guesses</th>' +
        '<th scope="col">quiz</th><th scope="col">next</th><th scope="col">exercises in the notebook</th></tr></thead>' +
        `<tbody>${rows.join("")}</tbody></table></div><p>${wayOn(stages)}</p>`
      );
    },
    guesses() {
      const rows = [];
      let near = 0;
      for (const lesson of course.lessons)
        for (const part of lesson.parts) {
          const found = kept.guesses[part.id];
          if (!found) continue;
          near += found.near ? 1 : 0;
          const guess = escaped(asText(found.guess));
          rows.push(
            `<tr><td>${escaped(lesson.heading)}</td><td>${escaped(part.title)}</td><td>${guess}</td>` +
              `<td>${escaped(lesson.answers[part.id])}</td><td>${found.near ? "yes" : "no"}</td></tr>`,
          );
        }
      if (!rows.length) return "<p>No guess has been made yet: they appear here as you go through the lessons.</p>";
      const heads = ["lesson", "question", "your guess", "it is", "near?"].map((one) => `<th scope="col">${one}</th>`);
      return (
        `<p><strong>Your first guesses: ${near} of ${rows.length} came near</strong></p><div class="table" tabindex="0" role="region" aria-label="Your first guesses">` +
        `<table><thead><tr>${heads.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`
      );
    },
    last() {
      if (!kept.last) return "";
      return `<p class="go-on">Go on where you were: <a href="${escaped(kept.last.address)}">${escaped(kept.last.title)}</a></p>`;
    },
  };
  const refreshLive = () => {
    read();
    scores.forEach((count) => count());
    for (const box of all("[data-live]")) box.innerHTML = tables[box.dataset.live](box.dataset.lesson);
  };

  /* ---- the page ---- */
  const rememberPlace = () => {
    const lesson = document.body.dataset.lesson;
    if (!lesson) return;
    let waiting = null;
    const page = location.pathname.split("/").pop();
    addEventListener(
      "scroll",
      () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => {
          const above = all("main h2[id]").filter((title) => title.getBoundingClientRect().top < innerHeight / 2);
          const title = above[above.length - 1];
          if (!title) return;
          const place = { address: `${page}#${title.id}`, title: `${lesson}, ${title.textContent}` };
          remember((now) => (now.last = place));
        }, 600);
      },
      { passive: true },
    );
  };
  const reachable = () => {
    for (const box of all("main pre, main .table, main .formula"))
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  };
  const printing = () => {
    let opened = [];
    addEventListener("beforeprint", () => {
      for (const part of all("main > *")) part.style.contentVisibility = "";
      opened = all("details.experiment:not([open]), details.numbers:not([open])");
      opened.forEach((fold) => (fold.open = true));
    });
    addEventListener("afterprint", () => opened.forEach((fold) => (fold.open = false)));
  };
  const deleting = () => {
    for (const button of all("button.delete"))
      button.addEventListener("click", () => {
        forget();
        refreshLive();
        button.nextElementSibling.textContent = "Deleted: this browser keeps nothing of the course any more.";
      });
  };
  const unfold = () => {
    const target = document.getElementById(decoded(location.hash.slice(1).split("?")[0]));
    for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details"))
      fold.open = true;
  };

  read();
  document.documentElement.classList.add("scripts");
  const own = document.getElementById("course-data");
  const data = own ? JSON.parse(own.textContent) : { predictions: {}, questions: {} };
  course.data = data;
  all("form.guess").forEach((form) => guessForm(form, data.predictions[form.dataset.prediction]));
  openExperiments();
  all(".quiz").forEach((box) => quizBox(box, data.questions));
  refreshLive();
  course.players = all(".player").map((figure) => new Player(figure));
  all("details.toc").forEach((fold) => (fold.open = matchMedia("(min-width: 70rem)").matches));
  reachable();
  addEventListener("resize", reachable);
  document.addEventListener("toggle", reachable, true);
  addEventListener("hashchange", unfold);
  unfold();
  printing();
  deleting();
  rememberPlace();
  /* Another tab may have changed what is remembered, or the page may come back as it was left. */
  addEventListener("storage", refreshLive);
  addEventListener("pageshow", (event) => event.persisted && refreshLive());
})();
