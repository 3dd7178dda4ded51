// What a program does with types that openapi-typescript generated, and the client openapi-fetch.
// Arguments: address, email, password. tests/clients/test_typescript_clients.py compiles and runs it.

import assert from "node:assert/strict";

import createClient from "openapi-fetch";

import type { paths } from "./client.js";

const [baseUrl, email, password] = process.argv.slice(2) as [string, string, string];

function connect(headers: Record<string, string> = {}) {
  return createClient<paths, "application/json">({ baseUrl, headers });
}

function withKey(key: string) {
  return connect({ Authorization: `Basic ${btoa(`${email}:${key}`)}` });
}

// Log in.
const login = await connect().POST("/api/v1/fetch_api_key", {
  body: { username: email, password },
});
assert(login.data);
const client = withKey(login.data.api_key);

// Subscribe to two channels, with options.
const subscribed = await client.POST("/api/v1/users/me/subscriptions", {
  body: {
    subscriptions: [{ name: "plans", description: "What comes next" }, { name: "news" }],
    invite_only: true,
  },
});
assert(subscribed.data);
assert.deepEqual(Object.values(subscribed.data.subscribed).flat().sort(), ["news", "plans"]);

// Register for events of one type.
const queue = await client.POST("/api/v1/register", {
  body: { event_types: ["message"], apply_markdown: true },
});
assert(queue.data?.queue_id);

// Send messages.
async function send(to: string, content: string): Promise<number> {
  const sent = await client.POST("/api/v1/messages", {
    body: { type: "channel", to, topic: "summer", content },
    params: { header: { "Idempotency-Key": `${to} ${content}` } },
  });
  assert(sent.data);
  return sent.data.id;
}
const first = await send("plans", "By **train**");

// Receive the event, and decode it by its type.
const received = await client.GET("/api/v1/events", {
  params: { query: { queue_id: queue.data.queue_id, last_event_id: queue.data.last_event_id } },
});
const event = received.data?.events[0];
assert(event?.type === "message");
assert.equal(event.message.id, first);
assert.match(event.message.content, /<strong>train<\/strong>/);

// Read with a narrow.
const others: number[] = [];
for (const day of [1, 2, 3, 4]) others.push(await send("news", `Day ${day}`));
const narrowed = await client.POST("/api/v1/messages/query", {
  body: {
    narrow: [{ operator: "channel", operand: "plans" }, ["topic", "summer"]],
    anchor: "newest",
    num_before: 10,
    num_after: 0,
  },
});
assert.deepEqual(narrowed.data?.messages.map((message) => message.id), [first]);

// Read page by page, from the newest message to the oldest.
let found: number[] = [];
for (let isDone = false; !isDone; ) {
  const page = await client.GET("/api/v1/messages", {
    params: {
      query: {
        anchor: String(found[0] ?? "newest"),
        include_anchor: found.length === 0,
        num_before: 2,
        num_after: 0,
      },
    },
  });
  assert(page.data);
  found = [...page.data.messages.map((message) => message.id), ...found];
  isDone = page.data.found_oldest;
}
assert.deepEqual(found.slice(-5), [first, ...others]);

// Upload a file. The generator takes files for strings; the form is made by hand.
const form = new FormData();
form.append("filename", new File(["Hello, world"], "hello.txt", { type: "text/plain" }));
const uploaded = await client.POST("/api/v1/user_uploads", {
  body: { filename: "" },
  bodySerializer: () => form,
});
assert.equal(uploaded.data?.filename, "hello.txt");

// Decode errors by their codes.
const lost = await client.POST("/api/v1/messages", {
  body: { type: "channel", to: "nowhere", topic: "summer", content: "Hello" },
});
assert(lost.error?.code === "STREAM_DOES_NOT_EXIST");
assert.equal(lost.error.stream, "nowhere");
const unknown = await client.GET("/api/v1/events", { params: { query: { queue_id: "unknown" } } });
assert(unknown.error?.code === "BAD_EVENT_QUEUE_ID");
assert.equal(unknown.error.queue_id, "unknown");
const refused = await withKey("not the key").GET("/api/v1/messages", {
  params: { query: { anchor: "newest", num_before: 1, num_after: 0 } },
});
assert(refused.error?.code === "UNAUTHORIZED");

console.log("done");
