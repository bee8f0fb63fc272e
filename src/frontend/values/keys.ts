/**
 * Keys of dicts and sets.
 */
import type { Position } from '../syntax/ast.js';
import { Unsupported, type AnyValue } from './values.js';

/** Characters that tell a key from others. */
const MAX_KEY = 1 << 16;

export function dictKey(value: AnyValue, position: Position): string | number {
  if (value.tag === 'string') return `s${value.value}`;
  if (value.tag === 'none') return 'none';
  if (value.tag === 'scalar' && value.known !== undefined) return value.known + 0;
  if (value.tag === 'tuple') {
    let key = '[';
    for (const item of value.items) {
      const part = dictKey(item, position);
      key += `${typeof part === 'number' ? part : JSON.stringify(part)},`;
      // A tuple that holds another one twice, and so on, has few parts and many elements.
      if (key.length > MAX_KEY)
        throw new Unsupported('a key of a dict or set that has too many parts', position, 'limit');
    }
    return key;
  }
  throw new Unsupported('a key of a dict or set that depends on x, or is none of number, text and tuple', position);
}

/** Whether which key it is depends on x. */
export const isOpenKey = (value: AnyValue): boolean =>
  value.tag === 'scalar' ? value.known === undefined : value.tag === 'tuple' && value.items.some(isOpenPart);

const isOpenPart = (value: AnyValue): boolean => value.tag === 'choice' || isOpenKey(value);
