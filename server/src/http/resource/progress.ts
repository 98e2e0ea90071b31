import { type BatchProgress, Permission, text } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { route } from '../route.ts';
import { samples } from '../shapes.ts';

/** Batches that are counted at once; another one is done as well, and not counted. */
const MOST = 1_000;
const NAME = /^[0-9a-f]{32}$/;
const NOTHING: BatchProgress = { done: 0, total: 0 };

/** Counts the rows of a batch while it is written. */
export interface Counting {
  /** So many rows more went through one of the passes that each row makes. */
  passed(rows: number): void;
  end(): void;
}

/** How far the batches have come that this server is writing; each is seen by whoever sent it, under the name it was given. */
export interface ProgressBoard {
  begin(context: Context, rows: number): Counting;
  of(context: Context, name: string): BatchProgress;
}

/** Its rules, its row, what follows from it, its answer, its entry in the log. */
const PASSES = 5;
const UNCOUNTED: Counting = { passed: () => undefined, end: () => undefined };

/** Builds an empty board. */
export function createProgressBoard(): ProgressBoard {
  const running = new Map<string, { passes: number; readonly total: number }>();
  const keyOf = ({ actor }: Context, name: string) => `${actor.userId} ${name}`;
  return {
    begin(context, total) {
      const name = context.query.get('progress') ?? '';
      const key = keyOf(context, name);
      if (!NAME.test(name) || running.has(key) || running.size >= MOST) return UNCOUNTED;
      const entry = { passes: 0, total };
      running.set(key, entry);
      return {
        passed: (rows) => {
          entry.passes += rows;
        },
        end: () => void running.delete(key),
      };
    },
    of(context, name) {
      const entry = running.get(keyOf(context, name));
      return entry ? { done: Math.min(entry.total, Math.floor(entry.passes / PASSES)), total: entry.total } : NOTHING;
    },
  };
}

/** Tells whoever sent a batch how far it has come. */
export function mountProgress(app: FastifyInstance, board: ProgressBoard): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/common/progress/',
    access: Permission.USE,
    summary: 'How far a batch has come that was sent with ?progress=, a name of 32 hexadecimal digits. Zeros when none of that name is running here.',
    query: { name: text({ label: { en: 'Name', zh: '名称' }, max: 32 }) },
    answer: samples<BatchProgress>({ done: 4_200, total: 10_000 }),
    handler: (context) => board.of(context, context.query.get('name') ?? ''),
  });
}
