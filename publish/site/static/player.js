/* Figures that move: one group of the drawing for each layer of the recording. */
"use strict";
(() => {
	const { all, decoded, inView, made, motion, unfold } = course;
	const STEP = 200; /* milliseconds from one state to the next */
	const still = matchMedia("(prefers-reduced-motion: reduce)");
	const recordings = {};
	const unpacked = (text) => {
		const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
		const stream = new Blob([bytes])
			.stream()
			.pipeThrough(new DecompressionStream("deflate"));
		return new Response(stream).json();
	};
	course.recording = async (id, data) => {
		recordings[id] = null; /* it has come */
		const packed = typeof data === "string";
		if (packed && !window.DecompressionStream) {
			/* an old browser: the figure stands still, as without scripts */
			for (const controls of all(`[data-recording="${id}"] .controls`))
				controls.hidden = true;
			return;
		}
		recordings[id] = packed ? await unpacked(data) : data;
		document.dispatchEvent(new CustomEvent("recorded", { detail: id }));
	};
	const looked = (part, at, sizes) => {
		let place = 0;
		for (const axis of part.dims) place = place * sizes[axis] + at[axis];
		return part.table[place];
	};
	course.state = (data, at) => {
		const sizes = data.controls.map((control) => control.values.length);
		const layers = data.layers.map((layer) => [
			looked(layer, at, sizes),
			layer,
		]);
		const told = motion
			.state(data.captions, looked(data.captions, at, sizes))
			.text.split("\n");
		return { layers, message: told[0], data: told[1] || "" };
	};
	/* A long page is painted again with each step of a slider, unless what is out of sight is left out. That is done at
     the first touch, with the height that each part has now, so that nothing moves. */
	const calm = () => {
		if (navigator.userAgent.includes("Firefox/"))
			return; /* there the key Tab never comes to what rests */
		if (!CSS.supports("overflow-clip-margin", "3rem"))
			return; /* pictures may be wider than the part that they stand in */
		const parts = all("main > *").filter(
			(part) => !part.style.contentVisibility && !part.querySelector(".player"),
		);
		const still = parts.filter((part) => !part.matches(".player"));
		const inside = (part) => {
			const look = getComputedStyle(part);
			const around = [
				look.paddingTop,
				look.paddingBottom,
				look.borderTopWidth,
				look.borderBottomWidth,
			];
			return (
				part.getBoundingClientRect().height -
				around.reduce((sum, one) => sum + parseFloat(one), 0)
			);
		};
		const heights = still.map(inside);
		still.forEach((part, number) => {
			part.style.containIntrinsicHeight = `auto ${heights[number]}px`;
			part.style.overflowClipMargin = "3rem";
			part.style.contentVisibility = "auto";
		});
	};
	course.calm = calm;
	/* The value of a slider goes with its thumb. */
	const placed = (input) =>
		input.parentElement.style.setProperty("--at", input.value / input.max);
	class Player {
		constructor(figure) {
			this.figure = figure;
			this.id = figure.dataset.recording;
			this.svg = figure.querySelector("svg");
			this.inputs = all("[data-control]", figure);
			this.aloud = figure.querySelector(".aloud");
			this.groups = null;
			this.wanted = null;
			figure.querySelector(".controls").hidden = false;
			for (const input of this.inputs)
				input.addEventListener("input", () => this.moved(input));
			figure
				.querySelector(".reset")
				.addEventListener("click", () => this.reset());
			document.addEventListener(
				"recorded",
				(event) => event.detail === this.id && this.ready(),
			);
			const near = new IntersectionObserver(
				(seen) => {
					if (seen.some((one) => one.isIntersecting)) {
						near.disconnect();
						this.load();
					}
				},
				{ rootMargin: "800px" },
			);
			near.observe(figure);
			for (const touched of ["focusin", "pointerdown"])
				figure.addEventListener(touched, () => {
					this.load();
					calm();
				});
			addEventListener("hashchange", () => this.shared());
			this.shared();
		}
		load() {
			if (this.loading) return;
			this.loading = true;
			const script = made("script", "", { src: `recordings/${this.id}.js` });
			const failed = () => {
				this.loading = false; /* the next touch tries again */
				this.tell(
					"What the controls show could not be loaded. Are you online? Use a control to try again.",
				);
			};
			script.addEventListener(
				"load",
				() => this.id in recordings || failed(),
			); /* a page of a filter has come in its place */
			script.addEventListener("error", failed);
			document.head.append(script);
		}
		/* Say why a control shows nothing yet. */
		tell(words) {
			this.notice ??= this.figure.appendChild(made("p", "", { role: "alert" }));
			this.notice.textContent = words;
		}
		ready() {
			this.notice?.remove();
			this.data = recordings[this.id];
			const drawn = Array.from(
				(this.svg.querySelector(":scope > .whole") || this.svg).children,
			);
			this.groups = drawn.slice(-this.data.layers.length || drawn.length);
			this.last = this.data.layers.map(() => -1);
			const sizes = this.data.controls.map((control) => control.values.length);
			const first = this.data.controls.map((control) => control.start);
			this.drawn = this.data.layers.map((layer) =>
				motion.state(layer, looked(layer, first, sizes)),
			);
			this.frames = [];
			if (this.wanted) this.showNamed(this.wanted);
			else if (this.early) this.moved();
			else if (
				this.at().some(
					(place, number) => place !== this.data.controls[number].start,
				)
			)
				this.draw(this.at());
		}
		at() {
			const names = [
				...new Set(this.inputs.map((input) => input.dataset.control)),
			];
			return names.map((name) => {
				const own = this.inputs.filter(
					(input) => input.dataset.control === name,
				);
				return Number(
					(
						own.find((input) => input.type === "range" || input.checked) ||
						own[0]
					).value,
				);
			});
		}
		moved(input) {
			if (input && input.type === "range") placed(input);
			this.wanted = null;
			this.early = !this.data;
			this.load();
			this.show();
			clearTimeout(this.rest);
			this.rest = setTimeout(() => {
				if (!this.data)
					return this.loading && this.tell("Loading what the controls show …");
				this.aloud.textContent = this.message || "";
				this.address();
			}, 400);
		}
		show() {
			if (!this.data || this.waiting) return;
			this.waiting = true;
			requestAnimationFrame(() => {
				this.waiting = false;
				this.draw(this.at(), !still.matches);
			});
		}
		draw(at, moving = false) {
			const state = course.state(this.data, at);
			state.layers.forEach(([place, layer], number) => {
				if (this.last[number] === place) return;
				this.last[number] = place;
				this.change(number, layer, motion.state(layer, place), moving);
			});
			this.data.controls.forEach((control, number) => {
				if (control.kind !== "range") return;
				const input = this.inputs.find(
					(one) => one.dataset.control === control.name,
				);
				input.setAttribute("aria-valuetext", control.values[at[number]]);
				input.nextElementSibling.textContent = control.values[
					at[number]
				].replace("-", "−");
				placed(input);
			});
			const moved = at.some(
				(place, number) => place !== this.data.controls[number].start,
			);
			this.figure.querySelector(".reset").classList.toggle("unmoved", !moved);
			this.message = state.message;
			this.svg.setAttribute(
				"aria-label",
				[state.message, state.data].filter(Boolean).join(" "),
			);
			this.figure.querySelector(".said").textContent = state.message;
			const numbers = this.figure.querySelector(".numbers");
			if (numbers) {
				numbers.hidden = !state.data;
				numbers.querySelector("p").textContent = state.data;
			}
		}
		/* Draw a layer anew: at once, or on the way from what is drawn now. */
		change(number, layer, to, moving) {
			cancelAnimationFrame(this.frames[number]);
			const way = moving && motion.way(layer, this.drawn[number], to);
			const set = (state) => {
				this.drawn[number] = state;
				this.groups[number].innerHTML = state.text;
			};
			if (!way) return set(to);
			const begun = performance.now();
			const step = (now) => {
				const share = Math.max(0, (now - begun) / STEP);
				set(way(share * (2 - Math.min(share, 1))));
				if (share < 1) this.frames[number] = requestAnimationFrame(step);
			};
			this.frames[number] = requestAnimationFrame(step);
		}
		take(at) {
			this.data.controls.forEach((control, number) => {
				const own = this.inputs.filter(
					(input) => input.dataset.control === control.name,
				);
				if (control.kind === "range") own[0].value = at[number];
				else
					for (const input of own)
						input.checked = Number(input.value) === at[number];
			});
			this.draw(this.at());
		}
		/* Show the state with these values by name, at once or when the recording has come. */
		showNamed(wanted) {
			this.wanted = wanted;
			if (!this.data) return this.load();
			const at = this.data.controls.map((control) => {
				const place = control.values.indexOf(wanted.get(control.name));
				return place < 0 ? control.start : place;
			});
			this.take(at);
		}
		reset() {
			this.take(this.data.controls.map((control) => control.start));
			if (!document.activeElement.checkVisibility({ visibilityProperty: true }))
				this.inputs[0].focus(); /* it was the button */
			this.aloud.textContent = this.message;
			this.address();
		}
		/* The state stands in the address, so that a picture can be shared. */
		address() {
			const at = this.at();
			const words = this.data.controls.map(
				(control, number) =>
					`${encodeURIComponent(control.name)}=${encodeURIComponent(control.values[at[number]])}`,
			);
			try {
				history.replaceState(null, "", `#${this.figure.id}?${words.join("&")}`);
			} catch {
				/* a page that may not change its address */
			}
		}
		shared() {
			const [id, words] = location.hash.slice(1).split(/\?|%3f/i);
			if (decoded(id) !== this.figure.id || !words) return;
			this.showNamed(new URLSearchParams(words));
			unfold(this.figure);
			inView(this.figure, Infinity);
		}
	}

	course.Player = Player;
})();
