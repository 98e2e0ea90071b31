import { expect, it } from 'vitest';
import { outdatedGaps } from './documents.mjs';

const MODEL =
  '| 31 | A typed line that a command filter denies does not reach the server | `a.test.ts › refuses it` |\n| 99 | Encrypted recordings are planned | none |';

it('refuses a missing thing that a promise with a test names, and no other', () => {
  const page = (thing) =>
    `# Security\n\n## What does not exist\n\n- **${thing}.** Later.\n\n## Hardening\n\n- **Command filters.**\n`;
  expect(outdatedGaps(page('Command filters'), MODEL)).toEqual([
    expect.stringContaining('"Command filters" does not exist'),
  ]);
  expect(outdatedGaps(page('Encrypted recordings'), MODEL)).toEqual([]);
  expect(outdatedGaps('# Security', MODEL)).toEqual([expect.stringContaining('no section')]);
});
