// A schema as a tree of fields; the inside of a field is built when it is opened.
import { el, lazyDetails } from "./elements.js";
import { renderInline, renderMarkdown } from "./markdown.js";
import { limitsOf, typeText, variantsOf } from "./schema.js";

/**
 * The fields of an object, the variants of a union, or nothing for a plain value.
 *
 * @param {any} api
 * @param {import("./api_document.js").Schema} schema
 * @returns {HTMLElement | null}
 */
export function schemaTree(api, schema) {
  const resolved = insideOf(api, schema);
  const variants = variantsOf(api, resolved);
  if (variants.length > 1) {
    return variantList(api, variants);
  }
  if (variants.length === 1) {
    return schemaTree(api, variants[0].schema);
  }
  const members = Object.entries(resolved.properties ?? {});
  const required = new Set(resolved.required ?? []);
  if (!members.length) {
    return null;
  }
  return el(
    "ul",
    { class: "tree" },
    members.map(([name, member]) => el("li", {}, fieldNode(api, name, member, required.has(name)))),
  );
}

/** Arrays, and objects with any keys, are shown by what they hold. */
function insideOf(api, schema) {
  let resolved = api.resolve(schema);
  for (let depth = 0; depth < 5; depth += 1) {
    const inside = resolved.items ?? (resolved.properties ? undefined : resolved.additionalProperties);
    if (!inside || typeof inside !== "object") {
      break;
    }
    resolved = api.resolve(inside);
  }
  return resolved;
}

function variantList(api, variants) {
  return el(
    "ul",
    { class: "tree variants" },
    variants.map(({ label, schema }) => el("li", {}, variantNode(api, label, schema))),
  );
}

function variantNode(api, label, schema) {
  const description = firstSentence(api.resolve(schema).description);
  const head = [el("code", { class: "name" }, label), " ", el("span", { class: "quiet" }, renderInline(description))];
  return hasInside(api, schema)
    ? lazyDetails(head, () => [variantExample(api, schema), schemaTree(api, schema)])
    : el("div", { class: "leaf" }, head);
}

function variantExample(api, schema) {
  const { example, examples } = api.resolve(schema);
  const shown = example ?? examples?.[0];
  return (
    shown !== undefined &&
    typeof shown === "object" &&
    lazyDetails("Example", () => el("pre", { tabindex: "0" }, JSON.stringify(shown, null, 2)))
  );
}

/**
 * One field: name, type, description and limits, with its inside to open.
 *
 * @param {any} api
 * @param {string} name
 * @param {import("./api_document.js").Schema} schema
 * @param {boolean} isRequired
 * @param {boolean} [marksOptional] whether optional or required fields are marked
 */
export function fieldNode(api, name, schema, isRequired, marksOptional = true) {
  const resolved = api.resolve(schema);
  const mark = marksOptional
    ? !isRequired && el("span", { class: "mark" }, "optional")
    : isRequired && el("span", { class: "mark required" }, "required");
  const head = [
    el("code", { class: "name" }, name),
    " ",
    el("span", { class: "type" }, typeText(api, resolved)),
    mark && [" ", mark],
    resolved.deprecated && [" ", el("span", { class: "mark deprecated" }, "deprecated")],
  ];
  const text = describeField(api, resolved);
  if (!hasInside(api, resolved)) {
    return el("div", { class: "leaf" }, el("div", {}, head), text);
  }
  return el(
    "div",
    { class: "branch" },
    lazyDetails(head, () => schemaTree(api, resolved)),
    text,
  );
}

function describeField(api, schema) {
  const limits = limitsOf(schema);
  const values = valuesOf(api, schema);
  return el(
    "div",
    { class: "about" },
    schema.description && renderMarkdown(schema.description),
    values.length > 0 &&
      el("p", { class: "values" }, "One of ", values.flatMap((value, place) => [place ? ", " : "", el("code", {}, value)])),
    limits.length > 0 && el("p", { class: "limits" }, limits.join(" · ")),
  );
}

function valuesOf(api, schema) {
  const resolved = schema.type === "array" ? api.resolve(schema.items) : schema;
  return (resolved.enum ?? []).map((value) => JSON.stringify(value));
}

function hasInside(api, schema, depth = 0) {
  const resolved = insideOf(api, schema);
  const variants = variantsOf(api, resolved);
  if (variants.length) {
    // A union may contain itself.
    return depth < 4 && variants.some((variant) => hasInside(api, variant.schema, depth + 1));
  }
  return Object.keys(resolved.properties ?? {}).length > 0;
}

function firstSentence(text = "") {
  return text.trim().split("\n\n")[0].replace(/^- /, "").split("\n")[0];
}
