import { type asset, type LocalText, parseDatetime, type Row } from '@sallyport/contract';
import { formatWithZone } from '../../../../kit/format/relative-time.ts';
import { words } from './words.ts';

type Known = Pick<Row<typeof asset>, 'is_active' | 'host_key' | 'last_session' | 'connectivity'>;

/** End reasons of sessions that could not reach the asset, whichever user connected. */
const OUT_OF_REACH = new Set(['connect_unreachable', 'connect_protocol_error']);

export interface AssetState {
  readonly color: 'green' | 'yellow' | 'red' | 'gray';
  readonly text: LocalText;
  readonly isLive?: boolean;
  /** The state of the host key. */
  readonly hint: LocalText;
  /** The time of the test and its error. Missing if the state comes from the latest session. */
  readonly testResult?: string;
}

const momentOf = (text: string) => (parseDatetime(text) ?? new Date(text)).getTime();

/**
 * Returns the most urgent state of an asset. The latest test or session counts, whichever is newer.
 */
export function stateOf({
  is_active: isActive,
  host_key: key,
  last_session: last,
  connectivity: test,
}: Known): AssetState {
  const hint =
    key === 'changed'
      ? words.keyChangedHint
      : key === 'pinned'
        ? words.keyPinned
        : words.keyUnknown;
  if (!isActive) return { color: 'gray', text: words.disabled, hint };
  if (key === 'changed') return { color: 'red', text: words.keyChanged, hint };
  if (last && !last.is_finished) return { color: 'green', text: words.inUse, hint, isLive: true };
  if (test.status !== 2 && !(last && momentOf(last.date) > momentOf(test.datetime))) {
    const testResult = [formatWithZone(test.datetime), test.reason].filter(Boolean).join(' · ');
    return test.status === 1
      ? { color: 'green', text: words.reachable, hint, testResult }
      : { color: 'yellow', text: words.unreachable, hint, testResult };
  }
  if (last && !last.is_success && last.end_reason && OUT_OF_REACH.has(last.end_reason))
    return { color: 'yellow', text: words.unreachable, hint };
  if (last?.is_success) return { color: 'green', text: words.reachable, hint };
  if (last) return { color: 'yellow', text: words.sessionFailed, hint };
  return { color: 'gray', text: words.active, hint };
}
