import {
  choice,
  choiceLabelOf,
  computed,
  datetime,
  displayOf,
  id,
  organizationFields,
  reference,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';
import { systemUser } from './system-user.ts';

const STATE = { en: 'Push', zh: '推送' };

/** Result of the last push of a system user's account to an asset. */
export const systemUserPush = defineResource({
  name: 'system_user_push',
  path: 'pushes',
  area: 'operation',
  parent: { resource: systemUser, field: 'system_user' },
  scope: 'org',
  title: { en: 'System user push', zh: '系统用户推送结果' },
  access: { read: Permission.ADMIN },
  labelField: 'username',
  defaultOrder: ['-date_pushed', 'username'],
  fields: {
    id: id(),
    asset: reference({
      label: { en: 'Asset', zh: '资产' },
      to: 'asset',
      readOnly: true,
      filter: true,
    }),
    asset_display: displayOf('asset', { en: 'Asset', zh: '资产' }),
    username: text({
      label: LABEL.username,
      max: 128,
      readOnly: true,
      search: true,
      order: true,
      filter: true,
    }),
    state: choice({
      label: STATE,
      choices: [
        { value: 'waiting', label: { en: 'Waiting', zh: '等待推送' } },
        { value: 'done', label: { en: 'Pushed', zh: '已推送' } },
        { value: 'failed', label: { en: 'Failed', zh: '失败' } },
        { value: 'skipped', label: { en: 'Skipped', zh: '已跳过' } },
      ],
      defaultValue: 'waiting',
      filter: true,
      order: true,
    }),
    state_display: choiceLabelOf('state', STATE),
    /**
     * Reason of a failure or a skipped push, in the caller's language, with the output of the
     * server's programs.
     */
    reason_text: computed.string({ label: { en: 'Reason', zh: '原因' } }),
    date_pushed: datetime({
      label: { en: 'Date pushed', zh: '推送日期' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    system_user: reference({ label: systemUser.title, to: 'system_user', readOnly: true }),
    ...organizationFields(),
  },
});
