/* A guess that a component asks for: a card with the options, which becomes the reply once one of them is chosen. */
import { made } from "./shared.js";

export const asking = (root) => `
${root} .card { --tint: var(--c-accent); margin: 0.6rem 0; padding: 1rem 1.2rem; border-radius: 14px; background: color-mix(in srgb, var(--tint) 9%, var(--c-paper)); font-size: 1rem; line-height: 1.4; }
${root} .card p { margin: 0 0 0.7rem; } ${root} .card .option { display: block; width: 100%; margin-top: 0.5rem; text-align: left; background: var(--raised, var(--c-paper)); } ${root} .card .option b { margin-right: 0.7rem; }
${root} .card.over { position: absolute; z-index: 1; right: 0; margin: 0; box-sizing: border-box; box-shadow: 0 4px 24px rgb(0 0 0 / 14%); }
${root} .card:not(.answered) .then, ${root} .card.answered .open { display: none; }
${root} .card.answered { padding: 0; background: none; box-shadow: none; font-size: 0.95rem; }
${root} .card .reply { margin: 0 0 0.5rem; padding: 0.6rem 0.9rem; border-radius: 10px; background: color-mix(in srgb, var(--tint) 11%, var(--c-paper)); } ${root} .card .right { --tint: var(--c-hidden); }
${root} .card .past { background: none; box-shadow: inset 0 0 0 1px var(--c-line); color: var(--c-quiet); }
`;

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
