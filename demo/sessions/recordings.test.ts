import { describe, expect, it } from 'vitest';
import { plainText } from '../../server/src/gateway/sessions/terminal/commands/output-capture.ts';
import { perform, RECORDINGS, type Recording } from './recordings.ts';

type Event = readonly [seconds: number, kind: string, data: string];

const startedAt = new Date('2027-03-02T08:30:00Z');

function play(recording: Recording, pace = 1) {
  const { cast, ...rest } = perform(recording, { hostname: 'other-77', startedAt, pace });
  const [header = '', ...lines] = cast.trimEnd().split('\n');
  return {
    ...rest,
    header: JSON.parse(header),
    events: lines.map((line): Event => JSON.parse(line)),
  };
}

describe('a sample recording', () => {
  it('plays with increasing time on the host and at the time of the session', () => {
    for (const recording of RECORDINGS) {
      const { header, events, seconds } = play(recording);
      expect(header).toMatchObject({ version: 2, timestamp: startedAt.getTime() / 1_000 });
      expect(header.title).toMatch(/^\w+@other-77$/);
      expect(events.length).toBeGreaterThan(100);
      for (const [index, [at, kind, data]] of events.entries()) {
        expect(at).toBeGreaterThanOrEqual(events[index - 1]?.[0] ?? 0);
        expect(kind === 'o' || (kind === 'r' && /^\d+x\d+$/.test(data))).toBe(true);
      }
      expect(seconds).toBeGreaterThan(20);
      expect(play(recording, 2).seconds).toBe(2 * seconds);
      const text = events.map(([, , data]) => data).join('');
      expect(text).toContain('other-77');
      for (const host of recording.hosts) expect(text).not.toMatch(`@${host}`);
      expect(text).not.toMatch(/2026[-/]?11|Nov \d+ [\d:]+ 2026/);
    }
  });

  it('moves the dates of their output with the start of the session', () => {
    const outputs = RECORDINGS.map((recording) =>
      play(recording)
        .events.map(([, , data]) => data)
        .join(''),
    ).join('');
    expect(outputs).toContain('Last login: Mon Mar 01 13:06:00 2027 from');
    expect(outputs).toContain('2027-03-02 08:15:00 INFO');
    expect(outputs).toMatch(/2027\/03\/02 08:29:00 \[error\]/);
    expect(outputs).toContain('full backup: 20270301-020011F');
  });

  it('shows each command at its time, followed by its output', () => {
    for (const recording of RECORDINGS) {
      const { commands, events } = play(recording);
      expect(commands.length).toBeGreaterThanOrEqual(5);
      for (const { input, output, seconds: entered } of commands) {
        const split = events.findIndex(([seconds]) => seconds > entered + 0.0005);
        const text = (part: readonly Event[]) =>
          plainText(part.map(([, kind, data]) => (kind === 'o' ? data : '')).join(''));
        // The line break that sends the command has the same time.
        const before = text(events.slice(0, split)).replace(/\n$/, '');
        expect(before.endsWith(input)).toBe(true);
        expect(text(events.slice(split)).includes(output.split('\n')[0] ?? '')).toBe(true);
      }
    }
  });
});
