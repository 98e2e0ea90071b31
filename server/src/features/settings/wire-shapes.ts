import { type Field, SETTING_CATEGORIES } from '@sallyport/contract';
import { schemaOfField } from '../../http/openapi/schemas.ts';
import type { Schema, Shape } from '../../http/shapes.ts';

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
export const SETTINGS: Shape = {
  schema: schemaWith((field) => field.mode !== 'writeonly'),
  example: { security: { SECURITY_MAX_IDLE_TIME: 30, SECURITY_LOGIN_LIMIT_COUNT: 7 } },
};

/** Categories or single settings to change. */
export const CHANGED_SETTINGS: Shape = {
  schema: schemaWith(() => true),
  example: {
    basic: {
      SITE_URL: 'https://bastion.example.com',
      USER_GUIDE_URL: 'https://wiki.example.com/sallyport',
      EMAIL_SUBJECT_PREFIX: '[Sallyport] ',
    },
  },
};
