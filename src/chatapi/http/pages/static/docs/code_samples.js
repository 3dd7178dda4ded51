// The same request as code: for curl, Python and JavaScript. A sample never holds the API key.
import { pythonValue, shellQuoted } from "./literals.js";
import { currentEmail } from "./session.js";

/** @typedef {import("./request_form.js").Draft} Draft */

const KEY = "YOUR_API_KEY";
const emailShown = () => currentEmail() ?? "YOUR_EMAIL";
const isStream = (draft) => draft.accept === "text/event-stream";
const isSecret = (draft) => draft.access !== "none";

/**
 * @param {Draft} draft
 * @returns {string}
 */
export function curlSample(draft) {
  const parts = [`curl${isStream(draft) ? " -N" : ""}${methodOption(draft)} ${shellQuoted(draft.url)}`];
  if (isSecret(draft)) {
    parts.push(`-u ${shellQuoted(`${emailShown()}:${KEY}`)}`);
  }
  allHeaders(draft).forEach(([name, value]) => parts.push(`-H ${shellQuoted(`${name}: ${value}`)}`));
  const { body } = draft;
  if (body?.kind === "json") {
    parts.push(`--json ${shellQuoted(compact(body.text))}`);
  } else if (body) {
    const option = body.kind === "form" ? "--data-urlencode" : "-F";
    body.fields.forEach(([name, text]) => parts.push(`${option} ${shellQuoted(`${name}=${text}`)}`));
    filesOf(body).forEach(([name, file]) => parts.push(`-F ${shellQuoted(`${name}=@${file}`)}`));
  }
  return parts.join(" \\\n  ");
}

function methodOption({ method, body }) {
  const isImplied = method === "GET" || (method === "POST" && hasContent(body));
  return isImplied ? "" : ` -X ${method}`;
}

function hasContent(body) {
  return body && (body.kind === "json" || body.fields.length > 0 || filesOf(body).length > 0);
}

/**
 * @param {Draft} draft
 * @returns {string}
 */
export function pythonSample(draft) {
  const options = [pythonValue(draft.url)];
  if (isSecret(draft)) {
    options.push(`auth=(${pythonValue(emailShown())}, ${pythonValue(KEY)})`);
  }
  const headers = allHeaders(draft);
  if (headers.length) {
    options.push(`headers=${pythonValue(Object.fromEntries(headers), 1)}`);
  }
  options.push(...pythonBody(draft.body));
  if (draft.isLongPoll) {
    options.push("timeout=90");
  }
  if (isStream(draft)) {
    const call = pythonCall("httpx.stream", [pythonValue(draft.method), ...options]);
    return `import httpx\n\nwith ${call} as response:\n    for line in response.iter_lines():\n        print(line)`;
  }
  // Only the general function of httpx sends a DELETE with a body.
  const call =
    draft.method === "DELETE"
      ? pythonCall("httpx.request", [pythonValue("DELETE"), ...options])
      : pythonCall(`httpx.${draft.method.toLowerCase()}`, options);
  return `import httpx\n\nresponse = ${call}\nprint(response.json())`;
}

function pythonCall(name, options) {
  return `${name}(\n${options.map((option) => `    ${option},\n`).join("")})`;
}

/** @param {import("./request_form.js").Body | null} body */
function pythonBody(body) {
  if (!body) {
    return [];
  }
  if (body.kind === "json") {
    return [`json=${pythonValue(parsed(body.text), 1)}`];
  }
  const options = body.fields.length ? [`data=${pythonValue(Object.fromEntries(body.fields), 1)}`] : [];
  const files = filesOf(body).map(([name, file]) => `${pythonValue(name)}: open(${pythonValue(file)}, "rb")`);
  return files.length ? [...options, `files={${files.join(", ")}}`] : options;
}

/**
 * @param {Draft} draft
 * @returns {string}
 */
export function javascriptSample(draft) {
  const headers = allHeaders(draft).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  if (isSecret(draft)) {
    headers.unshift(`Authorization: "Basic " + btoa(${JSON.stringify(`${emailShown()}:${KEY}`)})`);
  }
  if (draft.body?.kind === "json") {
    headers.push('"Content-Type": "application/json"');
  }
  const options = [
    draft.method !== "GET" && `method: ${JSON.stringify(draft.method)}`,
    headers.length > 0 && `headers: {\n${headers.map((header) => `    ${header},\n`).join("")}  }`,
    javascriptBody(draft.body),
  ].filter(Boolean);
  const end = options.length ? `, {\n${options.map((option) => `  ${option},\n`).join("")}})` : ")";
  const call = `${formLines(draft.body)}const response = await fetch(${JSON.stringify(draft.url)}${end};\n`;
  return isStream(draft)
    ? `${call}for await (const text of response.body.pipeThrough(new TextDecoderStream())) {\n  console.log(text);\n}`
    : `${call}console.log(await response.json());`;
}

/** @param {import("./request_form.js").Body | null} body */
function javascriptBody(body) {
  switch (body?.kind) {
    case "json":
      return `body: JSON.stringify(${JSON.stringify(parsed(body.text), null, 2).replaceAll("\n", "\n  ")})`;
    case "form":
      return `body: new URLSearchParams(${JSON.stringify(Object.fromEntries(body.fields), null, 2).replaceAll("\n", "\n  ")})`;
    case "multipart":
      return "body: form";
    default:
      return null;
  }
}

function formLines(body) {
  if (body?.kind !== "multipart") {
    return "";
  }
  const lines = body.fields.map(([name, text]) => `form.append(${JSON.stringify(name)}, ${JSON.stringify(text)});`);
  filesOf(body).forEach(([name]) => lines.push(`form.append(${JSON.stringify(name)}, fileInput.files[0]);`));
  return `const form = new FormData();\n${lines.join("\n")}\n`;
}

function allHeaders(draft) {
  return draft.accept ? [...draft.headers, ["Accept", draft.accept]] : draft.headers;
}

/** Names of the chosen files; where none is chosen yet, a name that shows the place. */
function filesOf(body) {
  if (body.kind !== "multipart") {
    return [];
  }
  const chosen = body.files.map(([name, file]) => [name, file.name]);
  const missing = /^Choose a file for (.+)\.$/.exec(body.problem);
  return missing ? [...chosen, [missing[1], "picture.png"]] : chosen;
}

function parsed(text) {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return {};
  }
}

function compact(text) {
  try {
    return JSON.stringify(JSON.parse(text || "{}"));
  } catch {
    return text;
  }
}
