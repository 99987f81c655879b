/** The whole package in JavaScript: its entry starts a thread, or a program of the platform. */
declare module 'recheck/lib/browser.js' {
  export { checkSync } from 'recheck';
}
