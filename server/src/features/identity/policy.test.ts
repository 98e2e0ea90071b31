import { describe, expect, it } from 'vitest';
import { FIRST_ADMINISTRATOR } from '../../platform/actor.ts';
import {
  ACCOUNT_CHANGES,
  abilitiesOf,
  invitationOf,
  maySourceWrite,
  needsConfirmation,
  ownChanges,
  type PolicyActor,
  type PolicyTarget,
  refusalOf,
  refusalsOf,
  refusalsOfNew,
} from './policy.ts';

const HERE = 'organization A';
const THERE = 'organization B';

const ACTORS = {
  super: { id: 'super', duty: '', isSuper: true, administers: true, organizationId: '' },
  'super in A': { id: 'super', duty: '', isSuper: true, administers: true, organizationId: HERE },
  'admin of A': {
    id: 'admin of A',
    duty: '',
    isSuper: false,
    administers: true,
    organizationId: HERE,
  },
  'auditor of A': {
    id: 'auditor of A',
    duty: '',
    isSuper: false,
    administers: false,
    organizationId: HERE,
  },
  'super auditor': {
    id: 'super auditor',
    duty: '',
    isSuper: false,
    administers: false,
    organizationId: '',
  },
  user: { id: 'user', duty: '', isSuper: false, administers: false, organizationId: HERE },
} satisfies Record<string, PolicyActor>;

const ordinary: PolicyTarget = {
  id: 'target',
  username: 'li',
  role: 'User',
  source: 'local',
  home: HERE,
  members: [{ organization: HERE, role: 'User' }],
};
const TARGETS = {
  'user of A': ordinary,
  'user of A from LDAP': { ...ordinary, source: 'ldap' },
  'user of A from OpenID': { ...ordinary, source: 'openid' },
  'user of A and B': {
    ...ordinary,
    members: [...ordinary.members, { organization: THERE, role: 'User' }],
  },
  'user of A, auditor of B': {
    ...ordinary,
    members: [...ordinary.members, { organization: THERE, role: 'Auditor' }],
  },
  'invited from B': {
    ...ordinary,
    home: THERE,
    members: [...ordinary.members, { organization: THERE, role: 'User' }],
  },
  'invited from the default organization': { ...ordinary, home: null },
  'fellow admin of A': { ...ordinary, members: [{ organization: HERE, role: 'Admin' }] },
  'fellow auditor of A': { ...ordinary, members: [{ organization: HERE, role: 'Auditor' }] },
  'super administrator in A': { ...ordinary, role: 'Admin' },
  'super auditor in A': { ...ordinary, role: 'Auditor' },
  'first administrator': { ...ordinary, username: FIRST_ADMINISTRATOR, role: 'Admin', home: null },
} satisfies Record<string, PolicyTarget>;

const everythingBut = (...without: string[]) =>
  ACCOUNT_CHANGES.filter((change) => !without.includes(change));
const LOCAL = everythingBut('role', 'source');
const EXTERNAL = everythingBut('role', 'source', 'username', 'email', 'password', 'public_key');

/**
 * Changes that administrators of organization A may make to other accounts; all others are
 * rejected.
 */
const BY_ADMIN_OF_A: Record<keyof typeof TARGETS, readonly string[]> = {
  'user of A': LOCAL,
  'user of A from LDAP': EXTERNAL,
  'user of A from OpenID': EXTERNAL,
  'user of A and B': ['describe', 'groups', 'unblock', 'remove'],
  'user of A, auditor of B': ['remove'],
  'invited from B': ['remove'],
  'invited from the default organization': ['remove'],
  'fellow admin of A': [],
  'fellow auditor of A': [],
  'super administrator in A': [],
  'super auditor in A': [],
  'first administrator': [],
};

describe('what administrators of an organization may do about others', () => {
  it.each(Object.keys(TARGETS) as (keyof typeof TARGETS)[])(
    'allows administrators of an organization the listed changes: %s',
    (name) => {
      expect(abilitiesOf(ACTORS['admin of A'], TARGETS[name])).toEqual(BY_ADMIN_OF_A[name]);
    },
  );
});

describe('administrators of the installation', () => {
  it.each(['super', 'super in A'] as const)(
    'allows administrators of the installation all changes of others: %s',
    (actor) => {
      for (const [name, target] of Object.entries(TARGETS))
        expect([name, abilitiesOf(ACTORS[actor], target)]).toEqual([
          name,
          name === 'first administrator'
            ? everythingBut('username', 'role', 'source', 'is_active', 'date_expired', 'remove')
            : ACCOUNT_CHANGES,
        ]);
    },
  );
});

it.each(['auditor of A', 'super auditor', 'user'] as const)(
  'rejects every change by %s',
  (actor) => {
    for (const target of [...Object.values(TARGETS), { ...ordinary, id: ACTORS[actor].id }])
      expect(abilitiesOf(ACTORS[actor], target)).toEqual([]);
  },
);

