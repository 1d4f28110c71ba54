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
	called,
	field,
	pigment,
	say,
	visible,
	watched,
	within,
} from "./lens.js";
import { aloud, numbersOf, shown } from "./shared.js";

const COLUMNS = 48;
const BARS = 5;
const MOST = 1e6; /* of a number that is set */
const NEAR = 0.05; /* a value this near to 0 is written as 0 */
const SLOW = 4000; /* milliseconds, until it is said that no answer comes */

const BODY = `
<div class="top"><div><div class="sheet"><textarea rows="2" spellcheck="false" autocapitalize="off" autocomplete="off" translate="no" aria-label="Your text, in English"></textarea></div>
<ul class="tokens own" translate="no" aria-label="The values of the unit at the tokens"></ul></div>
<div><p class="heads"><span>It expects next<span class="quiet place"></span></span><span class="quiet ifs">as it is&ensp;┃ if …</span></p><ol class="next" translate="no" aria-label="What the model expects next"></ol><p class="quiet instead"></p></div></div>
<div class="grid"><div><span class="names">FFNs</span> <span class="quiet">what each writes here, ÷ the row it is added to</span><div class="ffns" tabindex="0" role="slider" aria-orientation="vertical" aria-valuemin="1" aria-label="FFN"></div></div>
<div><p class="about"></p><canvas tabindex="0" role="slider" aria-valuemin="0"></canvas><div class="row best" role="group" aria-label="Strongest units here"></div><p class="quiet scale"></p><p class="quiet"><span class="mouse">Point at a unit or use the arrow keys; click or press Enter to keep it.</span><span class="finger">Tap a number to choose one of the strongest units.</span></p></div>
<div class="hands"><fieldset class="off"><legend>What if …?</legend></fieldset>
<fieldset class="entry"><legend>One number of W<sub>down</sub></legend><label>FFN <input type="number" min="1"></label><label>feature <input type="number" min="0"></label><label>unit <input type="number" min="0"></label><label><span class="was"></span> → <input class="value" type="number" step="any"></label><span class="row"><button type="button">Set to 0</button><button type="button">Put back</button></span></fieldset></div></div>
<p class="quiet status" role="status"></p>`;

const percent = (p) => (p < 0.01 ? "< 1 %" : `${Math.round(100 * p)} %`);
const PARTS = ["ffn", "attention", "unit"];
const written = (value) =>
	Math.abs(value) < NEAR
		? "0"
		: Math.abs(value) < 10
			? shown(value, 1)
			: shown(value, 0).replace(/\B(?=(\d{3})+$)/g, ",");
const share = (ratio) =>
	ratio > 2 ? `× ${Math.round(ratio)}` : `${Math.round(100 * ratio)} %`;
const bare = (token) => visible(token.trim() || token);
const most = (numbers) =>
	numbers.reduce((found, one) => Math.max(found, Math.abs(one)), 0);

/* Take what is given, and makes sense, into a state. */
const taken = (now, given, { ffns, units, features }) => {
	if ("text" in given) now.text = String(given.text);
	now.ffn = within(given.ffn, 1, ffns, now.ffn);
	now.unit = within(given.unit, 0, units - 1, now.unit);
	if ("off" in given)
		now.off = PARTS.filter((part) =>
			String(given.off).split(",").includes(part),
		).join();
	if ("entry" in given)
		now.entry = [
			[1, ffns],
			[0, features - 1],
			[0, units - 1],
		].map((limits, at) => within(given.entry[at], ...limits, now.entry[at]));
	if ("value" in given)
		now.value =
			given.value === null ||
			given.value === "" ||
			!(Math.abs(given.value) <= MOST)
				? null
				: Number(given.value);
};

