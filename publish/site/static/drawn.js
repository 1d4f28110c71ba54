/* Guesses that are drawn: a point or a border to move, whose place is what the field below holds; what comes out grows
   over it once the guess is made. */
"use strict";
(() => {
	const { all, drawing, escaped, memory, same, shown } = course;
	const { clamp, laidOut, number, scale, start } = drawing;
	const SECONDS = 1.5;

	const KNOB = {
		up: '<path d="M-3.5 -2 L0 -5.5 L3.5 -2 M-3.5 2 L0 5.5 L3.5 2" />',
		across: '<path d="M-2 -3.5 L-5.5 0 L-2 3.5 M2 -3.5 L5.5 0 L2 3.5" />',
	};

	/* What is told below a drawing: how to use it, and then what its lines are. */
	const legendOf = ({ drawn: how, choices }, told) => {
		if (!told)
			return (
				`Drag the ${how.kind === "bar" ? "border" : "point"}, or use the arrow keys or the ${choices.length ? "buttons" : "field"} below.` +
				(how.kind === "dip"
					? " Only its place from left to right counts; how deep it lies is up to you."
					: "")
			);
		const mark = (name, text) =>
			`<span class="${name}">${escaped(text)}</span>`;
		const values =
			how.kind === "curve"
				? `: ${how.truth.line.map(([x, y]) => `${number(how, y)} with ${shown(x)}`).join(", ")} ${how.across}`
				: "";
		return (
			mark("own", "your guess") +
			mark("true", how.came + values) +
			(how.dots ? mark("seed", `each small dot: ${how.dots}`) : "")
		);
	};
	/* Where the pointer drags it: follow(x, y), in the drawing. */
	const dragged = (svg, handle, curve, follow) => {
		const at = (event) => {
			const bounds = svg.getBoundingClientRect();
			follow(event.clientX - bounds.left, event.clientY - bounds.top);
		};
		svg.style.touchAction = curve ? "pan-x pan-y" : "pan-y";
		handle.style.touchAction = "none";
		svg.addEventListener("pointerdown", (event) => {
			if (event.button || !svg.hasAttribute("viewBox")) return;
			if (
				event.pointerType === "touch" &&
				curve &&
				!event.target.closest(".handle")
			)
				return; /* a finger there scrolls the page */
			event.preventDefault();
			handle.focus({ preventScroll: true });
			svg.setPointerCapture(event.pointerId);
			at(event);
			svg.addEventListener("pointermove", at);
			svg.addEventListener(
				"lostpointercapture",
				() => svg.removeEventListener("pointermove", at),
				{ once: true },
			);
		});
		handle.addEventListener("touchstart", (event) => event.preventDefault(), {
			passive: false,
		}); /* no scrolling */
	};
	/* A drawing in its place: what is in it, and how it is drawn as it is now. */
	const canvasOf = (place, prediction, now) => {
		const how = prediction.drawn;
		const [low, high] = scale(prediction).ends;
		place.innerHTML = `<svg role="group" aria-label="Draw your guess"><g class="still" aria-hidden="true"></g>
      <g class="handle" role="slider" tabindex="0" aria-label="${escaped(how.said)}" aria-valuemin="${low}" aria-valuemax="${high}">
      <circle class="reach" r="24"/><circle class="ring" r="17"/><circle class="knob" r="12"/>${KNOB[how.kind === "curve" ? "up" : "across"]}</g></svg><p class="legend"></p>`;
		const [svg, still, handle, legend] = [
			"svg",
			".still",
			".handle",
			".legend",
		].map((name) => place.querySelector(name));
		const canvas = { svg, handle, spot: null };
		canvas.draw = () => {
			const width = Math.min(Math.floor(place.clientWidth), 640);
			if (!width) return;
			if (!now.told) now.guess = start(prediction);
			const spot = laidOut(prediction, now, width);
			canvas.spot = spot;
			svg.setAttribute("viewBox", `0 0 ${width} ${spot.height}`);
			svg.setAttribute("width", width);
			svg.setAttribute("height", spot.height);
			still.innerHTML = spot.ground + spot.shade + spot.guess + spot.result;
			handle.setAttribute(
				"transform",
				`translate(${spot.handle.map((one) => one.toFixed(1)).join(" ")})`,
			);
			handle.setAttribute("aria-valuenow", clamp(now.guess, low, high));
			handle.setAttribute(
				"aria-valuetext",
				now.told ? `${shown(now.guess)}${how.unit || ""}` : "not drawn yet",
			);
			place.classList.toggle("waiting", !now.told);
		};
		canvas.tell = () => {
			legend.innerHTML = legendOf(prediction, now.progress);
		};
		return canvas;
	};
	course.drawGuess = (form, prediction) => {
		const { kind } = prediction.drawn;
		const id = form.dataset.prediction;
		const { nearest, afterKey } = scale(prediction);
		const now = {
			guess: start(prediction),
			depth: null,
			told: false,
			progress: 0,
		};
		const place = form.querySelector(".drawn");
		const canvas = canvasOf(place, prediction, now);
		const { svg, handle, draw, tell } = canvas;
		const chosen = prediction.choices.length > 0;

		/* Take a value from the pointer or a key, into the drawing and into the field. */
		const take = (value) => {
			now.guess = value;
			now.told = true;
			if (chosen)
				for (const one of all("input", form))
					one.checked = same(JSON.parse(one.value), value);
			else form.querySelector("input").value = String(value);
			draw();
		};
		dragged(svg, handle, kind === "curve", (x, y) => {
			if (kind === "dip") now.depth = canvas.spot.deep(y);
			take(nearest(canvas.spot.value(x, y)));
		});
		handle.addEventListener("keydown", (event) => {
			if (event.key === "Enter") return form.requestSubmit();
			const value = afterKey(event.key, now.guess);
			if (value === undefined) return;
			event.preventDefault();
			take(value);
		});
		/* What is typed or chosen below moves the point, too. */
		form.addEventListener("input", () => {
			try {
				const { value: text } = form.querySelector(
					chosen ? "input:checked" : "input",
				);
				const value = chosen
					? JSON.parse(text)
					: course.typed(prediction, text);
				if (!Number.isFinite(value) || !text.trim()) return;
				now.guess = value;
				now.told = true;
				draw();
			} catch (fault) {
				if (!(fault instanceof course.Fault))
					throw fault; /* half a number: the point waits */
			}
		});
		const grow = () => {
			const begun = performance.now();
			const step = (time) => {
				const share = clamp((time - begun) / (1000 * SECONDS), 0, 1);
				now.progress = share < 1 ? Math.max(share * (2 - share), 1e-3) : 1;
				draw();
				if (share < 1) requestAnimationFrame(step);
			};
			requestAnimationFrame(step);
		};
		form.addEventListener("guessed", (event) => {
			const { guess, again } = event.detail;
			const kept = memory.kept.guesses[id] || {};
			if (again) now.depth = kept.depth ?? null;
			else if (kind === "dip" && now.depth !== null && kept.depth === undefined)
				memory.remember(({ guesses }) => {
					guesses[id].depth = now.depth;
				});
			now.guess = guess;
			now.told = true;
			if (now.progress) return draw();
			const still =
				again || matchMedia("(prefers-reduced-motion: reduce)").matches;
			now.progress = still ? 1 : 1e-3;
			if (still) draw();
			else grow();
			tell();
		});
		document.addEventListener(
			"refreshed",
			draw,
		); /* an earlier guess may have made more known */
		new ResizeObserver(draw).observe(place);
		tell();
		draw();
	};
})();
