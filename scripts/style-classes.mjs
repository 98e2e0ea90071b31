// Finds uses of classes that their style module does not have: such an element has no style, and
// neither a type nor a test says so.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

const IMPORT = /^import (\w+) from '(\.[^']+\.module\.css)';$/gm;

/** The classes of a style module. */
export function classesOf(sheet) {
  return new Set(
    [...sheet.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/\.([A-Za-z_][\w-]*)/g)].map(
      ([, name]) => name,
    ),
  );
}

/**
 * The classes that a file uses and that its style modules do not have, as `styles.name`.
 * @param readSheet gives the text of a style module for the path that the file imports
 */
export function missingClasses(content, readSheet) {
  return [...content.matchAll(IMPORT)].flatMap(([, variable, path]) => {
    const known = classesOf(readSheet(path));
    const used = new Set(
      [...content.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g'))].map(([, name]) => name),
    );
    return [...used].filter((name) => !known.has(name)).map((name) => `${variable}.${name}`);
  });
}

/** Every use of a class that is not there, one line each. */
export function findMissingClasses() {
  return projectFiles(/^web\/src\/.*\.tsx?$/).flatMap((file) =>
    missingClasses(readFileSync(join(ROOT, file), 'utf8'), (path) =>
      readFileSync(join(ROOT, normalize(join(dirname(file), path))), 'utf8'),
    ).map((name) => `${file}: ${name} is not in its style module`),
  );
}
