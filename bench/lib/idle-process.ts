// Run by loop.ts: watches its own event loop and does nothing else, until its input ends.
import { watchLoopDelay } from '../../server/src/platform/loop-delay.ts';

watchLoopDelay(process.argv[2] ?? '');
process.stdin.resume();
process.stdout.write('ready\n');
