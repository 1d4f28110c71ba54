/* Python in a worker: starting it, asking it one thing at a time, and stopping it. Whatever is asked gets an answer.
   These messages go between this page and python-worker.js; a message has all the names of its row, but those with a ?.

   page to worker
     start: { root, folder, wheels, course, sizes, again }   load everything; the first message, and the only one of its kind
     do: "check" or "run", number, id, source, pasted, arrays?   run the code of an exercise
     do: "hand in", number, lesson, name, notebook, answers, progress   pack a file

   worker to page, while everything loads
     bytes, of          so many bytes of so many have arrived
     words              what is done now, as a sentence
     ready              everything is loaded
   worker to page, at any time
     policy: { effectiveDirective, blockedURI, disposition }   the server forbids something
     said               a line that Python wrote by itself
     fatal, reason, name?, status?, type?, damaged?   it cannot go on: a key of SAYS; the browser's words; and of the
                        file, where one is the cause: its address, the status and type it came with, whether it was cut
     seconds            the learner's code starts, and may take so long; 0: it has ended
   worker to page, once for each number
     number, source?, changed?, …   the answer: the code as it ran and what was changed in it, which a check and a run have,
                        and what publish/site/in_page.py returns */
"use strict";
(() => {
	const TELL = "Tell whoever runs this server.";
	const WORKER = "static/python-worker.js";
	const kept = () =>
		document.querySelector(".not-stored")
			? "Copy your code first: this browser does not store it."
			: "Your code is kept.";
	/* What is said of each thing that fails. */
	const SAYS = {
		"no answer": ({ name }) => `\`${name}\` did not arrive. Are you online?`,
		newer: () =>
			`This page is older than the course on this server. Reload it. ${kept()}`,
		missing: ({ name }) =>
			`\`${name}\` is missing on this server. Perhaps it sends no files of that kind. ${TELL}`,
		"sign in": ({ name }) =>
			`The server did not send \`${name}\`. Perhaps you must sign in again: reload the page. ${kept()}`,
		busy: ({ name, status }) =>
			`The server answered ${status} in place of \`${name}\`. Try again in a minute. ${TELL}`,
		"wrong answer": ({ name }) =>
			`Something else came in place of \`${name}\`: perhaps a page to sign in, or one of a filter. Reload the page, or try another network. ${kept()}`,
		damaged: ({ name }) =>
			`\`${name}\` arrived cut short or changed. Try again. ${TELL}`,
		type: ({ name, type }) =>
			`The server sends \`${name}\` as \`${type}\`, which browsers do not run: it must be \`text/javascript\`. ${TELL}`,
		policy: () =>
			`The Content-Security-Policy of this server forbids Python: \`${policy[0]}\` must allow \`${policy[1]}\`. ${TELL}`,
		framed: () =>
			"The page around this one does not let it run Python. Open this page in a tab of its own.",
		memory: () =>
			"There was not enough memory for Python. Your code is kept. Close other tabs or programs, then try again.",
		unable: () =>
			"This browser cannot run Python: that takes Chrome or Edge 112, Firefox 114, Safari 16.4, or newer, and WebAssembly, which Lockdown Mode switches off.",
		other: ({ name = "Python" }) =>
			`The browser could not start \`${name}\`. Try again, or try another browser.`,
		broken: () => "Python stopped unexpectedly. Your code is kept. Try again.",
	};
	const OF_LOADING = 30; /* seconds without a byte or a word */
	const OF_CODE = 10; /* seconds for code of the learner's own, without a pause */
	const OF_ALL = 60; /* for a whole check */
	const TOO_LONG = {
		loading: (seconds) =>
			`Nothing more of Python arrived for ${seconds} seconds, so the loading was stopped. Try again.`,
		code: (seconds) =>
			`Your code ran for ${seconds} seconds and was stopped. Does a loop never end? Your code is kept.`,
		all: (seconds) =>
			`This took more than ${seconds} seconds and was stopped. Your code is kept.`,
	};

	let worker = null;
	let ready =
		null; /* a promise, once Python is asked for: of nothing, or of { stopped, reason } where it does not start */
	let settle = null; /* of this promise */
	let tell = () => {}; /* how loading goes on: { bytes, of } or { words } */
	let waiting = null; /* { resolve } of what is being asked */
	let latest = 0; /* the number of the last question */
	const clocks = {};
	let policy =
		null; /* what the server forbids, while Python starts: [directive, what it must allow] */
	let printed = ""; /* the last line that Python wrote by itself */
	let failing = null; /* `ready` of the start whose failure is looked into */

	const clear = (...names) => {
		for (const name of names) {
			clearTimeout(clocks[name]);
			delete clocks[name];
		}
	};
	const clock = (name, seconds) => {
		clear(name);
		clocks[name] = setTimeout(
			() => end(TOO_LONG[name](seconds)),
			1000 * seconds,
		);
	};

	/* End the worker; whoever waits gets this sentence. */
	const end = (stopped, more) => {
		clear(...Object.keys(TOO_LONG));
		if (worker) worker.terminate();
		const those = [settle, waiting?.resolve];
		worker = ready = settle = waiting = null;
		for (const resolve of those)
			if (resolve) resolve({ stopped, reason: printed, ...more });
	};

	const isOld = () =>
		!window.WebAssembly ||
		!window.OffscreenCanvas ||
		!HTMLScriptElement.supports?.("importmap");
	const refuse = ({ effectiveDirective, blockedURI, disposition }) => {
		const allow =
			{ "wasm-eval": "'wasm-unsafe-eval'", blob: "blob:" }[blockedURI] ||
			(blockedURI.startsWith(location.origin) && "'self'");
		if (clocks.loading && disposition === "enforce" && allow)
			policy = policy || [effectiveDirective.replace("-elem", ""), allow];
	};
	document.addEventListener("securitypolicyviolation", refuse);

	/* Load a file, and say what would be wrong with it as a script that did not start. */
	const inspected = async (name) => {
		try {
			const response = await fetch(name, {
					cache: "no-cache",
					signal: AbortSignal.timeout(1000 * OF_LOADING),
				}),
				{ ok, status } = response;
			const text = await response.text();
			if (!ok || /^\s*</.test(text))
				return {
					fatal: "wrong answer",
					name,
					status,
					text,
					reason: `${name}: ${status}`,
				};
			const type = response.headers.get("content-type") || "";
			return {
				fatal: "other",
				name,
				reason: "",
				text,
				type: /(java|ecma)script/.test(type) ? undefined : type,
			};
		} catch (error) {
			return { fatal: "no answer", name, reason: String(error) };
		}
	};
	const causeOf = ({ fatal, reason, type }, started) => {
		if (
			/allocat|out of memory|\bOOM\b|MemoryError|enlarge memory/i.test(reason)
		)
			return "memory";
		if (started) return "broken";
		if (type !== undefined) return "type";
		if (policy) return "policy";
		if (fatal !== "other") return fatal;
		return window.origin === "null" ? "framed" : isOld() ? "unable" : fatal;
	};
	/* Where a file is not what this page names, the page asks the server for itself: perhaps it names others by now. */
	const askedAgain = async ({ status = 200, damaged }) => {
		const { folder, course: zip, editor } = course.data.python;
		const { text = "" } = await inspected(location.href);
		if (
			text.includes('id="course-data"') &&
			![folder, zip, editor].every((name) => text.includes(name))
		)
			return "newer";
		return (
			{
				200: damaged || "wrong answer",
				401: "sign in",
				403: "sign in",
				404: "missing",
				410: "missing",
			}[status] || "busy"
		);
	};
	/* What is said of it: { stopped, reason, reload }, whether a reload may help. */
	const why = async (found, cause = causeOf(found)) => {
		let kind = cause === "wrong answer" ? await askedAgain(found) : cause;
		/* A page to sign in on another server is no answer to a script, but the redirect to it is one. */
		if (
			kind === "no answer" &&
			(await fetch(found.name, { redirect: "manual" }).catch(() => found))
				.type === "opaqueredirect"
		)
			kind = "sign in";
		return {
			stopped: SAYS[kind](found),
			reason: found.reason,
			reload: ["newer", "sign in", "wrong answer"].includes(kind),
		};
	};
	const fail = async (found, again, script) => {
		const begun = ready,
			started = !clocks.loading;
		if (failing === begun) return;
		failing = begun;
		await new Promise((resolve) =>
			setTimeout(resolve, 50),
		); /* the word of a policy comes later */
		if (ready !== begun) return;
		const cause = causeOf(found, started);
		const retry =
			cause === "other" || (cause === "wrong answer" && !found.status);
		if (["other", "type"].includes(cause) && found.text && !script)
			begin(again, found.text);
		else if (!started && retry && !again) begin(true, script);
		else {
			const said = await why(found, cause);
			if (ready === begun) end(said.stopped, said);
		}
	};

	/* `again`: nothing is taken from what the browser keeps. `script`: the worker's, where its type is wrong. */
	const begin = (again = false, script = "") => {
		const { folder, wheels, course: zip, sizes } = course.data.python;
		clock("loading", OF_LOADING);
		if (worker) worker.terminate();
		policy = script && policy;
		printed = "";
		failing = null;
		let spoke = false;
		const failed = async (event) => {
			event.preventDefault();
			fail(
				spoke || event.message
					? { fatal: "other", reason: event.message }
					: await inspected(WORKER),
				again,
				script,
			);
		};
		try {
			worker = new Worker(
				script
					? URL.createObjectURL(new Blob([script], { type: "text/javascript" }))
					: WORKER,
				{ type: "module" },
			);
		} catch (error) {
			return fail({ fatal: "other", reason: String(error) }, true);
		}
		worker.onmessage = ({ data }) => {
			spoke = true;
			hear(data, again, script);
		};
		worker.onerror = failed;
		worker.postMessage({
			start: {
				root: new URL(".", location.href).href,
				folder,
				wheels,
				course: zip,
				sizes,
				again,
			},
		});
	};

	const hear = (message, again, script) => {
		if (clocks.loading) clock("loading", OF_LOADING);
		if (message.of || message.words) tell(message);
		else if (message.ready) {
			clear("loading");
			settle();
		} else if (message.fatal) fail(message, again, script);
		else if (message.policy) refuse(message.policy);
		else if (message.said) printed = message.said;
		else if (message.seconds !== undefined)
			message.seconds
				? clock("code", Math.max(OF_CODE, message.seconds))
				: clear("code");
		else if (waiting && message.number === latest) {
			clear("code", "all");
			const { resolve } = waiting;
			waiting = null;
			resolve(message);
		}
	};

	/* Start Python, unless it runs; `how` hears how far that has come. */
	const start = (how) => {
		tell = how;
		if (!ready) {
			ready = new Promise((resolve) => {
				settle = resolve;
			});
			const begun = ready;
			begin();
			return begun;
		}
		return ready;
	};

	/* Ask for a check or a run; resolves to its reply, or to { stopped, reason } with a sentence. `words` say what is done. */
	const ask = (what, how, words) =>
		new Promise((resolve) => {
			if (waiting)
				return resolve({
					stopped: "Python is busy with another exercise: stop that one first.",
				});
			waiting = { resolve };
			latest += 1;
			const number = latest;
			start(how).then((failed) => {
				if (failed || number !== latest || !waiting) return;
				how({ words });
				clock("all", OF_ALL);
				worker.postMessage({ ...what, number });
			});
		});

	/* A notebook of this site as text, or { stopped, reason, reload }; the worker may load files, and so may this. */
	course.loadNotebook = async (address) => {
		const found = await inspected(address);
		if (found.fatal !== "other") return why(found);
		try {
			JSON.parse(found.text);
			return found.text;
		} catch {
			return why({ ...found, fatal: "wrong answer", type: undefined });
		}
	};
	document.addEventListener(
		"click",
		({ target }) => target.matches(".reload") && location.reload(),
	);

	course.python = {
		ask,
		start,
		missing: async (name) => why(await inspected(name)),
		stop: () => end("Stopped. Your code is kept."),
		get busy() {
			return waiting !== null;
		},
	};
})();
