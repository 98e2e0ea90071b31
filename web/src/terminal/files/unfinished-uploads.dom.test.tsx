import { beforeEach, expect, it } from 'vitest';
import { uploadIdOf } from './unfinished-uploads.ts';

const PLACE = { asset: 'web-01', account: 'deploy' };
const FILE = { size: 5_000_000, lastModified: 1_700_000_000_000 };
const none = () => false;
beforeEach(() => localStorage.clear());

it('returns the id of an unfinished upload to the same file, path and account only', () => {
  const first = uploadIdOf(PLACE, '/tmp/secret-name', FILE, none);
  expect(first.isContinued).toBe(false);
  expect(uploadIdOf(PLACE, '/tmp/secret-name', FILE, none)).toMatchObject({
    id: first.id,
    isContinued: true,
  });
  for (const [place, path, file] of [
    [PLACE, '/tmp/other', FILE],
    [PLACE, '/tmp/secret-name', { ...FILE, size: 5_000_001 }],
    [PLACE, '/tmp/secret-name', { ...FILE, lastModified: 1_700_000_000_001 }],
    [{ ...PLACE, account: 'root' }, '/tmp/secret-name', FILE],
    [{ ...PLACE, asset: 'web-02' }, '/tmp/secret-name', FILE],
  ] as const)
    expect(uploadIdOf(place, path, file, none)).toMatchObject({ isContinued: false });
  expect(JSON.stringify(localStorage)).not.toContain('secret');
});

it('returns a new id after the end, for an id in use, and with a broken storage', () => {
  const first = uploadIdOf(PLACE, '/tmp/a', FILE, none);
  expect(uploadIdOf(PLACE, '/tmp/a', FILE, (id) => id === first.id).id).not.toBe(first.id);
  const again = uploadIdOf(PLACE, '/tmp/b', FILE, none);
  again.forget();
  expect(uploadIdOf(PLACE, '/tmp/b', FILE, none).isContinued).toBe(false);
  for (const stored of ['', '{', 'null', '[null, 1, {"file": "x"}]', '{"id": 1}']) {
    localStorage.setItem('sallyport-unfinished-uploads', stored);
    expect(uploadIdOf(PLACE, '/tmp/b', FILE, none).isContinued).toBe(false);
  }
});

it('remembers no file of a single piece', () => {
  const small = { ...FILE, size: 1024 * 1024 };
  uploadIdOf(PLACE, '/tmp/small', small, none);
  expect(uploadIdOf(PLACE, '/tmp/small', small, none).isContinued).toBe(false);
  expect(localStorage.length).toBe(0);
});

it('remembers the last 50 uploads', () => {
  const ids = Array.from({ length: 51 }, (_, index) => uploadIdOf(PLACE, `/${index}`, FILE, none));
  expect(uploadIdOf(PLACE, '/50', FILE, none).id).toBe(ids[50]?.id);
  expect(uploadIdOf(PLACE, '/0', FILE, none).id).not.toBe(ids[0]?.id);
});
