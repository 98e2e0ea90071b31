import type pg from 'pg';

/**
 * Ends jobs that were queued or running at a backup and are not in `job_request` as interrupted.
 * Runs in the transaction that restores the tables.
 */
export async function endLostJobs(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(`
    update job
    set state = 'failed', problem = '{"code":"job_interrupted"}', date_finished = now()
    where state in ('queued', 'running') and id not in (select id from job_request)`);
}
