/* The recordings stand on the page itself: no player asks for a file. */
"use strict";
course.players.forEach((player) => (player.asked = true));

// Few words are written larger, for the last row: as large as the slide has room for.
const SIZES = [56, 48, 44, 40, 36, 32], TABLE = 40; // pixels of a slide of 1280 × 720; cells of tables break soon
const fits = (slide, size) => (size <= TABLE || !slide.querySelector("table")) &&
  (size <= 32 || !slide.querySelector(".code")) && slide.scrollHeight <= 690 &&
  [...slide.querySelectorAll("pre, table, .formula")].every((part) => part.scrollWidth <= slide.clientWidth - 2 * parseFloat(getComputedStyle(slide).paddingLeft));
const enlarge = ({ currentSlide: slide }) => {
  if (!slide.matches(".text")) return;
  SIZES.find((size) => { slide.style.fontSize = `${size}px`; return fits(slide, size); });
};
Reveal.on("ready", enlarge);
Reveal.on("slidechanged", enlarge);

// The fonts are loaded first: formulas are measured in them.
Promise.allSettled([...document.fonts].map((font) => font.load())).then(() => Reveal.initialize({
  width: 1280, height: 720, margin: 0, center: false, hash: true, transition: "none", backgroundTransition: "none",
  controls: true, progress: true, slideNumber: "c/t", pdfMaxPagesPerSlide: 1, plugins: [RevealNotes],
}));
