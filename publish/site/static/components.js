/* The components of a page, each made when it comes near the window: see courseware/page/components.py. */
"use strict";
(() => {
  const { all, components, data, made } = course;
  const styled = new Set();
  course.playing = {};
  const show = (box) => {
    const name = box.dataset.component;
    const { render, style } = components[name];
    if (!styled.has(name)) document.head.append(made("style", style));
    styled.add(name);
    box.classList.add(`c-${name}`);
    const given = data.components[box.id];
    course.playing[box.id] = render(box, given.data, given.state, (state) => {
      given.state = state;
      box.dispatchEvent(new Event("changed"));
    });
  };
  const near = new IntersectionObserver(
    (seen) => {
      for (const { isIntersecting, target } of seen) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        show(target);
      }
    },
    { rootMargin: "800px" },
  );
  all(".component").forEach((box) => near.observe(box));
})();
