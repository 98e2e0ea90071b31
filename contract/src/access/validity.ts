import { parseDatetime } from '../kit/datetime.ts';

/** Terms of a permission, an account or a key: a switch, and dates of start and end. */
export interface Lasting {
  readonly is_active: boolean;
  /** Empty or absent: it has started. */
  readonly date_start?: string;
  /** Null or empty: it has no end. */
  readonly date_expired: string | null;
}

/** An end wins over being disabled, and being disabled over a later start. */
export type Validity = 'expired' | 'disabled' | 'not_started' | 'valid';

const timeOf = (text: string | null | undefined): number | undefined => {
  if (!text) return undefined;
  const time = (parseDatetime(text) ?? new Date(text)).getTime();
  return Number.isNaN(time) ? undefined : time;
};

/** Returns the state of such terms at a time. An unreadable date counts as absent. */
export function validityOf({ is_active, date_start, date_expired }: Lasting, now: Date): Validity {
  const at = now.getTime();
  const end = timeOf(date_expired);
  if (end !== undefined && end <= at) return 'expired';
  if (!is_active) return 'disabled';
  const start = timeOf(date_start);
  return start !== undefined && start > at ? 'not_started' : 'valid';
}
