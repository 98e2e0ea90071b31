import { type Attributes, FileType } from '../../../platform/ssh/sftp/packets.ts';
import { MAX_LINKS } from '../../limits.ts';
import type { TargetFiles } from '../../protocols/connector.ts';
import { TargetFileError } from '../../protocols/target-file-error.ts';
import { Refusal } from '../../refusal.ts';
import { below, checked, follow, join, namesOf } from './paths.ts';

/** Where a path leads on the target. */
export interface Place {
  /** Names below the root, without any link on the way. */
  readonly names: readonly Buffer[];
  /** The path on the target. */
  readonly real: Buffer;
  /** Of what is there; `undefined` when nothing is. */
  readonly attributes: Attributes | undefined;
}

const FOLDERS: Readonly<Record<string, string>> = { '': '.', '~': '.', home: '.', tmp: '/tmp' };

/**
 * The root of an account's files. Nothing outside of it can be reached: each step of a path is looked at, links are followed by us and not by the target, and
 * what is used in the end is a path without links. The target has no call that opens a path without following links, so a program that runs there can
 * exchange a folder for a link between our look and our use; places are looked at again after they were opened (docs/security-model.md).
 */
export class Boundary {
  /** The root itself, as the target calls it. */
  readonly root: Buffer;
  private readonly files: TargetFiles;

  private constructor(files: TargetFiles, root: Buffer) {
    this.files = files;
    this.root = root;
  }

  /** Finds the root of a setting: `home`, `tmp`, or an absolute path. @throws Refusal when it is no folder */
  static async open(files: TargetFiles, setting: string): Promise<Boundary> {
    const root = await files.realPath(Buffer.from(FOLDERS[setting] ?? setting));
    const attributes = await found(files.attributesOf(root, true));
    if (root[0] !== 0x2f || !attributes || !isFolder(attributes))
      throw new Refusal('file_root', { path: setting });
    return new Boundary(files, root);
  }

  /** Whether it is the whole of the target. */
  get isWhole(): boolean {
    return this.root.length === 1;
  }

  /** Finds where names lead. `last`: whether a link at the end is followed too. @throws Refusal when it is outside, or a folder on the way is missing */
  async find(path: readonly Buffer[], last: 'follow' | 'keep'): Promise<Place> {
    let names = [...path];
    for (let links = 0; links <= MAX_LINKS; links++) {
      const steps = await this.look(names);
      const index = steps.findIndex(
        (attributes, at) =>
          attributes !== undefined &&
          isLink(attributes) &&
          (last === 'follow' || at < names.length - 1),
      );
      if (index < 0) return this.place(names, steps);
      names = checked([
        ...(await this.behindLink(names.slice(0, index + 1))),
        ...names.slice(index + 1),
      ]);
    }
    throw new Refusal('file_outside');
  }

  /** Looks again at a place that was opened meanwhile. @throws Refusal when it is not the same any more */
  async recheck({ names, real }: Place): Promise<void> {
    const again = await this.find(names, 'keep');
    if (!again.real.equals(real) || (again.attributes && isLink(again.attributes)))
      throw new Refusal('file_outside');
  }

  /** Where a link at `names` with this text leads to; `undefined` for a place outside. */
  async targetOf(names: readonly Buffer[], target: Buffer): Promise<Buffer[] | undefined> {
    const path = namesOf(target);
    if (target[0] !== 0x2f) return follow(names.slice(0, -1), path);
    const inside = below(this.root, target);
    if (inside) return inside;
    // The root may have other names, by links above it.
    const real = await found(this.files.realPath(target));
    return real && below(this.root, real);
  }

  private async behindLink(names: readonly Buffer[]): Promise<Buffer[]> {
    const inside = await this.targetOf(names, await this.files.readLink(join(this.root, names)));
    if (!inside) throw new Refusal('file_outside');
    return inside;
  }

  /** What is at each step of a path; all are asked at once. */
  private look(names: readonly Buffer[]): Promise<(Attributes | undefined)[]> {
    return Promise.all(
      names.map((_name, index) =>
        found(this.files.attributesOf(join(this.root, names.slice(0, index + 1)), false)),
      ),
    );
  }

  private async place(
    names: readonly Buffer[],
    steps: readonly (Attributes | undefined)[],
  ): Promise<Place> {
    const folder = join(this.root, names.slice(0, -1));
    if (steps.slice(0, -1).some((attributes) => !attributes || !isFolder(attributes)))
      throw new Refusal('file_not_found');
    // The target's own opinion: a server that has links which it does not show as such, for instance.
    const real = await this.files.realPath(folder);
    if (!below(this.root, real)) throw new Refusal('file_outside');
    const attributes =
      names.length === 0 ? await this.files.attributesOf(this.root, true) : steps.at(-1);
    return { names, real: join(this.root, names), attributes };
  }
}

/** The answer; `undefined` when there is nothing. */
export async function found<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TargetFileError && error.problem === 'missing') return undefined;
    throw error;
  }
}

const typeOf = ({ mode = 0 }: Attributes): number => mode & FileType.MASK;
export const isFolder = (attributes: Attributes): boolean => typeOf(attributes) === FileType.FOLDER;
export const isLink = (attributes: Attributes): boolean => typeOf(attributes) === FileType.LINK;
export const isFile = (attributes: Attributes): boolean => typeOf(attributes) === FileType.FILE;
