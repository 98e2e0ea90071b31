import type { ChangeInWords } from '../../api/api.ts';
import type { LostRequest } from '../../api/lost-changes.ts';
import {
  boolean,
  choiceLabelOf,
  computed,
  datetime,
  id,
  json,
  organizationFields,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { operateLog } from './operate-log.ts';

const { user, action, resource, resource_id, resource_type, remote_addr, changes } =
  operateLog.fields;

/** Maximum characters of the note about a settled change. */
export const MOST_LOST_NOTE = 512;

/**
 * Changes of users that the database had acknowledged and lost by a failover. POST settled/ marks
 * them as settled.
 */
export const lostChange = defineResource({
  name: 'lost_change',
  path: 'audits/lost-changes',
  area: 'changes',
  parameters: ['resource_type', 'attention'],
  scope: 'org',
  title: { en: 'Lost change', zh: '丢失的变更' },
  access: { read: Permission.AUDIT },
  labelField: 'resource',
  defaultOrder: ['datetime', 'id'],
  dateField: 'datetime',
  audited: false,
  fields: {
    id: id(),
    user,
    action,
    action_display: choiceLabelOf('action', { en: 'Action', zh: '动作' }),
    resource_type,
    resource,
    resource_id,
    remote_addr,
    datetime: datetime({ label: { en: 'Date', zh: '日期' }, readOnly: true, order: true }),
    date_found: datetime({
      label: { en: 'Found missing', zh: '发现丢失的时间' },
      readOnly: true,
      order: true,
    }),
    changes: json({ label: changes.label }),
    changes_display: computed.json<readonly ChangeInWords[]>({
      label: { en: 'Change description', zh: '变更说明' },
    }),
    /** The request that makes the change again; null if the record has too little for one. */
    request: computed.json<LostRequest | null>({
      label: { en: 'Request', zh: '重新执行的请求' },
    }),
    is_settled: boolean({
      label: { en: 'Settled', zh: '已处理' },
      readOnly: true,
      filter: true,
      order: true,
    }),
    settled_by: text({
      label: { en: 'Settled by', zh: '处理人' },
      max: 260,
      readOnly: true,
      search: true,
      filter: true,
    }),
    note: text({ label: { en: 'Note', zh: '处理说明' }, max: MOST_LOST_NOTE, readOnly: true }),
    date_settled: datetime({
      label: { en: 'Date settled', zh: '处理日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    ...organizationFields(),
  },
});
