import type { SignInAnswer, SignInPending } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../../http/context.ts';
import { type Authenticator, publicRoute } from '../../../http/route.ts';
import type { Shape } from '../../../http/shapes.ts';
import { Rejected } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { SecondFactors } from '../mfa/second-factors.ts';
import {
  assertOwnPage,
  clearTicket,
  isSecure,
  setSession,
  setTicket,
  ticketOf,
} from './cookies.ts';
import { holderOf } from './pending.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Continuation, Outcome, PendingStep, SignInService, Visitor } from './types.ts';

export interface SignInRouteOptions {
  readonly signIns: SignInService;
  readonly factors: SecondFactors;
  readonly settings: SettingsService;
  readonly publicUrl: string | undefined;
  readonly limit: RateLimit;
  readonly authenticator: Authenticator;
}

/** Returns the origin of a request, for logs and limits. */
export const visitorOf = ({ request }: PublicContext, type: Visitor['type']): Visitor => ({
  remoteAddress: request.ip,
  userAgent: String(request.headers['user-agent'] ?? ''),
  type,
});

/** Formats a step for browsers. */
export const pendingOf = ({
  step: state,
  username,
  factors,
  reason,
  review,
  notice,
  message,
}: PendingStep): SignInPending => ({
  state,
  username,
  factors,
  ...(reason && { reason }),
  ...(message !== undefined && { message }),
  ...(notice && { notice }),
  ...(review && {
    review: { ticket_id: review.ticketId, state: review.state, reviewers: review.reviewers },
  }),
});

/** Returns true if reviewers or a timeout ended the sign-in. */
export const isRefused = ({ review }: Pick<PendingStep, 'review'>): boolean =>
  review?.state === 'rejected' || review?.state === 'closed';

type Wire = { readonly bodyShape?: Shape; readonly answer?: Shape };

/** Parts that the routes for sign-ins with a browser share. */
export class BrowserSteps {
  readonly #app: FastifyInstance;
  readonly #options: SignInRouteOptions;

  constructor(app: FastifyInstance, options: SignInRouteOptions) {
    this.#app = app;
    this.#options = options;
  }

  isSecure(context: PublicContext): boolean {
    return isSecure(context, this.#options.publicUrl);
  }

  /** Returns the ticket in the cookie of the request. */
  ticket(context: PublicContext) {
    return ticketOf(context, this.isSecure(context));
  }

  visitor(context: PublicContext): Visitor {
    return visitorOf(context, 'W');
  }

  /** Returns the pending sign-in of the browser. */
  pending(context: PublicContext): Continuation {
    return { ticket: this.ticket(context), kind: 'browser', visitor: this.visitor(context) };
  }

  /** Adds a route that only pages of this site can call, within the rate limit. */
  post(
    url: string,
    summary: string,
    handler: (context: PublicContext) => Promise<unknown>,
    wire: Wire = {},
  ): void {
    const { limit, publicUrl } = this.#options;
    publicRoute(this.#app, {
      method: 'POST',
      url,
      summary,
      ...wire,
      bodyLimit: 65_536,
      async handler(context) {
        await limit(context);
        assertOwnPage(context, publicUrl);
        return handler(context);
      },
    });
  }

  /** Sets the cookies for an outcome, and formats it for browsers. */
  answer(context: PublicContext, outcome: Outcome): SignInAnswer {
    const secure = this.isSecure(context);
    if (outcome.step !== 'in') {
      if (isRefused(outcome)) clearTicket(context, secure);
      else setTicket(context, outcome.ticket, secure, outcome.review !== undefined);
      return pendingOf(outcome);
    }
    clearTicket(context, secure);
    setSession(context, outcome.token, this.#options.settings.get('SESSION_COOKIE_AGE'), secure);
    return {
      next: outcome.next,
      ...(outcome.recoveryCodes && { recovery_codes: outcome.recoveryCodes }),
    };
  }

  /**
   * Returns account and holder of the sign-in if it is at the step.
   * @throws AppError session_empty
   */
  async pendingAt(context: PublicContext, step: 'mfa_required' | 'mfa_unset') {
    const at = await this.#options.signIns.currentStep(this.ticket(context), 'browser');
    if (at?.step !== step) throw new Rejected('session_empty', {}, { error: 'session_empty' });
    return {
      account: { id: at.userId, username: at.username, name: at.name },
      holder: holderOf(at.ticket),
    };
  }
}
