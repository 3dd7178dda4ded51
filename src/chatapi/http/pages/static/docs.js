// The docs browser: credentials are entered once per visit, every request can be sent from the page.

// Required fields of a form are filled in. Optional fields stay empty, and so are not sent: a
// request that changes one setting must not change all the others to their examples.
const emptyOptionalFields = () => ({
  wrapComponents: {
    // "Send empty value" is ticked for every field by default.
    ParameterIncludeEmpty: (Original, { React }) => (props) =>
      React.createElement(Original, {
        ...props,
        isIncludedOptions: { ...props.isIncludedOptions, defaultValue: false },
      }),
  },
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
    if (operation.requestBody) {
      operation.requestBody.content = withFormsFirst(operation.requestBody.content);
    }
  }
  for (const form of formsOf(operations, document)) {
    for (const [name, field] of Object.entries(form.properties)) {
      if (!form.required?.includes(name)) {
        describeExample(field, field);
        // Without an example Swagger UI would generate one.
        const type = field.type ?? field.anyOf?.[0].type;
        field.examples = [type === "array" ? [] : ""];
        delete field.default;
      }
    }
  }
  return document;
}

// The first media type is the one that is shown, and the fields of a form are filled in one by one.
// JSON has an example of its own, with what is required.
function withFormsFirst(content) {
  const { "application/json": json, ...forms } = content;
  return json ? { ...forms, "application/json": json } : content;
}

// The schemas of request bodies, each of them once: a form and a JSON body share one.
function formsOf(operations, document) {
  const references = operations
    .flatMap((operation) => Object.values(operation.requestBody?.content ?? {}))
    .map((media) => media.schema.$ref);
  return [...new Set(references)].map(
    (reference) => document.components.schemas[reference.split("/").pop()],
  );
}

// Adds the example to the description, since the field is not filled in.
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

// Text is sent as it was typed, everything else as JSON. By default Swagger UI decodes what looks
// like JSON, and sends `1.0` as `1` and `"mobile"` without its quotes.
const exactValues = () => ({
  afterLoad(system) {
    for (const name of ["buildRequest", "execute"]) {
      const original = system.fn[name];
      this.fn[name] = (request) => original(withExactValues(request));
    }
  },
});

function withExactValues(request) {
  const operation = request.spec.paths[request.pathName][request.method.toLowerCase()];
  return {
    ...request,
    parameters: exactParameters(request.parameters, operation),
    requestBody: exactForm(request, operation),
  };
}

function exactParameters(values, operation) {
  const exact = { ...values };
  for (const parameter of operation.parameters ?? []) {
    const key = `${parameter.in}.${parameter.name}`;
    const media = parameter.content?.["application/json"];
    if (media && exact[key]) {
      exact[key] = asJson(exact[key], media.schema);
    }
  }
  return exact;
}

function exactForm({ requestBody, requestContentType, spec }, operation) {
  if (requestBody === null || typeof requestBody !== "object") {
    return requestBody;
  }
  const { schema, encoding = {} } = operation.requestBody.content[requestContentType];
  const form = schema.$ref ? spec.components.schemas[schema.$ref.split("/").pop()] : schema;
  const fields = Object.entries(requestBody).map(([name, value]) => {
    const text = name in encoding ? asJson(value, form.properties[name]) : value;
    // Swagger UI decodes the value once, so it is encoded once here.
    return [name, JSON.stringify(text)];
  });
  return Object.fromEntries(fields);
}

// The typed text if it is JSON, else the text as a JSON string. A list is typed item by item.
function asJson(value, schema = {}) {
  if (Array.isArray(value)) {
    return `[${value.map((item) => asJson(item, schema.items)).join(",")}]`;
  }
  if (typeof value !== "string" || schema.type === "string") {
    return JSON.stringify(value);
  }
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
}

// Earlier versions of this page stored the key.
localStorage.removeItem("authorized");

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const followColorScheme = () =>
  document.documentElement.classList.toggle("dark-mode", prefersDark.matches);
prefersDark.addEventListener("change", followColorScheme);
followColorScheme();

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  plugins: [emptyOptionalFields, exactValues],
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  docExpansion: "none",
  filter: true,
  // An API key is kept in memory only: the next user of the browser could read a stored one.
  persistAuthorization: false,
  // Otherwise the browser would show its own password dialog if credentials are missing or wrong.
  requestInterceptor: (request) => ({ ...request, credentials: "omit" }),
  tryItOutEnabled: true,
  validatorUrl: null,
});
