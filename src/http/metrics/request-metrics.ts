import type { ServerObserver } from './observer.ts'
import type { Prometheus } from './prometheus.ts'

/** Requests take milliseconds or many minutes, depending on whether an agent works for them. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600]

export function requestMetrics({ client, registry }: Prometheus): ServerObserver {
  const registers = [registry]
  const requests = new client.Counter({
    name: 'drover_requests_total',
    help: 'Requests that were answered or given up, by the template of their path.',
    labelNames: ['method', 'path', 'status'],
    registers,
  })
  const durations = new client.Histogram({
    name: 'drover_request_duration_seconds',
    help: 'From the arrival of a request to the last byte of its answer.',
    labelNames: ['method', 'path'],
    buckets: BUCKETS,
    registers,
  })
  const refused = new client.Counter({
    name: 'drover_requests_refused_total',
    help: 'Requests that were refused, by the code of the error.',
    labelNames: ['reason'],
    registers,
  })
  const byKey = new client.Counter({
    name: 'drover_key_requests_total',
    help: 'Requests with a valid API key, by what logs call the key.',
    labelNames: ['key'],
    registers,
  })
  const underWay = new client.Gauge({
    name: 'drover_requests_in_flight',
    help: 'Requests that have arrived and are not yet answered.',
    registers,
  })
  return {
    requestStarted: () => underWay.inc(),
    requestDone({ method, route, status, seconds, refusal, keyName }) {
      requests.inc({ method, path: route, status })
      durations.observe({ method, path: route }, seconds)
      if (refusal !== undefined) refused.inc({ reason: refusal })
      if (keyName !== undefined) byKey.inc({ key: keyName })
      underWay.dec()
    },
  }
}
