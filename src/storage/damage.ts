/**
 * Records that are stored and cannot be read: their text is cut off, or is no record. Such a one is an error by itself,
 * is left out of lists, and keeps nothing else from being done.
 */
import { decode } from '../common/codec.js';
import { ExtremumError, isDamaged } from '../common/errors.js';

/** Told of each record that could not be read, whenever it could not. */
export type NoteDamage = (id: string, cause: unknown) => void;

export class Records {
  private readonly note: NoteDamage;

  constructor(note: NoteDamage) {
    this.note = note;
  }

  private failed(id: string, error: unknown): ExtremumError {
    // A database that is away says nothing about its records.
    if (error instanceof ExtremumError) return error;
    this.note(id, error);
    const message = `The record ${id} is damaged in the database: it cannot be read.`;
    return new ExtremumError('record_damaged', message, { cause: error, facts: { record: id } });
  }

  /** @throws {ExtremumError} `record_damaged` where `read` throws. */
  one<T>(id: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.failed(id, error);
    }
  }

  /** The same, for what is unpacked off the event loop. */
  async later<T>(id: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw this.failed(id, error);
    }
  }

  /** Null for those that are damaged. */
  each<S, T>(stored: readonly S[], idOf: (one: S) => string, read: (one: S) => T): (T | null)[] {
    return stored.map((one) => {
      try {
        return this.one(idOf(one), () => read(one));
      } catch (error) {
        if (isDamaged(error)) return null;
        throw error;
      }
    });
  }

  /** Without those that are damaged. */
  all<S, T extends object>(stored: readonly S[], idOf: (one: S) => string, read: (one: S) => T): T[] {
    return this.each(stored, idOf, read).filter((one) => one !== null);
  }

  async allLater<S, T extends object>(
    stored: readonly S[],
    idOf: (one: S) => string,
    read: (one: S) => Promise<T>,
  ): Promise<T[]> {
    const found = stored.map((one) =>
      this.later(idOf(one), () => read(one)).catch((error: unknown) => {
        if (isDamaged(error)) return null;
        throw error;
      }),
    );
    return (await Promise.all(found)).filter((one) => one !== null);
  }
}

/** @throws where the value is no object: nothing that is stored whole is a number or a text. */
export function objectOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) throw new Error('what is stored is no record');
  return value;
}

/** @throws where the value is no record of that identifier. */
export function recordWith<T extends { readonly id: string }>(id: string, value: T): T {
  if (objectOf(value).id !== id) throw new Error(`what is stored is no record of ${id}`);
  return value;
}

export const decodeObject = <T>(text: string): T => objectOf(decode<T>(text));

export const decodeRecord = <T extends { readonly id: string }>(id: string, text: string): T =>
  recordWith(id, decode<T>(text));
