/** The part of the npm package `zipcodes` that is imported here; it brings no types. */
declare module 'zipcodes/lib/states.js' {
  /** Abbreviation by name, in capital letters. */
  export const full: Record<string, string>
}
