import { defineModule } from '../../module.ts';
import { servers } from '../servers/index.ts';
import { createLogAttention } from './attention.ts';
import { createAuditChains } from './chain.ts';
import { instanceOf, isAnother } from './database-instance.ts';
import { ftpLogHooks } from './ftp-log.ts';
import { createHeadWatch, seenHeads } from './heads.ts';
import { createSealJob, createVerifyJob } from './jobs.ts';
import { loginLogHooks } from './login-log.ts';
import { operateLogHooks, usedIds, writeOperateLog } from './operate-log.ts';
import { passwordChangeLogHooks } from './password-change-log.ts';
import { mountAudits } from './routes.ts';
import { createVerifier } from './verification.ts';

export { type AuditChains, createAuditChains } from './chain.ts';
export { type DatabaseInstance, instanceOf, isAnother } from './database-instance.ts';
export { readFailovers } from './failovers.ts';
export { type FtpEntry, writeFtpLog } from './ftp-log.ts';
export { createHeadWatch, type SeenHeads, seenHeads } from './heads.ts';
export { type KeptChange, keepChangesOf } from './kept-changes.ts';
export { countAttempt, type LoginAttempt, loginLogEntry, writeLoginLog } from './login-log.ts';
export {
  CHANGES_CHANNEL,
  type ChangeNews,
  loggedChanges,
  operateLogWords,
  usedIds,
  writeOperateLog,
} from './operate-log.ts';
export {
  type ComparedHeads,
  compareOutside,
  declareOutsideFailover,
  type OutsideHeads,
  type OutsidePlace,
  type OutsideVerdict,
} from './outside-heads.ts';

import type { Tx } from '../../platform/db/database.ts';
import { createHook } from '../../platform/hook.ts';
import type { KeptChange } from './kept-changes.ts';

export { writePasswordChange } from './password-change-log.ts';
export { declareRestore, readRestores } from './restores.ts';
export { sm3Words } from './sm3-chain.ts';
export type { BrokenSession, SessionProblem, SessionsVerdict } from './verification.ts';
export { createVerifier, isUnread, sessionWords, type Verifier } from './verification.ts';

/** Interval between looks at the newest rows of the logs. */
const HEADS_MS = 5000;

/** The audit logs, their chains and seals. */
export const audits = defineModule({
  name: 'audits',
  tables: [
    'operate_log',
    'login_log',
    'password_change_log',
    'ftp_log',
    'audit_chain',
    'audit_seal',
    'audit_sm3',
    'audit_verification',
    'database_epoch',
  ],
  async create({ core: { db, vault, bus, config, log, applied, isCommand }, use }) {
    const chains = createAuditChains({
      db,
      vault,
      directory: config.dataDirectory,
      seen: () => seenHeads(config.dataDirectory),
      keepsFile: () => use(servers).processes.isFirst,
      log,
      isFirst: applied.includes('1006_audit'),
      suite: config.suite,
    });
    const isFirst = () => use(servers).processes.isFirst;
    const watchHeads = createHeadWatch({
      db,
      directory: config.dataDirectory,
      log,
      sealed: (one) => chains.sealed(one),
      accept: (logs, instance) => chains.sealAfterFailover(logs, instance),
    });
    let looking: Promise<void> = Promise.resolve();
    /** Looks at the newest rows, one look after the other. */
    const settle = () => {
      const next = async () => (isFirst() && !isCommand ? watchHeads() : undefined);
      looking = looking.then(next, next);
      return looking;
    };
    const settleFailover = async () => {
      const known = seenHeads(config.dataDirectory)?.instance;
      const instance = known && (await instanceOf(db));
      if (known && instance && isAnother(known, instance)) await settle();
    };
    const verifier = createVerifier({ db, vault, chains, settle: settleFailover });
    // Before the seals: after a failover, those in the data folder belong to the former state.
    await settle();
    await chains.seal();
    bus.subscribe(
      'audit_seal',
      () =>
        void chains
          .seal()
          .catch((error: unknown) =>
            log.error({ error: String(error) }, 'the audit logs could not be sealed'),
          ),
    );
    const lost = createHook('the record of lost changes', async (_: KeptChange, __: Tx) => {});
    return {
      service: {
        chains,
        verifier,
        write: writeOperateLog,
        usedIds,
        /** Stores a change that was acknowledged, if the logs lack it. */
        recordIfLost: lost.call,
        setLost: lost.set,
      },
      attention: createLogAttention(verifier),
      hooks: {
        login_log: loginLogHooks,
        operate_log: operateLogHooks,
        password_change_log: passwordChangeLogHooks,
        ftp_log: ftpLogHooks,
      },
      routes: ({ http }) => mountAudits(http, verifier),
      jobs: [
        createSealJob(() => chains.seal().then(() => bus.publish('audit_seal', ''))),
        createVerifyJob(verifier, log),
      ],
      timers: [
        {
          everyMilliseconds: HEADS_MS,
          run: settle,
        },
      ],
      stop: () => chains.seal(),
    };
  },
});
