/** Reports requests to OpenTelemetry. Loaded only if telemetry is on. */
import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { RequestTracer } from '../context/server-context.ts'
import { CLIENT_CLOSED_REQUEST } from './access-log.ts'

/** Monitors and browsers ask for these all the time. */
const UNTRACED = /^\/(?:health|ready|metrics|docs|openapi\.json|console|local|$)/

export function createRequestTracer(telemetry: Telemetry): RequestTracer {
  return ({ request, reply }, parent) => {
    const { method, facts } = request
    const { url: route } = request.routeOptions
    const [path = ''] = request.url.split('?', 1)
    if (route === undefined || UNTRACED.test(path)) return undefined
    const span = telemetry.start({
      name: `${method} ${route}`,
      kind: 'server',
      parent,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'url.path': path,
        'url.scheme': request.protocol,
        'client.address': facts.address,
        'user_agent.original': request.headers['user-agent'],
      },
    })
    return {
      trace: { ...span.trace, traceId: span.trace.traceparent.slice(3, 35) },
      end: () => {
        const status = reply.raw.headersSent ? reply.raw.statusCode : CLIENT_CLOSED_REQUEST
        span.set({ 'http.response.status_code': status, 'drover.key.name': request.facts.key?.name })
        span.end(status < 500 ? undefined : (request.facts.errorCode ?? String(status)))
      },
    }
  }
}
