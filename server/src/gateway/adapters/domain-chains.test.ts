import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { startSshServer } from '../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../testing/ssh/ssh-target.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let outer: SshTarget;
let inner: SshTarget;
let outerDomain: string;
let innerDomain: string;
let outerGateway: string;
let innerGateway: string;
beforeAll(async () => {
  [world, outer, inner] = await Promise.all([startSshWorld(), startSshServer(), startSshServer()]);
  outerDomain = await create('assets/domains/', { name: unique('outer') });
  innerDomain = await create('assets/domains/', { name: unique('inner'), through: outerDomain });
  outerGateway = await gateway(outer, outerDomain);
  innerGateway = await gateway(inner, innerDomain);
  await patch(`assets/assets/${world.asset}/`, { domain: innerDomain });
});
afterAll(() => Promise.all([world.stop(), outer.stop(), inner.stop()]));

async function create(path: string, body: Json): Promise<string> {
  const answer = await world.administrator.post<Json>(path, body);
  expect(answer).toMatchObject({ status: 201 });
  return String(answer.body.id);
}
async function patch(path: string, body: Json): Promise<void> {
  expect((await world.administrator.patch(path, body)).status).toBe(200);
}
const gateway = (server: SshTarget, domain: string) =>
  create('assets/gateways/', {
    name: unique('gateway'),
    domain,
    ip: server.host,
    port: server.port,
    username: server.username,
    private_key: server.privateKey,
  });
const run = () =>
  world.ssh.run({ login: world.login, password: world.member.password, command: 'echo in' });
const test = (id: string) =>
  world.administrator.post(`assets/gateways/${id}/test-connective/`, { port: inner.port });
const counts = async (body: Json) => {
  const { body: answer } = await world.administrator.post<{
    consequences: { kind: string; count: number }[];
  }>('perms/consequences/', body);
  return Object.fromEntries(answer.consequences.map(({ kind, count }) => [kind, count]));
};

it('reaches an asset through the gateways of both domains, and lists the keys of both', async () => {
  expect(await run()).toMatchObject({ code: 0, stdout: Buffer.from('in\n') });
  expect((await test(innerGateway)).status).toBe(200);
  const { body } = await world.administrator.get<Json[]>(`assets/assets/${world.asset}/host-keys/`);
  expect(body.map(({ hop, port }) => `${hop} ${port}`).toSorted()).toEqual(
    [`asset ${world.sshd.port}`, `gateway ${inner.port}`, `gateway ${outer.port}`].toSorted(),
  );
});

it('refuses the connection when the first domain has no active gateway, and never skips it', async () => {
  await patch(`assets/gateways/${outerGateway}/`, { is_active: false });
  expect(await run()).toMatchObject({ code: 255 });
  expect((await test(innerGateway)).status).toBe(400);
  await patch(`assets/gateways/${outerGateway}/`, { is_active: true });
  await outer.kill();
  expect(await run()).toMatchObject({ code: 255 });
  await outer.restartWithNewHostKey();
  // Its host key changed: it could be another machine.
  expect(await run()).toMatchObject({ code: 255 });
});

it('names what the end of a domain or gateway does to those behind it', async () => {
  const of = (action: string, resource: string, id: string) =>
    counts({ action, resource, ids: [id] });
  expect(await of('disable', 'gateway', outerGateway)).toEqual({ assets_unreachable: 1 });
  expect(await of('delete', 'gateway', outerGateway)).toEqual({ domains_direct: 1 });
  expect(await of('delete', 'domain', outerDomain)).toEqual({
    domains_direct: 1,
    gateways_deleted: 1,
  });
});

it('refuses circles, and more than three domains in a row', async () => {
  const refused = async (domain: string, through: string) =>
    (await world.administrator.patch<Json>(`assets/domains/${domain}/`, { through })).body;
  const error = (text: string) => ({ through: [expect.stringContaining(text)] });
  expect(await refused(outerDomain, outerDomain)).toEqual(error('itself reached through'));
  expect(await refused(outerDomain, innerDomain)).toEqual(error('itself reached through'));
  const third = await create('assets/domains/', { name: unique('third'), through: innerDomain });
  expect(
    await world.administrator.post('assets/domains/', { name: unique('fourth'), through: third }),
  ).toMatchObject({ status: 400, body: error('3 domains') });
  const first = await create('assets/domains/', { name: unique('first') });
  expect(await refused(outerDomain, first)).toEqual(error('3 domains'));
});

it('refuses a domain of another organization', async () => {
  const foreign = await world.administrator
    .inOrganization('')
    .post<Json>('assets/domains/', { name: unique('foreign') });
  expect(
    await world.administrator.patch(`assets/domains/${outerDomain}/`, { through: foreign.body.id }),
  ).toMatchObject({ status: 400, body: { through: [expect.any(String)] } });
});
