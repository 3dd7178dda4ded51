// Server-sent events, read as they come. EventSource cannot send an Authorization header.

/**
 * Calls back with each event until the stream ends.
 *
 * @param {ReadableStream} stream
 * @param {(event: { id: string, type: string, data: string }) => void} onEvent
 */
export async function readEventStream(stream, onEvent) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return;
    }
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    blocks.map(parseEvent).forEach((event) => event.data && onEvent(event));
  }
}

function parseEvent(block) {
  const event = { id: "", type: "", data: "" };
  for (const line of block.split("\n")) {
    const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === "data") {
      event.data += (event.data && "\n") + value;
    } else if (name === "id") {
      event.id = value;
    } else if (name === "event") {
      event.type = value;
    }
  }
  return event;
}
