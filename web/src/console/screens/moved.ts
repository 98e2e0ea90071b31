import { pagesOf } from '../base/resources.ts';

/**
 * A moved address. `search` is its query; the result holds the path of the page and the remaining
 * query.
 */
export interface Moved {
  readonly from: string;
  to(search: Readonly<Record<string, string>>): {
    readonly path: string;
    readonly search: Readonly<Record<string, string>>;
  };
}

/**
 * Application permissions are edited at `{id}/update`; established links pass the id, if any, in
 * the query.
 */
const updateOf = (resource: string): Moved => {
  const pages = pagesOf(resource);
  return {
    from: `${pages.list}/update`,
    to: ({ id = '', ...search }) => ({
      path: /^[\w-]+$/.test(id) ? pages.update(id) : pages.list,
      search,
    }),
  };
};

const renamed = (from: string, path: string): Moved => ({
  from,
  to: (search) => ({ path, search }),
});

/** Addresses of the specification and of earlier versions that moved to another path. */
export const MOVED: readonly Moved[] = [
  updateOf('remote_app_permission'),
  updateOf('database_app_permission'),
  renamed('/terminal/storages/create', pagesOf('replay_storage').create),
  renamed('/terminal/command-storages/create', pagesOf('command_storage').create),
];
