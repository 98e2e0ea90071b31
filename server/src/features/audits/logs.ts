/** The logs with digest chains. */
export const CHAINED_LOGS = [
  'operate_log',
  'login_log',
  'password_change_log',
  'ftp_log',
  'session_digest',
] as const;

export type ChainedLog = (typeof CHAINED_LOGS)[number];
