import { sql } from 'kysely';

/** The schema of pg-boss in our database. */
export const SCHEMA = 'jobs';

/** Its table of queued, running and recent jobs. */
export const QUEUE = sql.table(`${SCHEMA}.job`);
