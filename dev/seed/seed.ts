import { CreateApplication, IssueAccessKey } from '@platter/contracts'
import { readSeedFiles, type SeedFile } from './files.ts'
import { isKnown, operatorOf, type Operator } from './gateway.ts'

/** Enough to keep the services busy: the bodies are large, and each is a transaction. */
const AT_ONCE = 4

export type SeedResult = {
  fingerprint: string
  accessKey: string
  otherAccessKey: string
  /** In the order of the files' names. The first restaurant accepts every order (README.md). */
  restaurants: { apiKey: string; name: string; accessKey: string; link: string }[]
}

type Target = {
  gateway: string
  /** Base URL of the simulated restaurants. */
  simulators: string
  operatorKey: string
  previous: SeedResult | null
  log(line: string): void
}

/** Creates the restaurants of restaurants/ and two client applications, unless they exist. */
export async function seed(target: Target): Promise<SeedResult> {
  const { files, fingerprint } = readSeedFiles(target.simulators)
  const previous = await stillKnown(target)
  if (previous?.fingerprint === fingerprint) {
    target.log(`${files.length} restaurants exist already`)
    return previous
  }
  const operator = operatorOf(target)
  const keys = previous ?? {
    accessKey: await newApplication(operator, 'development'),
    otherAccessKey: await newApplication(operator, 'another'),
  }
  const keyOf = new Map(previous?.restaurants.map(({ apiKey, accessKey }) => [apiKey, accessKey]))
  let done = 0
  const restaurants = await inParallel(files, async (file) => {
    const { apiKey, name } = file.restaurant
    const accessKey = await seedRestaurant(operator, file, keyOf.get(apiKey))
    done += 1
    target.log(`restaurant ${done} of ${files.length}: ${name}`)
    return { apiKey, name, accessKey, link: file.linkName }
  })
  return { fingerprint, accessKey: keys.accessKey, otherAccessKey: keys.otherAccessKey, restaurants }
}

/** Returns the result of an earlier run, unless its data were deleted in the meantime. */
async function stillKnown({ gateway, previous }: Target): Promise<SeedResult | null> {
  if (previous === null) return null
  return (await isKnown(gateway, previous.accessKey)) ? previous : null
}

async function newApplication(operator: Operator, name: string): Promise<string> {
  const about = `application "${name}"`
  const path = '/operatorapi/v1/applications'
  const created = await operator({ method: 'POST', path, body: { name }, about })
  return issueKey(operator, `${path}/${CreateApplication.response.parse(created).id}/access-keys`, about)
}

/** Menu and link refer to the restaurant, so it is created first. */
async function seedRestaurant(operator: Operator, file: SeedFile, knownKey?: string): Promise<string> {
  const path = `/operatorapi/v1/restaurants/${file.restaurant.apiKey}`
  const about = file.path
  await operator({ method: 'PUT', path, body: file.restaurant, about })
  await operator({ method: 'PUT', path: `${path}/menu`, body: file.menu, about })
  await operator({ method: 'PUT', path: `${path}/link`, body: file.link, about })
  return knownKey ?? issueKey(operator, `${path}/access-keys`, about)
}

async function issueKey(operator: Operator, path: string, about: string): Promise<string> {
  const issued = await operator({ method: 'POST', path, body: { mode: 'live' }, about })
  return IssueAccessKey.response.parse(issued).accessKey
}

/** Returns the results in the order of `jobs`. After the first failure no further job begins, and its error is thrown. */
async function inParallel<Job, Result>(jobs: Job[], work: (job: Job) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...jobs.entries()]
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, job] = next
      try {
        results[index] = await work(job)
      } catch (error) {
        waiting.length = 0
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}
