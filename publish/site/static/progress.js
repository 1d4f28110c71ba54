/* What is remembered, in words and tables: how far the reader has come, and the first guesses. */
"use strict";
(() => {
	const { all, asText, escaped, memory } = course;
	const stage = (lesson) => {
		const guesses = lesson.parts.filter((part) => part.guess);
		const guessed = guesses.filter((part) => memory.kept.guesses[part.id]);
		const solved = lesson.quiz.filter((id) => memory.kept.quiz[id]);
		const coded = lesson.parts.filter((part) => !part.guess);
		const correct = coded.filter(
			(part) => memory.kept.checks[part.id]?.status === "correct",
		);
		const next = guesses.find((part) => !memory.kept.guesses[part.id]);
		const total = guesses.length + lesson.quiz.length;
		const done = guessed.length + solved.length + correct.length;
		const open =
			total -
			guessed.length -
			solved.length; /* exercises are open to those who want to write code */
		return {
			lesson,
			next,
			open,
			guesses: `${guessed.length} of ${guesses.length}`,
			quiz: lesson.quiz.length
				? `${solved.length} of ${lesson.quiz.length}`
				: "none",
			coded: `${correct.length} of ${coded.length}`,
			begun: done > 0,
			done: `${done === total + coded.length ? "✓ " : ""}${done} of ${total + coded.length} done`,
		};
	};
	const linked = (lesson) =>
		`<a href="${lesson.address}">${escaped(lesson.heading)}</a>`;
	/* Where to go on: where the reader was, unless that was a look ahead; or what is open next. */
	const nextOpen = (every) => {
		const stages = every.filter((one) => !one.lesson.build);
		const begun = Math.max(
			0,
			...stages.map((one, place) => (one.begun ? place : 0)),
		);
		const read = every.find((one) =>
			memory.place.startsWith(one.lesson.address),
		);
		if (read?.open && (read.begun || !every.some((one) => one.begun)))
			return read;
		return [...stages.slice(begun), ...stages.slice(0, begun)].find(
			(one) => one.open,
		);
	};
	const wayOn = (every) => {
		const ahead = nextOpen(every);
		if (!ahead)
			return "<strong>Every guess is made and every question is answered.</strong>";
		const what = ahead.next ? ahead.next.title : "the quiz";
		return `<strong>Continue here:</strong> ${linked(ahead.lesson)}, <em>${escaped(what)}</em>.`;
	};
	const tables = {
		progress(name) {
			const stages = course.lessons.map(stage);
			if (name) {
				const one = stages.find((each) => each.lesson.name === name);
				const done = `${one.guesses} guesses, ${one.coded} exercises and ${one.quiz} quiz questions done so far.`;
				return `<p><strong>${escaped(one.lesson.heading)}:</strong> ${done} ${wayOn(stages)}</p>`;
			}
			return `<p>${wayOn(stages)}</p>`;
		},
		guesses() {
			const rows = [];
			let near = 0;
			for (const lesson of course.lessons)
				for (const part of lesson.parts) {
					const found = memory.kept.guesses[part.id];
					if (!found) continue;
					near += found.near ? 1 : 0;
					const guess = escaped(asText(found.guess));
					rows.push(
						`<tr><td>${escaped(lesson.heading)}</td><td>${escaped(part.title)}</td><td>${guess}</td>` +
							`<td>${escaped(lesson.answers[part.id])}</td><td>${found.near ? "yes" : "no"}</td></tr>`,
					);
				}
			if (!rows.length)
				return "<p>No guess has been made yet: they appear here as you go through the lessons.</p>";
			const heads = ["lesson", "question", "your guess", "it is", "near?"].map(
				(one) => `<th scope="col">${one}</th>`,
			);
			return (
				`<p><strong>Your first guesses: ${near} of ${rows.length} came near</strong></p><div class="table" tabindex="0" role="region" aria-label="Your first guesses">` +
				`<table><thead><tr>${heads.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`
			);
		},
	};

	/* The first page's button leads back to the place of reading, or to what is open next. */
	const continued = (stages) => {
		const button = document.querySelector(".begin");
		const last = memory.place,
			to =
				stages.some(
					(one) => one.begun || last.startsWith(one.lesson.address),
				) && nextOpen(stages);
		if (button && to)
			Object.assign(button, {
				href: last.startsWith(to.lesson.address) ? last : to.lesson.address,
				textContent: `Continue: ${to.lesson.heading}`,
			});
	};

	/* Show what is remembered now; what else shows a part of it hears "refreshed". */
	course.refresh = () => {
		memory.read();
		document.dispatchEvent(new CustomEvent("refreshed"));
		for (const box of all("[data-live]"))
			box.innerHTML = tables[box.dataset.live](box.dataset.lesson);
		const stages = (course.lessons || []).map(stage);
		continued(
			stages.slice(1),
		); /* the first page begins with lesson 01: it is itself most of lesson 00 */
		for (const { lesson, begun, done } of stages)
			for (const card of all(`.cards [data-lesson="${lesson.name}"]`)) {
				card.classList.toggle("begun", begun);
				card.querySelector(".done").textContent = begun ? done : "";
			}
	};
})();
