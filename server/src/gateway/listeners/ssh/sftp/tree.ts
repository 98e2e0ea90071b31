import { Refusal } from '../../../refusal.ts';
import type { ConnectionRequest } from '../../../sessions/dial.ts';
import type { FileEntry, RemoteFiles } from '../../../sessions/files/remote-files.ts';
import type { GrantedNode, SshTargets } from '../ports.ts';

/** Servers that are shown in one folder. */
const MAX_SHOWN = 10_000;
const PAGE = 500;
/** How long a folder is remembered, and how many are: each step of a path looks at the folders above. */
const FRESH_MS = 10_000;
const MAX_REMEMBERED = 64;

/** Where a path of the tree leads: to a folder that we make up, or to files of a server. */
export type Spot =
  | { readonly kind: 'folder'; readonly entries: readonly FileEntry[] }
  | { readonly kind: 'files'; readonly files: RemoteFiles; readonly path: string };

/** What a channel's paths mean. */
export interface Tree {
  /** @throws Refusal, Said */
  find(path: string): Promise<Spot>;
  /** Where a client begins, and what its relative paths belong to. */
  home(): Promise<string>;
}

/**
 * A server that was named by the sign-in: its files alone, by the paths that they have there. The root is where a client begins; the folders above it show
 * the way to it and nothing else, so that `cd /` and clients that walk down from `/` work.
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
  /** What is in it; the path is that below. */
  enter(path: string): Promise<Place>;
}

/** One step of a path: a folder of ours, or the files behind it. */
type Place = { readonly items: readonly Item[] } | ConnectionRequest;

/** What the tree asks for. */
export interface TreeParts {
  readonly targets: SshTargets;
  readonly userId: string;
  files(request: ConnectionRequest): Promise<RemoteFiles>;
}

/** All servers that a user is granted: nodes, the servers on them, and the accounts where there are several (conformance: SFTP layout). */
export class GrantedTree implements Tree {
  private readonly parts: TreeParts;
  private readonly remembered = new Map<
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
    let place = await this.remember('/', () => this.below(undefined));
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
      place = await this.remember(here, () => item.enter(here));
    }
  }

  private remember(path: string, make: () => Promise<Place>): Promise<Place> {
    const known = this.remembered.get(path);
    if (known && performance.now() - known.at < FRESH_MS) return known.place;
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    const place = make();
    this.remembered.set(path, { at: performance.now(), place });
    place.catch(() => this.remembered.delete(path));
    return place;
  }

  /** The nodes right below a node, or the roots, and the servers on it. */
  private async below(node: GrantedNode | undefined): Promise<Place> {
    const { targets, userId } = this.parts;
    // One name for all: a path in a script means the same whatever language its person reads.
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

  /** The accounts of a server; one alone is passed over. */
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

/** Names as folders can have them; of several that are the same the later ones get `_` at their end. */
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

/** The names of a path, `..` followed in the text alone. */
export function normal(path: string): string[] {
  const names: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') names.pop();
    else names.push(part);
  }
  return names;
}
