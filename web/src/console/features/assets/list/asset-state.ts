import type { asset, LocalText, Row } from '@sallyport/contract';
import { words } from './words.ts';

type Known = Pick<Row<typeof asset>, 'is_active' | 'host_key' | 'last_session'>;

/** The ends of a session that say the asset could not be reached, by any user. */
const OUT_OF_REACH = new Set(['connect_unreachable', 'connect_protocol_error']);

export interface AssetState {
  readonly color: 'green' | 'yellow' | 'red' | 'gray';
  readonly text: LocalText;
  /** What is known of its host key. */
  readonly hint: LocalText;
}

/** What a list says about the state of an asset, the most urgent first. Nothing is probed: it is what the latest session found. */
export function stateOf({ is_active: isActive, host_key: key, last_session: last }: Known): AssetState {
  const hint = key === 'changed' ? words.keyChangedHint : key === 'pinned' ? words.keyPinned : words.keyUnknown;
  if (!isActive) return { color: 'gray', text: words.disabled, hint };
  if (key === 'changed') return { color: 'red', text: words.keyChanged, hint };
  if (last && !last.is_success && last.end_reason && OUT_OF_REACH.has(last.end_reason)) return { color: 'yellow', text: words.unreachable, hint };
  if (last?.is_success) return { color: 'green', text: words.reachable, hint };
  return { color: 'gray', text: words.active, hint };
}
