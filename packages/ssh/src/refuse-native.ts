const REFUSED = /[\\/](sshcrypto|cpufeatures)\.node$/;

/**
 * Prevents ssh2 from loading native ciphers that it finds in node_modules. Node aborts the process
 * when V8 collects such a cipher outside JavaScript (docs/adr/0016), and an older installation may
 * have left them. ssh2 then uses Node's ciphers.
 */
export function refuseNative(): void {
  const load = process.dlopen;
  process.dlopen = (module: object, filename: string, flags?: number): void => {
    if (REFUSED.test(filename))
      throw new Error(`${filename} is a native part of ssh2, which is not used`);
    Reflect.apply(
      load,
      process,
      flags === undefined ? [module, filename] : [module, filename, flags],
    );
  };
}