describe('the actor’s own account', () => {
  const own = (actor: PolicyActor, more: Partial<PolicyTarget> = {}): PolicyTarget => ({
    ...ordinary,
    id: actor.id,
    ...more,
  });
  const HARMLESS = ['describe', 'groups', 'unblock', 'sign_ins', 'access_keys'];

  it.each(['super', 'super in A', 'admin of A'] as const)(
    'rejects changes of the own credentials: %s',
    (actor) => {
      expect(abilitiesOf(ACTORS[actor], own(ACTORS[actor]))).toEqual(HARMLESS);
    },
  );

  it('names the place of the change in the refusal', () => {
    const says = (actor: PolicyActor) =>
      Object.fromEntries(
        (
          [
            'email',
            'password',
            'factors',
            'date_expired',
            'username',
            'source',
            'is_active',
            'remove',
          ] as const
        ).map((c) => [c, refusalOf(actor, own(actor), c)]),
      );
    const common = {
      email: 'own_account',
      password: 'own_account',
      factors: 'own_account',
      username: 'own_identity',
      source: 'own_identity',
    };
    const rest = { is_active: 'object_protected', remove: 'self_delete' };
    expect(says(ACTORS.super)).toEqual({ ...common, ...rest, date_expired: 'own_account' });
    expect(says(ACTORS['admin of A'])).toEqual({
      ...common,
      ...rest,
      date_expired: 'own_identity',
    });
  });

  it('allows administrators their own name and address on the profile page, and the expiry to those of the installation', () => {
    expect(ownChanges(ACTORS.super, own(ACTORS.super))).toEqual(['name', 'email', 'date_expired']);
    expect(ownChanges(ACTORS.super, own(ACTORS.super, { username: FIRST_ADMINISTRATOR }))).toEqual([
      'name',
      'email',
    ]);
    expect(ownChanges(ACTORS.super, own(ACTORS.super, { source: 'ldap' }))).toEqual([
      'date_expired',
    ]);
    expect(ownChanges(ACTORS['admin of A'], own(ACTORS['admin of A']))).toEqual(['name', 'email']);
    for (const actor of ['auditor of A', 'super auditor', 'user'] as const)
      expect(ownChanges(ACTORS[actor], own(ACTORS[actor]))).toEqual([]);
  });
});

it('allows every change or rejects it with a reason', () => {
  for (const actor of Object.values(ACTORS))
    for (const target of Object.values(TARGETS))
      expect(
        [...abilitiesOf(actor, target), ...Object.keys(refusalsOf(actor, target))].toSorted(),
      ).toEqual(actor.administers ? ACCOUNT_CHANGES.toSorted() : []);
});

it('requires a confirmation for changes that could give lasting access', () => {
  expect(ACCOUNT_CHANGES.filter(needsConfirmation)).toEqual([
    'name',
    'email',
    'public_key',
    'date_expired',
    'factors',
  ]);
});

describe('new accounts', () => {
  it('limits new accounts of an organization to ordinary local ones', () => {
    expect(refusalsOfNew(ACTORS['admin of A'], { role: 'User', source: 'local' })).toEqual({});
    for (const role of ['Admin', 'Auditor'])
      expect(refusalsOfNew(ACTORS['admin of A'], { role, source: 'local' })).toEqual({
        role: 'role_protected',
      });
    for (const source of ['ldap', 'openid', 'radius', 'saml', 'cas'])
      expect(refusalsOfNew(ACTORS['admin of A'], { role: 'User', source })).toEqual({
        source: 'source_protected',
      });
    expect(refusalsOfNew(ACTORS.super, { role: 'Admin', source: 'ldap' })).toEqual({});
  });
});

it('requires consent to invitations, except for administrators of the installation', () => {
  for (const role of ['User', 'Auditor', 'Admin'] as const)
    expect(invitationOf(ACTORS['super in A'], role)).toEqual({ needsConsent: false });
  expect(invitationOf(ACTORS['admin of A'], 'User')).toEqual({ needsConsent: true });
  for (const role of ['Auditor', 'Admin'] as const)
    expect(invitationOf(ACTORS['admin of A'], role).refusal).toBe('role_protected');
});

describe('a directory or provider', () => {
  const directory: PolicyActor = {
    id: 'system',
    duty: '',
    isSuper: true,
    administers: true,
    organizationId: '',
    source: 'ldap',
  };

  it('lets a source change name, address and description only of its accounts, and a directory names and activity', () => {
    expect(abilitiesOf(directory, TARGETS['user of A from LDAP'])).toEqual([
      'describe',
      'name',
      'username',
      'email',
      'is_active',
    ]);
    const provider: PolicyActor = { ...directory, source: 'openid' };
    expect(abilitiesOf(provider, TARGETS['user of A from OpenID'])).toEqual([
      'describe',
      'name',
      'email',
    ]);
    for (const name of ['user of A', 'user of A from OpenID', 'first administrator'] as const)
      expect([name, abilitiesOf(directory, TARGETS[name])]).toEqual([name, []]);
  });

  it('lets a source create ordinary accounts of the same source', () => {
    expect(refusalsOfNew(directory, { role: 'User', source: 'ldap' })).toEqual({});
    expect(refusalsOfNew(directory, { role: 'Admin', source: 'local' })).toEqual({
      role: 'role_protected',
      source: 'source_protected',
    });
  });
});

it('rejects changes by a source of accounts of other sources', () => {
  for (const source of ['local', 'ldap', 'openid', 'radius', 'saml', 'cas'])
    expect([maySourceWrite('ldap', { source }), maySourceWrite('openid', { source })]).toEqual([
      source === 'ldap',
      source === 'openid',
    ]);
});
