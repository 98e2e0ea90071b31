// Refuses the constructions that make a text hard to read, in comments, test titles, names and
// documents. docs/glossary.md says how to write instead.
// `node scripts/wording.mjs server/src/http` prints the faults of one folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

/** Constructions that no text uses, each with the remedy. */
const CONSTRUCTIONS = [
  [/\b(somebody|anybody|nobody|someone|anyone|everybody|everyone|whoever|whom)\b/i, 'name it'],
  [/\bof (its|their|his|her|one's|our|your) own\b|\bof theirs\b/i, 'own …'],
  [
    /\b(anew|at the most|to the letter|for good|all the same|in vain|beside|so many)\b/i,
    'again, at most, exactly, permanently, still, next to, a number',
  ],
  [/\bcomes? to nothing\b|\bwhat becomes of\b|\bin need\b/i, 'fails, the result of'],
  [
    /\b(it|there) (is|was) (looked|waited|asked|told|said|known|read|written)\b/i,
    'say who does it',
  ],
  [
    /\b(is|are|was|were|be|been) (there|gone|over|once|told|looked at|waited for)\b(?! than)/i,
    'exists, has ended, say who does it',
  ],
  [/\b(goes|go|went|going) on\b|\b(stands|stood)\b(?! for)/i, 'continues, is'],
  [
    /\b(of|by|for|to|with|from|than|as|in|on|is|are|and|or|but) what (is|are|was|were|has|have|had|it|they|the|a|an|can|may|must|comes|does|did)\b/i,
    'name the thing',
  ],
  [/\b(of|by|for|to|with|from|than|as) who\b/i, 'name the person or the program'],
  [
    /\b(mended|mends?|homeless|twins?|doings|manners)\b/i,
    'fixed, without a node, counterpart, actions, behavior',
  ],
  [/colour|favourite|behaviour|licence|\bgrey\b/i, 'the American spelling'],
];

/** Beginnings of a sentence without a subject that has a name. */
const BEGINNINGS = [
  [/^(What|Who)\b(?! to )(?!.*\?)/, 'begin with the thing or the person'],
  [/^Whether\b/, 'Returns true if …'],
  [/^(Of|Why|How)\b(?! to )(?!.*\?)/, 'write a full sentence, or none'],
];

/** Beginnings and phrases that a published summary of a route does not use. */
const SUMMARIES = [
  [/^(What|Who|Whom|Whether|How|When|Where|Why)\b/, 'List …, Check if …, The … of …'],
  [/^Nothing\b|\bthe own\b|\bat which one\b/i, 'Returns an empty object, your …'],
  [/\b(gives?|takes?) (\w+ ){0,4}(away|up)\b/i, 'Remove …, Cancel …'],
  [/\bwhatever\b|\bwhat is in the way\b|\bof late\b/i, 'any, why not, recent'],
];

/** Names that hide what they hold. */
const VAGUE_NAME =
  /\b(?:const|let|function) (said|given|found|made|shown|asked|wanted|named|doings)\b/;
const VAGUE_FILE =
  /(^|\/)(said|given|ends|in-need|covering|whom-to-ask|narrow|doings)(\.peers)?(\.test)?\.(ts|tsx|mjs)$/;

/** A title starts with a verb in the present. */
const TITLE = /^(?!(is|its|this|as|was|always|plus|less|unless|us|others)\b)[a-z]+s\b/;
const MAX_WORDS = 30;

/** Files that quote the constructions, or that cannot change. */
const EXEMPT =
  /^(LICENSE|package-lock\.json|server\/src\/migrations\/|scripts\/wording\.(test\.)?mjs|docs\/glossary\.md)/;

/** Folders whose language is not revised yet, and pages that are generated or mostly quotes. */
const LATER = /^(docs\/(authorization|conformance)\.md)/;

/** Faults of all project files, one line each. `under` limits them to paths with that beginning. */
export function findHardWords(under = '', later = undefined) {
  return projectFiles(/\.(ts|tsx|mjs|css|md)$/)
    .filter(
      (file) =>
        file.startsWith(under) &&
        !later?.test(file) &&
        !EXEMPT.test(file) &&
        !/\.zh(-CN)?\.md$/.test(file),
    )
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const faults = file.endsWith('.md') ? faultsOfDocument(text) : faultsOfCode(text);
      if (VAGUE_FILE.test(file)) faults.push([1, 'the name of the file hides what it holds']);
      return faults.map(([line, fault]) => `${file}:${line} ${fault}`);
    });
}

