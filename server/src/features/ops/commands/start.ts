import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../platform/actor.ts';
import { displayName } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { AppError, Conflict, Forbidden, invalid } from '../../../platform/errors.ts';
import type { JobDefinition, JobRequester } from '../../../platform/jobs/definition.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { CommandPerson, CommandWork } from '../../connections/index.ts';
import type { GrantService } from '../../perms/index.ts';
import { assertGranted, type CommandInput, codeOf } from './job.ts';
import { accountOf, addCommand, unfinishedOf } from './store.ts';

/** Maximum number of waiting or running batch commands per user. */
const MOST_UNFINISHED = 5;

/** A requested batch command. */
export interface CommandRequest {
  readonly hosts: readonly string[];
  readonly systemUserId: string;
  readonly command: string;
  readonly isCanary: boolean;
  readonly failureLimit: number;
}

export interface StartOptions {
  readonly db: Db;
  readonly jobs: Jobs;
  readonly run: JobDefinition<CommandInput>;
  readonly grants: Pick<GrantService, 'checkMany'>;
  readonly work: CommandWork;
}

export const personOf = ({ actor, language }: Caller): CommandPerson => ({
  userId: actor.userId,
  display: displayName(actor),
  language,
  remoteAddr: actor.remoteAddress,
  loginId: actor.session.id,
});

/**
 * Checks and enqueues a batch command. Returns its id, which is the id of its job.
 * @throws Invalid for hosts that are not granted and unusable accounts; errors of second factors
 * and limits
 */
export async function startCommand(
  request: CommandRequest,
  caller: Caller,
  requester: JobRequester,
  { db, jobs, run, grants, work }: StartOptions,
): Promise<string> {
  const { systemUserId } = request;
  const hosts = [...new Set(request.hosts)];
  const rules = await assertGranted(grants, caller.actor.userId, systemUserId, hosts).catch(
    (error: unknown) => {
      throw error instanceof AppError ? invalid('hosts', error.code, error.params) : error;
    },
  );
  // The caller is granted the account, so errors may describe it.
  const account = await accountOf(systemUserId, db);
  if (!account) throw invalid('run_as', 'unknown_object', { value: systemUserId });
  if (account.protocol !== 'ssh')
    throw invalid('run_as', 'command_protocol', { protocol: account.protocol });
  if (account.loginMode === 'manual') throw invalid('run_as', 'command_no_login');
  const person = personOf(caller);
  await work.requireFactor(person, rules).catch((error: unknown) => {
    const { code, params } = codeOf(error);
    throw code === 'internal' ? error : new Forbidden(code, params);
  });
  const id = randomUUID();
  await db.transaction(async (tx) => {
    if ((await unfinishedOf(person.userId, tx)) >= MOST_UNFINISHED)
      throw new Conflict('command_executions_limit', { max: MOST_UNFINISHED });
    await addCommand(
      {
        id,
        organization: account.organization,
        userId: person.userId,
        user: person.display,
        remoteAddress: person.remoteAddr,
        systemUserId,
        command: request.command,
        isCanary: request.isCanary,
        failureLimit: request.failureLimit,
        hosts,
      },
      tx,
    );
    const subject = request.command.replaceAll(/\s+/g, ' ').trim().slice(0, 100);
    await jobs.enqueue(
      run,
      { id, loginId: person.loginId },
      { id, caller: { ...requester, organization: account.organization }, subject, tx },
    );
  });
  return id;
}
