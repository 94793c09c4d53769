/** Returns a variable that a Compose file sets. Throws if it is not set. */
export function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: docker-compose.yml does that`)
  return value
}
