/** The cost of the HTTP server. */
import { benchLatency } from './http-latency.ts'
import { benchRate } from './http-rate.ts'
import { benchStreams } from './http-streams.ts'
import { withPublished } from './published.ts'

export async function benchHttp(): Promise<string> {
  return await withPublished(async (drover) =>
    [await benchRate(drover), await benchLatency(drover), await benchStreams(drover)].join('\n\n'),
  )
}
