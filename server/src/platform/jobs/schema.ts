import { sql } from 'kysely';

/** Schema of pg-boss in our database. */
export const SCHEMA = 'jobs';

/** pg-boss table of queued, running and recent jobs. */
export const QUEUE = sql.table(`${SCHEMA}.job`);
