import { describe, expect, it } from 'vitest';
import { plainText } from '../../server/src/gateway/sessions/terminal/commands/plain-text.ts';
import { createRandom } from '../random.ts';
import { SCRIPTS } from './fill-sessions.ts';
import type { Script } from './script.ts';
import { ScriptedTerminal } from './scripted-terminal.ts';

type Event = readonly [seconds: number, kind: string, data: string];

function perform(script: Script, seed: number) {
  const startedAt = new Date('2026-11-19T06:00:00Z');
  const terminal = new ScriptedTerminal({
    cols: 100,
    rows: 30,
    startedAt,
    title: 'ops@host-01',
    random: createRandom(seed),
  });
  script.play(terminal, {
    hostname: 'host-01',
    ip: '198.18.0.1',
    username: 'ops',
    os: 'Rocky',
    startedAt,
  });
  const [header, ...lines] = terminal.recording.trimEnd().split('\n');
  return {
    terminal,
    header: JSON.parse(header ?? ''),
    events: lines.map((line): Event => JSON.parse(line)),
  };
}

describe('what sample people are seen doing', () => {
  it('records with increasing time and the right size', () => {
    for (const script of SCRIPTS) {
      const { header, events, terminal } = perform(script, 5);
      expect(header).toMatchObject({
        version: 2,
        width: 100,
        height: 30,
        timestamp: 1_795_068_000,
      });
      expect(events.length).toBeGreaterThan(100);
      for (const [index, [seconds, kind, data]] of events.entries()) {
        expect(seconds).toBeGreaterThanOrEqual(events[index - 1]?.[0] ?? 0);
        expect(kind === 'o' || (kind === 'r' && /^\d+x\d+$/.test(data))).toBe(true);
      }
      expect(terminal.elapsed).toBeGreaterThan(20);
    }
  });

  it('shows each command at its time, followed by its output', () => {
    for (const [index, script] of SCRIPTS.entries()) {
      const { terminal, events } = perform(script, 100 + index);
      expect(terminal.commands.length).toBeGreaterThanOrEqual(5);
      for (const { input, output, offsetMilliseconds } of terminal.commands) {
        const split = events.findIndex(([seconds]) => seconds * 1000 > offsetMilliseconds + 0.5);
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
