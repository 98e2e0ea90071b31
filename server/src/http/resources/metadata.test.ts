import {
  type Field,
  type FieldMetadata,
  fieldsDiffer,
  Permission,
  RESOURCES,
  Role,
  user,
} from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../platform/actor.ts';
import { describeFields } from './metadata.ts';

const SUPER = Role.SuperAdmin | Permission.USE;
const describeAs = (fields: Readonly<Record<string, Field>>, permissions: number) =>
  describeFields(
    Object.entries(fields),
    { language: 'en', actor: { permissions } as Actor },
    false,
  );

it.each(RESOURCES.map(({ name, fields }) => [name, fields] as const))(
  'describes %s to every role as the console of this version declares it',
  (_name, fields) => {
    for (const permissions of [SUPER, Role.OrgAdmin, Role.OrgAuditor, Permission.USE])
      expect(fieldsDiffer(fields, describeAs(fields, permissions), permissions)).toBe(false);
  },
);

describe('a form of an earlier version', () => {
  const described = describeAs(user.fields, SUPER);
  const withField = (name: string, change: Partial<FieldMetadata>) => ({
    ...described,
    [name]: { ...(described[name] as FieldMetadata), ...change },
  });
  const { name: _gone, ...without } = described;
  const added = { ...described, badge: { ...(described.name as FieldMetadata), label: 'Badge' } };

  it.each([
    ['a field was added', added],
    ['a field was removed', without],
    ['a field became required', withField('comment', { required: true })],
    ['a maximum changed', withField('name', { max_length: 7 })],
    ['a maximum was lifted', withField('name', { max_length: undefined as never })],
    ['a choice was removed', withField('role', { choices: [] })],
    [
      'a choice was added',
      withField('role', {
        choices: [...(described.role?.choices ?? []), { value: 'Guest', display_name: 'Guest' }],
      }),
    ],
    ['a field became read-only', withField('name', { read_only: true })],
  ])('differs when %s', (_what, metadata) => {
    expect(fieldsDiffer(user.fields, metadata, SUPER)).toBe(true);
  });

  it('does not differ in texts, read-only fields and keys that it does not use', () => {
    const renamed = withField('name', { label: 'Another', help_text: 'Another', default: 'x' });
    const fact = { ...(described.name as FieldMetadata), read_only: true };
    expect(fieldsDiffer(user.fields, { ...renamed, fact }, SUPER)).toBe(false);
  });
});
