import { type Health, type Profile, type PublicSettings, Role } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import type { ConsoleSession } from '../../base/session.tsx';
import { factsAsText, supportFacts } from './support-facts.ts';

const profile: Partial<Profile> = {
  username: 'zhang',
  name: 'Zhang San',
  email: 'zhang@example.com',
  phone: '13800000000',
};

const settings: Partial<PublicSettings> = {
  VERSION: '2.1.0',
  PRODUCT_VERSION: '2.3.1',
  PRODUCT_COMMIT: '1114d68fae21',
  XPACK_LICENSE_IS_VALID: false,
  DEMO_MODE: false,
};

const session = {
  profile: profile as Profile,
  settings: settings as PublicSettings,
  organization: { id: 'DEFAULT', name: 'DEFAULT' },
  organizations: [],
  screens: [],
  parts: [],
  role: { roles: [Role.OrgAdmin], permissions: Role.OrgAdmin, current: Role.OrgAdmin },
} satisfies ConsoleSession;

const health: Health = {
  status: 0,
  time: 1_795_148_309,
  version: '2.3.1',
  demo: false,
  dependencies: { database: { status: 'up' }, recordings: { status: 'down' } },
};

const around = { agent: 'Browser/1', width: 1440, height: 900 };

describe('what is attached to a request for help', () => {
  it('names version, license, health, account, permissions and browser', () => {
    const text = factsAsText(supportFacts(session, health, around));
    for (const part of [
      'Sallyport 2.3.1 (1114d68fae21)',
      '无',
      '数据库: 正常',
      '录像存储: 异常',
      'zhang',
      'DEFAULT',
      'AUDIT + ADMIN',
      'Browser/1',
      '1440 × 900',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('example.com');
    expect(text).not.toContain('13800000000');
  });

  it('reports facts that could not be loaded', () => {
    expect(factsAsText(supportFacts(session, undefined, around))).toContain('数据库: 无法读取');
  });
});
