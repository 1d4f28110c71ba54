/* Coded exercises: an editor, what the checks say of the code, and what it prints. */
"use strict";
(() => {
	const { all, escaped, inView, made, memory } = course;
	const MEGA = 1_000_000;
	/* The only marks in a reply are backticks. */
	const inline = (text) =>
		text
			.split("`")
			.map((part, place) =>
				place % 2
					? `<code translate="no">${escaped(part)}</code>`
					: escaped(part),
			)
			.join("");
	const block = (words, lines) =>
		lines
			? `${words ? `<p>${words}</p>` : ""}<pre translate="no">${escaped(lines)}</pre>`
			: "";
	/* Why Python does not run, what a library says of it in a fold. */
	const trouble = ({ stopped, reason, reload }) =>
		`<div class="verdict stopped"><p>${inline(stopped)}</p>${reason ? `<details><summary>The reason, in the browser's words</summary>${block("", reason)}</details>` : ""}${reload ? '<button type="button" class="reload">Reload</button>' : ""}</div>`;
	/* Say how far the loading of Python has come: with numbers while bytes arrive, then what it does. */
	const loading =
		(says) =>
		({ bytes, of, words }) => {
			const megabytes = (count) => (count / MEGA).toFixed(1);
			says.textContent =
				words || `Loading Python: ${megabytes(bytes)} of ${megabytes(of)} MB `;
			if (!words)
				says.append(
					made("progress", "", {
						max: of,
						value: bytes,
						"aria-hidden": "true",
					}),
				);
		};

	const loaded = {};
	const script = (address) =>
		(loaded[address] =
			loaded[address] ||
			new Promise((resolve, reject) => {
				const element = made("script", "", { src: address });
				element.onload = resolve;
				element.onerror = () => (delete loaded[address], reject());
				document.head.append(element);
			}));

	const exerciseBox = (box, asked, parts) => {
		const id = box.dataset.exercise;
		const reply = box.querySelector(".reply");
		const says = box.querySelector(".doing");
		const [check, run, stop, reset, earlier] = [
			"check",
			"run",
			"stop",
			"reset",
			"earlier",
		].map((name) => box.querySelector(`button.${name}`));
		const plain = box.querySelector("pre");
		let editor = null;
		/* What a press has come to, beside what was pressed. */
		const say = (words) => {
			says.textContent = words;
			inView(says);
		};

		/* Each change is stored at once, and nothing else is: what another tab stored is taken over, and undo brings back
       what stood here. What undo takes away then is set aside, for a key that is typed next ends redo. */
		let taking = false,
			undone = false;
		const store = (lost) => {
			const code = editor.text(),
				aside = lost && !undone;
			undone = Boolean(lost);
			if (taking) return;
			memory.remember((now) => {
				if (aside) memory.setAside(now, id, lost);
				if (code === asked.starter) delete now.code[id];
				else now.code[id] = code;
			});
			earlier.hidden = !memory.kept.former[id];
		};
		const put = (code) => {
			if (code === editor.text()) return;
			memory.remember((now) => memory.setAside(now, id));
			editor.setText(code);
		};
		const takeOver = () => {
			earlier.hidden = !memory.kept.former[id];
			const code =
				memory.kept.code[id] ??
				asked.starter; /* an empty editor is the reader's, too */
			if (!editor || code === editor.text()) return;
			taking = true;
			editor.setText(code);
			taking = false;
		};
		const make = () =>
			script(parts.editor).then(() => {
				if (editor) return;
				editor = window.courseEditor.create({
					parent: box.querySelector(".editor"),
					doc: memory.read().code[id] ?? asked.starter,
					label: `Your code for: ${asked.title}. ${box.querySelector(".keys").textContent}`,
					onCheck: () => press("check"),
					onChange: store,
					onFocus: () =>
						course.python
							.start(loading(says))
							.then(() => !stop.hidden || (says.textContent = "")),
				});
				plain.hidden = true;
				box.querySelector(".try").hidden = false;
				says.textContent = "";
			});

		const busy = (yes) => {
			if (document.activeElement === stop)
				check.focus({ preventScroll: true }); /* what is hidden has no focus */
			stop.hidden = !yes;
			box.setAttribute("aria-busy", String(yes));
		};
		const show = (html) => {
			says.textContent = "";
			reply.innerHTML = html;
			inView(reply);
		};
		const verdict = (found) => {
			const kind = found.status.replace(" ", "-");
			return (
				`<div class="verdict ${kind}"><p><strong>${escaped(found.sign)} ${escaped(found.word)}.</strong> ${inline(found.message)}</p>` +
				`${block("", found.evidence)}${block("On the first case your code printed:", found.printed)}</div>`
			);
		};
		/* Offer what somebody who helps needs to know, as text: what was asked, the code, and the reply. */
		const offerText = () => {
			const text = [
				`${document.title}, version ${document.body.dataset.version}`,
				`${asked.title} (${id})`,
				editor.text(),
				reply.innerText,
			].join("\n\n");
			const button = made(
				"button",
				"Copy all of this for somebody who can help",
				{ type: "button", "aria-live": "polite" },
			);
			const field = () => {
				const area = made("textarea", text, {
					readonly: "",
					translate: "no",
					"aria-label": "Exercise, code and reply",
				});
				button.replaceWith(area);
				area.select();
			};
			button.addEventListener("click", () =>
				navigator.clipboard
					? navigator.clipboard
							.writeText(text)
							.then(() => (button.textContent = "Copied"), field)
					: field(),
			);
			reply.append(button);
		};
		const ran = (found) =>
			block("It printed:", found.printed) +
				block("The value of its last line:", found.value) +
				block("", found.error) ||
			"<p>Your code ran. It printed nothing, and its last line has no value.</p>";

		const press = async (what) => {
			if (!stop.hidden)
				return say("Your code is still running. To end it, press Stop.");
			if (course.python.busy)
				return say(
					"Python is busy elsewhere on this page. Wait for it, or press Stop there.",
				);
			busy(true);
			const words = what === "check" ? "Checking …" : "Running …";
			say(words);
			const source = editor.text(),
				pasted = JSON.stringify(editor.pasted());
			const found = await course.python.ask(
				{ do: what, id, source, pasted, arrays: asked.arrays },
				loading(says),
				words,
			);
			busy(false);
			if (found.changed && editor.text() === source)
				editor.setText(found.source);
			const changed = found.changed ? `<p>${inline(found.changed)}</p>` : "";
			show(
				found.stopped
					? trouble(found)
					: changed + (what === "run" ? ran(found) : verdict(found)),
			);
			if (what === "run") return;
			if (found.status !== "correct") offerText();
			if (found.stopped) return;
			course.attempted(id, found);
			course.refresh();
		};
		const noEditor = async () =>
			(says.innerHTML = trouble(await course.python.missing(parts.editor)));
		box.putHalf = () => {
			if (!editor) say("Loading the editor …");
			make().then(
				() => {
					put(asked.half);
					editor.focus();
				},
				() => noEditor().then(() => inView(says)),
			);
		};
		check.addEventListener("click", () => press("check"));
		run.addEventListener("click", () => press("run"));
		stop.addEventListener("click", () => course.python.stop());
		reset.addEventListener("click", () => {
			put(asked.starter);
			say("The starter is in the editor.");
		});
		earlier.addEventListener("click", () => {
			const [code, ...others] = memory.read().former[id],
				now = editor.text();
			memory.remember(({ former }) => (former[id] = [...others, now]));
			editor.setText(code);
			say("Code that stood here before is in the editor.");
		});
		const solvedBefore = () => {
			const { status } = memory.kept.checks[id] || {};
			if (status === "correct" && !reply.innerHTML)
				show(
					`<div class="verdict correct"><p><strong>${escaped(course.verdicts.correct)}.</strong> You have solved this exercise.</p></div>`,
				);
		};
		takeOver();
		solvedBefore();
		document.addEventListener("refreshed", () => (takeOver(), solvedBefore()));
		const offer = () => make().catch(noEditor);
		new IntersectionObserver(
			(entries, observer) => {
				if (!entries.some((entry) => entry.isIntersecting)) return;
				observer.disconnect();
				offer();
			},
			{ rootMargin: "300px" },
		).observe(box);
		const starter = plain.innerHTML;
		addEventListener("beforeprint", () => {
			const code = memory.kept.code[id];
			plain.hidden = false;
			plain.innerHTML = code === undefined ? starter : escaped(code);
		});
		addEventListener("afterprint", () => (plain.hidden = Boolean(editor)));
		/* The starter is a stop of the key Tab until its editor is there, which then takes the focus. */
		plain.tabIndex = 0;
		plain.addEventListener("focus", () => offer().then(() => editor?.focus()));
	};

	/* What a check found counts as it does in the notebook: the best status, the attempts, the mistakes that were met. */
	course.attempted = (id, found) => {
		if (found.status === "not attempted") return;
		memory.remember((now) => {
			const met = /^(mistake|slip|seen):/.test(found.key) ? [found.key] : [];
			now.checks[id] = course.joined(now.checks[id], {
				status: found.status,
				met,
			});
			now.checks[id].attempts = (now.checks[id].attempts || 0) + 1;
		});
	};

	/* Half of a solution can be put into the editor; hints that are opened count, as in the notebook. */
	const helpBox = (help, box) => {
		const id = help.dataset.for;
		all("details", help).forEach((fold, place) =>
			fold.addEventListener("toggle", () => {
				if (!fold.open || fold.classList.contains("solution")) return;
				memory.remember((now) => {
					const known = now.checks[id] || { status: "not attempted" };
					now.checks[id] = {
						...known,
						hints: Math.max(known.hints || 0, place + 1),
					};
				});
			}),
		);
		const half = help.querySelector(".half");
		if (!half) return;
		const button = made("button", "Put it into the editor", { type: "button" });
		button.addEventListener("click", () => box.putHalf());
		half.append(button);
	};

	/* Pack what was written on this page into the file that `hand_in` makes in a notebook. */
	const handIn = (form, data) => {
		const says = form.querySelector("[role=status]");
		form.parentElement.hidden = false;
		const pack = async () => {
			says.textContent = "Packing …";
			const kept = memory.read();
			const answers = Object.fromEntries(
				Object.keys(data.exercises)
					.filter((id) => kept.code[id])
					.map((id) => [id, kept.code[id]]),
			);
			const what = {
				do: "hand in",
				lesson: form.dataset.lesson,
				name: form.querySelector("input").value,
			};
			what.notebook = await course.loadNotebook(form.dataset.notebook);
			if (what.notebook.stopped)
				return (says.innerHTML = trouble(what.notebook));
			const found = await course.python.ask(
				{
					...what,
					answers: JSON.stringify(answers),
					progress: course.progressFile(),
				},
				loading(says),
				"Packing …",
			);
			if (found.stopped) return (says.innerHTML = trouble(found));
			if (found.refused) return (says.textContent = found.refused);
			course.save(
				found.file,
				Uint8Array.from(atob(found.bytes), (sign) => sign.charCodeAt(0)),
				"application/zip",
			);
			says.textContent = `${found.file} is in your downloads. It holds this lesson's notebook with your code, and your progress in this lesson. Nothing was sent, so hand it in yourself.`;
		};
		let packing = false;
		form.addEventListener("submit", async (event) => {
			event.preventDefault();
			if (packing)
				return (says.textContent = "The file is still being packed.");
			packing = true;
			await pack();
			packing = false;
			inView(says);
		});
	};

	const start = (data) => {
		const asFile = location.protocol === "file:";
		for (const box of all(".exercise[data-exercise]")) {
			const elsewhere = box.querySelector(".elsewhere");
			if (asFile) {
				const folder = course.decoded(new URL(".", location.href).pathname);
				const [python, here] = /^\/[a-z]:/i.test(folder)
					? ["py", folder.slice(1)]
					: ["python3", folder]; /* Windows */
				const command = `${python} "${here}serve.py"`;
				elsewhere.innerHTML = `Browsers do not run Python in a page that is opened as a file. Run <code translate="no">${escaped(command)}</code> in a terminal, or work in the notebook.`;
				continue;
			}
			elsewhere.hidden = true;
			exerciseBox(box, data.exercises[box.dataset.exercise], data.python);
			const help = document.querySelector(
				`.help[data-for="${box.dataset.exercise}"]`,
			);
			if (help) helpBox(help, box);
		}
	};

	const form = document.querySelector(".hand-in form");
	if (form && location.protocol !== "file:") handIn(form, course.data);
	start(course.data); /* by page.js, which comes before */
})();
