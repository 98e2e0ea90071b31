import type { AccessChange } from '../../access/consequences.ts';

/** Resources that an organization can control: their rows then change only by change sets. */
export const CONTROLLED_RESOURCES = [
  'asset_permission',
  'remote_app_permission',
  'database_app_permission',
  'cluster_permission',
  'condition',
  'network',
  'command_filter',
  'command_filter_rule',
  'emergency_access',
  'user_group',
  'system_user',
  'domain',
  'gateway',
  'admin_user',
  'ssh_authority',
  'change_auth_plan',
] as const;
/**
 * Targets of permissions. The organization controls where a named one leads to: addresses, accounts
 * and host keys. Other fields of targets are free, and so are targets that no permission and no
 * waiting change set names.
 */
export const CONTROLLED_TARGETS = [
  'asset',
  'database_app',
  'cluster',
  'remote_app',
  'asset_user',
  'host_key',
] as const;
/**
 * Resources that the default organization controls for the whole installation: role and duty of
 * users, administrators and auditors of organizations, storages, event receivers and platforms.
 */
export const CONTROLLED_BY_DEFAULT = [
  'setting',
  'user',
  'organization',
  'replay_storage',
  'command_storage',
  'event_receiver',
  'terminal',
  'platform',
] as const;
export type ControlledResource =
  | (typeof CONTROLLED_RESOURCES)[number]
  | (typeof CONTROLLED_TARGETS)[number]
  | (typeof CONTROLLED_BY_DEFAULT)[number];

/** `restore` creates a deleted object again; its body has other names where its own are taken. */
export const CHANGE_ACTIONS = ['create', 'change', 'delete', 'restore'] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/** Change sets in notifications and logs, with the path of their pages. */
export const CHANGE_SET = { name: 'change_set', path: 'perms/change-sets' } as const;

/** Maximum changes of a change set. */
export const MOST_CHANGES = 50;
/** Days after which a proposal can no longer be approved. */
export const PROPOSAL_DAYS = 7;
/** Maximum days between the proposal of a change set and the time from which it applies. */
export const MOST_PLANNED_DAYS = 30;
/** Days during which an applied change set can be undone. */
export const UNDO_DAYS = 30;
/** Maximum open proposals of an organization. */
export const MOST_PROPOSALS = 200;

export const CHANGE_SET_STATES = [
  'proposed',
  'approved',
  'applied',
  'failed',
  'rejected',
  'withdrawn',
  'expired',
] as const;
export type ChangeSetState = (typeof CHANGE_SET_STATES)[number];

/** One write, as the caller would send it to the resource. */
export interface ProposedChange {
  readonly resource: ControlledResource;
  readonly action: ChangeAction;
  /** The object to change or delete; empty for a new one. */
  readonly object?: string;
  /** The filter of a command filter rule. */
  readonly parent?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** POST change-sets/: changes to apply together, or the end of the control itself. */
export interface ChangeSetProposal {
  readonly reason: string;
  readonly changes: readonly ProposedChange[];
  readonly turns_off?: boolean;
  /** The time from which the changes apply; null for the approval. */
  readonly apply_at?: string | null;
}

/** A proposed change with the fields that it changes. */
export interface PlannedChangeView {
  readonly resource: ControlledResource;
  readonly action: ChangeAction;
  readonly object: string;
  readonly name: string;
  /** Values before and after, by field; null for a missing object. */
  readonly fields: Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
  /** Secret fields that it sets; their values are not returned. */
  readonly secrets: readonly string[];
  /** Access that users gain and lose by this change alone. */
  readonly access: readonly AccessChange[];
}

export interface ChangeSetRow {
  readonly id: string;
  readonly state: ChangeSetState;
  readonly reason: string;
  readonly proposer: string;
  readonly decider: string;
  readonly comment: string;
  readonly turns_off: boolean;
  readonly count: number;
  readonly date_created: string;
  readonly date_expires: string;
  readonly date_decided: string | null;
  /** The time from which it applies; null for the approval. */
  readonly apply_at: string | null;
  readonly date_applied: string | null;
  /** The reason of a failure in the language of the caller; empty without one. */
  readonly failure: string;
  /** True if the caller proposed it: another administrator decides. */
  readonly is_own: boolean;
  /** True if the proposer applied it at once; another administrator reviews it. */
  readonly is_emergency: boolean;
  readonly reviewer: string;
  readonly review_comment: string;
  readonly date_reviewed: string | null;
}

export interface ChangeSetDetail extends ChangeSetRow {
  /** True if the caller can withdraw it: its proposer, and its decider before its time. */
  readonly can_withdraw: boolean;
  /** True if the caller may apply it at once. */
  readonly can_break_glass: boolean;
  /** The access request that it answers. */
  readonly ticket: string | null;
  /** True if the caller asked for this access: two others decide. */
  readonly is_requester: boolean;
  readonly changes: readonly PlannedChangeView[];
}

/** A setting that a change set will change once it is approved or its time comes. */
export interface WaitingSetting {
  readonly setting: string;
  readonly change_set: string;
  /** The time from which an approved change applies; null for a proposal that must be decided. */
  readonly applies_at: string | null;
}

/** The change control of an organization. */
export interface ChangeControl {
  readonly is_on: boolean;
  /** Administrators may apply own change sets at once, which others review. */
  readonly allows_break_glass: boolean;
  readonly date_started: string | null;
  readonly started_by: string;
  readonly resources: readonly ControlledResource[];
}
