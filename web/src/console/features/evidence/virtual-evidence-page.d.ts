declare module 'virtual:evidence-page' {
  const address: string;
  export default address;
}
