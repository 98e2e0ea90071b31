import type { Resource } from '@sallyport/contract';
import { type Caller, DEFAULT_ORGANIZATION, systemCaller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { type AppError, describeProblem, Invalid, InvalidItems } from '../../platform/errors.ts';
import type { Engines } from '../../resources/engines.ts';
import type { ResourceServices } from '../../resources/hooks.ts';
import { problemsInWords } from '../../resources/write/problems.ts';
import type { SourceObject } from './description.ts';
import { Links } from './links.ts';
import { Report } from './report.ts';
import type { Written } from './undo/store.ts';

const ADDRESS = '127.0.0.1';

/** Writes the objects of an import, in one transaction. */
export class ImportRun {
  readonly engines: Engines;
  readonly services: ResourceServices;
  readonly tx: Tx;
  readonly links = new Links();
  readonly report = new Report();
  /** Created and changed objects so far, for an undo. */
  readonly written: Written[] = [];
  readonly #callers = new Map<string, Caller>();

  constructor(engines: Engines, services: ResourceServices, tx: Tx) {
    this.engines = engines;
    this.services = services;
    this.tx = tx;
    this.useOrganization('', DEFAULT_ORGANIZATION);
  }

  /** Acts in an organization for objects of an organization of the source. */
  useOrganization(sourceId: string, organization: { id: string; name: string }): void {
    this.#callers.set(sourceId, systemCaller('Import', ADDRESS, organization));
  }

  /** Returns the caller for an object; undefined if its organization was not imported. */
  readonly callerOf = ({ organization }: SourceObject): Caller | undefined =>
    this.#callers.get(organization);

  /** Returns the caller for an organization of the source. @throws Error for an unknown one */
  callerIn(sourceId: string): Caller {
    const caller = this.#callers.get(sourceId);
    if (!caller) throw new Error(`no caller for the organization ${sourceId}`);
    return caller;
  }

  /** Remembers a written object. `before`: its changed fields; null if it is new. */
  remember(
    { kind, name }: SourceObject,
    id: string,
    { actor }: Caller,
    before: Written['before'],
  ): void {
    this.written.push({ kind, id, organization: actor.organization.id, name, before });
  }

  /** Runs work, and rolls its changes back if it throws. */
  readonly savepoint = async <T>(work: () => Promise<T>): Promise<T> => {
    await sql`savepoint import_step`.execute(this.tx);
    try {
      const result = await work();
      await sql`release savepoint import_step`.execute(this.tx);
      return result;
    } catch (error) {
      await sql`rollback to savepoint import_step`.execute(this.tx);
      throw error;
    }
  };
}

/** Describes an error that a caller can act on. */
export function describeError(error: AppError, resource?: Resource): string {
  const problems =
    error instanceof Invalid
      ? error.problems
      : error instanceof InvalidItems
        ? error.items.find((item) => Object.keys(item).length > 0)
        : undefined;
  if (!problems) return describeProblem({ code: error.code, params: error.params }, 'en');
  return resource
    ? problemsInWords(problems, resource, 'en').join(' ')
    : Object.values(problems)
        .flat()
        .map((problem) => describeProblem(problem, 'en'))
        .join(' ');
}
