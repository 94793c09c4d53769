/** The package has no types of its own. Only what we use. */
declare module 'zipcodes' {
  const zipcodes: {
    /** By ZIP code; in a few the position is null. */
    codes: Record<
      string,
      {
        zip: string
        latitude: number | null
        longitude: number | null
        city: string
        state: string
        country: string
      }
    >
    states: {
      /** "WISCONSIN" to "WI". */
      full: Record<string, string>
    }
  }
  export default zipcodes
}
