/**
 * Version of the event format. Increases when a property changes its meaning or is removed. New
 * properties can appear without a new version.
 */
export const SCHEMA_VERSION = 1;

import { RELEASE } from '../../platform/release.ts';

/** Event kinds. `test` is sent manually, and `gap` reports dropped events. */
export type EventKind =
  | 'sign_in'
  | 'operation'
  | 'password_change'
  | 'file'
  | 'session_begin'
  | 'session_end'
  | 'alert'
  | 'gap'
  | 'test';

/** A stored event. */
export interface KeptEvent {
  readonly id: number;
  readonly event_id: string;
  readonly kind: EventKind;
  readonly org_id: string | null;
  readonly org_name: string | null;
  readonly date: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event as receivers get it. The operator guide describes the format. */
export interface SentEvent {
  readonly version: number;
  readonly id: string;
  readonly kind: EventKind;
  readonly time: string;
  readonly product: string;
  readonly organization: { readonly id: string; readonly name: string } | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Converts a stored event to the format for receivers. */
export const toSend = ({
  event_id: id,
  kind,
  org_id: organization,
  org_name: name,
  date,
  data,
}: KeptEvent): SentEvent => ({
  version: SCHEMA_VERSION,
  id,
  kind,
  time: date.toISOString(),
  product: `Sallyport ${RELEASE.version}`,
  organization: organization === null ? null : { id: organization, name: name ?? '' },
  data,
});

/**
 * Leaves the longest properties of an event out until its JSON has at most `most` bytes. `bytesOf`
 * counts the bytes of JSON as the receiver gets it.
 */
export function limitEvent(
  event: SentEvent,
  most: number,
  bytesOf: (json: string) => number,
): SentEvent {
  const size = (value: unknown) => bytesOf(JSON.stringify(value) ?? '');
  if (size(event) <= most) return event;
  const longestFirst = Object.entries(event.data)
    .map(([name, value]) => ({ name, size: size(value) }))
    .toSorted((one, other) => other.size - one.size);
  const left_out: string[] = [];
  let data = event.data;
  for (const { name } of longestFirst) {
    left_out.push(name);
    data = { ...data, [name]: null, left_out };
    if (size({ ...event, data }) <= most) break;
  }
  return { ...event, data };
}
