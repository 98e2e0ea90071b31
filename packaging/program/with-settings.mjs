// Becomes a program that has the settings of a file in its environment:
// node with-settings.mjs FILE PROGRAM WORDS…
import { readFileSync } from 'node:fs';
import { readSettings } from './settings-file.mjs';

/** Exit status of a wrong configuration: the unit does not start again. */
const WRONG_CONFIGURATION = 78;

function read(file) {
  try {
    return readSettings(readFileSync(file));
  } catch (error) {
    // Without the file all settings have their defaults, as with EnvironmentFile=-.
    if (error.code === 'ENOENT') return { settings: {}, ignored: [] };
    const problem =
      error.code === 'EACCES'
        ? 'this account must not read it. Run the command as root or as the account sallyport.'
        : `${error.message}.`;
    process.stderr.write(`${file}: ${problem}\n`);
    process.exit(WRONG_CONFIGURATION);
  }
}

const [file, program, ...words] = process.argv.slice(2);
const { settings, ignored } = read(file);
for (const sentence of ignored) process.stderr.write(`${file}: ${sentence}.\n`);
// The program keeps the process id, which systemd and shells know.
process.execve(program, [program, ...words], { ...process.env, ...settings });
