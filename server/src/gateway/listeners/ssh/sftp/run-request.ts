import { type PacketReader, Status } from '../../../../platform/ssh/sftp/packets.ts';
import { statusPacket } from './answers.ts';
import { FILE_REQUESTS } from './file-requests.ts';
import type { Operations } from './operations.ts';
import { PATH_REQUESTS } from './path-requests.ts';
import type { Answer } from './request.ts';

const HANDLERS = new Map([...FILE_REQUESTS, ...PATH_REQUESTS]);

/**
 * Runs one request. Looks up its handle immediately, so that requests on a handle keep their order.
 * @throws Refusal, TextError, SftpFormatError
 */
export function runRequest(
  operations: Operations,
  type: number,
  id: number,
  body: PacketReader,
): Promise<Answer> {
  const handle = HANDLERS.get(type);
  if (!handle)
    return Promise.resolve(statusPacket(id, Status.UNSUPPORTED, 'Operation unsupported'));
  return handle(operations, id, body);
}
