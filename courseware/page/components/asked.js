/* A guess that a component asks for: a card with the options, which becomes the reply once one of them is chosen. */
import { made } from "./shared.js";

/* {prompt, options: each letter's {text, reply}, answer, past: what is said once the reply no longer fits what is shown}.
   chosen(letter): a person chooses. then: what stands below the reply. */
export const asked = ({ prompt, options, answer, past }, chosen, then) => {
	const reply = made("p", { class: "reply" });
	const buttons = Object.entries(options).map(([letter, { text }]) => {
		const one = made(
			"button",
			{ type: "button", class: "option" },
			made("b", {}, letter),
			text,
		);
		one.addEventListener("click", () => chosen(letter));
		return one;
	});
	const open = made(
		"div",
		{ class: "open", role: "group", "aria-label": "Question" },
		made("p", {}, prompt),
		...buttons,
	);
	const element = made(
		"div",
		{ class: "card" },
		open,
		made(
			"div",
			{ class: "then" },
			made("div", { role: "status" }, reply),
			then,
		),
	);
	let shown = "";
	return {
		element,
		show: (guess, fits) => {
			if (shown === `${guess} ${fits}`) return;
			shown = `${guess} ${fits}`;
			element.classList.toggle("answered", Boolean(guess));
			if (!guess) return;
			reply.style.minHeight = fits
				? ""
				: `${reply.offsetHeight}px`; /* what stands below stays where it is */
			reply.className = `reply ${fits ? (guess === answer ? "right" : "") : "past"}`;
			reply.replaceChildren(
				...(fits
					? [
							made("b", {}, guess === answer ? "◆ Exactly." : "◆ Guessed."),
							` ${options[guess].reply}`,
						]
					: [past]),
			);
		},
	};
};
