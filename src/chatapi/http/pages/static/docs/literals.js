// Values as they are written in a shell and in Python.

/** @param {string} text */
export function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A JSON value as Python source, one member per line where there are several.
 *
 * @param {any} value
 * @param {number} [depth] levels of indentation around it
 * @returns {string}
 */
export function pythonValue(value, depth = 0) {
  if (value === null) {
    return "None";
  }
  if (typeof value === "boolean") {
    return value ? "True" : "False";
  }
  if (typeof value !== "object") {
    // A string of JSON is one of Python as well.
    return JSON.stringify(value);
  }
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => pythonValue(item, depth + 1))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonValue(item, depth + 1)}`);
  const [open, close] = isList ? "[]" : "{}";
  const line = `${open}${items.join(", ")}${close}`;
  if (line.length <= 60 && !line.includes("\n")) {
    return line;
  }
  const indent = "    ".repeat(depth + 1);
  return `${open}\n${items.map((item) => `${indent}${item},\n`).join("")}${"    ".repeat(depth)}${close}`;
}
