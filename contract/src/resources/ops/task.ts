import {
  computed,
  createdAt,
  createdBy,
  datetime,
  id,
  organizationFields,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { periodFields } from '../../kit/period.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';
import type { AdhocModule, AdhocRun } from './adhoc.ts';

/** Number of runs by result. */
export interface TaskSummary {
  readonly total: number;
  readonly success: number;
  readonly failed: number;
}

/**
 * Work on assets, one row per kind and subject. The first run creates it (terminal.md, section 2).
 */
export const opsTask = defineResource({
  name: 'ops_task',
  path: 'ops/tasks',
  area: 'operation',
  scope: 'org',
  title: { en: 'Task', zh: '任务' },
  access: { read: Permission.ADMIN, update: Permission.ADMIN, delete: Permission.ADMIN },
  defaultOrder: ['-date_updated', 'id'],
  fields: {
    id: id(),
    name: text({ label: LABEL.name, max: 512, readOnly: true, search: true, filter: true }),
    /** Name in the caller's language. */
    title: computed.string({ label: LABEL.name, example: 'Test assets connectivity: web-01' }),
    ...periodFields(),
    is_deleted: computed.boolean({ label: { en: 'Deleted', zh: '已删除' }, example: false }),
    comment: text({
      label: LABEL.comment,
      max: 1024,
      required: false,
      multiline: true,
      defaultValue: '',
    }),
    latest_execution: computed.json<AdhocRun | null>({
      label: { en: 'Latest execution', zh: '最后执行' },
      example: null,
    }),
    summary: computed.json<TaskSummary>({
      label: { en: 'Runs', zh: '执行次数' },
      example: { total: 3, success: 2, failed: 1 },
    }),
    versions_amount: computed.integer({
      label: { en: 'Versions', zh: '版本数量' },
      detailOnly: true,
      example: 2,
    }),
    contents: computed.json<readonly AdhocModule[]>({
      label: { en: 'Content', zh: '内容' },
      detailOnly: true,
      example: [{ name: 'ping', action: { module: 'ping', args: '' } }],
    }),
    date_last_run: datetime({
      label: { en: 'Last run', zh: '最后运行' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    date_created: createdAt(),
    date_updated: updatedAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});
