/* Progress as the notebooks keep it, in progress.json: downloaded from the page, and merged into what the page knows.
   The rules are those of courseware/progress.py, except that a file which is damaged in part changes nothing here. */
"use strict";
(() => {
	const { all, given, made, memory, RANKS } = course;
	const VERSION = 2;
	const DAMAGED =
		"That file cannot be read as progress, so nothing was changed.";
	const NEWER =
		"That file comes from a newer version of the course, so nothing was changed.";

	const entriesOf = (kept) => {
		const entries = { ...kept.checks };
		for (const [id, { guess, near }] of Object.entries(kept.guesses))
			entries[id] = course.joined(
				{ status: "guessed", guess, near, attempts: 1 },
				kept.checks[id],
			);
		for (const [id, right] of Object.entries(kept.quiz))
			if (right)
				entries[id] = course.joined(kept.checks[id], {
					status: "correct",
					attempts: 1,
				});
		return entries;
	};
	course.progressFile = () => {
		const entries = entriesOf(memory.read());
		const sorted = Object.fromEntries(
			Object.keys(entries)
				.sort()
				.map((id) => [id, entries[id]]),
		);
		return `${JSON.stringify({ version: VERSION, entries: sorted }, null, 1)}\n`;
	};

	const plainObject = (value) =>
		typeof value === "object" && value !== null && !Array.isArray(value);
	const sound = (entry) =>
		plainObject(entry) &&
		(entry.status === undefined || RANKS.includes(entry.status)) &&
		(typeof entry.guess !== "number" || Number.isFinite(entry.guess)) &&
		["attempts", "hints"].every(
			(count) =>
				entry[count] === undefined ||
				(Number.isInteger(entry[count]) && entry[count] >= 0),
		) &&
		(entry.met === undefined ||
			(Array.isArray(entry.met) &&
				entry.met.every((key) => typeof key === "string")));

	/* Merge the text of a progress.json; return what to say. Nothing is lowered, and a damaged file changes nothing. */
	course.mergeProgress = (text) => {
		let stored;
		try {
			stored = JSON.parse(text.replace(/^\ufeff/, ""));
		} catch {
			return DAMAGED;
		}
		if (!plainObject(stored) || !plainObject(stored.entries)) return DAMAGED;
		if (stored.version > VERSION) return NEWER;
		if (stored.version !== undefined && stored.version !== VERSION)
			return DAMAGED;
		const entries = Object.entries(stored.entries);
		if (!entries.every(([, entry]) => sound(entry))) return DAMAGED;
		const parts = course.lessons.flatMap((lesson) => lesson.parts);
		const guesses = new Set(
			parts.filter((part) => part.guess).map((part) => part.id),
		);
		const questions = new Set(course.lessons.flatMap((lesson) => lesson.quiz));
		const known = memory
			.today(stored.entries)
			.filter(
				([id]) => questions.has(id) || parts.some((part) => part.id === id),
			);
		memory.remember((now) => {
			for (const [id, entry] of known) {
				now.checks[id] = course.joined(now.checks[id], entry);
				if (guesses.has(id) && given(entry.guess))
					now.guesses[id] = now.guesses[id] || {
						guess: entry.guess,
						near: entry.near === true,
					};
				if (questions.has(id) && entry.status === "correct")
					now.quiz[id] = true;
			}
		});
		course.refresh();
		return `${known.length} of ${entries.length} parts of that file belong to this course and were merged with what was here. No result was lowered.`;
	};

	const save = (name, content, type) => {
		const link = document.createElement("a");
		link.href = URL.createObjectURL(new Blob([content], { type }));
		link.download = name;
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
	};
	course.save = save;

	/* Code goes by a file of its own. What is in one is shown, and taken when a button is pressed; nothing of it runs. */
	const CODE = "ffn-course-code.json",
		MOST = 1_000_000;
	const own = document.querySelector(".own-code");
	if (own) {
		const [saves, takes] = all("button", own);
		const [input, says, incoming, list] = [
			"input",
			"[role=status]",
			".incoming",
			".incoming > div",
		].map((name) => own.querySelector(name));
		let code, parts;
		saves.addEventListener("click", () => {
			const file = new Blob([
				JSON.stringify({ code: memory.read().code }, null, 1),
			]);
			if (file.size > MOST) {
				says.textContent = "Your code is larger than 1 MB. Shorten it first.";
				return;
			}
			save(CODE, file);
			says.textContent = `${CODE} is in your downloads.`;
		});
		input.addEventListener("change", async () => {
			try {
				({ code } = JSON.parse(await input.files[0].slice(0, MOST).text()));
			} catch {
				code = {};
			}
			const here = memory.read().code;
			parts = course.lessons
				.flatMap((lesson) => lesson.parts)
				.filter(
					({ id, guess }) =>
						!guess && typeof code?.[id] === "string" && code[id] !== here[id],
				);
			list.replaceChildren(
				...parts.map(({ id, title }) => {
					const fold = made("details");
					fold.append(
						made(
							"summary",
							`${title}${id in here ? ": it replaces your code" : ""}`,
						),
						made("pre", code[id], { translate: "no" }),
					);
					return fold;
				}),
			);
			incoming.hidden = !parts.length;
			says.textContent = parts.length
				? ""
				: "That file holds no other code for these exercises.";
			input.value = "";
		});
		takes.addEventListener("click", () => {
			memory.remember((now) => {
				for (const { id } of parts) {
					memory.setAside(now, id);
					now.code[id] = code[id];
				}
			});
			course.refresh();
			incoming.hidden = true;
			says.textContent = `Exercises that have new code: ${parts.length}.`;
		});
	}

	const download = document.querySelector("button.download-progress");
	const upload = document.querySelector("input.read-progress");
	if (download)
		download.addEventListener("click", () => {
			save("progress.json", course.progressFile(), "application/json");
			download.nextElementSibling.textContent =
				"progress.json is in your downloads.";
		});
	if (upload)
		upload.addEventListener("change", async () => {
			const [file] = upload.files;
			if (!file) return;
			upload.parentElement.nextElementSibling.textContent =
				course.mergeProgress(await file.text().catch(() => ""));
			upload.value = "";
		});
})();
