import { extname } from 'node:path';

export const LOG_FORMATS = ['csv', 'parquet'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** By the ending of the name; null: it is none of theirs. */
export const logFormatOf = (file: string): LogFormat | null =>
  LOG_FORMATS.find((format) => extname(file).toLowerCase() === `.${format}`) ?? null;
