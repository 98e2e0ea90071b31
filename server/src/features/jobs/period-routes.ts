import {
  type Fields,
  formatDatetime,
  type NextTimes,
  Permission,
  parseBody,
  periodFields,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { Invalid } from '../../platform/errors.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { scheduleOf } from '../../resources/write/period.ts';

/** Number of times that a form shows. */
const SHOWN = 3;
const { crontab, interval } = periodFields();
const QUERY: Fields = { crontab: { ...crontab, example: '30 2 * * *' }, interval };

/** Mounts a route that previews the next runs of a schedule, by the rules of the scheduler. */
export function mountPeriods(app: FastifyInstance, jobs: Pick<Jobs, 'preview'>): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/common/periods/',
    access: Permission.ADMIN,
    area: 'operation',
    summary:
      'The next times of a crontab or of an interval in hours. The crontab takes precedence.',
    query: QUERY,
    answer: samples<NextTimes>({
      times: [
        '2026-01-31 02:30:00 +0800',
        '2026-02-01 02:30:00 +0800',
        '2026-02-02 02:30:00 +0800',
      ],
    }),
    handler({ query, zone }): NextTimes {
      const body = Object.fromEntries(
        ['crontab', 'interval'].flatMap((name) =>
          query.get(name) ? [[name, query.get(name)]] : [],
        ),
      );
      const { values, problems } = parseBody(QUERY, body, 'change', { zone });
      if (Object.keys(problems).length > 0) throw new Invalid(problems);
      const period = { is_periodic: true, crontab: null, interval: null, ...values };
      const schedule = scheduleOf(period);
      return {
        times: schedule
          ? jobs.preview(schedule, SHOWN).map((date) => formatDatetime(date, zone))
          : [],
      };
    },
  });
}
