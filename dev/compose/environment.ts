/** A variable that a Compose file sets. */
export function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: docker-compose.yml does that`)
  return value
}
