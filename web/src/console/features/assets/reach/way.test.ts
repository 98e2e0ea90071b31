import { expect, it } from 'vitest';
import { conditionsOf, hopOf } from './way.ts';

const rules = (...names: readonly (string | null)[]) =>
  names.map((name) => ({ condition_display: name }));

it('names each condition once, and tells of permissions without one', () => {
  expect(conditionsOf(rules('Night', 'Day', 'Night'))).toEqual({
    names: ['Day', 'Night'],
    hasWithout: false,
  });
  expect(conditionsOf(rules('Day', null, ''))).toEqual({ names: ['Day'], hasWithout: true });
  expect(conditionsOf([])).toEqual({ names: [], hasWithout: false });
});

it('closes a domain whose gateways are all inactive, and none without gateways', () => {
  const domain = { id: '1', name: 'Rack' };
  const gateway = (is_active: boolean) => ({ name: 'g', protocol: 'ssh', is_active }) as const;
  expect(hopOf(domain, [gateway(false), gateway(true)])).toMatchObject({
    gateways: ['g'],
    isClosed: false,
  });
  expect(hopOf(domain, [gateway(false)])).toMatchObject({ gateways: [], isClosed: true });
  expect(hopOf(domain, [])).toMatchObject({ gateways: [], isClosed: false });
});
