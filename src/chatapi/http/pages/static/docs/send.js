// Sends a request of the page, and reads the response piece by piece.
import { readEventStream } from "./event_stream.js";
import { authorization } from "./session.js";

const MOST_SHOWN_BYTES = 2 * 1024 * 1024;

/**
 * @typedef {{ status: number, statusText: string, headers: [string, string][], milliseconds: number }} Head
 * @typedef {{ onHead: (head: Head) => void, onEvent: (event: any) => void }} Observer
 */

/**
 * Sends the request; returns the text of the response, or null if it was shown event by event.
 *
 * @param {import("./request_form.js").Draft} draft
 * @param {AbortSignal} signal
 * @param {Observer} observer
 * @returns {Promise<{ text: string, size: number, milliseconds: number } | null>}
 */
export async function send(draft, signal, observer) {
  const started = performance.now();
  const response = await fetch(draft.url, {
    method: draft.method,
    headers: headersOf(draft),
    body: encodeBody(draft.body),
    signal,
    cache: "no-store",
    // Otherwise the browser would show its own password dialog if credentials are missing or wrong.
    credentials: "omit",
  });
  observer.onHead({
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    milliseconds: performance.now() - started,
  });
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    await readEventStream(/** @type {ReadableStream} */ (response.body), observer.onEvent);
    return null;
  }
  return { ...(await readText(response)), milliseconds: performance.now() - started };
}

function headersOf(draft) {
  const headers = new Headers(draft.headers);
  const credentials = authorization();
  if (credentials && draft.access !== "none") {
    headers.set("Authorization", credentials);
  }
  if (draft.accept) {
    headers.set("Accept", draft.accept);
  }
  if (draft.body?.kind === "json") {
    headers.set("Content-Type", "application/json");
  }
  return headers;
}

/** @param {import("./request_form.js").Body | null} body */
function encodeBody(body) {
  switch (body?.kind) {
    case "json":
      return body.text;
    case "form":
      return new URLSearchParams(body.fields);
    case "multipart": {
      const form = new FormData();
      body.fields.forEach(([name, text]) => form.append(name, text));
      body.files.forEach(([name, file]) => form.append(name, file));
      return form;
    }
    default:
      return undefined;
  }
}

async function readText(response) {
  const bytes = await response.arrayBuffer();
  const type = response.headers.get("content-type") ?? "";
  if (!/json|text|xml/.test(type)) {
    return { text: `${type || "unknown type"}, ${bytes.byteLength} bytes`, size: bytes.byteLength };
  }
  const shown = bytes.byteLength > MOST_SHOWN_BYTES ? bytes.slice(0, MOST_SHOWN_BYTES) : bytes;
  return { text: new TextDecoder().decode(shown), size: bytes.byteLength };
}
