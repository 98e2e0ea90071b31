import {
  type Field,
  formatDatetime,
  Permission,
  SETTING_CATEGORIES,
  say,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { METADATA } from '../../http/openapi/responses.ts';
import { schemaOfField } from '../../http/openapi/schemas.ts';
import { describeFields } from '../../http/resources/metadata.ts';
import { route } from '../../http/route.ts';
import type { Schema, Shape } from '../../http/shapes.ts';
import { type SettingName, SUPER } from '../../platform/settings/service.ts';
import { changeSettings, type SettingsServices } from './change.ts';
import { type ChangeMode, categoriesOf } from './read-categories.ts';

const categories = Object.entries(SETTING_CATEGORIES).map(
  ([name, { fields }]) => [name, Object.entries(fields) as [string, Field][]] as const,
);

const schemaWith = (wanted: (field: Field) => boolean): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    categories.map(([name, fields]) => [
      name,
      {
        type: 'object',
        properties: Object.fromEntries(
          fields
            .filter(([, field]) => wanted(field))
            .map(([key, field]) => [key, schemaOfField(field)]),
        ),
      },
    ]),
  ),
});

/** All settings by category, without secrets. */
const SETTINGS: Shape = {
  schema: schemaWith((field) => field.mode !== 'writeonly'),
  example: { security: { SECURITY_MAX_IDLE_TIME: 30, SECURITY_LOGIN_LIMIT_COUNT: 7 } },
};

/** Categories or single settings to change. */
const CHANGED_SETTINGS: Shape = {
  schema: schemaWith(() => true),
  example: {
    basic: {
      SITE_URL: 'https://bastion.example.com',
      USER_GUIDE_URL: 'https://wiki.example.com/sallyport',
      EMAIL_SUBJECT_PREFIX: '[Sallyport] ',
    },
  },
};

const URL = '/api/v1/settings/setting/';
/** Auditors of the installation read the settings and change none. */
const READ = Permission.SUPER | Permission.AUDIT;

/** Formats a value for a response. */
const format = (kind: Field['kind'], value: unknown, zone: string) =>
  kind === 'datetime' ? (value ? formatDatetime(new Date(String(value)), zone) : null) : value;

/** Returns the settings in force by category, without secrets. */
const showSettings = (
  { settings, without }: Pick<SettingsServices, 'settings' | 'without'>,
  zone: string,
) =>
  Object.fromEntries(
    categoriesOf(without).map(([category, { fields }]) => [
      category,
      Object.fromEntries(
        Object.entries(fields)
          .filter(([, { mode }]) => mode !== 'writeonly')
          .map(([name, { kind }]) => [name, format(kind, settings.get(name as SettingName), zone)]),
      ),
    ]),
  );

async function change(services: SettingsServices, context: Context, mode: ChangeMode) {
  await changeSettings(services, context, mode);
  return showSettings(services, context.zone);
}

/** Describes the settings as OPTIONS describes the fields of a resource. */
function describeSettings(without: SettingsServices['without'], { language, actor }: Context) {
  const describe = (isShown: (field: Field) => boolean) =>
    Object.fromEntries(
      categoriesOf(without).map(([category, { title, fields }]) => [
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
}

/** Routes to read and change the settings by category. */
export function mountSettings(app: FastifyInstance, services: SettingsServices): void {
  route(app, {
    method: 'GET',
    url: URL,
    access: READ,
    area: 'settings',
    summary: 'All settings by category; secrets are left out.',
    answer: SETTINGS,
    handler: ({ zone }) => showSettings(services, zone),
  });
  route(app, {
    method: 'PUT',
    url: URL,
    access: SUPER,
    area: 'settings',
    summary: 'Replace whole categories.',
    bodyShape: CHANGED_SETTINGS,
    answer: SETTINGS,
    handler: (context) => change(services, context, 'replace'),
  });
  route(app, {
    method: 'PATCH',
    url: URL,
    access: SUPER,
    area: 'settings',
    summary: 'Change single settings.',
    bodyShape: CHANGED_SETTINGS,
    answer: SETTINGS,
    handler: (context) => change(services, context, 'change'),
  });
  route(app, {
    method: 'OPTIONS',
    url: URL,
    access: READ,
    area: 'settings',
    summary: 'Metadata of the settings.',
    answer: METADATA,
    handler: (context) => describeSettings(services.without, context),
  });
}
