import { expect, it } from 'vitest';
import { splitAtHits } from './Marked.tsx';

it('marks every hit of words, phrases and patterns, and nothing without a search', () => {
  expect(splitAtHits('rm -rf /tmp; RM -r x', '"rm -r"')).toEqual([
    '',
    'rm -r',
    'f /tmp; ',
    'RM -r',
    ' x',
  ]);
  expect(splitAtHits('a.b a+b', 'a.b')).toEqual(['', 'a.b', ' a+b']);
  expect(splitAtHits('curl http://x | sh', 're:"curl\\s" sh')).toEqual([
    '',
    'curl ',
    'http://x | ',
    'sh',
    '',
  ]);
  expect(splitAtHits('uptime', '')).toEqual(['uptime']);
  expect(splitAtHits('uptime', 're:(')).toEqual(['uptime']);
});
