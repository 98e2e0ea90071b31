import type { Attributes } from '@sallyport/ssh';
import type { TargetFiles } from '../../protocols/connector.ts';
import { TargetFileError } from '../../protocols/target-end.ts';

/** Permission bits of users other than the owner. */
const OTHERS = 0o077;

/**
 * Sets mode and time of a complete partial file, as far as the target takes them. Twisted Conch
 * 26.10 and Erlang/OTP 25 refuse both for an open file; Conch takes them by path. The file arrives
 * without them, as with `scp -p` of OpenSSH, unless it would be open to more users than wanted.
 * @throws TargetFileError
 */
export async function applyAttributes(
  files: TargetFiles,
  path: Buffer,
  handle: Buffer,
  { mode, modifiedAt }: Pick<Attributes, 'mode' | 'modifiedAt'>,
): Promise<void> {
  if (mode === undefined && modifiedAt === undefined) return;
  const ways = [
    () => files.setAttributesOfOpen(handle, { mode, modifiedAt }),
    () => files.setAttributes(path, { mode, modifiedAt }),
  ];
  let refusal: unknown;
  for (const way of ways) {
    try {
      return await way();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
    }
  }
  if (mode === undefined) return;
  if (modifiedAt !== undefined && (await isTaken(files.setAttributes(path, { mode })))) return;
  const { mode: actual = OTHERS } = await files.attributesOf(path, false);
  if ((actual & OTHERS & ~mode) !== 0) throw refusal;
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
