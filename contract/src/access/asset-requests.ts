import { boolean, choice, datetime, flags, integer, list, many, text } from '../kit/field.ts';
import { ACTIONS } from '../resources/perms/asset-permission.ts';
import { type TicketType, ticket } from '../resources/tickets/ticket.ts';
import type { AccessCheck } from './access.ts';

/** Target kinds of a request; each request has one. */
export const REQUEST_TARGETS = [
  { value: 'asset', label: { en: 'Servers', zh: '服务器' } },
  { value: 'database_app', label: { en: 'Databases', zh: '数据库' } },
  { value: 'remote_app', label: { en: 'Remote apps', zh: '远程应用' } },
] as const;

export type RequestTarget = (typeof REQUEST_TARGETS)[number]['value'];

/**
 * A request for access: GET and POST tickets/request-asset-perm/, GET and PATCH {id}/ (assignees
 * narrow it), POST {id}/approve/ (optionally with the members of PATCH), {id}/reject/,
 * {id}/close/ and {id}/end/.
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
  /** The reason. */
  readonly body: string;
  /** Organization of the requested access. */
  readonly org_id: string;
  readonly org_name: string;
  readonly target: RequestTarget;
  /**
   * The requested targets in the requester's words: requesters may not know the assets and
   * applications.
   */
  readonly application: string;
  readonly ips: readonly string[];
  readonly hostname: string;
  readonly system_user: string;
  readonly actions: readonly string[];
  /** For databases: true if changes are excluded. */
  readonly is_read_only: boolean;
  readonly date_start: string;
  readonly date_expired: string;
  /** Targets that an assignee wants to grant. */
  readonly confirmed_assets: readonly string[];
  readonly confirmed_database_apps: readonly string[];
  readonly confirmed_remote_apps: readonly string[];
  readonly confirmed_system_user: readonly string[];
  /**
   * Addresses of assets (or applications) and system users for assignees to choose from; null for
   * others.
   */
  readonly assets_waitlist_url: string | null;
  readonly system_user_waitlist_url: string | null;
  /** The granted permission; null before approval, or after its deletion. */
  readonly permission: string | null;
  readonly date_created: string;
}

/**
 * Matches for the words of a request in its organization: assets or applications by name or
 * address, and the account with that name.
 */
export interface RequestSuggestion {
  /** With the requester's existing access; null if the requester was deleted. */
  readonly things: readonly {
    readonly id: string;
    readonly name: string;
    readonly check: AccessCheck | null;
  }[];
  readonly accounts: readonly string[];
}

/** The access that an approved request gives. */
export interface GrantedAccess {
  /** Names of the targets and of the system users. */
  readonly things: readonly string[];
  readonly accounts: readonly string[];
  readonly date_start: string;
  readonly date_expired: string;
  readonly is_active: boolean;
  /** True for callers who can end the access: the requester, and assignees who can grant. */
  readonly can_end: boolean;
}

/** An approved request of an organization with change control: a second administrator decides. */
export interface SecondDecision {
  /** The administrator who approved first. */
  readonly by: string;
  readonly date_created: string;
  /** The end of the wait: the request can then be approved again. */
  readonly date_expires: string;
  /** The change set, for administrators who act in its organization. */
  readonly change_set: string | null;
}

/** A command of a session that waits for a reviewer. */
export interface HeldCommandFacts {
  readonly kind: 'held_command';
  readonly asset: string;
  readonly account: string;
  readonly session: string;
  readonly until: string;
  /** The sentence of the rule. */
  readonly rule: string;
  readonly text: string;
  /** The screen of the terminal when the line was typed, while it waits. */
  readonly screen?: string;
}

/** A connection that waits for a reviewer. */
export interface ConnectionFacts {
  readonly kind: 'connection';
  readonly target: string;
  readonly account: string;
  readonly address: string;
  readonly until: string;
  /** Minutes of the approval; 0 for this connection only. */
  readonly minutes: number;
  /** Empty for clients that cannot ask for it. */
  readonly reason: string;
}

export type TicketFacts = HeldCommandFacts | ConnectionFacts;

/**
 * GET tickets/tickets/{id}/request/: the request behind a ticket. Only callers who can grant it now
 * get suggestions.
 */
export interface TicketRequest {
  readonly request: AssetRequest | null;
  readonly suggestion: RequestSuggestion | null;
  /** Null before the approval, and after the permission was deleted. */
  readonly granted: GrantedAccess | null;
  /** Null unless the request waits for a second administrator. */
  readonly waits: SecondDecision | null;
  /** Null for tickets that no command or connection waits for, and for those of older versions. */
  readonly facts: TicketFacts | null;
}