export const render = (element, data, state, changed, ask) => {
	const { ffns, units, features, tokens } = data.sizes;
	const now = {
			text: "",
			ffn: 1,
			unit: 0,
			off: "",
			entry: [1, 0, 0],
			value: null,
		},
		voice = aloud();
	let pointed = null,
		answer = null,
		hidden = null,
		looks = null,
		changes = "",
		asked = 0,
		ended = false;
	element.innerHTML = BODY;
	element.append(voice.element);
	const one = (selector) => element.querySelector(selector);
	const area = one("textarea"),
		slider = one(".ffns"),
		canvas = one("canvas"),
		list = one(".tokens"),
		number = one(".value"),
		entry = Array.from(element.querySelectorAll(".entry input")).slice(0, 3);
	const expects = bars(
		one(".next"),
		BARS,
		"<small></small><u></u>",
		(bar, other) => {
			say(bar.children[3], other === null ? "" : percent(other));
			bar.children[4].hidden = other === null;
			bar.style.setProperty("--t", other === null ? 0 : other.toFixed(3));
		},
		percent,
	);
	const rows = Array.from({ length: ffns }, (_, at) =>
		added(slider, "div", `<span>${at + 1}</span><i></i><b></b>`),
	);
	slider.setAttribute("aria-valuemax", ffns);
	canvas.setAttribute("aria-valuemax", units - 1);
	say(one(".names"), `${ffns} FFNs`);
	const boxes = PARTS.map(
		(part) =>
			added(
				one(".off"),
				"label",
				`<input type="checkbox" value="${part}"> <span></span>`,
			).firstChild,
	);
	[ffns, features - 1, units - 1].forEach(
		(largest, at) => (entry[at].max = largest),
	);
	const choose = (unit) => alter({ unit }, !now.off.includes("unit"));
	const best = buttons(one(".best"), BARS, choose);
	const cells = field(canvas, COLUMNS, units / COLUMNS, {
		hover: (unit) => point(unit),
		choose,
		from: () => lit(),
	});

	/* ---- the state */

	/* Change the state from here, show it, and ask unless what is known is enough. */
	const alter = (given, known = false) => {
		taken(now, given, data.sizes);
		changed({ ...now });
		controls();
		if (known) show();
		else request();
	};
	const controls = () => {
		if (area.value !== now.text) {
			area.value = now.text;
			area.setSelectionRange(now.text.length, now.text.length);
		}
		const words = [
			`FFN ${now.ffn} off`,
			`attention ${now.ffn} off`,
			`unit ${now.unit} at 0`,
		];
		boxes.forEach((box, at) => {
			box.checked = now.off.split(",").includes(box.value);
			say(box.nextElementSibling, words[at]);
		});
		now.entry.forEach((one, at) => (entry[at].value = one));
		const all = words.filter((_, at) => boxes[at].checked);
		if (now.value !== null)
			all.push(
				`number (${now.entry[1]}, ${now.entry[2]}) of FFN ${now.entry[0]} at ${shown(now.value, 2).replace(/\.00$/, "")}`,
			);
		changes = all.join(" and ");
	};

	/* ---- questions and answers */

	/* The characters before the caret, as Python counts them. */
	const caret = () =>
		Array.from(area.value.slice(0, area.selectionStart)).length;
	const request = () => {
		const status = (words) => say(one(".status"), words);
		if (!ask)
			return status(
				"Python computes this microscope: run its cell in a notebook.",
			);
		if (!now.text) {
			expects([]);
			answer = null;
			list.replaceChildren();
			return say(one(".about"), "Type a text.");
		}
		const slow = setTimeout(
			() =>
				status(
					"No answer yet: another cell may be running. If you have restarted the kernel, run this cell again.",
				),
			SLOW,
		);
		asked = caret();
		ask({ ...now, caret: asked }).then(
			(found) => {
				clearTimeout(slow);
				if (!found) return;
				status(found.is_cut ? `Only the first ${tokens} tokens are read.` : "");
				if (!ended) take(found);
			},
			(error) => {
				clearTimeout(slow);
				status(`Python could not answer: ${error.message}`);
			},
		);
	};
	const take = (found) => {
		answer = found;
		hidden = numbersOf(answer.hidden);
		show();
	};

	/* ---- drawing */

	const lit = () => pointed ?? now.unit;
	const row = (at) => hidden.subarray(at * units, (at + 1) * units);
	const value = (at) => hidden[at * units + lit()];
	/* The value of the full colour: the largest but for the first token's. */
	const full = () =>
		most(hidden.subarray(answer.tokens.length > 1 ? units : 0));
	const shade = (value) => Math.min(1, Math.abs(value) / full()) ** 0.6;
	const show = () => {
		if (!answer) return;
		expects(answer.expected);
		say(one(".place"), ` after “${bare(answer.tokens[answer.at])}”`);
		one(".ifs").hidden = !answer.instead;
		say(
			one(".instead"),
			answer.instead && changes
				? `With ${changes} it expects “${visible(answer.instead[0])}” first, with ${percent(answer.instead[1])}.`
				: "",
		);
		say(one(".was"), shown(answer.entry, 2));
		if (document.activeElement !== number)
			number.value = now.value ?? Number(answer.entry.toFixed(2));
		const largest = Math.max(
			...answer.written.filter((ratio) => ratio <= 1),
			0.5,
		);
		rows.forEach((row, at) => {
			const ratio = answer.written[at];
			row.style.setProperty("--s", Math.min(1, ratio / largest).toFixed(3));
			say(row.lastChild, share(ratio));
			row.className = `${at + 1 === now.ffn ? "on" : ""} ${ratio > 1 || ratio === largest ? "much" : ""}`;
		});
		slider.setAttribute("aria-valuenow", now.ffn);
		slider.setAttribute(
			"aria-valuetext",
			`FFN ${now.ffn} writes ${share(answer.written[now.ffn - 1])} of the row here`,
		);
		best(row(answer.at));
		point(pointed);
	};
	const paint = () => {
		if (!answer || !looks) return;
		const here = row(answer.at),
			first = most(row(0));
		here.forEach(
			(value, unit) =>
				(cells.shades[unit] = (value > 0 ? looks.above : looks.below)(
					shade(value),
				)),
		);
		cells.paint(looks.cell, [
			[[now.unit], looks.text, 2.5],
			[pointed === null ? [] : [pointed], looks.text, 1.5],
		]);
		const near = here.filter((value) => Math.abs(value) < NEAR).length,
			zeros = here.filter((value) => value === 0).length;
		say(
			one(".scale"),
			`${units.toLocaleString("en")} units: vermilion above 0, blue below; full colour is ${written(full())}, the largest value without the first token${first > full() ? ` (there ${written(first)})` : ""}. ${near} lie within ±${NEAR}, ${zeros || "none"} ${zeros > 1 ? "are" : "is"} 0.`,
		);
	};
	/* Paint the tokens with the values of the unit, and say what it does here. */
	const tell = () => {
		if (!answer) return;
		const { at, expected, tokens } = answer,
			about = one(".about");
		while (list.children.length > tokens.length) list.lastChild.remove();
		while (list.children.length < tokens.length)
			added(list, "li", "<b></b><small></small>");
		tokens.forEach((token, place) => {
			const item = list.children[place];
			item.className = `${value(place) > 0 ? "above" : "below"} ${place === at ? "at" : ""}`;
			item.style.setProperty("--s", `${Math.round(60 * shade(value(place)))}%`);
			say(item.firstChild, bare(token));
			say(item.lastChild, written(value(place)));
		});
		about.innerHTML = `<b>${called(now.ffn, lit())}</b> is ${written(value(at))} at “<span></span>”${pointed === null ? "" : ", where you point"}.`;
		one(".about span").textContent = bare(tokens[at]);
		canvas.setAttribute("aria-label", `Units of FFN ${now.ffn}`);
		canvas.setAttribute("aria-valuenow", lit());
		canvas.setAttribute("aria-valuetext", about.textContent);
		const fires = tokens
			.map((token, place) => [written(value(place)), bare(token)])
			.filter(([words]) => words !== "0")
			.map(([words, token]) => `${token} ${words}`)
			.join(", ");
		const next = expected
			.slice(0, 3)
			.map(
				([token, p, other]) =>
					`${visible(token)} ${percent(p)}${other === null ? "" : `, then ${percent(other)}`}`,
			)
			.join("; ");
		voice.says(
			`${called(now.ffn, lit())}: ${fires || "it is 0 everywhere"}. The model expects ${next}. ${one(".instead").textContent}`,
		);
	};
	const point = (unit) => {
		pointed = unit;
		paint();
		tell();
	};
	const recolour = () => {
		const look = getComputedStyle(element),
			colour = (name) => look.getPropertyValue(`--c-${name}`);
		looks = {
			above: pigment(colour("output")),
			below: pigment(colour("input")),
			cell: colour("cell"),
			text: colour("text"),
		};
		paint();
	};

	/* ---- hands */

	area.oninput = () => alter({ text: area.value });
	list.onclick = (event) => {
		const item = event.target.closest("li");
		if (!item) return;
		const end = Array.from(area.value)
			.slice(0, answer.ends[Array.from(list.children).indexOf(item)])
			.join("").length;
		area.focus();
		area.setSelectionRange(end, end);
	};
	slider.onclick = (event) => {
		const row = event.target.closest(".ffns > div");
		if (row) alter({ ffn: rows.indexOf(row) + 1 });
	};
	slider.onkeydown = (event) => {
		const to = {
			ArrowUp: now.ffn - 1,
			ArrowLeft: now.ffn - 1,
			ArrowDown: now.ffn + 1,
			ArrowRight: now.ffn + 1,
			Home: 1,
			End: ffns,
		}[event.key];
		if (to === undefined) return;
		event.preventDefault();
		alter({ ffn: to });
	};
	boxes.forEach(
		(box) =>
			(box.onchange = () =>
				alter({
					off: boxes
						.filter((one) => one.checked)
						.map((one) => one.value)
						.join(),
				})),
	);
	entry.forEach(
		(box) =>
			(box.onchange = () =>
				alter({ entry: entry.map((one) => one.value), value: null })),
	);
	number.onchange = () => alter({ value: number.value });
	element
		.querySelectorAll(".entry button")
		.forEach(
			(button, at) => (button.onclick = () => alter({ value: [0, null][at] })),
		);
	/* Follow the caret. */
	const look = () => {
		if (
			document.activeElement === area &&
			now.text &&
			area.value === now.text &&
			caret() !== asked
		)
			request();
	};
	taken(now, state, data.sizes);
	controls();
	asked = caret();
	recolour();
	take(data.first);
	document.addEventListener("selectionchange", look);
	const unwatch = watched([canvas], recolour);
	return {
		set(given) {
			taken(now, given, data.sizes);
			controls();
			request();
		},
		end() {
			ended = true;
			voice.end();
			unwatch();
			document.removeEventListener("selectionchange", look);
		},
	};
};
