import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, api, setFailureListener } from './api.ts';

const assign = vi.fn();
const failed = vi.fn();
const signedOut = vi.fn();
const requests: { url: string; init: RequestInit }[] = [];
let answer: () => Response | Promise<Response>;

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });

beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal('document', {
    cookie: `csrftoken=proof; jms_current_org=${encodeURIComponent('{"id":"org-1","name":"One"}')}`,
  });
  vi.stubGlobal('location', { pathname: '/ui/users/users', search: '?page=2', assign });
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    requests.push({ url, init });
    return Promise.resolve().then(answer);
  });
  setFailureListener({ failed, signedOut });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  for (const mock of [assign, failed, signedOut]) mock.mockReset();
});

describe('a request', () => {
  it('sends the CSRF token, organization and time zone, allows a minute, and returns the data alone', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    answer = () => json({ results: [], count: 0 });
    expect(await api.get('users/users/')).toEqual({ results: [], count: 0 });
    const headers = new Headers(requests[0]?.init.headers);
    expect([headers.get('X-CSRFToken'), headers.get('X-JMS-ORG'), headers.get('X-TZ')]).toEqual([
      'proof',
      'org-1',
      Intl.DateTimeFormat().resolvedOptions().timeZone,
    ]);
    expect(timeout).toHaveBeenCalledWith(60_000);
  });

  it('names the default organization on a first visit, without a chosen one', async () => {
    vi.stubGlobal('document', { cookie: 'csrftoken=proof' });
    answer = () => json({});
    await api.get('users/profile/');
    expect(new Headers(requests[0]?.init.headers).get('X-JMS-ORG')).toBe('DEFAULT');
  });

  it('reports a timeout as such', async () => {
    answer = () => Promise.reject(new DOMException('too long', 'TimeoutError'));
    await expect(api.get('users/users/')).rejects.toMatchObject({ status: 0, code: 'timeout' });
    expect(failed).toHaveBeenCalledOnce();
  });

  it('reports a failed request to the user, unless its caller does', async () => {
    answer = () => json({ detail: 'No.' }, 403);
    await expect(api.get('users/users/')).rejects.toBeInstanceOf(ApiError);
    expect(failed).toHaveBeenCalledWith(expect.objectContaining({ status: 403, message: 'No.' }));
    failed.mockReset();
    await expect(api.get('users/users/', { quiet: true })).rejects.toMatchObject({
      message: 'No.',
    });
    expect(failed).not.toHaveBeenCalled();
  });

  it('redirects a 401 of the profile to the sign-in page, asks for any other, and never shows a toast', async () => {
    answer = () => json({}, 401);
    await expect(api.get('assets/assets/')).rejects.toMatchObject({ status: 401 });
    expect([
      signedOut.mock.calls.length,
      assign.mock.calls.length,
      failed.mock.calls.length,
    ]).toEqual([1, 0, 0]);
    await expect(api.get('users/profile/', { quiet: true })).rejects.toMatchObject({ status: 401 });
    expect(assign).toHaveBeenCalledWith('/core/auth/login/?next=%2Fui%2Fusers%2Fusers%3Fpage%3D2');
    expect(signedOut).toHaveBeenCalledOnce();
  });
});
