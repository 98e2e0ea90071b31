import {
  type FieldProblems,
  isUuid,
  type Language,
  Permission,
  type Resource,
  say,
} from '@sallyport/contract';
import { InvalidItems, invalid } from '../../platform/errors.ts';
import type { AttachedJob, AttachedRun } from '../../platform/jobs/attach.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { problemsInWords } from '../../resources/write/problems.ts';
import { type Context, callerOf } from '../context.ts';

/**
 * Imports, and checks with `dry_run`, which store nothing. The resource's endpoint checks who may
 * import.
 */
const IMPORT: AttachedJob = {
  name: 'csv-import',
  title: { en: 'File import', zh: '导入文件' },
  access: Permission.USE,
  history: 'all',
};
const CHECK: AttachedJob = {
  name: 'csv-check',
  title: { en: 'File check', zh: '检查文件' },
  access: Permission.USE,
  history: 'none',
};

/** Spreadsheet row of the first record; the header is row 1. */
const FIRST_LINE = 2;
/** Maximum problems in the log of a job. The answer has all of them. */
const MAXIMUM_PROBLEMS = 200;

/** Runs an import; as a job if its request names one. */
export type Imports = <T>(
  context: Context,
  resource: Resource,
  run: (job: AttachedRun | undefined) => Promise<T>,
) => Promise<T>;

/** Returns the runner of imports. With `?job=<uuid>`, users can watch and cancel the import. */
export function createImports(jobs: Pick<Jobs, 'attach' | 'describe'>): Imports {
  jobs.describe(IMPORT, CHECK);
  return async (context, resource, run) => {
    const id = context.query.getAll('job').at(-1)?.trim();
    if (id === undefined) return run(undefined);
    if (!isUuid(id)) throw invalid('job', 'not_uuid', { value: id.slice(0, 64) });
    const kind = context.query.get('dry_run') === '1' ? CHECK : IMPORT;
    return jobs.attach(
      { ...kind, subject: say(resource.title, context.language) },
      id.toLowerCase(),
      callerOf(context),
      async (job) => {
        try {
          return await run(job);
        } catch (error) {
          if (error instanceof InvalidItems)
            for (const line of problemLines(error.items, resource, context.language)) job.log(line);
          throw error;
        }
      },
    );
  };
}

/** Describes the problems of a file's rows. */
function problemLines(
  items: readonly FieldProblems[],
  resource: Resource,
  language: Language,
): string[] {
  const lines = items.flatMap((problems, index) =>
    problemsInWords(problems, resource, language).map((text) =>
      language === 'zh'
        ? `第 ${index + FIRST_LINE} 行. ${text}`
        : `line ${index + FIRST_LINE}. ${text}`,
    ),
  );
  const more = lines.length - MAXIMUM_PROBLEMS;
  return more > 0 ? [...lines.slice(0, MAXIMUM_PROBLEMS), `… +${more}`] : lines;
}
