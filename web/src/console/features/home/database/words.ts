import { catalogue } from '../../../../kit/i18n/index.ts';

/** Texts of the items about the database. */
export const words = catalogue({
  databaseStopped: {
    zh: '数据库无法写入，不能登录或打开会话：磁盘已满、只读或没有响应',
    en: 'The database takes no changes, so no session can be opened: its disk is full, read-only or silent',
  },
  lostChanges: {
    zh: '数据库故障切换丢失了 {count, number} 项已确认的变更',
    en: 'A failover of the database lost {count, plural, one {# confirmed change} other {# confirmed changes}}',
  },
  asynchronousStandby: {
    zh: '数据库备库未启用同步复制，故障切换会丢失最新变更：请设置 synchronous_standby_names',
    en: 'A failover of the database loses its newest changes: set synchronous_standby_names',
  },
  standbyBehind: {
    zh: '数据库备库落后超过 10 秒，故障切换会丢失这些变更',
    en: 'A standby of the database is more than 10 seconds behind: a failover loses these changes',
  },
  standbyUnseen: {
    zh: '无权查看数据库备库的落后程度：请向 Sallyport 的数据库角色授予 pg_monitor',
    en: 'The lag of a database standby is hidden: grant pg_monitor to the role of Sallyport',
  },
});
