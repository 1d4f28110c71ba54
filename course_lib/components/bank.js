/* One word's numbers go through a layer that is wired by hand, and everything behind a number moves with it. One unit of
   the drawing is one pixel, so words keep their size on any screen. How far it has come is a number from 0 to 6.
   data: the layer of course_lib.model.bank; bends, counter, sums, rows: what may be shown; most: how far a number is moved, up
         or down; reach: the lowest and the highest sum that this reaches, which the bars' scale holds; note: words below it;
         question: null or what ./asked.js asks before it shows what the bend does
   state: {cue, bend, word, moved: null or {before, word, feature, by}, guess: null or the letter that was chosen} */
import { asked } from "./asked.js";
import { layout } from "./bank_layout.js";
import { picture, say } from "./bank_picture.js";
import { Played } from "./bank_state.js";
import { sentence, signed } from "./bank_words.js";
import { aloud, inView, made } from "./shared.js";

const button = (name, act, ...inside) => {
	const element = made("button", { type: "button", class: name }, ...inside);
	element.addEventListener("click", act);
	return element;
};

/* A choice of one of several values, each with its words. */
const choice = (name, title, chosen, values, words = values) => {
	const own = Math.random().toString(36).slice(2);
	const inputs = values.map((value) =>
		made("input", { type: "radio", name: `${name}-${own}`, value }),
	);
	for (const input of inputs)
		input.addEventListener("change", () => chosen(input.value));
	const labels = inputs.map((input, index) =>
		made("label", {}, input, made("span", {}, words[index])),
	);
	const field = made(
		"fieldset",
		{ class: name },
		made("legend", {}, title),
		made("span", { class: "choices" }, ...labels),
	);
	const show = (value) => {
		for (const input of inputs) input.checked = input.value === value;
	};
	return { field, show };
};

/* A number of the row, and by how much it is moved. */
const mover = ({ features, most }, played) => {
	const select = made(
		"select",
		{ "aria-label": "Which number to move" },
		...features.map((name, value) => made("option", { value }, name)),
	);
	const slider = made("input", {
		type: "range",
		min: -most,
		max: most,
		step: 0.05,
	});
	const output = made("output");
	const back = button(
		"back",
		() => {
			played.shift(0);
			slider.focus();
		},
		"↺",
	);
	back.ariaLabel = back.title = "Put the number back";
	select.addEventListener("change", () =>
		played.pick(Number(select.value), played.before),
	);
	slider.addEventListener("input", () => played.shift(Number(slider.value)));
	const field = made(
		"div",
		{},
		made("span", {}, "move"),
		select,
		slider,
		output,
		back,
	);
	const draw = ({ feature, state, shown }) => {
		const by = state.moved ? state.moved.by : 0;
		if (Number(slider.value) !== by) slider.value = by;
		say(output, signed(by));
		slider.ariaValueText = signed(by);
		slider.ariaLabel = `Move ${features[feature]} in the row of “${shown.words[state.word]}”`;
		select.value = feature;
		back.disabled = !by;
	};
	return { field, draw };
};

/* Return {play, does, draw()}: the buttons that play it, and all that changes it. */
const controls = (data, played) => {
	const playing = button("play", () => played.toggle(), "▶ Play");
	const tell = (cue) => played.change({ cue });
	const cues = choice("cue", "sentence with", tell, data.cues);
	const apply = (bend) => played.change({ bend });
	const bends = choice("bend", "bend", apply, data.bends);
	const places = choice(
		"where",
		"where",
		(before) => played.pick(played.feature, before),
		["attention", "FFN"],
		["before attention", "after attention"],
	);
	const number = mover(data, played);
	const fields = [cues.field, bends.field, number.field];
	if (data.rows) fields.push(places.field);
	const draw = () => {
		const { state, open, run, progress, end } = played;
		number.draw(played);
		cues.show(state.cue);
		/* What is asked is asked of the sentence that is shown. */
		cues.field.disabled = !open;
		bends.show(state.bend);
		bends.field.hidden = !open;
		places.show(played.before);
		say(playing, run ? "❚❚ Pause" : progress >= end ? "↻ Replay" : "▶ Play");
	};
	const step = button("step", () => played.step(), "Step");
	return {
		play: made("div", { class: "plays" }, playing, step),
		does: made("div", { class: "does" }, ...fields),
		draw,
	};
};

