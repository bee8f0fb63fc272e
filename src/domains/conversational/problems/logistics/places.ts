/** Places with coordinates in a message. */
import type { Message } from '../../message.js';

const NUMBER = '[+-]?\\d{1,9}(?:\\.\\d{1,12})?';
export const PAIR = `[([]? ?(?:x ?= ?|lat ?)?(${NUMBER}) ?[,;/] ?(?:y ?= ?|lon ?)?(${NUMBER}) ?[)\\]]?`;
const BRACKETED = new RegExp(`[([] ?(?:x ?= ?)?(${NUMBER}) ?[,;] ?(?:y ?= ?)?(${NUMBER}) ?[)\\]]`, 'g');

const STOP_WORDS = new Set('at stop stops customer customers to drop drops deliver delivery located is in and then the address client for parcels parcel boxes starts start has have must need from goes my our his her technician driver visit visits needs wants with place places depot'.split(' ')); // prettier-ignore

/** Words of the way, the vehicle and the speaker: what stands before them names no place. */
const WAY_WORDS = new Set(`through via along past around over by from into onto towards between among route routes routing send sends take takes
  drive drives driving go going run runs bring brings serve serves serving pass passes reach reaches call calls stop plan plans plot find
  i we you they he she it me us our your their there here one two three four five six seven eight nine ten single a an this that these those
  all each every some both first then next last finally is are be being been can will would should could want wants like please help how what
  actually sorry no not but now instead rather really wait moved which truck trucks van vans lorry lorries vehicle vehicles car cars bike bikes courier couriers fleet drivers technicians tour tours trip trips
  round rounds points point places locations coordinates nodes pickup pickups collection collections`.split(/\s+/)); // prettier-ignore

export const isGlobe = (message: Message): boolean => /\b(?:lat|latitude|lon|lng|longitude|gps)\b/.test(message.plain);

interface Place {
  readonly a: number;
  readonly b: number;
  readonly start: number;
  readonly end: number;
  readonly id: string | null;
}

/** Bracketed pairs, each with the word before it. */
export function placesIn(message: Message): Place[] {
  const places = [...message.plain.matchAll(BRACKETED)].map((found): Place => {
    const start = found.index;
    const before = message.text.slice(Math.max(0, start - 40), start);
    const said = (before.split(/[,;.!?\n:)\]]|\band\b/i).at(-1) ?? '').trim().split(/\s+/);
    // "customers A (2,3)": the heading ends where the first name begins.
    const heads = /^(?:customers|clients|stops|addresses)$/i;
    const words =
      said.length > 1 && heads.test(said.at(-2)!) && /^[A-Z]\w*$/.test(said.at(-1)!) ? said.slice(-1) : said;
    const isStop = (word: string): boolean =>
      STOP_WORDS.has(word.toLowerCase()) ||
      (WAY_WORDS.has(word.toLowerCase()) && !/^[A-HJ-Z]$/.test(word)) ||
      !/[a-z]/i.test(word);
    // "my customers at (2,9), (7,7)": a heading, no name.
    const isHeading = words
      .slice(-3)
      .some((word) => /^(?:customers|clients|stops|addresses|points|places)$/i.test(word));
    while (words.length > 0 && (isHeading || isStop(words.at(-1)!))) words.pop();
    const own = words.slice(words.findLastIndex(isStop) + 1);
    const id =
      own.length === 0 || own.length > 4
        ? null
        : own
            .slice(-3)
            .join(' ')
            .replace(/[^\w' -]/g, '');
    return { a: Number(found[1]), b: Number(found[2]), start, end: start + found[0].length, id: id === '' ? null : id };
  });
  // Where no other place has a name, the words before the first one are a heading: "couriers visit (1,2), (3,4)".
  const [first, ...rest] = places;
  if (first === undefined || rest.length === 0 || rest.some(({ id }) => id !== null)) return places;
  return [{ ...first, id: null }, ...rest];
}
