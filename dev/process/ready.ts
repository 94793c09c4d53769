import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'

/** Whether the service at this base URL says that it can do its work. */
export async function isReady(url: string): Promise<boolean> {
  // A connection of its own: one that is kept alive would hold up the service when it has to stop.
  const request = get(`${url}/health/ready`, { agent: false, timeout: 5000 })
  request.on('timeout', () => request.destroy())
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode === 200
  } catch {
    // Not listening yet. Why a service never gets there is in its log.
    return false
  } finally {
    request.destroy()
  }
}
