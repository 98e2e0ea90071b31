const WIRE =
  /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)? ?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Parses ISO 8601 or the wire format `2026-01-31 08:30:00 +0800`. A text without an offset is local
 * time in `zone`. Returns undefined for an invalid date.
 */
export function parseDatetime(text: string, zone = 'UTC'): Date | undefined {
  const match = WIRE.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '00', offsetText] = match;
  const explicitOffset = offsetText ?? 'Z';
  const offset =
    explicitOffset === 'Z' || explicitOffset.includes(':')
      ? explicitOffset
      : `${explicitOffset.slice(0, 3)}:${explicitOffset.slice(3)}`;
  const parsed = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  if (Number.isNaN(parsed.getTime())) return undefined;
  const date = offsetText === undefined ? momentOf(parsed, zone) : parsed;
  // JavaScript would turn `2026-02-31` into March.
  const roundTrip = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return roundTrip.getUTCDate() === Number(day) && Number(hour) < 24 ? date : undefined;
}

/** Returns the moment when clocks in `zone` show the UTC time of `shown`. */
function momentOf(clock: Date, zone: string): Date {
  const guess = new Date(clock.getTime() - offsetMinutes(clock, zone) * 60_000);
  const offset = offsetMinutes(guess, zone);
  const moment = new Date(clock.getTime() - offset * 60_000);
  // Clocks skip this hour, so no offset fits; the guess is the hour shown instead.
  return offsetMinutes(moment, zone) === offset ? moment : guess;
}

const zones = new Map<string, Intl.DateTimeFormat | undefined>();

function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!zones.has(zone)) {
    // Zone names come from request headers, so limit the map.
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

/** Returns true for a known IANA zone name. */
export function isTimeZone(zone: string): boolean {
  return zone.length <= 64 && formatterOf(zone) !== undefined;
}

/** Minutes east of UTC at this moment. */
function offsetMinutes(date: Date, zone: string): number {
  const formatter = formatterOf(zone);
  const name =
    formatter?.formatToParts(date).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}

const DAY = 86_400_000;
/** Offsets by zone and day; undefined for days when clocks change. */
const offsets = new Map<string, Map<number, number | undefined>>();

/**
 * Returns minutes east of UTC, cached by day: computing the offset dominates the cost of
 * formatting.
 */
function rememberedOffset(date: Date, zone: string): number {
  let days = offsets.get(zone);
  if (!days || days.size > 50_000) {
    if (offsets.size > 600) offsets.clear();
    days = new Map();
    offsets.set(zone, days);
  }
  const day = Math.floor(date.getTime() / DAY);
  if (!days.has(day)) {
    const [start, end] = [
      offsetMinutes(new Date(day * DAY), zone),
      offsetMinutes(new Date((day + 1) * DAY - 1), zone),
    ];
    days.set(day, start === end ? start : undefined);
  }
  return days.get(day) ?? offsetMinutes(date, zone);
}

/** Formats a moment as `YYYY-MM-DD HH:MM:SS +ZZZZ`. */
export function formatDatetime(date: Date, zone: string): string {
  const offset = rememberedOffset(date, zone);
  const local = new Date(date.getTime() + offset * 60_000).toISOString();
  const absolute = Math.abs(offset);
  const sign = offset < 0 ? '-' : '+';
  const zoneText = `${sign}${String(Math.floor(absolute / 60)).padStart(2, '0')}${String(absolute % 60).padStart(2, '0')}`;
  return `${local.slice(0, 10)} ${local.slice(11, 19)} ${zoneText}`;
}
