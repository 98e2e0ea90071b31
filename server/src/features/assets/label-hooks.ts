import { label } from '@sallyport/contract';
import { sql } from 'kysely';
import { hooksFor } from '../../resources/hooks.ts';

/** The hooks of labels. */
export const labelHooks = hooksFor(label, {
  // The first colon ends the name; a name with a colon in it would be found as another label.
  inFiles: {
    name: sql`case when t.name like '%:%' then t.id::text else t.name || ':' || t.value end`,
  },
});
