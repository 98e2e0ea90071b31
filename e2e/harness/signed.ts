import { createHmac } from 'node:crypto';

/** Asks for the own profile as a script does that signs its requests. */
export async function askSigned(url: string, id: string, secret: string): Promise<Response> {
  const path = '/api/v1/users/profile/';
  const date = new Date().toUTCString();
  const signed = `(request-target): get ${path}\naccept: application/json\ndate: ${date}`;
  const signature = createHmac('sha256', secret).update(signed).digest('base64');
  const authorization = `Signature keyId="${id}",algorithm="hmac-sha256",headers="(request-target) accept date",signature="${signature}"`;
  return fetch(new URL(path, url), {
    headers: { accept: 'application/json', date, authorization },
  });
}
