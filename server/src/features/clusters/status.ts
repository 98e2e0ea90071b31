import type { FastifyReply } from 'fastify';

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  413: 'RequestEntityTooLarge',
  429: 'TooManyRequests',
  502: 'InternalError',
  503: 'ServiceUnavailable',
};

/** Returns an error in the form of an API server, which clients show to their users. */
export const statusBody = (code: number, message: string): string =>
  JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: REASONS[code] ?? 'InternalError',
    code,
  });

/** Answers with an error in the form of an API server. */
export function answerStatus(reply: FastifyReply, code: number, message: string): FastifyReply {
  return reply
    .code(code)
    .header('content-type', 'application/json')
    .header('cache-control', 'no-store')
    .send(statusBody(code, message));
}
