import { type ConnectionInfo, Permission, remoteApp, remoteAppParams } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../http/openapi/examples.ts';
import { parameter, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';

const PROGRAM = '||jmservisor';

const ANSWER = samples<ConnectionInfo>({
  id: exampleId('remote_app'),
  name: 'erp',
  asset: exampleId('asset'),
  parameter_remote_app: {
    program: PROGRAM,
    working_directory: '',
    parameters:
      'chrome "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe" https://erp.example.com clerk',
  },
});

/**
 * Mounts the start parameters of remote apps, without passwords: secrets never leave the server.
 */
export function mountApplications(app: FastifyInstance, engines: Engines): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/applications/remote-apps/:id/connection-info/',
    access: Permission.ADMIN,
    area: 'assets',
    summary: 'The start command of a remote app, without its password.',
    answer: ANSWER,
    async handler(context): Promise<ConnectionInfo> {
      const row = await engineOf(engines, remoteApp).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      const params = row.params as Readonly<Record<string, string>>;
      const values = remoteAppParams(row.type).flatMap((name) => params[name] || []);
      return {
        id: String(row.id),
        name: String(row.name),
        asset: String(row.asset),
        parameter_remote_app: {
          program: PROGRAM,
          working_directory: '',
          parameters: [String(row.type), `"${row.path}"`, ...values].join(' '),
        },
      };
    },
  });
}
