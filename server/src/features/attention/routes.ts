import {
  ATTENTION_KINDS,
  type AttentionItem,
  type AttentionKind,
  allows,
  formatDatetime,
  Permission,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import type { AttentionFound, AttentionSources } from '../../resources/attention.ts';
import type { Engines } from '../../resources/engines.ts';
import { findAll } from './store.ts';

const EXAMPLE: readonly AttentionItem[] = [
  {
    kind: 'permissions_ending',
    count: 4,
    examples: [
      {
        id: exampleId('asset_permission'),
        name: 'Web servers for the shop team',
        amount: null,
        date: '2026-12-31 18:00:00 +0800',
      },
    ],
  },
  {
    kind: 'failed_sign_ins',
    count: 1,
    examples: [{ id: null, name: 'li.wei', amount: 5, date: null }],
  },
];

export interface AttentionOptions {
  readonly db: Db;
  readonly engines: Engines;
  /** The items that the features add. */
  readonly sources: AttentionSources;
}

/** Returns the items with objects, the most urgent first. */
const itemsOf = (
  found: ReadonlyMap<AttentionKind, AttentionFound | undefined>,
  { zone }: Pick<Context, 'zone'>,
): readonly AttentionItem[] =>
  ATTENTION_KINDS.flatMap((kind) => {
    const { count = 0, examples = [] } = found.get(kind) ?? {};
    if (count === 0) return [];
    const dated = examples.map(({ date, ...example }) => ({
      ...example,
      date: date && formatDatetime(date, zone),
    }));
    return [{ kind, count, examples: dated }];
  });

/** Mounts the route that lists items for the start page. */
export function mountAttention(
  app: FastifyInstance,
  { db, engines, sources }: AttentionOptions,
): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/common/attention/',
    access: Permission.AUDIT,
    summary: 'List the items of Needs attention that the caller may see, the most urgent first.',
    answer: samples<readonly AttentionItem[]>(EXAMPLE),
    async handler(context): Promise<readonly AttentionItem[]> {
      const { actor } = context;
      const facts = sources.facts.filter(({ access }) => allows(actor.permissions, access));
      const [stored, observed] = await Promise.all([
        // Many start pages at the same time must not take all database connections.
        db.together((one) =>
          Promise.all([
            findAll(sources.searches(engines, context), one),
            ...facts.map(({ read }) => read?.(one, actor) ?? []),
          ]),
        ),
        Promise.all(facts.map(({ observe }) => observe?.() ?? [])),
      ]);
      return itemsOf(new Map([...stored, ...observed].flat()), context);
    },
  });
}
