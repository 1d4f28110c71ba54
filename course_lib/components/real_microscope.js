/* The microscope on a real model: Python computes what it shows, each time when something is changed.

   data: { sizes: { ffns, units, features, tokens: how many are read at most }, first: the answer to the state at the start }.
   state: { text, ffn, unit, off: what is switched off, of "ffn,attention,unit", entry: [FFN, feature,
   unit] of a number, value: what it is set to, or null }. FFNs are counted from 1, all else from 0.
   A question is the state with `caret`, the characters before the caret; for the answer see course_lib/real_microscope.py.
   Painted is what the model does as it is: what a change would do is a tick in the bars, so nothing moves under the hand. */
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
	stepped,
	tell,
	textarea,
	typed,
	watched,
} from "./lens.js";
import { PARTS, percent, State } from "./real_microscope_state.js";
import { aloud, shown } from "./shared.js";

const COLUMNS = 48;
const SLOW = 4000; /* milliseconds, until it is said that no answer comes */

const bodyOf = ({ ffns, features, units }) => `
<div class="top"><div><div class="sheet">${textarea(2, "Your text, in English")}</div>
<ul class="own tokens" translate="no" aria-label="The values of the unit at the tokens"></ul></div>
<div><p class="heads"><span>It expects next<span class="quiet place"></span></span><span class="quiet ifs">as it is&ensp;┃ if …</span></p><ol class="next" translate="no" aria-label="What the model expects next"></ol><p class="quiet instead"></p></div></div>
<div class="grid"><div>${ffns} FFNs <span class="quiet">what each writes here, ÷ the row it is added to</span><div class="ffns" tabindex="0" role="slider" aria-orientation="vertical" aria-valuemin="1" aria-valuemax="${ffns}" aria-label="FFN"></div></div>
<div><p class="about"></p><canvas tabindex="0" role="slider" aria-valuemin="0" class="cells"></canvas><div class="row best" role="group" aria-label="Strongest units here"></div><p class="quiet scale"></p><p class="quiet"><span class="mouse">Point at a unit or use the arrow keys; click or press Enter to keep it.</span><span class="finger">Tap a number to choose one of the strongest units.</span></p></div>
<div class="hands"><fieldset class="off"><legend>What if …?</legend></fieldset>
<fieldset class="entry"><legend>One number of W<sub>down</sub></legend>${numberBox(1, ffns, "ffn", "FFN")}${numberBox(0, features - 1, "feature")}${numberBox(0, units - 1, "unit")}<label><span class="was"></span> → <input type="number" name="value" step="any"></label><span class="row"><button class="zero">Set to 0</button><button class="back">Put back</button></span></fieldset></div></div>
<p class="quiet status" role="status"></p>`;

/* The list of FFNs; the function returned shows what each writes. */
const ffnsOf = (slider, state, alter) => {
	const { now, sizes } = state;
	const rows = Array.from({ length: sizes.ffns }, (_, at) => {
		const row = added(slider, "div", `<span>${at + 1}</span><i></i><b></b>`);
		row.onclick = () => alter({ ffn: at + 1 });
		return row;
	});
	slider.onkeydown = (event) => {
		const ffn = stepped(event, now.ffn, 1, 1, sizes.ffns);
		if (ffn === undefined) return;
		event.preventDefault();
		alter({ ffn });
	};
	return () => {
		for (const [at, [share, long, isMuch]] of state.shares.entries()) {
			const row = rows[at],
				isOn = at + 1 === now.ffn;
			row.style.setProperty("--s", long.toFixed(3));
			say(row.lastChild, share);
			row.className = `${isOn ? "on" : ""} ${isMuch ? "much" : ""}`;
			if (isOn)
				tell(slider, now.ffn, `FFN ${now.ffn} writes ${share} of the row here`);
		}
	};
};

/* What a hand changes; the function returned shows what it is now. */
const handsOf = (parts, state, alter) => {
	const { back, feature, ffn, off, unit, value, was, zero } = parts,
		{ now } = state,
		entry = [ffn, feature, unit];
	const set = checkboxes(off, PARTS, (names) => alter({ off: names }));
	for (const box of entry)
		box.onchange = () =>
			alter({ entry: entry.map((each) => each.value), value: null });
	value.onchange = () => alter({ value: value.value });
	zero.onclick = () => alter({ value: 0 });
	back.onclick = () => alter({ value: null });
	return () => {
		set(now.off, state.labels);
		for (const [at, box] of entry.entries()) box.value = now.entry[at];
		if (!state.answer) return;
		say(was, shown(state.answer.entry, 2));
		if (document.activeElement !== value)
			value.value = now.value ?? Number(state.answer.entry.toFixed(2));
	};
};

