import { guardWindow, safeText } from '@sallyport/ssh';
import { EXEC_WINDOW } from '../../../limits.ts';
import { Refusal } from '../../../refusal.ts';
import type { TargetEvents, TargetFiles } from '../../connector.ts';
import { ChannelEnd, type LastHop, type Peer } from '../ssh-errors.ts';
import { gatherPackets } from './gather-packets.ts';
import { SftpClient } from './sftp-client.ts';

/** Bytes of the first answer that are kept until it is understood. */
const HEAD_BYTES = 256;
const MOST_TEXT = 100;
/** The length of a packet begins with a zero, and no character of UTF-8 with a byte above this. */
const LAST_TEXT_BYTE = 0xf4;

/** Opens SFTP at the last server of a route. */
export function requestFiles(hop: LastHop, onEnd: TargetEvents['onEnd']): Promise<TargetFiles> {
  return new Promise((done, failed) => {
    let client: SftpClient | undefined;
    const end = new ChannelEnd(
      hop,
      (how, message) => {
        client?.ended();
        onEnd(how, message);
      },
      failed,
    );
    hop.client.subsys('sftp', (error, channel) => {
      if (error) {
        failed(startRefusal(hop.peer));
        return;
      }
      let head = '';
      client = new SftpClient({
        write: gatherPackets((bytes) => {
          if (channel.writable) channel.write(bytes);
        }),
        broken: end.broke,
        silent: end.silent,
        close: () => {
          channel.close();
          end.end('closed');
        },
      });
      const opened = client;
      end.follow(channel);
      guardWindow(channel, EXEC_WINDOW, end.flooded);
      guardWindow(channel.stderr, EXEC_WINDOW, end.flooded);
      channel.on('data', (chunk: Buffer) => {
        if (head.length < HEAD_BYTES) head += chunk.toString('latin1', 0, HEAD_BYTES);
        opened.push(chunk);
      });
      channel.stderr.resume();
      opened.start().then(
        () => done(opened),
        () => failed(startRefusal(hop.peer, head)),
      );
    });
  });
}

/** `head` is the begin of the answer, one character for each byte. */
function startRefusal({ host, port }: Peer, head = ''): Refusal {
  const about = { host: `${host}:${port}` };
  // Programs that the shell of the account starts for each connection print text before SFTP.
  const first = head.charCodeAt(0);
  const isText = first > 0 && first <= LAST_TEXT_BYTE;
  const text = isText ? safeText(Buffer.from(head, 'latin1').toString()) : '';
  return text === ''
    ? new Refusal('files_not_offered', about)
    : new Refusal('files_text', { ...about, text: text.slice(0, MOST_TEXT) });
}
