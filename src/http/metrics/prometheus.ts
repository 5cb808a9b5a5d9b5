import type { Registry } from 'prom-client'

/** What every metric is created with. */
export type Prometheus = { client: typeof import('prom-client'); registry: Registry }
