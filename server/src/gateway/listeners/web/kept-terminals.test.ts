import { expect, it } from 'vitest';
import { PERSON } from '../../../testing/gateway/memory-ports.ts';
import { MAX_ENDED_TERMINALS } from '../../limits.ts';
import { KeptTerminals } from './kept-terminals.ts';

it('forgets the oldest terminals that ended while their browser was away, and no running ones', () => {
  const person = { ...PERSON, loginId: 'login' };
  const kept = new KeptTerminals();
  for (let number = 0; number < MAX_ENDED_TERMINALS + 50; number++)
    kept.add(`${number}`, { person });
  for (let number = 20; number < MAX_ENDED_TERMINALS + 30; number++) kept.end(`${number}`, 60);
  const isThere = (number: number) => kept.find(`${number}`, person) !== undefined;
  const all = Array.from({ length: MAX_ENDED_TERMINALS + 50 }, (_, number) => number);
  expect(all.filter((number) => !isThere(number))).toEqual([
    20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
  ]);
  expect(kept.find('30', { ...person, loginId: 'another' })).toBeUndefined();
});
