import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UploadQueue } from './upload-queue.ts';

const MIB = 1024 * 1024;
const PLACE = { asset: 'web-01', account: 'deploy' };

/** A server with the upload routes, and a proxy before it that refuses some requests. */
let server: Server;
let refuse: (bytes: number) => number | undefined;
let pieces: number[];
/** Further fields of each answer. */
let more: object;
let address: string;

beforeEach(async () => {
  // Other files of this worker replace the network.
  vi.unstubAllGlobals();
  address = window.location.href;
  localStorage.clear();
  pieces = [];
  more = {};
  let offset = 0;
  server = createServer(async (request, response) => {
    const bytes = (await buffer(request)).length;
    const status = request.method === 'PUT' ? refuse(bytes) : undefined;
    response.setHeader('content-type', 'application/json');
    if (status !== undefined) {
      response.writeHead(status).end('<html></html>');
      return;
    }
    pieces.push(bytes);
    offset += bytes;
    const size = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('size'));
    response.end(JSON.stringify({ offset, complete: offset === size, ...more }));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  (window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  );
});
afterEach(async () => {
  (window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(address);
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const fileOf = (size: number) =>
  new File([new Uint8Array(size)], 'large', { lastModified: 1_700_000_000_000 });

/** Uploads a file; resolves with its status when nothing more happens to it. */
function upload(size: number, queue = new UploadQueue(() => undefined)): Promise<string> {
  return new Promise((done) => {
    queue.subscribe(() => {
      const status = queue.snapshot().items[0]?.status ?? '';
      if (status === 'done' || status === 'failed') done(status);
    });
    queue.add(PLACE, [{ path: '/tmp/large', file: fileOf(size) }]);
  });
}

it('sends smaller pieces when a proxy answers 413', async () => {
  refuse = (bytes) => (bytes > 3 * MIB ? 413 : undefined);
  expect(await upload(12 * MIB)).toBe('done');
  expect(pieces.reduce((sum, bytes) => sum + bytes, 0)).toBe(12 * MIB);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(3 * MIB);
});

it('fails when a proxy refuses even the smallest piece', async () => {
  refuse = () => 413;
  expect(await upload(4 * MIB)).toBe('failed');
});

it.each([502, 504])('continues after a proxy answered %i', async (status) => {
  let refusals = 1;
  refuse = () => (refusals-- > 0 ? status : undefined);
  expect(await upload(MIB)).toBe('done');
});

it('continues the upload of an earlier page with the bytes that the server has', async () => {
  let accepted = 1;
  refuse = () => (accepted-- > 0 ? undefined : 400);
  expect(await upload(3 * MIB)).toBe('failed');
  expect(pieces).toEqual([MIB]);
  refuse = () => undefined;
  expect(await upload(3 * MIB)).toBe('done');
  // The page asked for the state first, and then sent the rest.
  expect(pieces.slice(0, 2)).toEqual([MIB, 0]);
  expect(pieces.reduce((sum, bytes) => sum + bytes, 0)).toBe(3 * MIB);
});

it.each([true, false])(
  'knows of a finished upload if the server refused its time: %s',
  async (isRefused) => {
    refuse = () => undefined;
    if (isRefused) more = { attributes_refused: true };
    const queue = new UploadQueue(() => undefined);
    expect(await upload(MIB, queue)).toBe('done');
    expect(queue.snapshot().items).toMatchObject([{ isWithoutTime: isRefused }]);
  },
);
