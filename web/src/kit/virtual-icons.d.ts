declare module 'virtual:icon/*' {
  const icon: import('./icon.ts').Icon;
  export default icon;
}
