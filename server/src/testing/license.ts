import { generateKeyPairSync } from 'node:crypto';
import {
  type LicenseDocument,
  type LicenseFacts,
  publicKeyOf,
  signLicense,
} from '../features/license/document.ts';
import type { Client } from './client.ts';

const { privateKey } = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** Public key of test licenses. */
export const LICENSE_PUBLIC_KEY = publicKeyOf(privateKey);

/** Signs a license, valid in test programs unless `facts` prevent it. */
export function buildLicense(facts: Partial<LicenseFacts> = {}): LicenseDocument {
  return signLicense(
    {
      subscription_id: 'S-1',
      corporation: 'Example Ltd',
      expired: '2099-12-31',
      asset_count: 5_000,
      edition: 'enterprise',
      ...facts,
    },
    privateKey,
  );
}

/** Builds a multipart form. */
export function formBody(parts: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === 'string') form.append(name, part);
    else form.append(name, part, `${name}.bin`);
  }
  return form;
}

/** Imports a license over HTTP. */
export function importLicense(client: Client, license: object = buildLicense()) {
  return client.sendForm<{ status: boolean; msg: string }>(
    'POST',
    'xpack/license/import',
    formBody({ file: new Blob([JSON.stringify(license)]) }),
  );
}
