import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

/** Another console can be at `/ui/`: only its start is linked from outside of our console. */
const PAGE = /['"`(}]\/ui\/(?:[^'"`)\s*]+|\$\{)/g;
/** The console itself, and texts without a link: tests, examples, comments. */
const INSIDE =
  /\.test\.|^web\/src\/(?:console|testing)\/|^server\/src\/testing\/|^contract\/src\/resources\/|^web\/vite\.config/;

/**
 * Pages that are named with `/ui/` on purpose: comments of permissions are texts, and mails replace
 * the address.
 */
const NAMED = [
  'server/src/features/emergency/open.ts',
  'server/src/features/identity/mail/digests.ts',
  'server/src/features/identity/mail/jobs.ts',
  'server/src/features/tickets/asset-requests/kind.ts',
  'server/src/features/tickets/asset-requests/reminders.ts',
  'server/src/features/tickets/tell-users.ts',
];

it('links pages of the console below its second address, wherever the link is', () => {
  const linking = projectFiles(/^(?:server|web|contract|sallyctl)\/.*\.(?:tsx?|html)$/).filter(
    (path) => !INSIDE.test(path) && readFileSync(join(ROOT, path), 'utf8').match(PAGE) !== null,
  );
  expect(linking.toSorted()).toEqual(NAMED);
});
