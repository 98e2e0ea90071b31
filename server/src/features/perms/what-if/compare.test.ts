import { ACCESS_CHANGES } from '@sallyport/contract';
import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ComparedRule, type ComparedUsers, compare } from './compare.ts';
import { atomsIn, bitsOf, coverOf, weigher } from './cover.ts';

const ATOMS = 100;
const ACCOUNTS = 2;

interface Facts {
  readonly accounts: readonly number[];
  readonly mask: number;
  readonly until: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

// Covers keep few atoms as a list and many as bits; generate both.
const atoms = fc.oneof(
  fc.uniqueArray(fc.nat(ATOMS - 1), { maxLength: 3 }),
  fc.uniqueArray(fc.nat(ATOMS - 1), { minLength: 40, maxLength: ATOMS }),
);
const rule: fc.Arbitrary<Facts> = fc
  .record({
    accounts: fc.uniqueArray(fc.nat(ACCOUNTS - 1), { minLength: 1 }),
    mask: fc.constantFrom(1, 2, 7),
    until: fc.integer({ min: 1, max: 3 }),
    before: atoms,
    after: fc.option(atoms),
  })
  .map((one) => ({ ...one, after: one.after ?? one.before }));
const facts = fc.record({
  rules: fc.array(rule, { minLength: 2, maxLength: 6 }),
  users: fc.array(
    fc.record({
      before: fc.uniqueArray(fc.nat(5)),
      after: fc.uniqueArray(fc.nat(5)),
      amount: fc.integer({ min: 1, max: 2 }),
    }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  offered: fc.tuple(atoms, atoms),
});

it('finds the differences of a pairwise comparison', async () => {
  await fc.assert(
    fc.asyncProperty(facts, async ({ rules, users, offered }) => {
      const weights = Array.from({ length: ATOMS }, (_, atom) => 1 + (atom % 3));
      const compared = rules.map(({ before, after, ...one }): ComparedRule => {
        const cover = coverOf(before, ATOMS);
        return { ...one, before: cover, after: before === after ? cover : coverOf(after, ATOMS) };
      });
      const pick = <T>(list: readonly T[], places: readonly number[]) =>
        places.flatMap((place) => list[place] ?? []);
      const scene = users.map(
        ({ before, after, amount }, index): ComparedUsers => ({
          ids: Array.from({ length: amount }, (_, other) => `${index} ${other}`),
          before: pick(compared, before),
          after: pick(compared, after),
        }),
      );
      const differences = await compare({
        users: scene,
        atoms: ATOMS,
        weigh: weigher(weights),
        offered: offered.map((one) => bitsOf(one, ATOMS)),
      });

      const expected = new Map<
        string,
        {
          users: Set<string>;
          assets: Set<number>;
          accounts: Set<number>;
          accesses: number;
          mask: number;
        }
      >();
      for (const [index, { before, after }] of users.entries()) {
        for (const account of offered.keys()) {
          for (const atom of offered[account] ?? []) {
            const held = (places: readonly number[], side: 'before' | 'after') => {
              const holding = pick(rules, places).filter(
                (one) => one.accounts.includes(account) && one[side].includes(atom),
              );
              return {
                is: holding.length > 0,
                mask: holding.reduce((mask, one) => mask | one.mask, 0),
                until: Math.max(0, ...holding.map(({ until }) => until)),
              };
            };
            const [was, is] = [held(before, 'before'), held(after, 'after')];
            const kept = was.is && is.is;
            const more = kept ? is.mask & ~was.mask : 0;
            const fewer = kept ? was.mask & ~is.mask : 0;
            const kinds = {
              gained: is.is && !was.is,
              lost: was.is && !is.is,
              more_actions: more !== 0,
              fewer_actions: fewer !== 0,
            };
            const all = {
              ...kinds,
              longer: kept && is.until > was.until,
              shorter: kept && is.until < was.until,
            };
            for (const kind of ACCESS_CHANGES) {
              if (!all[kind]) continue;
              const one = expected.get(kind) ?? {
                users: new Set(),
                assets: new Set(),
                accounts: new Set(),
                accesses: 0,
                mask: 0,
              };
              expected.set(kind, one);
              for (const id of scene[index]?.ids ?? []) one.users.add(id);
              one.assets.add(atom);
              one.accounts.add(account);
              one.accesses += (weights[atom] ?? 0) * (scene[index]?.ids.length ?? 0);
              one.mask |= kind === 'more_actions' ? more : kind === 'fewer_actions' ? fewer : 0;
            }
          }
        }
      }
      const actual = [...differences].map(
        ([kind, { users: ids, assets, ...one }]) =>
          [kind, { ...one, users: new Set(ids), assets: new Set(atomsIn(assets)) }] as const,
      );
      expect(new Map<string, unknown>(actual)).toEqual(new Map<string, unknown>(expected));
    }),
    runs(300),
  );
});
