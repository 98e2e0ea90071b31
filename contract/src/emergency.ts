import { integer, reference, text } from './kit/field.ts';
import { EMERGENCY_MINUTES } from './resources/perms/emergency-access.ts';

/** GET perms/users/emergency-access/: an asset to which the caller may open emergency access, by one rule. */
export interface EmergencyAsset {
  /** Of rule and asset together. */
  readonly id: string;
  readonly rule: string;
  readonly rule_name: string;
  readonly asset: string;
  readonly hostname: string;
  readonly ip: string;
  /** The names of the system users with which it would be used. */
  readonly system_users: readonly string[];
  readonly max_minutes: number;
  readonly org_name: string;
  /** Until when the caller has opened it; null while it is not open. */
  readonly active_until: string | null;
  /** The ticket of the open access. */
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

/** What POST answers: the access is open. */
export interface EmergencyOpened {
  readonly ticket: string;
  readonly asset: string;
  readonly date_expired: string;
}

/** A session in which emergency access was used. */
export interface EmergencySession {
  readonly id: string;
  readonly system_user: string;
  readonly date_start: string;
  readonly is_finished: boolean;
  readonly can_join: boolean;
  readonly can_replay: boolean;
  /** The caller has opened its recording. */
  readonly opened: boolean;
}

/** What a review still waits for: that the access ends, or that the caller opens the recordings. */
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
  /** None of the reviewers can sign in and watch any more, and the caller may take their place. */
  readonly can_take_over: boolean;
}

/** GET tickets/emergency/ (bare array): emergency access that is open now, the first to end first. */
export interface OpenEmergency {
  readonly ticket: string;
  readonly user_display: string;
  readonly asset_display: string;
  readonly date_expired: string;
  /** A running session that can be watched. */
  readonly session: string | null;
}

/** Open accesses that one answer lists. */
export const MOST_OPEN_EMERGENCIES = 20;

/** The mark of sessions in which emergency access is used, in words. */
export const EMERGENCY_MARK = { en: 'Emergency', zh: '紧急' } as const;
