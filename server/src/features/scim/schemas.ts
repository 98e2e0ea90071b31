import { SECOND_CONSOLE } from '@sallyport/contract';
import { MAX_RESULTS } from './list.ts';
import { GROUP, type Json, LIST, USER } from './wire.ts';

const CONFIG = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

interface AttributeOptions {
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference';
  readonly many?: true;
  readonly required?: true;
  readonly exact?: true;
  readonly readOnly?: true;
  readonly unique?: true;
  readonly parts?: readonly Json[];
  readonly refers?: readonly string[];
}

/** An attribute of a schema (RFC 7643, 7). */
function attribute(
  name: string,
  description: string,
  {
    type = 'string',
    many,
    required,
    exact,
    readOnly,
    unique,
    parts,
    refers,
  }: AttributeOptions = {},
): Json {
  return {
    name,
    type,
    multiValued: many ?? false,
    description,
    required: required ?? false,
    ...(type !== 'boolean' && type !== 'complex' && { caseExact: exact ?? false }),
    mutability: readOnly ? 'readOnly' : 'readWrite',
    returned: 'default',
    ...(type !== 'complex' && { uniqueness: unique ? 'server' : 'none' }),
    ...(parts && { subAttributes: parts }),
    ...(refers && { referenceTypes: refers }),
  };
}

const several = (what: string) => [
  attribute('value', `The ${what}.`),
  attribute('type', 'Its kind, such as work.'),
  attribute('primary', 'The one that counts.', { type: 'boolean' }),
];

const USER_SCHEMA = {
  id: USER,
  name: 'User',
  description: 'An account',
  attributes: [
    attribute('userName', 'The name that the user signs in with.', {
      required: true,
      unique: true,
    }),
    // An account always has a name and a state: they can be replaced, and not removed.
    attribute('name', 'The name of the person.', {
      type: 'complex',
      required: true,
      parts: [
        attribute('formatted', 'The whole name.'),
        attribute('familyName', 'The family name.'),
        attribute('givenName', 'The given name.'),
      ],
    }),
    attribute('displayName', 'The whole name.', { required: true }),
    attribute('emails', 'The email address; the primary one is kept.', {
      type: 'complex',
      many: true,
      parts: several('address'),
    }),
    attribute('phoneNumbers', 'The phone number; the primary one is kept.', {
      type: 'complex',
      many: true,
      parts: several('number'),
    }),
    attribute('active', 'Whether the user may sign in.', { type: 'boolean', required: true }),
    attribute('groups', 'The groups of the user.', {
      type: 'complex',
      many: true,
      readOnly: true,
      parts: [
        attribute('value', 'The id of the group.', { readOnly: true, exact: true }),
        attribute('$ref', 'Its address.', { type: 'reference', readOnly: true, refers: ['Group'] }),
        attribute('display', 'Its name.', { readOnly: true }),
        attribute('type', 'Always direct.', { readOnly: true }),
      ],
    }),
  ],
};

const GROUP_SCHEMA = {
  id: GROUP,
  name: 'Group',
  description: 'A user group of the default organization',
  attributes: [
    attribute('displayName', 'The name of the group.', { required: true, unique: true }),
    attribute('members', 'The users in the group.', {
      type: 'complex',
      many: true,
      parts: [
        attribute('value', 'The id of the user.', { exact: true }),
        attribute('$ref', 'The address of the user.', { type: 'reference', refers: ['User'] }),
      ],
    }),
  ],
};

const withMeta = (content: Json, resourceType: string, location: string): Json => ({
  ...content,
  meta: { resourceType, location },
});

/** The service provider configuration (RFC 7643, 5). */
export function configuration(site: string): Json {
  return withMeta(
    {
      schemas: [CONFIG],
      documentationUri: `${site}${SECOND_CONSOLE}/guides/operator`,
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: MAX_RESULTS },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'Bearer token',
          description: 'A token that an administrator made in the settings',
          specUri: 'https://www.rfc-editor.org/info/rfc6750',
          primary: true,
        },
      ],
    },
    'ServiceProviderConfig',
    `${site}/scim/v2/ServiceProviderConfig`,
  );
}

const asList = (resources: readonly Json[]): Json => ({
  schemas: [LIST],
  totalResults: resources.length,
  itemsPerPage: resources.length,
  startIndex: 1,
  Resources: resources,
});

const resourceTypesAt = (site: string): readonly Json[] =>
  [
    { name: 'User', endpoint: '/Users', schema: USER, description: 'Accounts' },
    { name: 'Group', endpoint: '/Groups', schema: GROUP, description: 'User groups' },
  ].map((type) =>
    withMeta(
      { schemas: [RESOURCE_TYPE], id: type.name, ...type },
      'ResourceType',
      `${site}/scim/v2/ResourceTypes/${type.name}`,
    ),
  );

const schemasAt = (site: string): readonly Json[] =>
  [USER_SCHEMA, GROUP_SCHEMA].map((schema) =>
    withMeta({ schemas: [SCHEMA], ...schema }, 'Schema', `${site}/scim/v2/Schemas/${schema.id}`),
  );

/** All resource types (RFC 7643, 6), or one by its name. */
export const resourceTypes = (site: string, id?: string): Json | undefined =>
  id === undefined
    ? asList(resourceTypesAt(site))
    : resourceTypesAt(site).find((type) => type.id === id);

/** All schemas (RFC 7643, 7), or one by its URN. */
export const schemas = (site: string, id?: string): Json | undefined =>
  id === undefined ? asList(schemasAt(site)) : schemasAt(site).find((schema) => schema.id === id);
