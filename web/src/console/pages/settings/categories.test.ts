import type { FieldMetadata } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { drawnFields, groupsOf, messagesIn, tabName } from './categories.ts';

const field = (more: Partial<FieldMetadata> = {}): FieldMetadata => ({
  type: 'string',
  required: false,
  read_only: false,
  write_only: false,
  label: '',
  ...more,
});

describe('the categories of the settings', () => {
  it('put every field into a group, also one that is new', () => {
    const fields = { SECURITY_MFA_AUTH: field(), SECURITY_PASSWORD_EXPIRATION_TIME: field(), SECURITY_PASSWORD_NUMBER: field(), NEW_ONE: field() };
    expect(groupsOf('security', fields).map((group) => group.fields)).toEqual([
      ['SECURITY_MFA_AUTH', 'SECURITY_PASSWORD_EXPIRATION_TIME', 'NEW_ONE'],
      ['SECURITY_PASSWORD_NUMBER'],
    ]);
    expect(groupsOf('ldap', { AUTH_LDAP_SYNC_CRONTAB: field(), AUTH_LDAP: field() }).map((group) => group.fields)).toEqual([
      ['AUTH_LDAP'],
      ['AUTH_LDAP_SYNC_CRONTAB'],
    ]);
    expect(groupsOf('unheard_of', { A: field(), B: field() }).flatMap((group) => group.fields)).toEqual(['A', 'B']);
  });

  it('draw an object as its text, and leave links alone', () => {
    const drawn = drawnFields({ MAP: field({ type: 'field' }), LINK: field({ type: 'field', target: 'asset' }), TEXT: field() });
    expect(Object.values(drawn).map(({ type }) => type)).toEqual(['json', 'field', 'string']);
  });

  it('put the sentences of a refusal under the fields of their own form only', () => {
    expect(messagesIn('email', { 'email.EMAIL_PORT': ['bad'], 'security.X': ['other'] })).toEqual({ EMAIL_PORT: ['bad'], 'security.X': ['other'] });
  });

  it('have names for the address', () => {
    expect(['basic', 'email_content', 'ldap'].map(tabName)).toEqual(['Basic', 'EmailContent', 'Ldap']);
  });
});
