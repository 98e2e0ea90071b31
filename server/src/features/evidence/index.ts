import { Readable } from 'node:stream';
import { isUuid, Permission } from '@sallyport/contract';
import { parameter, route } from '../../http/route.ts';
import { fileOf } from '../../http/shapes.ts';
import { defineModule } from '../../module.ts';
import { NotFound } from '../../platform/errors.ts';
import { audits } from '../audits/index.ts';
import { sessions } from '../sessions/index.ts';
import { readWitnessAuthority } from '../witness/index.ts';
import { evidenceLack, exportEvidence } from './export.ts';

export { type EvidenceLack, type EvidenceRange, evidenceLack, exportEvidence } from './export.ts';

/** Evidence of sessions and logs that is proven without the server. */
export const evidence = defineModule({
  name: 'evidence',
  tables: [],
  create({ core: { db, config }, use }) {
    const { recordings } = use(sessions);
    const authority = readWitnessAuthority(config)?.pem;
    return {
      service: {},
      routes: ({ http }) =>
        route(http, {
          method: 'GET',
          url: '/api/v1/audits/evidence/:id/',
          // The chain contains rows of all organizations.
          access: Permission.SUPER | Permission.AUDIT,
          summary:
            'The evidence of an ended session in a tar archive: row, commands, recording, chain and tokens of the witness. The operate log gets an entry.',
          answer: fileOf('application/x-tar', 'manifest.json'),
          async handler(context) {
            const id = parameter(context, 'id');
            const range = { session: id };
            if (!isUuid(id) || (await evidenceLack(db, range))) throw new NotFound('not_found');
            await db.transaction((tx) =>
              use(audits).write(tx, context, {
                action: 'view',
                resourceType: 'audit_log',
                resource: id,
                resourceId: '',
              }),
            );
            context.reply
              .header('content-type', 'application/x-tar')
              .header('content-disposition', `attachment; filename="evidence-${id}.tar"`);
            return Readable.from(exportEvidence({ db, recordings, range, authority }));
          },
        }),
    };
  },
});
