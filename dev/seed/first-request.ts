/** Returns the shell line that sets the variables of the README's commands. */
export function exportLine(gateway: string, accessKey: string): string {
  return `export KEY=${accessKey} API=${gateway}/publicapi/v1`
}

/** The shell line of a first request, after `exportLine`: the open restaurants near the Capitol in Madison, Wisconsin. */
export const firstRequest =
  'curl -sH "X-Access-Token: $KEY" "$API/restaurant/search?street-address=316+W+Washington+Ave,+Madison,+WI+53703"'
