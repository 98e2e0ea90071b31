import { SECOND_CONSOLE } from './authentication.ts';

/** The page on which a user decides about a program that asks to be an agent. */
export const AGENT_CONSENT_PAGE = `${SECOND_CONSOLE}/agents/consent`;

/** A program that asks a user for a leash. */
export interface AgentConsent {
  /** The name by which the program registered. */
  readonly client: string;
  /** The address that receives the decision, without port and query. */
  readonly redirect: string;
  /** True if the decision stays on the machine of the user's browser. */
  readonly is_local: boolean;
  readonly remote_addr: string;
  readonly date_expired: string;
}

/** The address to which a decision leads the browser. */
export interface AgentDecision {
  readonly redirect: string;
}
