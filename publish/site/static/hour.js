/* The last stop of the hour: the reader's sentences, which are kept and deleted as code is, and ours beside them. */
"use strict";
(() => {
	const { all, inView, made, memory } = course;
	const form = document.querySelector(".say");
	const [compare, says] = [
		form.querySelector("button"),
		form.querySelector("[role=status]"),
	];
	const fields = all("textarea", form);
	const takeOver = () => {
		for (const field of fields) {
			const kept = memory.kept.code[field.id] ?? "";
			if (field.value !== kept) field.value = kept;
		}
	};
	form.addEventListener("input", ({ target: { id, value } }) =>
		memory.remember(({ code }) => {
			if (value) code[id] = value;
			else delete code[id];
		}),
	);
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		const written = fields.filter((field) => field.value.trim());
		for (const field of fields)
			field.parentElement.classList.toggle("compared", written.includes(field));
		says.textContent = written.length
			? "Ours stands under each of yours."
			: "Write yours first.";
		inView(fields[0].parentElement);
	});
	if (navigator.clipboard) {
		const copy = made("button", "Copy mine", { type: "button" });
		const told = (words) => () => {
			says.textContent = words;
		};
		const mine = () =>
			fields
				.map((field) => field.labels[0].textContent.replace("…", field.value))
				.join("\n");
		copy.addEventListener("click", () =>
			navigator.clipboard
				.writeText(mine())
				.then(told("Copied."), told("Select them by hand.")),
		);
		compare.after(copy);
	}
	takeOver();
	document.addEventListener("refreshed", takeOver);
	if (course.python && location.protocol !== "file:")
		course.python.start(() => {}); /* so that it is there for the code */
})();
