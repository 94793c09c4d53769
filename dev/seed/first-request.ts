/** Sets what the README's commands use, as a line for a shell. */
export function exportLine(gateway: string, accessKey: string): string {
  return `export KEY=${accessKey} API=${gateway}/publicapi/v1`
}

/** A first request to try, as a line for a shell after `exportLine`: what is open near the Capitol in Madison, Wisconsin. */
export const firstRequest =
  'curl -sH "X-Access-Token: $KEY" "$API/restaurant/search?street-address=316+W+Washington+Ave,+Madison,+WI+53703"'
