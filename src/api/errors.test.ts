import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../common/dist-entry.js';
import { ERROR_CODES, ExtremumError, type ErrorCode } from '../common/errors.js';
import { answerTo, PUBLIC_CODES } from './errors.js';

const codes = Object.keys(ERROR_CODES) as ErrorCode[];

describe('errors', () => {
  it.each(codes)('%s has a public code and status, and is listed in docs/errors.md with its meaning', (code) => {
    const { status, error } = answerTo(new ExtremumError(code, 'why', { field: 'x' }), 10);
    expect(status).toBe(PUBLIC_CODES[error.code]);
    const table = readFileSync(join(packageRoot(), 'docs/errors.md'), 'utf8');
    expect(table).toContain(`| \`${code}\` |`);
    expect(table).toContain(`| ${ERROR_CODES[code]} |`);
  });

  it('tell nothing about defects of our own', () => {
    for (const error of [new Error('secret path /x'), new ExtremumError('internal_error', 'secret'), 'secret', null]) {
      const answer = answerTo(error, 10);
      expect(answer.status).toBe(500);
      expect(JSON.stringify(answer)).not.toContain('secret');
    }
  });

  it('of the body parser become documented codes', () => {
    const fault = (type: string): object => Object.assign(new Error('x'), { type, status: 400 });
    expect(answerTo(fault('entity.parse.failed'), 10).error.code).toBe('invalid_request');
    expect(answerTo(fault('entity.too.large'), 10).error.message).toMatch(/larger than 10 bytes/);
    expect(answerTo(fault('encoding.unsupported'), 10).status).toBe(415);
    expect(answerTo(fault('request.aborted'), 10).error.code).toBe('invalid_request');
  });
});
