import { cpus, loadavg, release, totalmem } from 'node:os';
import { type Budget, type Figure, verdictOf, writeNumber } from './figure.ts';

/** A measure that ran, as the page shows it. */
export interface Section {
  readonly title: string;
  readonly figures: readonly Figure[];
  /** One-minute load before the measure. */
  readonly load: number;
  /** Paragraphs about the conditions, in Markdown. */
  readonly about?: string | undefined;
  /** Replaces the usual table. */
  readonly table?: string | undefined;
}

const MISSED_ROW = /^\| ([^|]+) \|.*\| MISSED \|/gm;
const USUAL_HEAD = [
  '| Figure | Value | Budget | Verdict | Remark |',
  '| --- | ---: | ---: | --- | --- |',
];

const INTRODUCTION = [
  '# Benchmarks',
  '',
  'Written by `npm run bench`, which runs all measures. `npm run bench -- NAME` runs one and prints',
  'it; with `--write` it replaces the section here. `SALLYPORT_BENCH_SCALE=10` makes the large',
  'installation ten times as large. Each section says its day, its machine and the load before it.',
  '',
  'The clients, the targets, the browser and PostgreSQL share the cores with the server. The echo',
  'of OpenSSH alone, without Sallyport, shows the speed of the machine: where it doubles, the other',
  'figures double too. [Performance](performance.md) explains the techniques behind the figures.',
  '',
];

/** The machine that measures, in one line. */
export function describeMachine(): string {
  const [cpu] = cpus();
  return `${cpus().length} cores of ${cpu?.model.trim() ?? 'an unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB of memory, ${process.platform} ${release()}, Node.js ${process.version}`;
}

export const loadNow = (): number => loadavg()[0] ?? 0;

const writeBudget = (budget: Budget | undefined, unit: string) =>
  budget ? `${budget.kind === 'at most' ? '≤' : '≥'} ${budget.limit} ${unit}` : '';

/** Prints figures as an aligned table. */
export function printFigures(figures: readonly Figure[], say: (line: string) => void): void {
  const width = Math.max(...figures.map(({ name }) => name.length));
  for (const figure of figures) {
    const { name, value, unit, budget, note } = figure;
    const cells = [
      name.padEnd(width),
      `${writeNumber(value)} ${unit}`.padStart(12),
      writeBudget(budget, unit).padEnd(12),
      verdictOf(figure).padEnd(6),
      note ?? '',
    ];
    say(`  ${cells.join('  ').trimEnd()}`);
  }
}

/**
 * Returns the page with a new section in the place of the one with its title, or at the end. The
 * other sections stay as they are, with their own days.
 */
export function replaceSection(page: string, section: Section): string {
  const sections = page.split(/^(?=## )/m).slice(1);
  const heading = `## ${section.title}\n`;
  const at = sections.findIndex((one) => one.startsWith(heading));
  sections.splice(at === -1 ? sections.length : at, 1, writeSection(section));
  const body = sections.map((one) => `${one.trim()}\n`).join('\n');
  return `${introductionOf(body)}\n${body}`;
}

function introductionOf(body: string): string {
  const missed = [...body.matchAll(MISSED_ROW)].map(([, name]) => name);
  const verdict =
    missed.length === 0 ? 'All budgets are met.' : `Missed budgets: ${missed.join('; ')}.`;
  return `${[...INTRODUCTION, verdict].join('\n')}\n`;
}

function writeSection({ title, figures, load, about, table }: Section): string {
  const day = new Date().toISOString().slice(0, 10);
  return [
    `## ${title}`,
    '',
    `Measured on ${day}; ${describeMachine()}; load ${load.toFixed(1)}.`,
    '',
    ...(about ? [about, ''] : []),
    ...(table ? [table] : [...USUAL_HEAD, ...figures.map(rowOf)]),
    '',
  ].join('\n');
}

function rowOf(figure: Figure): string {
  const { name, value, unit, budget, note } = figure;
  return `| ${name} | ${writeNumber(value)} ${unit} | ${writeBudget(budget, unit)} | ${verdictOf(figure)} | ${note ?? ''} |`;
}
