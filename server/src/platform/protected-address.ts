const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether an address may be asked, or be where browsers are sent to: nothing leaves this machine in the open. */
export const isProtected = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
