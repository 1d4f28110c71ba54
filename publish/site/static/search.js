/* Search without a network: every section of the course is in index.js. */
"use strict";
(() => {
	const { course } = window;
	const [field, list, said, more] = ["words", "found", "said", "more"].map(
		(id) => document.getElementById(id),
	);
	const FIRST = 5;
	const MOST = 30;
	const ASIDE =
		/^(The equation|Exercise|Quiz|Recap|Keep what|What is not claimed|Further reading)/; /* behind what teaches */
	const WORD = /[\p{L}\p{N}\p{M}_]+(?:[./]\p{N}+|['’]\p{L}+)*/gu;
	const QUIET = new Set(
		(
			"a about an and are as at be between but by call can difference do does explain for from get happen how i if in intuition is it its " +
			"mean my need of on or purpose should so than that the there they this to use versus vs what when where which who why with work you"
		)
			.split(" ")
			.map(stem),
	);
	/* A word without its ending: plural, -ing, -ed, a last e; -ize is -ise. Signs are written one way: W₁ is W_1 and w1. */
	function stem(word) {
		const low = word
			.normalize("NFKC")
			.toLowerCase()
			.replace("’", "'")
			.replace(/'s$/, "")
			.replaceAll("×", "x")
			.replace(/_(?=\d)/g, "");
		if (low.length < 4 || /[\d_]/.test(low)) return low;
		const one = low
			.replace(/iz(?=e|ing|ation)/, "is")
			.replace(/isations?$/, "ise")
			.replace(/trices$/, "trix")
			.replace(/ie[sd]$/, "y")
			.replace(/([^suai])s$/, "$1");
		const root = one.replace(/^(.*[aeiouy].*[^e])(ing|ed)$/, "$1");
		return root === one
			? one.replace(/^(.{4,})e$/, "$1")
			: root.replace(/([bdgmnprt])\1$/, "$1");
	}
	const stems = (text) => (text.match(WORD) || []).map(stem);
	const count = (text) => {
		const times = new Map();
		for (const word of stems(text)) times.set(word, (times.get(word) || 0) + 1);
		return times;
	};
	const entries = course.sections.map(
		([address, page, title, told, words, asks, taught]) => ({
			address,
			page,
			title,
			told,
			asks,
			lesson: count(page === title ? "" : `${page} ${address.split(".")[0]}`),
			head: count(`${title} ${taught}`),
			text: count(`${title} ${taught} ${told} ${words}`),
			worth:
				page === title || ASIDE.test(title) || address.startsWith("review.")
					? 0.5
					: title.startsWith("Optional")
						? 0.8
						: 1,
		}),
	);
	const known = new Set(entries.flatMap((entry) => [...entry.text.keys()]));
	const names = Object.entries(course.names)
		.flatMap(([here, others]) =>
			others.map((other) => ({
				here,
				other,
				own: stems(here),
				words: stems(other),
			})),
		)
		.sort((one, two) => two.words.length - one.words.length);
	/* A word that stands nowhere may be the beginning of others. */
	const ways = (word) => {
		const longer =
			known.has(word) || word.length < 3
				? []
				: [...known].filter((one) => one.startsWith(word));
		return [word, ...longer].map((one) => [one]);
	};
	/* What is looked for, each with the ways to say it, which are lists of words; and the names among it. */
	const read = (words) => {
		const looked = [];
		const called = [];
		while (words.length) {
			const name = names.find((one) =>
				one.words.every((word, place) => word === words[place]),
			);
			const taken = words.splice(0, name ? name.words.length : 1);
			if (name) called.push(name);
			if (name) looked.push([taken, name.own]);
			else if (!QUIET.has(taken[0]) && !taken[0].endsWith("n't"))
				looked.push(ways(taken[0]));
		}
		return [looked, called];
	};
	const often = (one, counted) =>
		Math.max(
			...one.map((way) =>
				Math.min(...way.map((word) => counted.get(word) || 0)),
			),
		);
	/* The fewer sections have it, the more it counts. */
	const weigh = (one) =>
		Math.log(
			1 +
				entries.length /
					(1 + entries.filter(({ text }) => often(one, text)).length),
		);
	const rank = (looked, weights) => {
		const scored = entries.map((entry) => {
			const parts = looked.map((one, place) => {
				const times = often(one, entry.text);
				return (
					weights[place] *
					(times / (times + 0.6) +
						(often(one, entry.head) ? 1 : 0) +
						(often(one, entry.lesson) ? 0.4 : 0))
				);
			});
			const has = looked.filter((one) => often(one, entry.text)).length;
			return {
				entry,
				has,
				score: parts.reduce((sum, part) => sum + part, 0) * entry.worth * has,
			};
		});
		return scored
			.filter((one) => one.has)
			.sort((one, two) => two.score - one.score)
			.slice(0, MOST);
	};
	const marked = (name, text, words) => {
		const element = document.createElement(name);
		let at = 0;
		for (const match of text.matchAll(WORD)) {
			if (!words.has(stem(match[0]))) continue;
			const mark = document.createElement("mark");
			mark.textContent = match[0];
			element.append(text.slice(at, match.index), mark);
			at = match.index + match[0].length;
		}
		element.append(text.slice(at));
		return element;
	};
	const share = (sentence, ways) =>
		Math.max(
			...ways.map(
				(way) => way.filter((word) => sentence.has(word)).length / way.length,
			),
		);
	const item = ({ address, page, title, told, asks }, looked, weights) => {
		const words = new Set(looked.flat(2));
		const has = (sentence) =>
			looked.reduce(
				(sum, one, place) => sum + weights[place] * share(count(sentence), one),
				0,
			);
		const [[most, best]] = told
			.split("\n")
			.map((sentence) => [has(sentence), sentence])
			.sort((one, two) => two[0] - one[0]);
		const link = marked("a", title, words);
		link.href = address;
		const place = document.createElement("p");
		place.textContent =
			page === title
				? ""
				: page + (!most && asks ? " · asks for a guess first" : "");
		const found = document.createElement("li");
		found.append(link, place, ...(most ? [marked("p", best, words)] : []));
		return found;
	};
	const search = (every) => {
		const [looked, called] = read(stems(field.value));
		const weights = looked.map(weigh);
		const found = rank(looked, weights);
		list.replaceChildren(
			...found
				.slice(0, every ? MOST : FIRST)
				.map(({ entry }) => item(entry, looked, weights)),
		);
		more.hidden = list.children.length === found.length;
		const missing = looked.filter(
			(one) => !entries.some(({ text }) => often(one, text)),
		);
		const told = called.map(
			({ other, here }) => `“${other}” is called “${here}” here.`,
		);
		const unsaid = `o section says ${missing.map(([way]) => `“${way.join(" ")}”`).join(" or ")}.`;
		if (missing.length)
			told.push(
				found.length
					? `N${unsaid}`
					: `The course does not teach this: n${unsaid}`,
			);
		else if (looked.length && !found.some((one) => one.has === looked.length))
			told.push("No section has all of these words. These have most of them.");
		said.textContent = told.join(" ");
	};
	const wanted = new URLSearchParams(location.search).get("words");
	if (wanted) field.value = wanted;
	field.addEventListener("input", () => search());
	more.addEventListener("click", () => search(true));
	field.form.addEventListener("submit", (event) => event.preventDefault());
	search();
})();
