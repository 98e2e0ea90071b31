// Holds the plain English that docs/glossary.md asks for: old words of our own do not come back.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

/** Words that a reader whose first language is not English stumbles over, each with what to write. */
const WORDS = [
  { word: /\bwhoever\b/i, write: 'name the user, caller or reader' },
  { word: /\banew\b/i, write: 'again' },
  {
    word: /\b(is|are|was|were|been|be|as|unless|so) told\b|\btold (by|apart|as|once)\b/i,
    write: 'is shown, is reported, is known by',
  },
  { word: /\b[Rr]oads?\b|SshRoad/, write: 'path, route or flow' },
  { word: /\b[Dd]oors?\b|GuardDoors|realDoors|SignInDoor/, write: 'page, entry or environment' },
  { word: /\b(mended|mends?)\b/i, write: 'fixed, fix' },
  { word: /\b[Mm]anners\b|teachManners/, write: 'behavior' },
  { word: /\b[Tt]wins?\b|[Tt]wins\b/, write: 'duplicate or counterpart' },
  { word: /\bhomeless\b/i, write: 'without a node' },
  { word: /\bin vain\b/i, write: 'timed out, without result' },
  { word: /\buseRoom\b/, write: 'useBreakpoints' },
  { word: /\b(stands?|stood)\b(?! for\b)/i, write: 'is, is shown, is written' },
  { word: /colour|favourite|behaviour|licence|\bgrey\b/i, write: 'the American spelling' },
];

/** Released migrations cannot change; the license, the list itself and the guide to wording quote the words. */
const EXEMPT =
  /^(LICENSE|package-lock\.json|server\/src\/migrations\/|scripts\/wording\.mjs|docs\/glossary\.md)/;

/** Every use of a word on the list, one line each. */
export function findOldWords() {
  return projectFiles(/\.(ts|tsx|mjs|css|html|md|json)$/)
    .filter((file) => !EXEMPT.test(file))
    .flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => {
          const found = WORDS.filter(({ word }) => word.test(line));
          return found.map(
            ({ word, write }) => `${file}:${index + 1}: “${word.exec(line)?.[0]}”: write ${write}`,
          );
        }),
    );
}
