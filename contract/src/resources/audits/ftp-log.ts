import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  datetime,
  id,
  integer,
  namedObjects,
  organizationFields,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const OPERATION = { en: 'Operation', zh: '操作' };

/** File operations on assets: by SSH clients, in the file manager and through desktops. */
export const ftpLog = defineResource({
  name: 'ftp_log',
  path: 'audits/ftp-logs',
  area: 'logs',
  scope: 'org',
  title: { en: 'File transfer log', zh: '文件传输日志' },
  access: { read: Permission.AUDIT },
  labelField: 'filename',
  defaultOrder: ['-date_start'],
  dateField: 'date_start',
  histogram: { marks: { filter: { is_success: '0' }, label: { en: 'Failed', zh: '失败' } } },
  audited: false,
  searchable: {
    title: '{operate_display} · {filename}',
    note: '{date_start} · {user}',
    page: 'audits/ftp-log?search={filename}',
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
    asset: text({
      label: LABEL.asset,
      max: 1024,
      readOnly: true,
      search: true,
      filter: true,
      order: true,
    }),
    system_user: text({
      label: LABEL.systemUser,
      max: 256,
      readOnly: true,
      search: true,
      filter: true,
      order: true,
    }),
    /** The account on the asset. */
    account: text({ label: { en: 'Account', zh: '账号' }, max: 256, readOnly: true, filter: true }),
    remote_addr: text({
      label: LABEL.remoteAddress,
      max: 64,
      readOnly: true,
      search: true,
      filter: true,
    }),
    operate: choice({
      label: OPERATION,
      choices: [
        { value: 'Upload', label: { en: 'Upload', zh: '上传' } },
        { value: 'Download', label: { en: 'Download', zh: '下载' } },
        { value: 'Delete', label: { en: 'Delete', zh: '删除' } },
        { value: 'Rename', label: { en: 'Rename', zh: '重命名' } },
        { value: 'Mkdir', label: { en: 'New folder', zh: '新建文件夹' } },
        { value: 'Rmdir', label: { en: 'Delete folder', zh: '删除文件夹' } },
        { value: 'Chmod', label: { en: 'Change attributes', zh: '修改属性' } },
        { value: 'Symlink', label: { en: 'Link', zh: '创建链接' } },
        { value: 'Copy', label: { en: 'Copy', zh: '复制' } },
      ],
      readOnly: true,
      filter: true,
      order: true,
    }),
    operate_display: choiceLabelOf('operate', OPERATION),
    filename: text({
      label: { en: 'Filename', zh: '文件名' },
      max: 16_384,
      readOnly: true,
      search: true,
      filter: true,
    }),
    size: integer({
      label: { en: 'Size', zh: '大小' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    sha256: text({
      label: { en: 'SHA-256', zh: 'SHA-256' },
      max: 64,
      readOnly: true,
      nullable: true,
      filter: true,
    }),
    is_success: boolean({ label: { en: 'Success', zh: '成功' }, readOnly: true, filter: true }),
    reason: text({ label: { en: 'Reason', zh: '原因' }, max: 128, readOnly: true }),
    reason_display: computed.string({ label: { en: 'Reason', zh: '原因' } }),
    /** The session of the operation. */
    session: text({
      label: { en: 'Session', zh: '会话' },
      max: 36,
      readOnly: true,
      nullable: true,
      filter: true,
    }),
    /** Seconds since the start of the session; null without a session. */
    offset_seconds: computed.json<number | null>({
      label: { en: 'Seconds into the session', zh: '会话内时间（秒）' },
      example: 12.5,
    }),
    /** True if the session has a recording that shows the operation. */
    can_replay: computed.boolean({ label: { en: 'Can replay', zh: '可回放' } }),
    links: namedObjects(),
    date_start: datetime({ label: { en: 'Date', zh: '日期' }, readOnly: true, order: true }),
    ...organizationFields(),
  },
});
