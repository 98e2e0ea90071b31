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
const PAIRS = BOOLEANS.flatMap((one) => BOOLEANS.map((other) => [one, other] as const));
const DEMANDS: Demands[] = BOOLEANS.flatMap((passwordExpired) =>
  BOOLEANS.flatMap((secondFactor) =>
    BOOLEANS.flatMap((hasFactor) =>
      BOOLEANS.flatMap((acceptance) =>
        BOOLEANS.map((confirmation) => ({
          passwordExpired,
          secondFactor,
          hasFactor,
          acceptance,
          confirmation,
        })),
      ),
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
  'accepted',
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
    const accepted = demands.acceptance ? ['accepted'] : [];
    const confirmed = demands.confirmation ? ['confirmed'] : [];
    const last = [...accepted, ...confirmed];
    expect(paths.map(({ path }) => path)).toEqual([
      ['password', ...(demands.passwordExpired ? ['renewed'] : []), ...second, ...last].join(' '),
      ['passkey', ...last].join(' '),
      ['external', ...second, ...last].join(' '),
      ['publickey', ...second, ...last].join(' '),
    ]);
  });

  it.each(DEMANDS)('rejects events out of order: %j', (demands) => {
    for (const first of [undefined, 'password', 'passkey', 'external', 'publickey'] as const)
      for (const renewed of BOOLEANS)
        for (const second of BOOLEANS)
          for (const [accepted, confirmed] of PAIRS) {
            const progress = { first, renewed, second, accepted, confirmed };
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
      acceptance: false,
      confirmation: false,
    };
    expect(stepOf(progress, demands)).toBe('mfa_required');
    expect(stepOf(progress, { ...demands, hasFactor: false })).toBe('mfa_unset');
    expect(advance(progress, 'enrolled', demands)).toBeUndefined();
  });
});
