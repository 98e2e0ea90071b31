import { defineModule } from '../../module.ts';
import { type Tx, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { createHook } from '../../platform/hook.ts';
import { defineHousekeeping } from '../../platform/jobs/definition.ts';
import { connections } from '../connections/index.ts';
import { identity } from '../identity/index.ts';
import { perms } from '../perms/index.ts';
import { settings } from '../settings/index.ts';
import { tickets } from '../tickets/index.ts';
import { requestAccess } from './access-requests.ts';
import { AgentCalls } from './calls.ts';
import { agentCallHooks, createAgentHooks } from './hooks.ts';
import { mountMcp } from './mcp-route.ts';
import { clearClients } from './oauth/clients.ts';
import { mountConsents } from './oauth/consent-routes.ts';
import { clearConsents } from './oauth/consents.ts';
import { mountProgramSignIn, type ReusedToken } from './oauth/sign-in-routes.ts';
import { clearTokens } from './oauth/tokens.ts';
import { mountAgents } from './routes.ts';
import { clearCalls, endAgents, forgetAgents } from './store.ts';
import { createTargets } from './targets.ts';

export { decide } from './leash.ts';

/** Programs that work for a user: each has a leash, and calls tools over MCP. */
export const agents = defineModule({
  name: 'agents',
  tables: ['agent', 'agent_call', 'agent_client', 'agent_consent', 'agent_token'],
  create({ core: { db, vault, log, config }, use }) {
    const { authenticator, limit, proofs } = use(identity);
    const inForce = use(settings);
    const areAllowed = () => inForce.get('SECURITY_AGENTS');
    const endAll = () => transact(db, (tx) => endAgents(sql`true`, '', tx));
    const reusedToken = createHook<[ReusedToken, Tx], Promise<void>>(
      'reused token',
      async () => {},
    );
    const targets = createTargets(db, use(perms), use(connections).named);
    const calls = new AgentCalls({
      db,
      vault,
      log,
      findTarget: targets.find,
      runner: use(connections).runner.call,
    });
    return {
      service: {
        /** Sets the report of an agent that ended because its token was used twice. */
        onReusedToken: reusedToken.set,
      },
      hooks: { agent: createAgentHooks(proofs, areAllowed), agent_call: agentCallHooks },
      expiry: { rows: 'agents', like: 'session', remove: (days) => forgetAgents(days, db) },
      routes({ http, services: { audit } }) {
        const site = { db, log, limit, areAllowed, publicUrl: config.publicUrl };
        mountAgents(http, { db, audit });
        mountProgramSignIn(http, { ...site, reportReuse: reusedToken.call });
        mountConsents(http, { db });
        mountMcp(http, {
          ...site,
          authenticateAgent: authenticator.authenticateAgent,
          calls,
          targets,
          requestAccess: (asking, access) =>
            requestAccess(asking, access, {
              db,
              fileRequest: use(tickets).requestAccess(audit),
              language: () => inForce.get('SERVER_LANGUAGE'),
            }),
        });
      },
      start: () => {
        inForce.onReload(() => {
          if (areAllowed()) return;
          endAll().catch((error: unknown) => log.error({ err: error }, 'agents were not ended'));
        });
      },
      jobs: [
        defineHousekeeping({
          name: 'agent-calls',
          title: { en: 'Remove old results of agents', zh: '清理智能体的旧结果' },
          everyMinutes: 10,
          async run() {
            await clearCalls(db);
            await clearClients(db);
            await clearConsents(db);
            await clearTokens(db);
          },
        }),
      ],
    };
  },
});
