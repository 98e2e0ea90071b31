import { ERRORS, gateway, integer, Permission, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { Rejected } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { RemoteWork } from '../connections/index.ts';

const BODY = {
  port: integer({
    label: gateway.fields.port.label,
    min: 1,
    max: 65_535,
    required: false,
    nullable: true,
  }),
};

/**
 * Mounts the gateway test (assets.md, section 7): signs in to a gateway and connects through it to
 * a port of the same machine.
 */
export function mountGatewayTest(
  app: FastifyInstance,
  { engines, remote }: { readonly engines: Engines; readonly remote: RemoteWork },
): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/assets/gateways/:id/test-connective/',
    access: Permission.ADMIN,
    area: 'operation',
    summary:
      'Sign in to a gateway and connect through it to a port of its machine: the given one, or that of the gateway.',
    body: BODY,
    answer: samples('ok'),
    async handler(context) {
      const { port } = readBody(context, BODY);
      const row = await engineOf(engines, gateway).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      const problem = await remote.tryGateway(String(row.id), Number(port ?? row.port));
      if (problem)
        throw new Rejected(problem.code, problem.params ?? {}, {
          error: say(ERRORS[problem.code], context.language, problem.params),
        });
      context.reply.type('application/json');
      return JSON.stringify('ok');
    },
  });
}
