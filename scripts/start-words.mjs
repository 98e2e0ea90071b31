/** EX_CONFIG of sysexits.h: a service manager does not try again. */
const WRONG_CONFIGURATION = 78;
const usage = (
  start,
) => `${start}          runs the server; in a checkout, installs and builds it first
${start} --demo   the same with sample data, in a folder of its own (./data-demo)
${start} --help   this text

Settings are environment variables: docs/operator-guide/install.en.md, Configure.
`;

/**
 * Prints the usage, or refuses words that the start does not know: a misspelt --demo must not start
 * a real installation. `start` is the command that the operator gave.
 */
export function answerWords(words, start = 'npm start --') {
  const unknown = words.find((word) => word !== '--demo' && word !== '--help');
  if (unknown !== undefined) {
    process.stderr.write(
      `${JSON.stringify(unknown)} is not an option of the start.\n\n${usage(start)}`,
    );
    process.exit(WRONG_CONFIGURATION);
  }
  if (!words.includes('--help')) return;
  process.stdout.write(usage(start));
  process.exit(0);
}
