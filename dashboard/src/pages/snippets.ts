/** A request as programs write it. */
export interface Wish {
  readonly name: string;
  readonly code: string;
  /** Without `objective_function_id`, which the upload gives. */
  readonly request: Readonly<Record<string, unknown>>;
}

export const LANGUAGES = ['curl', 'Python', 'TypeScript'] as const;
export type Language = (typeof LANGUAGES)[number];

/** For a shell, between single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** JSON as Python writes it. */
function python(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([name, of]) => `${JSON.stringify(name)}: ${python(of)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value);
}

export function snippet(language: Language, { name, code, request }: Wish, base: string): string {
  const upload = { name, code, language: 'python' };
  switch (language) {
    case 'curl':
      return `ID=$(curl -s ${base}/v1/functions \\
  -H "Authorization: Bearer $EXTREMUM_API_KEY" -H 'Content-Type: application/json' \\
  -d ${quoted(JSON.stringify(upload))} | python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])')

curl -s ${base}/v1/optimize \\
  -H "Authorization: Bearer $EXTREMUM_API_KEY" -H 'Content-Type: application/json' \\
  -d "$(printf ${quoted(
    JSON.stringify({ objective_function_id: '@', ...request })
      .replaceAll('%', '%%')
      .replaceAll('\\', '\\\\')
      .replace('"@"', '"%s"'),
  )} "$ID")"
`;
    case 'Python':
      return `import json, os, urllib.request

def call(path, body):
    request = urllib.request.Request(
        ${JSON.stringify(base)} + path,
        json.dumps(body).encode(),
        {"Authorization": "Bearer " + os.environ["EXTREMUM_API_KEY"], "Content-Type": "application/json"},
    )
    return json.load(urllib.request.urlopen(request))

function = call("/v1/functions", ${python(upload)})
run = call("/v1/optimize", {"objective_function_id": function["id"], **${python(request)}})
print(run["status"], run["best_fitness"], run["best_solution"])
`;
    case 'TypeScript':
      return `async function call(path: string, body: object) {
  const response = await fetch(${JSON.stringify(base)} + path, {
    method: 'POST',
    headers: { Authorization: \`Bearer \${process.env.EXTREMUM_API_KEY}\`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

const { id } = await call('/v1/functions', ${JSON.stringify(upload)});
const run = await call('/v1/optimize', { objective_function_id: id, ...${JSON.stringify(request)} });
console.log(run.status, run.best_fitness, run.best_solution);
`;
  }
}
