// The server serves the files of several folders under one address; here `./x.js` is looked for in each of them.

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!specifier.startsWith("./")) throw error;
    for (const room of ["board", "web", "matches", "report"]) {
      const found = new URL(`../../src/noughts/${room}/static/${specifier}`, import.meta.url).href;
      try {
        return await next(found, context);
      } catch {
        // in another one
      }
    }
    throw error;
  }
}
