import { once } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'

/** True when the service at this base URL is ready. */
export async function isReady(url: string): Promise<boolean> {
  // A new connection: a keep-alive connection would delay the stop of the service.
  const { get } = url.startsWith('https:') ? https : http
  const request = get(`${url}/health/ready`, { agent: false, timeout: 5000 })
  request.on('timeout', () => request.destroy())
  try {
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    response.resume()
    return response.statusCode === 200
  } catch {
    // Not listening yet. If it never does, the service's log has the reason.
    return false
  } finally {
    request.destroy()
  }
}
