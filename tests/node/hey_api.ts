// What a program does with a client that hey-api generated.
// Arguments: address, email, password. tests/clients/test_typescript_clients.py compiles and runs it.

import assert from "node:assert/strict";

import { client } from "./client/client.gen.js";
import {
  fetchApiKey,
  getEvents,
  getMessages,
  getMessagesByBody,
  registerQueue,
  sendMessage,
  subscribe,
  uploadFile,
} from "./client/index.js";

const [baseUrl, email, password] = process.argv.slice(2) as [string, string, string];

// Log in.
client.setConfig({ baseUrl, throwOnError: true });
const login = await fetchApiKey<true>({ body: { username: email, password } });
client.setConfig({ auth: `${email}:${login.data.api_key}` });

// Subscribe to two channels, with options.
const subscribed = await subscribe<true>({
  body: {
    subscriptions: [{ name: "plans", description: "What comes next" }, { name: "news" }],
    invite_only: true,
  },
});
assert.deepEqual(Object.values(subscribed.data.subscribed).flat().sort(), ["news", "plans"]);

// Register for events of one type.
const queue = await registerQueue<true>({
  body: { event_types: ["message"], apply_markdown: true },
});
assert(queue.data.queue_id);

// Send messages.
async function send(to: string, content: string): Promise<number> {
  const sent = await sendMessage<true>({
    body: { type: "channel", to, topic: "summer", content },
    headers: { "Idempotency-Key": `${to} ${content}` },
  });
  return sent.data.id;
}
const first = await send("plans", "By **train**");

// Receive the event, and decode it by its type.
const received = await getEvents<true>({
  query: { queue_id: queue.data.queue_id, last_event_id: queue.data.last_event_id },
});
const [event] = received.data.events;
assert(event?.type === "message");
assert.equal(event.message.id, first);
assert.match(event.message.content, /<strong>train<\/strong>/);

// Read with a narrow.
const others: number[] = [];
for (const day of [1, 2, 3, 4]) others.push(await send("news", `Day ${day}`));
const narrowed = await getMessagesByBody<true>({
  body: {
    narrow: [{ operator: "channel", operand: "plans" }, ["topic", "summer"]],
    anchor: "newest",
    num_before: 10,
    num_after: 0,
  },
});
assert.deepEqual(narrowed.data.messages.map((message) => message.id), [first]);

// Read page by page, from the newest message to the oldest.
let found: number[] = [];
for (let isDone = false; !isDone; ) {
  const page = await getMessages<true>({
    query: {
      anchor: String(found[0] ?? "newest"),
      include_anchor: found.length === 0,
      num_before: 2,
      num_after: 0,
    },
  });
  found = [...page.data.messages.map((message) => message.id), ...found];
  isDone = page.data.found_oldest;
}
assert.deepEqual(found.slice(-5), [first, ...others]);

// Upload a file.
const uploaded = await uploadFile<true>({
  body: { filename: new File(["Hello, world"], "hello.txt", { type: "text/plain" }) },
});
assert.equal(uploaded.data.filename, "hello.txt");

// Decode errors by their codes.
client.setConfig({ throwOnError: false });
const lost = await sendMessage({
  body: { type: "channel", to: "nowhere", topic: "summer", content: "Hello" },
});
assert(lost.error?.code === "STREAM_DOES_NOT_EXIST");
assert.equal(lost.error.stream, "nowhere");
const unknown = await getEvents({ query: { queue_id: "unknown" } });
assert(unknown.error?.code === "BAD_EVENT_QUEUE_ID");
assert.equal(unknown.error.queue_id, "unknown");
const refused = await getMessages({
  auth: `${email}:not the key`,
  query: { anchor: "newest", num_before: 1, num_after: 0 },
});
assert(refused.error?.code === "UNAUTHORIZED");

console.log("done");