/* The tokens; the function returned paints them with the values of the unit. */
const tokensOf = ({ area, tokens: list }, state) => {
	const { children } = list;
	const goTo = (place) => {
		const { ends } = state.answer;
		const { length } = Array.from(area.value).slice(0, ends[place]).join("");
		area.focus();
		area.setSelectionRange(length, length);
	};
	return () => {
		const { tokens, answer } = state;
		while (children.length > tokens.length) list.lastChild.remove();
		while (children.length < tokens.length) {
			const place = children.length;
			added(list, "li", "<b></b><small></small>").onclick = () => goTo(place);
		}
		for (const [place, [token, value, words]] of tokens.entries()) {
			const item = children[place];
			item.className = `${value > 0 ? "above" : "below"} ${place === answer.at ? "at" : ""}`;
			item.style.setProperty("--s", `${Math.round(60 * state.shade(value))}%`);
			say(item.firstChild, token);
			say(item.lastChild, words);
		}
	};
};

/* Ask Python, and say what hinders it. take(answer): the last one. */
const askPython = (ask, question, status, most, take) => {
	if (!ask)
		return say(
			status,
			"Python computes this microscope: run its cell in a notebook.",
		);
	const slow = setTimeout(
		() =>
			say(
				status,
				"No answer yet: another cell may be running. If you have restarted the kernel, run this cell again.",
			),
		SLOW,
	);
	ask(question)
		.then(
			(answer) => {
				if (!answer) return;
				say(
					status,
					answer.is_cut ? `Only the first ${most} tokens are read.` : "",
				);
				take(answer);
			},
			(error) => say(status, `Python could not answer: ${error.message}`),
		)
		.finally(() => clearTimeout(slow));
};

/* The units of an FFN and what the one does that is chosen or pointed at: draw(), recolour(). */
const unitsOf = (parts, state, alter, says) => {
	const { about, best, cells, scale } = parts,
		{ now, sizes } = state,
		tokens = tokensOf(parts, state);
	let looks = {};
	const point = (unit) => {
		state.pointed = unit;
		if (!state.answer) return;
		const { cell, input, output, text } = looks,
			{ here } = state;
		const colour = (value) => (value > 0 ? output : input);
		paint(cell, (each) => [colour(here[each]), state.shade(here[each])], [
			[[now.unit], text, 2.5],
			[unit === null ? [] : [unit], text, 1.5],
		]);
		say(scale, state.scale);
		tokens();
		const [name, words] = state.about;
		about.innerHTML = `<b>${name}</b><span></span>`;
		say(about.lastChild, words);
		cells.setAttribute("aria-label", `Units of FFN ${now.ffn}`);
		tell(cells, state.lit, name + words);
		says(state.aloud);
	};
	const choose = (unit) => alter({ unit }, !now.off.includes("unit"));
	const strongest = buttons(best, choose);
	const paint = field(
		cells,
		COLUMNS,
		sizes.units / COLUMNS,
		point,
		choose,
		() => state.lit,
	);
	return {
		draw() {
			strongest(state.here);
			point(state.pointed);
		},
		recolour() {
			looks = coloursOf(cells);
			point(state.pointed);
		},
	};
};

export const render = (element, data, given, changed, ask) => {
	const state = new State(data.sizes),
		{ now, sizes } = state,
		voice = aloud();
	let question = {},
		ended = false;
	element.innerHTML = bodyOf(sizes);
	element.append(voice.element);
	const parts = partsOf(element),
		{ area, ifs, instead, next, place, status } = parts;

	/* Change the state from here, show it, and ask unless what is known is enough. */
	const alter = (given, isKnown) => {
		state.take(given);
		changed({ ...now });
		update(isKnown);
	};
	const update = (isKnown) => {
		typed(area, now.text);
		hands();
		if (isKnown) draw();
		else request();
	};
	/* The characters before the caret, as Python counts them. */
	const caret = () =>
		Array.from(area.value.slice(0, area.selectionStart)).length;
	const request = () => {
		if (ask && !now.text) {
			expects([]);
			state.answer = null;
			parts.tokens.replaceChildren();
			return say(parts.about, "Type a text.");
		}
		question = { ...now, caret: caret() };
		askPython(ask, question, status, sizes.tokens, (answer) => {
			if (ended) return;
			state.know(answer);
			draw();
		});
	};
	const draw = () => {
		const { answer } = state;
		if (!answer) return;
		expects(answer.expected);
		say(place, state.after);
		ifs.hidden = !answer.instead;
		say(instead, state.instead);
		hands();
		ffns();
		units.draw();
	};
	const ffns = ffnsOf(parts.ffns, state, alter),
		hands = handsOf(parts, state, alter),
		units = unitsOf(parts, state, alter, voice.says),
		expects = bars(next, "<small></small><u></u>", percent);
	state.take(given);
	state.know(data.first);
	units.recolour();
	update(true);
	question.caret = caret();
	area.oninput = () => alter({ text: area.value });
	/* Follow the caret. */
	const unwatch = watched([parts.cells], units.recolour, area, () => {
		if (now.text && area.value === now.text && caret() !== question.caret)
			request();
	});
	return {
		set(given) {
			state.take(given);
			update();
		},
		end() {
			ended = true;
			voice.end();
			unwatch();
		},
	};
};
