// sallyport start: runs the server of a package, and restarts it after a crash. The bundle holds
// this file.
import { join } from 'node:path';
import malloc from '../../scripts/malloc.json' with { type: 'json' };
import nodeFlags from '../../scripts/node-flags.json' with { type: 'json' };
import { answerWords } from '../../scripts/start-words.mjs';
import { supervise } from '../../scripts/supervise.mjs';

const flags = process.argv.slice(2);
answerWords(flags, 'sallyport start');
const program = (name) => [...nodeFlags, join(import.meta.dirname, name), ...flags];
// Without a cache of compiled code: the account of the server would write what it later runs.
supervise(process.execPath, program('main.mjs'), {
  cleanUp: program('stop-leftovers.mjs'),
  env: { ...malloc, ...process.env },
});
