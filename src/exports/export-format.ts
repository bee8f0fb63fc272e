/** Facts about a format, known without writing it. */
export const EXPORT_FORMATS = ['csv', 'xlsx', 'pdf'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

interface FormatFacts {
  readonly mediaType: string;
  /** Most rows of a listing. */
  readonly maxRows: number;
}

export const FORMAT_FACTS: Readonly<Record<ExportFormat, FormatFacts>> = {
  csv: { mediaType: 'text/csv; charset=utf-8', maxRows: Number.MAX_SAFE_INTEGER },
  // A sheet's rows, less the header.
  xlsx: { mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', maxRows: 1_048_575 },
  // Some 2,500 pages.
  pdf: { mediaType: 'application/pdf', maxRows: 100_000 },
};
