import {
  type Field,
  type Problem,
  parseBody,
  SETTING_CATEGORIES,
  type SettingCategory,
  type SettingCategoryName,
  type Settings,
  SIGN_IN_SETTINGS,
  say,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { METADATA } from '../../http/openapi/responses.ts';
import { describeFields } from '../../http/resources/metadata.ts';
import { route } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { InvalidCategories, invalid } from '../../platform/errors.ts';
import { movedSecrets } from '../../platform/settings/secret-places.ts';
import { type SettingName, type SettingsService, SUPER } from '../../platform/settings/service.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { problemsAcross } from './rules.ts';
import { CHANGED_SETTINGS, SETTINGS } from './wire-shapes.ts';

const URL = '/api/v1/settings/setting/';
const MASK = '******';

const CATEGORIES: readonly [SettingCategoryName, SettingCategory][] = Object.entries(
  SETTING_CATEGORIES,
) as [SettingCategoryName, SettingCategory][];

const CATEGORY_OF: ReadonlyMap<string, SettingCategoryName> = new Map(
  CATEGORIES.flatMap(([category, { fields }]) =>
    Object.keys(fields).map((name) => [name, category] as const),
  ),
);

/**
 * Categories that control access. Changing them requires a proof of identity, not just an open
 * page.
 */
const CONFIRMED_CATEGORIES: ReadonlySet<string> = new Set([
  'security',
  ...Object.keys(SIGN_IN_SETTINGS),
]);

/** Routes to read and change the settings by category. */
export function mountSettings(
  app: FastifyInstance,
  { db, settings, audit }: { db: Db; settings: SettingsService; audit: AuditWriter },
): void {
  const inForce = (name: string) => settings.get(name as SettingName);
  const show = () =>
    Object.fromEntries(
      CATEGORIES.map(([category, { fields }]) => [
        category,
        Object.fromEntries(
          Object.entries(fields).flatMap(([name, field]) =>
            field.mode === 'writeonly' ? [] : [[name, inForce(name)]],
          ),
        ),
      ]),
    );

  /**
   * Reads the categories of a body. A change can also contain single keys without their category.
   * @throws InvalidCategories with the problems of each field, by category
   */
  const read = (body: unknown, mode: 'replace' | 'change'): Record<string, unknown> => {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw invalid('non_field_errors', 'not_object');
    const problems: Record<string, Record<string, Problem[]>> = {};
    const parts = new Map<string, unknown>(
      Object.entries(body).filter(([name]) => Object.hasOwn(SETTING_CATEGORIES, name)),
    );
    for (const [name, value] of Object.entries(body)) {
      const category = mode === 'change' ? CATEGORY_OF.get(name) : undefined;
      if (category)
        parts.set(category, { ...(parts.get(category) as object | undefined), [name]: value });
      else if (!Object.hasOwn(SETTING_CATEGORIES, name))
        problems[name.slice(0, 64)] = { non_field_errors: [{ code: 'unknown_field' }] };
    }
    const values: Record<string, unknown> = {};
    for (const [category, { fields }] of CATEGORIES) {
      if (!parts.has(category)) continue;
      const parsed = parseBody(fields, parts.get(category), mode);
      if (Object.keys(parsed.problems).length > 0) problems[category] = parsed.problems;
      Object.assign(values, parsed.values);
    }
    if (Object.keys(problems).length > 0) throw new InvalidCategories(problems);
    return values;
  };

  /** @throws InvalidCategories if the new values conflict with the other values in force */
  const assertTogether = (values: Record<string, unknown>, together: Settings): void => {
    const touched = CATEGORIES.filter(([, { fields }]) =>
      Object.keys(fields).some((name) => name in values),
    );
    const problems = touched
      .map(([category]) => [category, problemsAcross(category, together)] as const)
      .filter(([, fields]) => Object.keys(fields).length > 0);
    if (problems.length > 0) throw new InvalidCategories(Object.fromEntries(problems));
  };

  /**
   * Clears secrets that are no longer used. Secrets that would go to another server must be entered
   * again.
   * @throws InvalidCategories
   */
  const dropMovedSecrets = (
    values: Record<string, unknown>,
    before: Settings,
  ): ReadonlySet<string> => {
    const typed = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
    const { problems, dropped } = movedSecrets(before, { ...before, ...values }, typed);
    const [first] = Object.keys(problems);
    if (first) throw new InvalidCategories({ [CATEGORY_OF.get(first) ?? first]: problems });
    for (const name of dropped) values[name] = '';
    return new Set(dropped);
  };

  const change = async (context: Context, mode: 'replace' | 'change') => {
    const values = read(context.request.body, mode);
    await db.transaction().execute(async (tx) => {
      const before = await settings.read(tx);
      assertTogether(values, { ...before, ...values });
      const dropped = dropMovedSecrets(values, before);
      const inForce = (name: string) => before[name as SettingName];
      const entries = CATEGORIES.flatMap(([, { fields }]) =>
        Object.entries(fields).flatMap(([name, field]) => {
          if (
            !(name in values) ||
            (field.kind === 'secret' && values[name] === '' && !dropped.has(name))
          )
            return [];
          if (
            field.kind !== 'secret' &&
            JSON.stringify(values[name]) === JSON.stringify(inForce(name))
          )
            return [];
          const pair =
            field.kind === 'secret'
              ? ([MASK, MASK] as const)
              : ([inForce(name), values[name]] as const);
          return [
            {
              action: 'update' as const,
              resourceType: 'setting',
              resource: name,
              resourceId: name,
              changes: { [name]: pair },
            },
          ];
        }),
      );
      const changed = Object.fromEntries(
        entries.map(({ resource }) => [resource, values[resource]]),
      );
      if (entries.some(({ resource }) => CONFIRMED_CATEGORIES.has(CATEGORY_OF.get(resource) ?? '')))
        await settings.confirm(context);
      if (entries.length > 0) await settings.store(changed, tx);
      await audit(tx, context, ...entries);
    });
    // The next request must see the change, even before the notification arrives.
    await settings.reload();
    return show();
  };

  route(app, {
    method: 'GET',
    url: URL,
    access: SUPER,
    summary: 'All settings by category; secrets are left out.',
    answer: SETTINGS,
    handler: show,
  });
  route(app, {
    method: 'PUT',
    url: URL,
    access: SUPER,
    summary: 'Replace whole categories.',
    bodyShape: CHANGED_SETTINGS,
    answer: SETTINGS,
    handler: (context) => change(context, 'replace'),
  });
  route(app, {
    method: 'PATCH',
    url: URL,
    access: SUPER,
    summary: 'Change single settings.',
    bodyShape: CHANGED_SETTINGS,
    answer: SETTINGS,
    handler: (context) => change(context, 'change'),
  });
  route(app, {
    method: 'OPTIONS',
    url: URL,
    access: SUPER,
    summary: 'What the settings are.',
    answer: METADATA,
    handler({ language, actor }) {
      const describe = (isShown: (field: Field) => boolean) =>
        Object.fromEntries(
          CATEGORIES.map(([category, { title, fields }]) => [
            category,
            {
              type: 'nested object',
              required: false,
              read_only: false,
              write_only: false,
              label: say(title, language),
              children: describeFields(
                Object.entries(fields).filter(([, field]) => isShown(field)),
                { language, actor },
                false,
              ),
            },
          ]),
        );
      return {
        name: 'Settings',
        description: say({ en: 'Settings', zh: '系统设置' }, language),
        renders: ['application/json'],
        parses: ['application/json'],
        actions: { GET: describe(({ mode }) => mode !== 'writeonly'), PUT: describe(() => true) },
      };
    },
  });
}
