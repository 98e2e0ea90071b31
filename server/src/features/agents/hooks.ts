import { AGENT_STATES, agent, agentCall, DUTY, say } from '@sallyport/contract';
import { type Caller, displayName, oversees } from '../../platform/actor.ts';
import { sql } from '../../platform/db/sql.ts';
import { Forbidden, invalid } from '../../platform/errors.ts';
import { hooksFor, kept, type ResourceHooks } from '../../resources/hooks.ts';
import {
  assertConfirmedOnce,
  beginSignIn,
  type ConfirmServices,
  inheritanceOf,
} from '../identity/index.ts';
import { wrongPattern } from './leash.ts';
import { grantConsent, waitingConsent } from './oauth/consents.ts';
import { MAX_ACTIVE, STATE } from './store.ts';

/** Answers about new agents: the token for the owner, or the way back to a program. */
const ANSWERS = kept(
  () => new Map<string, { readonly token?: string; readonly redirect?: string }>(),
);

/** A leash that its owner does not limit further: an hour and 100 commands. */
const DEFAULTS = { minutes: 60, commands: 100, kib: 1024, rows: 1000 };

/** Owners see their own rows; administrators and auditors of the installation see all. */
const visible = ({ actor }: Caller) =>
  oversees(actor) ? undefined : sql`t.user_id = ${actor.userId}`;

/** The hooks of agents. Their token is made here, and only the creating answer contains it. */
export const createAgentHooks = (
  services: ConfirmServices,
  areAllowed: () => boolean,
): ResourceHooks =>
  hooksFor(agent, {
    visible,
    columns: {
      owner: () => sql`(select a.name || '(' || a.username || ')' from account a
        where a.id = t.user_id)`,
      token: () => sql`null::text`,
      redirect: () => sql`null::text`,
      state: () => STATE,
      state_display: () => STATE,
    },
    async beforeSave(values, _previous, operation) {
      const { caller } = operation;
      // A token of an agent, or an access key, must not make another one.
      if (!['browser', 'bearer'].includes(caller.actor.session.kind))
        throw new Forbidden('sign_in_needed');
      const { duty } = caller.actor;
      if (duty !== '')
        throw new Forbidden('duty_denied', { duty: DUTY[duty].title[caller.language] });
      if (!areAllowed()) throw new Forbidden('agents_off');
      const { password } = values;
      const request = String(values.request ?? '');
      if (request !== '') values.client = (await waitingConsent(request, services.db)).client;
      values.command_mode ??= 'listed';
      values.minutes ??= DEFAULTS.minutes;
      values.max_commands ??= DEFAULTS.commands;
      values.max_kib ??= DEFAULTS.kib;
      values.max_rows ??= DEFAULTS.rows;
      // The password confirms the request and is not stored.
      delete values.password;
      const [hosts, databases, commands] = [values.hosts, values.databases, values.commands].map(
        (lines) => (lines ?? '').trim(),
      );
      if (hosts === '' && databases === '') throw invalid('hosts', 'agent_places_missing');
      if (hosts !== '' && values.command_mode === 'listed' && commands === '')
        throw invalid('commands', 'agent_commands_missing');
      const wrong = wrongPattern(String(values.commands ?? ''));
      if (wrong !== undefined) throw invalid('commands', 'not_allowed_command', wrong);
      await assertConfirmedOnce(operation, password, services);
    },
    async insert(values, operation) {
      const { tx, caller } = operation;
      const { userId, remoteAddress, session } = caller.actor;
      // Serializes requests of a user, so that parallel ones cannot exceed the limit together.
      await sql`select 1 from account where id = ${userId} for update`.execute(tx);
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from agent t
        where t.user_id = ${userId} and ${STATE} in ('active', 'used_up')`.execute(tx);
      if ((rows[0]?.count ?? 0) >= MAX_ACTIVE)
        throw invalid('non_field_errors', 'agent_limit', { max: MAX_ACTIVE });
      const signIn = await beginSignIn(tx, {
        userId,
        kind: 'agent',
        from: { remoteAddress, userAgent: `sallyport-agent (${values.name})` },
        seconds: Number(values.minutes) * 60,
        ...(await inheritanceOf(services.db, session.id)),
      });
      const id = crypto.randomUUID();
      const request = String(values.request ?? '');
      await sql`
        insert into agent (id, user_id, name, client, task, hosts, accounts, command_mode, commands,
          denied, files, databases, statements, minutes, max_commands, max_kib, max_rows,
          sign_in_id, date_expired, request)
        values (${id}, ${userId}, ${values.name}, ${values.client ?? ''}, ${values.task},
          ${values.hosts ?? ''}, ${values.accounts}, ${values.command_mode},
          ${values.commands ?? ''}, ${values.denied ?? ''}, ${values.files ?? 'none'},
          ${values.databases ?? ''}, ${values.statements ?? 'read'}, ${values.minutes},
          ${values.max_commands}, ${values.max_kib}, ${values.max_rows}, ${signIn.id},
          ${signIn.dateExpired}, ${request})`.execute(tx);
      const answer =
        request === ''
          ? { token: signIn.token }
          : { redirect: await grantConsent(request, id, tx) };
      operation.get(ANSWERS).set(id, answer);
      return id;
    },
    present(rows, { operation, caller: { language } }) {
      const answers = operation?.get(ANSWERS);
      for (const row of rows) {
        const { token = null, redirect = null } = answers?.get(String(row.id)) ?? {};
        Object.assign(row, { token, redirect });
        const state = AGENT_STATES.find(({ value }) => value === row.state_display);
        if (state) row.state_display = say(state.label, language);
      }
    },
  });

export const agentCallHooks: ResourceHooks = hooksFor(agentCall, { visible });

/** The name of the one who ends agents, for their rows. */
export const enderOf = ({ actor }: Caller): string => displayName(actor);
