/** A first request to try, as a line for a shell: what is open near the Capitol in Madison, Wisconsin. */
export function firstRequest(gateway: string, accessKey: string): string {
  const address = '316+W+Washington+Ave,+Madison,+WI+53703'
  const search = `${gateway}/publicapi/v1/restaurant/search?street-address=${address}`
  return `curl -H 'X-Access-Token: ${accessKey}' '${search}'`
}
