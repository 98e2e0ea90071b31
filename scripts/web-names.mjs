// Holds the names of the files of the web (CONTRIBUTING.md): a reader knows from the name what a
// file exports. Biome holds their spelling.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

const COMPONENT = /^[A-Z][a-z]/;
const HOOK = /^use[A-Z]/;

/** Returns faults of a file's name, given its content. */
export function nameProblems(file, content) {
  const stem = basename(file).split('.')[0];
  if (file.endsWith('.module.css'))
    return COMPONENT.test(stem) ? [] : ['a style module is named like its component'];
  if (/\.(test|dom\.test)\.tsx?$|\.d\.ts$/.test(file)) return [];
  const exported = [...content.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const isComponent = (name) => file.endsWith('.tsx') && COMPONENT.test(name);
  const isHook = (name) => HOOK.test(name);
  const problems = [];
  if (COMPONENT.test(stem)) {
    if (!exported.some(isComponent))
      problems.push('PascalCase is for files that export a component');
  } else if (HOOK.test(stem)) {
    if (!exported.some(isHook)) problems.push('useX is for files that export a hook');
  } else {
    if (exported.length > 0 && exported.every(isComponent))
      problems.push('a file of components is named in PascalCase');
    if (exported.length > 0 && exported.every(isHook))
      problems.push('a file of hooks is named useX');
  }
  if (/= catalogue\(/.test(content) && stem !== 'words' && !file.startsWith('web/src/kit/i18n/'))
    problems.push('texts are in the words.ts of their folder');
  return problems;
}

/** Every file of the web whose name says something else than it contains, one line each. */
export function findWebNames() {
  return projectFiles(/^web\/src\/.*\.(tsx?|module\.css)$/).flatMap((file) =>
    nameProblems(file, readFileSync(join(ROOT, file), 'utf8')).map(
      (problem) => `${file}: ${problem}`,
    ),
  );
}
