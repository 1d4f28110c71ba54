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
	called,
	field,
	percent,
	pigment,
	say,
	sized,
	visible,
	watched,
	within,
} from "./lens.js";
import { Specimen } from "./language_model.js";
import { inView } from "./shared.js";

const UNITS = 512,
	COLUMNS = 32;
const MOST = 240; /* characters of a text */
const AT_ONCE = 6; /* milliseconds of computing, until the next frame */
const FIRES = 0.05,
	STRONGLY =
		1 /
		3; /* of a unit's large value: from here on it is painted, as in the lesson's figures, and with a thicker line */
const BARS = 5,
	BEST = 5,
	WRITTEN = 16,
	WRONG = 3;
const PRESETS = {
	class: "class Bank:\n    def close(self):\n        self",
	docstring: 'def read(path):\n    """Return the text of a file.\n',
	comment: "total = 0\nfor one in values:  # all of them\n    total",
	"my text": "",
};

/* What a script of weights hands over, once for all that ask for it. */
const scripts = {};
const loaded = (address) =>
	(scripts[address] =
		scripts[address] ||
		new Promise((resolve, reject) => {
			const script = Object.assign(document.createElement("script"), {
				src: address,
			});
			script.addEventListener("weights", (event) => resolve(event.detail));
			script.addEventListener("error", () => {
				delete scripts[address]; /* the next touch tries again */
				reject(new Error(address));
			});
			document.head.append(script);
		}));

const BODY = `
<div class="grid top"><div><div class="sheet"><canvas></canvas><textarea rows="3" spellcheck="false" autocapitalize="off" autocomplete="off" autocorrect="off" translate="no" aria-label="Your text"></textarea></div><div class="row presets"></div><p class="quiet said"></p><p class="aloud" role="status"></p></div>
<div class="card"><p class="wants"></p><div class="choices"></div><p class="reply" role="status"></p><details class="sure"><summary>How sure?</summary><p class="quiet"></p></details><div><button type="button" class="another">Another unit</button></div></div></div>
<div class="grid tools"><div><p><b>Now switch FFN 1 off.</b> Its 512 units fall silent. What does the model write?</p><div class="row switches" role="group" aria-label="Switch off"></div><label><span class="own"></span><input type="range" min="0" max="40"></label></div>
<div><p class="writes" translate="no"></p><p>It expects next<span class="quiet place"></span></p><ol class="next" translate="no" aria-hidden="true"></ol></div></div>
<details class="all"><summary>All 1,536 units</summary><div class="row"><label>FFN <input type="number" name="ffn" min="1" max="3"></label><label>unit <input type="number" name="unit" min="0" max="511"></label><span class="about" aria-live="polite"></span></div>
<div class="grid three fields" translate="no"></div>
<p class="quiet"><span class="mouse">Point at a cell, and its unit paints the text. Click to keep it. A framed cell fits a context of lesson 10.</span><span class="finger">Tap a number, and that unit paints the text. They are the units that fire most strongly here.</span></p></details>
<div class="row link"><a>Open in a whole window</a><button type="button">Copy link</button><span class="quiet copied" role="status"></span></div>`;

const readable = (name) =>
	name.replace(/'.*'/, (quoted) => visible(quoted)); /* a context */

/* Take what is given, and makes sense, into a state. */
const taken = (now, given, parts) => {
	if ("text" in given) now.text = String(given.text).slice(0, MOST);
	now.ffn = within(given.ffn, 1, 3, now.ffn);
	now.unit = within(given.unit, 0, UNITS - 1, now.unit);
	now.own = within(given.own, 0, 40, now.own);
	if ("off" in given)
		now.off = String(given.off)
			.split(",")
			.filter((name) => parts.includes(name))
			.join();
	if ("held" in given)
		now.held = /^[123]\.\d+$/.test(given.held) ? given.held : "";
};

/* Paint a text behind its letters: the more strongly a unit fires, the greener, and the thicker the line below; the letter
   `at` has a frame, and the letter `ringed` another. strength(number): of a letter, from 0. */
