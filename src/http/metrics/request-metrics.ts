import type { ServerObserver } from '../context/server-context.ts'
import type { Prometheus } from './prometheus.ts'

/** Requests take milliseconds, or many minutes if they run an agent. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600]

export function requestMetrics({ client, registry }: Prometheus): ServerObserver {
  const registers = [registry]
  const requests = new client.Counter({
    name: 'drover_requests_total',
    help: 'Finished requests, by the path of their route.',
    labelNames: ['method', 'path', 'status'],
    registers,
  })
  const durations = new client.Histogram({
    name: 'drover_request_duration_seconds',
    help: 'Time from the start of a request to the last byte of its response.',
    labelNames: ['method', 'path'],
    buckets: BUCKETS,
    registers,
  })
  const failed = new client.Counter({
    name: 'drover_requests_refused_total',
    help: 'Requests with an error response, by error code.',
    labelNames: ['reason'],
    registers,
  })
  const byKey = new client.Counter({
    name: 'drover_key_requests_total',
    help: 'Requests with a valid API key, by the name of the key.',
    labelNames: ['key'],
    registers,
  })
  const inFlight = new client.Gauge({
    name: 'drover_requests_in_flight',
    help: 'Requests in progress.',
    registers,
  })
  return {
    requestStarted: () => inFlight.inc(),
    requestDone({ method, route, status, seconds, errorCode, keyName }) {
      requests.inc({ method, path: route, status })
      durations.observe({ method, path: route }, seconds)
      if (errorCode !== undefined) failed.inc({ reason: errorCode })
      if (keyName !== undefined) byKey.inc({ key: keyName })
      inFlight.dec()
    },
  }
}
