import { StartError } from '../../../../config.ts';
import { isProtected } from '../../../../platform/outgoing.ts';
import { assertPrivateFile } from '../../../../platform/private-file.ts';
import { type AccessKey, parseAccessKey } from '../../../access-key.ts';
import { readNamed } from '../../read-named.ts';

/** Access to the API of JumpServer. */
export interface ApiSettings {
  readonly url: URL;
  readonly key: AccessKey;
  /** PEM certificates that TLS verifies the server with; undefined: the known authorities. */
  readonly authority: string | undefined;
}

export interface ApiFlags {
  readonly url?: string | undefined;
  readonly 'access-key-file'?: string | undefined;
  readonly ca?: string | undefined;
}

/** Permission bits of a file for its group and for others. */
/** Reads the address and the access key of a source. @throws StartError */
export async function readApiSettings(flags: ApiFlags): Promise<ApiSettings> {
  const { url, 'access-key-file': file, ca } = flags;
  if (url === undefined || file === undefined)
    throw new StartError('Name the address and the access key: --url=URL --access-key-file=FILE');
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !isProtected(address) || address.username !== '' || address.password !== '')
    throw new StartError(
      '--url must be an address with https, like https://jumpserver.example.com. http is accepted for this machine only.',
    );
  const text = await readNamed(file);
  assertPrivateFile(file);
  return {
    url: address,
    key: parseAccessKey(text),
    authority: ca === undefined ? undefined : await readNamed(ca),
  };
}