const paintText = (canvas, area, looks, strength, at, ringed) => {
	const pen = sized(canvas);
	pen.font = looks.font;
	const wide = pen.measureText("0").width;
	const from = looks.left,
		right = area.clientWidth - from;
	let x = from,
		y = looks.top - area.scrollTop;
	Array.from(area.value).forEach((letter, number) => {
		const plain = letter >= " " && letter <= "~";
		const step =
			letter === "\t"
				? wide * (4 - (Math.round((x - from) / wide) % 4))
				: plain || letter === "\n"
					? wide
					: pen.measureText(letter).width;
		if (letter !== "\n" && x + step > right)
			[x, y] = [from, y + looks.line]; /* as the field breaks it: anywhere */
		const s = Math.min(1, strength(number));
		if (s >= FIRES) {
			pen.fillStyle = looks.hidden;
			pen.globalAlpha = s * (looks.dark ? 0.45 : 0.6);
			pen.fillRect(x, y + 2, step, looks.line - 4);
			pen.globalAlpha = 1;
			const bar = s < STRONGLY ? 1.5 : s < 2 / 3 ? 3 : 4.5;
			pen.fillRect(x, y + looks.line - 2 - bar, step, bar);
		}
		if (number === at || number === ringed) {
			pen.strokeStyle = number === at ? looks.accent : looks.output;
			pen.lineWidth = number === at ? 2 : 3;
			pen.strokeRect(x, y + 2, step, looks.line - 4);
		}
		x += step;
		if (letter === "\n") [x, y] = [from, y + looks.line];
	});
};