/** Answers of POST tickets/request-asset-perm/{id}/approve/, {id}/reject/ and {id}/close/. */
export interface RequestAnswered {
  readonly detail: string;
  /** The change set that a second administrator decides; null if the answer is final. */
  readonly change_set: string | null;
}

/** GET tickets/request-asset-perm/assignees/: users who can grant access, by organization. */
export interface RequestAssignees {
  readonly org_id: string;
  /** `Superuser` for the default organization. */
  readonly org_name: string;
  readonly org_admins: readonly {
    readonly id: string;
    readonly name: string;
    readonly username: string;
  }[];
  /** Median minutes until the last requests were answered; null without recent answers. */
  readonly usual_minutes: number | null;
}

/**
 * GET tickets/request-asset-perm/targets/?search={text}: servers and applications of the caller's
 * organizations that a request can name.
 */
export interface RequestableTarget {
  readonly target: RequestTarget;
  readonly name: string;
  /** The address of a server, or the type of an application. */
  readonly detail: string;
  readonly org_id: string;
}

/** Minimum characters of a search for targets: it is no list of the inventory. */
export const LEAST_TARGET_SEARCH = 2;

const DATES = {
  date_start: datetime({ label: { en: 'Date start', zh: '开始日期' }, required: false }),
  date_expired: datetime({ label: { en: 'Date expired', zh: '失效日期' }, required: false }),
};
const ACTION = flags({
  label: { en: 'Actions', zh: '动作' },
  choices: ACTIONS,
  required: false,
  defaultValue: ['connect'],
});

const READ_ONLY = boolean({
  label: { en: 'Read only', zh: '只读' },
  required: false,
  defaultValue: false,
});

/** Fields that a requester fills in. */
export const REQUEST_FIELDS = {
  title: text({ label: { en: 'Title', zh: '标题' }, max: 256, required: false, allowBlank: true }),
  org_id: text({
    label: { en: 'Organization', zh: '组织' },
    max: 36,
    required: false,
    allowBlank: true,
    example: '',
  }),
  assignees: many({ label: ticket.fields.assignees.label, to: 'user', required: false }),
  target: choice({
    label: { en: 'Kind', zh: '类别' },
    choices: REQUEST_TARGETS,
    required: false,
    defaultValue: 'asset',
  }),
  application: text({
    label: { en: 'Name', zh: '名称' },
    max: 256,
    required: false,
    allowBlank: true,
    example: '',
  }),
  ips: list({
    label: { en: 'IP', zh: 'IP' },
    max: 128,
    maxItems: 50,
    format: 'host',
    defaultValue: [],
  }),
  hostname: text({
    label: { en: 'Hostname', zh: '主机名' },
    max: 128,
    required: false,
    allowBlank: true,
  }),
  system_user: text({
    label: { en: 'System user', zh: '系统用户' },
    max: 128,
    required: false,
    allowBlank: true,
  }),
  actions: ACTION,
  is_read_only: READ_ONLY,
  ...DATES,
  body: text({ label: { en: 'Reason', zh: '申请原因' }, max: 10_000, multiline: true }),
};

/** Fields that an assignee decides. */
export const CONFIRM_FIELDS = {
  confirmed_assets: many({
    label: { en: 'Confirmed assets', zh: '批准的资产' },
    to: 'asset',
    required: false,
  }),
  confirmed_database_apps: many({
    label: { en: 'Confirmed databases', zh: '批准的数据库' },
    to: 'database_app',
    required: false,
  }),
  confirmed_remote_apps: many({
    label: { en: 'Confirmed remote apps', zh: '批准的远程应用' },
    to: 'remote_app',
    required: false,
  }),
  confirmed_system_user: many({
    label: { en: 'Confirmed system users', zh: '批准的系统用户' },
    to: 'system_user',
    required: false,
  }),
  actions: ACTION,
  is_read_only: READ_ONLY,
  ...DATES,
  minutes: integer({
    label: { en: 'Minutes from now', zh: '从现在起的分钟数' },
    help: {
      en: 'Access begins at once and ends after this time; replaces both dates',
      zh: '立即生效并在该时长后失效，替代起止日期',
    },
    required: false,
    min: 1,
    max: 366 * 24 * 60,
    example: 120,
  }),
};
