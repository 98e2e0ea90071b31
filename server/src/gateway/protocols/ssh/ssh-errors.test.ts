import { ServerDisconnect } from '@sallyport/ssh';
import { expect, it } from 'vitest';
import { refusalOf } from './ssh-errors.ts';

const PEER = { host: '192.0.2.7', port: 22, account: 'deploy' };

it('removes the password of the account from the words of a server', () => {
  const error = new ServerDisconnect(11, 'go away, vault secret 9');
  const { code, params } = refusalOf(error, { ...PEER, secret: 'vault secret 9' }).problem;
  expect([code, params]).toEqual([
    'connect_disconnected_words',
    { host: '192.0.2.7:22', account: 'deploy', words: 'go away, …' },
  ]);
});
