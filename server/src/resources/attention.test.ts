import { type ATTENTION_KINDS, asset, Permission } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { collectAttention } from './attention.ts';

const facts = (kinds: readonly (typeof ATTENTION_KINDS)[number][]) => ({
  facts: { kinds, access: Permission.SUPER },
});

describe('items of features', () => {
  it('refuses a kind that another feature adds, and name both features', () => {
    const { add } = collectAttention();
    add('backups', facts(['backup_old']));
    expect(() => add('health', facts(['clocks_apart', 'backup_old']))).toThrow(
      'health: backups adds backup_old, too',
    );
    const rows = { backup_old: { resource: asset, search: () => sql`select` } };
    expect(() => add('assets', { rows })).toThrow('assets: backups adds backup_old, too');
  });

  it('keeps the name of the feature of each kind', () => {
    const { add, sources } = collectAttention();
    add('assets', { rows: { changed_host_keys: { resource: asset, search: () => sql`select` } } });
    add('backups', facts(['backup_old', 'backup_failed']));
    expect(Object.fromEntries(sources.kinds)).toEqual({
      changed_host_keys: 'assets',
      backup_old: 'backups',
      backup_failed: 'backups',
    });
    expect(sources.facts).toHaveLength(1);
  });
});
