/** Seal context of the secret of an access key. */
export const sealContext = (id: string) => `access_key.secret.${id}`;
