/* The course without a network: what this build consists of, and from where each file comes. It answers for nothing else. */
"use strict";
const FILES = new Map(
	/*FILES*/ [],
); /* file -> the SHA-256 of what this build has there, and its bytes; nothing else is kept */
const NAMED_BY_HASH =
	/^(python\/|static\/editor-|static\/trained-weights\.)/; /* never change: from the cache first */
const CACHE = `ffn-course ${self.registration.scope}`; /* of this copy of the course; all others of this address have theirs */

const inBuild = (url) => {
	const scope = self.registration.scope;
	if (!url.startsWith(scope)) return null;
	const path = url.slice(scope.length).split(/[?#]/)[0] || "index.html";
	return (
		[path, `${path}.html`].find((one) => FILES.has(one)) || null
	); /* some servers strip .html */
};
const keyOf = (path) => self.registration.scope + path;

/* What this build has under a name: the response with these bytes, or nothing where they are others. */
const sound = async (path, response) => {
	const bytes = await response.arrayBuffer();
	const digest = await crypto.subtle.digest("SHA-256", bytes);
	const written = Array.from(new Uint8Array(digest), (byte) =>
		byte.toString(16).padStart(2, "0"),
	).join("");
	return (
		written === FILES.get(path)[0] &&
		new Response(bytes, { headers: response.headers })
	); /* one that was redirected may open no page */
};
const keep = async (path, response) => {
	const good = response.ok && (await sound(path, response));
	if (good) await (await caches.open(CACHE)).put(keyOf(path), good);
};
const kept = async (path) => {
	const cache = await caches.open(CACHE),
		stored = await cache.match(keyOf(path));
	const good = stored && (await sound(path, stored));
	if (stored && !good)
		await cache.delete(keyOf(path)); /* damaged, or of a former build */
	return good;
};

/* In place of a page that was never opened, where there is no network. */
const MISSING = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Not kept here</title>
<p>This page is not kept on this device, and the network cannot be reached. Pages that you have opened are kept:
<a href="index.html">the first page</a>, for example. Where there is a network, “Keep all” at the end of a page keeps the others, too.</p></html>`;

const answer = async (event, path) => {
	const stored = NAMED_BY_HASH.test(path) && (await kept(path));
	if (stored) return stored;
	try {
		/* not what the browser keeps by itself, which may be of a former build */
		const response = await fetch(event.request.url, {
			cache: "no-cache",
			redirect: event.request.redirect,
		});
		const keeping = keep(path, response.clone());
		if (NAMED_BY_HASH.test(path))
			event.waitUntil(
				keeping.catch(() => {}),
			); /* large: the page hears each byte as it comes */
		else
			await keeping; /* in place of a page that is cut in the middle stands the one that is kept */
		return response;
	} catch (error) {
		const known = await kept(path);
		if (known) return known;
		if (!/html$/.test(path)) throw error;
		const headers = { "Content-Type": "text/html; charset=utf-8" };
		return new Response(MISSING, { status: 503, headers });
	}
};

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) =>
	event.waitUntil(
		(async () => {
			const cache = await caches.open(CACHE);
			for (const request of await cache.keys())
				if (!inBuild(request.url) || !(await kept(inBuild(request.url))))
					await cache.delete(request);
			await self.clients.claim();
		})(),
	),
);
self.addEventListener("fetch", (event) => {
	const path =
		event.request.method === "GET" ? inBuild(event.request.url) : null;
	if (path) event.respondWith(answer(event, path));
});
/* What a kept page offers: all that it names, but other pages and Python, which is large. */
const offered = async (path) => {
	const page = /html$/.test(path) && (await kept(path));
	const text = page ? await page.text() : "";
	const named = (name) =>
		text.includes(name.replace(/^recordings.(.+)[.]js$/, "$1"));
	return [...FILES.keys()].filter(
		(name) => !/^python|html$/.test(name) && named(name),
	);
};
/* A page tells what it has loaded before this worker was there, or wants all; it hears how many bytes of how many are kept. */
const told = async (page, more) => {
	const here = new Set(
		(await (await caches.open(CACHE)).keys()).map(({ url }) => inBuild(url)),
	);
	let have = 0;
	let of = 0;
	for (const [path, [, bytes]] of FILES) {
		of += bytes;
		if (here.has(path)) have += bytes;
	}
	page.postMessage({ kept: have, of, ...more });
};
const take = async (page, loaded) => {
	const paths = new Set(
		loaded ? loaded.map(inBuild).filter(Boolean) : FILES.keys(),
	);
	let failed = false;
	for (const path of paths)
		try {
			if (!(await kept(path))) await keep(path, await fetch(keyOf(path)));
			if (loaded) for (const one of await offered(path)) paths.add(one);
			else await told(page);
		} catch {
			failed = true; /* no network, or no room */
		}
	await told(page, { failed });
};
self.addEventListener("message", (event) =>
	event.waitUntil(take(event.source, event.data.loaded)),
);
