/** Refusals that all stores word alike. */
import { ExtremumError } from '../../common/errors.js';
import type { ApiKeyRecord } from '../../model/api-key.js';

export const runExists = (id: string): ExtremumError => conflict(`There is a run ${id} already.`);

export const batchExists = (id: string): ExtremumError => conflict(`There is a batch ${id} already.`);

export const keyExists = ({ id, publicId }: Pick<ApiKeyRecord, 'id' | 'publicId'>): ExtremumError =>
  conflict(`A key ${id} or with the public id ${publicId} exists already.`);

/** `newKeySecret` says this where there is nothing to mend. */
export const secretIsThere = (): ExtremumError =>
  conflict('The secret of the API keys is there; a new one would make every key invalid for nothing.');

const conflict = (message: string): ExtremumError => new ExtremumError('conflict', message);
