// The docs browser: credentials are entered once and kept, every call can be sent from the page.

// A form comes with its required fields filled in. What is optional stays empty, and so is not
// sent: a call that changes one setting must not change all the others to their examples.
const emptyOptionalFields = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (document) => update(withEmptyOptionalFields(document)),
      },
    },
  },
});

function withEmptyOptionalFields(document) {
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path));
  for (const operation of operations) {
    for (const parameter of operation.parameters ?? []) {
      if (!parameter.required) {
        const media = parameter.content?.["application/json"] ?? parameter;
        describeExample(parameter, media.schema);
        delete media.example;
        delete media.schema.examples;
        delete media.schema.default;
      }
    }
    for (const media of Object.values(operation.requestBody?.content ?? {})) {
      const form = document.components.schemas[media.schema.$ref.split("/").pop()];
      for (const [name, field] of Object.entries(form.properties)) {
        if (!form.required?.includes(name)) {
          describeExample(field, field);
          // Without an example the form would make one up.
          const type = field.type ?? field.anyOf?.[0].type;
          field.examples = [type === "array" ? [] : ""];
          delete field.default;
        }
      }
    }
  }
  return document;
}

// In words, since nothing is filled in; a form that two calls share is described once.
function describeExample(described, schema) {
  const example = schema.examples?.[0];
  let sentence;
  if (schema.default !== undefined) {
    sentence = `Default: ${asCode(schema.default)}.`;
  } else if (example !== undefined && example?.length !== 0) {
    sentence = `Example: ${asCode(example)}.`;
  }
  described.description = [described.description, sentence].filter(Boolean).join(" ");
}

function asCode(value) {
  return value === "" ? "empty" : `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  plugins: [emptyOptionalFields],
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  docExpansion: "none",
  filter: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
