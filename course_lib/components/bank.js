/* One word's numbers go through a layer that is wired by hand, and everything behind a number moves with it. One unit of
   the drawing is one pixel, so words keep their size on any screen. How far it has come is a number from 0 to 6.
   data: the layer of course_lib.model.bank; bends, counter, sums, rows: what may be shown; most: how far a number is moved, up
         or down; reach: the lowest and the highest sum that this reaches, which the bars' scale holds; note: words below it;
         question: null or what ./asked.js asks before it shows what the bend does
   state: {cue, bend, word, moved: null or {before, word, feature, by}, guess: null or the letter that was chosen} */
import { asked } from "./asked.js";
import { button, controls } from "./bank_controls.js";
import { layout } from "./bank_layout.js";
import { picture, say } from "./bank_picture.js";
import { Played } from "./bank_state.js";
import { sentence } from "./bank_words.js";
import { aloud, inView, made } from "./shared.js";

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
