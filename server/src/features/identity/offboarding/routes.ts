import {
  boolean,
  choice,
  OFFBOARDING_REASON_MAX,
  OFFBOARDING_WAYS,
  type OffboardingFacts,
  type OffboardingPlan,
  type OffboardingResult,
  Permission,
  type SharedAccount,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { exampleId } from '../../../http/openapi/examples.ts';
import { parameter, readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import type { OffboardingOptions } from './facts.ts';
import { offboard, planOffboarding } from './service.ts';

const URL = '/api/v1/users/users/:id/offboarding/';

const WANTED = {
  way: choice({
    label: { en: 'Method', zh: '方式' },
    choices: [
      { value: OFFBOARDING_WAYS[0], label: { en: 'Disable the account', zh: '禁用账号' } },
      { value: OFFBOARDING_WAYS[1], label: { en: 'Delete the account', zh: '删除账号' } },
    ],
  }),
  reason: text({
    label: { en: 'Reason', zh: '原因' },
    max: OFFBOARDING_REASON_MAX,
    example: 'Left the company',
  }),
  public_key: boolean({
    label: { en: 'Remove the SSH key', zh: '移除 SSH 公钥' },
    defaultValue: true,
  }),
  groups: boolean({
    label: { en: 'Remove from all groups', zh: '移出所有用户组' },
    defaultValue: true,
  }),
  permissions: boolean({
    label: { en: 'Remove from all permissions', zh: '移出所有授权' },
    defaultValue: true,
  }),
};

const FACTS: OffboardingFacts = {
  sign_ins: 2,
  access_keys: 1,
  public_key: true,
  sessions: { count: 1, names: ['web-prod-01'] },
  groups: { count: 1, names: ['Operations'] },
  permissions: { count: 1, names: ['Web servers for the shop team'] },
};
const ACCOUNT: SharedAccount = {
  id: exampleId('system_user'),
  name: 'deploy',
  username: 'deploy',
  protocol: 'ssh',
  organization: '',
  date_last: '2026-11-20 09:30:00 +0800',
};
const PLAN: OffboardingPlan = {
  user: 'Li Wei(li.wei)',
  facts: FACTS,
  accounts: [ACCOUNT],
  refusals: { disable: null, remove: 'You can’t change this.' },
  may_remove_key: true,
};
const NONE: OffboardingFacts = { ...FACTS, sign_ins: null, access_keys: null };

/** Offboards the user of the path. */
async function run(options: OffboardingOptions, context: Context): Promise<OffboardingResult> {
  const { way, reason, public_key, groups, permissions } = readBody(context, WANTED);
  return offboard(
    options,
    parameter(context, 'id'),
    {
      way,
      reason: reason.trim(),
      publicKey: public_key !== false,
      groups: groups !== false,
      permissions: permissions !== false,
    },
    context,
  );
}

/** Routes that show what offboarding a user changes, and do it. */
export function mountOffboarding(app: FastifyInstance, options: OffboardingOptions): void {
  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.ADMIN,
    summary: 'Preview the consequences of offboarding a user.',
    answer: samples<OffboardingPlan>(PLAN, {
      ...PLAN,
      facts: NONE,
      accounts: [{ ...ACCOUNT, date_last: null }],
      refusals: { disable: 'You can’t change this.', remove: null },
    }),
    handler: (context) => planOffboarding(options, parameter(context, 'id'), context),
  });
  route(app, {
    method: 'POST',
    url: URL,
    access: Permission.ADMIN,
    summary:
      'Disable or delete the account of a user who leaves and remove it from groups and permissions, in one transaction.',
    body: WANTED,
    answer: samples<OffboardingResult>(
      { way: 'disable', done: FACTS, accounts: [ACCOUNT] },
      { way: 'remove', done: NONE, accounts: [{ ...ACCOUNT, date_last: null }] },
    ),
    handler: (context) => run(options, context),
  });
}
