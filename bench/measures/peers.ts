import { RELAY, SYNC_RELAY } from '../lib/byte-relay.ts';
import type { Figure } from '../lib/figure.ts';
import { atLeast, atMost, verdictOf, writeNumber } from '../lib/figure.ts';
import { PEER_ROWS, PEERS, type PeerRow, SAME_ALGORITHMS } from '../lib/peer-rows.ts';
import { rateOfPgbouncer } from '../lib/pgbouncer.ts';
import type { World } from '../lib/world.ts';
import { databases } from './databases.ts';
import { listener } from './listener.ts';
import { openings } from './openings.ts';
import { smallFiles } from './small-files.ts';

/** `SALLYPORT_BENCH_PGBOUNCER` is the path of PgBouncer. */
const { SALLYPORT_BENCH_PGBOUNCER: PGBOUNCER } = process.env;
const CLIENTS = [1, 8];

/**
 * Compares this program with the clients alone, in one run. Runs PgBouncer as well if its path is
 * known. Without `--before` the row of openings has no unit.
 */
export async function peers(world: World): Promise<Figure[]> {
  const measured = [
    ...(await openings(world)),
    ...(await databases({ ...world, stage: 'statements' })),
    ...(await listener(world, SAME_ALGORITHMS)),
    ...(await smallFiles(world)),
  ];
  const pooled = PGBOUNCER
    ? await rateOfPgbouncer(PGBOUNCER, world.folder(), CLIENTS)
    : new Map<number, number>();
  const values = new Map(measured.map(({ name, value }) => [name, value]));
  return [
    ...PEER_ROWS.map((row) => figureOf(row, shareOf(row, values))),
    ...PEER_ROWS.flatMap((row) => relayFigureOf(row, values)),
    ...[...pooled].map(([clients, share]) => ({
      name: `pgbench -S, ${clients} at once, PgBouncer to direct`,
      value: share * 100,
      unit: '%',
      note: 'without a log',
    })),
  ];
}

function shareOf({ ours, unit, as }: PeerRow, values: ReadonlyMap<string, number>): number {
  const share = (values.get(ours) ?? Number.NaN) / (values.get(unit) ?? Number.NaN);
  return as === '%' ? share * 100 : share;
}

/** The share of a relay of bytes, where one was measured. */
function relayFigureOf(row: PeerRow, values: ReadonlyMap<string, number>): Figure[] {
  const ours = row.ours.replace(/(sftp through the )?bastion/, RELAY);
  const share = shareOf({ ...row, ours }, values);
  return ours === row.ours || row.unit.endsWith(SYNC_RELAY) || Number.isNaN(share)
    ? []
    : [{ name: relayNameOf(row), value: share, unit: row.as }];
}

const relayNameOf = (row: PeerRow): string => `${nameOf(row)}, ${RELAY}`;

/** Returns true for a row whose goal is a lower bound. */
const isRate = ({ as, name }: PeerRow): boolean => as === '%' && !name.startsWith('CPU');

const nameOf = ({ name }: PeerRow): string => name.replaceAll('`', '');

const figureOf = (row: PeerRow, share: number): Figure => ({
  name: nameOf(row),
  value: share,
  unit: row.as,
  ...(row.goal !== undefined && {
    budget: isRate(row) ? atLeast(row.goal) : atMost(row.goal),
  }),
});

/** Returns the figures next to those of the other programs, as a Markdown table. */
export function peersTableOf(figures: readonly Figure[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const shares = new Map(figures.map(({ name, value }) => [name, value]));
  const pooled = figures.filter(({ name }) => name.endsWith('PgBouncer to direct'));
  return [
    line(['Row, to the client alone', 'Sallyport', 'Goal', 'Verdict', RELAY, ...PEERS]),
    line(['---', '---:', '---:', '---', '---:', ...PEERS.map(() => '---:')]),
    ...PEER_ROWS.map((row) => {
      const share = shares.get(nameOf(row)) ?? Number.NaN;
      const passed = shares.get(relayNameOf(row));
      return line([
        row.name,
        `${Number.isNaN(share) ? '–' : writeNumber(share)} ${row.as}`,
        row.goal === undefined ? '–' : `${isRate(row) ? '≥' : '≤'} ${row.goal} ${row.as}`,
        (!Number.isNaN(share) && verdictOf(figureOf(row, share))) || '–',
        passed === undefined ? '–' : writeNumber(passed),
        ...PEERS.map((peer) => row.peers[peer] ?? '–'),
      ]);
    }),
    ...(pooled.length > 0 ? ['', 'In the same run:', ''] : []),
    ...pooled.map(({ name, value, unit }) => `- ${name} ${writeNumber(value)} ${unit}`),
  ].join('\n');
}
