import type { Registry } from 'prom-client'
import type { PromptObserver } from '../../prompts/prompt-context.ts'
import type { ServerObserver } from './observer.ts'

/** Who is told what happens, and where it can be read. */
export type Metrics = {
  server: ServerObserver
  prompts: PromptObserver
  registry: Pick<Registry, 'metrics' | 'contentType'>
}

/** What a metric is made with. */
export type Prometheus = { client: typeof import('prom-client'); registry: Registry }
