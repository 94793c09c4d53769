/**
 * Whether `If-None-Match` names the entity tag: RFC 9110, 13.1.2, any of a list, or `*`. The comparison is the weak one, so
 * that `W/` means nothing.
 */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.trim() === '*' || (ifNoneMatch?.match(/"[^"]*"/g)?.includes(etag) ?? false)
