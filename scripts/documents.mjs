// Documents that say something about the code are held against the code.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findStaleAuthorization } from './authorization.mjs';
import { NODE, ROOT, runQuietly } from './lib.mjs';

/** What is out of date, one line each. */
export async function findStaleDocuments() {
  return [...(await findMissingVariables()), ...findMissingTests(), ...(await findStaleAuthorization())];
}

/** Both READMEs name every environment variable with its default. */
async function findMissingVariables() {
  const script = `import { VARIABLES } from ${JSON.stringify(join(ROOT, 'server/src/config.ts'))}; console.log(JSON.stringify(VARIABLES));`;
  const { status, output } = await runQuietly(NODE, ['--input-type=module', '--disable-warning=ExperimentalWarning', '-e', script]);
  if (status !== 0) return [`the list of environment variables cannot be read: ${output}`];
  const variables = JSON.parse(output);
  return ['README.md', 'README.zh-CN.md'].flatMap((file) => {
    const text = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '';
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    return variables.flatMap(({ name, fallback }) => {
      const row = rows.find((line) => line.includes(`\`${name}\``));
      if (!row) return [`${file} does not describe ${name}`];
      return fallback && !row.includes(`\`${fallback}\``) ? [`${file} does not give ${name} its default ${fallback}`] : [];
    });
  });
}

/** Every test that docs/conformance.md names exists: `path › title`, the title being a part of a test's name in that file. */
function findMissingTests() {
  const file = join(ROOT, 'docs/conformance.md');
  if (!existsSync(file)) return ['docs/conformance.md is missing'];
  const text = readFileSync(file, 'utf8');
  const named = [...text.matchAll(/`([\w./-]+\.test\.tsx?) › ([^`]+)`/g)];
  const missing = named.flatMap(([, path, title]) => {
    const source = existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined;
    if (source === undefined) return [`docs/conformance.md names ${path}, which does not exist`];
    return source.includes(title) ? [] : [`docs/conformance.md names the test “${title}”, which is not in ${path}`];
  });
  const rows = text.split('\n').filter((line) => /^\| \d/.test(line));
  const unproven = rows
    .filter((line) => /\| whole \|/.test(line) && !line.includes(' › '))
    .map((line) => `docs/conformance.md calls whole without a test: ${line.slice(0, 80)}`);
  const states = (state) => rows.filter((line) => line.includes(`| ${state} |`)).length;
  const totals = `Of ${rows.length} statements ${states('whole')} are whole, ${states('partial')} partial and ${states('not yet')} not yet.`;
  const counted = text.includes(totals) ? [] : [`docs/conformance.md should say at its head: ${totals}`];
  return named.length === 0 ? ['docs/conformance.md names no test'] : [...missing, ...unproven, ...counted];
}
