/* What every script of the course needs: parts of a page, and words that are safe to show.
   No library, nothing from elsewhere; all of it works from a folder opened as files. */
"use strict";
(() => {
  const course = (window.course = window.course || {});
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const made = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ESCAPED[sign]);
  /* Return a part of an address as it is read; an address made by hand may hold a % that says nothing. */
  const decoded = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  Object.assign(course, { all, made, escaped, decoded });
})();
