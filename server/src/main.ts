import { readConfig, StartError } from './config.ts';
import type { Demo } from './demo/demo.ts';
import { assertDemoIsSafe } from './demo/guard.ts';
import { createLog } from './platform/log.ts';
import { startProgram } from './program.ts';

/** The command: starts the server and stops it in order when it is told to. */
async function main(): Promise<void> {
  const began = performance.now();
  const flags = process.argv.slice(2);
  const config = readConfig(process.env, flags);
  assertDemoIsSafe(config);
  const log = createLog(config.logLevel);
  const program = await startProgram(config, log);

  let demo: Demo | undefined;
  let isStopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping: sessions are ended, recordings finished');
    void (async () => {
      await program.stop();
      await demo?.stop();
      log.info('stopped');
      process.exit(0);
    })();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  if (config.demo) {
    try {
      const { fillDemo } = await import('./demo/demo.ts');
      demo = await fillDemo(program, config.dataDirectory, log);
    } catch (error) {
      await program.stop();
      throw error;
    }
  }
  const lines = [`Sallyport ${config.demo ? 'with sample data (demo) ' : ''}is ready: ${program.url}`];
  if (program.adminPassword) lines.push(`Sign in as admin with the password ${program.adminPassword} (it is shown this once; change it in your profile).`);
  lines.push(...(demo?.lines ?? []));
  process.stdout.write(`${lines.join('\n')}\n`);
  log.info({ milliseconds: Math.round(performance.now() - began), memory: Math.round(process.memoryUsage.rss() / 1_048_576) }, 'ready');
}

main().catch((error: unknown) => {
  // What the operator can mend is one sentence; anything else is a defect and keeps its stack.
  process.stderr.write(
    error instanceof StartError
      ? `Sallyport cannot start. ${error.message}\n`
      : `Sallyport cannot start.\n${error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
});
