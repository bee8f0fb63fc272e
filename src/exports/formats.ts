/**
 * The writer of each format: one line each. Loaded when it is wanted, as each thread loads only the one it uses. The
 * list of formats is `EXPORT_FORMATS` (export-format.ts); docs/metrics.md, docs/guides/analytics.md and api.md name
 * them, too.
 */
import type { Writer } from './document.js';
import type { ExportFormat } from './export-format.js';

export const WRITERS: Readonly<Record<ExportFormat, () => Promise<Writer>>> = {
  csv: async () => (await import('./csv.js')).writeCsv,
  xlsx: async () => (await import('./xlsx/workbook.js')).writeXlsx,
  pdf: async () => (await import('./pdf/pdf.js')).pdfWriter(),
};
