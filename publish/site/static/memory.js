/* What this browser remembers: guesses, answers, code and what the checks said of it, and the place of reading. */
"use strict";
(() => {
	const KEY = "ffn-course";
	/* It is written while nothing is pressed: apart, it writes over nothing that another tab stores just then. */
	const PLACE = "ffn-course-place";
	const RANKS = ["not attempted", "stopped", "not yet", "guessed", "correct"];
	const blank = () => ({
		guesses: {},
		quiz: {},
		checks: {},
		code: {},
		former: {},
	});
	let kept = blank();
	let unwritten =
		[]; /* changes that this browser has not stored, as when it is full */
	const named = (value) =>
		value && typeof value === "object" && !Array.isArray(value) ? value : {};
	/* Of what version 1.0.0 stored under a question's number: its name, if it is still asked. This goes in 1.2, with
	   lessons/numbers.toml. */
	const today = (stored) =>
		Object.entries(named(stored))
			.map(([id, one]) => [course.numbered?.[id] ?? id, one])
			.filter(([id]) => !/\.quiz-\d+[a-z]?$/.test(id));
	const given = (value) => value !== undefined && value !== null;
	/* Join two records of one thing: the best status, the first guess, the larger counts. */
	const joined = (one = {}, other = {}) => {
		const first = given(one.guess) ? one : other;
		const statuses = [one.status, other.status].map((status) =>
			RANKS.indexOf(status),
		);
		const joined = { status: RANKS[Math.max(0, ...statuses)] };
		if (given(first.guess)) joined.guess = first.guess;
		if (typeof first.near === "boolean") joined.near = first.near;
		for (const count of ["attempts", "hints"]) {
			const most = Math.max(one[count] || 0, other[count] || 0);
			if (most) joined[count] = most;
		}
		const met = [...new Set([...(one.met || []), ...(other.met || [])])];
		if (met.length) joined.met = met;
		return joined;
	};
	/* What was stored may be damaged: what has the right form is taken. */
	const sound = (stored) => {
		const { guesses, quiz, checks, code, former } = named(stored);
		const made = ([, one]) =>
			["number", "string", "object"].includes(
				typeof (named(one).guess ?? undefined),
			);
		return {
			guesses: Object.fromEntries(Object.entries(named(guesses)).filter(made)),
			quiz: Object.fromEntries(today(quiz)),
			checks: today(checks)
				.filter(([, one]) => typeof named(one).status === "string")
				.reduce((all, [id, one]) => {
					all[id] = all[id] ? joined(all[id], one) : one;
					return all;
				}, {}),
			code: Object.fromEntries(
				Object.entries(named(code)).filter(
					([, one]) => typeof one === "string",
				),
			),
			former: Object.fromEntries(
				Object.entries(named(former)).filter(
					([, all]) =>
						Array.isArray(all) && all.every((one) => typeof one === "string"),
				),
			),
		};
	};
	const read = () => {
		try {
			kept = sound(JSON.parse(window.localStorage.getItem(KEY) || "{}"));
		} catch {
			kept = blank(); /* nothing can be read */
		}
		for (const change of unwritten)
			change(kept); /* to what other tabs have stored since */
		return kept;
	};
	const remember = (change) => {
		read();
		change(kept);
		try {
			window.localStorage.setItem(KEY, JSON.stringify(kept));
			if (unwritten.length) document.querySelector(".not-stored")?.remove();
			unwritten = [];
		} catch {
			unwritten.push(
				change,
			); /* a browser that stores nothing: it is kept until the page is closed */
			course.notStored?.();
		}
	};
	/* Of the code in an exercise that something other than typing replaced, the last nine stay. */
	const setAside = ({ code, former }, id, lost = code[id]) => {
		if (lost !== undefined)
			former[id] = [
				lost,
				...(former[id] || []).filter((one) => one !== lost),
			].slice(0, 9);
	};
	const forget = () => {
		kept = blank();
		unwritten = [];
		try {
			for (const key of [KEY, PLACE]) window.localStorage.removeItem(key);
		} catch {
			/* nothing was stored */
		}
	};

	/* What a check or a question found counts as in the notebook: the best status, the attempts, the mistakes that were met. */
	const attempted = (id, { status, key }) => {
		if (status === "not attempted") return;
		remember(({ checks }) => {
			const met = /^(mistake|slip|seen):/.test(key) ? [key] : [];
			checks[id] = joined(checks[id], { status, met });
			checks[id].attempts = (checks[id].attempts || 0) + 1;
		});
	};

	Object.assign(course, { attempted, given, joined, RANKS });
	course.memory = {
		read,
		remember,
		setAside,
		forget,
		today,
		get place() {
			try {
				const [, page, title] =
					/^([\w-]+?)(?:\.html)?(#.*)/.exec(
						window.localStorage.getItem(PLACE),
					) || []; /* some servers strip .html */
				return page ? `${page}.html${title}` : "";
			} catch {
				return ""; /* nothing was stored */
			}
		},
		set place(address) {
			try {
				window.localStorage.setItem(PLACE, address);
			} catch {
				/* the reader goes on with what is open next */
			}
		},
		get kept() {
			return kept;
		},
	};
})();
