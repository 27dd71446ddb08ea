// The goldfish protocol over standard input and output, for any memory in Node: copy this file.
// `methods` has, by name, the names of the parameters and a function that takes them by name.
import { createInterface } from "node:readline";

export function serve({ name, declares = {}, methods, close = () => {} }) {
  const own = {
    initialize: () => ({
      name,
      declares: { numbers: "double", ...declares }, // as all numbers of JavaScript are
      methods: Object.fromEntries(Object.entries(methods).map(([key, [names]]) => [key, names])),
    }),
    shutdown: () => close(),
  };

  async function answer(line) {
    const { id, method, params } = JSON.parse(line);
    const reply = (rest) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...rest }) + "\n");
    const run = own[method] ?? methods[method]?.[1];
    if (!run) return reply({ error: { code: -32601, message: `there is no method ${method}` } });
    try {
      reply({ result: (await run(params)) ?? null });
    } catch (error) {
      const code = error instanceof RangeError ? -32602 : -32000; // invalid parameters, or a failure
      reply({ error: { code, message: String(error.message), data: { name: error.name } } });
    }
  }

  createInterface({ input: process.stdin }).on("line", answer).on("close", () => process.exit(0));
}
