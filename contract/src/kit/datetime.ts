const WIRE =
  /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)? ?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Reads ISO 8601 or the wire format `2026-01-31 08:30:00 +0800`. A text that names no offset is what clocks show in `zone`. `undefined` when it
 * is no such date.
 */
export function parseDatetime(text: string, zone = 'UTC'): Date | undefined {
  const match = WIRE.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '00', given] = match;
  const named = given ?? 'Z';
  const offset =
    named === 'Z' || named.includes(':') ? named : `${named.slice(0, 3)}:${named.slice(3)}`;
  const parsed = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  if (Number.isNaN(parsed.getTime())) return undefined;
  const date = given === undefined ? momentOf(parsed, zone) : parsed;
  // `2026-02-31` would silently become March.
  const roundTrip = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return roundTrip.getUTCDate() === Number(day) && Number(hour) < 24 ? date : undefined;
}

/** The moment at which clocks in a zone show what clocks of UTC show at `shown`. */
function momentOf(shown: Date, zone: string): Date {
  const guess = new Date(shown.getTime() - offsetMinutes(shown, zone) * 60_000);
  const offset = offsetMinutes(guess, zone);
  const moment = new Date(shown.getTime() - offset * 60_000);
  // In an hour that clocks skip no offset is right; the guess is the hour that they show instead.
  return offsetMinutes(moment, zone) === offset ? moment : guess;
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
  const name =
    formatter?.formatToParts(date).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}

const DAY = 86_400_000;
/** The offset of whole days by zone; `undefined` on days when the clocks change. */
const offsets = new Map<string, Map<number, number | undefined>>();

/** Minutes east of UTC, remembered by the day: computing them again costs more than all the rest of writing a date. */
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

/** Writes a moment as `YYYY-MM-DD HH:MM:SS +ZZZZ` in a zone. */
export function formatDatetime(date: Date, zone: string): string {
  const offset = rememberedOffset(date, zone);
  const local = new Date(date.getTime() + offset * 60_000).toISOString();
  const absolute = Math.abs(offset);
  const sign = offset < 0 ? '-' : '+';
  const zoneText = `${sign}${String(Math.floor(absolute / 60)).padStart(2, '0')}${String(absolute % 60).padStart(2, '0')}`;
  return `${local.slice(0, 10)} ${local.slice(11, 19)} ${zoneText}`;
}
