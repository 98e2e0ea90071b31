import { isUuid, Permission, text } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { oversees } from '../../platform/actor.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { Forbidden, invalid } from '../../platform/errors.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { enderOf } from './hooks.ts';
import { endAgents, whichAgents } from './store.ts';

interface Options {
  readonly db: Db;
  readonly audit: AuditWriter;
}

const END = {
  agent: text({
    label: { en: 'Agent', zh: '智能体' },
    max: 36,
    required: false,
    defaultValue: '',
    example: '',
  }),
  owner: text({
    label: { en: 'Owner', zh: '所有者' },
    max: 36,
    required: false,
    defaultValue: '',
    example: '',
  }),
};

/** Ends one agent, those of an owner, or all. Administrators of the installation end any. */
async function end({ db, audit }: Options, context: Context): Promise<{ ended: number }> {
  const { agent = '', owner = '' } = readBody(context, END);
  const { actor } = context;
  for (const [name, id] of Object.entries({ agent, owner }))
    if (id !== '' && !isUuid(id)) throw invalid(name, 'not_uuid', { value: id.slice(0, 36) });
  if (!['browser', 'bearer'].includes(actor.session.kind)) throw new Forbidden('sign_in_needed');
  const isAdministrator = oversees(actor) && actor.role === 'Admin';
  const which = whichAgents({ agent, owner }, isAdministrator ? undefined : actor.userId);
  return transact(db, async (tx) => {
    const ended = await endAgents(which, enderOf(context), tx);
    await audit(
      tx,
      context,
      ...ended.map(({ id, name }) => ({
        action: 'terminate' as const,
        resourceType: 'agent',
        resource: name,
        resourceId: id,
      })),
    );
    return { ended: ended.length };
  });
}

/** Mounts the kill switch of agents. */
export function mountAgents(app: FastifyInstance, options: Options): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/agents/agents/end/',
    access: Permission.USE,
    area: 'agents',
    summary:
      'End an agent and its running commands; without an agent, those of an owner, or all within reach.',
    body: END,
    status: 200,
    answer: samples<{ ended: number }>({ ended: 1 }),
    handler: (context) => end(options, context),
  });
}
