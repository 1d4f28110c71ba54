/* What every script of the course needs: parts of a page, and words that are safe to show.
   No library, nothing from elsewhere; all of it works from a folder opened as files. */
"use strict";
(() => {
	window.course ||= {};
	const { course } = window;
	const all = (selector, root = document) =>
		Array.from(root.querySelectorAll(selector));
	const made = (tag, text, attributes = {}) => {
		const element = document.createElement(tag);
		if (text) element.textContent = text;
		for (const [name, value] of Object.entries(attributes))
			element.setAttribute(name, value);
		return element;
	};
	const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
	const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ESCAPED[sign]);
	/* Return a part of an address as it is read; an address made by hand may hold a % that says nothing. */
	const decoded = (text) => {
		try {
			return decodeURIComponent(text);
		} catch {
			return text;
		}
	};

	/* Open each fold that an element stands in. */
	const unfold = (element) => {
		for (
			let fold = element?.closest("details");
			fold;
			fold = fold.parentElement.closest("details")
		)
			fold.open = true;
	};

	const AROUND = 16; /* pixels */
	const HEAD = 220; /* a sentence, and the first number that differs */
	/* Bring a reply into the window, or its first lines where it is long, by the least scroll that does it; the focus
     stays. What the keyboard of a phone covers is no part of the window. */
	const inView = (element, head = HEAD) => {
		const { top, height } = element.getBoundingClientRect();
		const { offsetTop, height: seen } = window.visualViewport;
		const below = top + Math.min(height, head) + AROUND - (offsetTop + seen);
		const by = Math.min(Math.max(0, below), top - offsetTop - AROUND);
		/* In place of a scroll that is still under way. */
		scrollTo({
			top: scrollY + by,
			behavior: matchMedia("(prefers-reduced-motion: reduce)").matches
				? "instant"
				: "smooth",
		});
	};

	Object.assign(course, { all, made, escaped, decoded, unfold, inView });
})();
