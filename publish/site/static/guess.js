/* Replies to guesses, by the rules of courseware/guess.py, and the numbers that are typed into a field. */
"use strict";
(() => {
	const { escaped } = course;
	const EXACT = 1e-7;
	const JUDGEMENTS = ["true", "false"];
	class Fault extends Error {}

	/* Write a number with so many significant digits as Python's format code g does: ties go to the even digit. */
	const general = (number, digits) => {
		if (number === 0) return "0";
		const sign = number < 0 ? "-" : "";
		const [mantissa, power] = Math.abs(number).toExponential(90).split("e");
		const all_digits = mantissa.replace(".", "");
		let head = all_digits.slice(0, digits);
		const rest = all_digits.slice(digits);
		let exponent = Number(power);
		const half = `5${"0".repeat(rest.length - 1)}`;
		if (rest > half || (rest === half && Number(head[digits - 1]) % 2 === 1)) {
			head = String(BigInt(head) + 1n);
			if (head.length > digits) {
				head = head.slice(0, digits);
				exponent += 1;
			}
		}
		if (exponent < -4 || exponent >= digits) {
			const tail = head.slice(1).replace(/0+$/, "");
			const size = String(Math.abs(exponent)).padStart(2, "0");
			return `${sign}${head[0]}${tail ? `.${tail}` : ""}e${exponent < 0 ? "-" : "+"}${size}`;
		}
		if (exponent < 0) head = "0".repeat(-exponent) + head;
		const before = Math.max(exponent, 0) + 1;
		const tail = head.slice(before).replace(/0+$/, "");
		return sign + head.slice(0, before) + (tail ? `.${tail}` : "");
	};
	const shown = (guess) => {
		if (typeof guess === "string") return `“${guess}”`;
		if (Array.isArray(guess))
			return `(${guess.join(", ")}${guess.length === 1 ? "," : ""})`;
		const written =
			Number.isInteger(guess) && Math.abs(guess) < 1e15
				? String(guess === 0 ? 0 : guess).replace(/\B(?=(\d{3})+$)/g, ",")
				: general(guess, 4);
		return written.replaceAll("-", "−");
	};
	const folded = (word) => word.trim().toLowerCase();
	const same = (guess, value) => {
		if (typeof value === "string" || typeof guess === "string")
			return (
				typeof value === "string" &&
				typeof guess === "string" &&
				folded(guess) === folded(value)
			);
		if (Array.isArray(value) || Array.isArray(guess))
			return (
				Array.isArray(value) &&
				Array.isArray(guess) &&
				JSON.stringify(guess) === JSON.stringify(value)
			);
		return Math.abs(guess - value) <= EXACT * Math.max(1, Math.abs(value));
	};
	const near = (prediction, guess) => {
		const answer = prediction.answer;
		if (
			typeof answer === "string" ||
			prediction.kind === "choice" ||
			prediction.kind === "shape"
		)
			return false;
		return (
			Math.abs(guess - answer) <= prediction.close * (Math.abs(answer) || 1)
		);
	};
	const distance = (prediction, guess, isNear) => {
		if (isNear) return "close";
		const answer = prediction.answer;
		const way = guess > answer ? "high" : "low";
		const [small, large] = [Math.abs(guess), Math.abs(answer)].sort(
			(one, two) => one - two,
		);
		const ratio = guess * answer > 0 ? large / small : 0;
		return ratio >= 3
			? `too ${way}, by a factor of ${shown(Number(general(ratio, 2)))}`
			: `too ${way}`;
	};
	const range = (low, high) => {
		if (low === null) return `at ${shown(high)} or below`;
		return high === null
			? `at ${shown(low)} or above`
			: `between ${shown(low)} and ${shown(high)}`;
	};
	const readNumber = (prediction, guess) => {
		if (typeof guess === "string")
			throw new Fault("Your guess must be a number, without quotes.");
		if (typeof guess !== "number")
			throw new Fault("Your guess must be a number.");
		if (!Number.isFinite(guess))
			throw new Fault("Your guess is not a finite number.");
		const { low, high } = prediction;
		const outside =
			(low !== null && guess < low) || (high !== null && guess > high);
		if (outside && !prediction.printed.some((printed) => same(guess, printed)))
			throw new Fault(
				`The answer must lie ${range(low, high)}, so ${shown(guess)} is impossible. Guess again.`,
			);
		return guess;
	};
	const readWord = (_prediction, guess) => {
		if (typeof guess !== "string")
			throw new Fault("Your guess must be a word.");
		if (!guess.trim()) throw new Fault("Your guess is empty: write a word.");
		return guess;
	};
	const readChoice = (prediction, guess) => {
		const words = typeof prediction.answer === "string";
		const stands =
			words &&
			prediction.printed.length &&
			typeof guess === "number" &&
			Number.isFinite(guess);
		const found = stands
			? guess
			: (words ? readWord : readNumber)(prediction, guess);
		const known = [
			...prediction.choices,
			...prediction.printed,
			...prediction.replies.map((reply) => reply.guess),
		];
		if (!known.some((one) => same(found, one)))
			throw new Fault(
				`Choose one of ${prediction.choices.map((one) => JSON.stringify(one)).join(", ")}.`,
			);
		return found;
	};
	const readShape = (_prediction, guess) => {
		let sizes = Array.isArray(guess) ? guess : [];
		if (typeof guess === "string") {
			const inner = guess.trim().replace(/^[()[\]]+|[()[\]]+$/g, "");
			const parts = inner
				.toLowerCase()
				.split(/[\s,;x×*]+|\bby\b/)
				.filter(Boolean);
			sizes = parts.every((part) => /^\d+$/.test(part))
				? parts.map(Number)
				: [];
		}
		if (!sizes.length || !sizes.every(Number.isInteger))
			throw new Fault(
				"Write the shape as whole numbers: (4, 5) for two axes, (4,) for one.",
			);
		return sizes;
	};
	const READ = {
		number: readNumber,
		word: readWord,
		choice: readChoice,
		shape: readShape,
	};
	const replyToClaims = (prediction, guess) => {
		const letters = Object.keys(prediction.claims);
		const judged = {};
		for (const letter of letters) {
			if (!guess || guess[letter] === undefined)
				throw new Fault(`Claim ${letter} is missing: judge it too.`);
			judged[letter] = folded(String(guess[letter]));
			if (!JUDGEMENTS.includes(judged[letter]))
				throw new Fault(
					`Judge claim ${letter} with one of the words 'true' or 'false'.`,
				);
		}
		const missed = letters.filter(
			(letter) => judged[letter] !== prediction.claims[letter].answer,
		);
		const count = letters.length - missed.length;
		const sentences = [
			`You judged ${count} of ${letters.length} claims as the evidence does.`,
		];
		for (const letter of missed) {
			const claim = prediction.claims[letter];
			sentences.push(
				`${letter} is ${claim.answer}: ${claim.replies[judged[letter]]}`,
			);
		}
		if (!missed.length) sentences.push(prediction.right);
		return {
			html: sentences.join(" "),
			exact: !missed.length,
			near: missed.length <= Math.floor(letters.length / 4),
		};
	};
	/* Return {html, exact, near} for an honest guess, and {fault} for one that is none. */
	course.reply = (prediction, guess) => {
		try {
			if (prediction.kind === "claims") return replyToClaims(prediction, guess);
			const found = READ[prediction.kind](prediction, guess);
			const exact = [prediction.answer, ...prediction.printed].some((value) =>
				same(found, value),
			);
			const says = (
				prediction.replies.find((reply) => same(found, reply.guess)) || {
					says: "",
				}
			).says;
			const isNear = exact || near(prediction, found);
			let lead = `You guessed ${shown(found)}; the answer is ${shown(prediction.answer)}`;
			if (exact) lead = `You guessed ${shown(found)}, and that is right.`;
			else if (
				typeof prediction.answer === "string" ||
				prediction.kind === "shape"
			)
				lead += ".";
			else lead += `: ${distance(prediction, found, isNear)}.`;
			return {
				html: [escaped(lead), exact ? "" : says, prediction.right]
					.filter(Boolean)
					.join(" "),
				exact,
				near: isNear,
			};
		} catch (fault) {
			if (!(fault instanceof Fault)) throw fault;
			return { fault: fault.message };
		}
	};

	/* What was typed into a text field, as a number where one is asked for: 1,000 and −4, and what a cell would compute
     of numbers, such as 2/3, 6*6 + 6 or 2**10, by Python's order of + - * / ** and brackets; 0,5 and ½, and 50 % where the
     number asked for is a share or of a hundred. */
	const NO_NUMBER =
		"Your guess must be a number, in digits, with a point before decimals and without a unit.";
	course.typed = (prediction, text) => {
		if (prediction.kind !== "number") return text;
		const tidy = text
			.trim()
			.replace(/^['"‘“]|['"’”]$/g, "")
			.replace(/[−–]/g, "-")
			.replaceAll("×", "*");
		const share = tidy.endsWith("%")
			? { 1: 0.01, 100: 1 }[prediction.high]
			: undefined; /* 50 % of one, or of a hundred */
		const bare = share ? tidy.slice(0, -1).trim() : tidy;
		const whole = /^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(bare)
			? bare.replaceAll(",", "")
			: bare;
		const fraction =
			!share && /^[¼-¾⅐-⅞]$/.test(whole)
				? whole.normalize("NFKC").replace("⁄", "/")
				: whole;
		const plain = fraction
			.replace(/^([-+]?\d+),(\d+)$/, "$1.$2")
			.replace(/(\d)_(?=\d)/g, "$1");
		const parts =
			plain.length > 80
				? []
				: plain.match(/(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\*\*|\S/g) || [];
		const next = (...signs) => signs.includes(parts[0]) && parts.shift();
		const inner = () => {
			const part = parts.shift();
			const found =
				part === "(" ? sum() : /^\.?\d/.test(part) ? Number(part) : NaN;
			if (Number.isNaN(found) || (part === "(" && !next(")")))
				throw new Fault(NO_NUMBER);
			return found;
		};
		const signed = () =>
			next("-") ? -signed() : next("+") ? signed() : power();
		const power = () => {
			const base = inner();
			return next("**") ? base ** signed() : base;
		};
		const product = () => {
			let found = signed();
			for (let by = next("*", "/"); by; by = next("*", "/"))
				found = by === "*" ? found * signed() : found / signed();
			return found;
		};
		const sum = () => {
			let found = product();
			for (let by = next("+", "-"); by; by = next("+", "-"))
				found = by === "+" ? found + product() : found - product();
			return found;
		};
		const found = sum();
		if (parts.length) throw new Fault(NO_NUMBER);
		return found * (share || 1);
	};

	const asText = (guess) =>
		guess && typeof guess === "object" && !Array.isArray(guess)
			? Object.entries(guess)
					.map((pair) => pair.join(" "))
					.join(", ")
			: shown(guess).replace(/^“|”$/g, "");

	Object.assign(course, { Fault, asText, same, shown });
})();
