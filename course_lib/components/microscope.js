/* The language model of lesson 10, running in plain JavaScript: type, guess what a unit is waiting for, and see what the
   model expects. It is causal, so what was computed for a character holds as long as nothing before it changes: a new text
   is computed from the first changed character on.

   data: { link } is the address, up to the component's id, to which links lead. The model comes with it, or with data.weights: a script
   that hands it over, loaded when somebody touches the component, or at once where data.eager says so.
   state: { text, ffn, unit, off, held, own }, flat, so that it fits an address. FFNs are counted from 1, units
   from 0. off: sub-layers that write nothing, such as "attention 1,ffn 2". held: a unit held at 0, such as "1.356".
   own: the length of the column that our own unit writes. An address also says at which character the caret is. */
import {
	added,
	bars,
	buttons,
	checkboxes,
	coloursOf,
	field,
	numberBox,
	partsOf,
	say,
	sized,
	tell,
	textarea,
	typed,
	watched,
} from "./lens.js";
import { MOST, PARTS, PRESETS, State } from "./microscope_state.js";
import { inView } from "./shared.js";
import { FIRES, STRONGLY, UNITS } from "./specimen.js";

const COLUMNS = 32;

/* What a script of weights hands over, once for all that ask for it. */
const scripts = {};
const loaded = (address) => {
	scripts[address] =
		scripts[address] ||
		new Promise((resolve, reject) => {
			const script = added(document.head, "script");
			script.addEventListener("weights", (event) => resolve(event.detail));
			script.addEventListener("error", () => {
				delete scripts[address]; /* the next touch tries again */
				reject(new Error(address));
			});
			script.src = address;
		});
	return scripts[address];
};

const BODY = `
<div class="grid top"><div><div class="sheet"><canvas class="paper"></canvas>${textarea(3, "Your text")}</div><div class="row presets"></div><p class="quiet said"></p><p class="aloud" role="status"></p></div>
<div class="card"><p class="wants"></p><div class="choices"></div><p class="reply" role="status"></p><details class="sure"><summary>How sure?</summary><p class="quiet fit"></p></details><div><button class="another">Another unit</button></div></div></div>
<div class="grid tools"><div><p><b>Now switch FFN 1 off.</b> Its 512 units fall silent. What does the model write?</p><div class="row switches" role="group" aria-label="Switch off"></div><label><span class="length"></span><input type="range" name="own" min="0" max="40"></label></div>
<div><p class="writes" translate="no"></p><p>It expects next<span class="quiet place"></span></p><ol class="next" translate="no" aria-hidden="true"></ol></div></div>
<details class="all"><summary>All 1,536 units</summary><div class="row">${numberBox(1, 3, "ffn", "FFN")}${numberBox(0, UNITS - 1, "unit")}<span class="about" aria-live="polite"></span></div>
<div class="grid three fields" translate="no"></div>
<p class="quiet"><span class="mouse">Point at a cell, and its unit paints the text. Click to keep it. A framed cell fits a context of lesson 10.</span><span class="finger">Tap a number, and that unit paints the text. They are the units that fire most strongly here.</span></p></details>
<div class="row link"><a class="whole">Open in a whole window</a><button class="copy">Copy link</button><span class="quiet copied" role="status"></span></div>`;

/* What a text box and its canvas are painted with. */
const looksOf = (element, area) => {
	const letters = getComputedStyle(area);
	return {
		...coloursOf(element),
		font: `${letters.fontSize} ${letters.fontFamily}`,
		line: parseFloat(letters.lineHeight),
		left: parseFloat(letters.paddingLeft),
		top: parseFloat(letters.paddingTop),
		isDark: matchMedia("(prefers-color-scheme: dark)").matches,
	};
};

/* Paint a text behind its letters: the more strongly a unit fires, the greener, and the thicker the line below; the letter
   whose row is shown has a frame, and the one that a reply speaks of another. */
