/** The imported part of the npm package `zipcodes`, which has no types. */
declare module 'zipcodes/lib/states.js' {
  /** Abbreviations by name, in capital letters. */
  export const full: Record<string, string>
}
