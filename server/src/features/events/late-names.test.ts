import { expect, it } from 'vitest';
import { createAddressPolicy } from '../../platform/address-policy.ts';
import { stall, startHostileServer } from '../../testing/hostile/hostile-server.ts';
import { sendSyslog } from './syslog.ts';
import { sendWebhook } from './webhook.ts';

const policy = createAddressPolicy(['127.0.0.1'], () => []);

it('gives up when the resolver of names has used up the time of a delivery', async () => {
  const silent = await startHostileServer(stall);
  const over = AbortSignal.abort();
  const receiver = {
    id: '',
    name: '',
    type: 'syslog',
    secret: null,
    host: '127.0.0.1',
    port: silent.port,
    url: `http://127.0.0.1:${silent.port}/`,
    key: '',
    ca_certificate: '',
    framing: 'octets',
  } as const;
  try {
    for (const transport of ['tcp', 'tls'] as const)
      await expect(sendSyslog({ ...receiver, transport }, [], policy, over)).rejects.toThrow(
        'no answer in time',
      );
    await expect(sendWebhook(receiver, [], policy, over)).rejects.toThrow('no answer in time');
  } finally {
    await silent.stop();
  }
});
