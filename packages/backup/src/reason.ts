/**
 * Returns the reason of a failed connection. The message of fetch is "fetch failed", and its cause has the reason. The message of
 * the reason is empty if several addresses of a host failed; then the reason has a code (ECONNREFUSED …).
 */
export function reasonOf(error: unknown): string {
  const { message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  return message || String(code)
}
