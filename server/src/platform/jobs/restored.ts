import type pg from 'pg';

/** After a restore: jobs that were under way and are not asked for again end as interrupted; for the transaction that filled the tables. */
export async function endLostJobs(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(`update job set state = 'failed', problem = '{"code":"job_interrupted"}', date_finished = now()
    where state in ('queued', 'running') and id not in (select id from job_request)`);
}
