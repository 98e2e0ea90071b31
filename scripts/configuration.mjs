// node scripts/configuration.mjs: writes docs/configuration.md and its Chinese counterpart from the
// declared environment variables. The check compares both.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NODE, ROOT, runQuietly, say } from './lib.mjs';

const PAGES = {
  en: {
    file: 'docs/configuration.md',
    head: `# Configuration

English | [简体中文](configuration.zh.md)

Environment variables configure the server. A wrong value stops the start with a sentence that
names the variable, the problem and an example. So does a variable that begins with \`SALLYPORT_\`
and is not in this table.

| Variable | Default | Meaning | Example |
| --- | --- | --- | --- |
`,
    none: 'none',
  },
  zh: {
    file: 'docs/configuration.zh.md',
    head: `# 配置

[English](configuration.md) | 简体中文

全部通过环境变量设置。值有误时启动会停止，并用一句话指出变量、问题和示例；以 \`SALLYPORT_\` 开头但不在下表中的变量也是如此。

| 变量 | 默认值 | 含义 | 示例 |
| --- | --- | --- | --- |
`,
    none: '无',
  },
};

async function readVariables() {
  const declaration = pathToFileURL(join(ROOT, 'server/src/config-variables.ts')).href;
  const { status, output } = await runQuietly(NODE, [
    '--input-type=module',
    '--disable-warning=ExperimentalWarning',
    '-e',
    `import { VARIABLES } from '${declaration}'; console.log(JSON.stringify(VARIABLES));`,
  ]);
  if (status !== 0) throw new Error(`the environment variables cannot be read: ${output}`);
  return JSON.parse(output);
}

const textOf = (variables, language) => {
  const { head, none } = PAGES[language];
  const rows = variables.map(
    ({ name, fallback, meaning, example }) =>
      `| \`${name}\` | ${fallback ? `\`${fallback}\`` : none} | ${meaning[language]} | \`${example}\` |\n`,
  );
  return head + rows.join('');
};

/** Returns the pages that differ from the declaration, one line each. */
export async function findOutdatedConfiguration() {
  const variables = await readVariables();
  return Object.entries(PAGES)
    .filter(
      ([language, { file }]) =>
        readFileSync(join(ROOT, file), 'utf8') !== textOf(variables, language),
    )
    .map(([, { file }]) => `${file} is out of date: node scripts/configuration.mjs`);
}

if (process.argv[1] === import.meta.filename) {
  const variables = await readVariables();
  for (const [language, { file }] of Object.entries(PAGES))
    writeFileSync(join(ROOT, file), textOf(variables, language));
  say('docs/configuration.md and docs/configuration.zh.md are up to date.');
}