/* The question's card, and below its reply a button that takes the bend away. changed(): its height may be another. */
const carded = ({ question }, played, answered, changed) => {
	const bendless = button("bendless", () => played.unbend());
	const without = made("p", { class: "reply", hidden: "" }, question.unbent);
	const below = made("div", {}, bendless, without);
	const card = asked(question, answered, below);
	const draw = () => {
		const { state, start, open } = played;
		const bent = state.bend !== "none";
		say(bendless, bent ? "Take the bend away" : "Put the bend back");
		const fits =
			!state.moved && state.cue === start.cue && state.word === start.word;
		card.show(open && state.guess, fits);
		if (without.hidden === (bent || !fits)) return;
		without.hidden = bent || !fits;
		changed();
	};
	return { element: card.element, bendless, draw };
};

export const render = (element, data, given, changed) => {
	const calm = matchMedia("(prefers-reduced-motion: reduce)");
	const voice = aloud();
	const speak = () => voice.says(sentence(played));
	let [frame, place] = [0, null];
	const tick = (now) => {
		frame = 0;
		played.tick(now);
	};
	const draw = () => {
		if ((played.run || played.glide) && !frame)
			frame = requestAnimationFrame(tick);
		if (!place) return;
		drawing.draw(place);
		around.draw();
		card?.draw();
		say(said, sentence(played));
	};
	const played = new Played(data, given, calm, { draw, speak, changed });
	const words = played.values.words;
	const drawing = picture(played, words);
	const around = controls(data, played);
	const stage = made("div", { class: "stage" }, drawing.svg);
	const said = made("p", { class: "said" });
	/* Where the card lies over the picture, what is below it begins below the card as well. */
	const roomy = () => {
		if (!card) return;
		const { offsetTop, offsetHeight } = card.element;
		said.style.minHeight = card.element.matches(".over")
			? `${offsetTop + offsetHeight - said.offsetTop}px`
			: "";
	};
	const answered = (guess) => {
		played.answer(guess);
		roomy();
		card.bendless.focus({ preventScroll: true });
		/* The picture goes on; the note below it need not show. */
		inView(element, said.offsetTop + said.offsetHeight);
	};
	const card = data.question && carded(data, played, answered, roomy);
	element.append(
		stage,
		around.play,
		...(card ? [card.element] : []),
		said,
		around.does,
		made("p", { class: "note" }, data.note),
		voice.element,
	);

	const laid = () => {
		const wide = Math.round(stage.clientWidth);
		if (!wide || wide === place?.wide) return;
		place = layout(wide, data, words);
		if (card) {
			/* Beside the units. */
			const free = wide - place.units[1] - place.half - 12;
			card.element.classList.toggle("over", free > 205);
			element.style.setProperty("--card", `${Math.min(free, 304)}px`);
			element.style.setProperty("--zero", `${place.zero}px`);
		}
		draw();
		roomy();
	};
	const watched = new ResizeObserver(laid);
	watched.observe(stage);
	laid();
	const whole = () => played.show(played.end);
	addEventListener("beforeprint", whole);
	const near = new IntersectionObserver(
		(entries) => {
			if (!entries.some((entry) => entry.isIntersecting)) return;
			near.disconnect();
			if (!played.touched) played.play(0);
		},
		{ threshold: 0.5 },
	);
	if (calm.matches || (card && played.open)) whole();
	else near.observe(drawing.svg);
	return {
		set: (state) => played.set(state),
		end: () => {
			cancelAnimationFrame(frame);
			removeEventListener("beforeprint", whole);
			watched.disconnect();
			near.disconnect();
			voice.end();
		},
	};
};
