// Runs the server and starts it again when it crashed.
import { spawn, spawnSync } from 'node:child_process';

/** Exit status of the server when its configuration is wrong. */
const WRONG_CONFIGURATION = 78;
/** Pause before the next start. Doubles each time until a start has run for a while. */
const FIRST_WAIT_MILLISECONDS = 1_000;
const LONGEST_WAIT_MILLISECONDS = 60_000;
const STEADY_MILLISECONDS = 5 * 60_000;
/** Maximum attempts of a server that never became ready: the operator waits for the message. */
const ATTEMPTS_BEFORE_READY = 5;

/** Interval between checks that npm still runs. */
const PARENT_CHECK_MILLISECONDS = 500;

/**
 * Calls `stop` once the parent process has ended. npm starts a shell that does not pass SIGTERM on:
 * npm and shell end, and the program would stay.
 */
function watchParent(stop) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop('SIGTERM');
  }, PARENT_CHECK_MILLISECONDS);
  timer.unref();
}

/** One line of the log, in the form of the server's own. */
function logLine(level, fields, message) {
  process.stdout.write(
    `${JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg: message })}\n`,
  );
}

/**
 * Runs a program until it ends in order, passing signals on. After a crash it is started again,
 * with growing pauses, and learns why it ended.
 * An orderly end and a wrong configuration end this process as well.
 *
 * `firstWait` is the first pause, in milliseconds. `cleanUp` are the words of a program that ends
 * what a crashed one left running; it runs where the crash is not followed by another start.
 */
export function supervise(
  command,
  words,
  { cleanUp, firstWait = FIRST_WAIT_MILLISECONDS, ...options } = {},
) {
  let child;
  let timer;
  let isStopping = false;
  let hasBeenReady = false;
  let failures = 0;
  let restarts = 0;

  const giveUp = (status) => {
    if (cleanUp && failures > 0) spawnSync(command, cleanUp, { ...options, stdio: 'inherit' });
    process.exit(status);
  };

  const start = (previous) => {
    const began = performance.now();
    let reason;
    child = spawn(command, words, { ...options, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
    if (previous) child.send(previous, () => undefined);
    child.on('message', (message) => {
      if (message?.kind === 'ready') hasBeenReady = true;
      if (message?.kind === 'ending') reason = String(message.reason).slice(0, 500);
    });
    let isOver = false;
    const ended = (status, signal, problem) => {
      if (isOver) return;
      isOver = true;
      if (isStopping || status === 0) process.exit(status ?? 1);
      if (status === WRONG_CONFIGURATION && !hasBeenReady) process.exit(WRONG_CONFIGURATION);
      failures = performance.now() - began > STEADY_MILLISECONDS ? 1 : failures + 1;
      if (!hasBeenReady && failures >= ATTEMPTS_BEFORE_READY) giveUp(1);
      const why = `${problem ?? (signal ? `signal ${signal}` : `exit code ${status}`)}${reason ? `: ${reason}` : ''}`;
      const wait = Math.min(firstWait * 2 ** (failures - 1), LONGEST_WAIT_MILLISECONDS);
      restarts += 1;
      logLine(
        60,
        { reason: why, milliseconds: wait },
        'the server ended unexpectedly and is started again',
      );
      const end = { kind: 'previous', date: new Date().toISOString(), reason: why, restarts };
      timer = setTimeout(() => start(end), wait);
    };
    child.once('error', (error) => ended(1, null, error.message));
    child.once('exit', (status, signal) => ended(status, signal));
  };

  const stop = (signal) => {
    const isRunning = child?.exitCode === null && child?.signalCode === null;
    isStopping = true;
    clearTimeout(timer);
    if (!isRunning) giveUp(0);
    // A terminal's Ctrl-C reaches the child as well; a second signal would not help it to put
    // everything in order.
    if (signal !== 'SIGINT') child.kill('SIGTERM');
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  if (process.env.npm_lifecycle_event) watchParent(stop);
  start();
}
