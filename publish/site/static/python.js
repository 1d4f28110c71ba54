/* Python in a worker: starting it, asking it one thing at a time, and stopping it. */
"use strict";
(() => {
  const LOST = "Python stopped unexpectedly, perhaps because it ran out of memory. Your code is kept. Press the button again.";
  const OF_CODE = 10; /* seconds for code of the learner's own, without a pause */
  const OF_ALL = 60; /* for a whole check */
  const TOO_LONG = {
    code: (seconds) => `Your code ran for ${seconds} seconds and was stopped. Does a loop never end? Your code is kept.`,
    all: (seconds) => `This took more than ${seconds} seconds and was stopped. Your code is kept.`,
  };

  let worker = null;
  let ready = null; /* a promise, once it is asked for */
  let waiting = null; /* { resolve, progress } of what is being asked */
  let asked = 0;
  let clocks = {};

  const clear = (...names) => names.forEach((name) => (clearTimeout(clocks[name]), delete clocks[name]));
  const clock = (name, seconds) => {
    clear(name);
    clocks[name] = setTimeout(() => end(TOO_LONG[name](seconds)), 1000 * seconds);
  };

  /* End the worker; what was asked gets this sentence. */
  const end = (says) => {
    clear("code", "all");
    if (worker) worker.terminate();
    worker = ready = null;
    const asking = waiting;
    waiting = null;
    if (asking) asking.resolve({ stopped: says });
  };

  const hear = (message, started, progress) => {
    if (message.progress !== undefined) progress(message.progress, message.of);
    else if (message.ready) started();
    else if (message.fatal !== undefined) end(message.fatal);
    else if (message.seconds !== undefined) message.seconds ? clock("code", Math.max(OF_CODE, message.seconds)) : clear("code");
    else if (waiting && message.number === asked) {
      clear("code", "all");
      const { resolve } = waiting;
      waiting = null;
      resolve(message);
    }
  };

  const start = (progress) => {
    ready = ready || new Promise((resolve) => {
      const { folder, wheels, course: zip, sizes } = course.data.python;
      worker = new Worker("static/python-worker.mjs", { type: "module" });
      worker.onmessage = (event) => hear(event.data, resolve, progress);
      worker.onerror = (event) => (event.preventDefault(), end(LOST));
      worker.postMessage({ start: { folder, wheels, course: zip, sizes } });
    });
    return ready;
  };

  /* Ask for a check or a run; resolves to its reply, or to { stopped } with a sentence. */
  const ask = (what, progress) =>
    new Promise((resolve) => {
      if (waiting) return resolve({ stopped: "Python is busy with another exercise: stop that one first." });
      waiting = { resolve };
      const number = ++asked;
      start(progress).then(() => {
        if (number !== asked || !waiting) return;
        clock("all", OF_ALL);
        worker.postMessage({ ...what, number });
      });
    });

  /* A file of this site as text; the worker may load files, and so may this. */
  course.loadText = async (address) => {
    const response = await window.fetch(address);
    if (!response.ok) throw new Error(address);
    return response.text();
  };

  course.python = {
    ask,
    stop: () => end("Stopped. Your code is kept."),
    get busy() {
      return waiting !== null;
    },
  };
})();
