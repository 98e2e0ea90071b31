import { guardWindow } from '@sallyport/ssh';
import { EXEC_WINDOW } from '../../../limits.ts';
import { Refusal } from '../../../refusal.ts';
import type { TargetEvents, TargetFiles } from '../../connector.ts';
import { ChannelEnd, type LastHop } from '../ssh-errors.ts';
import { gatherPackets } from './gather-packets.ts';
import { SftpClient } from './sftp-client.ts';

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
        failed(new Refusal('files_not_offered', { host: `${hop.peer.host}:${hop.peer.port}` }));
        return;
      }
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
      channel.on('data', (chunk: Buffer) => opened.push(chunk));
      channel.stderr.resume();
      opened.start().then(
        () => done(opened),
        () =>
          failed(new Refusal('files_not_offered', { host: `${hop.peer.host}:${hop.peer.port}` })),
      );
    });
  });
}
