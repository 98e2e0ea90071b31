import { CastEncoder } from '../../server/src/gateway/sessions/terminal/recorder/recorder.ts';
import { readSample } from '../files.ts';
import recordings from './recordings.json' with { type: 'json' };

/** A command of the command log. */
export interface RecordedCommand {
  /** Seconds from the start of the recording. */
  readonly seconds: number;
  readonly input: string;
  readonly output: string;
}

/** A recorded session. Users, hosts and account match the sample permissions. */
export interface Recording {
  /** Name of the asciicast in `recordings/`. */
  readonly file: string;
  /** Prefixes of the host names. */
  readonly hosts: readonly string[];
  /** Groups of the users. */
  readonly groups: readonly string[];
  readonly account: string;
  readonly commands: readonly RecordedCommand[];
}

export const RECORDINGS: readonly Recording[] = recordings;

/** Host, start and speed of a sample session. */
export interface Scene {
  readonly hostname: string;
  readonly startedAt: Date;
  /** Factor of all times of the recording. */
  readonly pace: number;
}

export interface Performance {
  readonly cast: string;
  readonly seconds: number;
  readonly commands: readonly RecordedCommand[];
}

type Event = readonly [seconds: number, kind: 'o' | 'r', data: string];

/** Returns a recording as if it was made on another host at another time. */
export function perform(recording: Recording, { hostname, startedAt, pace }: Scene): Performance {
  const [head = '', ...lines] = readSample(`sessions/recordings/${recording.file}.cast`)
    .trimEnd()
    .split('\n');
  const { width, height, timestamp, title } = JSON.parse(head) as {
    width: number;
    height: number;
    timestamp: number;
    title: string;
  };
  const [username, before = ''] = title.split('@');
  const later = startedAt.getTime() - timestamp * 1_000;
  const adapt = (text: string) => moveDates(text, later).replaceAll(before, hostname);
  const events = lines.map((line) => JSON.parse(line) as Event);
  const encoder = new CastEncoder();
  const header = { cols: width, rows: height, startedAt, title: `${username}@${hostname}` };
  const encoded = events.map(([seconds, kind, data]) => {
    const [cols = 0, rows = 0] = data.split('x').map(Number);
    return kind === 'r'
      ? encoder.resize(seconds * pace, cols, rows)
      : encoder.output(seconds * pace, Buffer.from(adapt(data)));
  });
  return {
    cast: [encoder.header(header), ...encoded].join(''),
    seconds: (events.at(-1)?.[0] ?? 0) * pace,
    commands: recording.commands.map(({ seconds, input, output }) => ({
      seconds: seconds * pace,
      input,
      output: adapt(output),
    })),
  };
}

/** Dates such as `2026-11-19 06:00:00`, `2026/11/19` and `20261119`. */
const DATE = /(?<!\d)(20\d\d)([-/]?)([01]\d)\2([0-3]\d)(?: (\d\d:\d\d:\d\d))?(?!\d)/g;
const LAST_LOGIN = /(?<=Last login: )\w{3} \w{3} \d\d? [\d:]+ \d{4}/;

/** Adds milliseconds to the dates in a text. */
function moveDates(text: string, milliseconds: number): string {
  return text
    .replaceAll(
      DATE,
      (_date, ...[year, separator = '', month, day, time]: (string | undefined)[]) => {
        const moment = new Date(`${year}-${month}-${day}T${time ?? '00:00:00'}Z`);
        const moved = new Date(moment.getTime() + milliseconds).toISOString();
        const date = moved.slice(0, 10).replaceAll('-', separator);
        return time ? `${date} ${moved.slice(11, 19)}` : date;
      },
    )
    .replace(LAST_LOGIN, (login) => {
      const moved = new Date(Date.parse(`${login} UTC`) + milliseconds).toUTCString();
      const [weekday = '', day = '', month = '', year = '', time = ''] = moved
        .replace(',', '')
        .split(' ');
      return `${weekday} ${month} ${day} ${time} ${year}`;
    });
}
