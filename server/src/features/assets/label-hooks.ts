import { label } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { hooksFor } from '../../resources/hooks.ts';

export const labelHooks = hooksFor(label, {
  // The first colon ends the name. A name that contains a colon would match another label, so its
  // id is written.
  inFiles: {
    name: sql`case when t.name like '%:%' then t.id::text else t.name || ':' || t.value end`,
  },
});
