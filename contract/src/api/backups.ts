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

/** Reasons for a scheduled backup that failed, by code. */
export const BACKUP_PROBLEMS = {
  no_space: { en: 'Too little free disk space', zh: '磁盘空间不足' },
  folder: { en: 'The folder of backups cannot be written', zh: '无法写入备份目录' },
  no_storage: { en: 'The chosen storage does not exist', zh: '所选备份存储不存在' },
  too_large: { en: 'The backup is too large for the storage', zh: '备份超出存储允许的大小' },
  unreachable: { en: 'The storage cannot be used', zh: '备份存储不可用' },
  refused: { en: 'The storage refuses the account', zh: '备份存储拒绝访问' },
  storage_full: { en: 'The storage is full', zh: '备份存储空间不足' },
  unverified: { en: 'The stored copy differs', zh: '存储中的副本与备份不一致' },
  timeout: { en: 'The backup took too long', zh: '备份超时' },
  interrupted: { en: 'The backup was interrupted', zh: '备份被中断' },
  failed: { en: 'The backup failed', zh: '备份失败' },
} as const satisfies Readonly<Record<string, LocalText>>;

export type BackupProblem = keyof typeof BACKUP_PROBLEMS;

/** A backup, or a failed try of one. */
export interface BackupRow {
  readonly id: string;
  readonly date: string;
  /** Waiting: it is whole on the server, and its copy for the storage is missing. */
  readonly state: 'complete' | 'waiting' | 'failed';
  /** True if the server made it; false: the command. */
  readonly is_scheduled: boolean;
  /** The reason of the last failure in the language of the caller; empty: none. */
  readonly reason: string;
  /** False if the folder was deleted, or was never made. */
  readonly has_folder: boolean;
  /** The server whose disk has the folder; empty if unknown. */
  readonly server: string;
  /** Name of the storage with the encrypted copy, or that is to get one; empty: none. */
  readonly storage: string;
  /** The verified encrypted copy; null: none. */
  readonly stored: { readonly key: string; readonly bytes: number; readonly date: string } | null;
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

/** The schedule of backups, as set. */
export interface BackupSchedule {
  readonly enabled: boolean;
  readonly every_days: number;
  readonly hour: number;
  readonly recordings: boolean;
  /** Name of the storage; empty: none. */
  readonly storage: string;
  readonly keep_folder: boolean;
  readonly keep_last: number;
  readonly keep_days: number;
  /** True while a backup waits or runs. */
  readonly running: boolean;
}

/**
 * GET common/backups/: the newest backups and restore drills. POST common/backups/ makes a backup,
 * POST common/backups/drill/ starts a drill: 201 {job}.
 */
export interface Backups {
  readonly schedule: BackupSchedule;
  readonly backups: readonly BackupRow[];
  readonly drills: readonly DrillRow[];
  /** Days between drills; 0: only on request. */
  readonly days: number;
}
