/** The context that the secret of an access key is sealed for. */
export const sealContext = (id: string) => `access_key.secret.${id}`;
