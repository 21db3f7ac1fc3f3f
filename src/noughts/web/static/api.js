// The HTTP interface as a page, from the server's own description of it.

import { el } from "./shapes.js";

export async function show(main) {
  const named = (name, ...words) => el("li", {}, el("code", {}, name), ...words);
  const spec = await (await fetch("/openapi.json")).json();
  const parts = Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const params = (operation.parameters ?? []).map(({ name, in: place, description = "", required }) =>
        named(name, ` in the ${place}${required ? "" : ", optional"}${description ? `: ${description}` : ""}`),
      );
      const body = operation.requestBody?.content?.["application/json"]?.schema?.$ref?.split("/").at(-1);
      const fields = body
        ? Object.entries(spec.components.schemas[body].properties).map(
            ([name, { description = "", examples, default: usual }]) =>
              named(
                name,
                ` in the body${usual !== undefined ? ", optional" : ""}${description ? `: ${description}` : ""}`,
                examples ? `, as ${examples.map((each) => JSON.stringify(each)).join(" or ")}` : "",
              ),
          )
        : [];
      return el(
        "article",
        { class: "card call" },
        el("h2", {}, el("code", {}, `${method.toUpperCase()} ${path}`)),
        el("p", {}, operation.description ?? ""),
        el("ul", {}, ...params, ...fields),
      );
    }),
  );
  main.append(
    el(
      "div",
      { class: "page" },
      el(
        "header",
        {},
        el("h1", {}, "API"),
        el(
          "p",
          {},
          "The page's interface for scripts. Errors are ",
          el("code", {}, '{"error": "a sentence"}'),
          ". A server with a join token requires ",
          el("code", {}, "Authorization: Bearer TOKEN"),
          ". For the full description, see ",
          el("a", { href: "/openapi.json" }, "openapi.json"),
          ".",
        ),
      ),
      ...parts,
    ),
  );
}
