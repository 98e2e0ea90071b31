import type { Demo } from '../../demo/demo.ts';
import { type Config, readConfig, StartError } from './config.ts';
import { createLog } from './platform/log.ts';
import { watchLoopDelay } from './platform/loop-delay.ts';
import { reportEnd, reportReady } from './platform/process/supervisor.ts';
import { assertDemoIsSafe } from './start/demo-guard.ts';
import { describeFailure } from './start/describe-failure.ts';
import { createLifetime } from './start/lifetime.ts';
import { openFolder } from './start/open-folder.ts';

/** Tells the supervisor not to retry (EX_CONFIG of sysexits.h). */
const WRONG_CONFIGURATION = 78;

/** Starts the server and stops it cleanly on a signal. */
async function main(): Promise<void> {
  const began = performance.now();
  const flags = process.argv.slice(2);
  const config = readConfig(process.env, flags);
  assertDemoIsSafe(config);
  const everyProcess = createLog(config.logLevel, undefined, config.logFormat);
  const log = config.worker ? everyProcess.child({ process: config.worker.number }) : everyProcess;
  const lifetime = createLifetime(log);
  let demo: Demo | undefined;
  // The first step added runs last: sessions with demo targets end because the program stops.
  lifetime.onStop(async () => demo?.stop());
  if (config.hasParent && !config.worker) {
    const { runProcesses } = await import('./start/processes.ts');
    if (await runProcesses(config, log, lifetime, flags))
      log.info({ milliseconds: Math.round(performance.now() - began) }, 'ready');
    return;
  }
  // The database starts while the program is loaded.
  const folder = await openFolder(config, log, lifetime);
  const { startProgram } = await import('./program.ts');
  const program = await startProgram(config, log, { lifetime, folder }).catch((error: unknown) => {
    if (!lifetime.isStopping()) throw error;
  });
  // The lifetime exits the process.
  if (!program) return;

  if (config.demo) {
    try {
      const { fillDemo } = await import('../../demo/demo.ts');
      demo = await fillDemo(program, config.dataDirectory, log);
    } catch (error) {
      await program.stop();
      throw error;
    }
  }
  const { SALLYPORT_TEST_LOOP_DELAY: delayFile } = process.env;
  if (delayFile) watchLoopDelay(delayFile);
  const lines = [
    `Sallyport ${config.demo ? 'with sample data (demo) ' : ''}is ready: ${program.url}`,
  ];
  if (program.sshPort > 0)
    lines.push(`SSH: ssh -p ${program.sshPort} USER@ACCOUNT@SERVER@${sshAddress(config)}`);
  if (program.adminPassword)
    lines.push(
      `Sign in as admin with the password ${program.adminPassword} (it is shown this once; change it in your profile).`,
    );
  lines.push(...(demo?.lines ?? []));
  // Among several processes, the parent prints the lines when all of them are ready.
  if (!config.worker) process.stdout.write(`${lines.join('\n')}\n`);
  reportReady(lines);
  log.info(
    {
      milliseconds: Math.round(performance.now() - began),
      memory: Math.round(process.memoryUsage.rss() / 1_048_576),
    },
    'ready',
  );
}

/** Returns a host to connect to, for the host that the server listens on. */
function sshAddress({ sshHost }: Pick<Config, 'sshHost'>): string {
  return ['0.0.0.0', '::'].includes(sshHost) ? 'localhost' : sshHost;
}

main().catch((error: unknown) => {
  reportEnd(error instanceof Error ? error.message : String(error));
  process.stderr.write(`Sallyport cannot start. ${describeFailure(error)}\n`);
  process.exit(error instanceof StartError && !error.isTemporary ? WRONG_CONFIGURATION : 1);
});
