import { randomUUID } from 'node:crypto';
import { eventReceiver, Permission, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, route } from '../../http/route.ts';
import { anyObject, samples } from '../../http/shapes.ts';
import { certificateSentence, PEER } from '../../platform/certificate-problem.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { toSend } from './message.ts';
import { eventSchema } from './schema.ts';
import type { Send } from './send.ts';
import { receiverById } from './store.ts';

interface TestResult {
  readonly is_valid: boolean;
  readonly msg: string;
}

/**
 * Mounts the schema of events, and a route that sends a `test` event to a receiver immediately,
 * independent of pending events.
 */
export function mountReceiverTest(
  app: FastifyInstance,
  { db, engines, send }: { readonly db: Db; readonly engines: Engines; readonly send: Send },
): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/audits/events/schema/',
    access: Permission.SUPER | Permission.ADMIN,
    area: 'security',
    summary: 'The JSON Schema of the events that receivers get.',
    answer: anyObject({ title: 'Sallyport event', type: 'object' }),
    handler: () => eventSchema(),
  });
  route(app, {
    method: 'POST',
    url: '/api/v1/audits/event-receivers/:id/test/',
    access: Permission.SUPER | Permission.ADMIN,
    area: 'security',
    summary: 'Send an event of the kind test to a receiver.',
    answer: samples<TestResult>(
      { is_valid: true, msg: 'The receiver accepted the event.' },
      { is_valid: false, msg: 'The receiver did not take the event: the receiver answered 403' },
    ),
    async handler(context): Promise<TestResult> {
      const { language } = context;
      const { id } = await engineOf(engines, eventReceiver).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      const receiver = await receiverById(db, String(id));
      // The receiver was deleted between the two queries.
      if (!receiver) throw notFound();
      const data = { receiver: receiver.name };
      const event = toSend({
        id: 0,
        event_id: randomUUID(),
        kind: 'test',
        org_id: null,
        org_name: null,
        date: new Date(),
        data,
      });
      try {
        await send(receiver, [event]);
        return {
          is_valid: true,
          msg: say({ en: 'The receiver accepted the event.', zh: '接收端已接收事件。' }, language),
        };
      } catch (error) {
        const reason =
          certificateSentence(error, PEER.receiver) ??
          (error instanceof Error ? error.message : String(error));
        return {
          is_valid: false,
          msg: say(
            {
              en: 'The receiver did not accept the event: {reason}',
              zh: '接收端未接收事件：{reason}',
            },
            language,
            { reason },
          ),
        };
      }
    },
  });
}
