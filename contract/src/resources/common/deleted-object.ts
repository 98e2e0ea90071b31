import { computed, datetime, id, organizationFields, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/**
 * Deleted objects of restorable resources, until their period ends. Their ids are those of the
 * objects. Each is visible to users who may create and delete objects of its resource.
 */
export const deletedObject = defineResource({
  name: 'deleted_object',
  path: 'common/deleted-objects',
  area: 'changes',
  scope: 'org',
  title: { en: 'Deleted object', zh: '已删除对象' },
  access: { read: Permission.ADMIN, delete: Permission.ADMIN },
  defaultOrder: ['-date_deleted', 'id'],
  dateField: 'date_deleted',
  fields: {
    id: id(),
    name: text({ label: LABEL.name, max: 256, readOnly: true, search: true, order: true }),
    resource: text({
      label: { en: 'Resource', zh: '资源' },
      max: 64,
      readOnly: true,
      filter: true,
      order: true,
    }),
    resource_display: computed.string({ label: { en: 'Kind', zh: '类型' } }),
    deleted_by: text({
      label: { en: 'Deleted by', zh: '删除人' },
      max: 256,
      readOnly: true,
      search: true,
      order: true,
    }),
    date_deleted: datetime({
      label: { en: 'Deleted', zh: '删除时间' },
      readOnly: true,
      order: true,
    }),
    date_expires: computed.string({ label: { en: 'Kept until', zh: '保留至' } }),
    batch: text({
      label: { en: 'Deleting job', zh: '删除任务' },
      max: 36,
      readOnly: true,
      nullable: true,
      filter: true,
    }),
    ...organizationFields(),
  },
});
