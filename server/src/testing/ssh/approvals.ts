import type { Client, Json } from '../client.ts';
import { until } from '../poll.ts';
import { TerminalClient } from '../terminals/terminal-client.ts';
import type { SshWorld } from './ssh-world.ts';

/** Opens a web terminal to the asset of the world. */
export function connectForApproval({ asset, systemUser, test }: SshWorld, by: Client) {
  const base = test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  return TerminalClient.connect(base, { asset, system_user: systemUser }, by.headers);
}

/** Waits for the open ticket of a connection, as its reviewer sees it. */
export async function waitingConnection(by: Client): Promise<Json> {
  let open: Json | undefined;
  await until(async () => {
    const { body } = await by.get<Json[]>('tickets/tickets/?assign=1&status=open');
    open = body.find(({ type }) => type === 'connection');
    return open !== undefined;
  }, 'the ticket of the connection');
  return open ?? {};
}

export const answerTicket = ({ id }: Json, action: string, by: Client) =>
  by.patch<Json>(`tickets/tickets/${id}/`, { action });

export async function leaveTerminal(client: TerminalClient): Promise<void> {
  client.type('exit\r');
  await client.message('closed');
}
