/* What the components share: making elements, colours on the page and in JupyterLab, handles to drag, words read aloud. */

const SVG = "http://www.w3.org/2000/svg";

const filled = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

/* Return a new element of HTML, or of SVG, with its attributes and what stands inside it. */
export const made = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
export const drawn = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

/* Return the rules that give a component its colours: those of the page, or of JupyterLab's light or dark theme.
   --words-input and --words-output are for words, which need more contrast than lines. */
export const colours = (root) => `
${root} {
  --c-text: var(--text, var(--jp-content-font-color1, #1b1f24)); --c-quiet: var(--quiet, var(--jp-content-font-color2, #545a62));
  --c-line: var(--line, var(--jp-border-color1, #d5dae0)); --c-soft: var(--soft, var(--jp-layout-color2, #f3f5f8));
  --c-paper: var(--paper, var(--jp-layout-color0, #ffffff)); --c-accent: var(--accent, #0072b2); --c-target: var(--target, #8c8c8c);
  --c-input: var(--input, #0072b2); --c-output: var(--output, #d55e00); --c-hidden: var(--hidden, #009e73);
  --c-words-input: var(--link, #00609a); --c-words-output: var(--wrong, #c25400);
  color: var(--c-text);
}
[data-jp-theme-light="false"] ${root} {
  --c-accent: #56b4e9; --c-input: #56b4e9; --c-output: #f28e4b; --c-hidden: #3cc79a; --c-words-input: #7cc4f2; --c-words-output: #f29a52;
}
${root} button { font: inherit; min-height: 2.5rem; padding: 0.35rem 1rem; border: 1px solid var(--c-line); border-radius: 8px; background: var(--c-soft); color: var(--c-text); cursor: pointer; }
${root} button:hover:enabled { border-color: var(--c-accent); }
${root} button:disabled { color: var(--c-quiet); cursor: default; opacity: 0.7; }
${root} :is(button, [role="slider"]):focus-visible { outline: 3px solid var(--c-accent); outline-offset: 2px; }
${root} .aloud { position: absolute; top: 0; margin: 0; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

/* Bring a reply into the window: of a page, or of JupyterLab. */
export const inView = (element, head) => (window.course ? window.course.inView(element, head) : element.scrollIntoView({ block: "nearest" }));

/* Return a number as it is read: with a real minus sign. */
export const shown = (value, decimals) => {
  const text = value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
};

/* Return a place for words that screen readers speak once a person has paused, with `says(words)` and `end()`. */
export const aloud = (pause = 700) => {
  const element = made("p", { class: "aloud", role: "status" });
  let waiting = 0;
  return {
    element,
    says: (words) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => (element.textContent = words), pause);
    },
    end: () => clearTimeout(waiting),
  };
};

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/* Make an element of SVG, drawn about 0, 0 and put in its place by translate(…), a slider that is dragged, or moved with
   the arrow keys, ten steps at once with Shift. moved(x, y): where the pointer drags it, in the drawing's own units. stepped(right, up): by how many steps of a key.
   released(): at the end of a drag and after a key. The caller keeps aria-valuenow and aria-valuetext. */
export const handle = (element, svg, { label, moved, stepped, released = () => {} }) => {
  for (const [name, value] of Object.entries({ role: "slider", tabindex: 0, "aria-label": label })) element.setAttribute(name, value);
  let offset = null;
  const at = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [point.x, point.y];
  };
  const listeners = {
    pointerdown: (event) => {
      if (event.button) return;
      const [x, y] = at(event);
      const { e, f } = element.transform.baseVal.consolidate().matrix;
      offset = [x - e, y - f];
      element.setPointerCapture(event.pointerId);
      element.focus({ preventScroll: true });
      event.preventDefault();
    },
    pointermove: (event) => {
      if (!offset) return;
      const [x, y] = at(event);
      moved(x - offset[0], y - offset[1]);
    },
    lostpointercapture: () => {
      if (offset) released();
      offset = null;
    },
    keydown: (event) => {
      const way = ARROWS[event.key];
      if (!way || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const steps = event.shiftKey ? 10 : 1;
      stepped(way[0] * steps, way[1] * steps);
      released();
    },
  };
  for (const [name, listener] of Object.entries(listeners)) element.addEventListener(name, listener);
  /* A finger on a handle does not scroll the page; of a part of a drawing, touch-action does not say so. */
  element.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
};

/* The numbers in base64 of a 16-bit float each, as 32-bit floats. */
export const numbersOf = (text) => {
  const letters = atob(text);
  const halves = new Uint16Array(letters.length / 2);
  for (let i = 0; i < halves.length; i++) halves[i] = letters.charCodeAt(2 * i) | (letters.charCodeAt(2 * i + 1) << 8);
  const bits = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; i++) bits[i] = ((halves[i] & 0x8000) << 16) | ((halves[i] & 0x7fff) << 13);
  const numbers = new Float32Array(bits.buffer);
  for (let i = 0; i < numbers.length; i++) numbers[i] *= 2 ** 112; /* the two kinds count exponents from different places */
  return numbers;
};