const paintText = (canvas, area, looks, state) => {
	if (!canvas.wide) return;
	const pen = sized(canvas),
		{ at, ringed } = state,
		{ accent, font, hidden, isDark, left, line, output, top } = looks;
	pen.font = font;
	const wide = pen.measureText("0").width;
	const right = area.clientWidth - left;
	let x = left,
		y = top - area.scrollTop;
	for (const [place, letter] of Array.from(area.value).entries()) {
		const step =
			letter === "\t"
				? wide * (4 - (Math.round((x - left) / wide) % 4))
				: /[ -~\n]/.test(letter)
					? wide
					: pen.measureText(letter).width;
		if (letter !== "\n" && x + step > right)
			[x, y] = [left, y + line]; /* as the field breaks it: anywhere */
		const strength = Math.min(1, state.strength(place));
		if (strength >= FIRES) {
			pen.fillStyle = hidden;
			pen.globalAlpha = strength * (isDark ? 0.45 : 0.6);
			pen.fillRect(x, y + 2, step, line - 4);
			pen.globalAlpha = 1;
			const bar = strength < STRONGLY ? 1.5 : strength < 2 / 3 ? 3 : 4.5;
			pen.fillRect(x, y + line - 2 - bar, step, bar);
		}
		const frame = place === at ? [accent, 2] : place === ringed && [output, 3];
		if (frame) {
			[pen.strokeStyle, pen.lineWidth] = frame;
			pen.strokeRect(x, y + 2, step, line - 4);
		}
		x += step;
		if (letter === "\n") [x, y] = [left, y + line];
	}
};

/* Return the canvases of the three FFNs, and a function that draws them. */
const fieldsOf = ({ fields, about }, state, point, alter) => {
	const all = [1, 2, 3].map((ffn) => {
		const choose = (unit) => alter({ ffn, unit });
		const box = added(
			fields,
			"div",
			`<span class="quiet">FFN ${ffn}<small> · off</small></span><canvas tabindex="0" role="slider" aria-label="Units of FFN ${ffn}" aria-valuenow="0" aria-valuemin="0"></canvas><div class="row best" role="group" aria-label="Strongest units of FFN ${ffn} here"></div>`,
		);
		const [, canvas, best] = box.children;
		const paint = field(
			canvas,
			COLUMNS,
			UNITS / COLUMNS,
			(unit) => point(unit === null ? null : [ffn, unit]),
			choose,
			() => state.unitsIn(ffn).flat().concat(0)[0],
		);
		return { canvas, ffn, box, paint, best: buttons(best, choose) };
	});
	const draw = ({ cell, hidden, text }) => {
		for (const { ffn, box, best, paint } of all) {
			box.classList.toggle("off", state.now.off.includes(`ffn ${ffn}`));
			const values = state.strengths(ffn),
				[pointed, chosen] = state.unitsIn(ffn);
			best(values);
			const opaque = (value) => (value ? 0.18 + 0.82 * Math.min(1, value) : 0);
			paint(cell, (unit) => [hidden, opaque(values[unit])], [
				[state.named(ffn), text, 1, 0.6],
				[chosen, text, 2],
				[pointed, text, 1.5],
			]);
		}
		const [ffn, unit] = state.lit;
		say(about, state.about);
		tell(all[ffn - 1].canvas, unit, state.about);
	};
	return [all.map(({ canvas }) => canvas), draw];
};

/* The card with the question; the function returned shows what is asked now. pick(answer): a person chooses. */
const cardOf = (parts, state, pick) => {
	const { all, choices, fit, reply, sure, wants } = parts;
	let shown = null;
	return () => {
		const { guess } = state,
			{ question } = guess;
		say(wants, guess.wants);
		if (!guess.isNamed) all.open = true;
		if (question !== shown)
			choices.replaceChildren(
				...(question ? question.choices : []).map((answer, number) => {
					const button = added(
						choices,
						"button",
						`<b>${"ABCD"[number]}</b>${answer[0]}`,
					);
					button.answer = answer;
					button.onclick = () => pick(answer);
					return button;
				}),
			);
		shown = question;
		for (const button of choices.children) {
			const isPicked = button.answer === guess.picked;
			button.hidden = guess.sure && !isPicked;
			button.setAttribute("aria-pressed", isPicked);
		}
		reply.textContent = guess.reply;
		sure.hidden = !guess.sure;
		say(fit, guess.sure);
	};
};

/* What a hand changes; the function returned shows what it is now. */
const handsOf = (parts, state, alter) => {
	const { another, area, ffn, length, own, presets, switches, unit } = parts,
		{ now } = state;
	const tick = (names) =>
		alter({
			off: names,
			held: names.includes("held") && (now.held || `${now.ffn}.${now.unit}`),
		});
	const set = checkboxes(switches, [...PARTS, "held"], tick, "pill");
	ffn.onchange = unit.onchange = () =>
		alter({ ffn: ffn.value, unit: unit.value });
	own.oninput = () => alter({ own: own.value });
	another.onclick = () => {
		if (state.specimen) alter(state.specimen.another(now.ffn, now.unit));
	};
	for (const [name, text] of Object.entries(PRESETS))
		added(presets, "button", name).onclick = () => {
			alter({ text });
			area.focus();
		};
	return () => {
		[ffn.value, unit.value, own.value] = [now.ffn, now.unit, now.own];
		set(now.held ? `${now.off},held` : now.off, state.labels);
		say(length, `Our own unit: i after self, length ${now.own}`);
	};
};

