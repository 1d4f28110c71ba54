/* Python in a worker: starting it, asking it one thing at a time, and stopping it. Whatever is asked gets an answer. */
"use strict";
(() => {
  const AGAIN = "Press the button again.";
  const FAILED = {
    "no answer": `Python could not be loaded, because a file did not arrive. Are you online? ${AGAIN}`,
    "wrong answer": "Python could not be loaded: something else came in place of a file of the course. Perhaps a filter of this network puts its own page there. Try another network, or ask whoever runs this one.",
    "too old": "This browser is too old to run Python: that takes Chrome or Edge 112, Firefox 114, Safari 16.4, or newer.",
    other: `Python could not be started. ${AGAIN} If that does not help, try another browser.`,
    broken: `Python stopped unexpectedly, perhaps because it ran out of memory. Your code is kept. ${AGAIN}`,
  };
  const OF_LOADING = 30; /* seconds without a byte or a word */
  const OF_CODE = 10; /* seconds for code of the learner's own, without a pause */
  const OF_ALL = 60; /* for a whole check */
  const TOO_LONG = {
    loading: (seconds) => `Nothing more of Python arrived for ${seconds} seconds, so the loading was stopped. ${AGAIN}`,
    code: (seconds) => `Your code ran for ${seconds} seconds and was stopped. Does a loop never end? Your code is kept.`,
    all: (seconds) => `This took more than ${seconds} seconds and was stopped. Your code is kept.`,
  };

  let worker = null;
  let ready = null; /* a promise, once Python is asked for: of nothing, or of { stopped, reason } where it does not start */
  let settle = null; /* of this promise */
  let tell = () => {}; /* how loading goes on: { bytes, of } or { words } */
  let waiting = null; /* { resolve } of what is being asked */
  let asked = 0;
  let clocks = {};

  const clear = (...names) => names.forEach((name) => (clearTimeout(clocks[name]), delete clocks[name]));
  const clock = (name, seconds) => {
    clear(name);
    clocks[name] = setTimeout(() => end(TOO_LONG[name](seconds)), 1000 * seconds);
  };

  /* End the worker; whoever waits gets this sentence. */
  const end = (stopped, reason = "") => {
    clear(...Object.keys(TOO_LONG));
    if (worker) worker.terminate();
    const those = [settle, waiting && waiting.resolve];
    worker = ready = settle = waiting = null;
    for (const resolve of those) if (resolve) resolve({ stopped, reason });
  };

  /* What is kept of Python for visits without a network is thrown away: perhaps it is damaged. */
  const throwAway = async () => {
    const cache = await caches.open(`ffn-course ${new URL(".", location.href).href}`);
    for (const { url } of await cache.keys()) if (url.includes("/python/")) await cache.delete(url);
  };
  const isOld = () => !window.OffscreenCanvas || !HTMLScriptElement.supports || !HTMLScriptElement.supports("importmap");
  const fail = (kind, reason, again) => {
    const started = !clocks.loading;
    if (!started && isOld()) return end(FAILED["too old"], reason);
    if (started || again || kind === "no answer") return end(FAILED[started ? "broken" : kind], reason);
    worker.terminate();
    clock("loading", OF_LOADING);
    const begun = ready;
    throwAway().catch(() => {}).then(() => ready === begun && begin(true)); /* a page without https keeps nothing */
  };

  const begin = (again = false) => {
    const { folder, wheels, course: zip, sizes } = course.data.python;
    clock("loading", OF_LOADING);
    try {
      worker = new Worker("static/python-worker.js", { type: "module" });
    } catch (error) {
      return fail("other", String(error), true);
    }
    worker.onmessage = ({ data }) => hear(data, again);
    worker.onerror = (event) => (event.preventDefault(), fail("other", event.message, again));
    worker.postMessage({ start: { folder, wheels, course: zip, sizes, again } });
  };

  const hear = (message, again) => {
    if (clocks.loading) clock("loading", OF_LOADING);
    if (message.of || message.words) tell(message); /* a file that is packed has bytes, too */
    else if (message.ready) clear("loading"), settle();
    else if (message.fatal) fail(message.fatal, message.reason, again);
    else if (message.seconds !== undefined) message.seconds ? clock("code", Math.max(OF_CODE, message.seconds)) : clear("code");
    else if (waiting && message.number === asked) {
      clear("code", "all");
      const { resolve } = waiting;
      waiting = null;
      resolve(message);
    }
  };

  /* Start Python, unless it runs; `how` hears how far that has come. */
  const start = (how) => {
    tell = how;
    if (!ready) {
      ready = new Promise((resolve) => (settle = resolve));
      const begun = ready;
      begin();
      return begun;
    }
    return ready;
  };

  /* Ask for a check or a run; resolves to its reply, or to { stopped, reason } with a sentence. `words` say what is done. */
  const ask = (what, how, words) =>
    new Promise((resolve) => {
      if (waiting) return resolve({ stopped: "Python is busy with another exercise: stop that one first." });
      waiting = { resolve };
      const number = ++asked;
      start(how).then((failed) => {
        if (failed || number !== asked || !waiting) return;
        how({ words });
        clock("all", OF_ALL);
        worker.postMessage({ ...what, number });
      });
    });

  /* A notebook of this site as text; the worker may load files, and so may this. */
  course.loadNotebook = async (address) => {
    const response = await window.fetch(address, { signal: AbortSignal.timeout(1000 * OF_LOADING) });
    if (!response.ok) throw new Error(address);
    const text = await response.text();
    JSON.parse(text); /* or it is another page in its place */
    return text;
  };

  course.python = {
    ask,
    start,
    stop: () => end("Stopped. Your code is kept."),
    get busy() {
      return waiting !== null;
    },
  };
})();
