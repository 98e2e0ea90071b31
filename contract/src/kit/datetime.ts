const WIRE = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)? ?(Z|[+-]\d{2}:?\d{2})?$/;

/** Reads ISO 8601 or the wire format `2026-01-31 08:30:00 +0800`; without a zone it is UTC. `undefined` when it is no such date. */
export function parseDatetime(text: string): Date | undefined {
  const match = WIRE.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '00', zone = 'Z'] = match;
  const offset = zone === 'Z' || zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  if (Number.isNaN(date.getTime())) return undefined;
  // `2026-02-31` would silently become March.
  const roundTrip = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return roundTrip.getUTCDate() === Number(day) && Number(hour) < 24 ? date : undefined;
}

const zones = new Map<string, Intl.DateTimeFormat | undefined>();

function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!zones.has(zone)) {
    // The name comes from a request header: keep the map from growing without bound.
    if (zones.size > 600) zones.clear();
    try {
      zones.set(
        zone,
        new Intl.DateTimeFormat('en-US', {
          timeZone: zone,
          hourCycle: 'h23',
          year: 'numeric',
          month: '2-digit',
          day: '2-digit',
          hour: '2-digit',
          minute: '2-digit',
          second: '2-digit',
          timeZoneName: 'longOffset',
        }),
      );
    } catch {
      zones.set(zone, undefined);
    }
  }
  return zones.get(zone);
}

/** Whether an IANA zone name is known. */
export function isTimeZone(zone: string): boolean {
  return zone.length <= 64 && formatterOf(zone) !== undefined;
}

/** Minutes east of UTC at a moment in a zone. */
function offsetMinutes(date: Date, zone: string): number {
  const formatter = formatterOf(zone);
  const name = formatter?.formatToParts(date).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}

const offsets = new Map<string, number>();

/** Writes a moment as `YYYY-MM-DD HH:MM:SS +ZZZZ` in a zone (identity reference §1.1). Offsets are remembered by the quarter hour. */
export function formatDatetime(date: Date, zone: string): string {
  const key = `${zone} ${Math.floor(date.getTime() / 900_000)}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    if (offsets.size > 50_000) offsets.clear();
    offset = offsetMinutes(date, zone);
    offsets.set(key, offset);
  }
  const local = new Date(date.getTime() + offset * 60_000).toISOString();
  const absolute = Math.abs(offset);
  const sign = offset < 0 ? '-' : '+';
  const zoneText = `${sign}${String(Math.floor(absolute / 60)).padStart(2, '0')}${String(absolute % 60).padStart(2, '0')}`;
  return `${local.slice(0, 10)} ${local.slice(11, 19)} ${zoneText}`;
}
