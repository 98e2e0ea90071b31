import { datetime, flags, list, many, text } from './kit/field.ts';
import { ACTIONS } from './resources/perms/asset-permission.ts';
import { type TicketType, ticket } from './resources/tickets/ticket.ts';

/**
 * A request for access: GET and POST tickets/request-asset-perm/, GET and PATCH {id}/ (assignees narrow it), POST {id}/approve/ (with the members of
 * PATCH, perhaps), {id}/reject/ and {id}/close/.
 */
export interface AssetRequest {
  readonly id: string;
  readonly title: string;
  readonly status: 'open' | 'closed';
  readonly action: '' | 'approve' | 'reject';
  readonly type: TicketType;
  readonly type_display: string;
  readonly action_display: string;
  readonly user: string | null;
  readonly user_display: string;
  readonly assignees: readonly string[];
  readonly assignees_display: string;
  readonly assignee: string | null;
  readonly assignee_display: string;
  /** Why. */
  readonly body: string;
  /** Where the access is asked for. */
  readonly org_id: string;
  readonly org_name: string;
  /** What is asked for, in the words of the requester, who may not know which assets there are. */
  readonly ips: readonly string[];
  readonly hostname: string;
  readonly system_user: string;
  readonly actions: readonly string[];
  readonly date_start: string;
  readonly date_expired: string;
  /** What an assignee would open. */
  readonly confirmed_assets: readonly string[];
  readonly confirmed_system_user: readonly string[];
  /** Where an assignee finds the assets and system users to choose from; null for others. */
  readonly assets_waitlist_url: string | null;
  readonly system_user_waitlist_url: string | null;
  /** The permission that was given; null before that, and when it is gone. */
  readonly permission: string | null;
  readonly date_created: string;
}

/** GET tickets/request-asset-perm/assignees/: those who can grant access, by the organizations in which the caller may ask. */
export interface RequestAssignees {
  readonly org_id: string;
  /** `Superuser` for the default organization. */
  readonly org_name: string;
  readonly org_admins: readonly { readonly id: string; readonly name: string; readonly username: string }[];
}

const DATES = {
  date_start: datetime({ label: { en: 'Date start', zh: '开始日期' }, required: false }),
  date_expired: datetime({ label: { en: 'Date expired', zh: '失效日期' }, required: false }),
};
const ACTION = flags({ label: { en: 'Actions', zh: '动作' }, choices: ACTIONS, required: false, defaultValue: ['connect'] });

/** What a user asks with. */
export const REQUEST_FIELDS = {
  title: text({ label: { en: 'Title', zh: '标题' }, max: 256, required: false, allowBlank: true }),
  org_id: text({ label: { en: 'Organization', zh: '组织' }, max: 36, required: false, allowBlank: true, example: '' }),
  assignees: many({ label: ticket.fields.assignees.label, to: 'user', required: false }),
  ips: list({ label: { en: 'IP', zh: 'IP' }, max: 128, maxItems: 50, format: 'host', defaultValue: [] }),
  hostname: text({ label: { en: 'Hostname', zh: '主机名' }, max: 128, required: false, allowBlank: true }),
  system_user: text({ label: { en: 'System user', zh: '系统用户' }, max: 128, required: false, allowBlank: true }),
  actions: ACTION,
  ...DATES,
  body: text({ label: { en: 'Reason', zh: '申请原因' }, max: 10_000, multiline: true }),
};

/** What an assignee decides. */
export const CONFIRM_FIELDS = {
  confirmed_assets: many({ label: { en: 'Confirmed assets', zh: '批准的资产' }, to: 'asset', required: false }),
  confirmed_system_user: many({ label: { en: 'Confirmed system users', zh: '批准的系统用户' }, to: 'system_user', required: false }),
  actions: ACTION,
  ...DATES,
};
