/** A verification of the audit logs older than this many days is old: the server verifies them every night. */
export const VERIFICATION_DAYS = 3;

/** GET audits/verification/: how the last verification of the audit logs ended. */
export interface AuditVerification {
  /** Null: the logs were never verified. */
  readonly date: string | null;
  readonly intact: boolean;
  /** Who asked for it; empty for the server itself. */
  readonly by: string;
}
