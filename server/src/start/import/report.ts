import { KINDS, type Kind, type Note } from './description.ts';

type State = 'new' | 'same' | 'changed' | 'refused';

/** Maximum lines about single objects, and maximum notes; the counts are complete. */
const MOST_LINES = 500;

export const TITLES: Readonly<Record<Kind, string>> = {
  organization: 'organizations',
  platform: 'platforms',
  user: 'users',
  membership: 'memberships',
  user_group: 'user groups',
  domain: 'domains',
  gateway: 'gateways',
  node: 'nodes',
  admin_user: 'admin users',
  system_user: 'system users',
  asset: 'assets',
  asset_user: 'accounts on assets',
  asset_permission: 'asset permissions',
  command_filter: 'command filters',
};

/** A reported object of a source. */
interface Reported {
  readonly kind: Kind;
  readonly name: string;
  readonly place: string;
}

/** The first lines of a kind, and the number of the others. */
class Lines {
  readonly #lines: string[] = [];
  #left = 0;

  add(line: string): void {
    if (this.#lines.length < MOST_LINES) this.#lines.push(line);
    else this.#left += 1;
  }

  all(what: string): string[] {
    return this.#left > 0 ? [...this.#lines, `and ${this.#left} more ${what}`] : this.#lines;
  }
}

/** Collects the result of each object. */
export class Report {
  readonly #counts = new Map<Kind, Record<State, number>>();
  readonly #lines = { notes: new Lines(), objects: new Lines() };

  add(state: State, { kind, name, place }: Reported, detail = ''): void {
    const counts = this.#counts.get(kind) ?? { new: 0, same: 0, changed: 0, refused: 0 };
    counts[state] += 1;
    this.#counts.set(kind, counts);
    if (state === 'changed' || state === 'refused')
      this.#lines.objects.add(`${state} ${kind} ${JSON.stringify(name)} (${place}): ${detail}`);
  }

  note({ place, text }: Note): void {
    this.#lines.notes.add(`note ${place}: ${text}`);
  }

  total(...states: readonly State[]): number {
    return [...this.#counts.values()].reduce(
      (sum, counts) => sum + states.reduce((part, state) => part + counts[state], 0),
      0,
    );
  }

  lines(): string[] {
    const width = Math.max(...Object.values(TITLES).map(({ length }) => length));
    const table = KINDS.flatMap((kind) => {
      const counts = this.#counts.get(kind);
      if (!counts) return [];
      const { new: fresh, same, changed, refused } = counts;
      return `${TITLES[kind].padEnd(width)}  ${fresh} new, ${same} same, ${changed} changed, ${refused} refused`;
    });
    const { notes, objects } = this.#lines;
    return [...notes.all('notes'), ...objects.all('changed or refused objects'), ...table];
  }
}
