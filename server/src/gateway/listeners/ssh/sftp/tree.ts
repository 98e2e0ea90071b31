import { Refusal } from '../../../refusal.ts';
import type { ConnectionRequest } from '../../../sessions/dial.ts';
import type { FileEntry, RemoteFiles } from '../../../sessions/files/remote-files.ts';
import type { GrantedNode, SshTargets } from '../ports.ts';

/** Maximum servers per folder. */
const MAX_SHOWN = 10_000;
const PAGE = 500;
/** Lifetime and maximum number of cached folders: each step of a path reads the folders above. */
const FRESH_MS = 10_000;
const MAX_CACHED = 64;

/** A resolved path: a virtual folder, or files of a server. */
export type Spot =
  | { readonly kind: 'folder'; readonly entries: readonly FileEntry[] }
  | { readonly kind: 'files'; readonly files: RemoteFiles; readonly path: string };

/** Resolves the paths of a channel. */
export interface Tree {
  /** @throws Refusal, TextError */
  find(path: string): Promise<Spot>;
  /** The client's initial folder, to which relative paths refer. */
  home(): Promise<string>;
}

/**
 * The files of the server named by the sign-in, under their own paths. The client starts at the
 * root. The folders above contain only the way to it, so that `cd /` works and clients can walk
 * down from `/`.
 */
export function targetTree(open: () => Promise<RemoteFiles>): Tree {
  return {
    home: async () => (await open()).root,
    async find(path) {
      const files = await open();
      const root = normal(files.root);
      const names = normal(path.startsWith('/') ? path : `${files.root}/${path}`);
      const shared = root.findIndex((name, at) => name !== names[at]);
      if (shared < 0)
        return { kind: 'files', files, path: `/${names.slice(root.length).join('/')}` };
      if (shared < names.length) throw new Refusal('file_outside');
      return { kind: 'folder', entries: [folderEntry(root[shared] ?? '')] };
    },
  };
}

interface Item {
  readonly name: string;
  /** Opens the item; `path` is its path in the tree. */
  enter(path: string): Promise<Place>;
}

/** One step of a path: a virtual folder, or the files of an account. */
type Place = { readonly items: readonly Item[] } | ConnectionRequest;

export interface TreeParts {
  readonly targets: SshTargets;
  readonly userId: string;
  files(request: ConnectionRequest): Promise<RemoteFiles>;
}

/**
 * All granted servers as a tree: nodes, their servers, and accounts if a server has several
 * (conformance: SFTP layout).
 */
export class GrantedTree implements Tree {
  private readonly parts: TreeParts;
  private readonly cache = new Map<
    string,
    { readonly at: number; readonly place: Promise<Place> }
  >();

  constructor(parts: TreeParts) {
    this.parts = parts;
  }

  async home(): Promise<string> {
    return '/';
  }

  async find(path: string): Promise<Spot> {
    const names = normal(path);
    let place = await this.cached('/', () => this.below(undefined));
    for (let at = 0; ; at++) {
      if (!('items' in place))
        return {
          kind: 'files',
          files: await this.parts.files(place),
          path: `/${names.slice(at).join('/')}`,
        };
      const name = names[at];
      if (name === undefined)
        return { kind: 'folder', entries: place.items.map((item) => folderEntry(item.name)) };
      const item = place.items.find((one) => one.name === name);
      if (!item) throw new Refusal('file_not_found');
      const here = `/${names.slice(0, at + 1).join('/')}`;
      place = await this.cached(here, () => item.enter(here));
    }
  }

  private cached(path: string, make: () => Promise<Place>): Promise<Place> {
    const known = this.cache.get(path);
    if (known && performance.now() - known.at < FRESH_MS) return known.place;
    if (this.cache.size >= MAX_CACHED) this.cache.clear();
    const place = make();
    this.cache.set(path, { at: performance.now(), place });
    place.catch(() => this.cache.delete(path));
    return place;
  }

  /** Lists the child nodes of a node, or the roots, and its servers. */
  private async below(node: GrantedNode | undefined): Promise<Place> {
    const { targets, userId } = this.parts;
    // English for all users, so that a path in a script works for each of them.
    const nodes = await targets.nodes(userId, 'en');
    const keys = new Set(nodes.map(({ key }) => key));
    const parentOf = (key: string) => key.slice(0, Math.max(0, key.lastIndexOf(':')));
    const children = nodes.filter(({ key }) =>
      node ? parentOf(key) === node.key : !keys.has(parentOf(key)),
    );
    const servers = node ? await this.serversOn(node.id) : [];
    return {
      items: withoutClashes([
        ...children.map((child): Item => ({ name: child.name, enter: () => this.below(child) })),
        ...servers.map(
          ({ id, hostname }): Item => ({ name: hostname, enter: () => this.accountsOf(id) }),
        ),
      ]),
    };
  }

  private async serversOn(
    node: string,
  ): Promise<{ readonly id: string; readonly hostname: string }[]> {
    const { targets, userId } = this.parts;
    const servers: { readonly id: string; readonly hostname: string }[] = [];
    for (let offset = 0; offset < MAX_SHOWN; offset += PAGE) {
      const { results } = await targets.search(userId, {
        words: '',
        node,
        isDirect: true,
        limit: PAGE,
        offset,
      });
      servers.push(...results.filter(({ hasFiles }) => hasFiles));
      if (results.length < PAGE) break;
    }
    return servers;
  }

  /** Lists the accounts of a server. Skips this level for a single account. */
  private async accountsOf(assetId: string): Promise<Place> {
    const { targets, userId } = this.parts;
    const accounts = (await targets.accounts(userId, assetId)).filter(({ hasFiles }) => hasFiles);
    const [only, ...others] = accounts;
    if (only && others.length === 0) return { assetId, systemUserId: only.id };
    return {
      items: withoutClashes(
        accounts.map(
          ({ id, name }): Item => ({ name, enter: async () => ({ assetId, systemUserId: id }) }),
        ),
      ),
    };
  }
}

/** Makes names valid for folders, and appends `_` to duplicates. */
function withoutClashes(items: readonly Item[]): Item[] {
  const taken = new Set<string>();
  return items.map((item) => {
    let name = item.name.replaceAll('/', '_').replaceAll('\0', '_');
    if (name === '.' || name === '..' || name === '') name = `${name}_`;
    while (taken.has(name)) name += '_';
    taken.add(name);
    return { ...item, name };
  });
}

function folderEntry(name: string): FileEntry {
  return { name, kind: 'folder', size: 0, mode: 0o555, ownerId: 0, groupId: 0, modifiedAt: 0 };
}

/** Splits a path into names and resolves `..` textually. */
export function normal(path: string): string[] {
  const names: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') names.pop();
    else names.push(part);
  }
  return names;
}
