/* Python with NumPy and the course's checks, in a worker: it answers one question at a time. The table at the top of
   python.js has its messages. */

/* What went wrong first, while everything is loaded; `stop` ends the loading then, also where Pyodide only prints it. */
let trouble = null;
let stop;
const stopped = new Promise((_, reject) => {
	stop = reject;
});
const note = (fatal, reason, more) => {
	trouble = trouble || { fatal, reason: String(reason), ...more };
	stop();
	return new Error(reason);
};
for (const how of ["warn", "error"]) {
	const plain = console[how].bind(console);
	console[how] = (...said) => {
		plain(...said);
		for (const one of said) if (one instanceof Error) note("other", one);
	};
}
self.addEventListener("unhandledrejection", ({ reason }) =>
	note("other", reason),
);
self.addEventListener(
	"securitypolicyviolation",
	({ effectiveDirective, blockedURI, disposition }) =>
		postMessage({ policy: { effectiveDirective, blockedURI, disposition } }),
);

/* Load everything, and say how much has arrived so far and how much it will be: as it is sent, compressed or not.
   `root`: of the site; `again`: ask the network, and nothing that the browser has kept. */
const boot = async ({ root, folder, wheels, course, sizes, again }) => {
	const typed = {}; /* script -> the wrong type that it came with */
	const sent = { ...sizes };
	const arrived = {};
	const sum = (numbers) =>
		Object.values(numbers).reduce((total, one) => total + one, 0);
	const plain = self.fetch.bind(self);
	const say = (words) => postMessage({ words });
	const counting = async (address, options) => {
		const name = String(address.url || address).slice(root.length);
		const response = await plain(
			address,
			again ? { ...options, cache: "reload" } : options,
		).catch((error) => {
			throw note("no answer", `${name}: ${error}`, { name });
		});
		const { status } = response,
			type = response.headers.get("content-type") || "";
		if (!response.ok)
			throw note("wrong answer", `${name}: ${status}`, { name, status });
		if (name.endsWith(".js") && !/(java|ecma)script/.test(type))
			typed[name] = type;
		if (!response.body || !sizes[name]) return response;
		if (response.headers.get("content-encoding"))
			sent[name] =
				Number(response.headers.get("content-length")) || sizes[name];
		let bytes = 0;
		const reader = response.body.getReader();
		const counted = new ReadableStream({
			async pull(out) {
				const { done, value } = await reader.read().catch((error) => {
					throw note("no answer", `${name}: ${error}`, { name });
				});
				if (done && bytes !== sizes[name])
					throw note(
						"wrong answer",
						`${name}: ${bytes} bytes in place of ${sizes[name]}`,
						{ name, damaged: !/html/.test(type) && "damaged" },
					);
				if (done) return out.close();
				bytes += value.length;
				arrived[name] = (bytes * sent[name]) / sizes[name];
				postMessage({ bytes: sum(arrived), of: sum(sent) });
				if (
					Object.keys(sizes).every(
						(one) => Math.round(arrived[one]) >= sent[one],
					)
				)
					say("Starting Python …");
				out.enqueue(value);
			},
		});
		const headers = new Headers(response.headers);
		if (name.endsWith(".wasm"))
			headers.set(
				"content-type",
				"application/wasm",
			); /* whatever the server calls it */
		return new Response(counted, { status, headers });
	};
	self.fetch = counting; /* for what Pyodide loads by itself */
	const archive = async (name) => (await counting(root + name)).arrayBuffer();
	const scripts = Object.keys(sizes).filter((name) => name.endsWith(".js"));
	const [zip, ...packed] = await Promise.all([
		archive(course),
		...wheels.map((name) => archive(folder + name)),
		...scripts.map(archive) /* imports say nothing of what came */,
	]);
	/* A script that came with a wrong type is none to a browser until it has another one. */
	const imported = (file) => {
		const name = folder + file,
			type = typed[name];
		return import(root + name).catch((error) => {
			if (type === undefined) throw error;
			const script = new Blob([packed[wheels.length + scripts.indexOf(name)]], {
				type: "text/javascript",
			});
			return import(URL.createObjectURL(script)).catch((error) => {
				throw note("other", error, { name, type });
			});
		});
	};
	const { loadPyodide } = await imported("pyodide.js");
	const { default: createPyodideModule } =
		await imported("pyodide.asm.js"); /* which Pyodide calls .mjs */
	const lockFileURL = `${root}${folder}pyodide-lock.json`;
	const stderr = (said) => postMessage({ said });
	const python = await loadPyodide({
		indexURL: root + folder,
		lockFileURL,
		createPyodideModule,
		stderr,
	});
	self.fetch = plain;
	const started = "Starting Python: the course’s checks …";
	say(started);
	for (const wheel of packed.slice(0, wheels.length)) {
		python.unpackArchive(wheel, "wheel");
		say(started);
	}
	python.unpackArchive(zip, "zip", { extractDir: "/course" });
	say(started);
	python.runPython("import sys; sys.path.insert(0, '/course'); import numpy");
	say(started);
	const inPage = python.pyimport("publish.site.in_page");
	inPage.listen((seconds) => postMessage({ seconds }));
	return inPage;
};

let loading = null;
self.onmessage = async ({ data }) => {
	if (data.start) {
		loading = Promise.race([boot(data.start), stopped]);
		loading.then(
			() => postMessage({ ready: true }),
			(error) => {
				const said = trouble || { fatal: "other", reason: String(error) };
				console.warn("Python could not be started:", said.reason);
				postMessage(said);
			},
		);
		return;
	}
	const { number, id } = data;
	try {
		const inPage = await loading;
		const read = data.pasted
				? JSON.parse(inPage.straighten(data.source, data.pasted))
				: {},
			{ source } = read;
		const reply = {
			check: () => inPage.check(id, source, Boolean(data.arrays)),
			run: () => inPage.run(id, source),
			"hand in": () =>
				inPage.hand_in(
					data.lesson,
					data.name,
					data.notebook,
					data.answers,
					data.progress,
				),
		}[data.do]();
		postMessage({ number, ...read, ...JSON.parse(reply) });
	} catch (error) {
		/* Python itself is broken now, as after too deep a recursion or too much memory */
		postMessage({ fatal: "broken", reason: String(error) });
	}
};
