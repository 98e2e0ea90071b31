import {
  AUDIT_KINDS,
  type FieldProblems,
  type Language,
  type LocalText,
  type Problem,
  RESOURCES,
  type Resource,
  say,
} from '@sallyport/contract';
import { MUST_BE_PROPOSED } from '../../platform/change-gate.ts';
import { sqlState } from '../../platform/db/database.ts';
import {
  type AppError,
  Conflict,
  describeProblem,
  Invalid,
  Unavailable,
} from '../../platform/errors.ts';

/**
 * Describes the problems of one row, a line per field. Secrets are only called invalid: a problem
 * may quote the value.
 */
export function problemsInWords(
  problems: FieldProblems,
  resource: Resource,
  language: Language,
): string[] {
  return Object.entries(problems).map(([name, list]) => {
    const field = resource.fields[name];
    const isSecret = field?.kind === 'secret';
    return `${field ? say(field.label, language) : name}: ${list.map((problem) => describeProblem(isSecret ? { code: 'invalid' } : problem, language)).join('; ')}`;
  });
}

/** Runs a rule and returns the problems of an Invalid error. Other errors propagate. */
export async function problemsOf(rule: () => Promise<void> | void): Promise<FieldProblems> {
  try {
    await rule();
    return {};
  } catch (error) {
    if (error instanceof Invalid) return error.problems;
    throw error;
  }
}

/** Translates a constraint violation into problems of fields; undefined for other errors. */
export function refusalOfDatabase(error: unknown, resource: Resource): AppError | undefined {
  const state = sqlState(error);
  if (!state) return undefined;
  if (state.code === '23505') {
    const columns = /^Key \((.+?)\)=/.exec(state.detail ?? '')?.[1]?.split(', ') ?? [];
    const fields = columns
      .map((column) => column.replaceAll('"', '').replace(/_id$/, ''))
      .filter((name) => name in resource.fields && name !== 'org');
    const problem: Problem[] = [{ code: 'not_unique' }];
    return new Invalid(
      Object.fromEntries(
        (fields.length > 0 ? fields : ['non_field_errors']).map((field) => [field, problem]),
      ),
    );
  }
  // A linked row was deleted meanwhile, or another row still refers to the deleted one.
  if (state.code === '23503' || state.code === '23001')
    return new Conflict('in_use', {
      what: titleOfTable(state.detail?.match(/table "(\w+)"/)?.[1]),
    });
  if (state.code === MUST_BE_PROPOSED) return new Conflict('change_must_be_proposed');
  if (state.code === '40P01' || state.code === '40001') return new Conflict('conflict');
  if (state.code === '57014') return new Unavailable('timeout');
  return undefined;
}

/** Returns the title of the objects in a table, or of the objects whose links it stores. */
function titleOfTable(table: string | undefined): LocalText {
  const links = ({ name: owner, fields }: Resource) =>
    Object.entries(fields).some(
      ([name, field]) => field.kind === 'many' && (field.through ?? `${owner}_${name}`) === table,
    );
  const resource = RESOURCES.find((one) => one.table === table) ?? RESOURCES.find(links);
  const kind = AUDIT_KINDS.find(({ name }) => name === table);
  return resource?.title ?? kind?.title ?? { en: 'another object', zh: '其他对象' };
}
