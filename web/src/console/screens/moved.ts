import { pagesOf } from '../base/resources.ts';

/** An address that leads to another page. `search` is its query; the result is the path of the page, and what is left of the query. */
export interface Moved {
  readonly from: string;
  to(search: Readonly<Record<string, string>>): {
    readonly path: string;
    readonly search: Readonly<Record<string, string>>;
  };
}

/** Rules of applications are changed at `{id}/update`; established links have the id, if any, in the query. */
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

/** Addresses of the specification and of earlier versions whose page is at another path. */
export const MOVED: readonly Moved[] = [
  updateOf('remote_app_permission'),
  updateOf('database_app_permission'),
  renamed('/terminal/storages/create', pagesOf('replay_storage').create),
  renamed('/terminal/command-storages/create', pagesOf('command_storage').create),
];
