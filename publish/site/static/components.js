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
		const playing = (course.playing[box.id] = render(
			box,
			given.data,
			given.state,
			(state) => {
				given.state = state;
				if (!asks || !state.guess || memory.kept.guesses[asks.id]) return;
				memory.remember(
					(now) =>
						(now.guesses[asks.id] = {
							guess: state.guess,
							near: state.guess === asks.answer,
						}),
				);
				course.refresh();
			},
		));
		if (asks)
			document.addEventListener(
				"refreshed",
				() => given.state?.guess || playing.set((given.state = kept())),
			);
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
	all(".component").forEach((box) => near.observe(box));
})();
