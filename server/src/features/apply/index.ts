import { boolean, Permission, text } from '@sallyport/contract';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { defineModule } from '../../module.ts';
import { invalid } from '../../platform/errors.ts';
import { assets } from '../assets/index.ts';
import { applyObjects } from './apply.ts';
import { presentObjects } from './export.ts';
import { type Applied, type FileObject, KINDS } from './objects.ts';

export { readRulesOf, replaceRules, rulesInWords } from './filter-rules.ts';
export type { Applied, AppliedObject, FieldChange, FileObject } from './objects.ts';

/** Objects of one file; each takes some statements in one transaction. */
const MAX_OBJECTS = 2_000;
/** Bytes. */
const BODY_LIMIT = 10 * 1024 * 1024;

const BODY = {
  apply: boolean({
    label: { en: 'Apply', zh: '执行' },
    help: { en: 'Without it nothing changes', zh: '未设置时不作任何改动' },
    required: false,
    defaultValue: false,
  }),
};

const ALL_KINDS: readonly string[] = KINDS.map(({ resource }) => resource.name);
const QUERY = {
  kind: text({
    label: { en: 'Kinds', zh: '类型' },
    help: {
      en: `With commas between them: ${ALL_KINDS.join(', ')}. Empty: all`,
      zh: `以逗号分隔：${ALL_KINDS.join('、')}。留空表示全部`,
    },
    required: false,
  }),
};

/** Reads names of kinds with commas between them. @throws Invalid for another name */
function readKinds(query: URLSearchParams): readonly string[] {
  const names = (query.get('kind') ?? '').split(',').filter(Boolean);
  const unknown = names.find((name) => !ALL_KINDS.includes(name));
  if (unknown !== undefined) throw invalid('kind', 'not_choice', { value: unknown.slice(0, 64) });
  return names.length > 0 ? names : ALL_KINDS;
}

function readObjects(body: unknown): FileObject[] {
  const { objects } = (body ?? {}) as { readonly objects?: unknown };
  if (!Array.isArray(objects)) throw invalid('objects', 'not_list');
  if (objects.length > MAX_OBJECTS) throw invalid('objects', 'list_too_long', { max: MAX_OBJECTS });
  return objects.map((object: Partial<FileObject> | null): FileObject => {
    const { kind, state = 'present', fields } = object ?? {};
    if (state !== 'present' && state !== 'absent')
      throw invalid('objects', 'not_choice', { value: String(state).slice(0, 64) });
    if (typeof kind !== 'string' || typeof fields !== 'object' || fields === null)
      throw invalid('objects', 'not_object');
    return { kind, state, fields };
  });
}

/** Applies files with wanted objects: `sallyport apply`. */
export const apply = defineModule({
  name: 'apply',
  tables: [],
  create({ core: { db }, use }) {
    return {
      service: {},
      routes({ http, engines, services }) {
        route(http, {
          method: 'GET',
          url: '/api/v1/common/resources/apply/',
          access: Permission.ADMIN,
          summary:
            'List the present objects as a file names them, without secrets: to apply them changes nothing.',
          query: QUERY,
          answer: samples<{ readonly objects: readonly FileObject[] }>({
            objects: [
              { kind: 'user_group', state: 'present', fields: { name: 'Operators' } },
              { kind: 'node', state: 'present', fields: { path: '/Default/Production' } },
            ],
          }),
          handler: async (context) => ({
            objects: await presentObjects({
              ...{ kinds: readKinds(context.query), most: MAX_OBJECTS },
              ...{ caller: context, db, engines },
            }),
          }),
        });
        route(http, {
          method: 'POST',
          url: '/api/v1/common/resources/apply/',
          access: Permission.ADMIN,
          summary:
            'Compare wanted objects with the present ones, with the consequences of each change; with `apply`, make the changes, all or none.',
          bodyLimit: BODY_LIMIT,
          bodyShape: samples({
            apply: false,
            objects: [
              { kind: 'user_group', state: 'present', fields: { name: 'Operators', comment: '' } },
            ],
          }),
          // Parsed by the declarations of the resources.
          ignored: ['objects'],
          answer: samples<Applied>({
            applied: false,
            objects: [
              {
                kind: 'user_group',
                name: 'Operators',
                action: 'update',
                changes: [
                  { field: 'users', before: [], after: ['li.wei'] },
                  { field: 'comment', before: 'old', after: 'new' },
                  { field: 'name', before: null, after: null },
                ],
                consequences: [],
                access: [
                  {
                    kind: 'gained',
                    target: 'asset',
                    people: { count: 1, names: ['Li Wei(li.wei)'] },
                    assets: { count: 1, names: ['web-prod-01'] },
                    accounts: { count: 1, names: ['deploy on web servers'] },
                    accesses: 1,
                    actions: [],
                  },
                ],
              },
            ],
          }),
          handler: (context) => {
            const { apply: isApplied = false } = readBody(context, BODY);
            const objects = readObjects(context.request.body);
            return applyObjects(objects, !isApplied, context, {
              db,
              engines,
              services,
              assertLicensed: use(assets).assertLicensed,
            });
          },
        });
      },
    };
  },
});
