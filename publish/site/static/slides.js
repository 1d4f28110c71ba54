/* The recordings stand on the page itself: no player asks for a file. */
"use strict";
course.players.forEach((player) => (player.asked = true));
Reveal.initialize({
  width: 1280, height: 720, margin: 0, center: false, hash: true, transition: "none", backgroundTransition: "none",
  controls: true, progress: true, slideNumber: "c/t", pdfMaxPagesPerSlide: 1,
});
