import { integer } from '../kit/field.ts';
import { flag, help, label, optional } from './kit.ts';

/** Settings of the backups that the server makes. */
export const BACKUP_SETTINGS = {
  backup: {
    title: { en: 'Backups', zh: '备份' },
    fields: {
      BACKUP_ENABLED: flag(
        label('Make backups', '自动备份'),
        false,
        help(
          'One server of the installation makes them. The first one is made within ten minutes',
          '由集群中的一台服务器执行；首次备份在十分钟内开始',
        ),
      ),
      BACKUP_EVERY_DAYS: integer({
        ...label('Interval (days)', '备份间隔（天）'),
        min: 1,
        max: 30,
        defaultValue: 1,
        required: true,
      }),
      BACKUP_HOUR: integer({
        ...label('Hour', '时刻（点）'),
        ...help(
          '0 to 23, in the setting “Server time zone”. A missed or failed backup is repeated every hour',
          '0 到 23，按设置“服务器时区”；错过或失败的备份每小时重试一次',
        ),
        min: 0,
        max: 23,
        defaultValue: 1,
        required: true,
      }),
      BACKUP_RECORDINGS: flag(
        label('Include recordings', '包含录像'),
        false,
        help(
          'Each backup then copies all recordings on the disk of the server that makes it. Those in buckets are never copied',
          '每次备份都会复制执行备份的服务器磁盘上的全部录像；对象存储中的录像不复制',
        ),
      ),
      BACKUP_STORAGE: optional(label('Storage', '备份存储'), 36, {
        ...help(
          'A bucket of Replay storages, which gets an encrypted copy. Only the secret key opens it: keep a copy of the key on another machine',
          '保存加密副本的对象存储（在“录像存储”中配置）。只有主密钥能打开副本，请将主密钥另存到其他机器',
        ),
      }),
      BACKUP_KEEP_FOLDER: flag(
        label('Keep the copy on the server', '保留服务器上的副本'),
        true,
        help(
          'In the folder SALLYPORT_BACKUP_DIR. It is not encrypted. Without a storage it is always kept',
          '位于 SALLYPORT_BACKUP_DIR 目录，不加密；未选择存储时始终保留',
        ),
      ),
      BACKUP_KEEP_LAST: integer({
        ...label('Keep the last backups', '保留最近备份数'),
        ...help(
          'Older backups are deleted after a newer one was verified',
          '新备份校验通过后才删除更早的备份',
        ),
        min: 1,
        max: 365,
        defaultValue: 7,
        required: true,
      }),
      BACKUP_KEEP_DAYS: integer({
        ...label('Keep backups for (days)', '备份保留天数'),
        ...help(
          'Younger backups are kept, however many they are',
          '未满该天数的备份一律保留，不限数量',
        ),
        min: 0,
        max: 3_650,
        defaultValue: 30,
        required: true,
      }),
    },
  },
} as const;
