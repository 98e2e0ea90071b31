export * from './client-commands.ts';
export * from './posix-words.ts';
export * from './shell-text.ts';
export * from './site-commands.ts';
export * from './ssh-commands.ts';
