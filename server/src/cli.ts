import { runCommandLine } from './command-line.ts';

const status = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
});
process.exit(status);