/** Faults of a program: [line, text]. */
export function faultsOfCode(source) {
  const faults = [];
  for (const { index, text } of commentsOf(source)) {
    for (const fault of faultsOfProse(text)) faults.push([lineOf(source, index), fault]);
  }
  for (const match of source.matchAll(
    /\b(?:it|journey)(?:\.each\([^`]*?\))?\(\s*(?:'((?:[^'\\\n]|\\.)*)'|`([^`]*)`|"([^"\n]*)")/g,
  )) {
    const title = match[1] ?? match[2] ?? match[3];
    const line = lineOf(source, match.index);
    if (!TITLE.test(title))
      faults.push([line, `“${title}”: start with a verb: rejects …, returns …`]);
    for (const [pattern, remedy] of CONSTRUCTIONS) {
      const found = pattern.exec(title);
      if (found) faults.push([line, `“${found[0]}”: ${remedy}`]);
    }
  }
  for (const [line, text] of summariesOf(source))
    for (const fault of faultsOfSummary(text)) faults.push([line, fault]);
  for (const match of source.matchAll(new RegExp(VAGUE_NAME, 'g'))) {
    faults.push([lineOf(source, match.index), `“${match[1]}”: take the noun of the thing`]);
  }
  return faults;
}

/** Published summaries of routes: [line, text]. */
function summariesOf(source) {
  const quoted = /\bsummary:\s*(?:'((?:[^'\\\n]|\\.)*)'|`([^`]*)`|"([^"\n]*)")/g;
  return [...source.matchAll(quoted)].map((match) => [
    lineOf(source, match.index),
    match[1] ?? match[2] ?? match[3],
  ]);
}

function faultsOfSummary(text) {
  const plain = text.replaceAll(/`[^`]*`|\$\{[^}]*\}/g, 'X');
  const old = SUMMARIES.flatMap(([pattern, remedy]) => {
    const found = pattern.exec(plain);
    return found ? [`“${found[0]}”: ${remedy}`] : [];
  });
  return [...old, ...faultsOfProse(text, 40)];
}

/** Returns the number of route summaries with faults. */
export const countHardSummaries = () =>
  projectFiles(/^server\/src\/.*\.ts$/)
    .flatMap((file) => summariesOf(readFileSync(join(ROOT, file), 'utf8')))
    .filter(([, text]) => faultsOfSummary(text).length > 0).length;

/** Faults of a page in Markdown, code excluded: [line, text]. */
export function faultsOfDocument(page) {
  let code = false;
  return page.split('\n').flatMap((line, index) => {
    if (/^\s*```/.test(line)) code = !code;
    return code
      ? []
      : faultsOfProse(line.replaceAll(/`[^`]*`/g, 'X'), 40).map((f) => [index + 1, f]);
  });
}

/** Strings come first, so that a mark of a comment inside of one does not count. */
const TOKEN =
  /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\*\*?([\s\S]*?)\*\/|\/\/ ?([^\n]*(?:\n[ \t]*\/\/[^\n]*)*)/g;

/** Comments of a program with the place where each begins; lines of one paragraph are joined. */
function* commentsOf(source) {
  for (const match of source.matchAll(TOKEN)) {
    const raw = match[1] ?? match[2];
    if (raw === undefined || /^\s*(biome-ignore|@ts-|@vitest)/.test(raw)) continue;
    const text = raw.replaceAll(/\n[ \t]*(\*|\/\/)?[ \t]*/g, '\n').trim();
    yield { index: match.index + match[0].indexOf(raw), text };
  }
}

function faultsOfProse(text, maxWords = MAX_WORDS) {
  const plain = text.replaceAll(/`[^`]*`/g, 'X').replaceAll(/[“"][^”"]*[”"]/g, 'X');
  const faults = CONSTRUCTIONS.flatMap(([pattern, remedy]) => {
    const found = pattern.exec(plain);
    return found ? [`“${found[0]}”: ${remedy}`] : [];
  });
  for (const sentence of plain.replaceAll(/\n(?!\n|[-*|])/g, ' ').split(/(?<=[.:;?!])\s+|\n+|\|/)) {
    const words = sentence.trim().split(/\s+/).length;
    if (words > maxWords) faults.push(`“${sentence.trim().slice(0, 50)}…”: ${words} words`);
    for (const [pattern, remedy] of BEGINNINGS) {
      if (pattern.test(sentence.trim()))
        faults.push(`“${sentence.trim().slice(0, 40)}”: ${remedy}`);
    }
  }
  return faults;
}

/** Those of all folders that are revised. */
export const findNewHardWords = () => findHardWords('', LATER);

const lineOf = (source, index) => source.slice(0, index).split('\n').length;

if (process.argv[1] === import.meta.filename) {
  const faults = findHardWords(process.argv[2]);
  for (const fault of faults) console.log(fault);
  console.log(`${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}
