import { HTTP_TIMEOUT } from '@sallyport/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { partOf, Work } from '../platform/db/work.ts';
import { Unavailable } from '../platform/errors.ts';

/** Requests that only read: when the client is gone, there is no reason to continue. */
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

const works = new WeakMap<FastifyRequest, Work>();
const lateness = new WeakMap<FastifyReply, NodeJS.Timeout>();

/**
 * Gives every request but sockets a time by which its answer must begin, and ends its queries when that has passed or the client has gone away.
 * A change that its client no longer waits for is finished all the same: hanging up must not keep a failed sign-in out of the log. What is sent
 * bit by bit may take longer than that; the database's own limits hold for each bit of it.
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
  // Between the two a body may have been read, and what follows from its last byte no longer follows from the request's first.
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

/** Whether a failure of a request comes from its having been stopped. */
export function wasStopped(request: FastifyRequest): boolean {
  return works.get(request)?.stopped !== undefined;
}
