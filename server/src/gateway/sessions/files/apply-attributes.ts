import type { Attributes } from '@sallyport/ssh';
import type { TargetFiles } from '../../protocols/connector.ts';
import { TargetFileError } from '../../protocols/target-end.ts';

/** Permission bits of users other than the owner. */
const OTHERS = 0o077;
const OWNER_WRITES = 0o200;
const PERMISSIONS = 0o7777;
/** Permission bits of a new file. */
export const NEW_FILE = 0o644;

type Settable = Pick<Attributes, 'mode' | 'modifiedAt'>;

/** Mode and time that a partial file gets when it is complete. */
export class UploadAttributes {
  /** True if the target refused the mode or the time. */
  wereRefused = false;
  private mode: number | undefined;
  private modifiedAt: number | undefined;

  /** Passes on the permissions of a replaced file, unless the client sets others. */
  constructor(replaced: Attributes | undefined) {
    if (replaced) this.set({ mode: replaced.mode ?? NEW_FILE });
  }

  set({ mode, modifiedAt }: Settable): void {
    if (mode !== undefined) this.mode = mode & PERMISSIONS;
    if (modifiedAt !== undefined) this.modifiedAt = modifiedAt;
  }

  /** @throws TargetFileError */
  async apply(files: TargetFiles, path: Buffer, handle: Buffer): Promise<void> {
    const { mode, modifiedAt } = this;
    if (mode === undefined && modifiedAt === undefined) return;
    this.wereRefused = !(await applyAttributes(files, path, handle, { mode, modifiedAt }));
    if (!this.wereRefused) files.takesAttributes = true;
  }

  /**
   * Returns true if the target takes mode and time. Asks targets that have not taken them before.
   * The owner may still write, because the upload continues. @throws TargetFileError
   */
  async areTaken(files: TargetFiles, path: Buffer, handle: Buffer): Promise<boolean> {
    if (files.takesAttributes) return true;
    const mode = this.mode === undefined ? undefined : this.mode | OWNER_WRITES;
    return applyAttributes(files, path, handle, { mode, modifiedAt: this.modifiedAt });
  }
}

/**
 * Sets mode and time of a partial file, as far as the target takes them. Twisted Conch
 * 26.10 and Erlang/OTP 25 refuse both for an open file; Conch takes them by path. The file arrives
 * without them, as with `scp -p` of OpenSSH, unless it would be open to more users than wanted.
 * Returns false if the target refused one of them. @throws TargetFileError
 */
async function applyAttributes(
  files: TargetFiles,
  path: Buffer,
  handle: Buffer,
  { mode, modifiedAt }: Settable,
): Promise<boolean> {
  const ways = [
    () => files.setAttributesOfOpen(handle, { mode, modifiedAt }),
    () => files.setAttributes(path, { mode, modifiedAt }),
  ];
  let refusal: unknown;
  for (const way of ways) {
    try {
      await way();
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
    }
  }
  if (mode === undefined) return false;
  if (modifiedAt !== undefined && (await isTaken(files.setAttributes(path, { mode }))))
    return false;
  const { mode: actual = OTHERS } = await files.attributesOf(path, false);
  if ((actual & OTHERS & ~mode) !== 0) throw refusal;
  return false;
}

/** True if the target answered and refused, so the connection still works. */
const isRefusal = (error: unknown): boolean =>
  error instanceof TargetFileError && error.problem !== 'lost' && error.problem !== 'broken';

const isTaken = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => true,
    (error: unknown) => {
      if (isRefusal(error)) return false;
      throw error;
    },
  );
