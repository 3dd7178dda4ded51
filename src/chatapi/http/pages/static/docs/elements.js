// Builds elements. Text is only ever set as text: nothing here reads HTML.

/**
 * Makes an element: `el("a", { class: "link", href: "#x", on: { click } }, "text", child)`.
 * Attributes that are undefined, null or false are left out, as are such children.
 *
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...any} children
 * @returns {any} the element
 */
export function el(tag, attributes = {}, ...children) {
  const element = /** @type {any} */ (document.createElement(tag));
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      Object.entries(value).forEach(([event, react]) => element.addEventListener(event, react));
    } else if (name === "value") {
      element.value = value;
    } else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...present(children));
  return element;
}

/** @param {any[]} children */
function present(children) {
  return children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false);
}

let lastId = 0;

/**
 * An id for an element that another one refers to.
 *
 * @param {string} prefix
 */
export function newId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/**
 * A part of the page that is built when it is opened for the first time.
 *
 * @param {any} label what is always shown
 * @param {() => any} build makes what is inside
 * @param {{ open?: boolean, class?: string }} [options]
 */
export function lazyDetails(label, build, options = {}) {
  const details = el("details", { class: options.class }, el("summary", {}, label));
  let isBuilt = false;
  const fill = () => {
    if (!isBuilt) {
      isBuilt = true;
      details.append(...present([build()]));
    }
  };
  details.addEventListener("toggle", () => details.open && fill());
  if (options.open) {
    fill();
    details.open = true;
  }
  return details;
}

/**
 * Shows the method of an operation.
 *
 * @param {string} method
 */
export function methodBadge(method) {
  return el("span", { class: `method ${method.toLowerCase()}` }, method.toUpperCase());
}
