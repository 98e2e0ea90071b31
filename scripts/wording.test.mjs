import { expect, it } from 'vitest';
import { faultsOfCode } from './wording.mjs';

it.each([
  'Whether this server can do its work.',
  'The own account.',
  'Take the answer away.',
  'Who can use a system user, and of late how often.',
  'Mail somebody a link.',
])('refuses the summary “%s”', (summary) => {
  expect(faultsOfCode(`route({ summary: '${summary}' });`)).not.toEqual([]);
  expect(faultsOfCode(`route({ summary:\n  "${summary}" });`)).not.toEqual([]);
});

it('accepts a summary that names the thing or begins with a verb', () => {
  for (const summary of ['Your account.', 'Send a password reset link.', 'List your passkeys.'])
    expect(faultsOfCode(`route({ summary: '${summary}' });`)).toEqual([]);
});
