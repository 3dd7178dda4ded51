// The body of a request: an editor for JSON, or a field for each member of a form.
import { el, newId } from "./elements.js";
import { rememberedId } from "./remembered_ids.js";
import { sampleOf } from "./schema.js";
import { isFile, valueField } from "./value_field.js";

const MOST_ROWS = 18;

/**
 * @param {any} api
 * @param {import("./api_document.js").Content} content
 */
export function jsonBody(api, content) {
  const id = newId("body");
  const problem = el("p", { class: "problem", id: `${id}-problem`, "aria-live": "polite" });
  const editor = el("textarea", {
    id,
    class: "editor",
    spellcheck: "false",
    "aria-label": "JSON body",
    "aria-describedby": problem.id,
  });
  editor.value = JSON.stringify(initialBody(api, content), null, 2);
  const fit = () => {
    editor.rows = Math.min(editor.value.split("\n").length + 1, MOST_ROWS);
    problem.textContent = problemOf(editor.value);
  };
  editor.addEventListener("input", fit);
  fit();
  return {
    element: el("div", {}, editor, problem),
    read: () => ({ kind: /** @type {const} */ ("json"), text: editor.value, problem: problemOf(editor.value) }),
  };
}

function initialBody(api, content) {
  const example = content.example ?? sampleOf(api, content.schema, { onlyRequired: true });
  if (typeof example !== "object" || Array.isArray(example) || example === null) {
    return example;
  }
  const members = Object.entries(example).map(([name, value]) => [name, rememberedId(name) ?? value]);
  return Object.fromEntries(members);
}

function problemOf(text) {
  if (text.trim() === "") {
    return "";
  }
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? ""
      : "The body must be a JSON object.";
  } catch (error) {
    return `This is not JSON yet: ${error.message}`;
  }
}

/**
 * @param {any} api
 * @param {import("./api_document.js").Content} content
 */
export function formBody(api, content) {
  const required = new Set(content.schema.required ?? []);
  const members = Object.entries(content.schema.properties ?? {});
  const fields = members
    .filter(([, schema]) => content.mediaType === "multipart/form-data" || !isFile(api, schema))
    .map(([name, schema]) => ({ name, field: valueField(api, memberOf(api, content, name, schema, required)) }));
  return {
    element: el("div", {}, fields.map(({ field }) => field.row)),
    read: () => readForm(content, fields, required),
  };
}

function memberOf(api, content, name, schema, required) {
  const resolved = api.resolve(schema);
  const isJson = content.encoding[name]?.contentType === "application/json";
  // Booleans and numbers are the same in JSON and as text.
  const isQuoted = isJson && !["boolean", "integer", "number"].includes(resolved.type);
  const example = content.example?.[name] ?? resolved.example ?? resolved.examples?.[0];
  const isRequired = required.has(name);
  const isPrefilled = isRequired || name in (content.example ?? {});
  return { name, required: isRequired, prefilled: isPrefilled, schema: resolved, isJson: isQuoted, example };
}

function readForm(content, fields, required) {
  const files = /** @type {[string, File][]} */ ([]);
  const texts = /** @type {[string, string][]} */ ([]);
  let problem = "";
  for (const { name, field } of fields) {
    const file = field.file();
    if (file) {
      files.push([name, file]);
    } else if (field.input.type !== "file" && field.text() !== "") {
      texts.push([name, field.text()]);
    } else if (required.has(name)) {
      problem ||= field.input.type === "file" ? `Choose a file for ${name}.` : `${name} is missing.`;
    }
  }
  return content.mediaType === "multipart/form-data"
    ? { kind: /** @type {const} */ ("multipart"), fields: texts, files, problem }
    : { kind: /** @type {const} */ ("form"), fields: texts, problem };
}
