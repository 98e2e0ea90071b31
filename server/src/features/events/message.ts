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

/**
 * Maximum bytes of an event as JSON. The longest properties of a larger event are left out, as
 * syslog receivers truncate messages.
 */
const MOST_BYTES = 16_384;

/** Converts a stored event to the format for receivers. */
export function toSend({
  event_id: id,
  kind,
  org_id: organization,
  org_name: name,
  date,
  data,
}: KeptEvent): SentEvent {
  const event = {
    version: SCHEMA_VERSION,
    id,
    kind,
    time: date.toISOString(),
    product: `Sallyport ${RELEASE.version}`,
    organization: organization === null ? null : { id: organization, name: name ?? '' },
  };
  return { ...event, data: bounded(data, MOST_BYTES - JSON.stringify(event).length) };
}

function bounded(
  data: Readonly<Record<string, unknown>>,
  most: number,
): Readonly<Record<string, unknown>> {
  const sizes = Object.entries(data).map(([name, value]) => ({
    name,
    size: Buffer.byteLength(JSON.stringify(value) ?? '') + name.length + 4,
  }));
  let size = sizes.reduce((sum, entry) => sum + entry.size, 0);
  if (size <= most) return data;
  const shortened: Record<string, unknown> = { ...data };
  const left_out: string[] = [];
  for (const entry of sizes.toSorted((one, other) => other.size - one.size)) {
    if (size <= most) break;
    shortened[entry.name] = null;
    left_out.push(entry.name);
    size -= entry.size;
  }
  return { ...shortened, left_out };
}