/* Offer the address of what is shown, and show what an address asks for. */
const linked = (element, parts, state, data, update) => {
	const { area, copied, copy, link, whole } = parts;
	const address = () =>
		new URL(
			`${data.link}?${new URLSearchParams({ ...state.now, at: state.place })}`,
			location.href,
		).href;
	link.hidden = !data.link;
	whole.href = data.link;
	whole.hidden = data.eager;
	whole.onclick = () => {
		whole.href = address();
	};
	const offer = () => prompt("The link", address());
	copy.onclick = () => {
		if (!navigator.clipboard) return offer();
		navigator.clipboard
			.writeText(address())
			.then(() => say(copied, "Copied."), offer);
	};
	const follow = () => {
		const [id, words] = location.hash.slice(1).split("?");
		if (id !== element.id || !words) return;
		state.take(Object.fromEntries(new URLSearchParams(words)));
		area.value = ""; /* so that the caret follows */
		update();
	};
	addEventListener("hashchange", follow);
	follow();
	return () => removeEventListener("hashchange", follow);
};

/* Say what the unit does here, and what the model writes. */
const sayAll = ({ aloud, place, said, writes }, state) => {
	const { lines } = state;
	say(said, state.fires);
	say(place, state.after);
	writes.replaceChildren();
	for (const [number, line] of lines.entries()) {
		const { children } = added(
			writes,
			"span",
			"<small></small><span></span><b></b>",
			number ? "after" : "",
		);
		for (const [at, words] of line.entries()) children[at].textContent = words;
	}
	aloud.textContent = state.aloud(lines);
};

export const render = (element, data, given, changed) => {
	const state = new State();
	let looks = null,
		ended = false,
		isLoading = false,
		frame,
		resting;
	element.innerHTML = BODY;
	const parts = partsOf(element),
		{ area, next, paper, reply, said } = parts;
	area.maxLength = MOST;

	/* Change the state from here, and show it. */
	const alter = (given) => {
		state.take(given);
		update();
		changed({ ...state.now });
	};
	const update = () => {
		typed(area, state.now.text, state.place + 1);
		hands();
		if (state.specimen) go();
		else draw();
	};
	/* Compute for a while, show what is known, and go on in the next frame. */
	const go = () => {
		cancelAnimationFrame(frame);
		if (state.read()) card();
		else frame = requestAnimationFrame(go);
		draw();
		expects(state.expected());
		clearTimeout(resting); /* what is read out may not change with each key */
		resting = setTimeout(() => sayAll(parts, state), 400);
	};
	const paint = () => paintText(paper, area, looks, state);
	const draw = () => {
		paint();
		fields(looks);
	};
	const drawAnew = () => {
		looks = looksOf(element, area);
		draw();
	};
	const point = (unit) => {
		state.pointed = unit;
		if (state.specimen) say(said, state.fires);
		draw();
	};
	const pick = (answer) => {
		alter({ off: "", held: "" });
		state.pick(answer);
		card();
		draw();
		inView(reply);
	};
	const expects = bars(next),
		[canvases, fields] = fieldsOf(parts, state, point, alter),
		card = cardOf(parts, state, pick),
		hands = handsOf(parts, state, alter);

	const load = () => {
		if (isLoading) return;
		isLoading = true;
		Promise.resolve(data.packed ? data : loaded(data.weights)).then(
			(trained) => {
				if (ended) return;
				state.load(trained);
				update();
			},
			() => {
				isLoading = false;
				say(
					said,
					"The model could not be loaded. Type once more to try again.",
				);
			},
		);
	};
	element.addEventListener("focusin", load);
	element.addEventListener("pointerdown", load);
	area.oninput = () => {
		load();
		alter({ text: area.value, at: area.selectionStart - 1 });
	};
	area.onscroll = paint;
	const unwatch = watched([paper, ...canvases], drawAnew, area, () => {
		const at = area.selectionStart - 1;
		if (at === state.place) return;
		state.take({ at });
		if (state.specimen) go();
	});
	state.take(given || {});
	drawAnew();
	update();
	const unlink = linked(element, parts, state, data, update);
	if (data.packed || data.eager) load();
	else say(said, "Click or type, and the model is loaded.");
	return {
		set(given) {
			state.take(given);
			update();
		},
		end() {
			ended = true;
			cancelAnimationFrame(frame);
			clearTimeout(resting);
			unwatch();
			unlink();
		},
	};
};
