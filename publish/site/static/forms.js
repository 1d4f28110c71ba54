/* Guesses and quizzes: what is chosen or typed, the reply to it, and the experiment that a guess opens. */
"use strict";
(() => {
	const { Fault, all, asText, escaped, inView, memory, same, shown } = course;
	const boxed = (status, html, letter = "") => {
		const word =
			status === "exact"
				? `${course.verdicts.guessed[0]} Exactly`
				: course.verdicts[status];
		return `<div class="verdict ${status.replace(" ", "-")}"><p><strong>${word}${letter ? `, ${letter}:` : "."}</strong> ${html}</p></div>`;
	};

	const guessForm = (form, prediction) => {
		const id = form.dataset.prediction;
		const reply = form.querySelector(".reply");
		const take = () => {
			if (prediction.kind === "claims") {
				const judged = {};
				for (const letter of Object.keys(prediction.claims)) {
					const chosen = form.querySelector(
						`input[name="${form.id}-${letter}"]:checked`,
					);
					if (chosen) judged[letter] = chosen.value;
				}
				return judged;
			}
			if (prediction.kind === "choice") {
				const chosen = form.querySelector("input:checked");
				if (!chosen)
					throw new Fault(
						`Choose one of ${prediction.choices.map(shown).join(", ")}.`,
					);
				return JSON.parse(chosen.value);
			}
			const text = form.querySelector("input").value;
			if (!text.trim())
				throw new Fault("Write your guess into the field first.");
			return course.typed(prediction, text);
		};
		const fill = (guess) => {
			if (prediction.kind === "claims") {
				for (const letter of Object.keys(prediction.claims))
					for (const one of all(`input[name="${form.id}-${letter}"]`, form))
						one.checked = one.value === guess[letter];
			} else if (prediction.kind === "choice") {
				for (const one of all("input", form))
					one.checked = same(JSON.parse(one.value), guess);
			} else {
				form.querySelector("input").value = Array.isArray(guess)
					? shown(guess)
					: String(guess);
			}
		};
		const say = (guess) => {
			const found = course.reply(prediction, guess);
			if (found.fault) {
				reply.innerHTML = boxed("not attempted", escaped(found.fault));
				return null;
			}
			let html = found.html;
			const first = memory.kept.guesses[id];
			if (first && JSON.stringify(first.guess) !== JSON.stringify(guess))
				html += escaped(
					` (Your first guess, ${asText(first.guess)}, is the one that is kept.)`,
				);
			reply.innerHTML = boxed(found.exact ? "exact" : "guessed", html);
			return found;
		};
		form.addEventListener("submit", (event) => {
			event.preventDefault();
			try {
				const guess = take();
				memory.read();
				const found = say(guess);
				if (!found) return inView(reply);
				memory.remember((now) => {
					now.guesses[id] = now.guesses[id] || { guess, near: found.near };
				});
				form.dispatchEvent(new CustomEvent("guessed", { detail: { guess } }));
				openExperiments();
				course.refresh();
			} catch (fault) {
				if (!(fault instanceof Fault)) throw fault;
				reply.innerHTML = boxed("not attempted", escaped(fault.message));
			}
			inView(reply);
		});
		form.hidden = false;
		if (prediction.drawn) course.drawGuess(form, prediction);
		const takeOver = () => {
			if (reply.innerHTML || !memory.kept.guesses[id]) return;
			const { guess } = memory.kept.guesses[id];
			if (course.reply(prediction, guess).fault)
				return memory.remember(
					(now) => delete now.guesses[id],
				); /* damaged: it is none */
			fill(guess);
			say(guess);
			form.dispatchEvent(
				new CustomEvent("guessed", { detail: { guess, again: true } }),
			);
			openExperiments();
		};
		takeOver();
		document.addEventListener("refreshed", takeOver);
	};

	const openExperiments = () => {
		for (const fold of all("details.experiment"))
			if (fold.dataset.for.split(" ").every((id) => memory.kept.guesses[id]))
				fold.open = true;
	};

	const questionBox = (box, question, anew, count) => {
		const id = box.dataset.question;
		const reply = box.querySelector(".reply");
		const mark = (place) => {
			const option = question.options[place];
			const status = option.right ? "correct" : "not yet";
			reply.innerHTML = boxed(status, option.reason, option.letter);
			const button = box.querySelector(`[data-option="${place}"]`);
			button.classList.add(option.right ? "right" : "wrong");
			button.querySelector("b").textContent =
				`${course.verdicts[status][0]} ${option.letter}`;
			const answer =
				box.parentElement.nextElementSibling; /* of a question about reasons */
			if (answer?.matches(".aside")) answer.open = true;
		};
		all(".option", box).forEach((button, place) => {
			button.addEventListener("click", () => {
				mark(place);
				const { right } = question.options[place];
				if (!anew && !memory.kept.quiz[id])
					course.attempted(id, { status: right ? "correct" : "not yet" });
				if (right && !anew)
					memory.remember(({ quiz }) => {
						quiz[id] = true;
					});
				count();
				course.refresh();
				inView(box.querySelector(".reply"));
			});
		});
		box.classList.add("live-question");
		const takeOver = () => {
			if (memory.kept.quiz[id] && !reply.innerHTML)
				mark(question.options.findIndex((option) => option.right));
		};
		takeOver();
		document.addEventListener("refreshed", takeOver);
	};
	const quizBox = (box, questions) => {
		const anew =
			box.matches(".warm-up"); /* an answer there is not remembered */
		const ids = all(".question", box).map((one) => one.dataset.question);
		const score =
			box.querySelector(
				".score",
			); /* one question alone has none, nor has a warm-up */
		const count = () => {
			const right = ids.filter((id) => memory.kept.quiz[id]).length;
			if (score)
				score.innerHTML = `<strong>Your score:</strong> ${right} of ${ids.length}.`;
		};
		for (const one of all(".question", box))
			questionBox(one, questions[one.dataset.question], anew, count);
		document.addEventListener("refreshed", count);
		count();
		const turn =
			box.querySelector(".turn"); /* a warm-up shows one question at a time */
		if (!turn) return;
		const cards = all(".question", box);
		for (const one of cards.slice(1)) one.hidden = true;
		turn.hidden = cards.length < 2;
		turn.addEventListener("click", () => {
			const at = cards.findIndex((one) => !one.hidden);
			const next = cards[(at + 1) % cards.length];
			for (const one of cards) one.hidden = one !== next;
			next.tabIndex = -1;
			next.focus(); /* read out, and Tab goes on from it */
		});
	};

	Object.assign(course, { guessForm, openExperiments, quizBox });
})();
