/** What people read first in a report. */
import type { ReportDocument } from './document.js';

export interface Description {
  readonly title: string;
  /** Account and period. */
  readonly subtitle: string;
  /** When it was made, what was left out. */
  readonly remarks: readonly string[];
}

export function describe({ title, account, period, filters, createdAt }: ReportDocument): Description {
  const when = period === null ? 'all time' : `${minute(period.start)} to ${minute(period.end)} UTC`;
  return {
    title,
    subtitle: `Account ${account}, ${when}`,
    remarks: [`Created ${minute(createdAt)} UTC by Extremum`, ...filters],
  };
}

const minute = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
