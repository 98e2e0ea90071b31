import type { FastifyInstance } from 'fastify';
import { defineCounter, defineHistogram } from '../platform/metrics/counters.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const answers = defineCounter(
  'sallyport_http_requests_total',
  'Answered requests of console and API, by method and kind of status.',
);
const durations = defineHistogram(
  'sallyport_http_request_duration_seconds',
  'How long the answers took.',
  [0.005, 0.025, 0.1, 0.5, 1, 5, 30],
);

/** Counts answers and how long they took, without addresses: those name objects. */
export function countAnswers(http: FastifyInstance): void {
  http.addHook('onResponse', (request, reply, done) => {
    const method = METHODS.includes(request.method) ? request.method : 'other';
    answers.add({ method, status: `${Math.floor(reply.statusCode / 100)}xx` });
    durations.observe(reply.elapsedTime / 1_000);
    done();
  });
}
