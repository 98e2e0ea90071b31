import { integer, reference, text } from '../../kit/field.ts';
import { EMERGENCY_MINUTES } from './rule.ts';

/** A system user of emergency access. */
export interface EmergencyAccount {
  readonly id: string;
  readonly name: string;
  /** False if another permission lets the user connect with it now. */
  readonly is_new: boolean;
}

/** GET perms/users/emergency-access/: an asset that the caller may open under one rule. */
export interface EmergencyAsset {
  /** Id of rule and asset together. */
  readonly id: string;
  readonly rule: string;
  readonly rule_name: string;
  readonly asset: string;
  readonly hostname: string;
  readonly ip: string;
  /** Names of the system users for the access. */
  readonly system_users: readonly string[];
  /** The same system users with their ids: new ones first, then by descending priority. */
  readonly accounts: readonly EmergencyAccount[];
  readonly max_minutes: number;
  readonly org_name: string;
  /** End of the caller's open access; null if not open. */
  readonly active_until: string | null;
  /** Ticket of the open access. */
  readonly ticket: string | null;
}

/** POST perms/users/emergency-access/. */
export const EMERGENCY_FIELDS = {
  rule: reference({ label: { en: 'Rule', zh: '规则' }, to: 'emergency_access' }),
  asset: reference({ label: { en: 'Asset', zh: '资产' }, to: 'asset' }),
  minutes: integer({
    label: { en: 'Minutes', zh: '分钟' },
    min: 1,
    max: EMERGENCY_MINUTES.max,
    example: 30,
  }),
  reason: text({
    label: { en: 'Reason', zh: '原因' },
    max: 2_000,
    multiline: true,
    example: 'The database does not answer.',
  }),
};

export interface EmergencyOpened {
  readonly ticket: string;
  readonly asset: string;
  readonly date_expired: string;
}

/** A session with emergency access. */
export interface EmergencySession {
  readonly id: string;
  readonly system_user: string;
  readonly date_start: string;
  readonly is_finished: boolean;
  readonly can_join: boolean;
  readonly can_replay: boolean;
  /** True if the caller has opened its recording. */
  readonly opened: boolean;
}

/**
 * State of a review: the access is still active, the caller has not opened all recordings, or the
 * review can be completed.
 */
export type EmergencyReviewState = 'active' | 'unopened' | 'ready';

/** GET tickets/emergency/{ticket}/. */
export interface EmergencyFacts {
  readonly id: string;
  readonly rule_name: string;
  readonly asset: string | null;
  readonly asset_display: string;
  readonly org_id: string;
  readonly org_name: string;
  readonly minutes: number;
  readonly date_start: string;
  readonly date_expired: string;
  readonly is_active: boolean;
  readonly permission: string | null;
  readonly sessions: readonly EmergencySession[];
  readonly review: EmergencyReviewState;
  /** True if no reviewer can sign in and watch any more, and the caller may take over. */
  readonly can_take_over: boolean;
}

/** GET tickets/emergency/ (bare array): open emergency access, first to end first. */
export interface OpenEmergency {
  readonly ticket: string;
  readonly user_display: string;
  readonly asset_display: string;
  readonly date_expired: string;
  /** A running session to watch. */
  readonly session: string | null;
}

/** GET tickets/emergency/own/ (bare array): emergency access that the caller has open now. */
export interface OwnEmergency {
  readonly ticket: string;
  readonly asset_display: string;
  readonly date_expired: string;
  /** Seconds until it ends, independent of the clock of the client. */
  readonly seconds_left: number;
  /** Running sessions that use it. */
  readonly sessions: readonly string[];
  /** Sessions that another permission keeps open after the end. */
  readonly staying: readonly string[];
}

/** Maximum open accesses in an answer. */
export const MOST_OPEN_EMERGENCIES = 20;
