// The field of one parameter: an input, a list of choices, or a file.
import { el, newId } from "./elements.js";
import { rememberedId } from "./remembered_ids.js";
import { alternatives, sampleOf, typeText } from "./schema.js";

/**
 * @typedef {{ name: string, required: boolean, prefilled: boolean, schema: any, isJson: boolean, example: any }} Value
 */

/**
 * The field with its label. Required ones are filled in; optional ones stay empty and so are not sent:
 * a request that changes one setting must not change all others to their examples.
 *
 * @param {any} api
 * @param {Value} value
 */
export function valueField(api, value) {
  const id = newId("field");
  const input = inputFor(api, value, id);
  const row = el(
    "div",
    { class: "field", "data-name": value.name },
    el(
      "label",
      { for: id },
      el("code", {}, value.name),
      " ",
      el("span", { class: "type" }, typeText(api, value.schema)),
      value.required && el("span", { class: "mark required" }, " required"),
    ),
    input,
  );
  return {
    row,
    input,
    text: () => input.value,
    file: () => (input.type === "file" ? (input.files[0] ?? null) : null),
  };
}

/** @param {any} api @param {any} schema */
export function isFile(api, schema) {
  const resolved = api.resolve(schema);
  const choices = alternatives(resolved) ?? [resolved];
  return choices.some((choice) => api.resolve(choice).format === "binary");
}

function inputFor(api, value, id) {
  if (isFile(api, value.schema)) {
    return el("input", { id, type: "file" });
  }
  const options = optionsOf(api, value.schema);
  if (options && !value.isJson) {
    return selectFor(value, options, id, initialText(api, value));
  }
  const input = el("input", {
    id,
    type: value.name === "password" ? "password" : "text",
    spellcheck: "false",
    autocomplete: "off",
    placeholder: value.required ? undefined : placeholderOf(value),
  });
  input.value = initialText(api, value);
  return input;
}

function selectFor(value, options, id, chosen) {
  const select = el(
    "select",
    { id },
    !value.required && el("option", { value: "" }, "not sent"),
    options.map((option) => el("option", { value: option }, option)),
  );
  select.value = chosen;
  return select;
}

function optionsOf(api, schema) {
  const resolved = api.resolve(schema);
  if (resolved.type === "boolean") {
    return ["true", "false"];
  }
  return resolved.enum?.map((option) => asText(option));
}

function initialText(api, value) {
  if (!value.prefilled) {
    return "";
  }
  const known = rememberedId(value.name) ?? value.example ?? sampleOf(api, value.schema, { name: value.name });
  return asText(known, value.isJson);
}

function placeholderOf({ example, isJson, schema }) {
  const shown = example ?? schema.default;
  return shown === undefined || shown === null || shown === "" ? undefined : asText(shown, isJson);
}

/** A string is sent as it is, everything else as JSON. */
function asText(value, isJson = false) {
  return typeof value === "string" && !isJson ? value : JSON.stringify(value);
}
