import {
  command,
  ftpLog,
  type LocalText,
  loginLog,
  operateLog,
  passwordChangeLog,
  session,
  terminal,
} from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { DATES, engineSource, readRelated } from './engine-source.ts';
import type { Source } from './lists.ts';
import { labelled, labelledBy, organizationOf } from './values.ts';

/** Types of sessions. */
const TYPES = {
  normal: { en: 'Normal', zh: '普通' },
  sftp: { en: 'File transfer', zh: '文件传输' },
} as const satisfies Record<string, LocalText>;

/** Sessions, live and ended. */
export function sessionSource(engines: Engines): Source {
  return engineSource(engines, session, {
    filters: {
      ...DATES,
      user: 'user',
      user_id: 'user_id',
      asset: 'asset',
      asset_id: 'asset_id',
      account: 'system_user',
      account_id: 'system_user_id',
      remote_addr: 'remote_addr',
      protocol: 'protocol',
      login_from: 'login_from',
      is_finished: 'is_finished',
    },
    orders: { date_start: 'date_start', date_end: 'date_end', user: 'user', asset: 'asset' },
    related: async (rows, context) => ({
      terminals: await readRelated(
        engineOf(engines, terminal),
        { values: rows.map((row) => row.terminal), fields: ['name'] },
        context,
      ),
    }),
    present: (row, { related, language, isDetail }) => ({
      id: row.id,
      user: row.user,
      user_id: row.user_id,
      asset: row.asset,
      asset_id: row.asset_id,
      account: row.system_user,
      account_id: row.system_user_id,
      protocol: row.protocol,
      type: labelledBy(TYPES, row.kind === 'transfer' ? 'sftp' : 'normal', language),
      login_from: labelled(session.fields.login_from, row.login_from, language),
      remote_addr: row.remote_addr ?? '',
      terminal: row.terminal
        ? { id: row.terminal, name: related.terminals?.get(row.terminal)?.name ?? '' }
        : null,
      terminal_display: related.terminals?.get(row.terminal)?.name ?? '',
      is_success: row.is_success,
      is_finished: row.is_finished,
      has_replay: row.has_replay,
      has_command: row.command_amount > 0,
      command_amount: row.command_amount,
      can_replay: row.can_replay,
      can_join: row.can_join,
      // Ending a session is a write.
      can_terminate: false,
      date_start: row.date_start,
      date_end: row.date_end,
      comment: '',
      ...organizationOf(row),
      ...(isDetail && { is_locked: row.locked_by !== null }),
    }),
  });
}

/** Commands and statements. */
export function commandSource(engines: Engines): Source {
  return engineSource(engines, command, {
    filters: {
      ...DATES,
      // All storages are searched.
      command_storage_id: () => true,
      user: 'user',
      asset: 'asset',
      account: 'system_user',
      session: 'session',
      session_id: 'session',
      risk_level: 'risk_level',
      input: 'input',
    },
    orders: {},
    present: (row, { language }) => ({
      id: row.id,
      user: row.user,
      asset: row.asset,
      account: row.system_user,
      input: row.input,
      output: row.output,
      session: row.session,
      risk_level: labelled(command.fields.risk_level, row.risk_level, language),
      timestamp: row.timestamp,
      ...organizationOf(row),
    }),
  });
}

/** Attempts to sign in. */
export function loginLogSource(engines: Engines): Source {
  return engineSource(engines, loginLog, {
    filters: {
      ...DATES,
      username: 'username',
      ip: 'ip',
      city: 'city',
      type: 'type',
      status: 'status',
      mfa: 'mfa',
    },
    orders: { datetime: 'datetime', username: 'username' },
    present: (row, { language }) => ({
      id: row.id,
      username: row.username,
      type: labelled(loginLog.fields.type, row.type, language),
      ip: row.ip,
      city: row.city ?? '',
      user_agent: row.user_agent ?? '',
      mfa: labelled(loginLog.fields.mfa, row.mfa, language),
      reason: row.reason,
      reason_display: row.reason_display,
      status: { value: row.status, label: row.status_display },
      backend: '',
      backend_display: '',
      datetime: row.datetime,
    }),
  });
}

/** Changes by users, without the values. */
export function operateLogSource(engines: Engines): Source {
  return engineSource(engines, operateLog, {
    filters: {
      ...DATES,
      user: 'user',
      action: 'action',
      resource: 'resource',
      resource_type: 'resource_type',
      remote_addr: 'remote_addr',
    },
    orders: { datetime: 'datetime', user: 'user' },
    present: (row, { language }) => ({
      id: row.id,
      user: row.user,
      action: labelled(operateLog.fields.action, row.action, language),
      resource_type: row.resource_type,
      resource: row.resource,
      remote_addr: row.remote_addr,
      datetime: row.datetime,
      ...organizationOf(row),
    }),
  });
}

/** File operations. */
export function ftpLogSource(engines: Engines): Source {
  return engineSource(engines, ftpLog, {
    filters: {
      ...DATES,
      user: 'user',
      asset: 'asset',
      account: 'account',
      filename: 'filename',
      session: 'session',
      operate: (value) => sql`lower(t.operate) = ${value.toLowerCase()}`,
      remote_addr: 'remote_addr',
      is_success: 'is_success',
    },
    orders: { date_start: 'date_start', user: 'user', asset: 'asset' },
    present: (row, { language }) => ({
      id: row.id,
      user: row.user,
      asset: row.asset,
      account: row.account || row.system_user,
      remote_addr: row.remote_addr,
      operate: {
        ...labelled(ftpLog.fields.operate, row.operate, language),
        value: row.operate.toLowerCase(),
      },
      filename: row.filename,
      is_success: row.is_success,
      has_file: false,
      session: row.session ?? '',
      date_start: row.date_start,
      ...organizationOf(row),
    }),
  });
}

/** Changes of passwords. */
export function passwordLogSource(engines: Engines): Source {
  return engineSource(engines, passwordChangeLog, {
    filters: { ...DATES, user: 'user', change_by: 'change_by', remote_addr: 'remote_addr' },
    orders: { datetime: 'datetime', user: 'user' },
    present: (row) => ({
      id: row.id,
      user: row.user,
      change_by: row.change_by,
      remote_addr: row.remote_addr,
      datetime: row.datetime,
    }),
  });
}
