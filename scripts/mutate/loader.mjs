/** Module hooks of a process in which files of dist/ have faults: their source is replaced as they are loaded. */
let sources = new Map();

export async function initialize(data) {
  sources = data;
}

export async function load(url, context, next) {
  const source = sources.get(url);
  if (source !== undefined) return { format: 'module', source, shortCircuit: true };
  return next(url, context);
}
