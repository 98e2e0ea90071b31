import { unique } from './builders.ts';
import type { Client } from './client.ts';

/** A rule that never holds. */
const NEVER = { hours: ['Mon-Sun 00:00-24:00'], hours_excluded: true };

/** Refuses every sign-in of a user by a rule, while `work` runs. */
export async function whileRefused<Result>(
  administrator: Client,
  user: unknown,
  work: () => Promise<Result>,
): Promise<Result> {
  const body = { name: unique('rule'), users: [user], ...NEVER };
  const rule = await administrator.post('users/sign-in-rules/', body);
  if (rule.status !== 201) throw new Error(`the rule answered ${rule.status} ${rule.text}`);
  try {
    return await work();
  } finally {
    await administrator.delete(`users/sign-in-rules/${rule.body.id}/`);
  }
}
