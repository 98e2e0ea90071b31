import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { COMMANDS } from '../../server/src/testing/operator-command.ts';
import { openDatabase, openFiles, openSsh, openWeb } from '../lib/counted-sessions.ts';
import { CountedStream } from '../lib/counted-stream.ts';
import { atMost, type Figure } from '../lib/figure.ts';
import type { Client } from '../lib/http.ts';
import { LINE_MILLISECONDS } from '../lib/light-target.ts';
import { prepareUpgrade } from '../lib/upgrade-world.ts';
import type { World } from '../lib/world.ts';

const SSH = 100;
const WEB = 100;
const DATABASES = 60;
const FILES = 40;
const AT_ONCE = 4;
/** Time before and after the upgrade. */
const AROUND_MS = 10_000;

/**
 * Replaces the program under 300 live sessions, of which each gets a numbered answer twice a second
 * and checks it, while a client of the API asks all the time.
 */
export async function upgrade(world: World): Promise<Figure[]> {
  const prepared = await prepareUpgrade(world);
  const ends: (() => unknown)[] = [];
  const streams: CountedStream[] = [];
  try {
    const { server, client } = prepared;
    for (const [count, open] of [
      [SSH, openSsh],
      [WEB, openWeb],
      [DATABASES, openDatabase],
      [FILES, openFiles],
    ] as const) {
      let next = 0;
      const inTurn = async () => {
        while (next < count) {
          const stream = new CountedStream();
          const number = next;
          next += 1;
          ends.push(await open(prepared, stream, number));
          streams.push(stream);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
      world.say(`  ${streams.length} sessions`);
    }
    while (!streams.every(({ hasBegun }) => hasBegun)) await sleep(LINE_MILLISECONDS);
    // Opening keeps both cores busy, so pauses count from here.
    for (const stream of streams) stream.longest = 0;
    const requests = askAllTheTime(client);
    await sleep(AROUND_MS);
    const longestBefore = longestOf(streams);
    for (const stream of streams) stream.longest = 0;
    const began = performance.now();
    await promisify(execFile)(process.execPath, [COMMANDS, 'upgrade'], {
      env: { PATH: process.env.PATH ?? '', SALLYPORT_DATA_DIR: server.dataDirectory },
    });
    const took = (performance.now() - began) / 1000;
    await sleep(AROUND_MS);
    const { asked, failed } = await requests.stop();
    return figuresOf(streams, { took, longestBefore, asked, failed });
  } finally {
    await Promise.allSettled(ends.map((end) => end()));
    await prepared.stop();
  }
}

interface Course {
  readonly took: number;
  readonly longestBefore: number;
  readonly asked: number;
  readonly failed: number;
}

const longestOf = (streams: readonly CountedStream[]) =>
  Math.max(...streams.map(({ longest }) => longest)) / 1000;

function figuresOf(
  streams: readonly CountedStream[],
  { took, longestBefore, asked, failed }: Course,
): Figure[] {
  return [
    {
      name: 'Sessions that ended',
      value: streams.filter(({ hasEnded }) => hasEnded).length,
      unit: '',
      budget: atMost(0),
      note: `of ${SSH} SSH shells, ${WEB} web terminals, ${DATABASES} clients of PostgreSQL and ${FILES} of SFTP`,
    },
    {
      name: 'Answers that were missing, wrong or out of order',
      value: streams.reduce((sum, { wrong }) => sum + wrong, 0),
      unit: '',
      budget: atMost(0),
      note: 'numbered lines and rows, compared blocks of files',
    },
    {
      name: 'Longest time between two answers of a session',
      value: longestOf(streams),
      unit: 's',
      budget: atMost(2 + LINE_MILLISECONDS / 1000),
      note: `one is due each ${LINE_MILLISECONDS / 1000} s; ${longestBefore.toFixed(2)} s in the ${AROUND_MS / 1000} s before the upgrade`,
    },
    {
      name: 'Requests of the API that failed',
      value: failed,
      unit: '',
      budget: atMost(0),
      note: `of ${asked}, one after the other on a connection that stays open`,
    },
    {
      name: '`sallyport upgrade`',
      value: took,
      unit: 's',
      note: 'until the new process took over',
    },
  ];
}

function askAllTheTime(client: Client) {
  let isStopped = false;
  const counts = { asked: 0, failed: 0 };
  const run = async () => {
    while (!isStopped) {
      counts.asked += 1;
      await client.get('users/profile/').catch(() => {
        counts.failed += 1;
      });
      await sleep(20);
    }
  };
  const running = run();
  return {
    async stop() {
      isStopped = true;
      await running;
      return counts;
    },
  };
}
