import tickets from './tickets.json' with { type: 'json' };

/** A sample ticket with its comments. */
export interface SampleTicket {
  readonly who: string;
  readonly type: 'general' | 'login_confirm' | 'request_asset' | 'request_app' | 'emergency';
  readonly title: string;
  readonly body: string;
  /** Age in days. */
  readonly days: number;
  readonly assignees: readonly string[];
  /** Decision and its author; absent: open. */
  readonly ended?: { readonly action: '' | 'approve' | 'reject'; readonly by: string };
  readonly comments?: readonly { readonly who: string; readonly body: string }[];
}

export const TICKETS = tickets as Readonly<Record<keyof typeof tickets, SampleTicket>>;
