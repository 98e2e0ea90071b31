import {
  type Fields,
  formatDatetime,
  Permission,
  SCREEN_PHRASE_MOST,
  type ScreenMatch,
  type ScreenMatches,
  session,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../http/openapi/examples.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { scopeOf } from '../../resources/read/scope.ts';
import { wideRuns } from './screen-index.ts';
import { blocksWith, type ScreenBlock, type ScreenPlace } from './screen-store.ts';

/** Rows of text, lines of one session, and lines of an answer. */
const MOST_BLOCKS = 200;
const MOST_OF_SESSION = 5;
const MOST_LINES = 100;

const FIELDS: Fields = {
  q: text({
    label: { en: 'Phrase', zh: '短语' },
    max: SCREEN_PHRASE_MOST,
    example: 'permission denied',
  }),
  older: text({
    label: { en: 'Older than', zh: '早于' },
    max: 64,
    example: `1769819400000000_${exampleId('session')}`,
  }),
};

const EXAMPLE: ScreenMatches = {
  matches: [
    {
      session: exampleId('session'),
      user: 'Li Wei(li.wei)',
      asset: 'web-prod-01',
      system_user: 'deploy',
      date_start: '2026-01-31 08:30:00 +0800',
      at: 12.5,
      text: 'cat: /etc/shadow: Permission denied',
    },
  ],
  is_more: false,
  older: null,
  indexing: 'plain',
};

/** Reads the phrase. @throws Invalid */
function phraseIn(query: URLSearchParams): string {
  const phrase = (query.get('q') ?? '').trim().toLowerCase();
  if (phrase === '') throw invalid('q', 'required');
  if (phrase.includes('\u0000')) throw invalid('q', 'nul_byte');
  if (phrase.length > SCREEN_PHRASE_MOST)
    throw invalid('q', 'too_long', { max: SCREEN_PHRASE_MOST });
  // Other phrases would compare every row: the index has words and pairs of wide characters.
  if (!/[a-z0-9]{3}/.test(phrase) && wideRuns(phrase).length === 0)
    throw invalid('q', 'phrase_short');
  return phrase;
}

const PLACE = /^(\d{1,16})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Reads the place at which the page before ended. @throws Invalid */
function placeIn(query: URLSearchParams): ScreenPlace | undefined {
  const older = query.get('older');
  if (older === null) return undefined;
  const [, start, session] = PLACE.exec(older) ?? [];
  if (start === undefined || session === undefined)
    throw invalid('older', 'not_choice', { value: older.slice(0, 64) });
  return { start, session };
}

/** Returns the lines of a block that contain a phrase. */
function* linesWith(
  phrase: string,
  block: ScreenBlock,
  zone: string,
): Generator<ScreenMatch, void> {
  const { session: id, user, asset, system_user, text: lines, moments, date_start: start } = block;
  for (const [index, line] of lines.split('\n').entries())
    if (line.toLowerCase().includes(phrase))
      yield {
        session: id,
        user,
        asset,
        system_user,
        date_start: formatDatetime(start, zone),
        at: (moments[index] ?? 0) / 1_000,
        text: line,
      };
}

/** Finds sessions by the text that they showed. */
export function mountScreenSearch(
  app: FastifyInstance,
  {
    db,
    engines,
    settings,
  }: {
    readonly db: Db;
    readonly engines: Engines;
    readonly settings: Pick<SettingsService, 'get'>;
  },
): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/terminal/screen-search/',
    access: Permission.AUDIT,
    area: 'logs',
    summary:
      'Lines on the screens of recorded sessions that contain a phrase, of the newest sessions first.',
    query: FIELDS,
    answer: samples<ScreenMatches>(EXAMPLE),
    async handler(context): Promise<ScreenMatches> {
      const phrase = phraseIn(context.query);
      const scope = scopeOf(engineOf(engines, session), context);
      const after = placeIn(context.query);
      const { blocks, next } = await blocksWith(db, phrase, { scope, limit: MOST_BLOCKS, after });
      const matches: ScreenMatch[] = [];
      let isMore = false;
      let older = next;
      let count = 0;
      for (const [index, block] of blocks.entries()) {
        const before = blocks[index - 1];
        if (block.session !== before?.session) {
          // A page ends between sessions, so the next one repeats and misses none.
          if (before && matches.length >= MOST_LINES) {
            older = before.place;
            break;
          }
          count = 0;
        }
        for (const match of linesWith(phrase, block, context.zone)) {
          count += 1;
          if (count > MOST_OF_SESSION) isMore = true;
          else matches.push(match);
        }
      }
      return {
        matches,
        is_more: isMore || older !== undefined,
        older: older ? `${older.start}_${older.session}` : null,
        indexing: settings.get('TERMINAL_RECORDING_INDEX'),
      };
    },
  });
}
