import { HTTP_TIMEOUT } from '@sallyport/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { partOf, Work } from '../platform/db/work.ts';
import { Unavailable } from '../platform/errors.ts';

/** Requests that only read; the server stops them when the client disconnects. */
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

const works = new WeakMap<FastifyRequest, Work>();
const lateness = new WeakMap<FastifyReply, NodeJS.Timeout>();

/**
 * Limits the time until an answer begins, except for sockets, and cancels the queries of a late or
 * abandoned request. Changes of a disconnected client still finish: hanging up must not keep a
 * failed sign-in out of the log. Streamed answers may take longer; the database limits each of
 * their reads.
 */
export function limitRequests(http: FastifyInstance, patience = HTTP_TIMEOUT): void {
  http.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config?.socket) return done();
    const work = new Work();
    works.set(request, work);
    const late = setTimeout(() => {
      work.stop('late');
      if (!reply.sent) reply.send(new Unavailable('timeout'));
    }, patience);
    reply.raw.once('close', () => {
      clearTimeout(late);
      if (!reply.raw.writableFinished && READS.has(request.method)) work.stop('abandoned');
    });
    lateness.set(reply, late);
    partOf(work, done);
  });
  // Reading the body loses the asynchronous context of the first hook, so set it again.
  http.addHook('preValidation', (request, _reply, done) => {
    const work = works.get(request);
    if (work) partOf(work, done);
    else done();
  });
  http.addHook('onSend', (_request, reply, _payload, done) => {
    clearTimeout(lateness.get(reply));
    done();
  });
}

/** Returns true if the request failed because it was stopped. */
export function wasStopped(request: FastifyRequest): boolean {
  return works.get(request)?.stopped !== undefined;
}
