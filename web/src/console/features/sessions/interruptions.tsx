import { t } from '../../../kit/i18n/index.ts';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { Duration } from './Duration.tsx';
import type { Session } from './session-actions.ts';
import { words } from './words.ts';

interface Gap {
  readonly date_start: string;
  readonly date_end: string;
  readonly remote_addr: string | null;
}

const isGap = (value: unknown): value is Gap =>
  typeof value === 'object' && value !== null && 'date_start' in value && 'date_end' in value;

/**
 * Gaps in the user's connection to a session, with duration and the address after the return;
 * null without gaps.
 */
export function interruptions({ gaps }: Pick<Session, 'gaps'>) {
  const all = Array.isArray(gaps) ? gaps.filter(isGap) : [];
  if (all.length === 0) return null;
  return (
    <>
      {all.map(({ date_start, date_end, remote_addr }) => (
        <div key={date_start}>
          <Moment date={date_start} exact /> · <Duration session={{ date_start, date_end }} />
          {remote_addr === null ? null : ` · ${t(words.backFrom, { address: remote_addr })}`}
        </div>
      ))}
    </>
  );
}
