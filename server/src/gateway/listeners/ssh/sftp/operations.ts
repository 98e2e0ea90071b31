import { Refusal } from '../../../refusal.ts';
import type { FileEntry } from '../../../sessions/files/remote-files.ts';
import { entryOf, Handles } from './handles.ts';
import { normal, type Spot, type Tree } from './tree.ts';

/** The handles, pending changes and files of one SFTP client. */
export class Operations {
  readonly handles = new Handles();
  private readonly tree: Tree;
  /** Pending changes by path. sshfs sends further requests without waiting for the answers. */
  private readonly changing = new Map<string, Promise<unknown>>();

  constructor(tree: Tree) {
    this.tree = tree;
  }

  async find(path: string): Promise<Spot> {
    await this.settled(path);
    return this.tree.find(path);
  }

  /** Runs a change of a path after earlier changes. Later requests for the path wait for it. */
  async change<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    const key = normal(path).join('/');
    const before = this.settled(path);
    const change = before.then(work);
    this.changing.set(key, change);
    try {
      return await change;
    } finally {
      if (this.changing.get(key) === change) this.changing.delete(key);
    }
  }

  /** Waits for changes of a path. Their errors go to their own requests. */
  private async settled(path: string): Promise<void> {
    await this.changing.get(normal(path).join('/'))?.catch(() => undefined);
  }

  /**
   * Converts a path below the root of files to the client's view. The client's `clientPath` is
   * `known` there.
   */
  async clientPathOf(clientPath: string, known: string, path: string): Promise<string> {
    const whole = normal(
      clientPath.startsWith('/') ? clientPath : `${await this.home()}/${clientPath}`,
    );
    const names = normal(known);
    return `/${[...whole.slice(0, whole.length - names.length), ...normal(path)].join('/')}`;
  }

  /** The client's initial folder. */
  home(): Promise<string> {
    return this.tree.home();
  }

  /**
   * Resolves a path of the tree to files. The interrupted upload of the user to the path stands for
   * its file: without the gateway, the client would find the partial file there.
   * @throws Refusal for a folder of the tree itself, which is read-only
   */
  async remote(path: string): Promise<Extract<Spot, { kind: 'files' }>> {
    await this.settled(path);
    const spot = await this.remoteNow(path);
    if (this.handles.writing(spot.files, spot.path)) return spot;
    const upload = await spot.files.interrupted(spot.path);
    return upload ? { ...spot, path: upload.part } : spot;
  }

  /** Resolves a path without waiting for pending changes; used inside of a change. */
  async remoteNow(path: string): Promise<Extract<Spot, { kind: 'files' }>> {
    const spot = await this.tree.find(path);
    if (spot.kind === 'folder') throw new Refusal('file_denied');
    return spot;
  }

  /** Resolves two paths on the same server and account. @throws Refusal */
  async both(from: string, to: string) {
    const one = await this.remote(from);
    await this.settled(to);
    const other = await this.remoteNow(to);
    if (one.files !== other.files) throw new Refusal('file_denied');
    return { files: one.files, from: one.path, to: other.path };
  }

  /**
   * Returns the entry at a path. A file that the client is writing appears in its future form,
   * because it has another name on the target.
   */
  async stat(path: string, isFollowed: boolean): Promise<FileEntry> {
    const spot = await this.find(path);
    if (spot.kind === 'folder')
      return {
        name: '/',
        kind: 'folder',
        size: 0,
        mode: 0o555,
        ownerId: 0,
        groupId: 0,
        modifiedAt: 0,
      };
    const written = this.handles.writing(spot.files, spot.path);
    if (written) return entryOf(written);
    const upload = await spot.files.interrupted(spot.path);
    if (upload) return { ...(await spot.files.stat(upload.part)), size: upload.size };
    return isFollowed ? spot.files.statTarget(spot.path) : spot.files.stat(spot.path);
  }

  /** Closes all handles after the client has disconnected. */
  async end(): Promise<void> {
    const incomplete = new Refusal('file_incomplete');
    await Promise.allSettled(
      this.handles.takeAll().map((handle) => {
        if (handle.kind === 'folder') return handle.reader.close();
        return handle.kind === 'reading'
          ? handle.file.close(incomplete)
          : handle.file.interrupt(incomplete);
      }),
    );
  }
}
