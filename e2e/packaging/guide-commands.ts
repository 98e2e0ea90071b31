import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const GUIDE = resolve(import.meta.dirname, '../../docs/operator-guide');

/**
 * Commands of the guide that need another machine, another product or a loss. Separate tests run
 * them.
 */
const ELSEWHERE: readonly RegExp[] = [
  /^apply$/,
  /^apply -f (?!objects\.yaml --key=key\.txt$)/,
  /^database move /,
  /^import (?!undo$)/,
  /^import undo ID/,
  /^restore (s3:|\S+\.spbackup)/,
  /^key forget/,
  /^server new-identity/,
];

const isRunnable = (command: string) => !ELSEWHERE.some((pattern) => pattern.test(command));

/** Returns the commands of the guide in a language that an installed package can run. */
function runnableIn(language: 'en' | 'zh'): string[] {
  const pattern = /(?:npm run sallyport -- |(?<=`|^)sallyport )([a-z-][^`\n]*)/gm;
  const commands = readdirSync(GUIDE)
    .filter((name) => name.endsWith(`.${language}.md`))
    .flatMap((name) => [...readFileSync(join(GUIDE, name), 'utf8').matchAll(pattern)])
    .map(([, words = '']) => words.replace(/\s+#.*$/, '').trim());
  return [...new Set(commands)].filter(isRunnable);
}

/**
 * Returns the commands for operators that an installed package can run, as the guide writes them.
 *
 * @throws Error if the two languages name different commands
 */
export function runnableCommands(): string[] {
  const [english, chinese] = [runnableIn('en'), runnableIn('zh')];
  const different = [
    ...english.filter((command) => !chinese.includes(command)),
    ...chinese.filter((command) => !english.includes(command)),
  ];
  if (different.length > 0)
    throw new Error(`one language of the guide lacks: ${different.join('; ')}`);
  return english;
}
