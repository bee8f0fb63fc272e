/** Holds answers against the OpenAPI document that the service itself publishes. */
import { expect } from 'vitest';
import { z } from 'zod';
import type { Answer, CallOptions, Json, TestService } from './service.js';

export interface Operation {
  readonly method: string;
  /** The template, as `/v1/optimize/{id}`. */
  readonly path: string;
  /** Empty: no key is needed. */
  readonly scope: string;
  readonly takesBody: boolean;
  readonly statuses: readonly number[];
}

type Call = TestService['call'];

/**
 * Stricter than the document, which leaves answers open to fields of later versions: this version has no field that is
 * not documented. `x-schema` counts, too.
 */
export function checkerOf(schema: Json, document: Json): z.ZodType {
  const local = JSON.stringify({ ...schema, $defs: document.components.schemas as object }, (_, part: Json) => {
    if (part?.['x-schema'] !== undefined) return part['x-schema'];
    if (part?.type !== 'object' || part.properties === undefined) return part;
    const { unevaluatedProperties: others = false, ...rest } = part;
    return { additionalProperties: others, ...rest };
  });
  return z.fromJSONSchema(JSON.parse(local.replaceAll('#/components/schemas/', '#/$defs/')));
}

export class ApiContract {
  private readonly document: Json;
  private readonly schemas = new Map<string, z.ZodType>();
  /** `method path status` of every answer that was checked. */
  readonly seen = new Set<string>();

  constructor(document: Json) {
    this.document = document;
  }

  private get responses(): Json {
    return this.document.components.responses;
  }

  get operations(): Operation[] {
    return Object.entries(this.document.paths as Record<string, Json>).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, Json>).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        scope: /scope `(\w+)`/.exec(String(operation.description))?.[1] ?? '',
        takesBody: operation.requestBody !== undefined,
        statuses: Object.keys(operation.responses as object).map(Number),
      })),
    );
  }

  /** Like `call`, and checks the answer against what is documented for that path. */
  checked(call: Call): (method: string, path: string, options?: CallOptions) => Promise<Answer> {
    return async (method, path, options) => {
      const answer = await call(method, path, options);
      this.check(method, path, answer);
      return answer;
    };
  }

  check(method: string, path: string, answer: Answer): void {
    const template = this.templateOf(path.split('?')[0] ?? '');
    const name = `${method} ${template} ${answer.status}`;
    const told = this.document.paths[template]?.[method.toLowerCase()]?.responses?.[String(answer.status)];
    expect(told, `${name} is documented`).toBeDefined();
    const response = told.$ref === undefined ? told : this.responses[String(told.$ref).split('/').at(-1)!];
    this.seen.add(name);
    for (const [header, { schema, required }] of Object.entries((response.headers ?? {}) as Record<string, Json>)) {
      const value = answer.headers.get(header);
      if (required === true) expect(value, `${name}: ${header}`).not.toBeNull();
      if (value !== null && schema.type === 'integer') expect(value, `${name}: ${header}`).toMatch(/^\d+$/);
    }
    const content = response.content?.['application/json'];
    const type = (answer.headers.get('content-type') ?? '').split(';')[0];
    const isOther = type !== 'application/json' && response.content?.[type] !== undefined;
    if (content === undefined || isOther) expect(answer.body, name).toBeNull();
    else this.valid(name, content.schema, answer.body);
  }

  private templateOf(path: string): string {
    const parts = path.split('/');
    const matches = Object.keys(this.document.paths as object).filter((template) => {
      const wanted = template.split('/');
      return wanted.length === parts.length && wanted.every((part, i) => part.startsWith('{') || part === parts[i]);
    });
    // What is written out wins over a parameter.
    return matches.sort((a, b) => a.split('{').length - b.split('{').length)[0] ?? path;
  }

  private valid(name: string, schema: Json, body: Json): void {
    let checker = this.schemas.get(name);
    if (checker === undefined) {
      checker = checkerOf(schema, this.document);
      this.schemas.set(name, checker);
    }
    const { success, error } = checker.safeParse(body);
    if (!success) expect.fail(`${name}: ${z.prettifyError(error)}\n${JSON.stringify(body).slice(0, 2000)}`);
  }
}
