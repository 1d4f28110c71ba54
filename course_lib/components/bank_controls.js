/* What stands around the picture: what it is changed with, each showing the state of what is played. */
import { say } from "./bank_picture.js";
import { signed } from "./bank_words.js";
import { made } from "./shared.js";

export const button = (name, act, ...inside) => {
	const element = made("button", { type: "button", class: name }, ...inside);
	element.addEventListener("click", act);
	return element;
};

/* A choice of one of several: values are pairs of a value and its words. */
const choice = (name, title, values, chosen) => {
	const own = Math.random().toString(36).slice(2);
	const inputs = values.map(([value]) =>
		made("input", { type: "radio", name: `${name}-${own}`, value }),
	);
	for (const input of inputs)
		input.addEventListener("change", () => chosen(input.value));
	const labels = values.map(([, text], index) =>
		made("label", {}, inputs[index], made("span", {}, text)),
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
export const controls = (data, played) => {
	const playing = button("play", () => played.toggle(), "▶ Play");
	const cues = choice(
		"cue",
		"sentence with",
		data.cues.map((cue) => [cue, cue]),
		(cue) => played.change({ cue }),
	);
	const bends = choice(
		"bend",
		"bend",
		data.bends.map((bend) => [bend, bend]),
		(bend) => played.change({ bend }),
	);
	const places = choice(
		"where",
		"where",
		[
			["attention", "before attention"],
			["FFN", "after attention"],
		],
		(before) => played.pick(played.feature, before),
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
