import { ExtremumError } from '../common/errors.js';

/** What `newKeySecret` says where there is nothing to mend. */
export const secretIsThere = (): ExtremumError =>
  new ExtremumError(
    'conflict',
    'The secret of the API keys is there; a new one would make every key invalid for nothing.',
  );
