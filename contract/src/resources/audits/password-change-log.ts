import { datetime, id, namedObjects, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** All changes of local passwords. An organization sees those of its members. */
export const passwordChangeLog = defineResource({
  name: 'password_change_log',
  path: 'audits/password-change-logs',
  area: 'logs',
  scope: 'global',
  title: { en: 'Password change log', zh: '改密日志' },
  access: { read: Permission.AUDIT },
  labelField: 'user',
  defaultOrder: ['-datetime'],
  dateField: 'datetime',
  histogram: {},
  audited: false,
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
    change_by: text({
      label: { en: 'Changed by', zh: '修改者' },
      max: 256,
      readOnly: true,
      search: true,
      filter: true,
    }),
    remote_addr: text({
      label: LABEL.remoteAddress,
      max: 64,
      readOnly: true,
      search: true,
      filter: true,
    }),
    links: namedObjects(),
    datetime: datetime({ label: { en: 'Date', zh: '日期' }, readOnly: true, order: true }),
  },
});
