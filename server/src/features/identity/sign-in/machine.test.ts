import { describe, expect, it } from 'vitest';
import {
  advance,
  type Demands,
  NOTHING,
  type Progress,
  type SignInEvent,
  type Step,
  stepOf,
} from './machine.ts';

const BOOLEANS = [false, true];
const DEMANDS: Demands[] = BOOLEANS.flatMap((passwordExpired) =>
  BOOLEANS.flatMap((secondFactor) =>
    BOOLEANS.flatMap((hasFactor) =>
      BOOLEANS.map((confirmation) => ({ passwordExpired, secondFactor, hasFactor, confirmation })),
    ),
  ),
);
const EVENTS: SignInEvent[] = [
  'password',
  'passkey',
  'external',
  'publickey',
  'renewed',
  'second',
  'enrolled',
  'confirmed',
];

/** Returns every path from the start to a step without further events. */
function walk(
  demands: Demands,
  progress: Progress = NOTHING,
  path: string[] = [],
): { path: string; step: Step }[] {
  const on = EVENTS.flatMap((event) => {
    const next = advance(progress, event, demands);
    return next ? walk(demands, next, [...path, event]) : [];
  });
  return on.length > 0 ? on : [{ path: path.join(' '), step: stepOf(progress, demands) }];
}

describe('every path through a sign-in', () => {
  it.each(DEMANDS)('signs in after exactly the demanded steps: %j', (demands) => {
    const paths = walk(demands);
    expect(paths.map(({ step }) => step)).toEqual(['in', 'in', 'in', 'in']);
    const second = demands.secondFactor ? [demands.hasFactor ? 'second' : 'enrolled'] : [];
    const confirmed = demands.confirmation ? ['confirmed'] : [];
    expect(paths.map(({ path }) => path)).toEqual([
      ['password', ...(demands.passwordExpired ? ['renewed'] : []), ...second, ...confirmed].join(
        ' ',
      ),
      ['passkey', ...confirmed].join(' '),
      ['external', ...second, ...confirmed].join(' '),
      ['publickey', ...second, ...confirmed].join(' '),
    ]);
  });

  it.each(DEMANDS)('rejects events out of order: %j', (demands) => {
    for (const first of [undefined, 'password', 'passkey', 'external', 'publickey'] as const)
      for (const renewed of BOOLEANS)
        for (const second of BOOLEANS)
          for (const confirmed of BOOLEANS) {
            const progress = { first, renewed, second, confirmed };
            const taken = EVENTS.filter((event) => advance(progress, event, demands));
            const step = stepOf(progress, demands);
            expect([step, taken.length]).toEqual([
              step,
              step === 'password' ? 4 : step === 'in' ? 0 : 1,
            ]);
          }
  });

  it('requires a factor again that was removed in between', () => {
    const progress = { ...NOTHING, first: 'password' } as const;
    const demands = {
      passwordExpired: false,
      secondFactor: true,
      hasFactor: true,
      confirmation: false,
    };
    expect(stepOf(progress, demands)).toBe('mfa_required');
    expect(stepOf(progress, { ...demands, hasFactor: false })).toBe('mfa_unset');
    expect(advance(progress, 'enrolled', demands)).toBeUndefined();
  });
});
