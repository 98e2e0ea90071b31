import { DRIVE_PIECE, type DriveAction, type DriveAnswerMessage } from '@sallyport/contract';
import type { DesktopClient } from './desktop-client.ts';

/** Does what a page does with the drive of its desktop. */
export class DriveClient {
  readonly #client: DesktopClient;
  #nextId = 1;

  constructor(client: DesktopClient) {
    this.#client = client;
  }

  async ask(action: DriveAction): Promise<DriveAnswerMessage> {
    return (await this.#sent(action)).answer;
  }

  /** Uploads a file. Returns the error of the first request that failed. */
  async upload(path: string, content: Buffer): Promise<string | undefined> {
    const { id: of, answer } = await this.#sent({ action: 'write', path });
    let { error } = answer;
    for (let at = 0; at < content.length && error === undefined; at += DRIVE_PIECE) {
      const data = content.subarray(at, at + DRIVE_PIECE).toString('base64');
      ({ error } = await this.ask({ action: 'piece', of, data }));
    }
    return error ?? (await this.ask({ action: 'done', of })).error;
  }

  /** Downloads a file. @throws Error with the text of the gateway */
  async download(path: string): Promise<Buffer> {
    const { id: of, answer } = await this.#sent({ action: 'read', path });
    if (answer.error !== undefined) throw new Error(answer.error);
    const pieces: Buffer[] = [];
    for (;;) {
      const { data, error } = await this.ask({ action: 'next', of });
      if (error !== undefined) throw new Error(error);
      if (data === '') return Buffer.concat(pieces);
      pieces.push(Buffer.from(data ?? '', 'base64'));
    }
  }

  async #sent(action: DriveAction): Promise<{ id: number; answer: DriveAnswerMessage }> {
    const id = this.#nextId++;
    this.#client.say({ type: 'drive', id, ...action });
    const answer = await this.#client.wire.until(`the answer ${id} of the drive`, () =>
      this.#client.wire.messages.find((message) => message.type === 'drive' && message.id === id),
    );
    if (answer.type !== 'drive') throw new Error('no answer of the drive');
    return { id, answer };
  }
}
