import type { ChangeInWords } from '../../api/api.ts';
import {
  choice,
  choiceLabelOf,
  computed,
  datetime,
  id,
  json,
  namedObjects,
  organizationFields,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { INTERVENTIONS } from '../../protocols/session-interventions.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** All changes by users, logged in the transaction of the change. */
export const operateLog = defineResource({
  name: 'operate_log',
  path: 'audits/operate-logs',
  area: 'logs',
  parameters: ['resource_type'],
  scope: 'org',
  title: { en: 'Operation log', zh: '操作日志' },
  access: { read: Permission.AUDIT },
  labelField: 'resource',
  defaultOrder: ['-datetime'],
  dateField: 'datetime',
  histogram: { marks: { filter: { action: 'delete' }, label: { en: 'Deletions', zh: '删除' } } },
  audited: false,
  searchable: {
    title: '{action_display} · {resource}',
    note: '{datetime} · {user}',
    page: 'audits/operate-log?search={resource}',
    shortest: 3,
  },
  fields: {
    id: id(),
    user: text({
      label: LABEL.user,
      max: 256,
      readOnly: true,
      search: true,
      filter: true,
      order: true,
    }),
    action: choice({
      label: { en: 'Action', zh: '动作' },
      choices: [
        { value: 'create', label: { en: 'Create', zh: '创建' } },
        { value: 'update', label: { en: 'Update', zh: '更新' } },
        { value: 'delete', label: { en: 'Delete', zh: '删除' } },
        { value: 'restore', label: { en: 'Restore', zh: '恢复' } },
        { value: 'terminate', label: { en: 'Terminate', zh: '终断' } },
        { value: 'accept', label: { en: 'Accept', zh: '接受' } },
        { value: 'refuse', label: { en: 'Refuse', zh: '拒绝' } },
        { value: 'view', label: { en: 'View', zh: '查看' } },
        ...INTERVENTIONS,
      ],
      readOnly: true,
      filter: true,
      order: true,
    }),
    action_display: choiceLabelOf('action', { en: 'Action', zh: '动作' }),
    resource_type: text({
      label: { en: 'Resource type', zh: '资源类型' },
      max: 64,
      readOnly: true,
      filter: true,
      order: true,
    }),
    resource: text({
      label: { en: 'Resource', zh: '资源' },
      max: 256,
      readOnly: true,
      search: true,
      filter: true,
    }),
    resource_id: text({
      label: { en: 'Resource ID', zh: '资源 ID' },
      max: 64,
      readOnly: true,
      filter: true,
    }),
    remote_addr: text({
      label: LABEL.remoteAddress,
      max: 64,
      readOnly: true,
      search: true,
      filter: true,
    }),
    datetime: datetime({ label: { en: 'Date', zh: '日期' }, readOnly: true, order: true }),
    changes: json({ label: { en: 'Changes', zh: '变更内容' } }),
    /** The changes in words, as a list; as one text in files. */
    changes_display: computed.json<readonly ChangeInWords[]>({
      label: { en: 'Change description', zh: '变更说明' },
    }),
    links: namedObjects(),
    ...organizationFields(),
  },
});
