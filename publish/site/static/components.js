/* The components of a page, each made when it comes near the window: see courseware/page/components.py. */
"use strict";
(() => {
	const { all, components, data, made, memory } = course;
	const styled = new Set();
	course.playing = {};
	const show = (box) => {
		const name = box.dataset.component;
		const { render, style } = components[name];
		if (!styled.has(name)) document.head.append(made("style", style));
		styled.add(name);
		box.classList.add(`c-${name}`);
		const given = data.components[box.id];
		const { question: asks } = given.data; /* a guess, which the page keeps */
		const kept = () =>
			asks && memory.kept.guesses[asks.id]
				? {
						...given.state,
						guess: String(memory.kept.guesses[asks.id].guess)
							.trim()
							.toUpperCase(),
					}
				: given.state;
		given.state = kept();
		const playing = render(box, given.data, given.state, (state) => {
			given.state = state;
			if (!asks || !state.guess || memory.kept.guesses[asks.id]) return;
			memory.remember(({ guesses }) => {
				guesses[asks.id] = {
					guess: state.guess,
					near: state.guess === asks.answer,
				};
			});
			course.refresh();
		});
		course.playing[box.id] = playing;
		if (asks)
			document.addEventListener("refreshed", () => {
				if (given.state?.guess) return;
				given.state = kept();
				playing.set(given.state);
			});
	};
	const near = new IntersectionObserver(
		(seen) => {
			for (const { isIntersecting, target } of seen) {
				if (!isIntersecting) continue;
				near.unobserve(target);
				show(target);
			}
		},
		{ rootMargin: "800px" },
	);
	for (const box of all(".component")) near.observe(box);
})();
