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
	const script = (address) => {
		loaded[address] ||= new Promise((resolve, reject) => {
			const element = made("script", "", { src: address });
			element.onload = resolve;
			element.onerror = () => {
				delete loaded[address];
				reject();
			};
			document.head.append(element);
		});
		return loaded[address];
	};

	/* The code of an exercise. Each change is stored at once, and nothing else is: what another tab stored is taken over,
     and undo brings back what stood here. What undo takes away then is set aside, for a key that is typed next ends redo. */
	const codeOf = (id, starter, earlier) => {
		const code = { editor: null };
		let taking = false;
		let undone = false;
		const offerEarlier = () => {
			earlier.hidden = !memory.kept.former[id];
		};
		code.store = (lost) => {
			const now = code.editor.text();
			const aside = lost && !undone;
			undone = Boolean(lost);
			if (taking) return;
			memory.remember((kept) => {
				if (aside) memory.setAside(kept, id, lost);
				if (now === starter) delete kept.code[id];
				else kept.code[id] = now;
			});
			offerEarlier();
		};
		code.put = (text) => {
			if (text === code.editor.text()) return;
			memory.remember((kept) => memory.setAside(kept, id));
			code.editor.setText(text);
		};
		code.takeOver = () => {
			offerEarlier();
			const text =
				memory.kept.code[id] ??
				starter; /* an empty editor is the reader's, too */
			if (!code.editor || text === code.editor.text()) return;
			taking = true;
			code.editor.setText(text);
			taking = false;
		};
		code.bringBack = () => {
			const [text, ...others] = memory.read().former[id];
			const now = code.editor.text();
			memory.remember(({ former }) => {
				former[id] = [...others, now];
			});
			code.editor.setText(text);
		};
		return code;
	};

	const verdict = (found) => {
		const kind = found.status.replace(" ", "-");
		return (
			`<div class="verdict ${kind}"><p><strong>${escaped(found.sign)} ${escaped(found.word)}.</strong> ${inline(found.message)}</p>` +
			`${block("", found.evidence)}${block("On the first case your code printed:", found.printed)}</div>`
		);
	};
	const ran = (found) =>
		block("It printed:", found.printed) +
			block("The value of its last line:", found.value) +
			block("", found.error) ||
		"<p>Your code ran. It printed nothing, and its last line has no value.</p>";
	/* Offer what somebody who helps needs to know, as text: what was asked, the code, and the reply. */
	const offerText = (reply, asks, source) => {
		const text = [
			`${document.title}, version ${document.body.dataset.version}`,
			asks,
			source,
			// biome-ignore lint/performance/useDomNodeTextContent: its lines are those that a reader sees
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
		const copied = () => {
			button.textContent = "Copied";
		};
		button.addEventListener("click", () =>
			navigator.clipboard
				? navigator.clipboard.writeText(text).then(copied, field)
				: field(),
		);
		reply.append(button);
	};

	/* What Check and Run ask of Python, and what they show. */
	const pressing = (box, id, task, code) => {
		const [reply, says, check, stop] = [
			".reply",
			".doing",
			".check",
			".stop",
		].map((name) => box.querySelector(name));
		/* What a press has come to, beside what was pressed. */
		const say = (words) => {
			says.textContent = words;
			inView(says);
		};
		const show = (html) => {
			says.textContent = "";
			reply.innerHTML = html;
			inView(reply);
		};
		const busy = (yes) => {
			if (document.activeElement === stop)
				check.focus({ preventScroll: true }); /* what is hidden has no focus */
			stop.hidden = !yes;
			box.setAttribute("aria-busy", String(yes));
		};
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
			const { editor } = code;
			const source = editor.text();
			const pasted = JSON.stringify(editor.pasted());
			const found = await course.python.ask(
				{ do: what, id, source, pasted, arrays: task.arrays },
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
			if (found.status !== "correct")
				offerText(reply, `${task.title} (${id})`, editor.text());
			if (found.stopped) return;
			course.attempted(id, found);
			course.refresh();
		};
		return { reply, says, check, stop, say, show, press };
	};

	/* On paper the code is what stands in the editor. */
	const printing = (plain, id, code) => {
		const starter = plain.innerHTML;
		addEventListener("beforeprint", () => {
			const text = memory.kept.code[id];
			plain.hidden = false;
			plain.innerHTML = text === undefined ? starter : escaped(text);
		});
		addEventListener("afterprint", () => {
			plain.hidden = Boolean(code.editor);
		});
	};

	const exerciseBox = (box, task, parts) => {
		const id = box.dataset.exercise;
		const [plain, run, reset, earlier] = [
			"pre",
			".run",
			".reset",
			".earlier",
		].map((name) => box.querySelector(name));
		const code = codeOf(id, task.starter, earlier);
		const { reply, says, check, stop, say, show, press } = pressing(
			box,
			id,
			task,
			code,
		);
		const make = () =>
			script(parts.editor).then(() => {
				if (code.editor) return;
				code.editor = window.courseEditor.create({
					parent: box.querySelector(".editor"),
					doc: memory.read().code[id] ?? task.starter,
					label: `Your code for: ${task.title}. ${box.querySelector(".keys").textContent}`,
					onCheck: () => press("check"),
					onChange: code.store,
					onFocus: () =>
						course.python.start(loading(says)).then(() => {
							if (stop.hidden) says.textContent = "";
						}),
				});
				plain.hidden = true;
				box.querySelector(".try").hidden = false;
				says.textContent = "";
			});
		const noEditor = async () => {
			says.innerHTML = trouble(await course.python.missing(parts.editor));
		};
		box.putHalf = () => {
			if (!code.editor) say("Loading the editor …");
			make().then(
				() => {
					code.put(task.half);
					code.editor.focus();
				},
				() => noEditor().then(() => inView(says)),
			);
		};
		check.addEventListener("click", () => press("check"));
		run.addEventListener("click", () => press("run"));
		stop.addEventListener("click", () => course.python.stop());
		reset.addEventListener("click", () => {
			code.put(task.starter);
			say("The starter is in the editor.");
		});
		earlier.addEventListener("click", () => {
			code.bringBack();
			say("Code that stood here before is in the editor.");
		});
		const takeOver = () => {
			code.takeOver();
			const { status } = memory.kept.checks[id] || {};
			if (status === "correct" && !reply.innerHTML)
				show(
					`<div class="verdict correct"><p><strong>${escaped(course.verdicts.correct)}.</strong> You have solved this exercise.</p></div>`,
				);
		};
		takeOver();
		document.addEventListener("refreshed", takeOver);
		const offer = () => make().catch(noEditor);
		new IntersectionObserver(
			(entries, observer) => {
				if (!entries.some((entry) => entry.isIntersecting)) return;
				observer.disconnect();
				offer();
			},
			{ rootMargin: "300px" },
		).observe(box);
		printing(plain, id, code);
		/* The starter is a stop of the key Tab until its editor is there, which then takes the focus. */
		plain.tabIndex = 0;
		plain.addEventListener("focus", () =>
			offer().then(() => code.editor?.focus()),
		);
	};

	/* Half of a solution can be put into the editor; hints that are opened count, as in the notebook. */
	const helpBox = (help, box) => {
		const id = help.dataset.for;
		all("details", help).forEach((fold, place) => {
			fold.addEventListener("toggle", () => {
				if (!fold.open || fold.classList.contains("solution")) return;
				memory.remember((now) => {
					const known = now.checks[id] || { status: "not attempted" };
					now.checks[id] = {
						...known,
						hints: Math.max(known.hints || 0, place + 1),
					};
				});
			});
		});
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
		/* Return the file, or { stopped } or { refused }. */
		const pack = async () => {
			const notebook = await course.loadNotebook(form.dataset.notebook);
			if (notebook.stopped) return notebook;
			const { code } = memory.read();
			const answers = Object.fromEntries(
				Object.keys(data.exercises)
					.filter((id) => code[id])
					.map((id) => [id, code[id]]),
			);
			return course.python.ask(
				{
					do: "hand in",
					lesson: form.dataset.lesson,
					name: form.querySelector("input").value,
					notebook,
					answers: JSON.stringify(answers),
					progress: course.progressFile(),
				},
				loading(says),
				"Packing …",
			);
		};
		let packing = false;
		form.addEventListener("submit", async (event) => {
			event.preventDefault();
			if (packing) {
				says.textContent = "The file is still being packed.";
				return;
			}
			packing = true;
			says.textContent = "Packing …";
			const { stopped, refused, file, bytes, ...more } = await pack();
			packing = false;
			if (stopped) says.innerHTML = trouble({ stopped, ...more });
			else if (refused) says.textContent = refused;
			else {
				course.save(
					file,
					Uint8Array.from(atob(bytes), (sign) => sign.charCodeAt(0)),
					"application/zip",
				);
				says.textContent = `${file} is in your downloads. It holds this lesson's notebook with your code, and your progress in this lesson. Nothing was sent, so hand it in yourself.`;
			}
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
