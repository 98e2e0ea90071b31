import { integer } from '../kit/field.ts';
import { help, label } from './kit.ts';

/** Periods of finished jobs and deleted objects. */
export const KEEP_DAYS = {
  JOB_KEEP_DAYS: integer({
    ...label('Job retention', '任务记录保存时长'),
    ...help('Units: days', '单位：天'),
    min: 1,
    max: 99_999,
    defaultValue: 30,
  }),
  DELETED_KEEP_DAYS: integer({
    ...label('Keep deleted objects', '已删除对象保留时长'),
    ...help(
      'Units: days. Until then they can be restored; 0 deletes them at once.',
      '单位：天。期间可恢复；0 表示立即彻底删除。',
    ),
    min: 0,
    max: 365,
    defaultValue: 30,
  }),
} as const;
