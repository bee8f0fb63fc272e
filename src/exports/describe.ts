/** The beginning of a report, which people read first. */
import type { ReportDocument } from './document.js';

interface Description {
  readonly title: string;
  /** Account and period, or what the report is about. */
  readonly subtitle: string;
  /** When it was made, what was left out. */
  readonly remarks: readonly string[];
}

export function describe({ title, account, period, subject, filters, createdAt }: ReportDocument): Description {
  const when = period === null ? 'all time' : `${minute(period.start)} to ${minute(period.end)} UTC`;
  return {
    title,
    subtitle: subject ?? `Account ${account}, ${when}`,
    remarks: [
      subject === undefined
        ? `Created ${minute(createdAt)} UTC by Extremum`
        : `The run ended ${minute(createdAt)} UTC. Account ${account}`,
      ...filters,
    ],
  };
}

const minute = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
