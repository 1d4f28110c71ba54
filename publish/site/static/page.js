/* The page: its folds, its print, the place of reading; and the start of everything on it. */
"use strict";
(() => {
	const {
		Player,
		all,
		decoded,
		guessForm,
		made,
		memory,
		openExperiments,
		quizBox,
		unfold,
	} = course;
	const rememberPlace = () => {
		if (!document.body.dataset.lesson) return;
		let waiting = null;
		const page = location.pathname.split("/").pop();
		addEventListener(
			"scroll",
			() => {
				clearTimeout(waiting);
				waiting = setTimeout(() => {
					const above = all("main h2[id]").filter(
						(title) => title.getBoundingClientRect().top < innerHeight / 2,
					);
					const title = above[above.length - 1];
					if (title) memory.place = `${page}#${title.id}`;
				}, 600);
			},
			{ passive: true },
		);
	};
	course.notStored = () => {
		if (document.querySelector(".not-stored")) return;
		const words =
			"This browser does not store what you do here, so it is gone when you leave this page. Copy what you want to keep.";
		document
			.querySelector("main")
			.prepend(made("p", words, { class: "not-stored", role: "alert" }));
	};
	/* The section that is read is marked in the list beside it; an optional one marks the line that they are folded under. */
	const markPlace = () => {
		const links = all(".toc a"),
			optional = document.querySelector(".toc .optional");
		const titles = links.map((link) =>
			document.getElementById(link.hash.slice(1)),
		);
		let waiting = false,
			last = null;
		const mark = () => {
			waiting = false;
			const above = titles
				.map((title, at) => [title.getBoundingClientRect().top, links[at]])
				.filter(([top]) => top < innerHeight / 3);
			const [, link] = above.sort((one, other) => one[0] - other[0]).pop() || [
				0,
				null,
			];
			if (link === last) return;
			if (last) last.removeAttribute("aria-current");
			if (link) link.setAttribute("aria-current", "true");
			if (optional)
				optional.classList.toggle(
					"here",
					Boolean(link) && optional.contains(link),
				);
			last = link;
		};
		const soon = () => {
			if (!waiting) requestAnimationFrame(mark);
			waiting = true;
		};
		if (!links.length) return;
		addEventListener("scroll", soon, { passive: true });
		mark();
	};
	/* A section whose guesses, exercises and questions are all done has a tick in the list beside it. */
	const tick = () => {
		const { checks, guesses, quiz } = memory.kept,
			open = new Set(),
			full = new Set();
		let here = "";
		for (const one of all(
			"main h2[id], main [data-prediction], main [data-exercise], main [data-question]",
		)) {
			const { prediction, exercise, question } = one.dataset;
			if (one.tagName === "H2") here = `#${one.id}`;
			else
				(guesses[prediction] ||
				quiz[question] ||
				checks[exercise]?.status === "correct"
					? full
					: open
				).add(here);
		}
		for (const link of all(".toc a"))
			link.classList.toggle(
				"done",
				full.has(link.hash) && !open.has(link.hash),
			);
	};
	const reachable = () => {
		for (const box of all("main .table, main .formula"))
			if (
				!box.closest("details:not([open])") &&
				box.scrollWidth > box.clientWidth
			)
				box.tabIndex = 0;
	};
	/* On paper a lesson is what `make handouts` prints: lines for guesses, and what comes out of them behind. */
	const printing = () => {
		let opened = [],
			places = [];
		const results = made("section", "", { class: "results" });
		addEventListener("beforeprint", () => {
			for (const part of all("main > *")) part.style.contentVisibility = "";
			opened = all(
				"details:is(.experiment, .numbers, .aside, .warm-up):not([open])",
			);
			for (const fold of opened) fold.open = true;
			if (places.length) return;
			let title = "";
			for (const part of all("main h2, main details.experiment")) {
				if (part.tagName === "H2") title = part.textContent;
				else {
					const number = places.length + 1;
					const place = made("p", `→ Result ${number}, on the last pages`);
					part.replaceWith(place);
					results.append(made("h3", `Result ${number} · ${title}`), part);
					places.push([place, part]);
				}
			}
			results.prepend(made("h2", "Results"));
			if (places.length) document.querySelector("main").append(results);
		});
		addEventListener("afterprint", () => {
			for (const [place, part] of places) place.replaceWith(part);
			results.remove();
			results.replaceChildren();
			places = [];
			for (const fold of opened) fold.open = false;
		});
	};
	const deleting = () => {
		for (const button of all("button.delete")) {
			button.addEventListener(
				"keydown",
				(event) => event.repeat && event.preventDefault(),
			); /* a key held down is one press */
			button.addEventListener("click", ({ detail }) => {
				const says = button.nextElementSibling,
					{ code, former } = memory.read();
				const words = `Exercises whose code goes, too: ${Object.keys({ ...code, ...former }).length}. Press again to delete everything.`;
				if (says.textContent !== words || detail > 1) {
					says.textContent = words;
					return;
				}
				memory.forget();
				course.refresh();
				says.textContent =
					"Deleted. This browser no longer keeps anything that you did here.";
			});
		}
	};
	const copying = () => {
		if (!navigator.clipboard) return; /* an address without https */
		for (const code of all(".help pre")) {
			const button = made("button", "Copy", {
				type: "button",
				"aria-live": "polite",
			});
			const says = (words) => () => {
				button.textContent = words;
			};
			button.addEventListener("click", () =>
				navigator.clipboard
					.writeText(code.textContent)
					.then(says("Copied"), says("Select it by hand")),
			);
			code.after(button);
		}
	};
	const unfoldNamed = () =>
		unfold(
			document.getElementById(decoded(location.hash.slice(1).split("?")[0])),
		);

	/* The course works without a network from the second visit on, where the browser allows it; a build that cannot run
     code has no such worker, and takes a former one away. */
	const offline = async () => {
		if (!navigator.serviceWorker || location.protocol === "file:") return;
		const here = new URL(".", location.href).href;
		if (document.body.dataset.offline === undefined) {
			for (const one of await navigator.serviceWorker.getRegistrations())
				if (one.scope === here) await one.unregister();
			return;
		}
		const line = document.querySelector(".keeping");
		const [says, button] = line.children;
		const mega = (bytes) => Math.ceil(bytes / 1e6);
		navigator.serviceWorker.addEventListener(
			"message",
			({ data: { kept, of, failed } }) => {
				line.hidden = false;
				button.hidden = kept === of;
				button.textContent = `Keep all: ${mega(of - kept)} MB more`;
				says.textContent = `${kept === of ? "All" : `${mega(kept)} of ${mega(of)} MB`} of the course can be used without a network.${failed ? " Not all could be kept: is there a network, and room?" : ""}`;
			},
		);
		await navigator.serviceWorker.register("offline.js");
		const { active } = await navigator.serviceWorker.ready;
		button.addEventListener("click", () => active.postMessage({}));
		const loaded = performance
			.getEntriesByType("resource")
			.map((one) => one.name);
		active.postMessage({ loaded: [location.href, ...loaded] });
	};

	memory.read();
	document.documentElement.classList.add("scripts");
	const own = document.getElementById("course-data");
	const data = own
		? JSON.parse(own.textContent)
		: { predictions: {}, questions: {}, exercises: {} };
	course.data = data;
	for (const form of all("form.guess"))
		guessForm(form, data.predictions[form.dataset.prediction]);
	openExperiments();
	for (const box of all(".quiz")) quizBox(box, data.questions);
	document.addEventListener("refreshed", tick);
	course.refresh();
	course.players = all(".player").map((figure) => new Player(figure));
	for (const fold of all("details.toc"))
		fold.open = matchMedia("(min-width: 70rem)").matches;
	reachable();
	addEventListener("resize", reachable);
	document.addEventListener("toggle", reachable, true);
	addEventListener("hashchange", unfoldNamed);
	unfoldNamed();
	printing();
	deleting();
	copying();
	rememberPlace();
	markPlace();
	offline().catch(
		() => {},
	); /* a browser that refuses: the pages work as they are */
	/* Another tab may have changed what is remembered, or the page may come back as it was left. */
	addEventListener("storage", course.refresh);
	addEventListener("pageshow", (event) => event.persisted && course.refresh());
})();
