/**
 * Texts that depend on a resource, by type and property. Statements of the engine are checked for
 * permissions of assets. It is enough, as the tables of all resources follow the same rules.
 */
export const STAND_INS: ReadonlyMap<string, string> = new Map([
  ['Resource.name', 'asset_permission'],
  ['Resource.table', 'asset_permission'],
  ['Resource.labelField', 'name'],
  ['Resource.dateField', 'date_created'],
  ['Resource.key', 'name'],
  ['ManyField.through', 'asset_permission_users'],
  ['ManyField.target', 'user'],
  ['LinkTable.table', 'asset_permission_users'],
  ['LinkTable.own', 'asset_permission_id'],
  ['LinkTable.other', 'user_id'],
  ['RelationEnd.key', 'user'],
  [
    'AttentionSearch.rows',
    'select t.id::text as id, t.name, null::int as amount, t.date_expired as date from asset_permission t',
  ],
  // Names of variables.
  ['table', 'asset_permission'],
  ['name', 'name'],
  ['column', 'name'],
]);