export const render = (element, data, state, changed) => {
	const now = {
		text: PRESETS.class,
		ffn: 2,
		unit: 473,
		off: "",
		held: "",
		own: 0,
	};
	let numbers = null,
		looks = null,
		pointed = null,
		asked = null,
		known = 0,
		place = 0,
		ended = false,
		loading = false,
		frame,
		resting;
	element.innerHTML = BODY;
	const one = (selector) => element.querySelector(selector);
	const area = one("textarea"),
		paint = one(".sheet canvas"),
		boxes = [one("[name=ffn]"), one("[name=unit]")],
		size = one("[type=range]");
	const expects = bars(one(".next"), BARS);
	const pill = (kind, name, words) =>
		added(
			one(".switches"),
			"label",
			`<input type="checkbox" name="${kind}" value="${name}"> <span>${words}</span>`,
			"pill",
		).firstChild;
	const switches = ["FFN", "attention"].flatMap((kind) =>
		[1, 2, 3].map((number) =>
			pill("off", `${kind} ${number}`.toLowerCase(), `${kind} ${number}`),
		),
	);
	const held = pill("held", "", "");
	const fields = [1, 2, 3].map((ffn) => {
		const choose = (unit) => alter({ ffn, unit });
		const box = added(
			one(".fields"),
			"div",
			`<span class="quiet">FFN ${ffn}<small> · off</small></span><canvas tabindex="0" role="slider" aria-label="Units of FFN ${ffn}" aria-valuenow="0" aria-valuemin="0" aria-valuemax="${UNITS - 1}"></canvas><div class="row best" role="group" aria-label="Strongest units of FFN ${ffn} here"></div>`,
		);
		const made = field(box.children[1], COLUMNS, UNITS / COLUMNS, {
			hover: (unit) => point(unit === null ? null : [ffn, unit]),
			choose,
			from: () =>
				pointed && pointed[0] === ffn
					? pointed[1]
					: now.ffn === ffn
						? now.unit
						: 0,
		});
		return { ...made, box, best: buttons(box.lastChild, BEST, choose) };
	});
	area.maxLength = MOST;

	/* The character whose row is shown; none before the model is there. And the unit that paints. */
	const at = () => (numbers ? Math.min(place, known - 1) : -1);
	const lit = () => pointed || [now.ffn, now.unit];
	const strength = (number) =>
		numbers && number < known ? numbers.strength(number, ...lit()) : 0;

	/* ---- the state */

	const take = (given) =>
		taken(
			now,
			given,
			switches.map((box) => box.value),
		);
	/* Change the state from here, and show it. */
	const alter = (given) => {
		take(given);
		update();
		changed({ ...now });
	};
	const update = () => {
		if (area.value !== now.text) {
			area.value = now.text;
			area.setSelectionRange(
				MOST,
				MOST,
			); /* who comes by the keyboard is at its end */
			place = now.text.length - 1;
		}
		[boxes[0].value, boxes[1].value, size.value] = [now.ffn, now.unit, now.own];
		switches.forEach(
			(box) => (box.checked = now.off.split(",").includes(box.value)),
		);
		fields.forEach(({ box }, number) =>
			box.classList.toggle("off", now.off.includes(`ffn ${number + 1}`)),
		);
		held.checked = now.held !== "";
		say(
			held.nextElementSibling,
			`${called(...(now.held || `${now.ffn}.${now.unit}`).split("."))} at 0`,
		);
		say(one(".own"), `Our own unit: i after self, length ${now.own}`);
		about();
		if (!numbers) return paintAll();
		numbers.set(now);
		go();
	};

	/* ---- the model */

	const load = () => {
		if (loading) return;
		loading = true;
		Promise.resolve(data.packed ? data : loaded(data.weights)).then(
			(trained) => {
				if (ended) return;
				numbers = new Specimen(trained);
				update();
			},
			() => {
				loading = false;
				one(".said").textContent =
					"The model could not be loaded. Type once more to try again.";
			},
		);
	};
	/* Compute for a while, show what is known, and go on in the next frame. */
	const go = () => {
		cancelAnimationFrame(frame);
		known = numbers.reader.read(AT_ONCE);
		if (known === now.text.length) ask();
		else frame = requestAnimationFrame(go);
		paintAll();
		shine();
		expects(at() < 0 ? [] : numbers.likely(at(), BARS));
		clearTimeout(resting);
		resting = setTimeout(
			told,
			400,
		); /* what is read out may not change with each key */
	};

	/* ---- drawing */

	const recolour = () => {
		const look = getComputedStyle(element),
			letters = getComputedStyle(area);
		looks = Object.fromEntries(
			["cell", "hidden", "text", "accent", "output"].map((name) => [
				name,
				look.getPropertyValue(`--c-${name}`),
			]),
		);
		const dark = matchMedia("(prefers-color-scheme: dark)").matches;
		Object.assign(looks, {
			green: pigment(looks.hidden),
			font: `${letters.fontSize} ${letters.fontFamily}`,
			line: parseFloat(letters.lineHeight),
			left: parseFloat(letters.paddingLeft),
			top: parseFloat(letters.paddingTop),
			dark,
		});
	};
	const drawAnew = () => {
		recolour();
		paintAll();
		shine();
	};
	const paintAll = () =>
		looks &&
		paint.wide &&
		paintText(
			paint,
			area,
			looks,
			strength,
			at(),
			asked && !pointed && !now.off && !now.held ? asked.ringed : -1,
		);
	const shine = () =>
		fields.forEach(({ best, paint, shades }, number) => {
			const values = at() < 0 ? [] : numbers.strengths(at(), number + 1);
			best(values);
			values.forEach(
				(value, unit) =>
					(shades[unit] = value
						? looks.green(0.18 + 0.82 * Math.min(1, value))
						: 0),
			);
			paint(looks.cell, frames(number + 1));
		});
	/* What is framed in a field. */
	const frames = (ffn) => {
		const all = numbers
			? [[Object.keys(numbers.trained.names[ffn - 1]), looks.text, 1, 0.6]]
			: [];
		if (ffn === now.ffn) all.push([[now.unit], looks.text, 2]);
		if (pointed && pointed[0] === ffn)
			all.push([[pointed[1]], looks.text, 1.5]);
		return all;
	};

	/* ---- what the unit is waiting for */

	/* A question of a unit that has a name, where the text speaks for it and against at least three other answers: those next
     to it are the wrong ones. An answer is [its words, the pattern of a text up to its character, the context that it names]. */
	const question = (ffn, unit) => {
		const { names, waits } = numbers.trained,
			name = names[ffn - 1][unit],
			right = waits.find(([, , context]) => name && context === name[0]);
		if (
			!right ||
			against(right, ffn, unit).at >= 0 ||
			against(right, ffn, unit).most < STRONGLY
		)
			return null;
		const far = (answer) =>
			Math.abs(waits.indexOf(answer) - waits.indexOf(right));
		const wrong = waits
			.filter(
				(answer) => answer !== right && against(answer, ffn, unit).at >= 0,
			)
			.sort((one, other) => far(one) - far(other))
			.slice(0, WRONG);
		return wrong.length < WRONG
			? null
			: { key: `${ffn}.${unit}`, name, right, wrong, ringed: -1 };
	};
	/* Ask it of the unit that is chosen. */
	const ask = () => {
		const { ffn, unit, text } = now,
			{ asItIs, trained } = numbers;
		asItIs.set(text);
		asItIs.read();
		if (asked && asked.key === `${ffn}.${unit}`) {
			if (asked.text === text) return;
			if (asked.picked !== asked.right) return judge(null);
			asked.ringed = -1;
			return say(one(".reply"), "✓ Correct.");
		}
		const isNamed = trained.names[ffn - 1][unit];
		asked = question(ffn, unit);
		say(
			one(".wants"),
			asked
				? "This unit is waiting for …"
				: isNamed
					? "In this text nobody could tell what this unit is waiting for: type another."
					: "None of our contexts fits this unit well.",
		);
		one(".choices").replaceChildren();
		if (!isNamed) one(".all").open = true;
		for (const answer of asked
			? trained.waits.filter(
					(one) => one === asked.right || asked.wrong.includes(one),
				)
			: []) {
			const button = added(
				one(".choices"),
				"button",
				`<b>${"ABCD"[one(".choices").children.length]}</b>${answer[0]}`,
			);
			button.onclick = () => {
				alter({
					off: "",
					held: "",
				}); /* the ring is in the text as the model reads it */
				judge(answer);
			};
			button.answer = answer;
		}
		judge(null);
	};
	/* Where a text speaks against an answer, or -1: there the answer fits and the unit is silent, or the other way round. */
	const against = ([, pattern], ffn = now.ffn, unit = now.unit) => {
		const ends = new RegExp(`(?:${pattern})$`),
			values = Array.from(now.text, (_, place) =>
				numbers.strength(place, ffn, unit, numbers.asItIs),
			);
		const fits = values.map((_, place) =>
			ends.test(now.text.slice(0, place + 1)),
		);
		const silent = fits.findIndex((fit, place) => fit && values[place] < FIRES);
		const at =
			silent < 0
				? values.findIndex((value, place) => value >= STRONGLY && !fits[place])
				: silent;
		return {
			at,
			value: values[at],
			most: Math.max(...values),
			besides: values.filter((value, place) => value >= FIRES && !fits[place])
				.length,
		};
	};
	/* Reply to an answer, or to none, and ring the place that speaks against it, or against the neighbour of the right one. */
	const judge = (picked) => {
		const isRight = picked && picked === asked.right;
		one(".sure").hidden = !isRight;
		for (const button of one(".choices").children) {
			button.hidden = isRight && button.answer !== picked;
			button.setAttribute("aria-pressed", button.answer === picked);
		}
		say(one(".reply"), "");
		if (asked) Object.assign(asked, { picked, text: now.text, ringed: -1 });
		if (!picked) return;
		const judged = isRight ? asked.wrong[0] : picked,
			{ at, value } = against(judged),
			end = `the end of “${visible(now.text.slice(Math.max(0, at - 5), at + 1))}”`;
		const why =
			at < 0
				? "Nothing in this text speaks against it. Try another text."
				: value < FIRES
					? `“${judged[0]}” fits ${end}, where the unit is silent.`
					: `The unit is at ${value.toFixed(2)} at ${end}, which “${judged[0]}” does not fit.`;
		say(
			one(".reply"),
			`${isRight ? "✓ Correct" : "✗ Not yet"}. ${isRight && at < 0 ? "" : why}`,
		);
		if (isRight) {
			const { besides } = against(picked),
				[words, f1] = asked.name;
			say(
				one(".sure p"),
				`${called(now.ffn, now.unit)} fits “${readable(words)}” with an F1 of ${f1.toFixed(2)} on text that was not used to find it. F1 is 1 without misses and false alarms. In your text it fits ${besides ? `all but ${besides} of the` : "all"} painted characters.`,
			);
		}
		asked.ringed = at;
		paintAll();
		inView(one(".reply"));
	};

	/* ---- what is said */

	const about = () => {
		const [ffn, unit] = lit();
		say(
			one(".about"),
			`${called(ffn, unit)}${at() < 0 ? "" : ` is ${numbers.strength(at(), ffn, unit).toFixed(2)} here`}`,
		);
		const { canvas } = fields[ffn - 1];
		canvas.setAttribute("aria-valuenow", unit);
		canvas.setAttribute("aria-valuetext", one(".about").textContent);
	};
	/* Say of the unit that paints what it does here, and where else in the text. */
	const count = () => {
		about();
		const fires = Array.from({ length: known }, (_, number) =>
			strength(number),
		).filter((value) => value >= FIRES);
		one(".said").textContent =
			`${called(...lit())} fires at ${fires.length} of ${now.text.length} characters${now.text.includes("\n") ? ", counting the line break at the end of each line" : ""}.${numbers.knows(now.text) ? "" : " The model knows only plain ASCII, so it reads “?” in place of every other character."}`;
	};
	const told = () => {
		count();
		say(
			one(".place"),
			at() < 0
				? ""
				: ` after “${visible(now.text[at()])}”, character ${at() + 1}`,
		);
		const lines = one(".writes"),
			changes = [...switches, held]
				.filter((box) => box.checked)
				.map(
					(box) =>
						box.nextElementSibling.textContent + (box === held ? "" : " off"),
				);
		if (now.own) changes.push("with our own unit");
		lines.replaceChildren();
		if (now.text)
			for (const name of [
				"as it is",
				...(changes.length ? [changes.join(", ")] : []),
			]) {
				const line = added(
					lines,
					"span",
					`<small></small><span></span><b></b>`,
					name === "as it is" ? "" : "after",
				);
				const words = [
					name,
					now.text.split("\n").pop().trimStart(),
					numbers
						.written(
							WRITTEN,
							name === "as it is" ? numbers.asItIs : numbers.reader,
						)
						.replace("\n", "↵"),
				];
				words.forEach(
					(part, number) => (line.children[number].textContent = part),
				);
			}
		const next =
			at() < 0
				? "nothing yet"
				: numbers
						.likely(at(), 3)
						.map(([letter, p]) => `${visible(letter)} ${percent(p)}`)
						.join(", ");
		one(".aloud").textContent =
			`${one(".said").textContent} The model expects ${next}. It writes ${Array.from(lines.children, (line) => `${line.lastChild.textContent}, ${line.firstChild.textContent}`).join("; ")}.`;
	};
	const point = (to) => {
		pointed = to;
		if (numbers) count();
		paintAll();
		shine();
	};

	/* ---- hands */

	for (const [name, text] of Object.entries(PRESETS))
		added(one(".presets"), "button", name).onclick = () => (
			alter({ text }), area.focus()
		);
	switches.forEach(
		(box) =>
			(box.onchange = () =>
				alter({
					off: switches
						.filter((one) => one.checked)
						.map((one) => one.value)
						.join(),
				})),
	);
	boxes.forEach(
		(box) =>
			(box.onchange = () =>
				alter({ ffn: boxes[0].value, unit: boxes[1].value })),
	);
	area.oninput = () => {
		load();
		place = area.selectionStart - 1;
		alter({ text: area.value });
	};
	area.onscroll = paintAll;
	size.oninput = () => alter({ own: size.value });
	held.onchange = () =>
		alter({ held: held.checked ? `${now.ffn}.${now.unit}` : "" });
	/* The next unit with another name that can be asked for in this text. */
	one(".another").onclick = () => {
		if (!numbers) return;
		const { names } = numbers.trained,
			name = (names[now.ffn - 1][now.unit] || [])[0];
		const named = names.flatMap((units, number) =>
			Object.keys(units).map((unit) => ({
				ffn: number + 1,
				unit: Number(unit),
			})),
		);
		const others = named.filter(
			({ ffn, unit }) =>
				names[ffn - 1][unit][0] !== name && question(ffn, unit),
		);
		alter(
			others.find(
				({ ffn, unit }) => ffn * UNITS + unit > now.ffn * UNITS + now.unit,
			) ||
				others[0] ||
				named[0],
		);
	};
	for (const touched of ["focusin", "pointerdown"])
		element.addEventListener(touched, load);
	/* Follow the caret. */
	const look = () => {
		if (document.activeElement !== area || area.selectionStart - 1 === place)
			return;
		place = area.selectionStart - 1;
		if (numbers) go(), about();
	};
	/* Offer the address of what is shown. */
	const address = () =>
		new URL(
			`${data.link}?${new URLSearchParams({ ...now, at: place })}`,
			location.href,
		).href;
	const whole = Object.assign(one(".link a"), {
		href: data.link,
		hidden: data.eager,
		onclick: () => (whole.href = address()),
	});
	one(".link").hidden = !data.link;
	one(".link button").onclick = () => {
		if (!navigator.clipboard) return prompt("The link", address());
		navigator.clipboard.writeText(address()).then(
			() => say(one(".copied"), "Copied."),
			() => prompt("The link", address()),
		);
	};
	/* Show what an address asks for. */
	const linked = () => {
		const [id, words] = location.hash.slice(1).split("?");
		if (id !== element.id || !words) return;
		const given = Object.fromEntries(new URLSearchParams(words));
		take(given);
		update();
		place = within(given.at, -1, now.text.length - 1, place);
		area.setSelectionRange(place + 1, place + 1);
		if (numbers) go();
	};
	document.addEventListener("selectionchange", look);
	addEventListener("hashchange", linked);
	recolour();
	const unwatch = watched(
		[paint, ...fields.map(({ canvas }) => canvas)],
		drawAnew,
	);
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
			clearTimeout(resting);
			unwatch();
			document.removeEventListener("selectionchange", look);
			removeEventListener("hashchange", linked);
		},
	};
};
