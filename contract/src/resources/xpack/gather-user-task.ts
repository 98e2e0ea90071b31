import {
  computed,
  countOf,
  createdAt,
  createdBy,
  datetime,
  id,
  many,
  organizationFields,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { periodFields } from '../../kit/period.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const NODES = { en: 'Nodes', zh: '节点' };

/**
 * Lists the accounts of servers below some nodes, on schedule or on demand (permissions.md, section
 * 6.6).
 */
export const gatherUserTask = defineResource({
  name: 'gather_user_task',
  path: 'xpack/gathered-user/tasks',
  area: 'operation',
  scope: 'org',
  title: { en: 'Gather user task', zh: '收集用户任务' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  pages: { list: 'xpack/gathered-users/tasks' },
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 128,
      unique: 'org',
      search: true,
      order: true,
      filter: true,
    }),
    nodes: many({ label: NODES, to: 'node', minItems: 1 }),
    nodes_amount: countOf('nodes', NODES),
    ...periodFields(),
    executed_times: computed.integer({
      label: { en: 'Runs', zh: '执行次数' },
      example: 3,
    }),
    date_last_run: datetime({
      label: { en: 'Last run', zh: '最后执行' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    date_created: createdAt(),
    date_updated: updatedAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});
