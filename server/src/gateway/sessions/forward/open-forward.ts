import { actionMask, type LocalText } from '@sallyport/contract';
import { Refusal } from '../../refusal.ts';
import type { SessionOpener } from '../open-session.ts';
import { type ForwardAddress, type ForwardClient, ForwardSession } from './forward-session.ts';

const LABEL: LocalText = { en: 'Forward ports', zh: '端口转发' };
/** Names with which clients mean the asset itself. */
const LOCAL_NAMES = new Set(['localhost', '127.0.0.1', '::1']);

/**
 * Opens sessions of one forwarded connection to a port of the asset, if the permission allows it.
 */
export function forwardOpener(
  client: ForwardClient,
  destination: ForwardAddress,
): SessionOpener<ForwardSession> {
  return {
    kind: 'terminal',
    begin: async (parts) => {
      const { asset, systemUser, actions } = parts.row.grant;
      if (systemUser.allowedCommands !== undefined) throw new Refusal('account_enforced');
      if ((actions & actionMask(['forward_port'])) === 0)
        throw new Refusal('transfer_denied', { action: LABEL });
      const host = destination.host.toLowerCase();
      const isOwn = [asset.hostname.toLowerCase(), asset.ip, asset.id].includes(host);
      if (!isOwn && !LOCAL_NAMES.has(host))
        throw new Refusal('forward_elsewhere', { host: destination.host });
      return new ForwardSession({
        ...parts,
        client,
        address: { host: isOwn ? asset.ip : host, port: destination.port },
      });
    },
    async open(session, { openForward }) {
      if (!openForward)
        throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
      const target = await openForward(session.address, {
        onData: (chunk) => session.fromTarget(chunk),
        onDrain: () => client.inputDrained(),
        onDataEnd: () => client.outputEnded(),
        onEnd: (how) => session.targetEnded(how),
      });
      session.attach(target);
    },
  };
}
