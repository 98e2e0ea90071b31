import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, verdictOf } from './lib/figure.ts';
import { describeMachine, loadNow, printFigures, replaceSection } from './lib/report.ts';
import { createWorld, type World } from './lib/world.ts';
import { MEASURES, type Measure } from './measures/index.ts';

const PAGE = resolve(import.meta.dirname, '../docs/benchmarks.md');

/**
 * Runs the named measures (all without a name), prints their figures, and returns whether every
 * budget is met. The figures of a run of all measures, or with `--write`, go to the page.
 */
async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    options: {
      'data-dir': { type: 'string' },
      long: { type: 'boolean' },
      stage: { type: 'string' },
      before: { type: 'string' },
      write: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const names = positionals.length > 0 ? positionals : Object.keys(MEASURES);
  const unknown = names.find((name) => !(name in MEASURES));
  if (unknown) {
    process.stderr.write(
      `There is no measure ${unknown}. There are: ${Object.keys(MEASURES).join(', ')}.\n`,
    );
    return false;
  }
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const world = createWorld(say, {
    bigFolder: values['data-dir'],
    isLong: values.long,
    stage: values.stage,
    before: values.before,
  });
  say(`${describeMachine()}; load ${loadNow().toFixed(1)}`);
  const writes = values.write || positionals.length === 0;
  let isMet = true;
  try {
    for (const name of names) {
      const measure = MEASURES[name];
      if (measure) isMet = (await measureOne(measure, world, writes)) && isMet;
    }
    return isMet;
  } finally {
    await world.end();
  }
}

/** Returns false if a budget is missed or the measure fails, which leaves its section as it was. */
async function measureOne(measure: Measure, world: World, writes: boolean): Promise<boolean> {
  const { title, run, about, tableOf } = measure;
  const began = performance.now();
  const load = loadNow();
  world.say(`\n${title}`);
  let figures: Figure[];
  try {
    figures = await run(world);
  } catch (error) {
    world.say(`  failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
    return false;
  }
  printFigures(figures, world.say);
  world.say(`  (${((performance.now() - began) / 1_000).toFixed(0)} s)`);
  if (writes) {
    const section = { title, figures, load, about, table: tableOf?.(figures) };
    writeFileSync(PAGE, replaceSection(readFileSync(PAGE, 'utf8'), section));
  }
  return figures.every((figure) => verdictOf(figure) !== 'MISSED');
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exit((await main()) ? 0 : 1);
