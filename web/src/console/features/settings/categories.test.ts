import { boolean } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { groupsOf, messagesIn, tabName } from './categories.ts';

const field = () => boolean({ label: { en: '', zh: '' } });

describe('the categories of the settings', () => {
  it('puts every field into a group, including unknown fields', () => {
    const fields = {
      SECURITY_MFA_AUTH: field(),
      SECURITY_PASSWORD_EXPIRATION_TIME: field(),
      SECURITY_PASSWORD_NUMBER: field(),
      NEW_ONE: field(),
    };
    expect(groupsOf('security', fields).map((group) => group.fields)).toEqual([
      ['SECURITY_MFA_AUTH'],
      ['SECURITY_PASSWORD_EXPIRATION_TIME', 'SECURITY_PASSWORD_NUMBER'],
      ['NEW_ONE'],
    ]);
    expect(
      groupsOf('ldap', { AUTH_LDAP_SYNC_CRONTAB: field(), AUTH_LDAP: field() }).map(
        (group) => group.fields,
      ),
    ).toEqual([['AUTH_LDAP'], ['AUTH_LDAP_SYNC_CRONTAB']]);
    expect(
      groupsOf('unheard_of', { A: field(), B: field() }).flatMap((group) => group.fields),
    ).toEqual(['A', 'B']);
  });

  it('assigns error messages only to fields of the own form', () => {
    expect(messagesIn('email', { 'email.EMAIL_PORT': ['bad'], 'security.X': ['other'] })).toEqual({
      EMAIL_PORT: ['bad'],
      'security.X': ['other'],
    });
  });

  it('returns names of categories for the address', () => {
    expect(['basic', 'email_content', 'ldap'].map(tabName)).toEqual([
      'Basic',
      'EmailContent',
      'Ldap',
    ]);
  });
});
