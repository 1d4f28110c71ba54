/* The course without a network: what this build consists of, and from where each file comes. It answers for nothing else. */
"use strict";
const DIGESTS = new Map(/*DIGESTS*/ []); /* file -> the SHA-256 of what this build has there; nothing else is kept */
const NAMED_BY_HASH = /^(python\/|static\/editor-|static\/trained-weights\.)/; /* never change: from the cache first */
const CACHE = `ffn-course ${self.registration.scope}`; /* of this copy of the course; all others of this address have theirs */

const inBuild = (url) => {
  const scope = self.registration.scope;
  if (!url.startsWith(scope)) return null;
  const path = url.slice(scope.length).split(/[?#]/)[0] || "index.html";
  return DIGESTS.has(path) ? path : null;
};
const keyOf = (path) => self.registration.scope + path;

const keep = async (path, response) => {
  if (!response.ok || response.redirected) return;
  const digest = await crypto.subtle.digest("SHA-256", await response.clone().arrayBuffer());
  const written = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (written === DIGESTS.get(path)) await (await caches.open(CACHE)).put(keyOf(path), response);
};
const kept = async (path) => (await caches.open(CACHE)).match(keyOf(path));

const answer = async (event, path) => {
  const stored = NAMED_BY_HASH.test(path) && (await kept(path));
  if (stored) return stored;
  try { /* not what the browser keeps by itself, which may be of a former build */
    const response = await fetch(event.request.url, { cache: "no-cache" });
    if (response.redirected) return Response.redirect(response.url);
    const keeping = keep(path, response.clone());
    if (NAMED_BY_HASH.test(path)) event.waitUntil(keeping.catch(() => {})); /* large: the page hears each byte as it comes */
    else await keeping; /* in place of a page that is cut in the middle stands the one that is kept */
    return response;
  } catch (error) {
    const known = await kept(path);
    if (known) return known;
    throw error;
  }
};

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) =>
  event.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      for (const request of await cache.keys()) if (!inBuild(request.url)) await cache.delete(request);
      await self.clients.claim();
    })(),
  ),
);
self.addEventListener("fetch", (event) => {
  const path = event.request.method === "GET" ? inBuild(event.request.url) : null;
  if (path) event.respondWith(answer(event, path));
});
/* A page tells what it has loaded before this worker was there. */
self.addEventListener("message", (event) =>
  event.waitUntil(
    Promise.allSettled(
      event.data.loaded.map(inBuild).filter(Boolean).map(async (path) => (await kept(path)) || keep(path, await fetch(keyOf(path)))),
    ),
  ),
);
