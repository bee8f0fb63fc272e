/** Failures of the addon as operational errors. */
import { ExtremumError } from '../../common/errors.js';
import { isCudaFailure } from './driver.js';

export async function settle<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translated(error);
  }
}

export function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translated(error);
  }
}

/** Anything else is a defect and stays as it is. */
export function translated(error: unknown): unknown {
  if (!isCudaFailure(error)) return error;
  const { kind, cudaError, message } = error;
  const details = { cause: error, facts: { kind, ...(cudaError === undefined ? {} : { cudaError }) } };
  if (kind === 'lost' || kind === 'failed') return new ExtremumError('backend_lost', message, details);
  return new ExtremumError('backend_unavailable', message, { ...details, retryable: kind === 'out-of-memory' });
}
