import { describe, expect, it } from 'vitest';
import { EventStore } from './event-store.ts';

const MEBIBYTE = 1024 * 1024;

describe('the events of a recording', () => {
  it('keeps the events of a short recording in memory', () => {
    const store = new EventStore();
    store.add(1, { kind: 'output', text: 'a' });
    store.add(2, { kind: 'resize', cols: 100, rows: 30 });
    expect(store.read(0)).toBeUndefined();
    expect(store).toMatchObject({ times: [1, 2], lengths: [1, 0] });
  });

  it('moves events of a long recording out of memory, and reads them back', async () => {
    const store = new EventStore();
    for (let second = 0; second < 12; second++) {
      store.add(second, { kind: 'output', text: `${second}漢`.padEnd(MEBIBYTE / 2, '.') });
      store.add(second, { kind: 'output', text: '!'.repeat(MEBIBYTE / 2) });
    }
    const inMemory = () => store.events.filter((event) => event !== undefined).length;
    expect(inMemory()).toBe(16);
    // Chunks that load do not displace the ones that play from the start.
    expect(store.events.slice(0, 2)).not.toContain(undefined);
    expect(store.events[22]).toBe(undefined);
    const [reading, again] = [store.read(22), store.read(23)];
    expect(again).toBe(reading);
    await reading;
    expect(store.events[22]?.kind === 'output' && store.events[22].text.slice(0, 4)).toBe('11漢.');
    expect(store.events[23]).toEqual({ kind: 'output', text: '!'.repeat(MEBIBYTE / 2) });
    expect(inMemory()).toBe(16);
    expect(store.read(22)).toBeUndefined();
  });
});
