const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns true if Sallyport may call the URL or redirect browsers to it: HTTPS, or HTTP on this
 * machine.
 */
export const isProtected = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
