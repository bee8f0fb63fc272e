/**
 * A route as data: what it takes, who may call it, what it answers. `router.ts` serves these, `openapi.ts` describes
 * them, so the document cannot drift from the service. Handlers see no Express types.
 */
import type { z } from 'zod';
import type { IdSource } from '../common/ids.js';
import type { Caller } from '../identity/identity-service.js';
import type { Scope } from '../model/api-key.js';

interface Call<Query, Body> {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Names for all that this request makes. */
  readonly ids: IdSource;
  /** A request header's value; names in lower case. */
  header(name: string): string | undefined;
}

type Status = 200 | 201 | 204;

/** A reply as the router sends it: with one of the last four, or with none of them. */
export interface RouteReply {
  readonly status: Status;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** A picture to show, sent as a whole. */
  readonly picture?: Picture;
  /** Server-sent events, asked for as fast as the client reads. Ends with `signal`. */
  readonly stream?: Stream;
  /** A file to keep, written as fast as the client reads. */
  readonly download?: Download;
}

interface Picture {
  readonly mediaType: string;
  readonly content: string | Uint8Array;
}

type Stream = (signal: AbortSignal) => AsyncIterable<string>;

export interface Download {
  readonly mediaType: string;
  /** Letters, digits, hyphens and dots. */
  readonly name: string;
  /** Ends early with `signal`. */
  readonly bytes: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

interface HeaderParameter {
  readonly description: string;
  /** Absent: any text. */
  readonly pattern?: string;
}

export interface RouteAnswer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Of an answer in JSON, for the description of the API. */
  readonly example?: object;
  /** Absent: JSON. */
  readonly mediaType?: string;
  /** Media types of files that may come instead. */
  readonly downloads?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

type Answers = Readonly<Partial<Record<Status, RouteAnswer>>>;

/**
 * Data of the shape that a schema describes, read-only. The functions that build answers return it, so that a schema
 * and the code behind it change together or do not compile.
 */
export type Answer<Schema extends z.ZodType> = Frozen<z.input<Schema>>;

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

/** Reply that a handler may give where its route documents these answers. */
export type ReplyTo<A extends Answers> = {
  [S in keyof A & Status]: Pick<RouteReply, 'headers'> & { readonly status: S } & ContentOf<A[S]>;
}[keyof A & Status];

type ContentOf<A> = A extends { readonly schema: infer Schema extends z.ZodType }
  ? A extends { readonly mediaType: string }
    ? OtherContent
    : A extends { readonly downloads: readonly string[] }
      ? { readonly body: Answer<Schema> } | OtherContent
      : { readonly body: Answer<Schema> }
  : object;

type OtherContent = { readonly picture: Picture } | { readonly stream: Stream } | { readonly download: Download };

export interface BodyExample {
  readonly summary: string;
  readonly value: object;
}

interface Route<Query, Body, A extends Answers> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Null: for everybody, also without a key; there may be no caller then. */
  readonly scope: Scope | null;
  readonly query: z.ZodType<Query>;
  /** Null: the route takes no body (an empty JSON object is accepted). */
  readonly body: z.ZodType<Body> | null;
  /** Parameters of a query that works, for the description of the API. Absent: it works without any. */
  readonly queryExample?: Readonly<Record<string, string>>;
  /**
   * By name, for the description of the API: bodies that are accepted where the operator has lowered no limit; the
   * summary says what else one needs. The first one works in an account that has nothing but what the path names.
   */
  readonly bodyExamples?: Readonly<Record<string, BodyExample>>;
  /** Further facts of the description of the API, which generators of clients pass over. */
  readonly extensions?: () => Readonly<Record<`x-${string}`, object>>;
  /** Where it is less than that of every route. Bytes, uncompressed. */
  readonly maxBodyBytes?: number;
  readonly requestHeaders?: Readonly<Record<string, HeaderParameter>>;
  readonly answers: A;
  /** Statuses of errors beyond those every route may send. */
  readonly errors: readonly (400 | 404 | 409 | 413 | 415)[];
  handle(call: Call<Query, Body>): Promise<ReplyTo<A>>;
}

/** A route whose types were checked where it was written. */
export interface AnyRoute extends Omit<Route<unknown, unknown, Answers>, 'handle'> {
  handle(call: Call<unknown, unknown>): Promise<RouteReply>;
}

/** Checks the types of one route, then forgets them, so that routes of all kinds fit one list. */
export function route<Query, Body, const A extends Answers>(definition: Route<Query, Body, A>): AnyRoute {
  return definition;
}
