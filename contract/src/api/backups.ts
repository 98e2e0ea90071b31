import type { LocalText } from '../kit/text.ts';

/** Reasons for a restore drill that did not pass, by code. */
export const DRILL_PROBLEMS = {
  no_backup: { en: 'There is no backup', zh: '没有备份' },
  missing: { en: 'This server cannot read the backup', zh: '本服务器无法读取备份' },
  corrupted: { en: 'The backup is not whole', zh: '备份不完整' },
  wrong_key: { en: 'The current key does not open the backup', zh: '当前密钥无法打开备份' },
  no_rights: { en: 'The role may not create databases', zh: '数据库角色无权创建数据库' },
  no_space: { en: 'Too little free disk space', zh: '磁盘空间不足' },
  running: { en: 'Another drill is running', zh: '另一次恢复演练正在进行' },
  rows: { en: 'Rows were not restored', zh: '数据行未能恢复' },
  audit: { en: 'The restored audit logs are not intact', zh: '恢复的审计日志不完整' },
  secret: { en: 'Restored secrets do not open', zh: '恢复的密钥数据无法解密' },
  timeout: { en: 'The drill took too long', zh: '恢复演练超时' },
  interrupted: { en: 'The drill was interrupted', zh: '恢复演练被中断' },
  failed: { en: 'The drill failed', zh: '恢复演练失败' },
} as const satisfies Readonly<Record<string, LocalText>>;

export type DrillProblem = keyof typeof DRILL_PROBLEMS;

/** A completed backup. */
export interface BackupRow {
  readonly id: string;
  readonly date: string;
  readonly seconds: number;
  readonly folder: string;
  readonly bytes: number;
  readonly recordings: number;
  readonly has_recordings: boolean;
  readonly has_keys: boolean;
}

/** A restore drill. */
export interface DrillRow {
  readonly id: string;
  readonly date: string;
  /** Null while it runs. */
  readonly seconds: number | null;
  readonly folder: string;
  readonly date_backup: string | null;
  /** Null while it runs; true if it passed. */
  readonly passed: boolean | null;
  /** The reason in the language of the caller, with details; empty if it passed. */
  readonly reason: string;
  readonly tables: number;
  readonly rows: number;
  readonly recordings: number;
  readonly secrets: number;
  readonly started_by: string;
}

/**
 * GET common/backups/: the newest backups and restore drills. POST common/backups/drill/ starts a
 * drill: 201 {job}.
 */
export interface Backups {
  readonly backups: readonly BackupRow[];
  readonly drills: readonly DrillRow[];
  /** Days between drills; 0: only on request. */
  readonly days: number;
}
