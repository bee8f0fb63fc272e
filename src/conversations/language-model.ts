/**
 * The optional first reader of messages: a language model behind an OpenAI-compatible endpoint of the operator's
 * choice. It is asked once, may take three seconds, and is never needed: whatever it does wrong, the rules read the
 * message instead.
 */
import { parseReading, type Reading, type readingRequest } from '../domains/conversational/reading.js';
import type { ReadingFailure } from '../model/conversation.js';

export interface LanguageModelSettings {
  /** Base address, such as `https://models.example.org/v1`. */
  readonly url: string;
  readonly name: string;
  /** Null: the endpoint wants none. */
  readonly key: string | null;
}

type ModelReading = { readonly reading: Reading } | { readonly failure: ReadingFailure };

/** Never throws. */
export type LanguageModel = (request: ReturnType<typeof readingRequest>) => Promise<ModelReading>;

const TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** Questions to the model at a time; beyond them the rules read at once. */
const MAX_AT_ONCE = 32;

export function openLanguageModel({ url, name, key }: LanguageModelSettings): LanguageModel {
  const target = `${url.replace(/\/+$/, '')}/chat/completions`;
  let asked = 0;
  return async ({ system, user, schema }) => {
    if (asked >= MAX_AT_ONCE) return { failure: 'unavailable' };
    asked++;
    try {
      const response = await fetch(target, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          'Content-Type': 'application/json',
          ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({
          model: name,
          temperature: 0,
          messages: [
            { role: 'system', content: system },
            { role: 'user', content: user },
          ],
          response_format: { type: 'json_schema', json_schema: { name: 'reading', strict: true, schema } },
        }),
      });
      if (!response.ok) {
        await response.body?.cancel();
        return { failure: 'unavailable' };
      }
      const reading = readingIn(await textOf(response));
      return reading === null ? { failure: 'invalid_answer' } : { reading };
    } catch (error) {
      return { failure: error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'unavailable' };
    } finally {
      asked--;
    }
  };
}

/** Null: it is longer than any answer may be. */
async function textOf(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > MAX_ANSWER_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readingIn(text: string | null): Reading | null {
  if (text === null) return null;
  try {
    const answer = JSON.parse(text) as { readonly choices?: readonly { readonly message?: { content?: unknown } }[] };
    const content = answer.choices?.[0]?.message?.content;
    return typeof content === 'string' ? parseReading(JSON.parse(content)) : null;
  } catch {
    return null;
  }
}
